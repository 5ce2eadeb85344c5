"""Caches the feature that separated two convex shapes, to be tried first.

Little rotates between two steps. A direction along which the separation exceeded the margin most often still does; a
face over which a corner of the other shape was is most often still the nearest feature (Lin and Canny, A fast algorithm
for incremental distance calculation, 1991). Both tests are certain if they succeed, whatever was cached: the separation
along any direction is a lower bound on the distance, and if the corner nearest to the plane of a face is over that
face, its distance is also an upper bound. So the cache changes the speed of detection, not its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, minus, placed, rotated, rotated_back, times
from simulator.physics.narrow.nearest import furthest, furthest_along
from simulator.physics.narrow.polytope import outward
from simulator.physics.shapes.kinds import ROUND

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Vector
    from simulator.physics.narrow.room import Room
    from simulator.physics.shapes.geometry import Geometry

PAIR, FACE = 0, 1
"""Columns of room.cached_face: the pair of shapes, -1 where there is none; the face that is nearest, or NO_FACE."""
NOTHING = -2
"""Instead of a face."""


@compiled
def rounding_of(G: Geometry, i: int) -> float:
    """By how much a shape is rounded [m]; what is round by itself is not."""
    return G.rounding[i] if G.kind[i] == ROUND else 0.0


@compiled
def cache(G: Geometry, room: Room, i: int, k: int, face: int, n: Vector) -> None:
    """Store that shapes i and k are nearest with this face, or NO_FACE, along n, a unit vector towards i. Many pairs
    share a row: what was there is lost."""
    row = _row(G, room, i, k)
    room.cached_face[row, PAIR] = _code(G, i, k)
    room.cached_face[row, FACE] = face
    u = rotated_back(room.bodies[G.body[k]], 0, n)
    for a in range(3):
        room.cached_direction[row, a] = u[a]


@compiled
def cached_face(G: Geometry, room: Room, i: int, k: int) -> int:
    """The stored face of shapes i and k, NO_FACE where a direction is stored, NOTHING where neither is."""
    row = _row(G, room, i, k)
    return room.cached_face[row, FACE] if room.cached_face[row, PAIR] == _code(G, i, k) else NOTHING


@compiled
def cached_separation(G: Geometry, room: Room, i: int, k: int) -> float:
    """How far shapes i and k are apart along the stored direction [m]."""
    X = room.bodies[G.body[k]]
    u = room.cached_direction[_row(G, room, i, k)]
    n = rotated(X, 0, (u[0], u[1], u[2]))
    a = furthest(G, room, i, times(-1.0, n))
    b = furthest(G, room, k, n)
    return dot(n, minus(a, b)) - rounding_of(G, i) - rounding_of(G, k)


@compiled
def face_separation(G: Geometry, room: Room, i: int, k: int, face: int) -> tuple[Vector, float, Vector]:
    """(unit vector n towards shape i across a face of one of two polytopes i and k, how far they are apart along it
    [m], the corner of the other that is nearest to the face)."""
    turned = is_of_first(G, k, face)
    mine, other = (i, k) if turned else (k, i)
    m = outward(G, room, mine, face)
    X = room.bodies[G.body[mine]]
    Y = room.bodies[G.body[other]]
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
def _row(G: Geometry, room: Room, i: int, k: int) -> int:
    return int(_code(G, i, k) % room.cached_face.shape[0])
