"""Triangles of fixed meshes as flat tables for kernels: made once for a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Mesh
from simulator.native.kernels import by_address
from simulator.physics.shapes.kinds import MESH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.arrays import Array2, Array3, IntArray, IntArray2
    from simulator.physics.shapes.friction import Placed
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose

FLAT, CONVEX, CONCAVE, RIM = 0, 1, 2, 3
"""What an edge is between: triangles of one plane, of a ridge or of a groove seen from where normals point; or it is of
one triangle only, or of more than two."""
LEVEL = 1e-5
"""Sine of the angle [rad] below which two triangles are in one plane: numbers of single precision in a fine mesh."""
WELD = 1e-8
"""Corners that are nearer than this part of the mesh's size are one."""
THIN = 1e-12
"""Triangles whose area is less than this part of the square of the mesh's size are left out: they have no normal."""
IN_LEAF = 4
"""Triangles in a leaf of the tree."""


@by_address
class Triangles(NamedTuple):
    """Of all meshes that do not move, t triangles in the world, sorted so that neighbours are near each other.

    Those of shape i are from `begin[i]` to before `begin[i + 1]`. `plane` (t, 6): a corner and the unit normal, towards
    where corners turn left. `corner` (t, 3, 3); edge e is from corner e to the next one, and `inward` (t, 3, 3) the
    unit vector across it, in the plane, into the triangle. `seam` (t, 3): what the edge is between. `beyond` (t, 3):
    three times the triangle on the other side of it plus the number of the edge there, -1 where there is none, or more
    than one. `region` (t,): triangles that hang together by flat edges have one number.

    `tree` (m, 6): boxes around triangles, low and high corner; those of shape i from `tree_begin[i]`. Each is a
    complete binary tree: box 1 is around all, boxes 2 h and 2 h + 1 are in box h, and the last half are around IN_LEAF
    triangles each.
    """

    begin: IntArray
    plane: Array2
    corner: Array3
    inward: Array3
    seam: IntArray2
    beyond: IntArray2
    region: IntArray
    tree: Array2
    tree_begin: IntArray


def triangles_of(rows: Sequence[Placed], kinds: IntArray) -> Triangles:
    """The tables of all rows whose kind is MESH."""
    begin = [0]
    tree_begin = [0]
    parts = [_Part.of_nothing()]
    for (_, _, X, collision), kind in zip(rows, kinds, strict=True):
        shape = collision.shape
        if kind == MESH and isinstance(shape, Mesh):
            parts.append(_part(shape, X, begin[-1]))
        count, boxes = (len(parts[-1].normal), len(parts[-1].tree)) if kind == MESH else (0, 0)
        begin.append(begin[-1] + count)
        tree_begin.append(tree_begin[-1] + boxes)
    joined = _Part(*(np.concatenate(same) for same in zip(*parts, strict=True)))
    return Triangles(
        begin=np.array(begin, dtype=np.int64),
        plane=np.column_stack((joined.corner[:, 0], joined.normal)),
        corner=joined.corner,
        inward=joined.inward,
        seam=joined.seam,
        beyond=joined.beyond,
        region=joined.region,
        tree=joined.tree,
        tree_begin=np.array(tree_begin, dtype=np.int64),
    )


class _Part(NamedTuple):
    corner: Array3
    normal: Array2
    inward: Array3
    seam: IntArray2
    beyond: IntArray2
    region: IntArray
    tree: Array2

    @classmethod
    def of_nothing(cls) -> _Part:
        corners = np.zeros((0, 3, 3))
        edges = np.zeros((0, 3), dtype=np.int64)
        return cls(corners, np.zeros((0, 3)), corners, edges, edges, np.zeros(0, dtype=np.int64), np.zeros((0, 6)))


def _part(shape: Mesh, X: Pose, first: int) -> _Part:
    """Of one mesh at X, whose triangles are numbered from `first` on."""
    mesh = mesh_of(shape)
    points, numbers = _welded(mesh.vertices, mesh.triangles.astype(np.int64))
    numbers = _turned_alike(numbers)
    numbers = numbers[_near_each_other(points[numbers].mean(axis=1))]
    corner: Array = points[numbers] @ X.rotation().T + np.array(X.position)
    edge = np.roll(corner, -1, axis=1) - corner
    normal = _unit(np.cross(edge[:, 0], edge[:, 1]))
    inward = np.cross(normal[:, None, :], _unit(edge))
    beyond, _ = _across(numbers)
    seam = _seams(normal, inward, beyond)
    region = _regions(seam, beyond)
    return _Part(corner, normal, inward, seam, np.where(beyond < 0, -1, beyond + 3 * first), region, _tree(corner))


def _unit(vectors: Array) -> Array:
    units: Array = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return units


def _welded(vertices: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """(points, triangles of their numbers) without corners that are there twice and triangles without an area."""
    size = float(np.ptp(vertices[np.unique(triangles)], axis=0).max(initial=0.0)) or 1.0
    _, kept, numbers = np.unique(np.round(vertices / (WELD * size)), axis=0, return_index=True, return_inverse=True)
    points = vertices[kept]
    welded = numbers.reshape(-1)[triangles]
    a, b, c = (points[welded[:, e]] for e in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return points, welded[area > THIN * size * size]


def _across(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """(beyond, 1 where both triangles run along the edge the same way), shape (t, 3) each."""
    begin = numbers.reshape(-1)
    end = np.roll(numbers, -1, axis=1).reshape(-1)
    code = np.minimum(begin, end) * (numbers.max(initial=0) + 1) + np.maximum(begin, end)
    order = np.argsort(code, kind="stable")
    _, start, count = np.unique(code[order], return_index=True, return_counts=True)
    one = order[start[count == 2]]
    other = order[start[count == 2] + 1]
    beyond = np.full(len(code), -1, dtype=np.int64)
    same = np.zeros(len(code), dtype=np.int64)
    beyond[one], beyond[other] = other, one
    same[one] = same[other] = begin[one] == begin[other]
    return beyond.reshape(-1, 3), same.reshape(-1, 3)


def _turned_alike(numbers: IntArray) -> IntArray:
    """The triangles with corners in such an order that neighbours look the same way, as far as that can be. In a graph
    that has each triangle twice, as it is and turned, those that agree are connected."""
    beyond, same = _across(numbers)
    if not same.any():
        return numbers
    count = len(numbers)
    (t, e) = np.nonzero(beyond >= 0)
    other = beyond[t, e] // 3
    swap = same[t, e]
    ends = np.concatenate((t, t + count)), np.concatenate((other + count * swap, other + count * (1 - swap)))
    label = _connected(*ends, 2 * count)
    turned = label[:count] > label[count:]
    alike: IntArray = np.where(turned[:, None], numbers[:, ::-1], numbers)
    return alike


def _connected(a: IntArray, b: IntArray, count: int) -> IntArray:
    """Which part of a graph with these edges each of so many nodes is in."""
    from scipy.sparse import coo_array  # here, for only fixed meshes need it
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(count, count))
    label: IntArray = connected_components(graph, directed=False)[1].astype(np.int64)
    return label


def _near_each_other(middles: Array) -> IntArray:
    """The order of points (t, 3) along a space-filling curve (Morton 1966)."""
    low = middles.min(axis=0, initial=np.inf)
    size = float((middles.max(axis=0, initial=-np.inf) - low).max()) or 1.0
    code = np.zeros(len(middles), dtype=np.int64)
    for axis in range(3):
        x = (1023.0 * (middles[:, axis] - low[axis]) / size).astype(np.int64)
        for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
            x = (x | x << shift) & mask
        code |= x << axis
    return np.argsort(code, kind="stable").astype(np.int64)


def _seams(normal: Array, inward: Array, beyond: IntArray) -> IntArray:
    """See `Triangles`; (t, 3)."""
    t, e = np.nonzero(beyond >= 0)
    other, its = np.divmod(beyond[t, e], 3)
    rises = np.einsum("ij,ij->i", normal[t], inward[other, its])
    alike = np.einsum("ij,ij->i", normal[t], normal[other])
    level = np.abs(rises) <= LEVEL
    seam = np.full(beyond.shape, RIM, dtype=np.int64)
    folded = np.where(level, np.where(alike > 0.0, FLAT, RIM), np.where(rises < 0.0, CONVEX, CONCAVE))
    seam[t, e] = folded
    return seam


def _regions(seam: IntArray, beyond: IntArray) -> IntArray:
    t, e = np.nonzero(seam == FLAT)
    return _connected(t, beyond[t, e] // 3, len(seam))


def _tree(corner: Array) -> Array:
    """Boxes, shape (m, 6), around triangles with corners (t, 3, 3): see `Triangles`."""
    leaves = 1
    while IN_LEAF * leaves < len(corner):
        leaves *= 2
    boxes = np.concatenate((np.full((IN_LEAF * leaves, 3), np.inf), np.full((IN_LEAF * leaves, 3), -np.inf)), axis=1)
    boxes[: len(corner), :3], boxes[: len(corner), 3:] = corner.min(axis=1), corner.max(axis=1)
    rows = [_around(boxes.reshape(leaves, IN_LEAF, 6))]
    while len(rows[0]) > 1:
        rows.insert(0, _around(rows[0].reshape(-1, 2, 6)))
    return np.concatenate((np.zeros((1, 6)), *rows))


def _around(boxes: Array) -> Array:
    """Boxes around some boxes each, shape (n, k, 6)."""
    return np.concatenate((boxes[:, :, :3].min(axis=1), boxes[:, :, 3:].max(axis=1)), axis=1)
