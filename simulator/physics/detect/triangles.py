"""A convex shape over a fixed mesh: its triangles as planes, and the edges of its ridges.

The inside of a triangle touches what its plane would touch: corners, rims and the lowest points of round shapes, with
the same normals, gaps and centres. So flat ground is a plane, for any partition into triangles: the foot of a point is
in one of them, and edges between coplanar triangles do not count. A ridge, a peak or a rim touches with its edge: a
segment, which is a shape like others. The normal must be one along which neither triangle beside the edge comes nearer
(its Voronoi region; Ericson, Real-Time Collision Detection, 2005, 9.5); in a groove there is none.

A surface has no inside. A shape is on the side of its middle, relative to the triangle nearest to that.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, minus, perpendicular_to, plus, row_vector, times
from simulator.physics.detect.pairs import points_of_two
from simulator.physics.detect.triangle_tree import (
    box_around,
    close_triangles,
    near_triangles,
    normal_of,
    side_of,
)
from simulator.physics.layout import row_layout as row_at
from simulator.physics.narrow.convex import reset_motion
from simulator.physics.narrow.nearest import nearest
from simulator.physics.narrow.plane import NAMES, corner_on_plane, ellipsoid_on_plane, rim_on_plane, thin, write_contact
from simulator.physics.narrow.workspace import MARGIN, SIDES
from simulator.physics.shapes.kinds import ELLIPSOID, ROUND
from simulator.physics.shapes.triangles import CONCAVE, CONVEX, FLAT, RIM

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.detect.triangle_tree import Box
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry


SLACK = 1e-9
"""Part of a shape's size by which the foot of a point may be beyond a flat edge: rounding must not lose it there."""
DEEP = 1e-6
"""Points that are deeper behind a plane than this part of the shape's size are looked at: they may be behind it without
having come through it."""
AWRY = 0.25
"""They have come through where the shape is nearer to their foot than this part of their depth."""
AT_FOOT, PARALLEL = 1e-6, 1e-9
"""Triangles count as between a point and its foot that are further from this than the first part of the way, and are
not as parallel to it as the second says."""
ALIKE = 1e-6
"""Normals that differ by less [rad] are one."""
LEANS, ROUNDS = 0.05, 1e-9
"""Cosines by which normals of edges may be beyond those of the triangles beside them: of shapes with faces, which may
come to lie on those, and of round ones."""
LITTLE = 0.995
"""Cosine of the angle [rad] between the normals of points of which those that hold the body are enough."""
OF_REGION, OF_EDGE, OF_RIMS = 1021, 97, 1003
"""Names of points differ by so much between regions and edges; those of rims begin behind those of corners."""


@compiled
def mesh_points(G: Geometry, work: Workspace, i: int, k: int, count: int) -> int:
    """Append the points of shape i and the triangles of shape k within the margin to the first `count`; returns how
    many there are then, or -1 where there is no room for them."""
    first = count
    box = box_around(G, work, i)
    near = near_triangles(G, work, k, box)
    close = close_triangles(G, work, i, near)
    if close == 0:
        return count
    side = side_of(G, work, i, near)
    count = _over_triangles(G, work, (i, k), side, (close, near), count)
    count = _over_edges(G, work, (i, k), side, close, box, first, count)
    count = _without_hidden(G, work, i, first, count)
    if count - first > SIDES and count - first <= work.near.shape[0]:
        n = _row_vector(work, first, row_at.NORMAL_AT)
        alike = True
        for c in range(first, count):
            alike = alike and dot(n, _row_vector(work, c, row_at.NORMAL_AT)) > LITTLE
        count = thin(n, work, first, count) if alike else count
    return count


@compiled
def _without_hidden(G: Geometry, work: Workspace, i: int, first: int, count: int) -> int:
    """Drop of the rows from `first` on those that are deep and whose feet are behind, or in, the plane of another row
    that is less so: round the corner, from where nothing has come. Returns how many rows there are then."""
    deep = -DEEP * G.outer[i]
    for c in range(first, count):
        gap = work.floats[c, row_at.GAP]
        x = _row_vector(work, c, row_at.POINT)
        n = _towards(G, work, i, c)
        hidden = False
        for d in range(first, count if gap < deep else first):
            other = work.floats[d, row_at.GAP]
            m = _towards(G, work, i, d)
            way = minus(plus(x, -0.5 * gap, n), plus(_row_vector(work, d, row_at.POINT), -0.5 * other, m))
            hidden = hidden or (gap < other and dot(n, m) < LITTLE and dot(m, way) <= -deep)
        work.floats[c, row_at.CONTACT_IMPULSE] = 1.0 if hidden else 0.0
    kept = first
    for c in range(first, count):
        if work.floats[c, row_at.CONTACT_IMPULSE] == 0.0:
            _move(work, c, kept)
            kept += 1
    return kept


@compiled
def _towards(G: Geometry, work: Workspace, i: int, c: int) -> Vector:
    """The normal of row c, towards shape i."""
    return times(1.0 if work.ints[c, row_at.BODY] == G.body[i] else -1.0, _row_vector(work, c, row_at.NORMAL_AT))


@compiled
def _row_vector(work: Workspace, c: int, column: int) -> Vector:
    return work.floats[c, column], work.floats[c, column + 1], work.floats[c, column + 2]


# -- over planes -------------------------------------------------------------------------------------------------------


@compiled
def _over_triangles(
    G: Geometry, work: Workspace, pair: tuple[int, int], side: float, numbers: tuple[int, int], count: int
) -> int:
    """Points of a shape over the inside of triangles, one after the other the same points over all of them; `numbers`:
    how many are close to it, and near."""
    i = pair[0]
    out = work.out
    (close, near) = numbers
    X = work.bodies[G.body[i]]
    out[:, 10:] = 0.0
    if G.kind[i] == ELLIPSOID:
        first = count
        for s in range(close if count >= 0 else 0):
            t = _face(G, work, s, side)
            ellipsoid_on_plane(work.shapes[i], G.size[i], work.plane, out)
            count = _claim(G, work, pair, (t, 0, 0, near), first, count)
        return count
    for c in range(G.corner_begin[i], G.corner_begin[i + 1]):
        first = count
        name = c - G.corner_begin[i]
        for s in range(close if count >= 0 else 0):
            t = _face(G, work, s, side)
            corner_on_plane(X, G.corner, c, G.rounding[i], work.plane, out)
            count = _claim(G, work, pair, (t, name, 0, near), first, count)
    for r in range(4 * (G.rim_begin[i + 1] - G.rim_begin[i])):
        first = count
        rim = G.rim_begin[i] + r // 4
        for s in range(close if count >= 0 else 0):
            t = _face(G, work, s, side)
            rim_on_plane(X, G.rim, rim, G.rim_axis[i], G.rim_radius[i], work.plane, out)
            count = _claim(G, work, pair, (t, OF_RIMS + r, r % 4, near), first, count)
    return count


@compiled
def _face(G: Geometry, work: Workspace, s: int, side: float) -> int:
    """work.plane = the plane of the triangle in work.triangles[s], its normal towards that side; returns which triangle
    it is."""
    t: int = work.triangles[s]
    plane = work.plane
    for a in range(3):
        plane[a], plane[3 + a] = G.triangles.plane[t, a], side * G.triangles.plane[t, 3 + a]
    return t


@compiled
def _claim(
    G: Geometry, work: Workspace, pair: tuple[int, int], what: tuple[int, int, int, int], first: int, count: int
) -> int:
    """Append row p of work.out, a point over the plane of triangle t, if its foot is in the triangle; `what` is (t,
    name, p, how many triangles are near), and rows from `first` on are of the same point over other triangles. Returns
    how many rows there are then, or -1 where there is no room."""
    (i, k) = pair
    (t, name, p, near) = what
    out = work.out
    n = (out[p, 3], out[p, 4], out[p, 5])
    gap = out[p, 6]
    x = (out[p, 0], out[p, 1], out[p, 2])
    foot = plus(x, -0.5 * gap, n)
    deep = DEEP * G.outer[i]
    if count < 0 or gap >= work.search[MARGIN] or not _is_over(G, t, foot, SLACK * G.outer[i]):
        return count
    if gap + G.rounding[i] < -deep and not _has_come_through(G, work, (i, k), (t, near), foot, times(gap, n)):
        return count
    for c in range(first, count):
        change = minus(n, _row_vector(work, c, row_at.NORMAL_AT))
        if dot(change, change) <= ALIKE * ALIKE:
            return count  # the foot is on a flat edge
    if count >= work.ints.shape[0]:
        return -1
    number = (name + OF_REGION * G.triangles.region[t]) % (NAMES // 2)
    surface = (min(G.friction[i], G.friction[k]), min(G.restitution[i], G.restitution[k]))
    nodes, bodies = (G.node[i], G.node[k]), (G.body[i], G.body[k])
    write_contact(work, count, nodes, bodies, _code(G, i, k) * NAMES + number, surface, p)
    return count + 1


@compiled
def _code(G: Geometry, i: int, k: int) -> int:
    return int(min(i, k) * G.body.shape[0] + max(i, k))


@compiled
def _is_over(G: Geometry, t: int, foot: Vector, slack: float) -> bool:
    """Whether a point of the plane of triangle t is in the triangle, or beyond a flat edge by no more than the
    slack."""
    T = G.triangles
    over = True
    for e in range(3):
        beyond = -dot(row_vector(T.inward[t], e), minus(foot, row_vector(T.corner[t], e)))
        over = over and beyond <= (slack if T.seam[t, e] == FLAT else 0.0)
    return over


@compiled
def _has_come_through(
    G: Geometry, work: Workspace, pair: tuple[int, int], what: tuple[int, int], foot: Vector, way: Vector
) -> bool:
    """Whether shape i, a point of which is deep behind triangle t of shape k, `way` from its foot there, has come
    through it: none of the triangles that are near (how many: `what` is (t, that)) is between both, and the shape is
    near the foot. What is rounded is not with its core."""
    i, k = pair
    if G.rounding[i] > 0.0 or _is_between(G, work, what, foot, way):
        return False
    _put_segment(G, work, k + 1, foot, foot)
    reset_motion(work)
    distance, _, _ = nearest(G, work, i, k + 1, (0.0, 0.0, 1.0), math.inf, 0)
    return distance * distance <= AWRY * AWRY * dot(way, way)


@compiled
def _is_between(G: Geometry, work: Workspace, what: tuple[int, int], foot: Vector, way: Vector) -> bool:
    """Whether any near triangle is between a point and its foot on triangle t: the point is in front of that one."""
    T = G.triangles
    (t, near) = what
    found = False
    for s in range(near):
        other = work.triangles[s]
        n = normal_of(T.plane[other])
        along = dot(n, way)
        height = dot(n, minus(row_vector(T.corner[other], 0), foot))
        if other != t and abs(along) > PARALLEL * abs(height):
            part = height / along
            found = found or (AT_FOOT < part < 1.0 - SLACK and _is_over(G, other, plus(foot, part, way), 0.0))
    return found


@compiled
def _put_segment(G: Geometry, work: Workspace, k: int, a: Vector, b: Vector) -> None:
    """Row k of the shapes is the segment from a to b."""
    X = work.shapes[k]
    way = minus(b, a)
    length = math.sqrt(dot(way, way))
    axis = times(1.0 / length, way) if length > 0.0 else (0.0, 0.0, 1.0)
    u = perpendicular_to(axis)
    v = cross(axis, u)
    middle = plus(a, 0.5, way)
    for c in range(3):
        X[3 * c], X[3 * c + 1], X[3 * c + 2], X[9 + c] = u[c], v[c], axis[c], middle[c]
        G.corner[G.corner_begin[k], c], G.corner[G.corner_begin[k] + 1, c] = a[c], b[c]
    G.size[k, 1] = 0.5 * length


# -- over edges --------------------------------------------------------------------------------------------------------


@compiled
def _over_edges(
    G: Geometry, work: Workspace, pair: tuple[int, int], side: float, near: int, box: Box, first: int, count: int
) -> int:
    """Points of a shape and edges, each of which is looked at with one of its triangles; appended to rows that begin
    with `first`, where none is there already."""
    T = G.triangles
    for s in range(near):
        t = work.triangles[s]
        for e in range(3):
            seam, beyond = T.seam[t, e], T.beyond[t, e]
            bare = seam == RIM or (seam == CONVEX and side > 0.0) or (seam == CONCAVE and side < 0.0)
            if count >= 0 and bare and (beyond < 0 or t < beyond // 3) and _is_beside(T.corner[t], e, box):
                count = _over_edge(G, work, pair, side, (t, e), first, count)
    return count


@compiled
def _is_beside(corner: Floats, e: int, box: Box) -> bool:
    """Whether the box around an edge meets another."""
    a = row_vector(corner, e)
    b = row_vector(corner, (e + 1) % 3)
    (low, high) = box
    meets = True
    meets = meets and min(a[0], b[0]) <= high[0] and max(a[0], b[0]) >= low[0]
    meets = meets and min(a[1], b[1]) <= high[1] and max(a[1], b[1]) >= low[1]
    return meets and min(a[2], b[2]) <= high[2] and max(a[2], b[2]) >= low[2]


@compiled
def _over_edge(
    G: Geometry, work: Workspace, pair: tuple[int, int], side: float, edge: tuple[int, int], first: int, count: int
) -> int:
    """As `_over_edges`, of edge (t, e)."""
    (i, k) = pair
    (t, e) = edge
    T = G.triangles
    beyond = T.beyond[t, e]
    mine = row_vector(T.inward[t], e)
    other = row_vector(T.inward[beyond // 3], beyond % 3) if beyond >= 0 else mine
    x = row_vector(T.corner[t], e)
    y = row_vector(T.corner[t], (e + 1) % 3)
    _put_segment(G, work, k + 1, x, y)
    # It is looked for from between both triangles, or from beyond a rim.
    away = plus(normal_of(T.plane[t]), 1.0, normal_of(T.plane[beyond // 3])) if beyond >= 0 else (0.0, 0.0, 0.0)
    away = plus(times(-1.0, mine), side, normal_of(T.plane[t])) if T.seam[t, e] == RIM else times(side, away)
    leans = ROUNDS if G.kind[i] == ROUND or G.kind[i] == ELLIPSOID else LEANS
    begin = count
    count = _nearest_points(G, work, (i, k), away, x, y, begin)
    kept = begin
    for c in range(begin, count):
        n = _towards(G, work, i, c)
        if max(dot(n, mine), dot(n, other)) <= leans and not _is_there(work, first, kept, c, SLACK * G.outer[i]):
            _move(work, c, kept)
            number = NAMES // 2 + (c - begin + OF_EDGE * (3 * t + e)) % (NAMES // 2)
            work.ints[kept, row_at.NAME] = _code(G, i, k) * NAMES + number
            kept += 1
    return kept if count >= 0 else -1


@compiled
def _nearest_points(
    G: Geometry, work: Workspace, pair: tuple[int, int], away: Vector, x: Vector, y: Vector, count: int
) -> int:
    """Points of a shape and the segment from x to y, looked for from the direction `away`. Where they are deep, there
    may be a shorter way out: it is looked for from the point that is nearest to the middle of the shape, too."""
    i = pair[0]
    least, last = _points_from(G, work, pair, away, count)
    if least < -DEEP * G.outer[i]:
        middle = (work.shapes[i, 12], work.shapes[i, 13], work.shapes[i, 14])
        way = minus(y, x)
        part = min(max(dot(minus(middle, x), way) / dot(way, way), 0.0), 1.0)
        shorter, last = _points_from(G, work, pair, minus(middle, plus(x, part, way)), count)
        if not shorter > least:
            least, last = _points_from(G, work, pair, away, count)
    return last


@compiled
def _points_from(G: Geometry, work: Workspace, pair: tuple[int, int], away: Vector, count: int) -> tuple[float, int]:
    """(the least gap [m], how many rows there are then or -1)."""
    (i, k) = pair
    least = math.inf
    for a in range(3):
        work.shapes[k + 1, 12 + a] = work.shapes[i, 12 + a] - away[a]
    last = points_of_two(G, work, i, k + 1, count)
    for c in range(count, last):
        least = min(least, work.floats[c, row_at.GAP])
    return least, last


@compiled
def _is_there(work: Workspace, first: int, last: int, c: int, slack: float) -> bool:
    """Whether a row from the first to before the last is of the same point and normal as row c."""
    there = False
    x = _row_vector(work, c, row_at.POINT)
    n = _row_vector(work, c, row_at.NORMAL_AT)
    for d in range(first, last):
        way = minus(x, _row_vector(work, d, row_at.POINT))
        m = _row_vector(work, d, row_at.NORMAL_AT)
        sign = 1.0 if work.ints[c, row_at.BODY] == work.ints[d, row_at.BODY] else -1.0
        change = plus(n, -sign, m)
        there = there or (dot(way, way) <= slack * slack and dot(change, change) <= ALIKE * ALIKE)
    return there


@compiled
def _move(work: Workspace, c: int, d: int) -> None:
    """Row d of the tables = row c."""
    for a in range(row_at.CONTACT_INTS):
        work.ints[d, a] = work.ints[c, a]
    for a in range(row_at.CONTACT_COLUMNS):
        work.floats[d, a] = work.floats[c, a]
