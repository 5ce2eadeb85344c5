"""Features of a shape that can touch a flat face: its corners, the balls that round it, and its bounding circles."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.shape import Box, Capsule, Cone, Cylinder, Plane, Shape, Sphere
from simulator.physics.shapes.hulls import hull_points

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


def corners(shape: Shape) -> tuple[Array, float]:
    """Points that may touch a plane, shape (k, 3), and by how much the shape is rounded around them [m]."""
    if isinstance(shape, Box):
        return 0.5 * np.array(shape.size) * np.array(list(product((-1.0, 1.0), repeat=3))), 0.0
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), shape.radius
    if isinstance(shape, Capsule):
        return np.array([(0.0, 0.0, -0.5 * shape.length), (0.0, 0.0, 0.5 * shape.length)]), shape.radius
    if isinstance(shape, Cone):
        return np.array([(0.0, 0.0, 0.5 * shape.length)]), 0.0
    if isinstance(shape, Cylinder | Plane):
        return np.zeros((0, 3)), 0.0
    return hull_points(shape), 0.0


def box_around(shape: Shape) -> tuple[Array, Array]:
    """Middle and half edges of the box along the shape's own axes that holds all of these, shape (3,) each [m]."""
    points, rounding = corners(shape)
    wide = np.array((rim_radius(shape), rim_radius(shape), 0.0))
    parts = np.concatenate((points - rounding, points + rounding, rims(shape) - wide, rims(shape) + wide))
    low, high = (parts.min(axis=0), parts.max(axis=0)) if len(parts) else (np.zeros(3), np.zeros(3))
    return 0.5 * (low + high), 0.5 * (high - low)


def outer_radius(shape: Shape) -> float:
    """Of a ball around the middle of `box_around` that holds all of these [m]."""
    points, rounding = corners(shape)
    middle = box_around(shape)[0]
    balls = np.linalg.norm(points - middle, axis=1) + rounding
    circles = np.hypot(np.linalg.norm(rims(shape) - middle, axis=1), rim_radius(shape))
    return float(np.concatenate((balls, circles)).max(initial=0.0))


def rims(shape: Shape) -> Array:
    """Centres of the circles that bound the shape, shape (m, 3)."""
    if isinstance(shape, Cylinder | Cone):
        both: Array = 0.5 * shape.length * np.array([(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)])
        return both[:1] if isinstance(shape, Cone) else both
    return np.zeros((0, 3))


def rim_radius(shape: Shape) -> float:
    """Radius of those circles [m]; 0 where there are none."""
    return shape.radius if isinstance(shape, Cylinder | Cone) else 0.0
