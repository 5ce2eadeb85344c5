"""How a picture lies on plain shapes: places (u, v) of vertices in it, (0, 0) its lower left and (1, 1) its upper right
corner.

As in Gazebo (gz-common, MeshManager): a whole picture on each face of a box and on a plane, wound once around
everything round.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.shape import Box, Plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.model.shape import Shape

BOX_SIDES: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]] = {
    (0, -1): ((1, -1), (2, 1)),
    (0, 1): ((1, 1), (2, 1)),
    (1, -1): ((0, 1), (2, 1)),
    (1, 1): ((0, -1), (2, 1)),
    (2, -1): ((1, -1), (0, -1)),
    (2, 1): ((1, -1), (0, 1)),
}
"""Of the side whose outer normal is along (axis, sign): where u and v grow, as (axis, sign)."""
FLAT = 1e-9

Covered = tuple["NDArray[np.float64]", "NDArray[np.int64]", "NDArray[np.float64]"]
"""Vertices (n, 3), triangles (m, 3) and places in the picture (n, 2)."""


def covered(vertices: NDArray[np.float64], triangles: NDArray[np.int64], shape: Shape) -> Covered:
    """The triangles of a plain shape with three vertices of their own each, and the places of these in the picture."""
    corners = vertices[triangles]
    if isinstance(shape, Box):
        uv = _on_box(corners, np.asarray(shape.size))
    elif isinstance(shape, Plane):
        uv = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])[triangles]
    else:
        uv = _around(corners)
    return corners.reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3), uv.reshape(-1, 2)


def _on_box(corners: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """A whole picture on each side (m, 3, 2), upright where the side is."""
    share = corners / size
    uv = np.zeros((len(corners), 3, 2))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for (axis, sign), directions in BOX_SIDES.items():
        side = np.argmax(np.abs(normals), axis=1) == axis
        side &= np.sign(normals[:, axis]) == sign
        for i, (along, towards) in enumerate(directions):
            uv[side, :, i] = 0.5 + towards * share[side][:, :, along]
    return uv


def _around(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Once around a shape of revolution about z (m, 3, 2): u grows against the clock from +x, v upwards along the
    profile.

    Flat ends have the picture as seen from outside, with the shape's circle touching its borders.
    """
    radius = np.linalg.norm(corners[:, :, :2], axis=2)
    height = corners[:, :, 2]
    ends = np.ptp(height, axis=1) < FLAT * max(float(np.ptp(height)), FLAT)
    u = np.arctan2(corners[:, :, 1], corners[:, :, 0]) / math.tau % 1.0
    u = np.where(u - u.max(axis=1, keepdims=True) < -0.5, u + 1.0, u)  # the triangles that close the circle
    pole = radius < FLAT * max(float(radius.max()), FLAT)
    others = np.where(pole, 0.0, u).sum(axis=1, keepdims=True) / np.maximum((~pole).sum(axis=1, keepdims=True), 1)
    u = np.where(pole, others, u)
    uv = np.stack([u, _along_profile(radius, height, ends)], axis=2)
    flat = 0.5 + corners[:, :, :2] / (2.0 * max(float(radius.max()), FLAT))
    flat[:, :, 0] = np.where(height < 0.0, 1.0 - flat[:, :, 0], flat[:, :, 0])
    return np.where(ends[:, None, None], flat, uv)


def _along_profile(
    radius: NDArray[np.float64], height: NDArray[np.float64], ends: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The length of the profile below each corner (m, 3), as a share of the whole; flat ends do not count."""
    levels, first, inverse = np.unique(np.round(height[~ends].reshape(-1), 9), return_index=True, return_inverse=True)
    radii = radius[~ends].reshape(-1)[first]
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(radii), np.diff(levels)))])
    v = np.zeros_like(height)
    v[~ends] = (lengths / max(float(lengths[-1]), FLAT))[inverse.reshape(-1)].reshape(-1, 3)
    return v
