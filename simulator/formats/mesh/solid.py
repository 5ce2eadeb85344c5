"""The solid body that a mesh encloses.

A closed surface is summed up from the tetrahedra between its triangles and a point, with the sign of each (divergence
theorem; F. Tonon, "Explicit exact formulas for the 3-D tetrahedron inertia tensor in terms of its vertex coordinates",
J. Math. Stat. 1, 2005). A tetrahedron from the origin to a, b, c with d = det[a b c] has the volume d / 6, the first
moment d / 24 (a + b + c) and the second moment d / 120 (s s^T + a a^T + b b^T + c c^T), s = a + b + c. Where a surface
has gaps, or triangles that face the wrong way, the tetrahedra from the centre of its area are all counted as positive,
which is exact for what is convex and too much for what is not (as MuJoCo's `inertia="legacy"` of a mesh).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.formats.mesh.loader import TriangleMesh
    from simulator.spatial.arrays import Array


SAME_POINT = 1e-6
"""Vertices nearer than this part of the size of the mesh are one: STL repeats each of them."""
FLAT = 1e-9
"""A volume below this part of that of the bounding cube is none."""


def solid_of_mesh(mesh: TriangleMesh) -> tuple[float, Array, Array] | None:
    """Volume [m^3], centre of mass (3,) [m] and inertia about it per kilogram (3, 3) [m^2]; None where the mesh
    encloses nothing."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    return solid_of_corners(mesh.vertices[mesh.triangles], closed=size > 0.0 and _is_closed(mesh, size))


def solid_of_corners(corners: Array, *, closed: bool = True) -> tuple[float, Array, Array] | None:
    """As `solid_of_mesh`, of triangles (n, 3, 3) [m]; `closed`: they leave no gaps, and all of them face alike."""
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    if not size > 0.0:
        return None
    centre = _centre_of_area(corners)
    a, b, c = np.moveaxis(corners - centre, 1, 0)
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    if not (closed and six_volumes.sum() > 0.0):
        six_volumes = np.abs(six_volumes)
    volume = float(six_volumes.sum()) / 6.0
    if not volume > FLAT * size**3:
        return None
    total = a + b + c
    offset = six_volumes @ total / 24.0 / volume
    second = sum(np.einsum("i,ij,ik->jk", six_volumes, part, part) for part in (total, a, b, c)) / 120.0 / volume
    about_centre = second - np.outer(offset, offset)
    return volume, centre + offset, np.trace(about_centre) * np.eye(3) - about_centre


def _centre_of_area(corners: Array) -> Array:
    """Of triangles, shape (n, 3, 3); the mean of the corners where they have no area."""
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    middles: Array = corners.mean(axis=1)
    centre: Array = areas @ middles / areas.sum() if areas.sum() > 0.0 else middles.mean(axis=0)
    return centre


def _is_closed(mesh: TriangleMesh, size: float) -> bool:
    """Whether every edge is run through as often in one direction as in the other: no gaps, and all triangles face
    alike."""
    keys = np.round((mesh.vertices - mesh.vertices.min(axis=0)) / (size * SAME_POINT)).astype(np.int64)
    _, number = np.unique(keys, axis=0, return_inverse=True)
    corners = number.reshape(-1)[mesh.triangles].astype(np.int64)
    starts = corners.reshape(-1)
    ends = np.roll(corners, -1, axis=1).reshape(-1)
    count = int(number.max()) + 1
    forward, backward = np.sort(starts * count + ends), np.sort(ends * count + starts)
    return bool(np.array_equal(forward, backward))
