"""Which nodes move as they do because loops are closed, and which are none of their business."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREEDOMS, blocks, envelope
from simulator.physics.loops.rotors import added_mass

if TYPE_CHECKING:
    from simulator.physics.layout.flatten import Reduction, Tree
    from simulator.physics.loops.rows import LoopTables
    from simulator.spatial.arrays import Array, Ints


def looped_nodes(tree: Tree, reduction: Reduction, tables: LoopTables, ptr: Ints, columns: Ints) -> Ints:
    """1 for every node, shape (nodes,), whose coordinates, or those of a node inboard, feel coordinates that rows of
    loops hold; `ptr` (n + 1,), `columns`: which columns left of the diagonal each row of the mass matrix has. A push on
    any other node accelerates nothing in a loop."""
    nodes = len(tree.kind)
    found = np.zeros(len(tree.kind), dtype=np.int64)
    if not tables.kind:
        return found
    own = [_own(tree, i) for i in range(nodes)]
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


def _own(tree: Tree, node: int) -> slice:
    """The freedoms of a node."""
    return slice(int(tree.first[node]), int(tree.first[node]) + FREEDOMS[int(tree.kind[node])])


def _together(count: int, ptr: Ints, columns: Ints) -> Ints:
    """A number for every coordinate, the same of those that feel each other, however indirectly."""
    number = np.arange(count)
    for row in range(count):
        for column in set(number[columns[ptr[row] : ptr[row + 1]]].tolist()):
            number[number == column] = number[row]
    return number


def looped_ints(
    tree: Tree, reduction: Reduction, tables: LoopTables, ptr: Ints, columns: Ints
) -> dict[int, Ints | int]:
    """LOOPED: see `looped_nodes`, whose arguments these are. TIED of each coordinate: the first of those that the mass
    matrix or loops couple it with; FROM, TO: between which ones these are, whole blocks of the matrix."""
    looped = looped_nodes(tree, reduction, tables, ptr, columns)
    begin, end = blocks(envelope(ptr, columns)[0])
    first = np.arange(reduction.independents)
    if tables.kind:
        number = _together(reduction.independents, ptr, columns)
        for group in (some for some in _tied_by_loops(tree, reduction, tables) if len(some)):
            number[np.isin(number, number[group])] = number[group[0]]
        for one in np.unique(number).tolist():
            members = np.flatnonzero(number == one)
            first[members], begin[members], end[members] = members[0], begin[members].min(), end[members].max()
    return {at.I_LOOPED: looped, at.I_TIED: first, at.I_FROM: begin, at.I_TO: end}


def tied_by_rotors(
    tree: Tree, reduction: Reduction, tables: LoopTables, added_inertia: Array | None
) -> list[tuple[int, int]]:
    """Pairs of independent coordinates, by the columns of G, that rotors tie; `added_inertia`: see
    `CompiledMechanism`."""
    tied = [(a, b) for a, b, _ in added_mass(tree, reduction, tables.axis_of, added_inertia)]
    for members in _tied_by_loops(tree, reduction, tables)[len(tables.path) + len(tables.kind) :]:
        tied += itertools.permutations(set(members.tolist()), 2)
    return tied


def _tied_by_loops(tree: Tree, reduction: Reduction, tables: LoopTables) -> list[Ints]:
    """Coordinates that the rows of one loop have together, or that of a coupling with axes of loops."""
    freedoms = [
        [freedom for node, _ in path for freedom in range(*_own(tree, node).indices(tree.freedoms))]
        for path in tables.path
    ]
    for terms in tables.terms:
        of_loops = [freedoms[tables.axis_loop[axis]] for axis, _, _ in terms if axis >= 0]
        freedoms.append([freedom for _, freedom, _ in terms if freedom >= 0] + [k for some in of_loops for k in some])
    return [reduction.index[np.isin(reduction.freedom_of_entry, some)] for some in freedoms]
