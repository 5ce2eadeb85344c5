"""How deep one polygon lies in another, and whether triangles enclose a solid. Own code, independent of the
program's."""

import math

import numpy as np

from tests.helpers.scripts import script

meshes = script("make_world_meshes")


def rotated(points: np.ndarray, angle: float, centre=(0.0, 0.0)) -> np.ndarray:
    """Turn points by `angle` and move them to `centre`."""
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + np.asarray(centre)


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Crossing number test."""
    a, b = polygon[None], np.roll(polygon, -1, axis=0)[None]
    x, y = points[:, None, 0], points[:, None, 1]
    crosses = (a[..., 1] > y) != (b[..., 1] > y)
    rise = np.where(crosses, b[..., 1] - a[..., 1], 1.0)
    at = a[..., 0] + (y - a[..., 1]) * (b[..., 0] - a[..., 0]) / rise
    return (crosses & (at > x)).sum(axis=1) % 2 == 1


def distance(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Distance of points to the border of a polygon."""
    a, b = polygon[None], np.roll(polygon, -1, axis=0)[None]
    edge = b - a
    share = ((points[:, None] - a) * edge).sum(-1) / np.maximum((edge * edge).sum(-1), 1e-300)
    foot = a + np.clip(share, 0.0, 1.0)[..., None] * edge
    return np.linalg.norm(points[:, None] - foot, axis=-1).min(axis=1)


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Return how deep a point of one border lies inside the other polygon [m]; minus the clearance where none does."""
    depth = -math.inf
    for source, target in ((one, other), (other, one)):
        low, high = target.min(axis=0) - 1e-3, target.max(axis=0) + 1e-3
        share = np.linspace(0.0, 1.0, 4, endpoint=False)[:, None, None]
        points = (source + share * (np.roll(source, -1, axis=0) - source)).reshape(-1, 2)
        near = points[((points > low) & (points < high)).all(axis=1)]
        gap = distance(near, target)
        depth = max(depth, float(np.where(inside(near, target), gap, -gap).max(initial=-math.inf)))
    return depth


def unmatched_edges(faces: np.ndarray, *, without_length: bool = True) -> list[tuple]:
    """Directed edges of triangles (n, 3, 3) that do not meet their opposite exactly as often: none of a closed solid.
    `without_length`: edges that rounding has made a point of count, too."""
    edges: dict[tuple, int] = {}
    for triangle in np.round(faces / meshes.GRID).astype(np.int64).tolist():
        for start, end in zip(map(tuple, triangle), map(tuple, triangle[1:] + triangle[:1]), strict=True):
            key, sign = ((start, end), 1) if start < end else ((end, start), -1)
            if without_length or start != end:
                edges[key] = edges.get(key, 0) + sign
    return [edge for edge, count in edges.items() if count != 0]
