"""What is out of the plane of a sheet: axes tilted from its normal, and wheels of other planes that touch it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.plan import SAME, OtherWheel
from simulator.building.outlines import corners_of, hull
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.building.drawing.plan import Place, Plane
    from simulator.model.link import Link
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

QUARTER = math.pi / 2.0
STEP, WAYS = math.radians(5.0), math.radians(15.0)
"""Of the angle of a tilt that is dragged, and of its direction."""


def silhouette(link: Link, plane: Plane) -> tuple[Place, ...]:
    """The convex hull of what is drawn of a link, in a plane of the world [m], counter-clockwise; () where there is
    nothing."""
    seen = []
    for visual in link.visuals:
        X = link.X_WL @ visual.X_LV
        places = corners_of(visual.shape) @ matrix_from_quat(X.orientation).T + X.position - plane.origin
        seen.append(places @ np.column_stack([plane.u, plane.v]))
    return hull(np.concatenate(seen)) if seen else ()


def other_wheel(plane: Plane, name: str, centre: Vec3, axis: Vec3, radius: float) -> OtherWheel:
    """A wheel as it is seen from a plane in whose frame it is given."""
    line = np.cross(axis, plane.normal)
    size = float(np.linalg.norm(line))
    if size < SAME or radius <= 0.0:
        return OtherWheel(name, centre, axis, radius)
    line /= size
    out = np.cross(line, axis)  # in the plane of the wheel, across the line
    share = float(out @ plane.normal)
    far = -plane.depth(centre) / share
    if abs(abs(far) - radius) > 10.0 * SAME:
        return OtherWheel(name, centre, axis, radius)
    x, y = plane.place((np.array(centre) + far * out).tolist())
    return OtherWheel(name, centre, axis, radius, (round(x, 12), round(y, 12)), plane.along(line.tolist()))


def bevel_radius(wheel: OtherWheel, centre: Place) -> float:
    """The pitch radius of a wheel about a place of the plane that meshes with one of another plane; 0 where none
    does."""
    if wheel.touch is None:
        return 0.0
    arm = (wheel.touch[0] - centre[0], wheel.touch[1] - centre[1])
    radius = math.hypot(*arm)
    along = abs(arm[0] * wheel.way[0] + arm[1] * wheel.way[1])
    return radius if radius > SAME and along <= 10.0 * SAME else 0.0


def bevel_ratio(plane: Plane, wheel: OtherWheel, centre: Place) -> float:
    """By how much a wheel about a place turns about the normal of the plane while the other one turns by one, both
    rolling at the point of contact."""
    assert wheel.touch is not None
    contact, way = np.array(plane.point(wheel.touch)), np.array(plane.way(wheel.way))
    speeds = [
        float(np.cross(axis, contact - np.array(middle)) @ way)
        for axis, middle in ((wheel.axis, wheel.centre), (plane.normal, plane.point(centre)))
    ]
    return speeds[0] / speeds[1]


def axes_across(one: Iterable[Array], other: Iterable[Array]) -> list[Vec3]:
    """The unit directions across a line of each of two links, without those that are the same."""
    found: list[Array] = []
    others = list(other)
    for a in one:
        for b in others:
            axis = np.cross(a, b)
            size = float(np.linalg.norm(axis))
            if size <= SAME * float(np.linalg.norm(a) * np.linalg.norm(b)):
                continue
            axis /= size
            if all(float(np.linalg.norm(np.cross(axis, known))) > SAME for known in found):
                found.append(axis)
    return [(float(x), float(y), float(z)) for x, y, z in found]


def upward(plane: Plane, axis: Sequence[float]) -> Vec3:
    """An axis by its components along u, v and the normal of a plane, turned to the side of the normal."""
    u, v = plane.along(axis)
    n = float(np.dot(plane.normal, axis))
    sign = -1.0 if n < 0.0 else 1.0
    return (sign * u + 0.0, sign * v + 0.0, sign * n + 0.0)


def handle_of(axis: Vec3) -> Place:
    """Where the handle of an axis is, from its pin: as far as it is tilted, where a quarter of a turn is 1, to the side
    to which it leans. `axis`: components along u, v and the normal."""
    tilt, flat = math.atan2(math.hypot(axis[0], axis[1]), axis[2]), math.hypot(axis[0], axis[1])
    return (0.0, 0.0) if flat == 0.0 else (tilt / QUARTER * axis[0] / flat, tilt / QUARTER * axis[1] / flat)


def axis_of(handle: Place) -> Vec3:
    """The axis whose handle is at a place: see `handle_of`."""
    far = math.hypot(*handle)
    tilt = min(far, 1.0) * QUARTER
    if far == 0.0:
        return (0.0, 0.0, 1.0)
    flat = math.sin(tilt) / far
    return (flat * handle[0], flat * handle[1], math.cos(tilt) if far < 1.0 else 0.0)


def snapped_axis(handle: Place, known: Iterable[Vec3], reach: float) -> Vec3:
    """The axis near a handle: one of those that are `known` within `reach`, else by whole steps of angle and
    direction."""
    near = min(known, key=lambda axis: math.dist(handle_of(axis), handle), default=None)
    if near is not None and math.dist(handle_of(near), handle) <= reach:
        return near
    tilt = min(round(math.hypot(*handle) * QUARTER / STEP) * STEP, QUARTER)
    way = round(math.atan2(handle[1], handle[0]) / WAYS) * WAYS
    return axis_of((tilt / QUARTER * math.cos(way), tilt / QUARTER * math.sin(way)))
