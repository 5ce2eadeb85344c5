"""Balls and capsules (rounded segments): with each other, and balls with boxes, in closed form.

Source: Ericson, Real-Time Collision Detection (2005), 5.1.3 and 5.1.9, for segments that are not parallel.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, perpendicular_to

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Pair, Vector

AT_END = 1e-12
PARALLEL = 1e-2
"""Sine of the angle [rad] below which two capsules touch along a line, whose ends are looked at."""


@compiled
def _clamped(part: float) -> float:
    return min(max(part, 0.0), 1.0)


@compiled
def round_points(A: Floats, a: Floats, B: Floats, b: Floats, out: Floats) -> int:
    """Where two rounded segments are nearest: two points where they are parallel; returns how many.

    `A`, `B` (12,): placements; `a`, `b` (3,): radius and half length. Rows of `out`: point half way, normal towards the
    first, gap, nan for the centre, and what touches: a line inside a segment, a point at its end.
    """
    d0 = 2.0 * a[1] * A[2]
    d1 = 2.0 * a[1] * A[5]
    d2 = 2.0 * a[1] * A[8]
    e0 = 2.0 * b[1] * B[2]
    e1 = 2.0 * b[1] * B[5]
    e2 = 2.0 * b[1] * B[8]
    p0 = A[9] - 0.5 * d0
    p1 = A[10] - 0.5 * d1
    p2 = A[11] - 0.5 * d2
    q0 = B[9] - 0.5 * e0
    q1 = B[10] - 0.5 * e1
    q2 = B[11] - 0.5 * e2
    r0 = p0 - q0
    r1 = p1 - q1
    r2 = p2 - q2
    aa = d0 * d0 + d1 * d1 + d2 * d2
    ee = e0 * e0 + e1 * e1 + e2 * e2
    both = d0 * e0 + d1 * e1 + d2 * e2
    c, f = d0 * r0 + d1 * r1 + d2 * r2, e0 * r0 + e1 * r1 + e2 * r2
    first, second, count = _parts(aa, ee, both, c, f)
    for k in range(count):
        s = first if k == 0 else second
        t = _clamped((both * s + f) / ee) if ee > 0.0 else 0.0
        if count == 1 and aa > 0.0 and ee > 0.0:
            s = _clamped((both * t - c) / aa)
        x = p0 + s * d0 - q0 - t * e0
        y = p1 + s * d1 - q1 - t * e1
        z = p2 + s * d2 - q2 - t * e2
        distance = math.sqrt(x * x + y * y + z * z)
        gap = distance - a[0] - b[0]
        if distance > 0.0:
            x = x / distance
            y = y / distance
            z = z / distance
        else:
            x, y, z = _across((d0, d1, d2), (e0, e1, e2))
        half = b[0] + 0.5 * gap
        out[k, 0] = q0 + t * e0 + half * x
        out[k, 1] = q1 + t * e1 + half * y
        out[k, 2] = q2 + t * e2 + half * z
        out[k, 3] = x
        out[k, 4] = y
        out[k, 5] = z
        out[k, 6] = gap
        write_features(
            out, k, (A, B), (2, 2), (_is_inside(s) and a[1] > 0.0, _is_inside(t) and b[1] > 0.0), (a[0], b[0])
        )
    return count


@compiled
def _is_inside(part: float) -> bool:
    """Whether this part of the way along a segment is not one of its ends."""
    return AT_END < part < 1.0 - AT_END


@compiled
def write_features(
    out: Floats, k: int, placed: tuple[Floats, Floats], axes: tuple[int, int], lines: tuple[bool, bool], rounded: Pair
) -> None:
    """What touches in row k of `out`: of either side a line along an axis of its placement, or a point; and how they
    are rounded."""
    out[k, 7] = out[k, 8] = out[k, 9] = math.nan
    for a in range(3):
        out[k, 10 + a] = placed[0][3 * a + axes[0]] if lines[0] else 0.0
        out[k, 13 + a] = placed[1][3 * a + axes[1]] if lines[1] else 0.0
    out[k, 16], out[k, 17] = rounded


@compiled
def _parts(aa: float, ee: float, both: float, c: float, f: float) -> tuple[float, float, int]:
    """(part of the way along the first segment, another where they are side by side, how many of them)."""
    if aa == 0.0:
        return 0.0, 0.0, 1
    if ee == 0.0:
        return _clamped(-c / aa), 0.0, 1
    denominator = aa * ee - both * both
    if denominator <= PARALLEL * PARALLEL * aa * ee:
        low, high = _clamped(min(-c / aa, (both - c) / aa)), _clamped(max(-c / aa, (both - c) / aa))
        return low, high, 1 if low == high else 2
    return _clamped((both * f - c * ee) / denominator), 0.0, 1


@compiled
def _across(d: Vector, e: Vector) -> Vector:
    """A unit vector perpendicular to two segments that cross each other, or to one of them, or up."""
    n = cross(d, e)
    length = math.sqrt(dot(n, n))
    if length > 0.0:
        return n[0] / length, n[1] / length, n[2] / length
    if dot(d, d) > 0.0:
        return perpendicular_to(d)
    return perpendicular_to(e) if dot(e, e) > 0.0 else (0.0, 0.0, 1.0)


@compiled
def ball_on_box(A: Floats, radius: float, B: Floats, h: Floats, out: Floats) -> int:
    """The point in which a ball is nearest to a box, wherever on the box that is; with its centre in the box, the face
    that is nearest.

    `A`, `B` (12,): placements of ball and box; `h` (3,): half edges. out[0]: as in `round_points`; over a face the
    centre is the ball's.
    """
    t0 = A[9] - B[9]
    t1 = A[10] - B[10]
    t2 = A[11] - B[11]
    square = 0.0
    beyond = 0
    face = 0
    edge = 0
    nearest = -math.inf
    n0 = n1 = n2 = 0.0
    for k in range(3):
        inside = B[k] * t0 + B[3 + k] * t1 + B[6 + k] * t2
        away = inside - min(max(inside, -h[k]), h[k])
        square += away * away
        beyond += 1 if away != 0.0 else 0
        edge = edge if away != 0.0 else k
        n0 = n0 + away * B[k]
        n1 = n1 + away * B[3 + k]
        n2 = n2 + away * B[6 + k]
        if abs(inside) - h[k] > nearest:
            face = k
            nearest = abs(inside) - h[k]
    distance = math.sqrt(square)
    if beyond <= 1:
        side = 1.0 if B[face] * t0 + B[3 + face] * t1 + B[6 + face] * t2 >= 0.0 else -1.0
        n0 = side * B[face]
        n1 = side * B[3 + face]
        n2 = side * B[6 + face]
        distance = nearest
    else:
        n0 = n0 / distance
        n1 = n1 / distance
        n2 = n2 / distance
    gap = distance - radius
    half = radius + 0.5 * gap
    out[0, 0], out[0, 1], out[0, 2] = A[9] - half * n0, A[10] - half * n1, A[11] - half * n2
    out[0, 3] = n0
    out[0, 4] = n1
    out[0, 5] = n2
    out[0, 6] = gap
    if beyond <= 1:
        out[0, 7], out[0, 8], out[0, 9] = A[9], A[10], A[11]
        for c in range(10, 18):
            out[0, c] = 0.0
    else:
        write_features(out, 0, (A, B), (0, edge), (False, beyond == 2), (radius, 0.0))
    return 1
