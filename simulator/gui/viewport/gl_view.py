"""The OpenGL widget: hands Qt's context and framebuffer to the renderer. An exception in here must not end the
program."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QPointF, pyqtSignal
from PyQt6.QtGui import QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PyQt6.QtOpenGLWidgets import QOpenGLWidget
from PyQt6.QtWidgets import QApplication

from simulator.gui.viewport.state import ViewState
from simulator.rendering.contexts import current_context, opengl_is_missing
from simulator.rendering.options import RenderOptions

if TYPE_CHECKING:
    from simulator.rendering.renderer import Renderer
    from simulator.rendering.scene import Hit


class GLView(QOpenGLWidget):
    """Draws the state whenever Qt asks. `failed` is emitted once, with the reason, when OpenGL cannot do it;
    `ready` says what draws, and whether with shadows."""

    failed = pyqtSignal(str)
    ready = pyqtSignal(str, bool)

    def __init__(self, state: ViewState) -> None:
        super().__init__()
        self._state = state
        self._renderer: Renderer | None = None
        self._shadows: bool | None = None
        self._broken = False
        wanted = QSurfaceFormat.defaultFormat()
        wanted.setSamples(0)  # the renderer owns a multisampled buffer where that is affordable
        self.setFormat(wanted)
        self.setAccessibleName(self.tr("3-D view of the mechanism"))
        self.setMinimumSize(200, 150)

    @property
    def renderer_name(self) -> str:
        """What draws, in OpenGL's words."""
        return str(self._renderer.context.info.get("GL_RENDERER", "")) if self._renderer is not None else ""

    def scene_changed(self) -> None:
        """The state has another scene."""
        if self._renderer is not None and self._state.scene is not None:
            self.makeCurrent()
            self._renderer.set_scene(self._state.scene)
            self.doneCurrent()
        self.update()

    def pick(self, at: QPointF) -> str | None:
        """The link seen at a point of the widget in the last frame."""
        hit = self.hit(at)
        return hit.link if hit is not None else None

    def hit(self, at: QPointF) -> Hit | None:
        """That link, and the point of it that is seen [m]."""
        if self._renderer is None or self._broken or not self.isValid():
            return None
        ratio = self.devicePixelRatioF()
        self.makeCurrent()
        try:
            return self._renderer.hit(at.x() * ratio, at.y() * ratio)
        except Exception as error:
            self._fail(error)
            return None
        finally:
            self.doneCurrent()

    def initializeGL(self) -> None:
        """A new context: everything is made when the first frame is drawn."""
        self._renderer = None

    def paintGL(self) -> None:
        """Draw a frame into Qt's framebuffer."""
        if self._broken or self._state.scene is None:
            return
        try:
            self._draw()
        except Exception as error:
            self._fail(error)

    def _draw(self) -> None:
        renderer, state, ratio = self._ready_renderer(), self._state, self.devicePixelRatioF()
        target = renderer.context.detect_framebuffer(self.defaultFramebufferObject())
        if renderer.options.floor != state.grid:
            renderer.options = replace(renderer.options, floor=state.grid)
        renderer.ghosts, renderer.section = state.ghosts, state.section
        renderer.highlight(state.selected, state.hovered)
        size = round(self.width() * ratio), round(self.height() * ratio)
        renderer.draw(target, *size, state.camera, state.poses, state.theme, state.lines, ratio)

    def _ready_renderer(self) -> Renderer:
        from simulator.rendering.renderer import Renderer

        state = self._state
        assert state.scene is not None
        if self._renderer is not None and self._shadows == state.shadows:
            return self._renderer
        context = current_context() if self._renderer is None else self._renderer.context
        if self._renderer is not None:
            self._renderer.release()
        options = RenderOptions.automatic(context)
        if state.shadows is not None:
            options = RenderOptions() if state.shadows else RenderOptions.fast()
        self._renderer, self._shadows = Renderer(context, state.scene, options), state.shadows
        self.ready.emit(self.renderer_name, options.shadows)
        return self._renderer

    def _fail(self, error: Exception) -> None:
        self._broken = True
        self.failed.emit(f"{type(error).__name__}: {error}")


def opengl_problem() -> str:
    """Why this machine has no OpenGL 3.3 for a window; empty where it has. Asked before any OpenGL widget exists."""
    if QApplication.platformName() == "offscreen":
        return QCoreApplication.translate("GLView", "The offscreen platform has no OpenGL.")
    if opengl_is_missing():
        return QCoreApplication.translate("GLView", "moderngl is not installed, so the view is drawn without OpenGL.")
    context, surface = QOpenGLContext(), QOffscreenSurface()
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
