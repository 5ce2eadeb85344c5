"""Points and triangles as stand-ins for shapes: convex hulls of shapes without a simpler form, and meshes cut into
pieces. No engine is needed."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Cone, Ellipsoid, Mesh
from simulator.physics.shapes.distances import distances_to_triangles

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.spatial import ConvexHull

    from simulator.formats.mesh.loader import TriangleMesh
    from simulator.spatial.arrays import Array

    Ints = NDArray[np.int32]

_HULL_RINGS = 24
CORNERS = 128
"""A hull of more corners is made of fewer: of as few as this, where that is within LOST."""
LOST = 0.01
"""Of the volume of a hull, and of half the diagonal of the box around it, that simplifying takes away at most: in
volume, and in the distance of any point from what is left. Nothing is ever added."""
FINER = 0.9
"""The width within which Qhull leaves points out is made smaller by this factor until the hull is within LOST."""
_TRIALS = 60
_DIRECTIONS = 1000
"""Of points in one plane those count that are furthest out in so many directions, spread evenly over the sphere."""
MOST_TRIANGLES = 40_000
"""PyBullet takes no shape of more than 131072 vertices (B3_MAX_NUM_VERTICES); larger meshes become several shapes."""
_BLOCK = 4096
"""Points whose distances are found at once, so that the tables stay small."""


def pieces(vertices: Array, triangles: Ints) -> list[tuple[Array, Ints]]:
    """A mesh of vertices (n, 3) and triangles (m, 3) cut into slabs along its longest side, each of at most
    MOST_TRIANGLES."""
    count = -(-len(triangles) // MOST_TRIANGLES)
    if count <= 1 and len(vertices) <= 3 * MOST_TRIANGLES:
        return [(vertices, triangles)]
    longest = int(np.argmax(np.ptp(vertices, axis=0)))
    order = np.argsort(vertices[triangles, longest].sum(axis=1), kind="stable")
    found = []
    for some in np.array_split(triangles[order], count):
        used, numbers = np.unique(some, return_inverse=True)
        found.append((vertices[used], numbers.reshape(-1, 3).astype(np.int32)))
    return found


def hull_points(shape: Cone | Ellipsoid | Mesh) -> Array:
    """Points whose convex hull stands for the shape, in its own frame, shape (n, 3)."""
    if not isinstance(shape, Mesh):
        return _points(shape)
    return hull_of(mesh_of(shape))


@functools.lru_cache(maxsize=64)
def hull_of(mesh: TriangleMesh) -> Array:
    """Points whose convex hull stands for the mesh, shape (n, 3)."""
    used = np.ascontiguousarray(mesh.vertices[np.unique(mesh.triangles)])
    hull: Array = (
        np.unique(used.view("V24")).view(np.float64).reshape(-1, 3)
    )  # a row as 24 bytes: four times as fast as axis=0
    corners = simplified(hull)
    corners.setflags(write=False)
    return corners


def simplified(points: Array) -> Array:
    """Some of `points` (n, 3) whose convex hull stands for the hull of all: all up to CORNERS, and of more as many
    corners as LOST asks for.

    Qhull adds the point furthest out of a face to the hull until none is further out than a width, its option W; what
    it ends with lies inside of the hull of all.
    """
    from scipy.spatial import ConvexHull, QhullError  # here, for few shapes need it

    if len(points) <= CORNERS:
        return points
    try:
        whole = ConvexHull(points)
    except QhullError:  # all in one plane
        return points[_outermost(points)]
    corners: Array = points[whole.vertices]
    size = 0.5 * float(np.linalg.norm(np.ptp(corners, axis=0)))
    found = corners
    for trial in range(_TRIALS if len(corners) > CORNERS else 0):
        hull = ConvexHull(corners, qhull_options=f"Qt W{LOST * FINER**trial * size!r}")
        if len(found) <= CORNERS < len(hull.vertices):
            break
        if hull.volume >= (1.0 - LOST) * whole.volume and _furthest(corners, hull) <= LOST * size:
            found = corners[hull.vertices]
            if len(found) >= CORNERS:
                break
    return found


def _furthest(points: Array, hull: ConvexHull) -> float:
    """How far the furthest of `points` (n, 3) is from a hull [m]: from the nearest of the faces that it is beyond."""
    triangles = hull.points[hull.simplices]
    furthest = 0.0
    for some in np.array_split(points, -(-len(points) // _BLOCK)):
        point, face = np.nonzero(some @ hull.equations[:, :3].T + hull.equations[:, 3] > 0.0)
        distances = np.full(len(some), np.inf)
        np.minimum.at(distances, point, distances_to_triangles(triangles[face], some[point]))
        furthest = max(furthest, float(distances[np.isfinite(distances)].max(initial=0.0)))
    return furthest


def _outermost(points: Array) -> NDArray[np.int64]:
    """Numbers of the points (n, 3) that are furthest out along some direction of a Fibonacci lattice, or along an
    axis."""
    steps = np.arange(_DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * steps / _DIRECTIONS
    turn = steps * math.pi * (3.0 - math.sqrt(5.0))
    around = np.sqrt(1.0 - z * z)
    lattice = np.column_stack((around * np.cos(turn), around * np.sin(turn), z))
    across = np.ascontiguousarray(points.T)
    blocks = np.array_split(np.vstack((lattice, np.eye(3), -np.eye(3))), _DIRECTIONS // 16)  # in memory that is near
    return np.unique(np.concatenate([np.argmax(block @ across, axis=1) for block in blocks]))


def _points(shape: Cone | Ellipsoid) -> Array:
    angles = np.linspace(0.0, 2.0 * math.pi, _HULL_RINGS, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    if isinstance(shape, Cone):
        base = np.column_stack((shape.radius * circle, np.full(_HULL_RINGS, -shape.length / 2)))
        return np.vstack((base, (0.0, 0.0, shape.length / 2)))
    rings = [
        np.column_stack((math.cos(latitude) * circle, np.full(_HULL_RINGS, math.sin(latitude))))
        for latitude in np.linspace(-math.pi / 2, math.pi / 2, _HULL_RINGS // 2 + 1)
    ]
    points: Array = np.vstack(rings) * np.array(shape.radii)
    return points
