"""Nodes whose part of the dynamics is known in closed form, so that a step need not place them.

A node on the world without anything outboard, whose one freedom turns about or slides along a fixed axis and which no loop passes through:
its inertia about that axis is constant, nothing of its motion feels another, and gravity's effort on it is constant (a slide) or
m g . (a x r) of a centre of mass that goes round (a hinge), A cos q + B sin q. Gear trains, racks, pulleys and simple pendulums are such.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.flatten import ROTATION, TRANSLATION
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.flatten import Reduction, Tree
    from simulator.dynamics.compiled.rows import LoopTables
    from simulator.spatial.rotation import Vec3

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SimpleNodes:
    """`nodes`: which are simple. `order` (nodes,): all nodes, the simple ones last. `gravity` (simple, 2): the bias effort of each is
    gravity[0] cos q + gravity[1] sin q (a slide: gravity[0]). `mass`: what they add to the lower half of H, by row, column and value."""

    nodes: Ints
    order: Ints
    gravity: Array
    mass: list[tuple[int, int, float]]


def find_simple_nodes(tree: Tree, reduction: Reduction, tables: LoopTables, gravity: Vec3) -> SimpleNodes:
    """Nodes that a step can leave where they are."""
    count = len(tree.kind)
    inner = set(tree.parent.tolist())
    looped = {node for path in tables.path for node, _ in path} | set(tables.nodes)
    chosen = [
        node
        for node in range(count)
        if tree.kind[node] in (ROTATION, TRANSLATION)
        and tree.parent[node] < 0
        and node not in inner
        and node not in looped
    ]
    mass = []
    efforts = np.zeros((len(chosen), 2))
    weightless = set(tree.weightless.tolist())
    for place, node in enumerate(chosen):
        inertia, effort = _closed_form(tree, node, np.array(gravity) * (node not in weightless))
        efforts[place] = effort
        first = int(tree.first[node])
        entries = range(int(reduction.ptr[first]), int(reduction.ptr[first + 1]))
        mass += [
            (int(reduction.index[a]), int(reduction.index[b]), float(inertia * reduction.value[a] * reduction.value[b]))
            for a, b in product(entries, entries)
            if reduction.index[a] >= reduction.index[b]
        ]
    simple = np.array(chosen, dtype=np.int64)
    order = np.concatenate((np.setdiff1d(np.arange(count), simple), simple)).astype(np.int64)
    return SimpleNodes(simple, order, efforts, mass)


def _closed_form(tree: Tree, node: int, gravity: Array) -> tuple[float, tuple[float, float]]:
    """Inertia of the node's freedom, and its bias effort's parts with cos q and sin q."""
    R, a = tree.X[node, :, :3], tree.axis[node]
    m, h, about = tree.inertia[node, 0], tree.inertia[node, 1:4], inertia_matrix(*tree.inertia[node, 4:])
    pull = R.T @ gravity
    if tree.kind[node] == TRANSLATION:
        return float(m), (-float(m * (a @ pull)), 0.0)
    around = h - (a @ h) * a
    return float(a @ about @ a), (-float(pull @ np.cross(a, around)), float(pull @ around))
