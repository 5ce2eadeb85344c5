"""The lines of dimensions in the view, and possible places of their numbers. Arrow heads and distances
between lines have a constant size in pixels, as on paper, whatever the distance of the eye."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.gui.viewport.dimension_numbers import Number
    from simulator.gui.viewport.dimension_plan import Drawing
    from simulator.rendering.camera import Camera
    from simulator.spatial.arrays import Array

    Point = tuple[float, float]
    Line = tuple[Point, ...]
    SizeOf = Callable[[Sequence[Number]], Point]

HEAD, HALF_HEAD = 9.0, 2.6
"""Length of an arrow head, and half of its width [px]."""
OFFSET, STEP = 24.0, 22.0
"""From what is measured to its line, and from line to line [px]."""
START, OVER = 5.0, 5.0
"""Gap between the measured point and its extension line, and overhang beyond the dimension line [px]."""
NEAR = 16.0
"""It begins no further from the point than this [px]."""
RADIUS = 58.0
"""Of an arc [px]."""
WIDER, MOST_ARCS = 30.0, 6
"""By so much an arc is wider [px] than the one before in the same place, of which so many are drawn without a
selection."""
ARC = 25
"""Points of an arc."""
BESIDE = 5.0
"""From a line to a number that is not on it [px]."""
EDGE_ON = 0.9
"""A side is seen from its edge where the cosine between it and the line of sight is more than this."""
SHORTEST = 26.0
"""A length or a tie that looks shorter [px] is drawn only for what is selected."""
SMALL = 0.25
"""Nor is one that looks shorter than this part of the longest length in the view and than its number."""
FEW = 4
"""Of more arcs, those are left out whose centres look nearer to that of another than its radius, until one looks from
nearer; those in one place, which no look from nearer parts, are one about the other."""
DOT = 3.0
"""A line that looks shorter [px] has no direction."""
ROOMY, TIGHT = 28.0, 14.0
"""Room beside a number on a line [px] with which it goes there, and with which it still stays."""
ALONG = (0.5, 0.36, 0.64, 0.24, 0.76)
"""Parts of a line at which its number may be."""


@dataclass(frozen=True, eq=False)
class Mark:
    """One dimension in the view [px]: its lines, its arrow heads, three corners each, and where the middle of its
    numbers may be, the best place first. Those before `free` are too tight to be taken, and those before `kept` to stay
    in, so that a number does not go to and fro."""

    lines: tuple[Line, ...]
    heads: tuple[Line, ...]
    places: tuple[Point, ...]
    numbers: tuple[Number, ...]
    free: int = 0
    kept: int = 0


@dataclass(frozen=True)
class Sheet:
    """What a camera makes of the world on a view of this width and height [px]."""

    camera: Camera
    view: Point

    def pixels(self, points: Array) -> Array:
        """Points of the world (..., 3) in the view, shape (..., 2); NaN behind the eye."""
        return self.camera.pixels(points, self.view)[..., :2]

    def pixel(self, points: Array) -> Array:
        """Size of a pixel [m] at points of the world (n, 3), shape (n,)."""
        depth = (self.camera.eye - points) @ self.camera.backward
        return self.camera.half_height(np.maximum(depth, 1e-9)) * (2.0 / max(self.view[1], 1.0))


def marks_of(drawing: Drawing, camera: Camera, view: Point, size_of: SizeOf) -> Iterator[Mark]:
    """The dimensions that are before the eye, the most important first; `size_of` numbers, width and height [px]."""
    sheet = Sheet(camera, view)
    numbers = drawing.numbers
    spans, arcs = len(drawing.ends), len(drawing.centres)
    yield from _spans(drawing, sheet, numbers[:spans], size_of)
    yield from _arcs(drawing, sheet, numbers[spans : spans + arcs], size_of)
    yield from _ties(drawing, sheet, numbers[spans + arcs :], size_of)


def _spans(drawing: Drawing, sheet: Sheet, numbers: Sequence[tuple[Number, ...]], size_of: SizeOf) -> Iterator[Mark]:
    if not numbers:
        return
    ends = drawing.ends
    pixel = sheet.pixel(ends.mean(axis=1))
    aside = _sides(drawing, sheet.camera)
    off = drawing.clear + (OFFSET + STEP * drawing.level) * pixel
    begin = np.minimum(drawing.clear + START * pixel, NEAR * pixel)
    reach = np.stack((begin, off, off + OVER * pixel), axis=1)
    points = sheet.pixels(ends[:, :, None] + reach[:, None, :, None] * aside[:, None, None])
    lengths = np.linalg.norm(points[:, 1, 1] - points[:, 0, 1], axis=1)
    small = SMALL * float(np.nanmax(lengths, initial=0.0))
    for (first, second), length, shown in zip(points.tolist(), lengths.tolist(), numbers, strict=True):
        if _is_seen(*first, *second):
            is_travel = shown[0].axis is not None
            size = size_of(shown)
            if drawing.strong or is_travel or length >= max(SHORTEST, min(small, size[0])):
                yield _span(first, second, shown, size)


def _span(first: Sequence[Point], second: Sequence[Point], numbers: tuple[Number, ...], size: Point) -> Mark:
    """Each of both ends: where its extension line begins, where the dimension line is, where it ends."""
    a, b = _point(first[1]), _point(second[1])
    length = math.dist(a, b)
    lines: list[Line] = [(_point(end[0]), _point(end[2])) for end in (first, second)]
    outward = _towards(_point(first[0]), a)
    along = _towards(a, b) if length > DOT else (-outward[1], outward[0])
    across = abs(along[0]) * size[0] + abs(along[1]) * size[1]
    beside = 0.5 * (abs(outward[0]) * size[0] + abs(outward[1]) * size[1]) + BESIDE
    out = [_on(_between(a, b, part), outward, beside) for part in (0.5, 0.1, 0.9)]
    places = (*(_between(a, b, part) for part in ALONG), *out)
    if length > 3.0 * HEAD:
        ends = (a, b)
        heads = (_head(a, along), _head(b, _back(along)))
    else:  # arrows from outside
        ends = _on(a, along, -2.0 * HEAD), _on(b, along, 2.0 * HEAD)
        heads = (_head(a, _back(along)), _head(b, along))
    return Mark((*lines, ends), heads, places, numbers, *_tight(length - across))


def _tight(room: float) -> tuple[int, int]:
    """How many of the places on a line are too tight to be taken, and how many to stay in, with so much room beside a
    number on it [px]."""
    return (0 if room > ROOMY else len(ALONG)), (0 if room > TIGHT else len(ALONG))


def _arcs(drawing: Drawing, sheet: Sheet, numbers: Sequence[tuple[Number, ...]], size_of: SizeOf) -> Iterator[Mark]:
    if not numbers:
        return
    centres = drawing.centres
    (u, v) = np.swapaxes(drawing.planes, 0, 1)
    middles = sheet.pixels(centres).tolist()
    places = _in_one_place(middles)
    radius = (RADIUS + WIDER * np.array(places)) * sheet.pixel(centres)
    turned = np.linspace(drawing.angles[:, 0], drawing.angles[:, 1], ARC, axis=1)[..., None]
    directions = np.cos(turned) * u[:, None] + np.sin(turned) * v[:, None]
    scaled = radius[:, None, None] * directions
    arcs = sheet.pixels(centres[:, None] + scaled).tolist()
    legs = sheet.pixels(centres[:, None] + 1.15 * scaled[:, (0, -1)]).tolist()
    drawn: list[Point] = []
    is_crowd = not drawing.strong and len(numbers) > FEW
    for arc, leg, middle, place, shown in zip(arcs, legs, middles, places, numbers, strict=True):
        is_alone = not is_crowd or (
            place < MOST_ARCS and all(not DOT <= math.dist(middle, other) < RADIUS for other in drawn)
        )
        if is_alone and _is_seen(*arc, *leg, middle):
            drawn.append(_point(middle))
            points = [_point(point) for point in arc]
            centre = _point(middle)
            size = size_of(shown)
            near = [_outside(points[i], centre, size) for i in (ARC // 2, ARC // 4, 3 * ARC // 4, 0, ARC - 1)]
            tried = [*near, *(_on(at, _towards(centre, at), size[1] + BESIDE) for at in near[:3])]
            legs_of = tuple((centre, _point(end)) for end in leg)
            heads = (_head(points[-1], _towards(points[-1], points[-3])),) if _length(points) > 1.5 * HEAD else ()
            yield Mark((tuple(points), *legs_of), heads, tuple(tried), shown)


def _in_one_place(middles: Sequence[Sequence[float]]) -> list[int]:
    """How many centres before it each of these is in the same place as [px]."""
    return [sum(math.dist(one, other) < DOT for other in middles[:number]) for number, one in enumerate(middles)]


def _ties(drawing: Drawing, sheet: Sheet, numbers: Sequence[tuple[Number, ...]], size_of: SizeOf) -> Iterator[Mark]:
    if not numbers:
        return
    for ends, shown in zip(sheet.pixels(drawing.ties).tolist(), numbers, strict=True):
        if not _is_seen(*ends):
            continue
        a, b = (_point(end) for end in ends)
        width, height = size_of(shown)
        if math.dist(a, b) < DOT:
            around = ((0, 1), (0, -1), (1, 0), (-1, 0), (0, 2), (0, -2))
            beside_it = [_on(a, (x * (0.5 * width + 14.0), y * (0.5 * height + 14.0)), 1.0) for x, y in around]
            yield Mark((), (), tuple(beside_it), shown)
        elif drawing.strong or math.dist(a, b) > SHORTEST:
            x, y = along = _towards(a, b)
            across = abs(x) * width + abs(y) * height
            beside = 0.5 * (abs(y) * width + abs(x) * height) + BESIDE
            out = [_on(_between(a, b, 0.5), side, beside) for side in ((y, -x), (-y, x))]
            places = (*(_between(a, b, part) for part in ALONG), *out)
            yield Mark(((a, b),), (_head(b, _back(along)),), places, shown, *_tight(math.dist(a, b) - across))


def _sides(drawing: Drawing, camera: Camera) -> Array:
    """On which side each line is, unit vectors; one in the plane of the view where the wanted one is seen from its
    edge, or there is none."""
    aside = drawing.aside
    line = drawing.ends[:, 1] - drawing.ends[:, 0]
    sight = camera.backward
    flat = cross(line, np.broadcast_to(sight, line.shape))
    size = np.linalg.norm(flat, axis=1, keepdims=True)
    up = camera.axes()[1]
    flat = np.where(size > 1e-12, flat / np.maximum(size, 1e-12), up)
    wanted = np.where(np.any(aside != 0.0, axis=1), np.einsum("ij,ij->i", flat, aside), flat @ up)
    flat = np.where(wanted[:, None] < 0.0, -flat, flat)
    hidden = (np.abs(aside @ sight) > EDGE_ON) | ~np.any(aside != 0.0, axis=1)
    return np.asarray(np.where(hidden[:, None], flat, aside))


def _outside(at: Point, centre: Point, size: Point) -> Point:
    """The middle of a box of that size that touches an arc from outside."""
    outward = _towards(centre, at)
    return _on(at, outward, 0.5 * (abs(outward[0]) * size[0] + abs(outward[1]) * size[1]) + BESIDE)


def _head(tip: Point, back: Point) -> Line:
    """An arrow head whose shaft goes `back`."""
    x, y = _on(tip, back, HEAD)
    return (tip, (x - HALF_HEAD * back[1], y + HALF_HEAD * back[0]), (x + HALF_HEAD * back[1], y - HALF_HEAD * back[0]))


def _towards(a: Point, b: Point) -> Point:
    """Unit vector from one to another; upwards where they are in one place."""
    length = math.dist(a, b)
    return ((b[0] - a[0]) / length, (b[1] - a[1]) / length) if length > 1e-9 else (0.0, -1.0)


def _back(direction: Point) -> Point:
    return (-direction[0], -direction[1])


def _on(a: Point, direction: Point, by: float) -> Point:
    return (a[0] + by * direction[0], a[1] + by * direction[1])


def _between(a: Point, b: Point, part: float) -> Point:
    return (a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]))


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))


def _is_seen(*points: Sequence[float]) -> bool:
    return all(math.isfinite(x + y) for x, y in points)


def _point(xy: Sequence[float]) -> Point:
    return (xy[0], xy[1])
