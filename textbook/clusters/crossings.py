"""Spatial cross products and block-diagonal products, row by row, without a Python loop over bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def cross_motions(v: Array, m: Array) -> Array:
    """v x m of motions stacked body by body, shapes (6N,) (RBDA 2.31)."""
    V, M = v.reshape(-1, 6), m.reshape(-1, 6)
    result = np.empty_like(M)
    result[:, :3] = cross(V[:, :3], M[:, :3])
    result[:, 3:] = cross(V[:, :3], M[:, 3:]) + cross(V[:, 3:], M[:, :3])
    return result.ravel()


def cross_forces(v: Array, f: Array) -> Array:
    """v x* f of forces stacked body by body, shapes (6N,) (RBDA 2.32)."""
    V, F = v.reshape(-1, 6), f.reshape(-1, 6)
    result = np.empty_like(F)
    # v x* = −(v x)ᵀ: power f · m stays when both are carried along with v.
    result[:, :3] = cross(V[:, :3], F[:, :3]) + cross(V[:, 3:], F[:, 3:])
    result[:, 3:] = cross(V[:, :3], F[:, 3:])
    return result.ravel()


def blockwise(inertias: Array, m: Array) -> Array:
    """blkdiag(I) m, shapes (N, 6, 6) and (6N,)."""
    result: Array = (inertias @ m.reshape(-1, 6, 1)).ravel()
    return result


def block_diagonal(inertias: Array) -> Array:
    """Blocks (N, 6, 6) on the diagonal of a (6N, 6N) matrix."""
    n = len(inertias)
    result = np.zeros((6 * n, 6 * n))
    for i in range(n):
        result[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = inertias[i]
    return result
