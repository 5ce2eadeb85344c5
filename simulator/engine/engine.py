"""One step of time: drives and passive efforts in, one enforced step, and what happened is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.assembly import assemble
from simulator.dynamics.kinematics import Kinematics
from simulator.dynamics.state import JointState, rest_state
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.energy import EnergyMeter, WorkLedger
from simulator.engine.passive import PassiveEfforts
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.errors import DivergedError, UsageError
from simulator.mechanism.residuals import coupling_residuals, loop_frames, loop_motion, loop_residuals
from simulator.mechanism.types import JointKind, MotionKind
from simulator.spatial.rows import matrices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.engine.enforcement.base import Enforcement
    from simulator.engine.port import Backend, BackendState
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

UNBOUNDED_EFFORT = 1e9
"""What an infinite effort limit means to a motor row [N m or N]."""
RUN_AWAY = 1e12
"""Positions and speeds [SI] that no mechanism has: a simulation that gets there has diverged."""


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
    ) -> None:
        self.mechanism = mechanism
        self.dt = dt
        self.enforcement = enforcement
        self.drives: dict[int, Drive] = {}
        self._state: BackendState
        self.kinematics = Kinematics(mechanism)
        self._backend = backend
        self._passive = PassiveEfforts(mechanism)
        self._meter = EnergyMeter(mechanism)
        self._initial = {**_document_initial(mechanism), **(initial or {})}
        self._in_tree = np.array([info.in_tree for info in mechanism.axes], dtype=bool)
        self._effort_limit = np.array([min(info.axis.effort, UNBOUNDED_EFFORT) for info in mechanism.axes], dtype=float)
        enforcement.attach(mechanism, backend)
        self._reset_friction()
        self.reset()

    def reset(self) -> None:
        """Back to the assembled start; drives stay. Raises AssemblyError where the start cannot be assembled."""
        self._place(assemble(self.kinematics, rest_state(self.mechanism), self._initial).state)
        self.steps = 0
        self._ledger = WorkLedger()
        self._energy_at_start = self._total_energy()

    def place(self, axis: int, value: float) -> None:
        """Put one axis at `value` [rad or m], everything at rest; couplings and loops are assembled around it.

        Raises AssemblyError where that is impossible; the state is then unchanged.
        """
        self._require_axis(axis)
        if not np.isfinite(value):
            raise UsageError(f"'{self.mechanism.axes[axis].name}' cannot be put at {value:g}")
        start = JointState(
            np.where(np.isnan(self._state.position), 0.0, self._state.position),
            np.zeros(len(self.mechanism.axes)),
            self._loose_at(self._state.body_poses),
            np.zeros_like(self._start.loose_twist),
        )
        before = self._total_energy()
        self._place(assemble(self.kinematics, start, {axis: value}).state)
        self._energy_at_start += self._total_energy() - before

    def resume(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same mechanism; bodies that float start at rest relative to their joint."""
        loose = self._loose_at(snapshot.body_poses)
        twist = np.zeros((len(loose), 6))
        self._place(JointState(snapshot.position.copy(), snapshot.velocity.copy(), loose, twist))
        energy = snapshot.energy
        self.steps, self._ledger = snapshot.step, WorkLedger(energy.work, energy.dissipated)
        self._energy_at_start = self._total_energy() - energy.work + energy.dissipated - energy.error

    def set_drive(self, axis: int, drive: Drive | None) -> None:
        """Drive an axis, or let it go with None. Raises UsageError where it cannot be driven like that; the old drive then stays."""
        self._require_axis(axis)
        if drive is not None:
            self._require_drivable(axis, drive)
        self.drives.pop(axis, None)
        if drive is not None:
            self.drives[axis] = drive
        self._update_motor(axis)

    def step(self) -> None:
        """Advance by dt. Raises DivergedError, which names the axis that ran away, where a state is beyond all bounds."""
        before = self._state
        passive = np.zeros(len(before.position))
        if not self._backend.integrates_passive:
            passive = self._passive.spring_and_damper(before.position, before.velocity)
        drive, friction = self._explicit_efforts(before.velocity)
        self.enforcement.step(self._backend, passive + drive + friction)
        self.steps += 1
        after = self._backend.read()
        self._check_bounds(after)
        after = self._complete(after, before)
        drive, friction = self._motor_efforts(after.motor_effort, drive, friction)
        felt = 0.5 * (before.velocity + after.velocity) if self._backend.integrates_passive else before.velocity
        damping = -self._passive.damping * felt
        self._ledger.add(drive=drive, loss=damping + friction, before=before.velocity, after=after.velocity, dt=self.dt)
        self._state, self._drive_effort = after, drive

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        state = self._state
        kinetic = self._meter.kinetic(state.body_poses, state.body_velocities)
        potential = self._meter.potential(state.body_poses) + self._passive.spring_energy(state.position)
        error = kinetic + potential - self._energy_at_start - self._ledger.work + self._ledger.dissipated
        return Snapshot(
            step=self.steps,
            time=self.time,
            position=state.position.copy(),
            velocity=state.velocity.copy(),
            effort=self._drive_effort.copy(),
            coupling_residual=coupling_residuals(self.mechanism, state.position),
            loop_residual=loop_residuals(self.mechanism, matrices(state.body_poses)),
            energy=EnergyBalance(kinetic, potential, self._ledger.work, self._ledger.dissipated, error),
            body_poses=state.body_poses.copy(),
        )

    def rank_mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints at the assembled start."""
        return self.kinematics.rank_mobility(self._start)

    def close(self) -> None:
        """Free the backend."""
        self._backend.close()

    def _place(self, state: JointState) -> None:
        self._start = state
        self._backend.set_state(state)
        self._state = self._complete(self._backend.read(), None)
        self._drive_effort = np.zeros(len(self.mechanism.axes))

    def _loose_at(self, body_poses: Array) -> Array:
        """Poses of balls and free joints when the bodies are at `body_poses`, shape (n_loose, 4, 4)."""
        poses = matrices(body_poses)
        loose = [joint for joint in self.mechanism.joints if joint.kind is not JointKind.CHAIN]
        return np.array([loop_frames(joint, poses) for joint in loose]).reshape(len(loose), 4, 4)

    def _total_energy(self) -> float:
        state = self._state
        kinetic = self._meter.kinetic(state.body_poses, state.body_velocities)
        return kinetic + self._meter.potential(state.body_poses) + self._passive.spring_energy(state.position)

    def _explicit_efforts(self, velocity: Array) -> tuple[Array, Array]:
        """Efforts of effort drives, and friction where no motor row does it, shape (n_axes,) each."""
        drive, friction = np.zeros_like(velocity), np.zeros_like(velocity)
        for closing in np.flatnonzero(~self._in_tree).tolist():
            friction[closing] = self._passive.friction_beside_drive(closing, float(velocity[closing]))
        for axis, command in self.drives.items():
            if command.kind is DriveKind.EFFORT:
                limit = self._effort_limit[axis]
                drive[axis] = min(max(command.value, -limit), limit)
            else:
                friction[axis] = self._passive.friction_beside_drive(axis, float(velocity[axis]))
        return drive, friction

    def _motor_efforts(self, motor: Array, drive: Array, friction: Array) -> tuple[Array, Array]:
        """What motor rows did is a drive's effort where a drive owns the row, else friction."""
        drive, friction = drive.copy(), friction.copy()
        for axis in range(len(motor)):
            command = self.drives.get(axis)
            if command is not None and command.kind is not DriveKind.EFFORT:
                drive[axis] = motor[axis]
            elif self._in_tree[axis]:
                friction[axis] = motor[axis]
        return drive, friction

    def _require_axis(self, axis: int) -> None:
        if not 0 <= axis < len(self.mechanism.axes):
            raise UsageError(f"there is no axis {axis}; the mechanism has {len(self.mechanism.axes)}")

    def _require_drivable(self, axis: int, drive: Drive) -> None:
        name = self.mechanism.axes[axis].name
        if axis in self.mechanism.follower_axes():
            raise UsageError(f"'{name}' follows another axis; drive its leader")
        if not self._in_tree[axis] and drive.kind is not DriveKind.EFFORT:
            raise UsageError(f"'{name}' closes a loop: it takes effort drives only, or drive another joint of the loop")
        if not np.isfinite(drive.value):
            raise UsageError(f"a {drive.kind.value} of {drive.value:g} for '{name}' cannot be driven")

    def _reset_friction(self) -> None:
        for axis in range(len(self.mechanism.axes)):
            self._update_motor(axis)

    def _update_motor(self, axis: int) -> None:
        """Give the axis' motor row to its drive, or else to friction."""
        info, command = self.mechanism.axes[axis], self.drives.get(axis)
        if not info.in_tree:
            return
        if command is None or command.kind is DriveKind.EFFORT:
            self._backend.set_motor(axis, max_effort=float(self._passive.friction[axis]))
            return
        limit, top = float(self._effort_limit[axis]), info.axis.velocity
        if command.kind is DriveKind.VELOCITY:
            self._backend.set_motor(axis, max_effort=limit, velocity=min(max(command.value, -top), top))
        else:
            low, high = info.axis.lower, info.axis.upper
            target = min(max(command.value, low), high) if low <= high else command.value
            self._backend.set_motor(axis, max_effort=limit, position=target, velocity=top if np.isfinite(top) else 0.0)

    def _complete(self, state: BackendState, before: BackendState | None) -> BackendState:
        """Fill in the axes of loop joints from the poses, continuing their turns from the last step."""
        if not self.mechanism.loop_joints:
            return state
        poses = matrices(state.body_poses)
        for loop in self.mechanism.loop_joints:
            values, _ = loop_motion(loop, loop_frames(loop, poses))
            for motion, value in zip(loop.motions, values, strict=True):
                last = value if before is None else float(before.position[motion.axis])
                turns = round((last - value) / (2.0 * np.pi)) if motion.kind is MotionKind.ROTATION else 0
                state.position[motion.axis] = value + 2.0 * np.pi * turns
                state.velocity[motion.axis] = (state.position[motion.axis] - last) / self.dt
        return state

    def _check_bounds(self, state: BackendState) -> None:
        """Raise where a state is not finite or beyond all bounds (the backend may clip speeds, so that they never become infinite)."""
        with np.errstate(invalid="ignore"):
            held = (np.abs(state.position) < RUN_AWAY) & (np.abs(state.velocity) < RUN_AWAY)
            floating = bool(
                (np.abs(state.body_poses) < RUN_AWAY).all() and (np.abs(state.body_velocities) < RUN_AWAY).all()
            )
        bad = np.flatnonzero(self._in_tree & ~held)
        if not len(bad) and floating:
            return
        name = self.mechanism.axes[int(bad[0])].name if len(bad) else "a free body"
        raise DivergedError(
            f"the simulation diverged at {self.time:.6g} s: '{name}' has run away; "
            f"the likely cause is a step of {self.dt:g} s that is too long for a stiff spring, damper or drive",
            self.time,
        )


def _document_initial(mechanism: Mechanism) -> dict[int, float]:
    """Initial positions that the document itself asks for."""
    return {i: info.axis.initial_position for i, info in enumerate(mechanism.axes) if info.axis.initial_position != 0.0}
