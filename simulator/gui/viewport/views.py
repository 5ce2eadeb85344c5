"""The choice of the widget that draws the view on this machine."""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication
from PyQt6.QtGui import QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PyQt6.QtWidgets import QApplication

from simulator.gui.viewport.copied_view import CopiedView
from simulator.gui.viewport.gl_view import GLView
from simulator.gui.viewport.painter_view import PainterView
from simulator.gui.viewport.state import ViewState
from simulator.rendering.contexts import current_context, opengl_is_missing
from simulator.rendering.options import is_software

View = GLView | CopiedView | PainterView


def view_of(state: ViewState) -> View:
    """A widget that draws the state: with a graphics processor inside the window, with a software rasteriser beside it,
    and with Qt's painter where there is no OpenGL 3.3."""
    context, surface = QOpenGLContext(), QOffscreenSurface()
    problem = opengl_problem(context, surface)
    if problem:
        return PainterView(state, problem)
    context.makeCurrent(surface)
    drawing = current_context()
    in_software = is_software(drawing)
    context.doneCurrent()
    return CopiedView(state, context, surface, drawing) if in_software else GLView(state)


def opengl_problem(context: QOpenGLContext, surface: QOffscreenSurface) -> str:
    """Why this machine has no OpenGL 3.3 for a window; empty where it has, and this context can be current on this
    surface then. Asked before any OpenGL widget exists."""
    if QApplication.platformName() == "offscreen":
        return QCoreApplication.translate("GLView", "The offscreen platform has no OpenGL.")
    if opengl_is_missing():
        return QCoreApplication.translate("GLView", "moderngl is not installed, so the view is drawn without OpenGL.")
    surface.setFormat(QSurfaceFormat.defaultFormat())
    surface.create()
    context.setFormat(QSurfaceFormat.defaultFormat())
    if not context.create() or not context.makeCurrent(surface):
        return QCoreApplication.translate("GLView", "No OpenGL context can be made.")
    version = context.format().version()
    context.doneCurrent()
    if version < (3, 3):
        text = QCoreApplication.translate("GLView", "This OpenGL has version {major}.{minor}; the view needs 3.3.")
        return text.format(major=version[0], minor=version[1])
    return ""
