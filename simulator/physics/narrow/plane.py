"""Shapes over planes: a plane touches a convex shape at its lowest points.

Every corner, every cap and four points of every rim are tested, each time anew, so that nothing rocks or yaws on a
plane.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, perpendicular_to, placed, rotated
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import CURVED, normal_of, point_of
from simulator.physics.narrow.nearest import ellipsoid_point
from simulator.physics.narrow.workspace import ACROSS, ALONG, GAP, SIDES, WHICH, keep_support
from simulator.physics.shapes.friction import combined, given_between, in_columns, is_across, is_even, twisting
from simulator.physics.shapes.kinds import ELLIPSOID

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Floats, Floats2, Pair, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.friction import Friction, Given
    from simulator.physics.shapes.geometry import Geometry

UPRIGHT = 1e-9
"""A rim that is tilted less than this [rad] has no lowest point; any four do."""


@compiled
def corner_on_plane(X: Floats, corner: Floats, c: int, rounding: float, plane: Floats, out: Floats) -> float:
    """out[0] = (point half way, normal, gap, centre) of a rounded corner of a body at `X` (12,) over a plane (6,);
    returns the gap [m]."""
    x = X[9] + X[0] * corner[c, 0] + X[1] * corner[c, 1] + X[2] * corner[c, 2]
    y = X[10] + X[3] * corner[c, 0] + X[4] * corner[c, 1] + X[5] * corner[c, 2]
    z = X[11] + X[6] * corner[c, 0] + X[7] * corner[c, 1] + X[8] * corner[c, 2]
    n0 = plane[3]
    n1 = plane[4]
    n2 = plane[5]
    gap = (x - plane[0]) * n0 + (y - plane[1]) * n1 + (z - plane[2]) * n2 - rounding
    _write_point(out, 0, (x, y, z), plane, rounding, gap)
    out[0, 7] = x
    out[0, 8] = y
    out[0, 9] = z
    return gap


@compiled
def _write_point(out: Floats, k: int, x: Vector, plane: Floats, over: float, gap: float) -> None:
    """Row k of `out`: the point half way into the gap below x, which is `over` away from the surface of its body;
    normal, gap."""
    half = over + 0.5 * gap
    for a in range(3):
        out[k, a], out[k, 3 + a] = x[a] - half * plane[3 + a], plane[3 + a]
    out[k, 6] = gap


@compiled
def rim_on_plane(X: Floats, rim: Floats, c: int, axis: Floats, radius: float, plane: Floats, out: Floats) -> None:
    """out[:4] = of a rim the lowest point, the highest, and the two between them; their centre is what they turn about
    while the rim rolls: the rim's centre, or the points themselves where it is upright; and its axis, or zeros. `axis`
    (3,) and the rim's centre in the frame of the body."""
    n0 = plane[3]
    n1 = plane[4]
    n2 = plane[5]
    a0 = X[0] * axis[0] + X[1] * axis[1] + X[2] * axis[2]
    a1 = X[3] * axis[0] + X[4] * axis[1] + X[5] * axis[2]
    a2 = X[6] * axis[0] + X[7] * axis[1] + X[8] * axis[2]
    along = a0 * n0 + a1 * n1 + a2 * n2
    d0 = along * a0 - n0
    d1 = along * a1 - n1
    d2 = along * a2 - n2
    square = d0 * d0 + d1 * d1 + d2 * d2
    upright = math.sqrt(square) <= UPRIGHT
    if upright:
        for b in range(2):
            along = X[b] * a0 + X[3 + b] * a1 + X[6 + b] * a2
            d0 = X[b] - along * a0
            d1 = X[3 + b] - along * a1
            d2 = X[6 + b] - along * a2
            square = d0 * d0 + d1 * d1 + d2 * d2
            if square >= 0.25:
                break
    scale = radius / math.sqrt(square)
    d0 = scale * d0
    d1 = scale * d1
    d2 = scale * d2
    s0 = a1 * d2 - a2 * d1
    s1 = a2 * d0 - a0 * d2
    s2 = a0 * d1 - a1 * d0
    c0 = X[9] + X[0] * rim[c, 0] + X[1] * rim[c, 1] + X[2] * rim[c, 2]
    c1 = X[10] + X[3] * rim[c, 0] + X[4] * rim[c, 1] + X[5] * rim[c, 2]
    c2 = X[11] + X[6] * rim[c, 0] + X[7] * rim[c, 1] + X[8] * rim[c, 2]
    for k in range(4):
        sign = 1.0 if k % 2 == 0 else -1.0
        u0, u1, u2 = (d0, d1, d2) if k < 2 else (s0, s1, s2)
        x = c0 + sign * u0
        y = c1 + sign * u1
        z = c2 + sign * u2
        gap = (x - plane[0]) * n0 + (y - plane[1]) * n1 + (z - plane[2]) * n2
        _write_point(out, k, (x, y, z), plane, 0.0, gap)
        out[k, 7], out[k, 8], out[k, 9] = (x, y, z) if upright else (c0, c1, c2)
        out[k, 10], out[k, 11], out[k, 12] = (0.0, 0.0, 0.0) if upright else (a0, a1, a2)


@compiled
def ellipsoid_on_plane(X: Floats, radii: Floats, plane: Floats, out: Array2) -> None:
    """out[0] = the lowest point of an ellipsoid at `X` (12,) over a plane: point half way, normal, gap, and in place of
    a rounding how the point moves over the ellipsoid."""
    n = (plane[3], plane[4], plane[5])
    x = ellipsoid_point(X, radii, (-n[0], -n[1], -n[2]))
    gap = (x[0] - plane[0]) * n[0] + (x[1] - plane[1]) * n[1] + (x[2] - plane[2]) * n[2]
    _write_point(out, 0, x, plane, 0.0, gap)
    bend_of_ellipsoid(X, radii, n, out[0], 10)
    for a in range(3):
        out[0, 7 + a] = x[a]


@compiled
def bend_of_ellipsoid(X: Floats, radii: Floats, n: Vector, row: Floats, first: int) -> None:
    """Eight numbers of a row from `first` on = how the lowest point over a face with the normal n moves over an
    ellipsoid at `X` while that turns, and CURVED: with A^2 the squares of its radii in the world's axes, the point
    furthest along d is s = A^2 d / |A d|, and ds = (A^2 - s s^T) / |A d| dd."""
    x = ellipsoid_point(X, radii, (-n[0], -n[1], -n[2]))
    s = (x[0] - X[9], x[1] - X[10], x[2] - X[11])
    depth = -(s[0] * n[0] + s[1] * n[1] + s[2] * n[2])  # |A n|
    for k in range(6):
        a, b = (k, k) if k < 3 else ((0, k - 2) if k < 5 else (1, 2))
        square = 0.0
        for c in range(3):
            square += radii[c] * radii[c] * X[3 * a + c] * X[3 * b + c]
        row[first + k] = (square - s[a] * s[b]) / depth
    row[first + 6] = CURVED
    row[first + 7] = 0.0


# -- shapes on a plane -------------------------------------------------------------------------------------------------


NAMES = 32768
"""Names that the points of one pair of shapes may have."""


@compiled
def write_contact(
    work: Workspace, c: int, nodes: tuple[int, int], bodies: tuple[int, int], name: int, surface: Pair, k: int
) -> None:
    """Line c of the tables: row k of work.out, of these nodes and bodies, with its name, friction and restitution."""
    CI = work.ints
    CF = work.floats
    out = work.out
    CI[c, row_at.FIRST], CI[c, row_at.SECOND] = nodes
    CI[c, row_at.BODY], CI[c, row_at.BODY + 1], CI[c, row_at.NAME] = bodies[0], bodies[1], name
    for a in range(7):
        CF[c, a] = out[k, a]
    CF[c, row_at.MU], CF[c, row_at.RESTITUTION] = surface
    CF[c, row_at.RATIO] = 1.0
    CF[c, row_at.SLIP] = 0.0
    CF[c, row_at.SLIP + 1] = 0.0
    for a in range(row_at.TWISTING, row_at.DAMPED + 1):
        CF[c, a] = 0.0
    for a in range(3):
        CF[c, row_at.CENTRE + a] = out[k, 7 + a]
    for a in range(8):
        CF[c, row_at.AXIS + a] = out[k, 10 + a]


@compiled
def friction_of_shape(G: Geometry, i: int) -> Friction:
    """As `shapes.friction.combined` takes it."""
    return G.friction[i], G.friction2[i], G.slip[i], G.slip2[i], G.directed[i]


@compiled
def give_surface(G: Geometry, work: Workspace, first: int, last: int, friction: Friction, given: Given) -> None:
    """Lines of the tables from `first` to before `last`, which are of two surfaces, get their friction, where the
    direction is along the normal, that along it everywhere; and what else is given."""
    CI = work.ints
    CF = work.floats
    even = is_even(friction)
    d = (0.0, 0.0, 0.0)
    carrier = node = -1
    if not even:
        u = G.direction[friction[4]]
        carrier = G.direction_body[friction[4]]
        node = G.direction_node[friction[4]]
        d = rotated(work.bodies[carrier], 0, (u[0], u[1], u[2]))
    mu, ratio = in_columns(friction)
    for c in range(first, last):
        CF[c, row_at.MU], CF[c, row_at.SLIP], CF[c, row_at.SLIP + 1] = friction[0], friction[2], friction[2]
        CF[c, row_at.TWISTING] = twisting(given, CF[c, row_at.GAP])
        for a in range(4):
            CF[c, row_at.SPIN + a] = given[3 + a]
        if not even and is_across(d, normal_of(CF, c)):
            CF[c, row_at.MU], CF[c, row_at.RATIO], CF[c, row_at.SLIP + 1] = mu, ratio, friction[3]
            CI[c, row_at.OF_DIRECTION], CI[c, row_at.OF_DIRECTION + 1] = node, carrier
            for a in range(3):
                CF[c, row_at.DIRECTION + a] = d[a]


@compiled
def on_planes(G: Geometry, work: Workspace, velocities: Floats2, time: float) -> int:
    """Fill the tables of `work` with the points of all shapes over planes that could meet within `time` [s]; returns
    how many there are, or -1 where there is no room for them."""
    count = 0
    n = G.body.shape[0]
    work.out[:, 10:] = 0.0
    for p in range(G.plane.shape[0]):
        plane = work.planes[p]
        for i in range(n):
            if not G.plane_meets[p, i]:
                continue
            middle = (
                (work.shapes[i, 12] - plane[0]) * plane[3]
                + (work.shapes[i, 13] - plane[1]) * plane[4]
                + (work.shapes[i, 14] - plane[2]) * plane[5]
            )
            reach = work.reach[i]
            if G.plane_body[p] != 0:
                reach += time * _speed_of_plane(G, work, velocities, p, i)
            if middle - G.outer[i] >= reach:
                continue
            count = _shape_on_plane(G, work, p, i, reach, count)
            if count < 0:
                return -1
    return count


@compiled
def _speed_of_plane(G: Geometry, work: Workspace, velocities: Floats2, p: int, i: int) -> float:
    """How fast the body of a plane moves at most [m/s] where shape i is."""
    b = G.plane_body[p]
    X, box = work.bodies[b], G.around[i]
    centre = placed(X, (G.centre[b, 0], G.centre[b, 1], G.centre[b, 2]))
    way = (work.shapes[i, 12] - centre[0], work.shapes[i, 13] - centre[1], work.shapes[i, 14] - centre[2])
    turning = (velocities[b, 0], velocities[b, 1], velocities[b, 2])
    across = cross(turning, way)
    v = (velocities[b, 3] + across[0], velocities[b, 4] + across[1], velocities[b, 5] + across[2])
    half = math.sqrt(box[3] * box[3] + box[4] * box[4] + box[5] * box[5])
    return math.sqrt(dot(v, v)) + half * math.sqrt(dot(turning, turning))


@compiled
def _points_of_rim(
    work: Workspace,
    count: int,
    nodes: tuple[int, int],
    bodies: tuple[int, int],
    name: int,
    surface: tuple[float, float],
    reach: float,
) -> int:
    """Write those of the four points of a rim that are within reach behind the first `count`; -1 without room."""
    for k in range(4):
        if work.out[k, 6] < reach:
            if count >= work.ints.shape[0]:
                return -1
            write_contact(work, count, nodes, bodies, name + k, surface, k)
            count += 1
    return count


@compiled
def _shape_on_plane(G: Geometry, work: Workspace, p: int, i: int, reach: float, count: int) -> int:
    """Points of one shape that are within reach of one plane, behind the first `count`."""
    n = G.body.shape[0]
    b = G.body[i]
    first = count
    X = work.bodies[b]
    out = work.out
    pair = (n * n + p * n + i) * NAMES
    plane = work.planes[p]
    nodes = (G.node[i], G.plane_node[p])
    bodies = (b, G.plane_body[p])
    surface = (min(G.friction[i], G.plane_friction[p]), G.plane_restitution[p, i])
    begin = G.corner_begin[i]
    end = G.corner_begin[i + 1]
    if G.kind[i] == ELLIPSOID:
        end = begin
        ellipsoid_on_plane(work.shapes[i], G.size[i], plane, out)
        if out[0, 6] < reach:
            if count >= work.ints.shape[0]:
                return -1
            write_contact(work, count, nodes, bodies, pair, surface, 0)
            count += 1
        out[0, 10:] = 0.0
    for c in range(begin, end):
        if corner_on_plane(X, G.corner, c, G.rounding[i], plane, out) < reach:
            if count >= work.ints.shape[0]:
                return -1
            write_contact(work, count, nodes, bodies, pair + c - begin, surface, 0)
            count += 1
    if count - first > SIDES:
        count = thin((plane[3], plane[4], plane[5]), work, first, count)
    for c in range(G.rim_begin[i], G.rim_begin[i + 1]):
        rim_on_plane(X, G.rim, c, G.rim_axis[i], G.rim_radius[i], plane, out)
        name = pair + NAMES // 2 + 4 * (c - G.rim_begin[i])
        count = _points_of_rim(work, count, nodes, bodies, name, surface, reach)
        if count < 0:
            return -1
    out[:, 10:] = 0.0
    if not (G.plain[i] and G.plane_plain[p]):
        ground = (G.plane_friction[p], G.plane_friction2[p], G.plane_slip[p], G.plane_slip2[p], G.plane_directed[p])
        given = given_between(G.given[i], G.plane_given[p])
        give_surface(G, work, first, count, combined(friction_of_shape(G, i), ground), given)
    return count


@compiled
def thin(n: Vector, work: Workspace, first: int, count: int) -> int:
    """Keep of the points from `first` on, whose normals are n or almost, those that hold the body; returns where they
    end then."""
    CI = work.ints
    CF = work.floats
    near = work.near
    u = perpendicular_to(n)
    w = cross(n, u)
    for c in range(first, count):
        point = point_of(CF, c)
        r = c - first
        near[r, ACROSS], near[r, ALONG] = dot(u, point), dot(w, point)
        near[r, GAP] = CF[c, row_at.GAP]
        near[r, WHICH] = c
    kept = keep_support(near, count - first)
    for r in range(kept):
        c = int(near[r, WHICH])
        for a in range(row_at.CONTACT_INTS):
            CI[first + r, a] = CI[c, a]
        for a in range(row_at.CONTACT_COLUMNS):
            CF[first + r, a] = CF[c, a]
    return first + kept
