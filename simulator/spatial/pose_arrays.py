"""Many poses at once: rows (x, y, z, qx, qy, qz, qw) of arrays with any number of dimensions before, without a Python
loop.

Cross products are written out by component: `numpy.cross` costs more than the rest of a step on the few rows that a
mechanism has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


def cross(a: Array, b: Array) -> Array:
    """Cross products along the last axis, shapes (..., 3)."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    result[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    result[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return result


def rotate(quats: Array, vectors: Array) -> Array:
    """Each vector turned by its unit quaternion, shapes (..., 4) and (..., 3)."""
    u = quats[..., :3]
    twice = 2.0 * cross(u, vectors)
    turned: Array = vectors + quats[..., 3:] * twice + cross(u, twice)
    return turned


def compose(a: Array, b: Array) -> Array:
    """X_AC = X_AB @ X_BC row by row, shapes (..., 7)."""
    u = a[..., 3:6]
    w = a[..., 6:]
    v = b[..., 3:6]
    x = b[..., 6:]
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., :3] = a[..., :3] + rotate(a[..., 3:], b[..., :3])
    result[..., 3:6] = w * v + x * u + cross(u, v)
    result[..., 6:] = w * x - np.sum(u * v, axis=-1, keepdims=True)
    return result


def matrices(poses: Array) -> Array:
    """Homogeneous matrices of rows of poses, shape (..., 4, 4) for (..., 7)."""
    x = poses[..., 3]
    y = poses[..., 4]
    z = poses[..., 5]
    w = poses[..., 6]
    result = np.zeros((*poses.shape[:-1], 4, 4))
    result[..., 0, 0] = 1 - 2 * (y * y + z * z)
    result[..., 0, 1] = 2 * (x * y - w * z)
    result[..., 0, 2] = 2 * (x * z + w * y)
    result[..., 1, 0] = 2 * (x * y + w * z)
    result[..., 1, 1] = 1 - 2 * (x * x + z * z)
    result[..., 1, 2] = 2 * (y * z - w * x)
    result[..., 2, 0] = 2 * (x * z - w * y)
    result[..., 2, 1] = 2 * (y * z + w * x)
    result[..., 2, 2] = 1 - 2 * (x * x + y * y)
    result[..., :3, 3] = poses[..., :3]
    result[..., 3, 3] = 1.0
    return result


def vec3(v: Array) -> Vec3:
    """Three numbers of an array as plain ones."""
    return float(v[0]), float(v[1]), float(v[2])
