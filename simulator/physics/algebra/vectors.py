"""Vectors of three numbers as tuples, for kernels that make no arrays, and columns cleared and copied."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector

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
def copy(source: Floats, target: Floats) -> None:
    """target = source, of any length."""
    for a in range(source.shape[0]):
        target[a] = source[a]


@compiled
def vector_at(F: Floats, i: int) -> Vector:
    """The three numbers from i on."""
    return F[i], F[i + 1], F[i + 2]


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
