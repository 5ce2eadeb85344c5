"""Flat faces of polytopes: of boxes, and of the convex hulls of points."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Box, Mesh
from simulator.physics.shapes.hulls import hull_of

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

    from simulator.formats.mesh.loader import TriangleMesh
    from simulator.model.shape import Shape
    from simulator.spatial.arrays import Array, Ints


FLAT = 1e-7
"""Triangles whose corners are within this part of the hull's size of one plane are one face: a file with numbers of
single precision has no flatter ones."""
_BOX_LOOPS = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
"""Corners of a box as `features.corners` counts them, of its faces at -x, +x, -y, +y, -z and +z."""


class Faces(NamedTuple):
    """Faces of a polytope: outward `normals` (f, 3), how many corners each has, `sizes` (f,), and the numbers of the
    corners around one after the other, `corners` (sum of sizes,), counterclockwise seen from outside."""

    normals: Array
    sizes: Ints
    corners: Ints

    @property
    def loops(self) -> list[Ints]:
        """The numbers of the corners around each face."""
        return np.split(self.corners, np.cumsum(self.sizes)[:-1]) if len(self.sizes) else []


def _faces(normals: list[Array], loops: list[Ints]) -> Faces:
    sizes = np.array([len(loop) for loop in loops], dtype=np.int64)
    return Faces(np.array(normals).reshape(-1, 3), sizes, np.concatenate((np.zeros(0, dtype=np.int64), *loops)))


_NONE = _faces([], [])
_BOX = _faces([sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)], [*np.array(_BOX_LOOPS).reshape(6, 4)])


def faces_of(shape: Shape) -> Faces:
    """Faces of a shape, in its own frame, by the numbers of its `features.corners`; none of what is round, nor of what
    is flat as a whole."""
    if isinstance(shape, Box):
        return _BOX
    return _mesh_faces(mesh_of(shape)) if isinstance(shape, Mesh) else _NONE


@functools.lru_cache(maxsize=64)
def _mesh_faces(mesh: TriangleMesh) -> Faces:
    return hull_faces(hull_of(mesh))


def hull_faces(points: Array) -> Faces:
    """Of the convex hull of points (n, 3), by Qhull (Barber, Dobkin and Huhdanpaa, The quickhull algorithm for convex
    hulls, 1996), with triangles that lie in one plane as one face."""
    from scipy.spatial import ConvexHull, QhullError  # here, for only meshes that move need it

    if len(points) < 4:
        return _NONE
    try:
        hull = ConvexHull(points)
    except QhullError:  # all in one plane
        return _NONE
    triangles = hull.simplices.astype(np.int64)
    equations = hull.equations
    slack = FLAT * float(np.ptp(points, axis=0).max())
    # How far the corners of the three neighbours are from the plane of each triangle, at most.
    corners = points[triangles[hull.neighbors]]
    away = np.einsum("tncx,tx->tnc", corners, equations[:, :3]) + equations[:, 3][:, None, None]
    flat = np.abs(away).max(axis=2) <= slack
    single = ~flat.any(axis=1)
    single[hull.neighbors[flat]] = False
    normals = [*equations[single, :3]]
    loops = [*_counterclockwise(points, triangles[single], equations[single, :3])]
    left = set(np.flatnonzero(~single).tolist())
    for seed in sorted(left, key=_areas(points[triangles]).__getitem__, reverse=True):
        if seed in left:
            members = _in_plane(hull, points, seed, slack, left)
            normals.append(equations[seed, :3])
            loops.append(_around(points, np.unique(triangles[members]), equations[seed, :3]))
    return _faces(normals, loops)


def _counterclockwise(points: Array, triangles: Ints, normals: Array) -> Ints:
    """The corners (n, 3) of triangles in the order in which they turn left about their normals (n, 3)."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    right = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    turned: Ints = np.where(right[:, None], triangles[:, [0, 2, 1]], triangles)
    return turned


def _areas(triangles: Array) -> Array:
    a = triangles[:, 0]
    b = triangles[:, 1]
    c = triangles[:, 2]
    areas: Array = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return areas


def _in_plane(hull: ConvexHull, points: Array, seed: int, slack: float, left: set[int]) -> list[int]:
    """Triangles that hang together with the seed and lie in its plane; they are `left` no longer."""
    n = hull.equations[seed, :3]
    offset = hull.equations[seed, 3]
    members = []
    border = [seed]
    left.discard(seed)
    while border:
        triangle = border.pop()
        members.append(triangle)
        for other in hull.neighbors[triangle].tolist():
            if other in left and np.abs(points[hull.simplices[other]] @ n + offset).max() <= slack:
                left.discard(other)
                border.append(other)
    return members


def _around(points: Array, some: Ints, n: Array) -> Ints:
    """Of these points of a plane with the normal n the corners of their hull, counterclockwise (Andrew's monotone
    chain, 1979); what lies on a straight edge is left out."""
    u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    u /= np.linalg.norm(u)
    flat = np.column_stack((points[some] @ u, points[some] @ np.cross(n, u)))
    order = np.lexsort((flat[:, 1], flat[:, 0]))
    straight = 1e-9 * float(np.ptp(flat, axis=0).max()) ** 2
    chains: list[list[int]] = []
    for way in (order, order[::-1]):
        chain: list[int] = []
        for k in way.tolist():
            while len(chain) > 1 and _turn(flat[chain[-2]], flat[chain[-1]], flat[k]) <= straight:
                chain.pop()
            chain.append(k)
        chains.append(chain[:-1])
    loop: Ints = some[np.array(chains[0] + chains[1])].astype(np.int64)
    return loop


def _turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of the triangle abc, positive where it turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
