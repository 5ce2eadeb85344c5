"""Distance of a point from the stand-in of a mesh: a convex hull, or triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


NEAR = 1e-10
"""Of the size of a hull: a point that is nearer is in it."""
STEPS = 200


def distance_to_hull(vertices: Array, point: Array) -> float:
    """From a point, shape (3,), to the convex hull of `vertices` (n, 3) [m]; 0 inside.

    The nearest point is that of a simplex of vertices, to which the one that is furthest towards the point is added
    until none is further (Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976) 128–149).
    """
    V = vertices - point
    size = float(np.abs(V).max(initial=0.0)) or 1.0
    corners = [int(np.argmin(np.sum(V * V, axis=1)))]
    weights = np.ones(1)
    x = V[corners[0]]
    for _ in range(STEPS):
        new = int(np.argmin(V @ x))
        if new in corners or float(x @ (x - V[new])) <= NEAR * size * max(float(np.linalg.norm(x)), NEAR * size):
            break
        corners = [*corners, new]
        weights = np.append(weights, 0.0)
        while True:
            affine = _nearest_of_span(V[corners])
            if (affine >= 0.0).all():
                weights = affine
                break
            falling = affine < 0.0
            step = float(np.min(weights[falling] / np.maximum(weights[falling] - affine[falling], 1e-300)))
            weights = np.maximum(weights + step * (affine - weights), 0.0)
            kept = np.flatnonzero(weights > 1e-14)
            corners = [corners[i] for i in kept]
            weights = weights[kept] / weights[kept].sum()
        x = weights @ V[corners]
    return float(np.linalg.norm(x))


def _nearest_of_span(points: Array) -> Array:
    """Weights with sum 1 of the point of the affine span of `points` (k, 3) that is nearest to the origin, shape
    (k,)."""
    edges = (points[1:] - points[0]).T
    rest = np.linalg.lstsq(edges, -points[0], rcond=1e-12)[0]
    return np.concatenate(([1.0 - rest.sum()], rest))


def distance_to_triangles(corners: Array, point: Array) -> float:
    """From a point, shape (3,), to the nearest of triangles, shape (m, 3, 3) [m]."""
    return float(distances_to_triangles(corners, point).min(initial=np.inf))


def distances_to_triangles(corners: Array, point: Array) -> Array:
    """From a point, shape (3,) or (m, 3), one for each, to triangles, shape (m, 3, 3) [m]; shape (m,)."""
    a, b, c = (corners[:, i] - point for i in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    inside = length > 0.0
    for first, second in ((a, b), (b, c), (c, a)):
        inside &= np.sum(np.cross(first, second) * normal, axis=1) >= 0.0
    over = np.abs(np.sum(a * normal, axis=1)) / np.where(length > 0.0, length, 1.0)
    edges = [_distance_to_segments(first, second) for first, second in ((a, b), (b, c), (c, a))]
    distances: Array = np.where(inside, over, np.min(edges, axis=0))
    return distances


def _distance_to_segments(first: Array, second: Array) -> Array:
    """From the origin to segments between points (m, 3), shape (m,)."""
    along = second - first
    square = np.sum(along * along, axis=1)
    part = np.clip(-np.sum(first * along, axis=1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    distance: Array = np.linalg.norm(first + part[:, None] * along, axis=1)
    return distance
