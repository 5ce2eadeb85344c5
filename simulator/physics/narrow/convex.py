"""Two convex shapes of any kind: the normal along which they are nearest, found before they touch, and the points
around it in which they would rest on each other.

The separation along a unit vector n is s(n) = min n . a over the first shape less max n . b over the second; the normal
maximises it, and the gap is its value, also if shapes overlap a little. `nearest` finds it for separate shapes. If they
touch, the first shape is shifted by delta along the previous normal, and the nearest points then maximise
s(n) - delta/2 |n - n_before|^2: these are steps of the proximal point method (Martinet 1970), which has converged when
nothing changes. Corners on faces and edges on edges need two of them. Each begins with the simplex of the one before.

Points of a face: for polytopes, see `narrow.polytope`. Otherwise the first shape is tilted a little about the nearest
point, towards eight sides in turn. The nearest point is then a corner of the common part of both faces; its gap is that
of the untilted shapes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, minus, plus, times
from simulator.physics.narrow.contact_features import (
    ARM,
    NO_CENTRE,
    cache,
    cached_face,
    cached_separation,
    face_separation,
    is_of_first,
    is_round,
    rounding_of,
    side_of,
    write_edges,
    write_touch,
)
from simulator.physics.narrow.nearest import (
    FIRST,
    OVERLAP,
    SECOND,
    corners_of,
    nearest,
    spread_of,
    witness,
)
from simulator.physics.narrow.polytope import (
    NO_FACE,
    cut_to,
    exact_normal,
    face_along,
    face_at,
    is_polytope,
    nearest_corner,
    outward,
    shared_corners,
)
from simulator.physics.narrow.workspace import GAP, MARGIN, POINT, WHICH
from simulator.physics.shapes.kinds import ELLIPSOID, ROUND

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Pair, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

    Ends = tuple[tuple[Vector, Vector], Pair]

APART = 0.01
"""Shapes are shifted apart by this part of the smaller one's size, where they touch."""
SHALLOW = 1e-3
"""Faces that overlap by a larger part of the smaller shape's size are looked for anew: another may have become nearer,
across which they would part sooner."""
CERTAIN = 1e-12
"""Corners over a face whose gaps differ by less than this part of the smaller shape's size are equally near."""
STILL = 1e-13
STEPS = 30
TILTS = 8
LEAST_TILT, MOST_TILT = 0.002, 0.05
"""Corners are found that come down before a face lies flat: tilted by as much as they could sink while it is looked
ahead, in these bounds [rad]."""
ALIKE = 0.02
"""Points that are nearer to each other than this part of the smaller shape's size are one."""
AS_NEAR = 1e-9
"""Gaps that differ by less than this part of the smaller shape's size are one face's."""
EVEN = 1e-12
"""Faces whose cosines with the normal differ by less are alike: it is the second shape's that counts."""
TURNED = 8192
"""Names of points in which corners of the second shape touch a face of the first begin with this; others are less."""
SIDE = 0.7
"""The round side of a cylinder touches where the cosine between its axis and the normal is below this; across it,
there is one line of points."""


@compiled
def convex_points(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """work.out = points of shapes i and k within the margin: point half way, normal towards i, gap, and the contact
    features; returns how many. work.names[1, 0] is 1 where it is the other way round, for corners of shape k
    over a face of shape i: then the normal is towards k.

    What they were nearest with before is tried first.
    """
    size = min(G.outer[i], G.outer[k])
    face = cached_face(G, work, i, k)
    n = (0.0, 0.0, 1.0)
    shifted = 0.0
    count = -1
    found = -1
    if face == NO_FACE and cached_separation(G, work, i, k) >= work.search[MARGIN]:
        found = 0
    while found < 0:
        if face >= 0:
            found = _face_points(G, work, (i, k), face, size)
        if found < 0 and count > 0:
            found = _points_along(G, work, (i, k), n, shifted, count)
        elif found < 0:
            n, shifted, count, face = _normal(G, work, i, k, size)
            cache(G, work, i, k, face, n)
            found = 0 if count == 0 else -1
    return found


@compiled
def _points_along(G: Geometry, work: Workspace, pair: tuple[int, int], n: Vector, shifted: float, count: int) -> int:
    """As `convex_points`, of shapes that are nearest along n, with a simplex of that size."""
    (i, k) = pair
    size = min(G.outer[pair[0]], G.outer[pair[1]])
    reset_motion(work)
    a, b = witness(work, count, FIRST), witness(work, count, SECOND)
    corners, others = corners_of(work, count, FIRST), corners_of(work, count, SECOND)
    if _gap(G, (i, k), (a, b), n) >= work.search[MARGIN]:
        return 0
    if is_polytope(G, i) and is_polytope(G, k):
        return _polytope_points(G, work, (i, k), (a, b), n, (corners, others))
    flat = not (is_round(G, i) or is_round(G, k))
    sides = (side_of(G, work, i, times(-1.0, n), corners), side_of(G, work, k, n, others))
    work.names[1, 0] = 1 if write_touch(G, work, (i, k), sides, (corners, others), n) else 0
    found = 0
    if not (flat and corners + others < 4):  # else it is a corner at an edge or at a corner
        found = _lie(G, work, (i, k), a, n, shifted)
    least = math.inf
    for p in range(found):
        least = min(least, work.out[p, 6])
    # On a face it is any point; on edges it is the one that is nearest, which no tilt may have found.
    as_near = least <= _gap(G, (i, k), (a, b), n) + AS_NEAR * size
    if found > 2 and as_near:
        return found
    return _write(G, work, (i, k), (a, b), n, found, size if as_near else 0.0)


@compiled
def _lie(G: Geometry, work: Workspace, pair: tuple[int, int], about: Vector, n: Vector, overlap: float) -> int:
    """Rows of work.out: corners of what both shapes have in common across the normal n; returns how many."""
    i, k = pair
    size = min(G.outer[i], G.outer[k])
    found = 0
    angle = _most_tilt(work, size)
    lift = times(2.0 * APART * size + 2.2 * angle * size + max(0.0, overlap), n)
    for w in range(TILTS):
        t = _tilt_axis(G, work, pair, n, w)
        if dot(t, t) > 0.0:
            _tilt(work, t, angle, about, lift)
            distance, _, count = nearest(G, work, i, k, n, math.inf, 0)
            if distance > OVERLAP:
                a, b = witness(work, count, FIRST), witness(work, count, SECOND)
                mine, other = spread_of(work, count, FIRST), spread_of(work, count, SECOND)
                # What is nearest is across the tilt: of a corner on a face the corner counts, of two edges the middle.
                part = 0.0 if 2.0 * mine < other else (1.0 if 2.0 * other < mine else 0.5)
                gap = dot(n, minus(a, b))
                aside = minus(plus(b, gap, n), a)
                a = plus(a, part, aside)
                found = _write(G, work, pair, (a, plus(a, -gap, n)), n, found, size)
    return found


@compiled
def _most_tilt(work: Workspace, size: float) -> float:
    """How far [rad] shapes of that size could turn before their next corners meet."""
    reach: float = work.search[MARGIN]
    return min(max(reach / size, LEAST_TILT), MOST_TILT)


@compiled
def _face_points(G: Geometry, work: Workspace, pair: tuple[int, int], face: int, size: float) -> int:
    """As `_polytope_points`, where the corner of one shape that is nearest to that face of the other is over it; -1
    where it is not, or where another may be nearer."""
    i, k = pair
    n, gap, corner = face_separation(G, work, i, k, face)
    turned = is_of_first(G, k, face)
    if gap >= work.search[MARGIN]:
        return 0
    if gap <= -SHALLOW * size or (turned and face_along(G, work, k, n) != NO_FACE):
        return -1  # where both have a face there, the second shape's counts
    shapes, d = ((i, k), times(-1.0, n)) if turned else ((k, i), n)
    other = face_at(G, work, shapes[1], times(-1.0, d), corner)
    count = cut_to(G, work, shapes, (face, other), d)
    least, about = nearest_corner(work.poly, count, AS_NEAR * size)
    if not least <= gap + CERTAIN * size:
        return -1
    limits = (work.search[MARGIN], _most_tilt(work, size), gap, AS_NEAR * size)
    count = shared_corners(G, work, shapes, (face, other), count, d, about, limits)
    work.names[1, 0] = 1 if turned else 0
    return _write_corners(G, work, pair, n, count, 0, size)


@compiled
def _write_corners(
    G: Geometry, work: Workspace, pair: tuple[int, int], n: Vector, count: int, found: int, size: float
) -> int:
    """Rows of work.out from `found` on = those of work.near, with their names; returns how many there are then."""
    near = work.near
    turned = work.names[1, 0] == 1
    work.touch[:] = 0.0
    for c in range(count):
        x = (near[c, POINT], near[c, POINT + 1], near[c, POINT + 2])
        before = found
        both = (plus(x, near[c, GAP], n), x) if turned else (x, plus(x, -near[c, GAP], n))
        found = _write(G, work, pair, both, n, found, size)
        if found > before:
            work.names[1, found] = int(near[c, WHICH]) + (TURNED if turned else 0)
    return found


@compiled
def _polytope_points(
    G: Geometry,
    work: Workspace,
    pair: tuple[int, int],
    ends: tuple[Vector, Vector],
    n: Vector,
    corners: tuple[int, int],
) -> int:
    """Rows of work.out: corners of what the faces of two polytopes have in common, and the points in which they are
    nearest, `ends`, where these are no such corners; returns how many.

    work.names[1, 1:] = names of the points; work.names[1, 0] is as in `convex_points`, where the face of shape i is the
    one across the normal."""
    (i, k) = pair
    reach = work.search[MARGIN]
    size = min(G.outer[pair[0]], G.outer[pair[1]])
    f = face_at(G, work, k, n, ends[1])
    g = face_at(G, work, i, times(-1.0, n), ends[0])
    across = dot(outward(G, work, k, f), n)
    other = -dot(outward(G, work, i, g), n)
    turned = other > across + EVEN
    gap = dot(n, minus(ends[0], ends[1]))
    tilt = _most_tilt(work, size)
    found = 0
    count = 0
    near = work.near
    if max(across, other) >= math.cos(tilt):
        limits = (reach, tilt, gap, AS_NEAR * size)
        about = ends[1 if turned else 0]
        shapes, faces, d = ((i, k), (g, f), times(-1.0, n)) if turned else ((k, i), (f, g), n)
        count = shared_corners(G, work, shapes, faces, cut_to(G, work, shapes, faces, d), d, about, limits)
    least = math.inf
    for c in range(count):
        least = min(least, near[c, GAP])
    work.names[1, 0] = 1 if turned else 0
    if least > gap + AS_NEAR * size:
        write_edges(work, corners, turned)
        found = _write(G, work, pair, ends, n, 0, 0.0)
        work.names[1, 1] = TURNED - 1
    return _write_corners(G, work, pair, n, count, found, size)


@compiled
def reset_motion(work: Workspace) -> None:
    """work.moved = the identity: the first shape is where it is."""
    for a in range(12):
        work.moved[a] = 1.0 if a in (0, 4, 8) else 0.0


@compiled
def _normal(G: Geometry, work: Workspace, i: int, k: int, size: float) -> tuple[Vector, float, int, int]:
    """(normal from shape k to shape i, how far they overlap [m], size of the simplex, the face that it is across or
    NO_FACE); a simplex of none, and a direction along which they are so far apart, where they are too far apart."""
    A = work.shapes[i]
    B = work.shapes[k]
    reach = work.search[MARGIN]
    n = (A[12] - B[12], A[13] - B[13], A[14] - B[14])
    length = math.sqrt(dot(n, n))
    n = times(1.0 / length, n) if length > 0.0 else (0.0, 0.0, 1.0)
    rounded = rounding_of(G, i) + rounding_of(G, k)
    reset_motion(work)
    distance, v, count = nearest(G, work, i, k, n, reach + rounded, 0)
    if distance < OVERLAP or distance > reach + rounded:
        return times(1.0 / math.sqrt(dot(v, v)), v), 0.0, 0, NO_FACE
    if distance > 1e-9 * size:
        n, exact, face = _direction(G, work, i, k, times(1.0 / distance, v), count)
        if exact or distance > 2.0 * APART * size:
            return n, 0.0, count, face
    apart = 2.0 * APART * size
    overlap = 0.0
    face = NO_FACE
    for _ in range(STEPS):
        for a in range(3):
            work.moved[9 + a] = apart * n[a]
        distance, v, count = nearest(G, work, i, k, n, math.inf, count)
        if distance <= OVERLAP:
            apart *= 4.0
            if apart > 4.0 * (G.outer[i] + G.outer[k]):
                return n, 0.0, 0, NO_FACE
            continue
        m, _, face = _direction(G, work, i, k, times(1.0 / distance, v), count)
        change = minus(m, n)
        n = m
        overlap = apart - distance
        if dot(change, change) <= STILL * STILL:
            break
    return n, overlap, count, face


@compiled
def _direction(G: Geometry, work: Workspace, i: int, k: int, n: Vector, count: int) -> tuple[Vector, bool, int]:
    """The direction n in which shapes were found nearest, whether it is exact, and the face that it is across or
    NO_FACE."""
    return exact_normal(G, work, i, k, n, count) if is_polytope(G, i) and is_polytope(G, k) else (n, False, NO_FACE)


@compiled
def _write(
    G: Geometry, work: Workspace, pair: tuple[int, int], ends: tuple[Vector, Vector], n: Vector, found: int, size: float
) -> int:
    """Row `found` of work.out, where its gap is less than the reach and it is no other's neighbour; returns how many
    rows there are then."""
    rounding = (rounding_of(G, pair[0]), rounding_of(G, pair[1]))
    turned = work.names[1, 0] == 1
    return _write_row((work.out, work.touch), (ends, rounding), n, found, (work.search[MARGIN], ALIKE * size), turned)


@compiled
def _write_row(
    tables: tuple[Floats, Floats], ends: Ends, n: Vector, found: int, limits: tuple[float, float], turned: bool
) -> int:
    """As `_write`, of work.out and work.touch, points with their roundings, the reach, and how near neighbours are."""
    (out, touch), ((a, b), (mine, other)) = tables, ends
    gap = dot(n, minus(a, b)) - mine - other
    if gap >= limits[0]:
        return found
    x = plus(a, -mine - 0.5 * gap, n)
    for p in range(found):
        away = minus(x, (out[p, 0], out[p, 1], out[p, 2]))
        if dot(away, away) <= limits[1] ** 2:
            return found
    over, sign = (b, -1.0) if turned else (a, 1.0)
    for c in range(3):
        out[found, c], out[found, 3 + c], out[found, 7 + c] = x[c], sign * n[c], over[c] + touch[ARM + c]
    out[found, 6] = gap
    for c in range(8):
        out[found, 10 + c] = touch[c]
    if touch[NO_CENTRE] > 0.0:
        out[found, 7] = out[found, 8] = out[found, 9] = math.nan
    return found + 1


@compiled
def _gap(G: Geometry, pair: tuple[int, int], ends: tuple[Vector, Vector], n: Vector) -> float:
    return dot(n, minus(ends[0], ends[1])) - rounding_of(G, pair[0]) - rounding_of(G, pair[1])


@compiled
def _tilt_axis(G: Geometry, work: Workspace, pair: tuple[int, int], n: Vector, w: int) -> Vector:
    """Direction about which to tilt, the w-th: around the normal, in axes of the flatter shape; or such that a cylinder
    on its side, or a capsule, goes down with one end, zeros where that is done."""
    for s in range(2):
        i = pair[s]
        X = work.shapes[i]
        axis = (X[2], X[5], X[8])
        if G.kind[i] == ELLIPSOID or (G.kind[i] == ROUND and G.size[i, 1] == 0.0):
            return 0.0, 0.0, 0.0
        if is_round(G, i) and abs(dot(axis, n)) < SIDE:
            t = (axis[1] * n[2] - axis[2] * n[1], axis[2] * n[0] - axis[0] * n[2], axis[0] * n[1] - axis[1] * n[0])
            length = math.sqrt(dot(t, t))
            return times((1.0 if w == 0 else -1.0) / length, t) if w < 2 else (0.0, 0.0, 0.0)
    X = work.shapes[pair[1]]
    u = (X[0], X[3], X[6])
    if abs(dot(u, n)) > SIDE:
        u = (X[1], X[4], X[7])
    u = plus(u, -dot(u, n), n)
    u = times(1.0 / math.sqrt(dot(u, u)), u)
    v = (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])
    angle = (w + 0.5) * (2.0 * math.pi / TILTS)
    return plus(times(math.cos(angle), u), math.sin(angle), v)


@compiled
def _tilt(work: Workspace, t: Vector, angle: float, about: Vector, shift: Vector) -> None:
    """work.moved: turned by an angle about the direction t through a point, then shifted."""
    M = work.moved
    c = math.cos(angle)
    s = math.sin(angle)
    r = 1.0 - c
    M[0], M[1], M[2] = c + r * t[0] * t[0], r * t[0] * t[1] - s * t[2], r * t[0] * t[2] + s * t[1]
    M[3], M[4], M[5] = r * t[1] * t[0] + s * t[2], c + r * t[1] * t[1], r * t[1] * t[2] - s * t[0]
    M[6], M[7], M[8] = r * t[2] * t[0] - s * t[1], r * t[2] * t[1] + s * t[0], c + r * t[2] * t[2]
    for a in range(3):
        turned = M[3 * a] * about[0] + M[3 * a + 1] * about[1] + M[3 * a + 2] * about[2]
        M[9 + a] = about[a] - turned + shift[a]
