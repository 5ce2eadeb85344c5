"""From triangles to a surface that can be drawn: normals split at creases, feature edges, silhouette edges.

A pair of faces meets at a crease where their normals differ by more than `CREASE_ANGLE`: normals are averaged on either
side of it, never across, and the edge is drawn. All other edges are drawn only where they are the outline, seen from
the eye.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

CREASE_ANGLE = math.radians(28.0)
"""[rad]. An involute flank in eight facets turns by some 5 degrees at each; tip, root and face edges by more than
30."""

WELD_CELLS = 1_000_000
"""Vertices in the same of so many cells along the longest side of a mesh are one."""
MAX_OUTLINE_EDGES = 60000
"""Meshes with more edges than this draw no outlines of smooth parts: the cost per frame would outweigh the looks."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Line segments (k, 2, 3) [m] with the unit normals (k, 2, 3) of the two faces beside each.

    The first `n_features` are always drawn, the others where one face looks to the eye and the other away.
    """

    segments: NDArray[np.float32]
    normals: NDArray[np.float32]
    n_features: int


@dataclass(frozen=True, eq=False)
class Surface:
    """`positions` [m] and unit `normals` (n, 3), `triangles` (m, 3) counter-clockwise from outside, and `edges`.

    `uv` (n, 2) are places in a picture, (0, 0) its lower left corner, or None where no picture is laid over the
    surface.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    triangles: NDArray[np.int32]
    edges: Edges
    uv: NDArray[np.float32] | None = None

    @cached_property
    def edge_distance(self) -> float:
        """How far apart the feature edges are, roughly [m]: the area per length of edge."""
        features = self.edges.segments[: self.edges.n_features].astype(np.float64)
        length = float(np.linalg.norm(features[:, 1] - features[:, 0], axis=1).sum())
        cross = _cross_of(self.positions.astype(np.float64), self.triangles.astype(np.int64))
        return 0.5 * float(np.linalg.norm(cross, axis=1).sum()) / max(length, 1e-9)

    @cached_property
    def lower(self) -> NDArray[np.float64]:
        """Least x, y, z [m]."""
        return np.asarray(self.positions.min(axis=0), dtype=np.float64)

    @cached_property
    def upper(self) -> NDArray[np.float64]:
        """Greatest x, y, z [m]."""
        return np.asarray(self.positions.max(axis=0), dtype=np.float64)


def surface_of(
    vertices: NDArray[np.float64],
    triangles: NDArray[np.integer],
    crease_angle: float = CREASE_ANGLE,
    uv: NDArray[np.floating] | None = None,
) -> Surface:
    """The drawable surface of vertices (n, 3) [m] and triangles (m, 3), with places in a picture `uv` (n, 2) or
    without.

    Raises ValueError if nothing has an area.
    """
    given = np.asarray(triangles, dtype=np.int64)
    vertices, faces, kept = _welded(np.asarray(vertices, dtype=np.float64), given)
    if len(faces) == 0:
        raise ValueError("the mesh has no triangle with an area")
    given = given[kept]
    pairs = _edge_table(faces)
    if pairs.is_closed and _signed_volume(vertices, faces) < 0.0:
        faces = faces[:, ::-1].copy()
        given = given[:, ::-1]
        pairs = _edge_table(faces)
    face_normals = _face_normals(vertices, faces)
    smooth = pairs.is_smooth(face_normals, crease_angle)
    positions, normals, corners = _split_vertices(vertices, faces, face_normals, pairs, smooth)
    surface = Surface(positions, normals, corners, _edges(vertices, face_normals, pairs, smooth))
    return surface if uv is None else _split_at_seams(surface, np.asarray(uv, dtype=np.float32)[given])


def _split_at_seams(surface: Surface, uv: NDArray[np.float32]) -> Surface:
    """The surface with one vertex for each place (m, 3, 2) in the picture that a corner has there."""
    corners = np.column_stack([surface.triangles.reshape(-1).astype(np.float64), uv.reshape(-1, 2)])
    _, first, inverse = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    old = surface.triangles.reshape(-1)[first]
    return replace(
        surface,
        positions=surface.positions[old],
        normals=surface.normals[old],
        triangles=inverse.reshape(-1, 3).astype(np.int32),
        uv=uv.reshape(-1, 2)[first],
    )


@dataclass(frozen=True)
class _EdgeTable:
    """The undirected edges of a mesh: `ends` (k, 2) vertices, `first` and `second` (k,) half-edges.

    Half-edge 3 f + i runs from corner i of face f to the next. `second` equals `first` on a border; `uses` counts the
    faces.
    """

    ends: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    uses: NDArray[np.int64]
    half_edges: NDArray[np.int64]

    @property
    def is_closed(self) -> bool:
        return bool(np.all(self.uses == 2))

    def is_smooth(self, face_normals: NDArray[np.float64], crease_angle: float) -> NDArray[np.bool_]:
        """Which edges join two consistently wound faces at less than the crease angle, shape (k,)."""
        cosine = np.einsum("ij,ij->i", face_normals[self.first // 3], face_normals[self.second // 3])
        opposed = self.half_edges[self.first, 0] == self.half_edges[self.second, 1]
        return np.asarray((self.uses == 2) & opposed & (cosine > math.cos(crease_angle)), dtype=bool)


def _welded(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Merge vertices closer than a millionth of the size and remove triangles without area; also returns which
    triangles remain (m,)."""
    if len(faces) == 0:
        return vertices, faces, np.zeros(0, dtype=bool)
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    keys = np.round((vertices - vertices.min(axis=0)) / size * WELD_CELLS).astype(np.int64)
    _, first, inverse = np.unique(_as_one(keys, WELD_CELLS + 1), return_index=True, return_inverse=True)
    faces = inverse[faces]
    vertices = vertices[first]
    kept = np.linalg.norm(_cross_of(vertices, faces), axis=1) > 1e-12 * size * size
    return vertices, faces[kept], kept


def _as_one(rows: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Rows of numbers below `base` as one number each, in the same order: those are sorted ten times as fast."""
    packed = rows[:, 0]
    for column in rows.T[1:]:
        packed = packed * base + column
    return np.asarray(packed)


def _cross_of(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return np.asarray(np.cross(b - a, c - a), dtype=np.float64)


def _face_normals(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    cross = _cross_of(vertices, faces)
    unit: NDArray[np.float64] = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    return unit


def _signed_volume(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _edge_table(faces: NDArray[np.int64]) -> _EdgeTable:
    half_edges = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    base = int(faces.max(initial=0)) + 1
    undirected = _as_one(np.sort(half_edges, axis=1), base)
    keys, inverse, uses = np.unique(undirected, return_inverse=True, return_counts=True)
    ends = np.stack(np.divmod(keys, base), axis=1)
    order = np.argsort(inverse, kind="stable")
    start = np.concatenate([[0], np.cumsum(uses)[:-1]])
    second = order[start + np.minimum(uses - 1, 1)]
    return _EdgeTable(ends, order[start], second, uses, half_edges)


def _split_vertices(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    face_normals: NDArray[np.float64],
    pairs: _EdgeTable,
    smooth: NDArray[np.bool_],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """One vertex per fan of faces joined by smooth edges, with the mean normal weighted by corner angle."""
    first, second = pairs.first[smooth], pairs.second[smooth]
    # Half-edge h leaves corner h; its mate leaves the other end, so corner h is also the mate's next corner.
    links = np.concatenate([np.stack([first, _next(second)], axis=1), np.stack([_next(first), second], axis=1)])
    fans, corner_fan = np.unique(_connected(faces.size, links), return_inverse=True)
    weights = _corner_angles(vertices, faces).reshape(-1, 1)
    normals: NDArray[np.float64] = np.zeros((len(fans), 3))
    np.add.at(normals, corner_fan, weights * np.repeat(face_normals, 3, axis=0))
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 1e-9, normals / np.maximum(length, 1e-9), face_normals[fans // 3])
    positions = vertices[faces.reshape(-1)[fans]]
    return positions.astype(np.float32), normals.astype(np.float32), corner_fan.reshape(-1, 3).astype(np.int32)


def _next(half_edge: NDArray[np.int64]) -> NDArray[np.int64]:
    return half_edge - half_edge % 3 + (half_edge + 1) % 3


def _connected(n: int, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least member of each node's connected set, shape (n,)."""
    label = np.arange(n)
    a, b = links[:, 0], links[:, 1]
    while True:
        least = np.minimum(label[a], label[b])
        if np.array_equal(least, label[a]) and np.array_equal(least, label[b]):
            return label
        np.minimum.at(label, a, least)
        np.minimum.at(label, b, least)
        label = label[label]


def _corner_angles(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    corners = vertices[faces]
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    cosine = np.einsum("fci,fci->fc", ahead, behind)
    cosine = cosine / (np.linalg.norm(ahead, axis=2) * np.linalg.norm(behind, axis=2))
    angles: NDArray[np.float64] = np.arccos(np.clip(cosine, -1.0, 1.0))
    return angles


def _edges(
    vertices: NDArray[np.float64], face_normals: NDArray[np.float64], pairs: _EdgeTable, smooth: NDArray[np.bool_]
) -> Edges:
    features = np.flatnonzero(~smooth)
    cosine = np.einsum("ij,ij->i", face_normals[pairs.first // 3], face_normals[pairs.second // 3])
    curved = np.flatnonzero(smooth & (cosine < 1.0 - 1e-9))
    if len(curved) > MAX_OUTLINE_EDGES:
        curved = curved[:0]
    chosen = np.concatenate([features, curved])
    normals = np.stack([face_normals[pairs.first[chosen] // 3], face_normals[pairs.second[chosen] // 3]], axis=1)
    return Edges(vertices[pairs.ends[chosen]].astype(np.float32), normals.astype(np.float32), len(features))
