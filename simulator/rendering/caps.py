"""The faces that a section plane cuts through solids.

Along a line of sight, from the plane on, a solid that the plane cuts is left once more than it is entered. The faces of
all solids are counted in a picture of their own, which then says where the plane is in one, and in which colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl

from simulator.rendering.canvas import BLENDING
from simulator.rendering.programs import ALIGNMENT, PICTURE_UNIT, Programs
from simulator.rendering.section import Section, clipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.rendering.batches import Batch


class Caps:
    """Draws them; the picture is made when it is first needed, and is as large as the frame."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx, self._programs = ctx, programs
        self._sum: moderngl.Framebuffer | None = None
        self._whole: moderngl.VertexArray | None = None

    def draw(
        self, buffer: moderngl.Framebuffer, size: tuple[int, int], batches: Iterable[Batch], section: Section
    ) -> None:
        """Into a buffer of that size [px], with its depth; `buffer` is bound afterwards."""
        picture = self._prepare(size)
        picture.use()
        picture.viewport = (0, 0, *size)
        picture.clear(0.0, 0.0, 0.0, 0.0)
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = (moderngl.ONE, moderngl.ONE)
        with clipped(self._ctx, section):
            for batch in batches:
                batch.draw(batch.array_of(self._programs.count))
        self._ctx.blend_func = BLENDING  # type: ignore[assignment]  # four are allowed, the stubs know two
        buffer.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        attached = picture.color_attachments[0]
        assert isinstance(attached, moderngl.Texture)
        attached.use(PICTURE_UNIT)
        if self._whole is None:
            self._whole = self._ctx.vertex_array(self._programs.cap, [])
        self._whole.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Give everything back to the driver."""
        if self._sum is not None:
            attached = self._sum.color_attachments
            self._sum.release()
            for texture in attached:
                texture.release()
        if self._whole is not None:
            self._whole.release()
        self._sum = self._whole = None

    def _prepare(self, size: tuple[int, int]) -> moderngl.Framebuffer:
        if self._sum is not None and self._sum.size == size:
            return self._sum
        self.release()
        texture = self._ctx.texture(size, 4, alignment=ALIGNMENT, dtype="f2")
        self._sum = self._ctx.framebuffer([texture])
        return self._sum
