"""Couplings between tree axes solved for the axes that stay free: q = S q_free + s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.reduction import eliminated
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
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


def coupled_axes(mechanism: Mechanism, fixed: Collection[int]) -> CoupledAxes:
    """Solve the couplings between tree axes, but for those along curves and those that slip. Axes that the user fixed
    stay free wherever possible, then those that lead, then those that come first in the document."""
    couplings = [
        coupling
        for coupling in mechanism.couplings
        if coupling.ties and coupling.curve is None and all(mechanism.axes[axis].in_tree for axis, _ in coupling.terms)
    ]
    followers = mechanism.follower_axes()
    solved = eliminated(couplings, lambda axis: (axis not in fixed, axis in followers, axis)).solved()
    n_axes = len(mechanism.axes)
    constants = np.zeros(n_axes)
    entries = []
    for axis in range(n_axes):
        terms, constants[axis] = solved.get(axis, ({axis: 1.0}, 0.0))
        entries += [(axis, free, slope) for free, slope in terms.items()]
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    free = tuple(axis for axis in range(n_axes) if axis not in solved)
    return CoupledAxes(
        np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), np.array(values), constants, free
    )
