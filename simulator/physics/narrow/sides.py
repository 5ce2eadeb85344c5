"""The contact feature of either of two convex shapes: a flat face, a straight line or a point, rounded or not, the rim
of a cylinder, an ellipsoid. The tables of contacts define how its points and normals move (`layout.row_layout`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, minus, plus, times
from simulator.physics.narrow.nearest import FIRST, SECOND
from simulator.physics.narrow.plane import bend_of_ellipsoid
from simulator.physics.narrow.polytope import NO_FACE, face_along, is_polytope
from simulator.physics.narrow.separation_cache import rounding_of
from simulator.physics.shapes.kinds import CONE, CYLINDER, ELLIPSOID, ROUND

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.narrow.room import Room
    from simulator.physics.shapes.geometry import Geometry

FACE, LINE, POINT, RIM, BENT, UNKNOWN = range(6)
NO_CENTRE, ARM = 8, 9
"""Places in room.touch behind the last columns of room.out: 1 where no centre is known; from the point in which shapes
are nearest to that centre."""
UPRIGHT, NEARLY = 1e-12, 1e-6
"""A cylinder touches with its end where one less the cosine between its axis and the normal is below the first, and
with three points of its rim in the simplex below the second."""
ACROSS = 1e-9
"""Cosine between the axis of a cylinder and the normal below which it touches with a line of its side."""


@compiled
def is_round(G: Geometry, i: int) -> bool:
    """Whether a shape is no polytope."""
    return bool(G.kind[i] == CYLINDER or G.kind[i] == ROUND or G.kind[i] >= CONE)


@compiled
def side_of(G: Geometry, room: Room, i: int, d: Vector, corners: int) -> int:
    """What shape i touches with in the direction d, of so many corners in the simplex."""
    X, kind = room.shapes[i], G.kind[i]
    if kind == ELLIPSOID:
        return BENT
    if kind == CONE:
        return UNKNOWN
    if kind == CYLINDER:
        along = abs(dot((X[2], X[5], X[8]), d))
        if 1.0 - along <= (NEARLY if corners >= 3 else UPRIGHT):
            return FACE
        return LINE if along <= ACROSS else RIM
    if corners >= 3 or (is_polytope(G, i) and face_along(G, room, i, d) != NO_FACE):
        return FACE
    return LINE if corners == 2 else POINT


@compiled
def write_touch(
    G: Geometry, room: Room, pair: tuple[int, int], sides: tuple[int, int], corners: tuple[int, int], n: Vector
) -> bool:
    """room.touch (12,): what touches, as in the last columns of room.out, 1 where no centre is known, and the arm of
    that; whether the second shape comes first there, for it is over a face of the first.

    What lies over a face has a centre; else there are lines and points, or nothing is known. Of two faces, it is the
    smaller shape that is over the other."""
    touch = room.touch
    (i, k) = pair
    smaller = sides[1] != FACE or G.outer[i] > G.outer[k]
    turned = sides[0] == FACE and smaller
    touch[:] = 0.0
    if sides[0] == FACE or sides[1] == FACE:
        _write_over(G, room, k if turned else i, sides[1 if turned else 0], times(-1.0 if turned else 1.0, n))
        return turned
    touch[NO_CENTRE] = 1.0
    touch[6], touch[7] = _rounded(G, i, sides[0]), _rounded(G, k, sides[1])
    if max(sides[0], sides[1]) >= RIM:
        touch[6] = touch[7] = math.nan
        return False
    _write_line(G, room, i, sides[0], (0, FIRST, corners[0]))
    _write_line(G, room, k, sides[1], (3, SECOND, corners[1]))
    return False


@compiled
def _rounded(G: Geometry, i: int, side: int) -> float:
    """By how much the line or point is rounded with which shape i touches [m]."""
    return G.rim_radius[i] if G.kind[i] == CYLINDER and side == LINE else rounding_of(G, i)


@compiled
def _write_over(G: Geometry, room: Room, i: int, side: int, n: Vector) -> None:
    """room.touch for shape i over a face with the normal n: the axis of a rim, or how the point moves over an
    ellipsoid; nothing of corners and of what has a rounding about its centre. Of a cone nothing is known."""
    touch = room.touch
    X = room.shapes[i]
    if side == BENT:
        bend_of_ellipsoid(X, G.size[i], n, touch, 0)
    elif side == UNKNOWN:
        touch[NO_CENTRE] = 1.0
        touch[6] = math.nan
        touch[7] = math.nan
    elif G.kind[i] == CYLINDER and side != FACE:
        axis = (X[2], X[5], X[8])
        down = plus(times(dot(n, axis), axis), -1.0, n)
        back = times(-G.rim_radius[i] / math.sqrt(dot(down, down)), down)
        for c in range(3):
            touch[c], touch[ARM + c] = axis[c], back[c]


@compiled
def _write_line(G: Geometry, room: Room, i: int, side: int, where: tuple[int, int, int]) -> None:
    """The direction of the line with which shape i touches, or zeros, from a column of room.touch on: along its axis,
    or between two corners of the simplex; (column, points in the simplex, how many there are)."""
    (column, points, corners) = where
    S = room.simplex
    X = room.shapes[i]
    if side != LINE:
        return
    u = (X[2], X[5], X[8])
    if not is_round(G, i):
        u = _between(S, points, corners)
    for c in range(3):
        room.touch[column + c] = u[c]


@compiled
def write_edges(room: Room, corners: tuple[int, int], turned: bool) -> None:
    """room.touch of two polytopes that touch with so many corners each; the second comes first where it is `turned`."""
    touch = room.touch
    S = room.simplex
    (a, b) = corners
    touch[:] = 0.0
    if max(a, b) >= 3:
        return
    touch[NO_CENTRE] = 1.0
    u, v = _between(S, FIRST, a), _between(S, SECOND, b)
    for c in range(3):
        touch[(3 if turned else 0) + c], touch[(0 if turned else 3) + c] = u[c], v[c]


@compiled
def _between(S: Floats, points: int, corners: int) -> Vector:
    """The direction between two points of the simplex that are not one, or zeros."""
    first = (S[0, points], S[0, points + 1], S[0, points + 2])
    u = (0.0, 0.0, 0.0)
    for s in range(1, 3):
        if corners == 2 and dot(u, u) == 0.0:
            way = minus((S[s, points], S[s, points + 1], S[s, points + 2]), first)
            length = math.sqrt(dot(way, way))
            u = times(1.0 / length, way) if length > 0.0 else u
    return u
