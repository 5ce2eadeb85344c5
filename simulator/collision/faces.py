"""Flat faces of shapes that are polytopes: of boxes, and of the convex hulls of points."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.collision.hulls import hull_of
from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Box, Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.spatial import ConvexHull

    from simulator.formats.mesh.loader import TriangleMesh
    from simulator.model.shape import Shape

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

FLAT = 1e-7
"""Triangles whose corners are within this part of the hull's size of one plane are one face: a file with numbers of
single precision has no flatter ones."""
_BOX_LOOPS = (
    np.array((0, 1, 3, 2)),
    np.array((4, 6, 7, 5)),
    np.array((0, 4, 5, 1)),
    np.array((2, 3, 7, 6)),
    np.array((0, 2, 6, 4)),
    np.array((1, 5, 7, 3)),
)
"""Corners of a box as `features.corners` counts them, of its faces at -x, +x, -y, +y, -z and +z."""


class Faces(NamedTuple):
    """Faces of a polytope: outward `normals` (f, 3), and the numbers of the corners around each, counterclockwise seen
    from outside. The plane of a face is through its outermost corner."""

    normals: Array
    loops: tuple[Ints, ...]


_NONE = Faces(np.zeros((0, 3)), ())
_BOX = Faces(np.vstack([sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]), _BOX_LOOPS)


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
    from scipy.spatial import ConvexHull, QhullError  # half a second, and only meshes that move need it

    if len(points) < 4:
        return _NONE
    try:
        hull = ConvexHull(points)
    except QhullError:  # all in one plane
        return _NONE
    slack, left = FLAT * float(np.ptp(points, axis=0).max()), set(range(len(hull.simplices)))
    normals, loops = [], []
    for seed in np.argsort(-_areas(points[hull.simplices]), kind="stable").tolist():
        if seed in left:
            n = hull.equations[seed, :3]
            members = _in_plane(hull, points, seed, slack, left)
            normals.append(n)
            loops.append(_around(points, np.unique(hull.simplices[members]), n))
    return Faces(np.array(normals), tuple(loops))


def _areas(triangles: Array) -> Array:
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    areas: Array = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return areas


def _in_plane(hull: ConvexHull, points: Array, seed: int, slack: float, left: set[int]) -> list[int]:
    """Triangles that hang together with the seed and lie in its plane; they are `left` no longer."""
    n, offset = hull.equations[seed, :3], hull.equations[seed, 3]
    members, border = [], [seed]
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
