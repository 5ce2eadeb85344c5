"""The efforts of a step and their work, for dynamics that take efforts only and leave springs, dampers and loops of
drives to the engine."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.energy import flows
from simulator.engine.implicit import ImplicitEfforts
from simulator.engine.passive import PassiveEfforts
from simulator.engine.port import Law
from simulator.engine.pushes import Pushes
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.engine.actuation import Actuation
    from simulator.engine.drives import Setpoint
    from simulator.engine.energy import WorkLedger
    from simulator.engine.port import BackendState
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class StepEfforts:
    """Efforts on all axes over one step that ends at `end` [s], shape (n_axes,) each: of drives, of friction that no
    motor row does, of springs and dampers. `pulls`: what springs between points pull with, shape (n_springs,);
    `wrenches`: what loads do to bodies, see `Dynamics.set_wrenches`; `held`: of the loops that are held implicitly, in
    the order of `Actuation.servos`."""

    end: float
    drive: Array
    friction: Array
    passive: Array
    pulls: Array = field(default_factory=lambda: np.zeros(0))
    wrenches: Array = field(default_factory=lambda: np.zeros((0, 6)))
    held: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def total(self) -> Array:
        """All of them."""
        return self.passive + self.drive + self.friction


def effort_drives(setpoints: Mapping[int, Setpoint], limit: Array) -> Array:
    """Efforts of the drives that are efforts, within the limits of their axes, shape (n_axes,)."""
    efforts = np.zeros(len(limit))
    for axis, setpoint in setpoints.items():
        if setpoint.kind is DriveKind.EFFORT:
            efforts[axis] = min(max(setpoint.value, -limit[axis]), limit[axis])
    return efforts


class HeldEfforts:
    """Efforts that are held over a step, and the ledger's entries about it."""

    def __init__(self, mechanism: Mechanism, actuation: Actuation, limit: Array, *, dt: float) -> None:
        self._mechanism, self._passive = mechanism, PassiveEfforts(mechanism)
        self._actuation = actuation
        self._limit = limit
        self.dt = dt
        self._pushes = Pushes(mechanism, dt)
        self._implicit = ImplicitEfforts(mechanism, self._passive, self._pushes, dt)
        self._in_tree = np.array([info.in_tree for info in mechanism.axes], dtype=bool)
        self._closing = np.flatnonzero(~self._in_tree).tolist()
        passive = self._passive
        self._passing = np.flatnonzero(passive.damping + passive.stiffness + passive.friction).tolist()
        self._laws = tuple(
            Law(axis, float(passive.stiffness[axis]), float(passive.reference[axis]), float(passive.damping[axis]))
            for axis in np.flatnonzero(passive.damping + passive.stiffness).tolist()
        )

    def of_step(
        self,
        setpoints: Mapping[int, Setpoint],
        time: float,
        read: Callable[[], BackendState],
        joint_state: Callable[[], JointState],
    ) -> StepEfforts:
        """The efforts of the step that begins at `time` [s]. Advances the loops that are sampled: ask once a step."""
        state = read()
        drive = effort_drives(setpoints, self._limit)
        friction = self._friction(setpoints, state.velocity)
        now = (time, state.position, state.velocity, self.dt)
        servos, pushed = self._actuation.servos(*now)
        self._implicit.time = time
        if not self._implicit.look(joint_state, servos):
            drive = drive + self._actuation.loop_efforts(*now) + self._actuation.axis_efforts(*now)
            passive = self._passive.spring_and_damper(state.position, state.velocity)
            pulls = self._implicit.pulls(state)
            wrenches = self._pushes.take(state, time, pulls)
            return StepEfforts(time + self.dt, drive, friction, passive, pulls, wrenches)
        passive, held, pulls = self._implicit.efforts(joint_state(), state, drive + pushed + friction, servos)
        drive = drive + pushed
        for servo, effort in zip(servos, held.tolist(), strict=True):
            for axis, factor in servo.terms:
                drive[axis] += factor * effort
        wrenches = self._pushes.take(state, time, pulls)
        return StepEfforts(time + self.dt, drive, friction, passive, pulls, wrenches, held)

    def book(
        self,
        ledger: WorkLedger,
        setpoints: Mapping[int, Setpoint],
        efforts: StepEfforts,
        before: BackendState,
        after: BackendState,
    ) -> Array:
        """Advance the loops that were held and enter a step into the ledger; returns the efforts of drives, motor rows
        included, shape (n_axes,)."""
        self._actuation.settle(efforts.held, efforts.end, after, self.dt, implicit=True)
        drive, friction = self._with_motors(setpoints, efforts.drive, efforts.friction, after.motor_effort)
        loss = self._loss(friction, before.velocity)
        if self._implicit.is_fast:
            # Implicit efforts are of springs and dampers together; a spring's share is its force at the middle, exact
            # for a line.
            loss = friction + efforts.passive - self._passive.springs(0.5 * (before.position + after.position))
        self._pushes.book(ledger, before, after, efforts.pulls)
        work, lost = flows(drive, loss, before.velocity, after.velocity, self.dt)
        ledger.flow(float(work), float(lost), 0.0, 0.0, 0.0)
        return drive

    def are_alike(self, setpoints: Mapping[int, Setpoint]) -> bool:
        """Whether only commanded drives, the motor row, and the axis's own spring and damper act on an axis in a step:
        `laws`, as long as they `stay_slow`."""
        if self._mechanism.loads or not self._actuation.is_open_loop or self._implicit.is_fast:
            return False
        if any(axis in setpoints or axis in self._passing for axis in self._closing):
            return False
        beside = (axis for axis, setpoint in setpoints.items() if setpoint.kind is not DriveKind.EFFORT)
        return not any(self._passive.friction[axis] for axis in beside)

    def stay_slow(self, time: float, joint_state: Callable[[], JointState]) -> bool:
        """Whether springs and dampers are slow enough for efforts of the start of the step that begins at `time` [s].
        Ask once a step."""
        self._implicit.time = time
        return not self._implicit.look(joint_state, ())

    @property
    def laws(self) -> tuple[Law, ...]:
        """Springs and dampers of axes."""
        return self._laws

    def at_work(self, setpoints: Mapping[int, Setpoint]) -> tuple[int, ...]:
        """Axes that have a drive, a spring, a damper or friction."""
        return tuple(sorted({*setpoints, *self._passing}))

    def of_steps(
        self, setpoints: Mapping[int, Setpoint], drive: Array, motor_effort: Array, velocity: Array
    ) -> tuple[Array, Array, Array]:
        """Efforts of drives, motor rows included, shape (count, n_axes), and the work of drives and the dissipation in
        each of so many steps that `are_alike` [J], shape (count,). `drive`: commanded efforts, `motor_effort`: those of
        motor rows (count, n_axes); `velocity` (count + 1, n_axes)."""
        before = velocity[:-1]
        after = velocity[1:]
        drive, friction = self._with_motors(setpoints, drive, np.zeros_like(motor_effort), motor_effort)
        return drive, *flows(drive, self._loss(friction, before), before, after, self.dt)

    def _with_motors(
        self, setpoints: Mapping[int, Setpoint], drive: Array, friction: Array, given: Array
    ) -> tuple[Array, Array]:
        """Efforts of drives and of friction with what motor rows gave, shape (..., n_axes) each."""
        motors = np.zeros(len(self._in_tree), dtype=bool)
        motors[[axis for axis, setpoint in setpoints.items() if setpoint.kind is not DriveKind.EFFORT]] = True
        return np.where(motors, drive + given, drive), np.where(self._in_tree & ~motors, given, friction)

    def _loss(self, friction: Array, before: Array) -> Array:
        """Efforts that dissipate: damping was held at the velocity before the step, so that is what it did work
        with."""
        loss: Array = friction - self._passive.damping * before
        return loss

    def _friction(self, setpoints: Mapping[int, Setpoint], velocity: Array) -> Array:
        """Friction where no motor row does it: beside a drive, and on the axes of loop joints, shape (n_axes,)."""
        friction = np.zeros_like(velocity)
        beside = [axis for axis, setpoint in setpoints.items() if setpoint.kind is not DriveKind.EFFORT]
        for axis in (*self._closing, *beside):
            friction[axis] = self._passive.friction_beside_drive(axis, float(velocity[axis]))
        return friction
