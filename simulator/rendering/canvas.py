"""Where a frame is drawn before it is averaged into the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl

from simulator.rendering.options import RenderOptions
from simulator.rendering.programs import ALIGNMENT, PICTURE_UNIT, Programs

if TYPE_CHECKING:
    from collections.abc import Iterator

BLENDING = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)


class Canvas:
    """The target itself, or a multisampled or larger buffer that `end` averages into it."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._resolve = ctx.vertex_array(programs.resolve, [])
        self._key: tuple[int, int, int] | None = None
        self._buffer: moderngl.Framebuffer | None = None
        self._picture: moderngl.Framebuffer | None = None
        self._texture: moderngl.Texture | None = None
        self._in_use = False

    def begin(
        self, target: moderngl.Framebuffer, width: int, height: int, options: RenderOptions
    ) -> moderngl.Framebuffer:
        """The cleared and bound buffer to draw into, `width` x `height` [px]."""
        samples = min(options.samples, self._ctx.max_samples)
        self._in_use = samples > 0 or options.supersample > 1
        if self._in_use:
            self._prepare(width, height, samples)
        buffer = self._buffer if self._in_use and self._buffer is not None else target
        buffer.depth_mask = True
        buffer.viewport = (0, 0, width, height)
        buffer.use()
        buffer.clear(0.0, 0.0, 0.0, 1.0, depth=1.0)
        self._ctx.depth_func = "<="
        self._ctx.blend_func = BLENDING  # type: ignore[assignment]  # four are allowed, the stubs know two
        return buffer

    def end(self, target: moderngl.Framebuffer, width: int, height: int) -> None:
        """Average into `target`, `width` x `height` [px], and leave it bound."""
        if not self._in_use or self._buffer is None or self._picture is None or self._texture is None:
            return
        if self._picture is not self._buffer:
            self._ctx.copy_framebuffer(self._picture, self._buffer)
        target.viewport = (0, 0, width, height)
        target.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._texture.use(PICTURE_UNIT)
        self._resolve.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Give everything back to the driver."""
        self._drop()
        self._resolve.release()

    def _prepare(self, width: int, height: int, samples: int) -> None:
        if self._key == (width, height, samples):
            return
        self._drop()
        size = (width, height)
        texture = self._texture = self._ctx.texture(size, 4, alignment=ALIGNMENT)
        texture.repeat_x = texture.repeat_y = False
        if samples == 0:
            self._picture = self._ctx.framebuffer([texture], self._ctx.depth_renderbuffer(size))
            self._buffer = self._picture
        else:
            self._picture = self._ctx.framebuffer([texture])
            colour = self._ctx.renderbuffer(size, 4, samples=samples)
            depth = self._ctx.depth_renderbuffer(size, samples=samples)
            self._buffer = self._ctx.framebuffer([colour], depth)
        self._key = (width, height, samples)

    def _drop(self) -> None:
        for resource in self._resources():
            resource.release()
        self._buffer = self._picture = self._texture = self._key = None

    def _resources(self) -> Iterator[moderngl.Framebuffer | moderngl.Texture | moderngl.Renderbuffer]:
        buffers = {id(b): b for b in (self._buffer, self._picture) if b is not None}
        for buffer in buffers.values():
            yield from buffer.color_attachments
            if buffer.depth_attachment is not None:
                yield buffer.depth_attachment
            yield buffer
