"""What couplings pass on: with sum(a_i q_i) = b and its multiplier μ, the coupling acts with a_i μ along each of its
axes.

Of couplings between tree axes, eliminated in the equations of motion, μ follows afterwards: what acts along every
freedom beside drives, springs and dampers comes from couplings, Aᵀ μ = e. Couplings with axes of loop joints, and along
curves, are rows and have their multipliers already; what these do along tree axes is taken out of e first.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.curved import CurvedLaw
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array


AGREES = 1e-9
"""Rows of A that differ by less than this part of their length are one."""


class CouplingEfforts:
    """The couplings of one mechanism. `names`: of their followers, along whose axes μ acts as it is."""

    def __init__(self, swept: SweptMechanism) -> None:
        mechanism = swept.mechanism
        parts = swept.model.parts
        self._swept = swept
        self.names = tuple(mechanism.axes[coupling.follower].name for coupling in mechanism.couplings)
        self._on_loops = [
            coupling.curve is not None or any(axis in parts.tables.axis_of for axis, _ in coupling.terms)
            for coupling in mechanism.couplings
        ]
        self._curves = [(row, c.curve) for row, c in enumerate(mechanism.couplings) if c.curve is not None]
        self._first_row = len(parts.tables.kind) - sum(self._on_loops)
        rows = np.zeros((len(mechanism.couplings), parts.tree.freedoms))
        for row, coupling in zip(rows, mechanism.couplings, strict=True):
            for axis, factor in coupling.terms if coupling.curve is None else ():
                if axis not in parts.tables.axis_of:
                    row[parts.tree.freedom_of_axis[axis]] += factor
        on_loops = np.array(self._on_loops, dtype=bool)[:, None]
        self._rows, self._beside_loops = np.where(on_loops, 0.0, rows), np.where(on_loops, rows, 0.0)

    def of(self, points: Points, plan: Sweep, rotors: Array | None = None) -> Array:
        """μ of every coupling, the effort on its follower, shape (n, n_couplings) [N m or N]. `rotors`, shape (n,
        freedoms): what turning rotors need."""
        result = np.zeros((len(points.effort), len(self.names)))
        tied = points.effort.copy() if rotors is None else points.effort + rotors
        for place, code in enumerate((*plan.move.tolist(), *plan.lock.tolist())):
            if code >= 0:
                tied[:, code] -= points.held[:, place]
        on_loops = np.flatnonzero(self._on_loops)
        places = np.argsort(self._swept.row_order)[self._first_row :]
        result[:, on_loops] = points.row[:, places]
        tied -= result @ self._beside_loops
        for row, curve in self._curves:
            self._take_out(tied, result[:, row], curve, points.position)
        result += tied @ self._inverse
        return result

    def _take_out(self, tied: Array, effort: Array, curve: CurvedLaw, position: Array) -> None:
        """Efforts along freedoms less what a coupling with a curve does along them, (n, freedoms)."""
        freedom = self._swept.model.parts.tree.freedom_of_axis
        for axis, slope in zip(curve.axes, curve.tape.gradient(position[:, list(curve.axes)]).T, strict=True):
            if freedom[axis] >= 0:
                tied[:, freedom[axis]] -= effort * slope

    @cached_property
    def determined(self) -> NDArray[np.bool_]:
        """Whether each μ follows from equilibrium, shape (n_couplings,)."""
        if self._full_rank:
            return np.ones(len(self.names), dtype=bool)
        null = np.linalg.svd(self._rows.T)[2][np.linalg.matrix_rank(self._rows) :]
        used = np.abs(self._rows).sum(axis=1) > 0.0
        found: NDArray[np.bool_] = (np.abs(null).max(axis=0, initial=0.0) < AGREES) | ~used
        return found

    @cached_property
    def _full_rank(self) -> bool:
        used = self._rows[np.abs(self._rows).sum(axis=1) > 0.0]
        return not len(used) or int(np.linalg.matrix_rank(used)) == len(used)

    @cached_property
    def _inverse(self) -> Array:
        """A⁺, shape (freedoms, n_couplings)."""
        if not self._full_rank or not np.abs(self._rows).sum(axis=1).all():
            return np.asarray(np.linalg.pinv(self._rows), dtype=float)
        solved: Array = np.linalg.solve(self._rows @ self._rows.T, self._rows).T
        return solved
