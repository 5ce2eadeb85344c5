"""Couplings between tree axes solved for the axes that stay free: q = S q_free + s.

Couplings of two axes make chains: a connected set moves with one of its axes, q_i = m_i y + c_i, which is exact along
the chain. Rows of more axes then tie such sets together, by elimination.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.elimination import Elimination
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.spatial.arrays import Array

    Ints = NDArray[np.intp]


@dataclass(frozen=True)
class CoupledAxes:
    """Position of every axis from those of `free` ones: q = S q + `constants`, where S has the entries (`rows`,
    `columns`, `values`) and no other columns than those of free axes."""

    rows: Ints
    columns: Ints
    values: Array
    constants: Array
    free: tuple[int, ...]

    def positions(self, asked: Array) -> Array:
        """Positions with the free axes at requested values, shape (n_axes,)."""
        moved = np.bincount(self.rows, self.values * asked[self.columns], minlength=len(self.constants))
        positions: Array = moved + self.constants
        return positions

    def moving_with(self, axis: int) -> tuple[Ints, Array]:
        """The axes that move with a free one, and how fast."""
        chosen = self.columns == axis
        return self.rows[chosen], self.values[chosen]


@dataclass(frozen=True)
class _Sets:
    """q = slopes * q[roots] + constants."""

    slopes: Array
    constants: Array
    roots: Ints


def coupled_axes(mechanism: Mechanism, fixed: Collection[int]) -> CoupledAxes:
    """Solve the couplings between tree axes, but for those along curves. Axes that the user fixed stay free wherever
    possible, then those that lead, then those that come first in the document."""
    couplings = [
        coupling
        for coupling in mechanism.couplings
        if coupling.curve is None and all(mechanism.axes[axis].in_tree for axis, _ in coupling.terms)
    ]
    followers = mechanism.follower_axes()

    def rank(axis: int) -> tuple[bool, bool, int]:
        return (axis not in fixed, axis in followers, axis)

    sets = _sets_of_pairs(len(mechanism.axes), [c for c in couplings if not c.others], rank)
    return _joined(sets, [c for c in couplings if c.others], rank)


def _sets_of_pairs(n_axes: int, pairs: Sequence[Coupling], rank: Callable[[int], tuple[bool, bool, int]]) -> _Sets:
    """Breadth-first search from what is held (by a multiplier of 0), then from the axes in the order of their rank."""
    slopes = np.ones(n_axes)
    constants = np.zeros(n_axes)
    roots = np.arange(n_axes)
    neighbours: dict[int, list[tuple[int, float, float]]] = {i: [] for i in range(n_axes)}
    held = {}
    for row in pairs:
        if row.multiplier == 0.0:
            held[row.follower] = row.constant
            continue
        neighbours[row.leader].append((row.follower, row.multiplier, row.constant))
        neighbours[row.follower].append((row.leader, 1.0 / row.multiplier, -row.constant / row.multiplier))
    for axis, constant in held.items():
        slopes[axis] = 0.0
        constants[axis] = constant
    seen: set[int] = set()
    for root in (*held, *sorted(range(n_axes), key=rank)):
        if root in seen:
            continue
        seen.add(root)
        queue = deque([root])
        while queue:
            axis = queue.popleft()
            for other, slope, constant in neighbours[axis]:
                if other not in seen:
                    seen.add(other)
                    slopes[other], constants[other] = slope * slopes[axis], slope * constants[axis] + constant
                    roots[other] = root
                    queue.append(other)
    return _Sets(slopes, constants, roots)


def _joined(sets: _Sets, couplings: Sequence[Coupling], rank: Callable[[int], tuple[bool, bool, int]]) -> CoupledAxes:
    """Rows of more axes as rows between roots, each solved for the root of highest rank that it still has."""
    elimination = Elimination()
    for coupling in couplings:
        terms = [(int(sets.roots[axis]), a * float(sets.slopes[axis])) for axis, a in coupling.terms]
        constant = coupling.constant - sum(a * float(sets.constants[axis]) for axis, a in coupling.terms)
        reduced = elimination.reduce(terms, constant)
        if reduced.terms:
            elimination.keep(reduced, max(reduced.terms, key=rank))
    roots = [i for i in range(len(sets.roots)) if sets.roots[i] == i]
    solved = elimination.solved()
    entries = []
    constants = np.zeros(len(sets.roots))
    for axis, root in enumerate(sets.roots):
        terms_of_root, constant = solved.get(int(root), ({int(root): 1.0}, 0.0))
        slope = float(sets.slopes[axis])
        constants[axis] = slope * constant + sets.constants[axis]
        entries += [(axis, free, slope * value) for free, value in terms_of_root.items() if slope != 0.0]
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    free = tuple(root for root in roots if root not in elimination.pivots and sets.slopes[root] != 0.0)
    return CoupledAxes(
        np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), np.array(values), constants, free
    )
