"""Readings of the state of an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.energy import error_of
from simulator.engine.row_places import hinge_numbers, loose_numbers
from simulator.engine.snapshot import EnergyBalance, Snapshot, row_of
from simulator.kinematics.closure import mobility_along
from simulator.kinematics.kinematics import Kinematics
from simulator.physics.step.watch import ENERGIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.actuation import Actuation
    from simulator.engine.blocks import Blocks
    from simulator.engine.energy import WorkLedger
    from simulator.engine.measures import Measures
    from simulator.engine.port import BackendState, Contact, Dynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.step.watch import RowPlaces

    Array = NDArray[np.float64]

UNBOUNDED_EFFORT = 1e9
"""What an infinite effort limit means to a motor row [N m or N]."""


def effort_limits(mechanism: Mechanism) -> Array:
    """The effort limit of every axis, finite [N m or N]."""
    return np.array([min(info.axis.effort, UNBOUNDED_EFFORT) for info in mechanism.axes], dtype=float)


class Readout:
    """The part of `Engine` that only looks."""

    mechanism: Mechanism
    dt: float
    steps: int
    actuation: Actuation
    _dynamics: Dynamics
    _blocks: Blocks | None
    _measures: Blocks | Measures
    _state_read: BackendState | None
    _start: JointState
    _drive_effort: Array
    _actuator_effort: Array
    _ledger: WorkLedger

    @property
    def dynamics(self) -> Dynamics:
        """What moves the mechanism."""
        return self._dynamics

    @property
    def model(self) -> CompiledMechanism | None:
        """The compiled mechanism, where dynamics have one."""
        return None if self._dynamics.bounded is None else self._dynamics.bounded.model

    @property
    def strategy(self) -> str:
        """How couplings and loops are held: gear, rows or reduced."""
        return self._dynamics.name

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    @property
    def places(self) -> RowPlaces:
        """Where the parts of a row are."""
        return self._measures.places

    @property
    def _state(self) -> BackendState:
        """The state as the dynamics report it: read on demand after a block of steps."""
        if self._state_read is None:
            self._state_read = self._dynamics.read()
        return self._state_read

    def _look_at_state(self) -> BackendState:
        return self._state

    def axis_states(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each: of compiled dynamics read-only arrays that steps
        write, of others as they are now."""
        if self._blocks is not None:
            return self._blocks.q, self._blocks.v
        state = self._state_read
        strider = self._dynamics.strider
        if state is None and strider is not None:  # then nothing else has to be read
            return strider.axes()
        return self._state.position, self._state.velocity

    def row(self) -> Array:
        """The state now as a row of all channels, see `physics.step.watch`, shape (n_channels,)."""
        if self._blocks is None:
            return self.snapshot().row(self.mechanism, self.actuation.actuators)
        row: Array = self._blocks.row.copy()
        energy = self.places.energy
        balance = self._balance(*self._energies())
        row[energy + 2 : energy + ENERGIES] = balance.in_order[2:]
        return row

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        self._catch_up()
        state = self._state
        coupling, loop = self._measures.residuals(state)
        return Snapshot(
            step=self.steps,
            time=self.time,
            position=state.position.copy(),
            velocity=state.velocity.copy(),
            effort=self._drive_effort.copy(),
            coupling_residual=coupling,
            loop_residual=loop,
            energy=self._balance(*self._energies()),
            body_poses=state.body_poses.copy(),
            body_velocities=state.body_velocities.copy(),
            actuator_effort=self._actuator_effort.copy(),
        )

    def _catch_up(self) -> None:
        """Account for steps of which only the state was requested."""
        raise NotImplementedError

    def _balance(self, kinetic: float, potential: float) -> EnergyBalance:
        work = self._ledger.work
        dissipated = self._ledger.dissipated
        start = self._ledger.start
        loads = self._ledger.loads
        contact = self._ledger.contact
        overlap = self._ledger.overlap
        flown = loads + contact + overlap
        error = error_of(kinetic + potential, start, work=work, dissipated=dissipated, flown=flown)
        return EnergyBalance(kinetic, potential, work, dissipated, error, loads, contact, overlap)

    def _rows_of(self, states: BackendState, times: Array, efforts: Array, work: Array, dissipated: Array) -> Array:
        """Rows of many instants, shape (n, n_channels), where dynamics are not compiled. `efforts` of drives on axes
        and of actuators, shape (n, n_axes + n_actuators); `work` of drives, and `dissipated` energy, shape (n,)."""
        actuators = self.actuation.actuators
        n = len(self.mechanism.axes)
        loads = self._ledger.loads
        contact = self._ledger.contact
        overlap = self._ledger.overlap
        start = self._ledger.start
        flown = loads + contact + overlap
        coupling, loop = self._measures.residuals(states)
        kinetic, potential = (np.asarray(energy) for energy in self._measures.energies(states))
        error = error_of(kinetic + potential, start, work=work, dissipated=dissipated, flown=flown)
        energies = kinetic, potential, work, dissipated, error, loads, contact, overlap
        axes = states.position, states.velocity, efforts[:, :n]
        moved = actuators.position(states.position), actuators.velocity(states.velocity), efforts[:, n:]
        motion = states.body_poses, states.body_velocities
        bodies = loose_numbers(self.mechanism, *motion), hinge_numbers(self.mechanism, *motion)
        return row_of(times, axes, coupling, loop, energies, moved, bodies)

    def rank_mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion from the assembled start."""
        return mobility_along(Kinematics(self.mechanism), self._start)

    def branches(self) -> tuple[str, ...]:
        """Which of several motions loops took at change points, in sentences, of the first times."""
        return self._dynamics.branches()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        return self._dynamics.contacts()

    def _energies(self) -> tuple[float, float]:
        """Kinetic and potential energy [J] now."""
        kinetic, potential = self._measures.energies(self._state)
        return float(kinetic), float(potential)

    def _total_energy(self) -> float:
        return sum(self._energies())
