"""Spatial algebra on 6-vectors and 6x6 arrays, in place. X is a motion transform [[E, 0], [B, E]]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@compiled
def transform_motion(X: Array, v: Array, out: Array) -> None:
    """out = X v."""
    for i in range(3):
        angular, linear = 0.0, 0.0
        for j in range(3):
            angular += X[i, j] * v[j]
            linear += X[i + 3, j] * v[j] + X[i, j] * v[j + 3]
        out[i] = angular
        out[i + 3] = linear


@compiled
def transform_force_back(X: Array, f: Array, out: Array) -> None:
    """out = X.T f; `out` is not `f`."""
    for j in range(6):
        out[j] = 0.0
    add_force_back(X, f, out)


@compiled
def add_force_back(X: Array, f: Array, out: Array) -> None:
    """out += X.T f."""
    for j in range(3):
        couple, force = 0.0, 0.0
        for i in range(3):
            couple += X[i, j] * f[i] + X[i + 3, j] * f[i + 3]
            force += X[i, j] * f[i + 3]
        out[j] += couple
        out[j + 3] += force


@compiled
def compose(XB: Array, XA: Array, out: Array) -> None:
    """out = XB XA for two motion transforms."""
    for i in range(3):
        for j in range(3):
            turn, shift = 0.0, 0.0
            for k in range(3):
                turn += XB[i, k] * XA[k, j]
                shift += XB[i + 3, k] * XA[k, j] + XB[i, k] * XA[k + 3, j]
            out[i, j] = turn
            out[i + 3, j + 3] = turn
            out[i + 3, j] = shift
            out[i, j + 3] = 0.0


@compiled
def add_inertia_back(X: Array, inertia: Array, scratch: Array, out: Array) -> None:
    """out += X.T I X; `scratch` (6, 6) is overwritten."""
    for i in range(6):
        for j in range(3):
            left, right = 0.0, 0.0
            for k in range(3):
                left += inertia[i, k] * X[k, j] + inertia[i, k + 3] * X[k + 3, j]
                right += inertia[i, k + 3] * X[k, j]
            # I X, then Xᵀ (I X), with the zero block of X left out.
            scratch[i, j] = left
            scratch[i, j + 3] = right
    for i in range(3):
        for j in range(6):
            top, bottom = 0.0, 0.0
            for k in range(3):
                top += X[k, i] * scratch[k, j] + X[k + 3, i] * scratch[k + 3, j]
                bottom += X[k, i] * scratch[k + 3, j]
            out[i, j] += top
            out[i + 3, j] += bottom


@compiled
def multiply(matrix: Array, v: Array, out: Array) -> None:
    """out = matrix v, for a 6x6 inertia."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * v[j]
        out[i] = total


@compiled
def copy_inertias(source: Array, out: Array) -> None:
    """out = source, (n, 6, 6); a loop compiles in a tenth of the time of a slice, whose error messages are compiled
    too."""
    for i in range(source.shape[0]):
        for j in range(6):
            for k in range(6):
                out[i, j, k] = source[i, j, k]


@compiled
def add_cross_motion(v: Array, m: Array, out: Array) -> None:
    """out += v x m (crm)."""
    out[0] += v[1] * m[2] - v[2] * m[1]
    out[1] += v[2] * m[0] - v[0] * m[2]
    out[2] += v[0] * m[1] - v[1] * m[0]
    # crm = [[ωx, 0], [vx, ωx]]: linear rows have both parts of the motion.
    out[3] += v[1] * m[5] - v[2] * m[4] + v[4] * m[2] - v[5] * m[1]
    out[4] += v[2] * m[3] - v[0] * m[5] + v[5] * m[0] - v[3] * m[2]
    out[5] += v[0] * m[4] - v[1] * m[3] + v[3] * m[1] - v[4] * m[0]


@compiled
def cross_force(v: Array, f: Array, out: Array) -> None:
    """out = v x* f (crf); `out` may not be `f`."""
    # crf = -crmᵀ: couples have both parts of the force.
    out[0] = v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4]
    out[1] = v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5]
    out[2] = v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3]
    out[3] = v[1] * f[5] - v[2] * f[4]
    out[4] = v[2] * f[3] - v[0] * f[5]
    out[5] = v[0] * f[4] - v[1] * f[3]


@compiled
def dot(a: Array, b: Array) -> float:
    """Sum of a_i b_i over six entries."""
    total = 0.0
    for i in range(6):
        total += a[i] * b[i]
    return total


@compiled
def factor(D: Array, count: int) -> bool:
    """Cholesky factor of the first `count` rows in place (lower part); False where D is not positive definite to
    round-off."""
    for j in range(count):
        diagonal = D[j, j]
        pivot = diagonal
        for k in range(j):
            pivot -= D[j, k] * D[j, k]
        # What is left of the diagonal is round-off: a freedom without inertia of its own. Catches NaN, too.
        if not pivot > 1e-14 * diagonal:
            return False
        D[j, j] = math.sqrt(pivot)
        for i in range(j + 1, count):
            total = D[i, j]
            for k in range(j):
                total -= D[i, k] * D[j, k]
            D[i, j] = total / D[j, j]
    return True
