"""Points that outline a shape, and the convex hull of points of a plane."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError
from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array

    Place = tuple[float, float]

ROUND = 48
"""Corners of a circle."""


def corners_of(shape: Shape) -> Array:
    """Points whose convex hull a shape nearly fills, shape (n, 3) [m], in its own frame."""
    found = np.zeros((0, 3))
    match shape:
        case Box(size=size):
            found = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(size) / 2.0
        case Cylinder(radius=radius, length=length):
            found = np.concatenate([_ring(radius, -length / 2.0), _ring(radius, length / 2.0)])
        case Cone(radius=radius, length=length):
            found = np.concatenate([_ring(radius, -length / 2.0), [[0.0, 0.0, length / 2.0]]])
        case Capsule(radius=radius, length=length):
            found = np.concatenate([_ball() * radius + (0.0, 0.0, end) for end in (-length / 2.0, length / 2.0)])
        case Sphere(radius=radius):
            found = _ball() * radius
        case Ellipsoid(radii=radii):
            found = _ball() * np.array(radii)
        case Mesh():
            try:
                found = np.asarray(mesh_of(shape).vertices, dtype=float).reshape(-1, 3)
            except SimulatorError:
                found = np.zeros((0, 3))
    return found


def _ring(radius: float, z: float) -> Array:
    angles = np.linspace(0.0, math.tau, ROUND, endpoint=False)
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(ROUND, z)])


def _ball() -> Array:
    heights = np.linspace(-1.0, 1.0, ROUND // 2 + 1)
    return np.concatenate([_ring(math.sqrt(1.0 - z * z), z) for z in heights.tolist()])


def hull(points: Array) -> tuple[Place, ...]:
    """The convex hull of points of a plane, shape (n, 2), counter-clockwise (A. M. Andrew's monotone chain, 1979)."""
    ordered = np.unique(np.round(points, 9), axis=0).tolist()
    if len(ordered) < 3:
        return tuple((x, y) for x, y in ordered)
    found: list[Place] = []
    for way in (ordered, ordered[::-1]):
        chain: list[Place] = []
        for x, y in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y)) <= 0.0:
                chain.pop()
            chain.append((x, y))
        found += chain[:-1]
    return tuple(found)


def _turn(a: Place, b: Place, c: Place) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
