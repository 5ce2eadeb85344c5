"""Places of labels beside the points that they name: without overlap, inside the view; labels without a place are left
out, the least important first.

Each label tries places around its point, near ones first, and takes the first that is free: the greedy method of
Christensen, Marks and Shieber, An Empirical Study of Algorithms for Point-Feature Label Placement, ACM Transactions on
Graphics 14 (1995). Its previous place comes first, so that labels do not jump while things move. Among free places
those whose line to the point crosses no other come first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array


NEAR = (10.0, 34.0, 66.0, 104.0, 150.0, 210.0)
"""Distances between a point and its label that are tried [px]."""
AROUND = ((1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1), (1, 0), (-1, 0))
"""Sides of the point, right and down positive, in the order in which they are tried."""
EDGE = 8.0
"""Room that is left to the edges of the view [px]."""
APART = 3.0
"""Room that is left between labels [px]."""
KEPT = 0.3
"""By so much a label that is on show already is worth more than one that is not, of which the greatest weight is 1."""
CLEAR, GRAZED = 0.02, 0.2
"""A label that lies on bodies with no more than this part of it covers nothing; with the second it stays where it
was, so that it does not jump aside from all that passes."""
CROWD, AT_HAND = 16, 4
"""Of more labels each is at one of the nearest so many distances or left out, unless it is of what is selected: long
lines to and fro hide what they point at."""
MOST = 160
"""So many of the most important labels are tried."""


class Wanted(NamedTuple):
    """A label: what it is known by from picture to picture, its point (x, y) and its size (width, height) [px], and how
    important it is. `spare`: it is left out rather than put on a body."""

    key: str
    point: tuple[float, float]
    size: tuple[float, float]
    weight: float
    spare: bool = False


def nothing(boxes: Array) -> Array:
    """No body is anywhere."""
    return np.zeros(len(boxes))


@dataclass
class LabelLayout:
    """Remembers where labels were."""

    _slots: dict[str, int] = field(default_factory=dict)

    def place(
        self,
        wanted: Sequence[Wanted],
        taken: Sequence[tuple[float, float, float, float]],
        view: tuple[float, float],
        share: Callable[[Array], Array] = nothing,
    ) -> dict[int, tuple[float, float]]:
        """Left upper corners [px] of the labels for which there is room, by their number among those `wanted`; `taken`:
        boxes (left, top, right, bottom) that are to stay free; `view`: its width and height; `share`: how much of each
        of many boxes, shape (n, 4), lies on bodies, which labels keep off."""
        order = sorted(
            range(len(wanted)), key=lambda i: -wanted[i].weight - (KEPT if wanted[i].key in self._slots else 0.0)
        )[:MOST]
        boxes = {index: _boxes(wanted[index], view) for index in order}
        covered = share(np.concatenate([*boxes.values(), np.zeros((0, 4))]))
        shares = dict(zip(order, covered.reshape(-1, len(NEAR) * len(AROUND)), strict=True))
        reserved = {i: boxes[i][self._slots[wanted[i].key]] for i in order if wanted[i].key in self._slots}
        occupied = np.array(taken, dtype=float).reshape(-1, 4)
        lines: list[Array] = []
        at_hand = np.arange(len(NEAR) * len(AROUND)) < (AT_HAND if len(wanted) > CROWD else len(NEAR)) * len(AROUND)
        found: dict[int, tuple[float, float]] = {}
        slots: dict[str, int] = {}
        for index in order:
            key = wanted[index].key
            reserved.pop(index, None)
            last = self._slots.get(key)
            others = np.array([*reserved.values()]).reshape(-1, 4)
            allowed = at_hand | (wanted[index].weight > 1.0)
            if last is not None and not allowed[last]:
                last = None
            slot = _slot(boxes[index], last, occupied, others, shares[index], wanted[index].point, lines, allowed)
            if slot is not None and wanted[index].spare and shares[index][slot] > GRAZED:
                continue
            if slot is not None:
                slots[key] = slot
                left, top, *_ = boxes[index][slot].tolist()
                found[index] = (left, top)
                occupied = np.vstack((occupied, boxes[index][slot]))
                lines.append(_leaders(wanted[index].point, boxes[index][slot : slot + 1]))
        self._slots = slots
        return found


def _slot(
    boxes: Array, last: int | None, occupied: Array, reserved: Array, shares: Array,
    point: tuple[float, float], lines: Sequence[Array], allowed: NDArray[np.bool_],
) -> int | None:  # fmt: skip
    """Which of the `allowed` boxes to take: the last one where that is free, else the free one that covers least of
    bodies, the first of several, if possible not where another label was the last time, and with a line from the point
    that crosses none of the `lines`."""
    if last is not None and shares[last] <= GRAZED and not _overlap(boxes[last : last + 1], occupied, 0.0)[0]:
        return last
    free = allowed & ~_overlap(boxes, occupied, APART)
    if not free.any():
        return None
    clear = free & (shares <= CLEAR)
    own = ~_overlap(boxes, reserved, APART)
    apart = ~_cross(_leaders(point, boxes), lines)
    for choice in (clear & own & apart, clear & own, clear, free & own):
        if choice.any():
            candidates = np.flatnonzero(choice)
            return int(candidates[np.argmin(np.maximum(shares[candidates], CLEAR))])
    return int(np.flatnonzero(free)[0])


def _boxes(label: Wanted, view: tuple[float, float]) -> Array:
    """The places around a point that are tried, shape (n, 4); all inside of the view."""
    size, point = np.array(label.size), np.array(label.point)
    sides = np.array([side for _ in NEAR for side in AROUND], dtype=float)
    away = np.repeat(NEAR, len(AROUND))[:, None]
    centres = point + sides * (0.5 * size + away)
    corners = centres - 0.5 * size
    room = np.maximum(np.array(view) - size - EDGE, EDGE)
    corners = np.clip(corners, EDGE, room)
    return np.hstack((corners, corners + size))


def _leaders(point: tuple[float, float], boxes: Array) -> Array:
    """From a point to the nearest point of each box, shape (n, 2, 2)."""
    begin = np.broadcast_to(np.array(point), (len(boxes), 2))
    return np.stack((begin, np.clip(begin, boxes[:, :2], boxes[:, 2:])), axis=1)


def _cross(lines: Array, others: Sequence[Array]) -> NDArray[np.bool_]:
    """Which of the lines (n, 2, 2) cross one of the others, (1, 2, 2) each: the ends of each are on both sides of the
    other."""
    there = np.concatenate([*others, np.zeros((0, 2, 2))])
    a, b = lines[:, None, 0], lines[:, None, 1]
    c, d = there[None, :, 0], there[None, :, 1]
    found = (_side(a, b, c) * _side(a, b, d) < 0.0) & (_side(c, d, a) * _side(c, d, b) < 0.0)
    return np.asarray(found.any(axis=1))


def _side(a: Array, b: Array, c: Array) -> Array:
    """On which side of the lines from a to b the points c are: a positive or negative area."""
    u, v = b - a, c - a
    side: Array = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return side


def _overlap(boxes: Array, occupied: Array, room: float) -> NDArray[np.bool_]:
    """Which of the boxes (n, 4) overlap one that is occupied (m, 4), or come nearer to it than `room`."""
    here = boxes[:, None]
    there = occupied[None]
    apart = (here[..., :2] >= there[..., 2:] + room) | (here[..., 2:] + room <= there[..., :2])
    return np.asarray(np.logical_not(apart.any(axis=2)).any(axis=1))
