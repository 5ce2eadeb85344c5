"""The place of a hint in the view that covers nothing of the mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QRectF, QSizeF

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.gui.viewport.state import ViewState
    from simulator.spatial.arrays import Array


EDGE = 14.0
"""Room that is left to the edges of the view, and to what is there [px]."""
CORNERS = 8
"""Of the box around a shape."""
PAIRS = np.array([(i, j) for i in range(CORNERS) for j in range(i + 1, CORNERS)])
"""Among them are the edges of what a box looks like."""


@dataclass
class HintPlace:
    """Remembers the place of the hint: it stays while nothing comes under it. `covers`: there was no free place, it
    lies on the mechanism."""

    covers: bool = False
    _last: tuple[str, int] | None = None

    def find(
        self, sizes: dict[str, QSizeF], view: tuple[float, float], taken: Sequence[QRectF], shapes: Array
    ) -> tuple[str, QRectF]:
        """The first place that is free, and which of the texts is written there. `sizes`: of the hint by the text, the
        wanted one first; `view`: width and height; `taken`: boxes to keep off; `shapes`: see `shapes_in_view`, all
        [px]."""
        bounds = (shapes.min(axis=1), shapes.max(axis=1))
        places, covered = dict[tuple[str, int], QRectF](), dict[tuple[str, int], int]()
        for place, box in self._in_order(sizes, view, taken):
            places[place], covered[place] = box, _covered(box, shapes, bounds)
            if covered[place] == 0:
                break
        best = min(covered, key=lambda place: covered[place], default=None)
        if best is None:
            self.covers, (text, size) = True, next(iter(sizes.items()))
            return text, _boxes(size, view, ())[0]
        self._last = best
        self.covers = covered[best] > 0
        return best[0], places[best]

    def _in_order(
        self, sizes: dict[str, QSizeF], view: tuple[float, float], taken: Sequence[QRectF]
    ) -> Iterator[tuple[tuple[str, int], QRectF]]:
        """The places that are not `taken`, by text and number, the one of the last picture first."""
        whole, last = QRectF(0.0, 0.0, *view), self._last

        def free(text: str) -> Iterator[tuple[tuple[str, int], QRectF]]:
            for number, box in enumerate(_boxes(sizes[text], view, taken)):
                if whole.contains(box) and not any(box.intersects(other) for other in taken):
                    yield (text, number), box

        if last is not None and last[0] in sizes:
            yield from ((place, box) for place, box in free(last[0]) if place == last)
        for text in sizes:
            yield from ((place, box) for place, box in free(text) if place != last)


def forms_of(hint: str) -> tuple[str, ...]:
    """The ways in which it may be written, the best first: in one line, a clause in a line, each clause in two, and its
    first clause alone."""
    clauses = hint.split("; ")
    last = len(clauses) - 1
    ended = [clause + (";" if number < last else "") for number, clause in enumerate(clauses)]
    narrow = "\n".join(_halved(clause) for clause in ended)
    return tuple(dict.fromkeys((hint, "\n".join(ended), narrow, clauses[0], _halved(clauses[0]))))


def _halved(text: str) -> str:
    """In two lines of about the same length."""
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if not spaces:
        return text
    middle = min(spaces, key=lambda place: abs(2 * place + 1 - len(text)))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def shapes_in_view(state: ViewState, view: tuple[float, float]) -> Array:
    """Corners of the boxes around all shapes that count for the size of the scene, as they are seen, shape (n, 8, 2)
    [px]; those that are not wholly before the eye fill it."""
    if state.scene is None:
        return np.zeros((0, CORNERS, 2))
    width, height = view
    shapes = state.camera.pixels(state.scene.corner_points(state.poses), view)[:, :2].reshape(-1, CORNERS, 2)
    whole = np.array([(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)] * 2)
    shapes[~np.isfinite(shapes).all(axis=(1, 2))] = whole
    return shapes


def _covered(box: QRectF, shapes: Array, bounds: tuple[Array, Array]) -> int:
    """How many shapes, which lie within `bounds`, are under a box. Two convex figures are apart where a line along an
    edge of one parts them (Ericson, Real-Time Collision Detection, section 5.2.1)."""
    left, top, right, bottom = box.adjusted(-4.0, -4.0, 4.0, 4.0).getCoords()
    low, high = bounds
    near = shapes[((low < (right, bottom)) & (high > (left, top))).all(axis=1)]
    corners = np.array([(left, top), (right, top), (left, bottom), (right, bottom)])
    edges = near[:, PAIRS[:, 1]] - near[:, PAIRS[:, 0]]
    across = np.stack((-edges[..., 1], edges[..., 0]), axis=-1)
    own, other = np.einsum("nek,nck->nec", across, near), np.einsum("nek,ck->nec", across, corners)
    apart = (own.max(axis=2) <= other.min(axis=2)) | (other.max(axis=2) <= own.min(axis=2))
    apart &= np.abs(across).max(axis=2) > 1e-6  # corners that are seen behind each other have no edge
    return int(np.sum(~apart.any(axis=1)))


def _boxes(size: QSizeF, view: tuple[float, float], taken: Sequence[QRectF]) -> list[QRectF]:
    """Places at the edges of the view, the best first; those at the top are below what is there."""
    width, height = view
    x = (0.5 * (width - size.width()), width - EDGE - size.width(), EDGE)
    found = []
    for bottom in (False, True):
        for left in x:
            box = QRectF(left, height - EDGE - size.height() if bottom else EDGE, size.width(), size.height())
            for other in taken:
                if not bottom and box.intersects(other):
                    box.moveTop(other.bottom() + EDGE)
            found.append(box)
    return found
