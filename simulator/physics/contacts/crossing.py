"""Where two points or straight lines, rounded, touch in the middle of a step: edges of boxes, balls, capsules, corners.

Each side turns and moves with its body by half a step; then the points in which they are nearest, the normal between
them, and the point of contact are found anew. Sources: `midpoint_rows`; for lines Ericson, Real-Time Collision
Detection (2005), 5.1.8.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, minus, plus, times, turned_by
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import normal_of, point_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Vector

    Side = tuple[Vector, Vector, Vector]
    """Of a body: where its origin is, the velocity of that, and its angular velocity."""

ALONG = 1e-3
"""Square of the sine below which lines are nearly parallel, and their crossing is far away: one side's point is
used."""
APART = 1e-9
"""Points that are nearer [m] have no direction from one to the other."""
MOST_SWING = 0.5
"""Normals that turn further [rad] in half a step are not foreseen."""


@compiled
def has_features(CF: Floats2, c: int) -> bool:
    """Whether it is known what touches in contact c."""
    return not math.isnan(CF[c, row_at.ROUNDINGS])


@compiled
def _moved(x: Vector, half: float, on: float, side: Side) -> Vector:
    """The point x of a body half a step later, which turns for the time `on` only."""
    (p, v, w) = side
    return plus(plus(p, half, v), 1.0, turned_by(times(on, w), minus(x, p)))


@compiled
def crossing(CF: Floats2, c: int, half: float, on: float, sides: tuple[Side, Side]) -> tuple[bool, Vector, Vector]:
    """(whether contact c is foreseen, way of the point of contact [m], turn of the normal [rad]) `half` [s] on."""
    x = point_of(CF, c)
    n = normal_of(CF, c)
    gap = CF[c, row_at.GAP]
    mine = CF[c, row_at.ROUNDINGS]
    other = CF[c, row_at.ROUNDINGS + 1]
    at, to = row_at.AXIS, row_at.OTHER_AXIS
    u = turned_by(times(on, sides[0][2]), (CF[c, at], CF[c, at + 1], CF[c, at + 2]))
    v = turned_by(times(on, sides[1][2]), (CF[c, to], CF[c, to + 1], CF[c, to + 2]))
    p = _moved(plus(x, mine + 0.5 * gap, n), half, on, sides[0])
    q = _moved(plus(x, -other - 0.5 * gap, n), half, on, sides[1])
    between, across = minus(p, q), cross(u, v)
    square = dot(across, across)
    lines = dot(u, u) > 0.0 and dot(v, v) > 0.0
    s = 0.0
    t = 0.0
    crossed = lines and square > ALONG
    if crossed:
        both = dot(u, v)
        s = (both * dot(v, between) - dot(u, between)) / square
        t = dot(v, between) + both * s
    elif not lines:
        s = -dot(u, between)
        t = dot(v, between)
    way = plus(plus(between, s, u), -t, v)
    least = math.sqrt(square)
    if crossed:
        side = math.copysign(1.0, dot(across, n))
        m = times(side / least, across)
    else:
        least = math.sqrt(dot(way, way))
        m = times(1.0 / least, way) if least > APART else n
    cosine = dot(n, m)
    if cosine < math.cos(MOST_SWING) or (lines and not crossed):
        return False, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    touch = plus(plus(q, t, v), other + 0.5 * (dot(m, way) - mine - other), m)
    return True, minus(touch, x), times(2.0 / (1.0 + cosine), cross(n, m))
