"""A mechanism as a function of its independent axes: what it takes to hold them, and how they accelerate.

Elastic couplings are springs and dampers between axes, which are independent of each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.elastic import ElasticCouplings
from simulator.analysis.wrenches import time_of
from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.real_couplings import as_moved, require_smooth
from simulator.physics.queries.equations import Equations
from simulator.physics.sweep.swept import SweptMechanism

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.physics.layout.sweep_layout import Sweep
    from simulator.spatial.arrays import Array


class IndependentAxes:
    """The independent axes of a mechanism around a state, those of `Equations.reduction`. `axes`: their indices;
    `q`: their positions, shape (n,)."""

    def __init__(self, swept: SweptMechanism, state: JointState) -> None:
        """Raises UsageError where nothing moves, where freedoms of balls or of floating bodies are independent, which
        have no positions that add up, and for couplings that lose power or have play between rigid flanks, which no
        function of positions and velocities describes at rest."""
        require_smooth(swept.mechanism)
        self._elastic = ElasticCouplings(swept.mechanism)
        swept = _without_elastic(swept) if self._elastic.any else swept
        swept.model.set_efforts(np.zeros(len(state.position)))
        beside = swept.put(state)
        freedoms = swept.prepare((), ()).lock.tolist()
        axes = [swept.model.parts.axis_of_freedom.get(freedom, -1) for freedom in freedoms]
        if min(axes, default=0) < 0:
            raise UsageError("a body that floats, or turns freely on a ball, has no independent axes to look along")
        if not axes:
            raise UsageError("nothing moves: there is no independent axis to look along")
        if not beside:  # at a singular position more freedoms are independent than the motion has
            places = Equations(swept.kinematics).reduction(state).places
            of_axis = swept.kinematics.layout.of_axis
            named = [of_axis.index(place) for place in places if place in of_axis]
            axes = named if len(named) == len(axes) else axes
        self.swept, self.axes = swept, tuple(axes)
        self.names = tuple(swept.mechanism.axes[axis].name for axis in axes)
        self._plan = swept.prepare(axes, [0.0] * len(axes))
        self._base = swept.y.copy()
        self.q = state.position[list(axes)].copy()

    def go(self, q: Array) -> None:
        """Take the axes to `q` (n,) from where `go` led to last. Raises AssemblyError where that is impossible."""
        if not self.swept.close_from_afar(self._plan, self._base, q):
            raise AssemblyError("the independent axes cannot be brought there")
        self._base, self.q = self.swept.y.copy(), np.array(q, dtype=float)

    def needed(self, q: Array, velocity: Array) -> Array:
        """Efforts on the axes at `q` (n,) that keep their velocities (n,) as they are, shape (n,) [N m or N]."""
        plan = self._placed(q, velocity)
        self._push(plan)
        efforts: Array = self.swept.here(plan, loads=True).held[0, : len(self.axes)].copy()
        return efforts

    def _push(self, plan: Sweep, efforts: Array | None = None) -> None:
        """What elastic couplings do acts from now on, beside other efforts on all axes (n_axes,)."""
        acting = np.zeros(len(self.swept.mechanism.axes)) if efforts is None else efforts
        if self._elastic.any:
            here = self.swept.here(plan)
            acting = acting + self._elastic.efforts(here.position[0], here.rate[0])
        self.swept.model.set_efforts(acting)

    def accelerations(self, q: Array, velocity: Array, efforts: Array) -> Array:
        """Of the axes at `q` (n,) under efforts on all axes (n_axes,), shape (n,)."""
        plan = self._placed(q, velocity)
        model = self.swept.model
        self.swept.here(plan)
        self._push(plan, efforts)
        rates = model.parts.spread(self.swept.accelerate(plan))
        model.set_efforts(np.zeros_like(efforts))
        found: Array = rates[plan.move]
        return found

    def all_positions(self, q: Array) -> Array:
        """Of all axes, shape (n_axes,)."""
        plan = self._placed(q, np.zeros(len(self.axes)))
        found: Array = self.swept.here(plan).position[0].copy()
        return found

    def all_rates(self, q: Array) -> Array:
        """Velocities of all axes per velocity of each independent one, shape (n_axes, n)."""
        columns = []
        for velocity in np.eye(len(self.axes)):
            plan = self._placed(q, velocity)
            columns.append(self.swept.here(plan).rate[0].copy())
        return np.stack(columns, axis=1)

    def _placed(self, q: Array, velocity: Array) -> Sweep:
        plan = self._plan
        if not self.swept.close_from_afar(plan, self._base, q):
            raise AssemblyError("the independent axes cannot be brought there")
        plan.rate[:] = velocity
        plan.speed[:] = (1.0, 0.0)
        return plan


def _without_elastic(swept: SweptMechanism) -> SweptMechanism:
    """The same mechanism, at the same time, whose elastic couplings tie nothing."""
    kinematics = Kinematics(as_moved(swept.mechanism)).as_meant
    found = SweptMechanism(kinematics, swept.rotors)
    found.set_time(time_of(swept))
    return found
