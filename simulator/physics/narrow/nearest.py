"""Nearest points of two convex shapes, by the algorithm of Gilbert, Johnson and Keerthi (1988), for any two shapes with
a support function.

The first shape may be displaced before: turned and shifted by a placement in work.moved. The point v of the difference
of both shapes that is nearest to the origin lies in a simplex of up to four of its corners; every round adds the corner
furthest against v and removes those that v does not need.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, minus, placed, plus, rotated_back
from simulator.physics.shapes.kinds import BOX, CONE, CYLINDER, ELLIPSOID, ROUND

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

ROUNDS = 100
DONE = 1e-15
"""The square of the distance is known to this part: corners are met exactly, rims to some 1e-8 in the direction."""
FLAT = 1e-22
"""Simplices whose square of the volume is this part of that of their edges span nothing."""
OVERLAP, FAR = 0.0, -1.0
"""Instead of a distance: the shapes overlap, or are further apart than was asked for."""
NEW, FIRST, SECOND = 0, 3, 6
"""Columns of work.simplex: corner of the difference, and the points of both shapes, the first not moved."""


@compiled
def furthest(G: Geometry, work: Workspace, i: int, d: Vector) -> Vector:
    """The point of shape i, without its rounding, that is furthest in a direction of the world."""
    if G.kind[i] == BOX or G.kind[i] == ROUND:
        X, h = work.shapes[i], G.size[i]
        u = rotated_back(X, 0, d)
        if G.kind[i] == ROUND:
            return placed(X, (0.0, 0.0, math.copysign(h[1], u[2])))
        return placed(X, (math.copysign(h[0], u[0]), math.copysign(h[1], u[1]), math.copysign(h[2], u[2])))
    if G.kind[i] == ELLIPSOID:
        return ellipsoid_point(work.shapes[i], G.size[i], d)
    X = work.bodies[G.body[i]]
    u = rotated_back(X, 0, d)
    if G.kind[i] == CYLINDER:
        return placed(X, _furthest_of_rims(G, i, u))
    most = -math.inf
    furthest_yet = (0.0, 0.0, 0.0)
    if G.kind[i] == CONE:
        furthest_yet = _furthest_of_rims(G, i, u)
        most = dot(furthest_yet, u)
    for c in range(G.corner_begin[i], G.corner_begin[i + 1]):
        along = G.corner[c, 0] * u[0] + G.corner[c, 1] * u[1] + G.corner[c, 2] * u[2]
        if along > most:
            most = along
            furthest_yet = (G.corner[c, 0], G.corner[c, 1], G.corner[c, 2])
    return placed(X, furthest_yet)


@compiled
def furthest_along(rows: Floats, some: tuple[int, int], u: Vector) -> int:
    """Of the corners, or normals of faces, from the first to before the last the one that is furthest along u."""
    best = some[0]
    most = -math.inf
    for c in range(some[0], some[1]):
        along = rows[c, 0] * u[0] + rows[c, 1] * u[1] + rows[c, 2] * u[2]
        if along > most:
            best, most = c, along
    return best


@compiled
def ellipsoid_point(X: Floats, radii: Floats, d: Vector) -> Vector:
    """The point of an ellipsoid at X that is furthest in a direction d of the world: A^2 d / |A d| in its axes."""
    u = rotated_back(X, 0, d)
    x = radii[0] * u[0]
    y = radii[1] * u[1]
    z = radii[2] * u[2]
    length = math.sqrt(x * x + y * y + z * z)
    return placed(X, (radii[0] * x / length, radii[1] * y / length, radii[2] * z / length))


@compiled
def _furthest_of_rims(G: Geometry, i: int, u: Vector) -> Vector:
    """Of a cylinder, or the base of a cone, in the frame of its body."""
    axis = (G.rim_axis[i, 0], G.rim_axis[i, 1], G.rim_axis[i, 2])
    along = dot(axis, u)
    aside = plus(u, -along, axis)
    length = math.sqrt(dot(aside, aside))
    c = G.rim_begin[i + 1] - 1 if along > 0.0 else G.rim_begin[i]
    centre = (G.rim[c, 0], G.rim[c, 1], G.rim[c, 2])
    return plus(centre, G.rim_radius[i] / length, aside) if length > 1e-12 * abs(along) else centre


@compiled
def nearest(
    G: Geometry, work: Workspace, i: int, k: int, v: Vector, most: float, count: int
) -> tuple[float, Vector, int]:
    """(distance [m] or OVERLAP or FAR, vector of that length from shape k to the moved shape i, size of the simplex)
    without roundings; begins with the simplex of that size, as it was left before the shape was moved, or with the
    direction `v` where there is none, and ends where it is more than `most`."""
    S = work.simplex
    weights = work.weights
    square = math.inf
    if count > 0:
        count = _moved_simplex(work, count)
        v = _point(S, weights, count)
        square = dot(v, v)
        if count == 4 or square == 0.0:
            return OVERLAP, v, count
    for _ in range(ROUNDS):
        away = (-v[0], -v[1], -v[2])
        a = furthest(G, work, i, rotated_back(work.moved, 0, away))
        b = furthest(G, work, k, v)
        w = minus(placed(work.moved, a), b)
        along = dot(v, w)
        if along > 0.0 and along * along > most * most * dot(v, v):
            return FAR, v, count
        if count > 0 and (square - along <= DONE * square or _is_known(S, count, w)):
            break
        for c in range(3):
            S[count, NEW + c], S[count, FIRST + c], S[count, SECOND + c] = w[c], a[c], b[c]
        count = _reduce(S, weights, count + 1, square)
        if count == 4:
            return OVERLAP, v, 4
        new = _point(S, weights, count)
        less_than = dot(new, new)
        if less_than == 0.0:
            return OVERLAP, v, count
        if less_than >= square:  # no nearer by rounding
            break
        v, square = new, less_than
    return math.sqrt(square), v, count


@compiled
def _point(S: Floats, weights: Floats, count: int) -> Vector:
    """The point of the simplex that is nearest to the origin."""
    v = (0.0, 0.0, 0.0)
    for s in range(count):
        v = plus(v, weights[s], (S[s, 0], S[s, 1], S[s, 2]))
    return v


@compiled
def _moved_simplex(work: Workspace, count: int) -> int:
    """The simplex, of the same points of both shapes, where the first one is now; returns its size."""
    S = work.simplex
    for s in range(count):
        a = placed(work.moved, (S[s, FIRST], S[s, FIRST + 1], S[s, FIRST + 2]))
        for c in range(3):
            S[s, NEW + c] = a[c] - S[s, SECOND + c]
    return _reduce(S, work.weights, count, -1.0)


@compiled
def _is_known(S: Floats, count: int, w: Vector) -> bool:
    known = False
    for s in range(count):
        known = known or (S[s, 0] == w[0] and S[s, 1] == w[1] and S[s, 2] == w[2])
    return known


@compiled
def _reduce(S: Floats, weights: Floats, count: int, square: float) -> int:
    """Keep of a simplex the corners whose hull holds its point nearest to the origin, and set their weights; returns
    how many there are. At most fifteen parts of it are tried: those with the corner that came last, which is what is
    nearer now, and the others only where none of them is nearer than the square of a distance."""
    best = 1
    least = math.inf
    last = 1 << count - 1
    for k in range(2 * last):
        part = k + last if k < last else k - last
        if k == last and least < square:
            break
        tried = _try_part(S, weights[4:8], part, count) if part > 0 else math.inf
        if tried < least:
            best, least = part, tried
            for s in range(4):
                weights[8 + s] = weights[4 + s]
    kept = 0
    for s in range(count):
        if best >> s & 1:
            for c in range(9):
                S[kept, c] = S[s, c]
            weights[kept] = weights[8 + s]
            kept += 1
    return kept


@compiled
def _try_part(S: Floats, weights: Floats, part: int, count: int) -> float:
    """Square of the distance of the origin from the span of some corners, and their weights; infinity where that point
    is not among them."""
    n = 0
    p = 0
    q = 0
    r = 0
    t = 0
    for s in range(count):
        weights[s] = 0.0
        if part >> s & 1:
            p = s if n == 0 else p
            q = s if n == 1 else q
            r = s if n == 2 else r
            t = s if n == 3 else t
            n += 1
    o = (S[p, 0], S[p, 1], S[p, 2])
    e = minus((S[q, 0], S[q, 1], S[q, 2]), o)
    f = minus((S[r, 0], S[r, 1], S[r, 2]), o)
    g = minus((S[t, 0], S[t, 1], S[t, 2]), o)
    x = y = z = 0.0
    if n == 2:
        x = _ratio(-dot(o, e), dot(e, e), 0.0)
    elif n == 3:
        ee = dot(e, e)
        ff = dot(f, f)
        ef = dot(e, f)
        oe = dot(o, e)
        of = dot(o, f)
        volume = ee * ff - ef * ef
        x, y = _ratio(ef * of - ff * oe, volume, FLAT * ee * ff), _ratio(ef * oe - ee * of, volume, FLAT * ee * ff)
    elif n == 4:
        h = cross(f, g)
        volume = dot(e, h)
        flat = math.sqrt(FLAT * dot(e, e) * dot(f, f) * dot(g, g))
        sign = math.copysign(1.0, volume)
        x = _ratio(-sign * dot(o, h), abs(volume), flat)
        y = _ratio(-sign * dot(o, cross(g, e)), abs(volume), flat)
        z = _ratio(-sign * dot(o, cross(e, f)), abs(volume), flat)
    first = 1.0 - x - y - z
    if not (first > 0.0 and (n < 2 or x > 0.0) and (n < 3 or y > 0.0) and (n < 4 or z > 0.0)):
        return math.inf
    weights[p] = first
    if n > 1:
        weights[q] = x
    if n > 2:
        weights[r] = y
    if n > 3:
        weights[t] = z
        return 0.0
    v = plus(plus(o, x, e), y, f) if n > 2 else plus(o, x, e)
    return dot(v, v)


@compiled
def _ratio(above: float, below: float, flat: float) -> float:
    """nan where nothing is spanned."""
    return above / below if below > flat else math.nan


@compiled
def witness(work: Workspace, count: int, column: int) -> Vector:
    """The point of the first or the second shape in which they are nearest, the first not moved."""
    S = work.simplex
    weights = work.weights
    x = (0.0, 0.0, 0.0)
    for s in range(count):
        x = plus(x, weights[s], (S[s, column], S[s, column + 1], S[s, column + 2]))
    return x


@compiled
def corners_of(work: Workspace, count: int, column: int) -> int:
    """How many different points of the first or the second shape the simplex has."""
    S = work.simplex
    found = 0
    for s in range(count):
        new = True
        for t in range(s):
            new = new and not (
                S[s, column] == S[t, column]
                and S[s, column + 1] == S[t, column + 1]
                and S[s, column + 2] == S[t, column + 2]
            )
        found += 1 if new else 0
    return found


@compiled
def spread_of(work: Workspace, count: int, column: int) -> float:
    """How far points of the first or the second shape in the simplex are from its first one [m]."""
    S = work.simplex
    most = 0.0
    for s in range(1, count):
        x = (S[s, column] - S[0, column], S[s, column + 1] - S[0, column + 1], S[s, column + 2] - S[0, column + 2])
        most = max(most, dot(x, x))
    return math.sqrt(most)
