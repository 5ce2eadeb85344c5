"""Points and triangles that stand for shapes: convex hulls of what has no simpler form, and meshes cut into pieces. No
engine is needed."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Cone, Ellipsoid, Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.formats.mesh.loader import TriangleMesh

    Array = NDArray[np.float64]
    Ints = NDArray[np.int32]

_HULL_RINGS = 24
MOST_HULL_POINTS = 1000
"""A hull of more points is made of those that are furthest out in so many directions, spread evenly over the sphere:
every other direction is less than 0.09 radians from one of them, so that a ball loses at most 1/250 of its radius, and
a body with flat faces nothing."""
MOST_TRIANGLES = 40_000
"""PyBullet takes no shape of more than 131072 vertices (B3_MAX_NUM_VERTICES); larger meshes become several shapes."""
_BLOCK = 16
"""Directions that are looked along at once, so that the products stay in memory that is near."""


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
    if len(hull) > MOST_HULL_POINTS:
        hull = hull[_outermost(hull)]
    hull.setflags(write=False)
    return hull


def _outermost(points: Array) -> NDArray[np.int64]:
    """Numbers of the points (n, 3) that are furthest out along some direction of a Fibonacci lattice, or along an
    axis."""
    steps = np.arange(MOST_HULL_POINTS) + 0.5
    z, turn = 1.0 - 2.0 * steps / MOST_HULL_POINTS, steps * math.pi * (3.0 - math.sqrt(5.0))
    around = np.sqrt(1.0 - z * z)
    lattice = np.column_stack((around * np.cos(turn), around * np.sin(turn), z))
    directions = np.vstack((lattice, np.eye(3), -np.eye(3)))
    blocks = np.array_split(directions, -(-len(directions) // _BLOCK))
    across = np.ascontiguousarray(points.T)
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
