"""Contacts of balls and capsules with each other, in closed form: the nearest points of two segments, rounded.

Source: Ericson, Real-Time Collision Detection (2005), 5.1.9, for segments that are not parallel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.features import corners, outer_radius
from simulator.bullet.sweep import overlaps
from simulator.bullet.tables import UNKNOWN, ContactPoint
from simulator.model.shape import Capsule, Sphere
from simulator.spatial.rows import matrices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.bullet.faces import Solid
    from simulator.mechanism.apart import LinksApart

    Array = NDArray[np.float64]

PARALLEL = 1e-2
"""Sine of the angle [rad] below which two capsules touch along a line, whose ends are looked at."""


class RoundContacts:
    """All balls and capsules against each other. Shapes go by numbers of the caller's."""

    def __init__(self, solids: Mapping[int, Solid], apart: LinksApart) -> None:
        """`apart`: pairs of links that never touch."""
        self._apart = apart
        self._numbers = [k for k, solid in solids.items() if isinstance(solid.shape, Sphere | Capsule)]
        chosen = [solids[k] for k in self._numbers]
        self._reach = np.array([outer_radius(solid.shape) for solid in chosen])
        self._bodies = np.array([solid.body for solid in chosen], dtype=np.int64)
        self._links = np.array([apart.index[solid.link] for solid in chosen], dtype=np.int64)
        self._radii = np.array([corners(solid.shape)[1] for solid in chosen])
        balls = [corners(solid.shape)[0] for solid in chosen]
        ends = [
            np.vstack((points[:1], points[-1:])) @ solid.X_BC[:3, :3].T + solid.X_BC[:3, 3]
            for solid, points in zip(chosen, balls, strict=True)
        ]
        self._ends = np.array(ends).reshape(-1, 2, 3)

    def find(self, body_poses: Array, reach: float) -> dict[tuple[int, int], list[ContactPoint]]:
        """Points nearer than `reach` [m], by pair, of bodies at `body_poses`, X_WB of shape (n_bodies, 7)."""
        if len(self._numbers) < 2:
            return {}
        X = matrices(body_poses)[self._bodies]
        ends = self._ends @ X[:, :3, :3].transpose(0, 2, 1) + X[:, None, :3, 3]
        found = {}
        for i, k in self._near(ends.mean(axis=1), reach):
            pair = self._numbers[i], self._numbers[k]
            points = between(ends[i], float(self._radii[i]), ends[k], float(self._radii[k]))
            found[pair] = [point for point in points if point.gap < reach]
        return found

    def _near(self, middles: Array, reach: float) -> list[tuple[int, int]]:
        """Pairs that may touch and whose outer balls are nearer than `reach`."""
        along = middles[:, int(np.argmax(np.ptp(middles, axis=0)))]
        half, count = self._reach + 0.5 * reach, len(middles)
        first, second = overlaps(np.tile(along - half, 2), np.tile(along + half, 2), count)
        second -= count
        may = (first < second) & (self._bodies[first] != self._bodies[second])
        first, second = first[may], second[may]
        away = middles[first] - middles[second]
        near = (away * away).sum(axis=1) < (self._reach[first] + self._reach[second] + reach) ** 2
        near &= ~self._apart.among(self._links[first], self._links[second])
        return list(zip(first[near].tolist(), second[near].tolist(), strict=True))


def between(first: Array, first_radius: float, second: Array, second_radius: float) -> list[ContactPoint]:
    """Where two segments, ends of shape (2, 3) each, rounded by their radii [m], are nearest: two points where they are parallel."""
    found = []
    for s, t in _nearest(first, second):
        a, b = first[0] + s * (first[1] - first[0]), second[0] + t * (second[1] - second[0])
        away = a - b
        distance = float(np.sqrt(away @ away))
        if distance == 0.0:
            away, distance = _across(first, second), 1.0
            gap = -first_radius - second_radius
        else:
            gap = distance - first_radius - second_radius
        normal = away / distance
        found.append(ContactPoint(b + (second_radius + 0.5 * gap) * normal, normal, gap, UNKNOWN))
    return found


def _nearest(first: Array, second: Array) -> list[tuple[float, float]]:
    """Parts of the way along both segments at which they are nearest."""
    d1, d2, r = first[1] - first[0], second[1] - second[0], first[0] - second[0]
    a, e, b = float(d1 @ d1), float(d2 @ d2), float(d1 @ d2)
    c, f = float(d1 @ r), float(d2 @ r)
    if a == 0.0 or e == 0.0:
        s = 0.0 if a == 0.0 else _clamped(-c / a)
        return [(s, 0.0 if e == 0.0 else _clamped(f / e))]
    denominator = a * e - b * b
    if denominator <= PARALLEL**2 * a * e:
        return _side_by_side(a, e, b, c, f)
    s = _clamped((b * f - c * e) / denominator)
    t = _clamped((b * s + f) / e)
    return [(_clamped((b * t - c) / a), t)]


def _side_by_side(a: float, e: float, b: float, c: float, f: float) -> list[tuple[float, float]]:
    """Both ends of the part that two parallel segments share, or their nearest ends."""
    low, high = sorted((-c / a, (b - c) / a))
    ends = _clamped(low), _clamped(high)
    parts = ends[:1] if ends[0] == ends[1] else ends
    return [(s, _clamped((b * s + f) / e)) for s in parts]


def _clamped(part: float) -> float:
    return min(max(part, 0.0), 1.0)


def _across(first: Array, second: Array) -> Array:
    """A direction square to two segments that cross each other, or any that is square to one of them."""
    d1, d2 = first[1] - first[0], second[1] - second[0]
    way = np.cross(d1, d2)
    if not way.any():
        along = d1 if d1.any() else d2
        way = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]) if along.any() else np.array([0.0, 0.0, 1.0])
    unit: Array = way / np.sqrt(way @ way)
    return unit
