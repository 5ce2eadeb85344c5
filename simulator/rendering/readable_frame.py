"""A framebuffer whose picture is read back, for what is not OpenGL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Framebuffer = moderngl.Framebuffer


class ReadableFrame:
    """`picture` (height, width, 4): what was read last, rows from above; the fourth column is not opacity."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._buffer: Framebuffer | None = None
        self._read: NDArray[np.uint8] = np.zeros((0, 0, 4), dtype=np.uint8)
        self.picture = self._read.copy()

    def target(self, size: tuple[int, int]) -> Framebuffer:
        """What to draw into, of that size [px]."""
        if self._buffer is None or self._buffer.size != size:
            self.release()
            self._buffer = self._ctx.framebuffer([self._ctx.renderbuffer(size)], self._ctx.depth_renderbuffer(size))
            self._read = np.empty((size[1], size[0], 4), dtype=np.uint8)
            self.picture = np.empty_like(self._read)
        return self._buffer

    def read(self) -> None:
        """Fill `picture` with what was drawn."""
        if self._buffer is not None:
            self._buffer.read_into(self._read, components=4)
            self.picture[:] = self._read[::-1]  # OpenGL counts rows from below

    def release(self) -> None:
        """Give everything back to the driver."""
        if self._buffer is not None:
            attached = (*self._buffer.color_attachments, self._buffer.depth_attachment)
            self._buffer.release()
            for buffer in attached:
                if buffer is not None:
                    buffer.release()
        self._buffer = None
