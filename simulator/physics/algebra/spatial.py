"""Rotations and spatial vectors as tuples, and rows of tables as such.

A spatial vector is a twist (angular velocity, velocity of the origin) or a wrench (moment about the origin, force). An
inertia about an origin is m, h = m c, and xx yy zz xy xz yz.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Floats3, Rotation, Spatial, Vector


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
