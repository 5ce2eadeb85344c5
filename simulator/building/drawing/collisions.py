"""Bodies that meet: those of overlapping layers whose outlines come too near to each other along the motion, and pins
that go through the layer of a bar that they do not hold.

A bar is a strip with round ends around the line between its pins, a plate the strips along its edges, a wheel its pitch
circle, a block the disc inside of it. Wheels that mesh, and those on one axis, do not meet.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.plan import SAME
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.building.drawing.plan import Place, PlanLink, PlanPoint, Sketch
    from simulator.spatial.arrays import Array

SLIGHT = 1e-6
"""Strips that overlap by less of their width touch."""
MOST_LAYERS = 20
"""A bar is drawn in a layer up to this one, to both sides of the plane."""
PIN = 0.25
"""Radius of a pin over the width of its bar."""


@dataclass(frozen=True)
class _Strip:
    """`corners` along the motion [m], shape (n_positions, n_corners, 2); `low` and `high` along the normal [m]; `held`:
    the links that a pin holds."""

    name: str
    corners: Array
    radius: float
    low: float
    high: float
    held: frozenset[str] = frozenset()

    def edges(self) -> list[tuple[Array, Array]]:
        """Lines between the corners, closed where there are three or more; a pin is a line without length."""
        count = self.corners.shape[1]
        pairs = [(k, (k + 1) % count) for k in range(count if count > 2 else max(count - 1, 1))]
        return [(self.corners[:, a], self.corners[:, b]) for a, b in pairs]

    def meets(self, other: _Strip) -> bool:
        """Whether both are at one place in one layer somewhere along the motion."""
        if other.name in self.held or self.name in other.held or (self.held and other.held):
            return False
        both = self.radius + other.radius
        if min(self.high, other.high) - max(self.low, other.low) <= SLIGHT * both:
            return False
        least = (1.0 - SLIGHT) * both
        return any(_nearest(*one, *two) < least for one, two in product(self.edges(), other.edges()))


def collisions(plan: Sketch, track: Callable[[str, Place], Array] | None = None) -> tuple[tuple[str, str], ...]:
    """Names of links that meet, and of pins and links; `track` gives the places of a point of a link along the motion
    [m], shape (n, 2), else they are where the sketch has them."""
    follow = track or _at_rest
    solid = [link for link in plan.links if link.span[1] > link.span[0] and link.outline]
    strips = [_strip(link, follow) for link in solid if link.layer is None or len(link.outline) > 1]
    strips += [strip for point in plan.points for strip in _pins(plan, point, follow)]
    apart = _may_overlap(plan, solid)
    return tuple(
        (one.name, other.name)
        for one, other in combinations(strips, 2)
        if frozenset((one.name, other.name)) not in apart and one.meets(other)
    )


def free_layer(plan: Sketch, corners: Sequence[Place], width: float) -> int:
    """The lowest layer in which a new bar or plate, `width` [m] across, meets nothing where it is drawn; 0 if every
    layer is taken. Where it begins in the middle of a bar, what is pinned to that one will swing past it. Layers are
    half the width apart, as thick as a bar."""
    places, thick = np.array([corners]), width / 2.0
    solid = [link for link in plan.links if link.span[1] > link.span[0] and link.outline]
    others = [_strip(link, _at_rest) for link in solid if link.layer is None or len(link.outline) > 1]
    others += [strip for point in plan.points for strip in _pins(plan, point, _at_rest)]
    ends = frozenset(
        name for corner in corners if (point := plan.point_at(corner)) is not None for name in point.joints
    )
    others = [strip for strip in others if strip.name not in ends]  # a pin that will hold the new bar, too
    passing = set[int | None]()
    for corner in corners:
        carrier = plan.link_at(corner, thick) if plan.point_at(corner) is None else None
        around = [point.bodies for point in plan.points if carrier is not None and carrier.name in point.bodies]
        passing |= {link.layer for names in around for name in names if (link := plan.link(name)) is not None}

    def is_free(layer: int) -> bool:
        new = _Strip("", places, width / 2.0, (layer - 0.5) * thick, (layer + 0.5) * thick)
        return layer not in passing and not any(new.meets(other) for other in others)

    return next(filter(is_free, range(MOST_LAYERS + 1)), 0)


def _at_rest(_link: str, place: Place) -> Array:
    return np.array([place])


def _may_overlap(plan: Sketch, solid: Sequence[PlanLink]) -> set[frozenset[str]]:
    """Pairs of wheels that mesh, and of wheels on one axis, which are drawn in one plane but are not."""
    wheels = [link for link in solid if link.radius]
    shafts = [
        frozenset((one.name, other.name))
        for one, other in combinations(wheels, 2)
        if math.dist(one.outline[0], other.outline[0]) <= SAME
    ]
    return {frozenset((mesh.first, mesh.second)) for mesh in plan.meshes} | set(shafts)


def _strip(link: PlanLink, follow: Callable[[str, Place], Array]) -> _Strip:
    outline = link.outline if link.layer is not None else link.outline[:1]
    corners = np.stack([follow(link.name, place) for place in outline], axis=1)
    return _Strip(link.name, corners, link.radius or link.width / 2.0, *link.span)


def _pins(plan: Sketch, point: PlanPoint, follow: Callable[[str, Place], Array]) -> Iterator[_Strip]:
    """The pin through all bars of a point, where there are two or more."""
    links = [link for name in point.bodies if (link := plan.link(name)) is not None and link.layer is not None]
    if len(links) > 1 and point.joints:
        lows, highs = zip(*(link.span for link in links), strict=True)
        radius = PIN * min(link.width for link in links)
        corners = follow(links[0].name, point.place)[:, None]
        held = frozenset(point.bodies)
        yield _Strip(point.joints[0], corners, radius, min(lows), max(highs), held)


def _nearest(a: Array, b: Array, c: Array, d: Array) -> float:
    """The least distance of the lines from a to b and from c to d [m], over all positions, shape (n, 2) each."""
    if bool(np.logical_and(_crosses(a, b, c, d), _crosses(c, d, a, b)).any()):
        return 0.0
    return min(_from_line(a, c, d), _from_line(b, c, d), _from_line(c, a, b), _from_line(d, a, b))


def _crosses(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Whether c and d are on different sides of the line through a and b."""
    return np.asarray(_turn(a, b, c) * _turn(a, b, d) < 0.0)


def _turn(a: Array, b: Array, c: Array) -> Array:
    return np.asarray((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])


def _from_line(p: Array, a: Array, b: Array) -> float:
    way = b - a
    square = np.square(way).sum(axis=1)
    share = ((p - a) * way).sum(axis=1) / np.where(square > 0.0, square, 1.0)
    return float(np.linalg.norm(p - a - np.clip(share, 0.0, 1.0)[:, None] * way, axis=1).min())
