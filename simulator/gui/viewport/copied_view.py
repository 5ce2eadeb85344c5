"""OpenGL beside the window, whose picture is copied into it: for rasterisers in software.

A window with an OpenGL widget in it is composed by OpenGL as a whole, whatever changes in it. A graphics processor does
not feel that, but a software rasteriser shades every pixel of the window again, for every frame and for every plot.
Here it shades those of the view, in a context of its own; the rest of the window stays what Qt's painter makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QImage, QOffscreenSurface, QOpenGLContext, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from simulator.gui.viewport.gl_drawing import GLDrawing
from simulator.gui.viewport.painter_view import colour_of
from simulator.gui.viewport.state import ViewState

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray


class CopiedView(GLDrawing, QWidget):
    """Draws the state into a framebuffer of its own whenever Qt asks, and copies it from there."""

    failed = pyqtSignal(str)
    ready = pyqtSignal(str, bool)

    def __init__(self, state: ViewState, context: QOpenGLContext, surface: QOffscreenSurface) -> None:
        super().__init__()
        self._begin(state)
        self._gl, self._surface = context, surface
        self._buffer: moderngl.Framebuffer | None = None
        self._read: NDArray[np.uint8] = np.zeros((0, 0, 4), dtype=np.uint8)
        self._picture = self._read.copy()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw a frame and copy it."""
        painter = QPainter(self)
        with self._context():
            self.draw_frame()
        if self._buffer is None or self._broken or self._state.scene is None:
            painter.fillRect(self.rect(), colour_of(self._state.theme.floor))
            return
        height, width = self._picture.shape[:2]
        image = QImage(self._picture.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        image.setDevicePixelRatio(self.devicePixelRatioF())
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(0, 0, image)

    def draw_frame(self) -> None:
        """Draw the state, and read what was drawn."""
        super().draw_frame()
        if self._buffer is None or self._broken:
            return
        width, height = self._buffer.size
        if self._picture.shape[:2] != (height, width):
            self._read = np.empty((height, width, 4), dtype=np.uint8)
            self._picture = np.empty_like(self._read)
        self._buffer.read_into(self._read, components=4)
        self._picture[:] = self._read[::-1]  # OpenGL counts rows from below

    def _target(self, context: moderngl.Context, size: tuple[int, int]) -> moderngl.Framebuffer:
        if self._buffer is None or self._buffer.size != size:
            self._release()
            self._buffer = context.framebuffer([context.renderbuffer(size)], context.depth_renderbuffer(size))
        return self._buffer

    def _release(self) -> None:
        """Give the framebuffer back to the driver."""
        if self._buffer is not None:
            attached = (*self._buffer.color_attachments, self._buffer.depth_attachment)
            self._buffer.release()
            for buffer in attached:
                if buffer is not None:
                    buffer.release()
        self._buffer = None

    def _take_context(self) -> bool:
        return self._gl.makeCurrent(self._surface)

    def _leave_context(self) -> None:
        self._gl.doneCurrent()
