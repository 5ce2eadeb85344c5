"""Lines of any width: each segment is a rectangle of the picture with round ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import moderngl
import numpy as np

from simulator.rendering.overlays import Polyline
from simulator.rendering.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEGMENT_FLOATS = 11
"""Start (3), end (3), colour (4), width (1)."""


class LineDrawer:
    """Draws polylines that may change with every frame."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._program = programs.line
        self._buffer = ctx.buffer(reserve=256 * SEGMENT_FLOATS * 4, dynamic=True)
        layout = (self._buffer, "3f4 3f4 4f4 1f4/i", "i_start", "i_end", "i_colour", "i_width")
        self._array = ctx.vertex_array(programs.line, [layout])

    def draw(self, target: moderngl.Framebuffer, lines: Sequence[Polyline]) -> None:
        """Draw into the bound `target`: hidden parts faintly first, then the visible ones."""
        lines = [line for line in lines if len(line.points) > 1]
        if not lines:
            return
        target.depth_mask = False
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        shining = [line for line in lines if line.hidden > 0.0]
        self._ctx.depth_func = ">"
        self._pass(segments(shining, faded=True))
        self._ctx.depth_func = "<="
        self._pass(segments(lines, faded=False))
        target.depth_mask = True

    def _pass(self, data: NDArray[np.float32]) -> None:
        if len(data) == 0:
            return
        if data.nbytes > self._buffer.size:
            self._buffer.orphan(2 * data.nbytes)
        self._buffer.write(data.tobytes())
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=len(data))

    def release(self) -> None:
        """Give everything back to the driver."""
        self._array.release()
        self._buffer.release()


def segments(lines: Sequence[Polyline], *, faded: bool) -> NDArray[np.float32]:
    """The segments of all lines (n, 11); `faded` multiplies the opacity by that of hidden parts."""
    points = np.concatenate([np.zeros((0, 3)), *(line.points for line in lines)]).astype("f4")
    lengths = np.array([len(line.points) for line in lines], dtype=np.intp)
    begins = ~np.isnan(points).any(axis=1)  # nothing begins at the end of a piece, nor where a line is parted
    begins[:-1] &= begins[1:]
    begins[np.cumsum(lengths) - 1] = False
    starts = np.flatnonzero(begins)
    looks = [(*line.colour[:3], line.colour[3] * (line.hidden if faded else 1.0), line.width) for line in lines]
    of_lines = np.array(looks, dtype="f4").reshape(-1, SEGMENT_FLOATS - 6)
    of_points = np.repeat(np.arange(len(lines)), lengths)
    return np.concatenate((points[starts], points[starts + 1], of_lines[of_points[starts]]), axis=1)
