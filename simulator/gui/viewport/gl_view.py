"""The OpenGL widget: hands Qt's context and framebuffer to the renderer, and Qt composes the window on the graphics
processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QSurfaceFormat
from PyQt6.QtOpenGLWidgets import QOpenGLWidget

from simulator.gui.viewport.gl_drawing import GLDrawing
from simulator.gui.viewport.state import ViewState

if TYPE_CHECKING:
    from simulator.rendering.readable_frame import Framebuffer
    from simulator.rendering.renderer import Renderer


class GLView(GLDrawing, QOpenGLWidget):
    """Draws the state whenever Qt asks."""

    failed = pyqtSignal(str)
    ready = pyqtSignal(str, bool)

    def __init__(self, state: ViewState) -> None:
        super().__init__()
        self._begin(state)
        wanted = QSurfaceFormat.defaultFormat()
        wanted.setSamples(0)  # the renderer owns a multisampled buffer where that is affordable
        self.setFormat(wanted)

    def initializeGL(self) -> None:
        """A new context: everything is made when the first frame is drawn."""
        self._renderer = None

    def paintGL(self) -> None:
        """Draw a frame into Qt's framebuffer."""
        self.draw_frame()

    def _target(self, renderer: Renderer, _size: tuple[int, int]) -> Framebuffer:
        return renderer.context.detect_framebuffer(self.defaultFramebufferObject())

    def _take_context(self) -> bool:
        self.makeCurrent()
        return self.isValid()

    def _leave_context(self) -> None:
        self.doneCurrent()
