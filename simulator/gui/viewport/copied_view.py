"""OpenGL beside the window, whose picture is copied into it: for rasterisers in software.

A window with an OpenGL widget is composed by OpenGL as a whole, whatever changes in it. A graphics processor does so
at no cost, but a software rasteriser shades every pixel of the window again, for every frame and for every plot.
Here it shades only those of the view, in its own context; the rest of the window is drawn by Qt's painter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QImage, QOffscreenSurface, QOpenGLContext, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from simulator.gui.viewport.gl_drawing import GLDrawing
from simulator.gui.viewport.painter_view import colour_of
from simulator.gui.viewport.state import ViewState

if TYPE_CHECKING:
    from simulator.rendering.contexts import Context
    from simulator.rendering.readable_frame import Framebuffer, ReadableFrame
    from simulator.rendering.renderer import Renderer


class CopiedView(GLDrawing, QWidget):
    """Draws the state into a framebuffer of its own whenever Qt asks, and copies it from there."""

    failed = pyqtSignal(str)
    ready = pyqtSignal(str, bool)

    def __init__(self, state: ViewState, context: QOpenGLContext, surface: QOffscreenSurface, drawing: Context) -> None:
        """`drawing`: how this context is drawn with."""
        super().__init__()
        self._begin(state)
        self._gl = context
        self._surface = surface
        self._drawing = drawing
        self._frame: ReadableFrame | None = None

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw a frame and copy it."""
        painter = QPainter(self)
        with self._context():
            self.draw_frame()
        if self._frame is None or self._broken or self._state.scene is None:
            painter.fillRect(self.rect(), colour_of(self._state.theme.floor))
            return
        picture = self._frame.picture
        height, width = picture.shape[:2]
        image = QImage(picture.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        image.setDevicePixelRatio(self.devicePixelRatioF())
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(0, 0, image)

    def draw_frame(self) -> None:
        """Draw the state, and read what was drawn."""
        super().draw_frame()
        if self._frame is not None and not self._broken:
            self._frame.read()

    def _target(self, renderer: Renderer, size: tuple[int, int]) -> Framebuffer:
        from simulator.rendering.readable_frame import ReadableFrame

        if self._frame is None:
            self._frame = ReadableFrame(renderer.context)
        return self._frame.target(size)

    def _drawing_context(self) -> Context:
        return self._drawing

    def _take_context(self) -> bool:
        return self._gl.makeCurrent(self._surface)

    def _leave_context(self) -> None:
        self._gl.doneCurrent()
