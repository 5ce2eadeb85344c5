"""The contact feature of either of two convex shapes: a flat face, a straight line or a point, rounded or not, the rim
of a cylinder, an ellipsoid. The tables of contacts define how its points and normals move (`layout.row_layout`).

The feature that separated two shapes is cached, and tried first in the next step. Little rotates between two steps. A
direction along which the separation exceeded the margin most often still does; a face over which a corner of the other
shape was is most often still the nearest feature (Lin and Canny, A fast algorithm for incremental distance calculation,
1991). Both tests are certain if they succeed, whatever was cached: the separation along any direction is a lower bound
on the distance, and if the corner nearest to the plane of a face is over that face, its distance is also an upper
bound. So the cache changes the speed of detection, not its result.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, minus, placed, plus, rotated, rotated_back, times
from simulator.physics.narrow.nearest import FIRST, SECOND, furthest, furthest_along
from simulator.physics.narrow.plane import bend_of_ellipsoid
from simulator.physics.narrow.polytope import NO_FACE, face_along, is_polytope, outward
from simulator.physics.shapes.kinds import CONE, CYLINDER, ELLIPSOID, ROUND

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

FACE, LINE, POINT, RIM, BENT, UNKNOWN = range(6)
NO_CENTRE, ARM = 8, 9
"""Places in work.touch behind the last columns of work.out: 1 where no centre is known; from the point in which shapes
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
def side_of(G: Geometry, work: Workspace, i: int, d: Vector, corners: int) -> int:
    """What shape i touches with in the direction d, of so many corners in the simplex."""
    X, kind = work.shapes[i], G.kind[i]
    if kind == ELLIPSOID:
        return BENT
    if kind == CONE:
        return UNKNOWN
    if kind == CYLINDER:
        along = abs(dot((X[2], X[5], X[8]), d))
        if 1.0 - along <= (NEARLY if corners >= 3 else UPRIGHT):
            return FACE
        return LINE if along <= ACROSS else RIM
    if corners >= 3 or (is_polytope(G, i) and face_along(G, work, i, d) != NO_FACE):
        return FACE
    return LINE if corners == 2 else POINT


@compiled
def write_touch(
    G: Geometry, work: Workspace, pair: tuple[int, int], sides: tuple[int, int], corners: tuple[int, int], n: Vector
) -> bool:
    """work.touch (12,): what touches, as in the last columns of work.out, 1 where no centre is known, and the arm of
    that; whether the second shape comes first there, for it is over a face of the first.

    What lies over a face has a centre; else there are lines and points, or nothing is known. Of two faces, it is the
    smaller shape that is over the other."""
    touch = work.touch
    (i, k) = pair
    smaller = sides[1] != FACE or G.outer[i] > G.outer[k]
    turned = sides[0] == FACE and smaller
    touch[:] = 0.0
    if sides[0] == FACE or sides[1] == FACE:
        _write_over(G, work, k if turned else i, sides[1 if turned else 0], times(-1.0 if turned else 1.0, n))
        return turned
    touch[NO_CENTRE] = 1.0
    touch[6], touch[7] = _rounded(G, i, sides[0]), _rounded(G, k, sides[1])
    if max(sides[0], sides[1]) >= RIM:
        touch[6] = touch[7] = math.nan
        return False
    _write_line(G, work, i, sides[0], (0, FIRST, corners[0]))
    _write_line(G, work, k, sides[1], (3, SECOND, corners[1]))
    return False


@compiled
def _rounded(G: Geometry, i: int, side: int) -> float:
    """By how much the line or point is rounded with which shape i touches [m]."""
    return G.rim_radius[i] if G.kind[i] == CYLINDER and side == LINE else rounding_of(G, i)


@compiled
def _write_over(G: Geometry, work: Workspace, i: int, side: int, n: Vector) -> None:
    """work.touch for shape i over a face with the normal n: the axis of a rim, or how the point moves over an
    ellipsoid; nothing of corners and of what has a rounding about its centre. Of a cone nothing is known."""
    touch = work.touch
    X = work.shapes[i]
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
def _write_line(G: Geometry, work: Workspace, i: int, side: int, where: tuple[int, int, int]) -> None:
    """The direction of the line with which shape i touches, or zeros, from a column of work.touch on: along its axis,
    or between two corners of the simplex; (column, points in the simplex, how many there are)."""
    (column, points, corners) = where
    S = work.simplex
    X = work.shapes[i]
    if side != LINE:
        return
    u = (X[2], X[5], X[8])
    if not is_round(G, i):
        u = _between(S, points, corners)
    for c in range(3):
        work.touch[column + c] = u[c]


@compiled
def write_edges(work: Workspace, corners: tuple[int, int], turned: bool) -> None:
    """work.touch of two polytopes that touch with so many corners each; the second comes first where it is `turned`."""
    touch = work.touch
    S = work.simplex
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


# -- cache of what separated two shapes --------------------------------------------------------------------------------

PAIR, CACHED = 0, 1
"""Columns of work.cached_face: the pair of shapes, -1 where there is none; the face that is nearest, or NO_FACE."""
NOTHING = -2
"""Instead of a face."""


@compiled
def rounding_of(G: Geometry, i: int) -> float:
    """By how much a shape is rounded [m]; what is round by itself is not."""
    return G.rounding[i] if G.kind[i] == ROUND else 0.0


@compiled
def cache(G: Geometry, work: Workspace, i: int, k: int, face: int, n: Vector) -> None:
    """Store that shapes i and k are nearest with this face, or NO_FACE, along n, a unit vector towards i. Many pairs
    share a row: what was there is lost."""
    row = _row(G, work, i, k)
    work.cached_face[row, PAIR] = _code(G, i, k)
    work.cached_face[row, CACHED] = face
    u = rotated_back(work.bodies[G.body[k]], 0, n)
    for a in range(3):
        work.cached_direction[row, a] = u[a]


@compiled
def cached_face(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """The stored face of shapes i and k, NO_FACE where a direction is stored, NOTHING where neither is."""
    row = _row(G, work, i, k)
    return work.cached_face[row, CACHED] if work.cached_face[row, PAIR] == _code(G, i, k) else NOTHING


@compiled
def cached_separation(G: Geometry, work: Workspace, i: int, k: int) -> float:
    """How far shapes i and k are apart along the stored direction [m]."""
    X = work.bodies[G.body[k]]
    u = work.cached_direction[_row(G, work, i, k)]
    n = rotated(X, 0, (u[0], u[1], u[2]))
    a = furthest(G, work, i, times(-1.0, n))
    b = furthest(G, work, k, n)
    return dot(n, minus(a, b)) - rounding_of(G, i) - rounding_of(G, k)


@compiled
def face_separation(G: Geometry, work: Workspace, i: int, k: int, face: int) -> tuple[Vector, float, Vector]:
    """(unit vector n towards shape i across a face of one of two polytopes i and k, how far they are apart along it
    [m], the corner of the other that is nearest to the face)."""
    turned = is_of_first(G, k, face)
    mine, other = (i, k) if turned else (k, i)
    m = outward(G, work, mine, face)
    X = work.bodies[G.body[mine]]
    Y = work.bodies[G.body[other]]
    u = rotated_back(Y, 0, times(-1.0, m))
    c = furthest_along(G.corner, (G.corner_begin[other], G.corner_begin[other + 1]), u)
    corner = placed(Y, (G.corner[c, 0], G.corner[c, 1], G.corner[c, 2]))
    gap = dot(m, minus(corner, (X[9], X[10], X[11]))) - G.face[face, 3]
    return times(-1.0 if turned else 1.0, m), gap, corner


@compiled
def is_of_first(G: Geometry, k: int, face: int) -> bool:
    """Whether a face of one of two shapes is not that of the second, k."""
    return bool(face < G.face_begin[k] or face >= G.face_begin[k + 1])


@compiled
def _code(G: Geometry, i: int, k: int) -> int:
    return int(i * G.body.shape[0] + k)


@compiled
def _row(G: Geometry, work: Workspace, i: int, k: int) -> int:
    return int(_code(G, i, k) % work.cached_face.shape[0])
