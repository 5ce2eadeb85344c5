"""Changes of an engine between steps, without time: its state, and the loads on its bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.readout import Readout, effort_limits
from simulator.engine.refusals import require_axis
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import placed
from simulator.physics.queries.recoupling import project_onto_couplings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.kinematics.state import JointState
    from simulator.mechanism.loads import BodyLoads
    from simulator.mechanism.types import Mechanism


class Placing(Readout):
    """The part of `Engine` that changes something between two steps. `changed`: by `change_numbers`."""

    changed: Mapping[str, float]
    _effort_limit: NDArray[np.float64]

    def place(self, axis: int, value: float) -> None:
        """Put one axis at `value` [rad or m], everything at rest; couplings and loops are assembled around it.

        Raises UsageError for a value outside of its limits, AssemblyError if it is impossible; the state is then
        unchanged.
        """
        require_axis(self.mechanism, axis)
        if not np.isfinite(value):
            raise UsageError(f"'{self.mechanism.axes[axis].name}' cannot be put at {value:g}")
        self.put(placed(Kinematics(self.mechanism), self.at_rest(), axis, value))

    def at_rest(self) -> JointState:
        """The present positions, nothing moves."""
        now = self._joint_state()
        return replace(now, velocity=np.zeros_like(now.velocity), loose_twist=np.zeros_like(now.loose_twist))

    def put(self, state: JointState) -> None:
        """Go to `state`, which is assembled, without time or work: the energy's difference counts as if there from the
        start."""
        before = self._total_energy()
        self._place(state)
        self.actuation.reset()
        self._ledger.start += self._total_energy() - before

    def change_loads(self, loads: BodyLoads) -> None:
        """Other loads on bodies from now on; what springs store more than before is booked as work of loads."""
        before = self._total_energy()
        self._exchange(replace(self.mechanism, loads=loads), self.strategy, self._joint_state())
        self._ledger.loads += self._total_energy() - before

    def aim_spring(self, loads: BodyLoads) -> None:
        """As `change_loads`, where the last spring's end on the world is all that differs."""
        bounded = self._dynamics.bounded
        before = self._total_energy()
        self.mechanism = replace(self.mechanism, loads=loads)
        if bounded is None:
            self._prepare()
        else:
            bounded.model.aim_spring(len(loads.springs) - 1, np.array(loads.springs[-1].points[1]))
            self._look()
        self._ledger.loads += self._total_energy() - before

    def change_numbers(self, mechanism: Mechanism, changed: Mapping[str, float]) -> None:
        """Continue with `mechanism`, which has the structure of the present one and other numbers
        (`mechanism.varied`); `changed` are those in which it differs from the start's, by name. Loops are assembled
        anew, as near as limits allow, velocities carry over without a kick, and the cost in energy is booked as work.

        Raises AssemblyError if loops cannot follow, LimitsError if limits leave no position; nothing has changed
        then.
        """
        before = self._total_energy()
        limit = self._effort_limit.copy()
        state = project_onto_couplings(mechanism, self._joint_state(), self._reflected_rotors())
        self._effort_limit[:] = effort_limits(mechanism)
        try:
            self._exchange(mechanism, self.strategy, state)
        except BaseException:
            self._effort_limit[:] = limit
            raise
        self._ledger.work += self._total_energy() - before
        self.changed = dict(changed)

    def _reflected_rotors(self) -> NDArray[np.float64] | None:
        """What rotors add to the inertia of the axes."""
        raise NotImplementedError

    def _place(self, state: JointState) -> None:
        """Go to an assembled state."""
        raise NotImplementedError

    def _exchange(self, mechanism: Mechanism, name: str, state: JointState) -> None:
        """Continue with another mechanism of the same structure, or another strategy, from an assembled state."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """What goes with other dynamics, or with other loads on those that do not integrate them."""
        raise NotImplementedError

    def _joint_state(self) -> JointState:
        """The present state, for other dynamics or another pose to start from."""
        state = self._state
        return joint_state_of(self.mechanism, state.position, state.velocity, state.body_poses, state.body_velocities)

    def _look(self) -> None:
        """Read residuals and energies off the state, where compiled code does."""
        if self._blocks is not None:
            self._blocks.read(time=self.time)
