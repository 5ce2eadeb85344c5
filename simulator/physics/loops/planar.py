"""Mechanisms that move in one plane: the constants of their nodes in two dimensions.

Where every axis of the nodes that a step has to place turns about one direction n or slides across it, a node's
rotation is one angle and a body is mass, centre and one moment. Coordinates are those of the plane at rest, (e1, e2)
with e1 x e2 = n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.model.altered import altered
from simulator.physics.layout.flatten import ROTATION, TRANSLATION
from simulator.physics.loops.loops import LINE
from simulator.physics.loops.views import NODE_NUMBERS
from simulator.records import dataclass
from simulator.spatial.rotation import across, cross

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.physics.layout.flatten import Tree
    from simulator.physics.loops.rows import LoopTables
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.rotation import Vec3


PARALLEL = 1e-12
"""Largest component of a unit vector that counts as none."""
UPRIGHT = np.eye(3)
"""Rotation of the world in itself."""
SENSE, ORIGIN_X, ORIGIN_Y, SLIDE_X, SLIDE_Y, MASS, CENTRE_X, CENTRE_Y, INERTIA = range(NODE_NUMBERS)
"""Per node: sense of its turning about n (0: it slides), origin in the parent, direction of the slide, mass, centre,
moment."""


@dataclass(frozen=True)
class Plane:
    """`nodes` (n, 9) as above; `loops` (n_loops, 4): origins of both joint frames in their nodes; `rows` (n_rows, 2):
    direction of each; `axes` (n_loop_axes,): sense of each; `gravity` (2,). `usable_row` (n_rows,): rows that the plane
    can express; `fits`: if it is one. `rotation` (n, 3, 3): of the nodes in the world at position zero; `basis` (3, 3):
    e1, e2 and n."""

    fits: bool
    nodes: Array
    loops: Array
    rows: Array
    axes: Array
    gravity: Array
    usable_row: NDArray[np.bool_]
    rotation: Array
    basis: Array

    def like(self, before: Tree, tree: Tree, tables: LoopTables) -> Plane | None:
        """The plane of `tree` from that of `before`; None where joints are turned against each other."""
        differs = before.X != tree.X
        if differs[:, :, :3].any() or not (tree.axis is before.axis or np.array_equal(before.axis, tree.axis)):
            return None
        if not self.fits:
            return self
        nodes = self.nodes.copy()
        flat = self.basis[:2]
        for node in np.flatnonzero((before.inertia != tree.inertia).any(axis=1)).tolist():
            nodes[node, 5:] = _masses(tree, node, self.rotation[node], self.basis)
        for node in np.flatnonzero(differs[:, :, 3].any(axis=1)).tolist():
            nodes[node, 1:3] = flat @ (_rotation_of(self.rotation, int(tree.parent[node])) @ tree.X[node, :, 3])
        return altered(self, nodes=nodes, loops=_loop_origins(tables, self.rotation, flat))


def find_plane(tree: Tree, tables: LoopTables, active: Ints, gravity: Vec3) -> Plane:
    """The plane in which all `active` nodes and all loops move; one that does not fit where there is none."""
    rotation, origin = _at_rest(tree)
    axes = [rotation[node] @ tree.axis[node] for node in active]
    turning = [axis for node, axis in zip(active, axes, strict=True) if tree.kind[node] == ROTATION]
    count = len(tree.kind)
    loops = len(tables.nodes) // 2
    rows = len(tables.kind)
    nothing = Plane(
        False, np.zeros((count, NODE_NUMBERS)), np.zeros((loops, 4)), np.zeros((rows, 2)),
        np.zeros(len(tables.axis_kind)), np.zeros(2),
        np.zeros(rows, dtype=bool), rotation, np.eye(3),
    )  # fmt: skip
    if (
        not turning
        or len(tree.weightless)
        or tables.tapes
        or _has_cables(tree)
        or not _in_one_plane(tree, active, axes, turning[0])
    ):
        return nothing
    n = turning[0]
    e1, e2 = across(n)
    # Right-handed, so that angles about n count from e1 to e2.
    if cross(e1, e2) @ n < 0.0:
        e1, e2 = e2, e1
    basis = np.stack((e1, e2, n))
    flat = basis[:2]
    senses = _loop_senses(tables, rotation, n)
    if senses is None:
        return nothing
    u = [
        _rotation_of(rotation, tables.nodes[2 * loop]) @ tables.X[2 * loop][:, :3] @ v
        for loop, v in zip(tables.loop, tables.u, strict=True)
    ]
    return Plane(
        True,
        np.array([_node(tree, node, rotation, origin, basis) for node in range(count)]).reshape(-1, NODE_NUMBERS),
        _loop_origins(tables, rotation, flat),
        np.array([flat @ v for v in u]).reshape(-1, 2),
        senses,
        flat @ np.array(gravity),
        np.array([kind == LINE and abs(v @ n) <= PARALLEL for kind, v in zip(tables.kind, u, strict=True)], dtype=bool),
        rotation,
        basis,
    )  # fmt: skip


def _has_cables(tree: Tree) -> bool:
    return any(mesh.cable >= 0 for mesh in tree.meshes or ())


def _loop_origins(tables: LoopTables, rotation: Array, flat: Array) -> Array:
    places = zip(tables.nodes, tables.X, strict=True)
    return np.array([flat @ (_rotation_of(rotation, node) @ X[:, 3]) for node, X in places]).reshape(-1, 4)


def _at_rest(tree: Tree) -> tuple[Array, Array]:
    """Rotation and origin of every node in the world at position zero."""
    rotation = np.zeros((len(tree.kind), 3, 3))
    origin = np.zeros((len(tree.kind), 3))
    for node, parent in enumerate(tree.parent):
        R, p = (np.eye(3), np.zeros(3)) if parent < 0 else (rotation[parent], origin[parent])
        rotation[node], origin[node] = R @ tree.X[node, :, :3], p + R @ tree.X[node, :, 3]
    return rotation, origin


def _rotation_of(rotation: Array, node: int) -> Array:
    return UPRIGHT if node < 0 else rotation[node]


def _in_one_plane(tree: Tree, active: Ints, axes: list[Array], n: Array) -> bool:
    for node, axis in zip(active, axes, strict=True):
        if tree.kind[node] == ROTATION and np.linalg.norm(cross(axis, n)) > PARALLEL:
            return False
        if tree.kind[node] == TRANSLATION and abs(axis @ n) > PARALLEL:
            return False
        if tree.kind[node] not in (ROTATION, TRANSLATION):
            return False
    return True


def _loop_senses(tables: LoopTables, rotation: Array, n: Array) -> Array | None:
    """+1 or -1 for every loop axis that turns about n; None where one does something else."""
    senses = []
    for kind, loop, vectors in zip(tables.axis_kind, tables.axis_loop, tables.axis_vectors, strict=True):
        direction = _rotation_of(rotation, tables.nodes[2 * loop]) @ tables.X[2 * loop][:, :3] @ vectors[:3]
        if kind != 0 or np.linalg.norm(cross(direction, n)) > PARALLEL:
            return None
        senses.append(np.sign(direction @ n))
    return np.array(senses, dtype=float)


def _node(tree: Tree, node: int, rotation: Array, origin: Array, basis: Array) -> list[float]:
    parent = int(tree.parent[node])
    R = rotation[node]
    flat = basis[:2]
    n = basis[2]
    start = origin[node] - (origin[parent] if parent >= 0 else 0.0)
    axis = R @ tree.axis[node]
    turns = tree.kind[node] == ROTATION
    slide = np.zeros(2) if turns else flat @ axis
    sense = float(np.sign(axis @ n)) if turns else 0.0
    return [sense, *(flat @ start), *slide, *_masses(tree, node, R, basis)]


def _masses(tree: Tree, node: int, R: Array, basis: Array) -> tuple[float, float, float, float]:
    """Mass, centre and moment of a node whose rotation is `R`."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = tree.inertia[node].tolist()
    (ax, ay, az), (bx, by, bz), (nx, ny, nz) = (basis @ R).tolist()
    squares = xx * nx * nx + yy * ny * ny + zz * nz * nz
    moment = squares + 2.0 * (xy * nx * ny + xz * nx * nz + yz * ny * nz)
    if m <= 0.0:
        return m, 0.0, 0.0, moment
    return m, (ax * hx + ay * hy + az * hz) / m, (bx * hx + by * hy + bz * hz) / m, moment
