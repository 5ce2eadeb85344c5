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


def looped_nodes(tree: Tree, reduction: Reduction, tables: LoopTables, ptr: Ints, columns: Ints) -> Ints:
    """1 for every node, shape (nodes,), whose coordinates, or those of a node inboard, feel coordinates that rows of
    loops hold; `ptr` (n + 1,), `columns`: which columns left of the diagonal each row of the mass matrix has. A push on
    any other node accelerates nothing in a loop."""
    nodes, found = len(tree.kind), np.zeros(len(tree.kind), dtype=np.int64)
    if not tables.path:
        return found
    own = [slice(int(tree.first[i]), int(tree.first[i]) + FREEDOMS[int(tree.kind[i])]) for i in range(nodes)]
    freedoms = np.zeros(tree.freedoms, dtype=bool)
    for node in {node for path in tables.path for node, _ in path}:
        freedoms[own[node]] = True
    freedoms[[freedom for terms in tables.terms for _, freedom, _ in terms if freedom >= 0]] = True
    together = _together(reduction.independents, ptr, columns)
    held = np.isin(together, together[reduction.index[freedoms[reduction.freedom_of_entry]]])
    feels = np.zeros(tree.freedoms, dtype=bool)
    np.logical_or.at(feels, reduction.freedom_of_entry, held[reduction.index])
    for i in range(nodes):  # nodes inboard come first
        parent = int(tree.parent[i])
        found[i] = int(feels[own[i]].any() or (parent >= 0 and found[parent]))
    return found


def _together(count: int, ptr: Ints, columns: Ints) -> Ints:
    """A number for every coordinate, the same of those that feel each other, however indirectly."""
    number = np.arange(count)
    for row in range(count):
        for column in set(number[columns[ptr[row] : ptr[row + 1]]].tolist()):
            number[number == column] = number[row]
    return number
