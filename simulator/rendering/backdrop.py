"""Sky and floor, kept from frame to frame while they stay what they are.

Where nothing throws a shadow on the floor and no part dips into it, both depend on nothing but the view: a software
rasteriser copies them ten times faster than it shades them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl

from simulator.rendering.programs import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class Backdrop:
    """One `picture` of sky and floor, none before it is worth it, and what it was drawn for."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._seen: Hashable = None  # what the frame before was of
        self._kept: Hashable = None  # what the picture is of
        self.picture: moderngl.Framebuffer | None = None

    def lay(self, buffer: moderngl.Framebuffer, size: tuple[int, int], key: Hashable, draw: Callable[[], None]) -> bool:
        """Copy what `draw` draws for `key` into the cleared and bound `buffer` of that size [px]; returns whether that
        was done.

        The first frame of a view is not stored: a turning camera shows each view once, and the floor behind
        parts would be shaded in vain. `buffer` is not multisampled.
        """
        again = key == self._seen
        self._seen = key
        if not again:
            return False
        if self._kept != key or self.picture is None:
            self._prepare(size).use()
            draw()
            self._kept = key
        assert self.picture is not None
        self._ctx.copy_framebuffer(buffer, self.picture)
        buffer.use()
        return True

    def _prepare(self, size: tuple[int, int]) -> moderngl.Framebuffer:
        """The kept picture, of that size."""
        if self.picture is not None and self.picture.size == size:
            return self.picture
        self.release()
        self.picture = self._ctx.framebuffer([self._ctx.texture(size, 4, alignment=ALIGNMENT)])
        return self.picture

    def release(self) -> None:
        """Give everything back to the driver."""
        if self.picture is not None:
            attached = self.picture.color_attachments
            self.picture.release()
            for texture in attached:
                texture.release()
        self.picture = self._kept = self._seen = None
