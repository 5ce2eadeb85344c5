"""Capsules, cylinders and hulls over the faces of boxes, in closed form.

An iterative distance gives points and normals with noise of some ten-thousandths from step to step, which a pin that
slides in a slot turns into noisy forces. If such shapes meet over a face, the geometry is exact: the lowest line of a
cylinder or capsule, clipped to the face, or four points of the rim of an upright cylinder, or the lowest corners of a
hull that is entirely over it. Edges and corners of boxes are left to other kernels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, placed
from simulator.physics.narrow.plane import ellipsoid_on_plane, rim_on_plane
from simulator.physics.narrow.workspace import ACROSS, ALONG, GAP, MARGIN, WHICH, keep_support
from simulator.physics.shapes.kinds import CYLINDER, ELLIPSOID, HULL

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Pair, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

LYING = 0.7
"""A cylinder whose axis is further than this from the normal (cosine below) touches with its side."""
ON_EDGE = 1e-9
"""Part of a face that rounding may take a line which runs along its edge away from it."""


@compiled
def over_face(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """work.out = points of shape i over a face of box k (point half way, normal, gap, centre, axis of a rim); returns
    how many, or -1 where it is an edge or a corner that may be nearest.

    The face is the one that the shape is furthest outside of. Where its lowest points are over that face, their gap is
    the distance.
    """
    if G.kind[i] == HULL:
        return _hull_over_face(G, work, i, k)
    if G.kind[i] == ELLIPSOID:
        return _ellipsoid_over_face(G, work, i, k)
    axis, sign, outside = _face_towards(G, work, i, k)
    if outside < -G.size[k, axis]:
        return -1
    _set_plane(work, k, G.size[k, axis], axis, sign)
    if G.kind[i] == CYLINDER and _lies(work, i, axis, k) < 0.0:
        return _end_over_face(G, work, i, k, axis)
    return _line_over_face(G, work, i, k, axis)


@compiled
def _column(X: Floats, a: int) -> Vector:
    """Axis a of a placement."""
    return X[a], X[3 + a], X[6 + a]


@compiled
def _lies(work: Workspace, i: int, axis: int, k: int) -> float:
    """At least 0 where a cylinder lies on faces across that axis of a box, less where it stands on them."""
    return LYING - abs(dot(_column(work.shapes[i], 2), _column(work.shapes[k], axis)))


@compiled
def _face_towards(G: Geometry, work: Workspace, i: int, k: int) -> tuple[int, float, float]:
    """(axis, side, how far out [m]) of the face of box k that shape i, a cylinder or capsule, is furthest outside
    of."""
    S = work.shapes[i]
    X = work.shapes[k]
    best = 0
    side = 1.0
    outside = -math.inf
    away = (S[9] - X[9], S[10] - X[10], S[11] - X[11])
    for axis in range(3):
        inside = dot(away, _column(X, axis))
        sign = math.copysign(1.0, inside)
        along = abs(dot(_column(S, 2), _column(X, axis)))
        half = G.size[i, 1] * along
        if G.kind[i] == CYLINDER:
            half += G.rim_radius[i] * math.sqrt(max(1.0 - along * along, 0.0))
        else:
            half += G.rounding[i]
        separation = abs(inside) - half - G.size[k, axis]
        if separation > outside:
            best = axis
            side = sign
            outside = separation
    return best, side, outside


@compiled
def _set_plane(work: Workspace, k: int, half: float, axis: int, sign: float) -> None:
    """work.plane = a point of the face and its normal."""
    X = work.shapes[k]
    plane = work.plane
    for a in range(3):
        plane[3 + a] = sign * X[3 * a + axis]
        plane[a] = X[9 + a] + half * plane[3 + a]


@compiled
def _is_over(G: Geometry, work: Workspace, k: int, axis: int, x: Vector) -> bool:
    """Whether a point is over the face across that axis."""
    X = work.shapes[k]
    over = True
    way = (x[0] - X[9], x[1] - X[10], x[2] - X[11])
    for a in range(3):
        over = over and (a == axis or abs(dot(way, _column(X, a))) <= G.size[k, a])
    return over


@compiled
def _end_over_face(G: Geometry, work: Workspace, i: int, k: int, axis: int) -> int:
    """The four points of the lower rim of a cylinder that stands."""
    X = work.bodies[G.body[i]]
    out = work.out
    plane = work.plane
    lowest = math.inf
    rim = G.rim_begin[i]
    for c in range(G.rim_begin[i], G.rim_begin[i + 1]):
        height = dot(_in_world(X, G.rim, c), (plane[3], plane[4], plane[5]))
        if height < lowest:
            lowest, rim = height, c
    rim_on_plane(X, G.rim, rim, G.rim_axis[i], G.rim_radius[i], plane, out)
    for p in range(4):
        if not _is_over(G, work, k, axis, (out[p, 0], out[p, 1], out[p, 2])):
            return -1
    return 4


@compiled
def _ellipsoid_over_face(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """The lowest point of an ellipsoid."""
    S = work.shapes[i]
    X = work.shapes[k]
    best = 0
    side = 1.0
    outside = -math.inf
    away = (S[9] - X[9], S[10] - X[10], S[11] - X[11])
    for axis in range(3):
        n = _column(X, axis)
        square = 0.0
        for c in range(3):
            square += (G.size[i, c] * dot(n, _column(S, c))) ** 2
        separation = abs(dot(away, n)) - math.sqrt(square) - G.size[k, axis]
        if separation > outside:
            best = axis
            side = math.copysign(1.0, dot(away, n))
            outside = separation
    if outside < -G.size[k, best]:
        return -1
    _set_plane(work, k, G.size[k, best], best, side)
    ellipsoid_on_plane(S, G.size[i], work.plane, work.out)
    return 1 if _is_over(G, work, k, best, (work.out[0, 0], work.out[0, 1], work.out[0, 2])) else -1


@compiled
def _in_world(X: Floats, points: Floats, c: int) -> Vector:
    """Point c of a body at X."""
    return placed(X, (points[c, 0], points[c, 1], points[c, 2]))


@compiled
def _line_over_face(G: Geometry, work: Workspace, i: int, k: int, axis: int) -> int:
    """Both ends of what of the lowest line of a capsule, or a cylinder that lies, is over the face."""
    S = work.shapes[i]
    X = work.bodies[G.body[i]]
    plane = work.plane
    out = work.out
    n = (plane[3], plane[4], plane[5])
    u = _column(S, 2)
    d = (-n[0], -n[1], -n[2])
    radius = G.rounding[i]
    points = G.corner
    first = G.corner_begin[i]
    if G.kind[i] == CYLINDER:
        along = dot(n, u)
        radius = G.rim_radius[i]
        points = G.rim
        first = G.rim_begin[i]
        d = (along * u[0] - n[0], along * u[1] - n[1], along * u[2] - n[2])
        length = math.sqrt(dot(d, d))
        d = (d[0] / length, d[1] / length, d[2] / length)
    a = _in_world(X, points, first)
    b = _in_world(X, points, first + 1)
    low = (a[0] + radius * d[0], a[1] + radius * d[1], a[2] + radius * d[2])
    way = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    enter, leave = _share_over(G, work, k, axis, low, way)
    count = 0 if enter > leave else (2 if leave > enter else 1)
    for p in range(count):
        part = enter if p == 0 else leave
        x = (low[0] + part * way[0], low[1] + part * way[1], low[2] + part * way[2])
        gap = dot((x[0] - plane[0], x[1] - plane[1], x[2] - plane[2]), n)
        for c in range(3):
            out[p, c], out[p, 3 + c], out[p, 7 + c] = x[c] - 0.5 * gap * n[c], n[c], a[c] + part * way[c]
        out[p, 6] = gap
        out[p, 10:] = 0.0
    return count if count > 0 else -1


@compiled
def _share_over(G: Geometry, work: Workspace, k: int, axis: int, low: Vector, way: Vector) -> Pair:
    """Parts of the way from the point `low` at which what is over the face is entered and left; the first is larger if
    never."""
    X = work.shapes[k]
    first = 0.0
    last = 1.0
    away = (low[0] - X[9], low[1] - X[10], low[2] - X[11])
    for a in range(3):
        if a == axis:
            continue
        start = dot(away, _column(X, a))
        move = dot(way, _column(X, a))
        half = G.size[k, a]
        if abs(move) <= ON_EDGE * half:
            if abs(start) > (1.0 + ON_EDGE) * half:
                return 1.0, 0.0
            continue
        enter = (-half - start) / move
        leave = (half - start) / move
        first, last = max(first, min(enter, leave)), min(last, max(enter, leave))
    return first, last


# -- hulls -------------------------------------------------------------------------------------------------------------


@compiled
def _in_box(X: Floats, B: Floats, points: Floats, c: int) -> Vector:
    """Point c of a body at X, in the axes of a box at B."""
    x = _in_world(X, points, c)
    away = (x[0] - B[9], x[1] - B[10], x[2] - B[11])
    return dot(away, _column(B, 0)), dot(away, _column(B, 1)), dot(away, _column(B, 2))


@compiled
def _hull_over_face(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """The corners that hold a hull which is over a face with all that it has: then no edge of the box is near."""
    X = work.bodies[G.body[i]]
    B = work.shapes[k]
    h = G.size[k]
    span = work.poly[1]
    begin = G.corner_begin[i]
    end = G.corner_begin[i + 1]
    for a in range(3):  # the sum, the least and the greatest of all corners along each axis
        span[0, a] = 0.0
        span[1, a] = math.inf
        span[2, a] = -math.inf
    for c in range(begin, end):
        x = _in_box(X, B, G.corner, c)
        for a in range(3):
            span[0, a] += x[a]
            span[1, a], span[2, a] = min(span[1, a], x[a]), max(span[2, a], x[a])
    axis = 0
    side = 1.0
    outside = -math.inf
    for a in range(3):
        sign = math.copysign(1.0, span[0, a])
        gap = (span[1, a] if sign > 0.0 else -span[2, a]) - h[a]
        if gap > outside:
            axis = a
            side = sign
            outside = gap
    over = outside >= -h[axis]
    for a in range(3):
        over = over and (a == axis or (span[1, a] >= -h[a] and span[2, a] <= h[a]))
    if not over:
        return -1
    _set_plane(work, k, h[axis], axis, side)
    count = _choose(G, work, (i, k), axis, side)
    for p in range(count):
        work.names[0, p] = int(work.near[p, WHICH])
        _write_corner(G, work, i, work.names[0, p], p)
    return count


@compiled
def _write_corner(G: Geometry, work: Workspace, i: int, c: int, p: int) -> None:
    """Row p of work.out = corner c of shape i over work.plane."""
    plane = work.plane
    out = work.out
    x = _in_world(work.bodies[G.body[i]], G.corner, c)
    n = (plane[3], plane[4], plane[5])
    gap = dot((x[0] - plane[0], x[1] - plane[1], x[2] - plane[2]), n)
    for a in range(3):
        out[p, a], out[p, 3 + a], out[p, 7 + a] = x[a] - 0.5 * gap * n[a], n[a], x[a]
    out[p, 6] = gap
    out[p, 10:] = 0.0


@compiled
def _choose(G: Geometry, work: Workspace, pair: tuple[int, int], axis: int, side: float) -> int:
    """work.near = the corners that hold a hull over a face of a box; returns how many."""
    (i, k) = pair
    near = work.near
    found = 0
    X = work.bodies[G.body[i]]
    B = work.shapes[k]
    u = 0 if axis > 0 else 1
    v = 2 if axis < 2 else 1
    for c in range(G.corner_begin[i], G.corner_begin[i + 1]):
        x = _in_box(X, B, G.corner, c)
        gap = side * x[axis] - G.size[k, axis]
        if gap < work.search[MARGIN]:
            near[found, ACROSS], near[found, ALONG], near[found, GAP], near[found, WHICH] = x[u], x[v], gap, c
            found += 1
    return keep_support(near, found)
