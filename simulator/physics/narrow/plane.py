"""Shapes over planes of the world: a plane touches a convex shape at its lowest points.

Every corner, every cap and four points of every rim are tested, each time anew, so that nothing rocks or yaws on a
plane.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout.row_layout import CURVED
from simulator.physics.narrow.nearest import ellipsoid_point

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Floats, Vector

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
