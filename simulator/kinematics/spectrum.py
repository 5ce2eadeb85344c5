"""Ranks and single singular values of sparse constraint matrices, without decomposing what is large.

Rows and columns that share entries form blocks. Small blocks, and those with rings (loops), are decomposed.
The rest is large and a tree: chains and trees of couplings. The symmetric matrix [[0, K], [K^T, 0]] has the
singular values of K as its positive eigenvalues; if its graph is a tree, L D L^T of it minus x, eliminated from the
leaves, fills nothing in, and by Sylvester's law of inertia the signs of D count the eigenvalues on both sides of x
(Jacobs and Trevisan, Locating the eigenvalues of trees, 2011).
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.welding import UnionFind
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array

    Indices = NDArray[np.intp]

RANK_TOLERANCE = 1e-8
"""Singular values below this part of the largest one (at least of 1) are zero."""
LARGE = 100
"""Rows from which a block is not decomposed where its graph is a tree."""
_SECTIONS = 512
"""Points that a search for a singular value looks at together: one pass through a tree costs little more for all of
them."""
_ROUNDING = 1e-15
_TINY = 1e-290
"""Instead of a pivot of zero: nearly the smallest number that can still be divided by."""


class Spectrum:
    """The singular values of K, shape (rows, columns), of which as few as possible are computed."""

    def __init__(self, K: Array) -> None:
        self._known: Array = np.zeros(0)
        self._trees: list[_Tree] = []
        self._number = min(K.shape)
        for rows, columns in _blocks(K):
            block = K[np.ix_(rows, columns)]
            entries = np.argwhere(block != 0.0)
            if len(rows) > LARGE and len(entries) == sum(block.shape) - 1:
                self._trees.append(_Tree(block, entries))
            else:
                self._known = np.append(self._known, np.linalg.svd(block, compute_uv=False))
        self._bound = float(max([0.0, *self._known, *(tree.bound for tree in self._trees)]))

    @cached_property
    def largest(self) -> float:
        """The largest singular value; 0 without entries."""
        return self.value(1)

    def at_least(self, number: int, threshold: float) -> bool:
        """Whether the singular value of that number is at least `threshold`, up to rounding."""
        return threshold <= 0.0 or bool(self._count_above(np.array([threshold]))[0] >= number)

    def rank(self, tolerance: float = RANK_TOLERANCE) -> int:
        """How many singular values are above `tolerance` times the largest one (at least 1)."""
        return int(self._count_above(np.array([tolerance * max(1.0, self.largest)]))[0])

    def value(self, number: int) -> float:
        """The singular value of that number, from 1, largest first; 0 where there are fewer."""
        if not 1 <= number <= self._number:
            return 0.0
        if not self._trees:
            ordered = np.sort(self._known)[::-1]
            return float(ordered[number - 1]) if number <= len(ordered) else 0.0
        low = 0.0
        high = self._bound * (1.0 + _ROUNDING)
        while high - low > _ROUNDING * self._bound:
            points = np.asarray(np.linspace(low, high, _SECTIONS), dtype=np.float64)
            reached = np.flatnonzero(self._count_above(points) >= number)
            last = int(reached[-1]) if len(reached) else 0
            step = (float(points[last]), float(points[min(last + 1, _SECTIONS - 1)]))
            if step == (low, high):
                break
            low, high = step
        return 0.5 * (low + high)

    def _count_above(self, points: Array) -> NDArray[np.int64]:
        """How many singular values are larger than each point."""
        counts = np.sum(self._known[None] > points[:, None], axis=1)
        for tree in self._trees:
            counts = counts + tree.count_above(points)
        return np.asarray(counts, dtype=np.int64)


@dataclass(frozen=True)
class _Level:
    """Nodes `start` to `stop` of a tree, equally far from its root; the squared entry that ties each to its parent,
    shape (n, 1)."""

    start: int
    stop: int
    parents: Indices
    weights: Array
    siblings: bool


class _Tree:
    """A block whose graph of rows and columns is a tree, level by level from its middle."""

    def __init__(self, block: Array, entries: NDArray[np.intp]) -> None:
        rows, columns = block.shape
        self._size = rows + columns
        neighbours: list[list[tuple[int, float]]] = [[] for _ in range(self._size)]
        for row, column in entries.tolist():
            weight = float(block[row, column]) ** 2
            neighbours[row].append((rows + column, weight))
            neighbours[rows + column].append((row, weight))
        self._levels = _levels(neighbours)
        sizes = np.abs(block)
        self.bound = math.sqrt(float(sizes.sum(axis=0).max()) * float(sizes.sum(axis=1).max()))

    def count_above(self, points: Array) -> NDArray[np.int64]:
        """Eigenvalues of [[0, K], [K^T, 0]] larger than each point, all of which are >= 0: the positive pivots."""
        pivots = np.repeat(-points[None], self._size, axis=0)
        for level in self._levels:
            pivot = pivots[level.start : level.stop]
            np.copyto(pivot, -_TINY, where=pivot == 0.0)
            change = level.weights / pivot
            if level.siblings:
                np.subtract.at(pivots, level.parents, change)
            else:
                pivots[level.parents] -= change
        return np.asarray(np.count_nonzero(pivots > 0.0, axis=0), dtype=np.int64)


def _levels(neighbours: Sequence[Sequence[tuple[int, float]]]) -> list[_Level]:
    """All levels below the root, the outermost first; nodes are numbered from the root outwards."""
    end = _breadth_first(neighbours, 0)[-1][0]
    across = _breadth_first(neighbours, end)
    way = {node: parent for node, parent, _, _ in across}
    path = [across[-1][0]]
    while path[-1] != end:
        path.append(way[path[-1]])
    found = _breadth_first(neighbours, path[len(path) // 2])
    number = {node: place for place, (node, _, _, _) in enumerate(found)}
    depths = [depth for _, _, _, depth in found]
    starts = [place for place, depth in enumerate(depths) if place and depth != depths[place - 1]]
    levels = []
    for start, stop in pairwise([*starts, len(found)]):
        parents = np.array([number[parent] for _, parent, _, _ in found[start:stop]])
        weights = np.array([[weight] for _, _, weight, _ in found[start:stop]])
        levels.append(_Level(start, stop, parents, weights, len(set(parents.tolist())) < len(parents)))
    return levels[::-1]


def _breadth_first(neighbours: Sequence[Sequence[tuple[int, float]]], root: int) -> list[tuple[int, int, float, int]]:
    """(node, parent, weight, depth) of all nodes, breadth first."""
    found = [(root, root, 0.0, 0)]
    seen = {root}
    for node, _, _, depth in found:
        for other, weight in neighbours[node]:
            if other not in seen:
                seen.add(other)
                found.append((other, node, weight, depth + 1))
    return found


def _blocks(K: Array) -> Iterator[tuple[Indices, Indices]]:
    """Rows and columns of K that share entries, directly or through others."""
    rows, columns = np.nonzero(K)
    sets = UnionFind(K.shape[0])
    by_column: dict[int, int] = {}
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        sets.union(row, by_column.setdefault(column, row))
    members: dict[int, tuple[list[int], list[int]]] = {}
    for row in sorted(set(rows.tolist())):
        members.setdefault(sets.find(row), ([], []))[0].append(row)
    for column, row in sorted(by_column.items()):
        members[sets.find(row)][1].append(column)
    for its_rows, its_columns in members.values():
        yield np.array(its_rows), np.array(its_columns)
