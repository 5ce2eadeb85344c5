"""Which nodes move as they do because loops are closed, and which are none of their business."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.flatten import FREEDOMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.flatten import Reduction, Tree
    from simulator.dynamics.compiled.rows import LoopTables

    Ints = NDArray[np.int64]


def looped_nodes(tree: Tree, reduction: Reduction, tables: LoopTables, begin: Ints) -> Ints:
    """1 for every node, shape (nodes,), whose coordinates, or those of a node inboard, are in one block of the mass
    matrix with coordinates that rows of loops hold; `begin` (n,): first coordinate of a coordinate's block. A push on
    any other node accelerates nothing in a loop."""
    nodes, freedoms = len(tree.kind), np.zeros(tree.freedoms, dtype=bool)
    own = [slice(int(tree.first[i]), int(tree.first[i]) + FREEDOMS[int(tree.kind[i])]) for i in range(nodes)]
    for node in {node for path in tables.path for node, _ in path}:
        freedoms[own[node]] = True
    freedoms[[freedom for terms in tables.terms for _, freedom, _ in terms if freedom >= 0]] = True
    held = np.isin(begin, begin[reduction.index[freedoms[reduction.freedom_of_entry]]])
    coordinate = np.zeros(tree.freedoms, dtype=bool)
    np.logical_or.at(coordinate, reduction.freedom_of_entry, held[reduction.index])
    found = np.zeros(nodes, dtype=np.int64)
    for i in range(nodes):  # nodes inboard come first
        parent = int(tree.parent[i])
        found[i] = int(coordinate[own[i]].any() or (parent >= 0 and found[parent]))
    return found
