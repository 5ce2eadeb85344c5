"""Flat faces of a surface, each as one polygon: what a painter without OpenGL draws instead of triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.rendering.surface import CREASE_ANGLE, Surface

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLAT = 1.0 - 1e-6
"""Cosine between the normals of two triangles of the same face."""
NARROW, IN_PLANE = 1e-3, 1e-6
"""Height of a triangle below which single precision leaves its normal open, and distance from the plane of a face up to
which such a triangle belongs to it, both as parts of the size of the surface."""


@dataclass(frozen=True, eq=False)
class Facets:
    """Polygons of a surface: corners `points` (n, 3) [m], `start` (k + 1,) where each polygon begins, unit `normals`
    (k, 3).

    `smooth` (k,) marks the facets of a round surface, which show no edges of their own."""

    points: NDArray[np.float64]
    start: NDArray[np.int64]
    normals: NDArray[np.float64]
    smooth: NDArray[np.bool_]


@lru_cache(maxsize=512)
def facets_of(surface: Surface) -> Facets:
    """The flat faces of a surface; one whose border is not a single loop, as it has a hole, stays in triangles, which
    show no edges."""
    vertices, faces = _by_position(surface)
    normals = _normals(vertices, faces)
    loops: list[list[int]] = []
    found: list[NDArray[np.float64]] = []
    smooth: list[bool] = []
    beside = _neighbours(faces)
    for group in _flat_groups(vertices, faces, normals, beside):
        is_smooth = _is_smooth(group, faces, normals, beside)
        border = _border(faces[group])
        for loop in [border] if border else faces[group].tolist():
            loops.append(loop)
            found.append(normals[group[0]])
            smooth.append(is_smooth or not border)
    start = np.concatenate([[0], np.cumsum([len(loop) for loop in loops])]).astype(np.int64)
    corners = np.array([number for loop in loops for number in loop], dtype=np.int64)
    return Facets(vertices[corners], start, np.array(found).reshape(-1, 3), np.array(smooth, dtype=bool))


def _by_position(surface: Surface) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices that were split for their normals made one again."""
    vertices, inverse = np.unique(surface.positions, axis=0, return_inverse=True)
    return vertices.astype(np.float64), inverse.reshape(-1)[surface.triangles].astype(np.int64)


def _normals(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    cross = np.cross(b - a, c - a)
    return np.asarray(cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-30))


def _neighbours(faces: NDArray[np.int64]) -> dict[tuple[int, int], int]:
    """The triangle to which each directed edge belongs."""
    beside: dict[tuple[int, int], int] = {}
    for number, (a, b, c) in enumerate(faces.tolist()):
        beside.update({(a, b): number, (b, c): number, (c, a): number})
    return beside


def _is_smooth(
    group: list[int], faces: NDArray[np.int64], normals: NDArray[np.float64], beside: dict[tuple[int, int], int]
) -> bool:
    """Whether a flat face goes over into another one without a crease."""
    for number in group:
        a, b, c = faces[number].tolist()
        for edge in ((b, a), (c, b), (a, c)):
            other = beside.get(edge)
            if other is not None and math.cos(CREASE_ANGLE) < normals[other] @ normals[number] <= FLAT:
                return True
    return False


def _flat_groups(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    normals: NDArray[np.float64],
    beside: dict[tuple[int, int], int],
) -> Iterator[list[int]]:
    """Numbers of the triangles of each flat, connected face, those with the largest triangles first."""
    heights = _heights(vertices, faces)
    size = float(np.ptp(vertices, axis=0).max(initial=0.0))
    narrow = heights < NARROW * size
    seen = np.zeros(len(faces), dtype=bool)
    for first in np.argsort(-heights, kind="stable").tolist():
        if seen[first]:
            continue
        normal, origin = normals[first], vertices[faces[first, 0]]
        seen[first] = True
        group, open_faces = [first], [first]
        while open_faces:
            a, b, c = faces[open_faces.pop()].tolist()
            for edge in ((b, a), (c, b), (a, c)):
                other = beside.get(edge)
                if other is None or seen[other]:
                    continue
                if normals[other] @ normal > FLAT or (
                    narrow[other] and np.abs((vertices[faces[other]] - origin) @ normal).max() < IN_PLANE * size
                ):
                    seen[other] = True
                    group.append(other)
                    open_faces.append(other)
        yield group


def _heights(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """The smallest height of each triangle [m]."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    longest = np.max([np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)], axis=0)
    return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / np.maximum(longest, 1e-30))


def _border(triangles: NDArray[np.int64]) -> list[int] | None:
    """The vertices around a group of triangles in order, or None where they are not one simple loop."""
    edges = {(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)}
    outer = [(a, b) for a, b in edges if (b, a) not in edges]
    follows = dict(outer)
    if len(follows) != len(outer) or not outer:
        return None
    loop = [outer[0][0]]
    while (ahead := follows.get(loop[-1])) is not None and ahead != loop[0] and len(loop) <= len(outer):
        loop.append(ahead)
    return loop if len(loop) == len(outer) else None
