"""Polytopes, convex hulls and boxes: the exact normal of what touches, and the corners of what two faces share.

Where two polytopes are nearest, the normal is that of a face, or it is across two edges, or corners are nearest and it
is the way between them. The first two are known from the polytopes alone, to rounding; a direction that an iteration
found tells only which they are.

Around that normal a face of one looks at a face of the other. The second is cut to the first (Sutherland and Hodgman
1974); the corners that are left are where they would lie on each other, each with a gap of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.collision.box_kernels import CUT, cut
from simulator.collision.nearest_kernels import FIRST, SECOND, corners_of
from simulator.dynamics.compiled.vector_kernels import (
    cross,
    dot,
    minus,
    perpendicular_to,
    placed,
    plus,
    rotated,
    rotated_back,
    times,
)
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.collision.geometry import Geometry
    from simulator.collision.room import Room
    from simulator.dynamics.arrays import Floats, Vector

ALIKE = 1e-6
"""Directions that differ by less [rad] are one: an iteration ends some 1e-8 from a normal, and where shapes are as near
as a part in 1e9 of their size, rounding adds some 1e-7."""
PARALLEL = 1e-6
"""Sine below which two edges have no common normal."""
THROUGH = 1e-6
"""A face is through a point where its plane is as near as this part of the shape's size."""
MOST_POINTS = 8
"""Faces that share more corners touch in those furthest out in so many directions, and in the lowest."""
MARKS = 60
"""Edges of a face that have names of their own."""


@inlined
def is_polytope(G: Geometry, i: int) -> bool:
    """Whether shape i has faces."""
    return bool(G.face_begin[i + 1] > G.face_begin[i])


@inlined
def outward(G: Geometry, room: Room, i: int, f: int) -> Vector:
    """Normal of face f of shape i, in the world."""
    return rotated(room.bodies[G.body[i]], 0, (G.face[f, 0], G.face[f, 1], G.face[f, 2]))


@compiled
def face_towards(G: Geometry, room: Room, i: int, d: Vector) -> int:
    """The face of shape i that looks most along a direction of the world."""
    u, best, most = rotated_back(room.bodies[G.body[i]], 0, d), int(G.face_begin[i]), -math.inf
    for f in range(G.face_begin[i], G.face_begin[i + 1]):
        along = G.face[f, 0] * u[0] + G.face[f, 1] * u[1] + G.face[f, 2] * u[2]
        if along > most:
            best, most = f, along
    return best


@compiled
def exact_normal(G: Geometry, room: Room, i: int, k: int, n: Vector, count: int) -> tuple[Vector, bool]:
    """(normal from shape k to shape i, whether it is that of a face or of two edges), of polytopes that are nearest
    along n, with a simplex of that size."""
    m = outward(G, room, k, face_towards(G, room, k, n))
    if _is_alike(m, n):
        return m, True
    m = times(-1.0, outward(G, room, i, face_towards(G, room, i, times(-1.0, n))))
    if _is_alike(m, n):
        return m, True
    if corners_of(room, count, FIRST) == 2 and corners_of(room, count, SECOND) == 2:
        u, v = _edge(room, count, FIRST), _edge(room, count, SECOND)
        m = cross(u, v)
        square = dot(m, m)
        if square > PARALLEL * PARALLEL * dot(u, u) * dot(v, v):
            m = times(math.copysign(1.0, dot(m, n)) / math.sqrt(square), m)
            if _is_alike(m, n):
                return m, True
    return n, False


@inlined
def _is_alike(m: Vector, n: Vector) -> bool:
    change = minus(m, n)
    return dot(change, change) <= ALIKE * ALIKE


@inlined
def _edge(room: Room, count: int, column: int) -> Vector:
    """From one to the other of two points of the first or second shape in the simplex."""
    S, u = room.simplex, (0.0, 0.0, 0.0)
    for s in range(1, count):
        v = (S[s, column] - S[0, column], S[s, column + 1] - S[0, column + 1], S[s, column + 2] - S[0, column + 2])
        if dot(v, v) > 0.0:
            u = v
    return u


@compiled
def face_at(G: Geometry, room: Room, i: int, d: Vector, x: Vector) -> int:
    """The face of shape i through its point x of the world that looks most along a direction."""
    X, best, most = room.bodies[G.body[i]], -1, -math.inf
    u, y = rotated_back(X, 0, d), rotated_back(X, 0, (x[0] - X[9], x[1] - X[10], x[2] - X[11]))
    slack = THROUGH * G.outer[i]
    for f in range(G.face_begin[i], G.face_begin[i + 1]):
        n = (G.face[f, 0], G.face[f, 1], G.face[f, 2])
        if dot(n, u) > most and dot(n, y) >= G.face[f, 3] - slack:
            best, most = f, dot(n, u)
    return best if best >= 0 else face_towards(G, room, i, d)


@compiled
def shared_corners(G: Geometry, room: Room, pair: tuple[int, int], faces: tuple[int, int], n: Vector) -> int:
    """Cut the second of two faces, of a pair of shapes, to the first; returns how many corners are left.

    room.poly[0] = the corners, in the world; room.names[0] = their names; room.poly[1, :, 0] = how far each is from the
    plane of the first face, along the line of n [m].
    """
    poly, names, X, f, count = room.poly, room.names, room.bodies[G.body[pair[1]]], faces[0], 0
    for e in range(G.loop_begin[faces[1]], G.loop_begin[faces[1] + 1]):
        poly[0, count, 0], poly[0, count, 1], poly[0, count, 2] = _corner(G, X, G.loop[e])
        names[0, count] = count % 64
        count += 1
    X, m = room.bodies[G.body[pair[0]]], outward(G, room, pair[0], f)
    d = times(math.copysign(1.0, dot(m, n)), n)  # a corner is over the face where a line along the normal meets it
    begin, end = G.loop_begin[f], G.loop_begin[f + 1]
    p = _corner(G, X, G.loop[end - 1])
    for e in range(begin, end):
        q = _corner(G, X, G.loop[e])
        side = cross(minus(q, p), d)
        side = times(1.0 / math.sqrt(dot(side, side)), side)
        count = cut(poly, names, count, side, dot(side, q), CUT * (1 + (e - begin) % MARKS))
        p = q
    base, along = G.face[f, 3] + dot(m, (X[9], X[10], X[11])), dot(m, d)
    for c in range(count):
        poly[1, c, 0] = (dot(m, (poly[0, c, 0], poly[0, c, 1], poly[0, c, 2])) - base) / along
    return count


@inlined
def _corner(G: Geometry, X: Floats, c: int) -> Vector:
    return placed(X, (G.corner[c, 0], G.corner[c, 1], G.corner[c, 2]))


@compiled
def choose_corners(room: Room, count: int, about: Vector, gap: float, n: Vector, limits: Vector) -> int:
    """Keep of the shared corners those that are nearer than limits[0] [m], and that meet before the shapes have turned
    by more than limits[1] [rad] about the nearest point, `about`, whose `gap` differs by rounding from that of others
    if by less than limits[2] [m]; of more than MOST_POINTS the lowest, and those furthest out. Returns how many are
    left."""
    poly, kept = room.poly, 0
    for c in range(count):
        r = minus((poly[0, c, 0], poly[0, c, 1], poly[0, c, 2]), about)
        aside = math.sqrt(max(dot(r, r) - dot(r, n) ** 2, 0.0))
        if poly[1, c, 0] < limits[0] and poly[1, c, 0] - gap <= limits[1] * aside + limits[2]:
            _move(room, c, kept)
            kept += 1
    return kept if kept <= MOST_POINTS else _furthest_out(room, kept, n)


@compiled
def _furthest_out(room: Room, count: int, n: Vector) -> int:
    poly, u = room.poly, perpendicular_to(n)
    w, kept = cross(n, u), 0
    for c in range(count):
        poly[1, c, 1] = 0.0
    for k in range(MOST_POINTS + 1):
        angle, best, most = k * (2.0 * math.pi / MOST_POINTS), 0, -math.inf
        d = plus(times(math.cos(angle), u), math.sin(angle), w)
        for c in range(count):
            along = -poly[1, c, 0] if k == MOST_POINTS else dot(d, (poly[0, c, 0], poly[0, c, 1], poly[0, c, 2]))
            if along > most:
                best, most = c, along
        poly[1, best, 1] = 1.0
    for c in range(count):
        if poly[1, c, 1] > 0.0:
            _move(room, c, kept)
            kept += 1
    return kept


@inlined
def _move(room: Room, c: int, to: int) -> None:
    """Corner c with its gap and name becomes the one at `to`, which is not behind it."""
    poly = room.poly
    for a in range(3):
        poly[0, to, a] = poly[0, c, a]
    poly[1, to, 0] = poly[1, c, 0]
    room.names[0, to] = room.names[0, c]
