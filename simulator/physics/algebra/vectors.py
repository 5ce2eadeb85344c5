"""Vectors, rotations and spatial vectors as tuples, for kernels that make no arrays; rows of tables as such, and
columns cleared and copied.

A spatial vector is a twist (angular velocity, velocity of the origin) or a wrench (moment about the origin, force). An
inertia about an origin is m, h = m c, and xx yy zz xy xz yz.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints, Rotation, Spatial, Vector

Numbers = TypeVar("Numbers", "Floats", "Ints")

ALONG = 0.36
"""Square of the cosine between a vector and x above which it is rather along that."""


@compiled
def dot(u: Vector, v: Vector) -> float:
    """u . v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@compiled
def cross(u: Vector, v: Vector) -> Vector:
    """u x v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@compiled
def minus(u: Vector, v: Vector) -> Vector:
    """u - v."""
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


@compiled
def plus(u: Vector, factor: float, v: Vector) -> Vector:
    """u + factor v."""
    return u[0] + factor * v[0], u[1] + factor * v[1], u[2] + factor * v[2]


@compiled
def times(factor: float, u: Vector) -> Vector:
    """factor u."""
    return factor * u[0], factor * u[1], factor * u[2]


@compiled
def clear(x: Floats) -> None:
    """x = 0, of any length."""
    for a in range(x.shape[0]):
        x[a] = 0.0


@compiled
def copy(source: Numbers, target: Numbers) -> None:
    """target = source, of any length: as much of it as there is of both."""
    for a in range(min(source.shape[0], target.shape[0])):
        target[a] = source[a]


@compiled
def vector_at(numbers: Floats, i: int) -> Vector:
    """The three numbers from i on."""
    return numbers[i], numbers[i + 1], numbers[i + 2]


@compiled
def rotated(R: Floats, o: int, u: Vector) -> Vector:
    """R u, of the rotation matrix whose nine numbers are at o, row by row."""
    return (
        R[o] * u[0] + R[o + 1] * u[1] + R[o + 2] * u[2],
        R[o + 3] * u[0] + R[o + 4] * u[1] + R[o + 5] * u[2],
        R[o + 6] * u[0] + R[o + 7] * u[1] + R[o + 8] * u[2],
    )


@compiled
def rotated_back(R: Floats, o: int, u: Vector) -> Vector:
    """R^T u."""
    return (
        R[o] * u[0] + R[o + 3] * u[1] + R[o + 6] * u[2],
        R[o + 1] * u[0] + R[o + 4] * u[1] + R[o + 7] * u[2],
        R[o + 2] * u[0] + R[o + 5] * u[1] + R[o + 8] * u[2],
    )


@compiled
def placed(X: Floats, u: Vector) -> Vector:
    """A point of the frame at X (12,), a rotation matrix and an origin, in the world."""
    x = rotated(X, 0, u)
    return x[0] + X[9], x[1] + X[10], x[2] + X[11]


@compiled
def rotated_by_quaternion(q: tuple[float, float, float, float], double: float, u: Vector) -> Vector:
    """u, rotated by the quaternion (x, y, z, w), where `double` is twice the inverse of its squared length."""
    # v + 2 q x (q x v + w v) / |q|^2: two cross products, no matrix.
    t = times(double, cross((q[0], q[1], q[2]), u))
    return (
        u[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1],
        u[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2],
        u[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0],
    )


@compiled
def turned_by(angle: Vector, v: Vector) -> Vector:
    """v, turned by a small angle about its direction, by Cayley's rotation: lengths stay, the angle is right to the
    third order."""
    half = (0.5 * angle[0], 0.5 * angle[1], 0.5 * angle[2])
    scale = 2.0 / (1.0 + dot(half, half))
    across = cross(half, v)
    way = cross(half, (v[0] + across[0], v[1] + across[1], v[2] + across[2]))
    return v[0] + scale * way[0], v[1] + scale * way[1], v[2] + scale * way[2]


@compiled
def perpendicular_to(n: Vector) -> Vector:
    """A unit vector across n, which is not zero, and x, or y where n is rather along x. It does not jump where n is
    near any of the three axes: what is known of the last step along it holds in this one."""
    t = (0.0, n[2], -n[1]) if n[0] * n[0] <= ALONG * dot(n, n) else (-n[2], 0.0, n[0])
    length = math.sqrt(dot(t, t))
    return t[0] / length, t[1] / length, t[2] / length


@compiled
def row_vector(table: Floats2, i: int) -> Vector:
    """The three numbers of row i."""
    return table[i, 0], table[i, 1], table[i, 2]


@compiled
def set_vector(table: Floats2, i: int, v: Vector) -> None:
    """Row i = v."""
    table[i, 0], table[i, 1], table[i, 2] = v


@compiled
def row_spatial(table: Floats2, i: int) -> Spatial:
    """The six numbers of row i."""
    return table[i, 0], table[i, 1], table[i, 2], table[i, 3], table[i, 4], table[i, 5]


@compiled
def set_spatial(table: Floats2, i: int, v: Spatial) -> None:
    """Row i = v."""
    table[i, 0], table[i, 1], table[i, 2], table[i, 3], table[i, 4], table[i, 5] = v


@compiled
def add_spatial(table: Floats2, i: int, v: Spatial) -> None:
    """Row i += v."""
    table[i, 0] += v[0]
    table[i, 1] += v[1]
    table[i, 2] += v[2]
    table[i, 3] += v[3]
    table[i, 4] += v[4]
    table[i, 5] += v[5]


@compiled
def rotation_of(R: Floats3, i: int) -> Rotation:
    """The rotation of node i."""
    return R[i, 0, 0], R[i, 0, 1], R[i, 0, 2], R[i, 1, 0], R[i, 1, 1], R[i, 1, 2], R[i, 2, 0], R[i, 2, 1], R[i, 2, 2]


@compiled
def set_rotation(R: Floats3, i: int, A: Rotation) -> None:
    """The rotation of node i = A."""
    R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = A[0], A[1], A[2]
    R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = A[3], A[4], A[5]
    R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = A[6], A[7], A[8]


@compiled
def turn(A: Rotation, v: Vector) -> Vector:
    """A v."""
    return (
        A[0] * v[0] + A[1] * v[1] + A[2] * v[2],
        A[3] * v[0] + A[4] * v[1] + A[5] * v[2],
        A[6] * v[0] + A[7] * v[1] + A[8] * v[2],
    )


@compiled
def product(A: Rotation, B: Rotation) -> Rotation:
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@compiled
def momentum(inertia: Floats2, i: int, v: Spatial) -> Spatial:
    """I v of the inertia in row i and a twist, about the same origin: (I0 w + h x l, m l - h x w) (Featherstone, Rigid
    Body Dynamics Algorithms, 2.13)."""
    w0, w1, w2, l0, l1, l2 = v
    m = inertia[i, 0]
    h0 = inertia[i, 1]
    h1 = inertia[i, 2]
    h2 = inertia[i, 3]
    xx, yy, zz, xy, xz, yz = row_moments(inertia, i)
    return (
        xx * w0 + xy * w1 + xz * w2 + h1 * l2 - h2 * l1,
        xy * w0 + yy * w1 + yz * w2 + h2 * l0 - h0 * l2,
        xz * w0 + yz * w1 + zz * w2 + h0 * l1 - h1 * l0,
        m * l0 - h1 * w2 + h2 * w1,
        m * l1 - h2 * w0 + h0 * w2,
        m * l2 - h0 * w1 + h1 * w0,
    )


@compiled
def row_moments(inertia: Floats2, i: int) -> Spatial:
    """xx yy zz xy xz yz of the inertia in row i."""
    return inertia[i, 4], inertia[i, 5], inertia[i, 6], inertia[i, 7], inertia[i, 8], inertia[i, 9]


@compiled
def row_of(table: Floats3, i: int, j: int) -> Vector:
    """Row j of matrix i of a table."""
    return table[i, j, 0], table[i, j, 1], table[i, j, 2]


@compiled
def set_row(table: Floats3, i: int, j: int, v: Vector) -> None:
    """Row j of matrix i of a table = v."""
    table[i, j, 0], table[i, j, 1], table[i, j, 2] = v


@compiled
def twist_at(v: Spatial, r: Vector) -> Spatial:
    """The twist v, taken about a point that is r away: (w, l + w x r)."""
    return (
        v[0],
        v[1],
        v[2],
        v[3] + v[1] * r[2] - v[2] * r[1],
        v[4] + v[2] * r[0] - v[0] * r[2],
        v[5] + v[0] * r[1] - v[1] * r[0],
    )


@compiled
def scaled(factor: float, a: Spatial) -> Spatial:
    """factor a."""
    return factor * a[0], factor * a[1], factor * a[2], factor * a[3], factor * a[4], factor * a[5]


@compiled
def plus_spatial(a: Spatial, factor: float, b: Spatial) -> Spatial:
    """a + factor b."""
    return (
        a[0] + factor * b[0],
        a[1] + factor * b[1],
        a[2] + factor * b[2],
        a[3] + factor * b[3],
        a[4] + factor * b[4],
        a[5] + factor * b[5],
    )


@compiled
def moved_twist(v: Spatial, r: Vector, more: Spatial) -> Spatial:
    """`more` and the twist v, taken about a point that is r away: (w, l + w x r)."""
    return (
        more[0] + v[0],
        more[1] + v[1],
        more[2] + v[2],
        more[3] + v[3] + v[1] * r[2] - v[2] * r[1],
        more[4] + v[4] + v[2] * r[0] - v[0] * r[2],
        more[5] + v[5] + v[0] * r[1] - v[1] * r[0],
    )


@compiled
def moved_wrench(f: Spatial, r: Vector) -> Spatial:
    """The wrench f about a point at r, taken about the origin: (n + r x f, f)."""
    return (
        f[0] + r[1] * f[5] - r[2] * f[4],
        f[1] + r[2] * f[3] - r[0] * f[5],
        f[2] + r[0] * f[4] - r[1] * f[3],
        f[3],
        f[4],
        f[5],
    )


@compiled
def minmod(one: float, other: float) -> float:
    """The one that is nearer to 0, and 0 where they have different signs (van Leer 1979): what is extrapolated with it
    stays between its neighbours, so that nothing overshoots a jump."""
    if one * other <= 0.0:
        return 0.0
    return other if abs(other) < abs(one) else one
