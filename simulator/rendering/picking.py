"""Which link is under the pointer: the few pixels around it are drawn once more, with link numbers for colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl
import numpy as np

from simulator.rendering.batches import Batch
from simulator.rendering.programs import ALIGNMENT, Programs, set_uniforms
from simulator.rendering.scene import NEAR
from simulator.rendering.section import Section, clipped
from simulator.rendering.uniforms import FrameView, section_row
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WINDOW = 2 * NEAR + 1
"""Side of the square of pixels that is searched."""


class Picker:
    """A tiny framebuffer that holds, for each pixel around the pointer, the point that is seen and the number of its
    link."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._program = programs.pick
        self._points = ctx.texture((WINDOW, WINDOW), 4, dtype="f4", alignment=ALIGNMENT)
        self._depth = ctx.depth_renderbuffer((WINDOW, WINDOW))
        self._target = ctx.framebuffer([self._points], self._depth)

    def hit(
        self, view: FrameView, x: float, y: float, batches: Sequence[Batch], section: Section | None = None
    ) -> tuple[int, Vec3] | None:
        """Number of the link and the point [m] nearest to (`x`, `y`) [px from the upper left corner]."""
        self._target.use()
        self._target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        set_uniforms(self._program, u_pick=pick_matrix(view, x, y) @ view.matrix(), u_section=section_row(section))
        with clipped(self._ctx, section):
            for batch in batches:
                batch.draw(batch.pick)
        self._ctx.enable_only(moderngl.NOTHING)
        seen = np.frombuffer(self._target.read(components=4, dtype="f4", alignment=ALIGNMENT), dtype="f4").reshape(
            WINDOW, WINDOW, 4
        )
        return _nearest(seen)

    def release(self) -> None:
        """Give everything back to the driver."""
        for resource in (self._target, self._depth, self._points):
            resource.release()


def pick_matrix(view: FrameView, x: float, y: float) -> NDArray[np.float64]:
    """Clip space of the picture to clip space of the window around (`x`, `y`) [px], shape (4, 4)."""
    matrix = np.eye(4)
    ndc = (2.0 * x / view.width - 1.0, 1.0 - 2.0 * y / view.height)
    for axis, (centre, extent) in enumerate(zip(ndc, (view.width, view.height), strict=True)):
        matrix[axis, axis] = extent / WINDOW
        matrix[axis, 3] = -centre * extent / WINDOW
    return matrix


def _nearest(seen: NDArray[np.float32]) -> tuple[int, Vec3] | None:
    """The occupied pixel closest to the middle of the window."""
    rows, columns = np.nonzero(seen[:, :, 3] > 0.5)
    if len(rows) == 0:
        return None
    middle = (WINDOW - 1) / 2
    best = int(np.argmin((rows - middle) ** 2 + (columns - middle) ** 2))
    x, y, z, number = (float(part) for part in seen[rows[best], columns[best]])
    return round(number) - 1, (x, y, z)
