"""One step of time: drives and passive efforts in, one enforced step, and what happened is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.closure import mobility_along
from simulator.dynamics.felt_inertia import felt_inertia
from simulator.dynamics.kinematics import Kinematics
from simulator.dynamics.recoupling import recoupled
from simulator.dynamics.start import placed, starting_pose
from simulator.dynamics.start_velocity import set_moving
from simulator.engine.actuation import Actuation, rotor_inertia
from simulator.engine.carry import joint_state_of, set_loop_axes
from simulator.engine.divergence import Fast, fast_elements, require_bounded, require_going
from simulator.engine.drives import POSITION_DRIVE_TIME, Drive, DriveKind, ProfileDrive
from simulator.engine.energy import EnergyMeter, WorkLedger
from simulator.engine.implicit import ImplicitEfforts
from simulator.engine.passive import PassiveEfforts
from simulator.engine.refusals import require_axis, require_drivable
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.errors import UsageError
from simulator.mechanism.relaw import with_law
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.spatial.rows import matrices
from simulator.transmissions.actuators import Actuators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.dynamics.state import JointState
    from simulator.engine.enforcement.base import Enforcement
    from simulator.engine.port import Backend, BackendState, Contact
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Builder = Callable[[Mechanism, str], tuple[Backend, Enforcement]]

UNBOUNDED_EFFORT = 1e9
"""What an infinite effort limit means to a motor row [N m or N]."""


class Engine:
    """A mechanism on a backend, held by a strategy. No clock and no file: `step` advances by `dt` [s]."""

    def __init__(
        self,
        mechanism: Mechanism,
        backend: Backend,
        enforcement: Enforcement,
        *,
        dt: float,
        initial: Mapping[int, float] | None = None,
        initial_velocity: Mapping[int, float] | None = None,
        builder: Builder | None = None,
        actuators: Actuators | None = None,
    ) -> None:
        """`builder` makes a backend and a strategy by the strategy's name, for `use_strategy` and `change_coupling`. A backend that
        integrates passive efforts has been told of the inertia that the rotors of `actuators` add (`rotor_inertia`)."""
        self.mechanism, self.dt, self.enforcement = mechanism, dt, enforcement
        self.drives: dict[int, Drive] = {}
        self.laws: dict[int, tuple[float, ...]] = {}
        self._state: BackendState
        self._start: JointState
        self._drive_effort: Array
        self.kinematics = Kinematics(mechanism)
        self._backend, self._builder = backend, builder
        self._passive, self._meter = PassiveEfforts(mechanism), EnergyMeter(mechanism)
        self._implicit, self._has_servos = ImplicitEfforts(mechanism, self._passive, dt), False
        self._couplings, self._loops, self._initial = CouplingRows(mechanism), LoopRows(mechanism), dict(initial or {})
        self._initial_velocity = dict(initial_velocity or {})
        self._in_tree = np.array([info.in_tree for info in mechanism.axes], dtype=bool)
        self._closing = np.flatnonzero(~self._in_tree).tolist()
        self._effort_limit = np.array([min(info.axis.effort, UNBOUNDED_EFFORT) for info in mechanism.axes], dtype=float)
        self.actuation = Actuation(actuators or Actuators(n_axes=len(mechanism.axes)), self._effort_limit)
        self._rotors = rotor_inertia(self.actuation.actuators, mechanism)
        enforcement.attach(mechanism, backend)
        self._reset_motors()
        self.reset()

    def reset(self) -> None:
        """Back to the assembled start and its velocities; drives stay.

        Raises UsageError for a start that the limits do not allow, AssemblyError for one that cannot be assembled.
        """
        pose = starting_pose(self.kinematics, self._initial).state
        self._place(set_moving(self.kinematics, pose, self._initial_velocity, self._felt_rotors()))
        self.steps = 0
        self.actuation.reset()
        self._ledger = WorkLedger()
        self._energy_at_start = self._total_energy()

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
        self._place(
            joint_state_of(
                self.mechanism, snapshot.position, snapshot.velocity, snapshot.body_poses, snapshot.body_velocities
            )
        )
        energy = snapshot.energy
        self.steps, self._ledger = snapshot.step, WorkLedger(energy.work, energy.dissipated)
        self._energy_at_start = self._total_energy() - energy.work + energy.dissipated - energy.error

    def set_drive(self, axis: int, drive: Drive | ProfileDrive | None) -> None:
        """Drive an axis, or let it go with None. Raises UsageError where it cannot be driven like that; the old drive then stays.

        With a drive over time `drives` holds what it asks for in the step at hand.
        """
        require_axis(self.mechanism, axis)
        over_time = drive if isinstance(drive, ProfileDrive) else None
        now = over_time.at(self.time, self.dt) if over_time is not None else drive
        if isinstance(now, Drive):
            self._require_drivable(axis, now, self._backend, self.enforcement.name)
        self.actuation.set_axis(axis, over_time)
        self.drives.pop(axis, None)
        if isinstance(now, Drive):
            self.drives[axis] = now
        self._update_motor(axis)

    def drive_actuator(self, index: int, drive: ProfileDrive | None) -> None:
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

        Raises UsageError, UnknownNameError or EngineLimitError where that strategy cannot go on; nothing has changed then.
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
        self._exchange(mechanism, self.enforcement.name, state)
        self._ledger.work += self._total_energy() - before
        self.laws[index] = law

    def _exchange(self, mechanism: Mechanism, name: str, state: JointState) -> None:
        if self._builder is None:
            raise UsageError("this simulation cannot be changed while it runs")
        backend, enforcement = self._builder(mechanism, name)
        try:
            enforcement.attach(mechanism, backend)
            for axis, drive in self.drives.items():
                self._require_drivable(axis, drive, backend, enforcement.name)
        except BaseException:
            backend.close()
            raise
        self._backend.close()
        self.mechanism, self.kinematics = mechanism, Kinematics(mechanism)
        self._couplings, self._loops = CouplingRows(mechanism), LoopRows(mechanism)
        self._backend, self.enforcement = backend, enforcement
        self._implicit, self._has_servos = ImplicitEfforts(mechanism, self._passive, self.dt), False
        self._reset_motors()
        start, effort = self._start, self._drive_effort
        self._place(state)
        self._start, self._drive_effort = start, effort

    def branches(self) -> tuple[str, ...]:
        """Which of several motions loops took at change points, in sentences, of the first times."""
        return self._backend.branches()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        return self._backend.contacts()

    def step(self) -> None:
        """Advance by dt. Raises DivergedError, which names the axis that ran away, where a state is beyond all bounds."""
        before = self._state
        drive, friction = self._commanded_efforts(before)
        passive = np.zeros_like(drive)
        if not self._backend.integrates_passive:
            drive, passive = self._held_efforts(before, drive, friction)
        self.enforcement.step(self._backend, passive + drive + friction)
        self.steps += 1
        after = self._backend.read()
        self._check(after)
        if self._has_servos:
            self.actuation.settle(self._backend.servo_efforts(), self.dt)
        self._complete(after, before)
        drive = self._book(before, after, drive, friction, passive)
        self._state, self._drive_effort = after, drive

    def _book(self, before: BackendState, after: BackendState, drive: Array, friction: Array, passive: Array) -> Array:
        """Enter a step into the ledger; returns the efforts of drives, shape (n_axes,)."""
        if after.flow is not None:
            self._ledger.work += after.flow[0]
            self._ledger.dissipated += after.flow[1]
            return drive + after.motor_effort
        drive, friction = self._motor_efforts(after.motor_effort, drive, friction)
        loss = friction - self._passive.damping * before.velocity
        if self._implicit.is_fast:
            loss = friction + passive - self._passive.springs(0.5 * (before.position + after.position))
        self._ledger.add(drive=drive, loss=loss, before=before.velocity, after=after.velocity, dt=self.dt)
        return drive

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        state = self._state
        placed = matrices(state.body_poses)
        kinetic, potential = self._energies(placed)
        error = kinetic + potential - self._energy_at_start - self._ledger.work + self._ledger.dissipated
        return Snapshot(
            step=self.steps,
            time=self.time,
            position=state.position.copy(),
            velocity=state.velocity.copy(),
            effort=self._drive_effort.copy(),
            coupling_residual=self._couplings.residuals(state.position),
            loop_residual=self._loops.residuals(placed),
            energy=EnergyBalance(kinetic, potential, self._ledger.work, self._ledger.dissipated, error),
            body_poses=state.body_poses.copy(),
            body_velocities=state.body_velocities.copy(),
            actuator_effort=self.actuation.effort.copy(),
        )

    def rank_mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion from the assembled start."""
        return mobility_along(self.kinematics, self._start)

    def close(self) -> None:
        """Free the backend."""
        self._backend.close()

    def _place(self, state: JointState) -> None:
        self._start = state
        self._backend.set_state(state)
        self._state = self._backend.read()
        self._complete(self._state, None)
        self._drive_effort = np.zeros(len(self.mechanism.axes))

    def _joint_state(self) -> JointState:
        """The present state, for another backend or another pose to start from."""
        state = self._state
        return joint_state_of(self.mechanism, state.position, state.velocity, state.body_poses, state.body_velocities)

    def _total_energy(self) -> float:
        return sum(self._energies(matrices(self._state.body_poses)))

    def _energies(self, placed: Array) -> tuple[float, float]:
        """Kinetic and potential energy [J] of the present state, whose X_WB are `placed`, shape (n_bodies, 4, 4)."""
        state = self._state
        kinetic = self._meter.kinetic(placed, state.body_velocities) + self._rotor_energy(state.velocity)
        return kinetic, self._meter.potential(placed) + self._passive.spring_energy(state.position)

    def _felt_rotors(self) -> Array | None:
        """What rotors add to the inertia of the axes, where the backend moves them."""
        return self._rotors if self._backend.integrates_passive else None

    def _rotor_energy(self, velocity: Array) -> float:
        """Kinetic energy of rotors [J], where the backend moves them."""
        if not self._backend.integrates_passive or not self._rotors.any():
            return 0.0
        return 0.5 * float(velocity @ self._rotors @ velocity)

    def _commanded_efforts(self, state: BackendState) -> tuple[Array, Array]:
        """Efforts of drives and actuators, and friction, shape (n_axes,) each; motors are told what drives over time ask for now."""
        asked = self.actuation.drives_now(self.time, self.dt)
        self.drives.update(asked)
        for axis, drive in asked.items():
            if drive.kind is not DriveKind.EFFORT:
                self._update_motor(axis)
        efforts, friction = self._explicit_efforts(state.velocity)
        if self._backend.integrates_passive and (self._has_servos or self.actuation.is_used):
            servos, pushed = self.actuation.servos(self.time, state.position, state.velocity, self.dt)
            self._backend.set_servos(servos)
            self._has_servos = len(servos) > 0
            efforts = efforts + pushed
        return efforts, friction

    def _held_efforts(self, state: BackendState, drive: Array, friction: Array) -> tuple[Array, Array]:
        """For a backend that takes efforts only: those of drives with loops, and those of springs and dampers, shape (n_axes,) each."""
        now = (self.time, state.position, state.velocity, self.dt)
        servos, pushed = self.actuation.servos(*now)
        if not self._implicit.look(self._joint_state, servos):
            drive = drive + self.actuation.loop_efforts(*now) + self.actuation.axis_efforts(*now)
            return drive, self._passive.spring_and_damper(state.position, state.velocity)
        passive, held = self._implicit.efforts(self._joint_state(), drive + pushed + friction, servos)
        self.actuation.settle(held, self.dt)
        drive = drive + pushed
        for servo, effort in zip(servos, held.tolist(), strict=True):
            for axis, factor in servo.terms:
                drive[axis] += factor * effort
        return drive, passive

    def _explicit_efforts(self, velocity: Array) -> tuple[Array, Array]:
        """Efforts of effort drives, and friction where no motor row does it, shape (n_axes,) each."""
        drive, friction = np.zeros_like(velocity), np.zeros_like(velocity)
        own_friction = self._backend.integrates_passive
        for closing in self._closing if not own_friction else ():
            friction[closing] = self._passive.friction_beside_drive(closing, float(velocity[closing]))
        for axis, command in self.drives.items():
            if command.kind is DriveKind.EFFORT:
                limit = self._effort_limit[axis]
                drive[axis] = min(max(command.value, -limit), limit)
            elif not own_friction:
                friction[axis] = self._passive.friction_beside_drive(axis, float(velocity[axis]))
        return drive, friction

    def _motor_efforts(self, motor: Array, drive: Array, friction: Array) -> tuple[Array, Array]:
        """What motor rows did is a drive's effort where a drive owns the row, else friction."""
        drive, friction = drive.copy(), friction.copy()
        for axis in range(len(motor)):
            command = self.drives.get(axis)
            if command is not None and command.kind is not DriveKind.EFFORT:
                drive[axis] += motor[axis]
            elif self._in_tree[axis]:
                friction[axis] = motor[axis]
        return drive, friction

    def _require_drivable(self, axis: int, drive: Drive, backend: Backend, strategy: str) -> None:
        loops = backend.integrates_passive
        require_drivable(self.mechanism, axis, drive, strategy=strategy, drives_loop_axes=loops)

    def _reset_motors(self) -> None:
        """Set up a new backend; one that does friction itself needs to hear of drives only."""
        for axis in self.drives if self._backend.integrates_passive else range(len(self.mechanism.axes)):
            self._update_motor(axis)

    def _update_motor(self, axis: int) -> None:
        """Give the axis' motor row to its drive, or else to friction."""
        info, command = self.mechanism.axes[axis], self.drives.get(axis)
        own = self._backend.integrates_passive
        if not info.in_tree and not own:
            return
        if command is None or command.kind is DriveKind.EFFORT:
            self._backend.set_motor(axis, max_effort=0.0 if own else float(self._passive.friction[axis]))
            return
        limit, top = float(self._effort_limit[axis]), info.axis.velocity
        if command.kind is DriveKind.VELOCITY:
            self._backend.set_motor(axis, max_effort=limit, velocity=min(max(command.value, -top), top))
        else:
            low, high = info.axis.lower, info.axis.upper
            target = min(max(command.value, low), high) if low <= high else command.value
            if target == command.value:
                target += command.rate * max(POSITION_DRIVE_TIME, self.dt)  # makes up for the lag of the approach
            self._backend.set_motor(axis, max_effort=limit, position=target, velocity=top if np.isfinite(top) else 0.0)

    def _complete(self, state: BackendState, before: BackendState | None) -> None:
        if not self._backend.integrates_passive:
            set_loop_axes(self.mechanism, state, before, self.dt)

    def _check(self, state: BackendState) -> None:
        """Raise where the step that led to `state` failed."""

        def fast() -> list[Fast]:
            return fast_elements(self.mechanism, self._start, self.actuation, self.dt, self._felt_rotors())

        if self._backend.opened_loop():  # then positions may have run away, too: the loop is the cause
            require_going(self._backend, time=self.time, dt=self.dt, fast=fast)
        require_bounded(self.mechanism, state, time=self.time, dt=self.dt, fast=fast)
        require_going(self._backend, time=self.time, dt=self.dt, fast=fast)
