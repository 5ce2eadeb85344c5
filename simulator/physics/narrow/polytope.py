"""Polytopes, convex hulls and boxes: the exact normal at the nearest features, and the corners of two faces' common
part.

The normal of the nearest features of two polytopes is that of a face, or the cross product of two edges, or, between
corners, the line that connects them. The first two follow from the polytopes alone, to rounding; the direction of an
iteration only selects among them.

Around that normal a face of one is opposite to a face of the other, or a few are if both are almost flat. The second is
clipped to the first (Sutherland and Hodgman 1974); the remaining corners are the contact points, each with its own gap.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import (
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
from simulator.physics.narrow.boxes import CUT, cut
from simulator.physics.narrow.nearest import FIRST, SECOND, corners_of, furthest_along
from simulator.physics.narrow.workspace import ACROSS, ALONG, GAP, POINT, WHICH, keep_support

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

    Limits = tuple[float, float, float, float]

ALIKE = 1e-6
"""Directions that differ by less [rad] are one: an iteration ends some 1e-8 from a normal, and where shapes are as near
as a part in 1e9 of their size, rounding adds some 1e-7."""
PARALLEL = 1e-6
"""Sine below which two edges have no common normal."""
THROUGH = 1e-6
"""A face is through a point where its plane is as near as this part of the shape's size."""
MOST_FACES = 12
"""Faces of one shape that are looked at: what is almost flat may be many triangles."""
NAMES, NAMED_BY_FACES = 8191, 613
"""Corners have names below the first, a prime; those of further faces are that much further on, around and around."""
NO_FACE = -1
"""Instead of a face's number."""
MARKS = 60
"""Edges of a face that have names of their own."""


@compiled
def is_polytope(G: Geometry, i: int) -> bool:
    """Whether shape i has faces."""
    return bool(G.face_begin[i + 1] > G.face_begin[i])


@compiled
def outward(G: Geometry, work: Workspace, i: int, f: int) -> Vector:
    """Normal of face f of shape i, in the world."""
    return rotated(work.bodies[G.body[i]], 0, (G.face[f, 0], G.face[f, 1], G.face[f, 2]))


@compiled
def face_towards(G: Geometry, work: Workspace, i: int, d: Vector) -> int:
    """The face of shape i that looks most along a direction of the world."""
    return furthest_along(G.face, (G.face_begin[i], G.face_begin[i + 1]), rotated_back(work.bodies[G.body[i]], 0, d))


@compiled
def face_along(G: Geometry, work: Workspace, i: int, d: Vector) -> int:
    """The face of shape i whose normal is a direction of the world, or almost; NO_FACE where there is none."""
    f = face_towards(G, work, i, d)
    return f if _is_alike(outward(G, work, i, f), d) else NO_FACE


@compiled
def exact_normal(G: Geometry, work: Workspace, i: int, k: int, n: Vector, count: int) -> tuple[Vector, bool, int]:
    """(normal from shape k to shape i, whether it is that of a face or of two edges, the face or NO_FACE), of polytopes
    that are nearest along n, with a simplex of that size."""
    f = face_along(G, work, k, n)
    if f != NO_FACE:
        return outward(G, work, k, f), True, f
    f = face_along(G, work, i, times(-1.0, n))
    if f != NO_FACE:
        return times(-1.0, outward(G, work, i, f)), True, f
    if corners_of(work, count, FIRST) == 2 and corners_of(work, count, SECOND) == 2:
        u, v = _edge(work, count, FIRST), _edge(work, count, SECOND)
        m = cross(u, v)
        square = dot(m, m)
        if square > PARALLEL * PARALLEL * dot(u, u) * dot(v, v):
            m = times(math.copysign(1.0, dot(m, n)) / math.sqrt(square), m)
            if _is_alike(m, n):
                return m, True, NO_FACE
    return n, False, NO_FACE


@compiled
def _is_alike(m: Vector, n: Vector) -> bool:
    change = minus(m, n)
    return dot(change, change) <= ALIKE * ALIKE


@compiled
def _edge(work: Workspace, count: int, column: int) -> Vector:
    """From one to the other of two points of the first or second shape in the simplex."""
    S = work.simplex
    u = (0.0, 0.0, 0.0)
    for s in range(1, count):
        v = (S[s, column] - S[0, column], S[s, column + 1] - S[0, column + 1], S[s, column + 2] - S[0, column + 2])
        if dot(v, v) > 0.0:
            u = v
    return u


@compiled
def face_at(G: Geometry, work: Workspace, i: int, d: Vector, x: Vector) -> int:
    """The face of shape i through its point x of the world that looks most along a direction."""
    X = work.bodies[G.body[i]]
    some = (G.face_begin[i], G.face_begin[i + 1])
    u = rotated_back(X, 0, d)
    y = rotated_back(X, 0, (x[0] - X[9], x[1] - X[10], x[2] - X[11]))
    return _face_at(G.face, some, u, y, THROUGH * G.outer[i])


@compiled
def _face_at(face: Floats, some: tuple[int, int], u: Vector, y: Vector, slack: float) -> int:
    """Of the faces from the first to before the last whose plane is as near to y the one that looks most along u; where
    none is, of all of them."""
    best = -1
    most = -math.inf
    for f in range(some[0], some[1]):
        n = (face[f, 0], face[f, 1], face[f, 2])
        if dot(n, u) > most and dot(n, y) >= face[f, 3] - slack:
            best = f
            most = dot(n, u)
    return best if best >= 0 else furthest_along(face, some, u)


@compiled
def shared_corners(
    G: Geometry,
    work: Workspace,
    pair: tuple[int, int],
    faces: tuple[int, int],
    count: int,
    d: Vector,
    about: Vector,
    limits: Limits,
) -> int:
    """Rows of work.near: corners of what the faces of a pair of shapes that look at each other along d, or almost, have
    in common, beginning with two `faces`, for which `cut_to` has left `count` corners; returns how many.

    `limits`: how near they are [m]; how far the shapes may turn about the nearest point, `about`, before these corners
    meet [rad]; the gap of that point, and by how much others may differ from it by rounding [m]. WHICH of a corner is
    its name, GAP how far it is from the plane of the first shape's face, along d.
    """
    level = math.cos(limits[1])
    found = 0
    mine = _faces_along(G, work, pair[0], d, faces[0], level, 0)
    others = _faces_along(G, work, pair[1], times(-1.0, d), faces[1], level, 1)
    for a in range(mine):
        for b in range(others):
            if a + b > 0:
                count = cut_to(G, work, pair, (work.faces[0, a], work.faces[1, b]), d)
            found = _gather((work.poly, work.names, work.near), count, found, (a, b), d, about, limits)
    return keep_support(work.near, found)


@compiled
def nearest_corner(poly: Floats, count: int, slack: float) -> tuple[float, Vector]:
    """(the least gap [m] of the corners that `cut_to` has left in work.poly, the middle of those whose gaps differ from
    it by no more than the slack); of none, the gap is infinite."""
    least = math.inf
    middle = (0.0, 0.0, 0.0)
    near = 0
    for c in range(count):
        least = min(least, poly[1, c, 0])
    for c in range(count):
        if poly[1, c, 0] <= least + slack:
            middle = plus((poly[0, c, 0], poly[0, c, 1], poly[0, c, 2]), 1.0, middle)
            near += 1
    return least, times(1.0 / max(near, 1), middle)


@compiled
def _faces_along(G: Geometry, work: Workspace, i: int, d: Vector, first: int, level: float, row: int) -> int:
    """work.faces[row] = the first face, and others of shape i whose normals have at least that cosine with d; returns
    how many."""
    some = (G.face_begin[i], G.face_begin[i + 1])
    u = rotated_back(work.bodies[G.body[i]], 0, d)
    return _some_along(G.face, some, u, first, level, work.faces[row])


@compiled
def _some_along(face: Floats, some: tuple[int, int], u: Vector, first: int, level: float, found: Ints) -> int:
    count = 1
    found[0] = first
    for f in range(some[0], some[1]):
        along = face[f, 0] * u[0] + face[f, 1] * u[1] + face[f, 2] * u[2]
        if along >= level and f != first and count < MOST_FACES:
            found[count] = f
            count += 1
    return count


@compiled
def cut_to(G: Geometry, work: Workspace, pair: tuple[int, int], faces: tuple[int, int], d: Vector) -> int:
    """Cut the second of two faces, of a pair of shapes, to the first, along lines in the direction d; returns how many
    corners are left.

    work.poly[0] = the corners, in the world; work.names[0] = their names; work.poly[1, :, 0] = how far each is from the
    plane of the first face, along d [m].
    """
    X = work.bodies[G.body[pair[0]]]
    Y = work.bodies[G.body[pair[1]]]
    (f, g) = faces
    mine, other = G.loop[G.loop_begin[f] : G.loop_begin[f + 1]], G.loop[G.loop_begin[g] : G.loop_begin[g + 1]]
    return _cut_loop(G.corner, (X, Y), (mine, other), G.face[f], d, work.poly, work.names)


@compiled
def _cut_loop(
    corner: Floats, places: tuple[Floats, Floats], loops: tuple[Ints, Ints], face: Floats, d: Vector, poly: Floats,
    names: Ints,
) -> int:  # fmt: skip
    """As `cut_to`, of faces with these loops of corners, of bodies at these placements."""
    (X, Y), (mine, other) = places, loops
    m = rotated(X, 0, (face[0], face[1], face[2]))
    count = other.shape[0]
    end = mine.shape[0]
    for e in range(count):
        poly[0, e, 0], poly[0, e, 1], poly[0, e, 2] = _corner(corner, Y, other[e])
        names[0, e] = e % 64
    p = _corner(corner, X, mine[end - 1])
    for e in range(end):
        q = _corner(corner, X, mine[e])
        side = cross(minus(q, p), d)
        side = times(1.0 / math.sqrt(dot(side, side)), side)
        count = cut(poly, names, count, side, dot(side, q), CUT * (1 + e % MARKS))
        p = q
    base = face[3] + dot(m, (X[9], X[10], X[11]))
    along = dot(m, d)
    for c in range(count):
        poly[1, c, 0] = (dot(m, (poly[0, c, 0], poly[0, c, 1], poly[0, c, 2])) - base) / along
    return count


@compiled
def _corner(corner: Floats, X: Floats, c: int) -> Vector:
    return placed(X, (corner[c, 0], corner[c, 1], corner[c, 2]))


@compiled
def _gather(
    corners: tuple[Floats, Ints, Floats], count: int, found: int, faces: tuple[int, int], d: Vector, about: Vector,
    limits: Limits,
) -> int:  # fmt: skip
    """Append the `corners` (work.poly, work.names) that are within the limits of `shared_corners`, of the faces of
    these numbers, to the rows of work.near, the last of them, where there is room, and no row has that corner; returns
    how many there are then."""
    (poly, names, near) = corners
    u = perpendicular_to(d)
    w = cross(d, u)
    for c in range(count):
        x = (poly[0, c, 0], poly[0, c, 1], poly[0, c, 2])
        gap = poly[1, c, 0]
        r = minus(x, about)
        across, along = dot(u, r), dot(w, r)
        aside = math.sqrt(across * across + along * along)
        if gap < limits[0] and gap - limits[2] <= limits[1] * aside + limits[3] and found < near.shape[0]:
            known = False
            for p in range(found if faces[0] + faces[1] > 0 else 0):
                known = known or abs(near[p, ACROSS] - across) + abs(near[p, ALONG] - along) <= limits[3]
            if not known:
                near[found, ACROSS] = across
                near[found, ALONG] = along
                near[found, GAP] = gap
                near[found, POINT], near[found, POINT + 1], near[found, POINT + 2] = x
                near[found, WHICH] = (names[0, c] + NAMED_BY_FACES * (MOST_FACES * faces[0] + faces[1])) % NAMES
                found += 1
    return found
