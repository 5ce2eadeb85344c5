"""Steps of time: drives and passive efforts in, and what happened is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.closure import mobility_along
from simulator.dynamics.compiled.block import Span
from simulator.dynamics.felt_inertia import felt_inertia
from simulator.dynamics.kinematics import Kinematics
from simulator.dynamics.recoupling import recoupled
from simulator.dynamics.start import placed, starting_pose
from simulator.dynamics.start_velocity import set_moving
from simulator.engine.actuation import Actuation, rotor_inertia
from simulator.engine.blocks import Blocks, places_of
from simulator.engine.carry import joint_state_of, set_loop_axes
from simulator.engine.divergence import Fast, fast_elements, require_bounded, require_going
from simulator.engine.drives import Drive, DriveKind, Setpoint
from simulator.engine.efforts import HeldEfforts, effort_drives
from simulator.engine.energy import EnergyMeter, WorkLedger
from simulator.engine.motors import Motors
from simulator.engine.passive import PassiveEfforts
from simulator.engine.refusals import require_axis, require_drivable
from simulator.engine.snapshot import EnergyBalance, Extremes, Snapshot
from simulator.errors import UsageError
from simulator.mechanism.relaw import with_law
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.spatial.rows import matrices
from simulator.transmissions.actuators import Actuators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.watch import RowPlaces
    from simulator.dynamics.state import JointState
    from simulator.engine.port import BackendState, Contact, Dynamics
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Builder = Callable[[Mechanism, str], Dynamics]

UNBOUNDED_EFFORT = 1e9
"""What an infinite effort limit means to a motor row [N m or N]."""


class Engine:
    """A mechanism that dynamics move. No clock and no file: `step` advances by `dt` [s]."""

    def __init__(
        self,
        mechanism: Mechanism,
        dynamics: Dynamics,
        *,
        dt: float,
        initial: Mapping[int, float] | None = None,
        initial_velocity: Mapping[int, float] | None = None,
        builder: Builder | None = None,
        actuators: Actuators | None = None,
        start: JointState | None = None,
    ) -> None:
        """`builder` makes dynamics by the name of a strategy, for `use_strategy` and `change_coupling`. Those that integrate passive
        efforts know of the inertia that the rotors of `actuators` add (`rotor_inertia`). `start`: assembled, instead of the document's."""
        self.mechanism, self.dt = mechanism, dt
        self._setpoints: dict[int, Setpoint] = {}
        self.laws: dict[int, tuple[float, ...]] = {}
        self._state: BackendState
        self._has_servos: bool
        self._start: JointState
        self._drive_effort: Array
        self.kinematics = Kinematics(mechanism)
        self._dynamics, self._builder = dynamics, builder
        self._passive, self._meter = PassiveEfforts(mechanism), EnergyMeter(mechanism)
        self._couplings, self._loops, self._initial = CouplingRows(mechanism), LoopRows(mechanism), dict(initial or {})
        self._initial_velocity = dict(initial_velocity or {})
        self._effort_limit = np.array([min(info.axis.effort, UNBOUNDED_EFFORT) for info in mechanism.axes], dtype=float)
        self.actuation = Actuation(actuators or Actuators(n_axes=len(mechanism.axes)), self._effort_limit)
        self._rotors = rotor_inertia(self.actuation.actuators, mechanism)
        self._blocks: Blocks | None
        self._prepare()
        self.reset() if start is None else self.go_on_from(start)

    def reset(self) -> None:
        """Back to the assembled start and its velocities; drives stay.

        Raises UsageError for a start that the limits do not allow, AssemblyError for one that cannot be assembled.
        """
        pose = starting_pose(self.kinematics, self._initial).state
        start = set_moving(self.kinematics, pose, self._initial_velocity, self._felt_rotors())
        self.actuation.reset()
        self.go_on_from(start)

    def place(self, axis: int, value: float) -> None:
        """Put one axis at `value` [rad or m], everything at rest; couplings and loops are assembled around it.

        Raises UsageError where that is outside of its limits, AssemblyError where it is impossible; the state is then unchanged.
        """
        require_axis(self.mechanism, axis)
        if not np.isfinite(value):
            raise UsageError(f"'{self.mechanism.axes[axis].name}' cannot be put at {value:g}")
        start = self._joint_state()
        start = replace(start, velocity=np.zeros_like(start.velocity), loose_twist=np.zeros_like(start.loose_twist))
        before = self._total_energy()
        self._place(placed(self.kinematics, start, axis, value))
        self.actuation.reset()
        self._energy_at_start += self._total_energy() - before

    def resume(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same mechanism."""
        energy, bodies = snapshot.energy, (snapshot.body_poses, snapshot.body_velocities)
        start = joint_state_of(self.mechanism, snapshot.position, snapshot.velocity, *bodies)
        self.go_on_from(start, snapshot.step, energy)

    def go_on_from(self, state: JointState, steps: int = 0, energy: EnergyBalance | None = None) -> None:
        """Go on from `state`, which is assembled, after so many steps, with what the ledger held by then."""
        work, dissipated, error = (energy.work, energy.dissipated, energy.error) if energy else (0.0, 0.0, 0.0)
        self.steps, self._ledger = steps, WorkLedger(work, dissipated)
        self._place(state)
        self._energy_at_start = self._total_energy() - work + dissipated - error

    @property
    def drives(self) -> dict[int, Drive]:
        """How axes are driven, by index; a copy. Those of actuators are `actuation.actuator_drives`."""
        return self.actuation.axis_drives

    def set_drive(self, axis: int, drive: Drive | None) -> None:
        """Drive an axis, or let it go with None. Raises UsageError where it cannot be driven like that; the old drive then stays."""
        require_axis(self.mechanism, axis)
        now = None if drive is None else drive.at(self.time, self.dt)
        if now is not None:
            require_drivable(self.mechanism, axis, now, self._dynamics)
        self.actuation.set_axis(axis, drive)
        self._setpoints.pop(axis, None)
        if now is not None:
            self._setpoints[axis] = now
        self._motors.update(axis, now)

    def drive_actuator(self, index: int, drive: Drive | None) -> None:
        """Drive an actuator, or let it go with None; without gains they are made for the inertia that it feels where the mechanism is now.

        Raises UsageError where it cannot be driven like that; the old drive then stays.
        """
        actuators = self.actuation.actuators
        if not 0 <= index < len(actuators):
            raise UsageError(f"there is no actuator {index}; the world has {len(actuators)}")
        row, felt = actuators.matrix[index], self._felt_rotors()
        self.actuation.set_actuator(index, drive, lambda: felt_inertia(self.mechanism, self._joint_state(), row, felt))

    def use_strategy(self, name: str) -> None:
        """Go on with another strategy; positions, velocities, drives and the ledger are kept.

        Raises UsageError, UnknownNameError, EngineLimitError or MissingLibraryError where that strategy cannot go on; nothing has
        changed then.
        """
        self._exchange(self.mechanism, name, self._joint_state())

    def change_coupling(self, index: int, multiplier: float, offset: float, reference: float, *others: float) -> None:
        """Give a coupling another law at once; `others` are the multipliers of its further leaders. The mechanism is assembled around its
        leaders, as near as its limits allow, velocities are carried over without a kick (`dynamics.recoupling`), and what the change costs
        or frees is booked as work.

        Raises UsageError for a coupling or numbers that cannot be, AssemblyError where the loops cannot follow, LimitsError where limits
        leave no position; nothing has changed then.
        """
        law = (multiplier, offset, reference, *others)
        mechanism = with_law(self.mechanism, index, law)
        before = self._total_energy()
        state = recoupled(mechanism, self._joint_state(), self._felt_rotors())
        self._exchange(mechanism, self.strategy, state)
        self._ledger.work += self._total_energy() - before
        self.laws[index] = law

    def _exchange(self, mechanism: Mechanism, name: str, state: JointState) -> None:
        if self._builder is None:
            raise UsageError("this simulation cannot be changed while it runs")
        dynamics = self._builder(mechanism, name)
        try:
            for axis, setpoint in self._setpoints.items():
                require_drivable(self.mechanism, axis, setpoint, dynamics)
        except BaseException:
            dynamics.close()
            raise
        self._dynamics.close()
        self.mechanism, self.kinematics = mechanism, Kinematics(mechanism)
        self._couplings, self._loops = CouplingRows(mechanism), LoopRows(mechanism)
        self._dynamics = dynamics
        self._prepare()
        start, effort = self._start, self._drive_effort
        self._place(state)
        self._start, self._drive_effort = start, effort

    def branches(self) -> tuple[str, ...]:
        """Which of several motions loops took at change points, in sentences, of the first times."""
        return self._dynamics.branches()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        return self._dynamics.contacts()

    def step(self) -> None:
        """Advance by dt. Raises DivergedError, which names the axis that ran away, where a state is beyond all bounds."""
        before = self._state
        self._tell_motors()
        if self._blocks is not None:
            drive = self._tell_efforts(before)
            self._dynamics.step(drive)
            after = self._read_checked()
            if self._has_servos:
                self.actuation.settle(self._dynamics.servo_efforts(), self.dt)
            self._ledger.flow(*after.flow)
            drive = drive + after.motor_effort
        else:
            efforts = self._held.of_step(self._setpoints, self.time, before, self._joint_state)
            self._dynamics.step(efforts.passive + efforts.drive + efforts.friction)
            after = self._read_checked()
            set_loop_axes(self.mechanism, after, before, self.dt)
            drive = self._held.book(self._ledger, self._setpoints, efforts, before, after)
        self.steps += 1
        self._state, self._drive_effort = after, drive
        self._look()

    def advance(
        self, steps: int, worst: Extremes, *, stride: int = 0, phase: int = 0, sparse: bool = False
    ) -> tuple[int, Array]:
        """Make at least one step and at most `steps`, as many as go in one call of compiled code; `worst` sees all of them, or where there
        is no such code and it is to be `sparse` those that are recorded. Returns how many steps, and every `stride`th row (see `row`), the
        first after `stride - phase` steps, shape (n, n_channels); none with a stride of 0.

        Raises as `step` does; the state is then that of the last good step.
        """
        made, rows = 0, np.zeros((0, self.places.width))
        if self._blocks is not None and self._dynamics.can_step_blocks():
            made, rows = self._step_block(self._blocks, Span(self.steps, steps, stride, phase), worst)
        if made:
            return made, rows
        self.step()
        recorded = stride > 0 and (phase + 1) % stride == 0
        if recorded or not sparse:
            row = self.row()
            worst.see(row, self.places)
        return 1, row[None] if recorded else rows

    def _step_block(self, blocks: Blocks, span: Span, worst: Extremes) -> tuple[int, Array]:
        self._tell_motors()
        self._tell_efforts(self._state)
        start, numbers = self._energy_at_start, self._motors.numbers
        made, rows = blocks.advance(self._setpoints, numbers, self._ledger, worst.values, span, energy_at_start=start)
        if made:
            self._setpoints.update(self.actuation.drives_now((self.steps + made - 1) * self.dt, self.dt))
            self.steps += made
            self._state = self._dynamics.read()
            self._drive_effort = blocks.row[3 : blocks.places.coupling : 3].copy()
        return made, rows

    def _read_checked(self) -> BackendState:
        """The state that the step led to. Raises if the step failed."""

        def fast() -> list[Fast]:
            return fast_elements(self.mechanism, self._start, self.actuation, self.dt, self._felt_rotors())

        after, time = self._dynamics.read(), (self.steps + 1) * self.dt
        if self._dynamics.opened_loop():  # then positions may have run away, too: the loop is the cause
            require_going(self._dynamics, time=time, dt=self.dt, fast=fast)
        require_bounded(self.mechanism, after, time=time, dt=self.dt, fast=fast)
        require_going(self._dynamics, time=time, dt=self.dt, fast=fast)
        return after

    def _look(self) -> None:
        """Read residuals and energies off the state, where compiled code does."""
        if self._blocks is not None:
            self._blocks.read(self._drive_effort, self.actuation.effort, time=self.time)

    @property
    def dynamics(self) -> Dynamics:
        """What moves the mechanism."""
        return self._dynamics

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
        return self._blocks.places if self._blocks is not None else places_of(self.mechanism, self.actuation.actuators)

    def row(self) -> Array:
        """The state now as a row of all channels, see `dynamics.compiled.watch`, shape (n_channels,)."""
        if self._blocks is None:
            return self.snapshot().row(self.actuation.actuators)
        row: Array = self._blocks.row.copy()
        energy = self.places.energy
        balance = self._balance(*self._blocks.energies())
        row[energy + 2 : energy + 5] = balance.work, balance.dissipated, balance.error
        return row

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        state, placed = self._state, matrices(self._state.body_poses)
        coupling, loop = self._residuals(placed)
        return Snapshot(
            step=self.steps,
            time=self.time,
            position=state.position.copy(),
            velocity=state.velocity.copy(),
            effort=self._drive_effort.copy(),
            coupling_residual=coupling,
            loop_residual=loop,
            energy=self._balance(*self._energies(placed)),
            body_poses=state.body_poses.copy(),
            body_velocities=state.body_velocities.copy(),
            actuator_effort=self.actuation.effort.copy(),
        )

    def _residuals(self, placed: Array) -> tuple[Array, Array]:
        """Residuals of couplings, shape (n_couplings,), and of loops, shape (n_loops, 2)."""
        if self._blocks is None:
            return self._couplings.residuals(self._state.position), self._loops.residuals(placed)
        row, at = self._blocks.row, self.places
        return row[at.coupling : at.loop].copy(), row[at.loop : at.energy].reshape(-1, 2).copy()

    def _balance(self, kinetic: float, potential: float) -> EnergyBalance:
        work, dissipated = self._ledger.work, self._ledger.dissipated
        error = kinetic + potential - self._energy_at_start - work + dissipated
        return EnergyBalance(kinetic, potential, work, dissipated, error)

    def rank_mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion from the assembled start."""
        return mobility_along(self.kinematics, self._start)

    def close(self) -> None:
        """Free what moves the mechanism."""
        self._dynamics.close()

    def _place(self, state: JointState) -> None:
        self._start = state
        self._dynamics.set_state(state)
        self._state = self._dynamics.read()
        self._drive_effort = np.zeros(len(self.mechanism.axes))
        if self._blocks is None:
            set_loop_axes(self.mechanism, self._state, None, self.dt)
        self._look()

    def _joint_state(self) -> JointState:
        """The present state, for other dynamics or another pose to start from."""
        state = self._state
        return joint_state_of(self.mechanism, state.position, state.velocity, state.body_poses, state.body_velocities)

    def _total_energy(self) -> float:
        return sum(self._energies(matrices(self._state.body_poses)))

    def _energies(self, placed: Array) -> tuple[float, float]:
        """Kinetic and potential energy [J] of the present state, whose X_WB are `placed`, shape (n_bodies, 4, 4)."""
        if self._blocks is not None:
            return self._blocks.energies()
        state = self._state
        potential = self._meter.potential(placed) + self._passive.spring_energy(state.position)
        return self._meter.kinetic(placed, state.body_velocities), potential

    def _felt_rotors(self) -> Array | None:
        """What rotors add to the inertia of the axes, where the dynamics move them."""
        return self._rotors if self._blocks is not None else None

    def _tell_motors(self) -> None:
        """Tell motors what drives over time ask for now."""
        asked = self.actuation.drives_now(self.time, self.dt)
        self._setpoints.update(asked)
        for axis, setpoint in asked.items():
            if setpoint.kind is not DriveKind.EFFORT:
                self._motors.update(axis, setpoint)

    def _tell_efforts(self, state: BackendState) -> Array:
        """Set the loops of the step; returns the efforts of drives and actuators besides, shape (n_axes,)."""
        efforts = effort_drives(self._setpoints, self._effort_limit)
        if self._has_servos or self.actuation.is_used:
            servos, pushed = self.actuation.servos(self.time, state.position, state.velocity, self.dt)
            self._dynamics.set_servos(servos)
            self._has_servos = len(servos) > 0
            efforts = efforts + pushed
        return efforts

    def _prepare(self) -> None:
        """What goes with new dynamics."""
        bounded, limit = self._dynamics.bounded, self._effort_limit
        self._has_servos = False
        self._held = HeldEfforts(self.mechanism, self._passive, self.actuation, limit, dt=self.dt)
        self._blocks = None if bounded is None else Blocks(bounded, self.actuation, self._rotors, limit, dt=self.dt)
        self._motors = Motors(self.mechanism, self._dynamics, limit, dt=self.dt)
        self._motors.reset(self._setpoints)
