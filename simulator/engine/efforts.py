"""The efforts of a step and what they did, for backends that take efforts only and leave springs, dampers and loops to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.implicit import ImplicitEfforts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.dynamics.state import JointState
    from simulator.engine.actuation import Actuation
    from simulator.engine.drives import Setpoint
    from simulator.engine.energy import WorkLedger
    from simulator.engine.passive import PassiveEfforts
    from simulator.engine.port import BackendState
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class StepEfforts:
    """Efforts on all axes over one step, shape (n_axes,) each: of drives, of friction that no motor row does, of springs and dampers."""

    drive: Array
    friction: Array
    passive: Array


def effort_drives(setpoints: Mapping[int, Setpoint], limit: Array) -> Array:
    """Efforts of the drives that are efforts, within the limits of their axes, shape (n_axes,)."""
    efforts = np.zeros(len(limit))
    for axis, setpoint in setpoints.items():
        if setpoint.kind is DriveKind.EFFORT:
            efforts[axis] = min(max(setpoint.value, -limit[axis]), limit[axis])
    return efforts


class HeldEfforts:
    """Efforts that are held over a step, and the ledger's entries about it."""

    def __init__(
        self, mechanism: Mechanism, passive: PassiveEfforts, actuation: Actuation, limit: Array, *, dt: float
    ) -> None:
        self._passive, self._actuation, self._limit, self._dt = passive, actuation, limit, dt
        self._implicit = ImplicitEfforts(mechanism, passive, dt)
        self._in_tree = np.array([info.in_tree for info in mechanism.axes], dtype=bool)
        self._closing = np.flatnonzero(~self._in_tree).tolist()

    def of_step(
        self, setpoints: Mapping[int, Setpoint], time: float, state: BackendState, joint_state: Callable[[], JointState]
    ) -> StepEfforts:
        """The efforts of the step that begins at `time` [s]. Advances the loops: ask once a step."""
        drive, friction = effort_drives(setpoints, self._limit), self._friction(setpoints, state.velocity)
        now = (time, state.position, state.velocity, self._dt)
        servos, pushed = self._actuation.servos(*now)
        if not self._implicit.look(joint_state, servos):
            drive = drive + self._actuation.loop_efforts(*now) + self._actuation.axis_efforts(*now)
            return StepEfforts(drive, friction, self._passive.spring_and_damper(state.position, state.velocity))
        passive, held = self._implicit.efforts(joint_state(), drive + pushed + friction, servos)
        self._actuation.settle(held, self._dt)
        drive = drive + pushed
        for servo, effort in zip(servos, held.tolist(), strict=True):
            for axis, factor in servo.terms:
                drive[axis] += factor * effort
        return StepEfforts(drive, friction, passive)

    def book(
        self,
        ledger: WorkLedger,
        setpoints: Mapping[int, Setpoint],
        efforts: StepEfforts,
        before: BackendState,
        after: BackendState,
    ) -> Array:
        """Enter a step into the ledger; returns the efforts of drives, motor rows included, shape (n_axes,)."""
        drive: Array = efforts.drive.copy()
        friction = efforts.friction.copy()
        for axis in range(len(drive)):
            command = setpoints.get(axis)
            if command is not None and command.kind is not DriveKind.EFFORT:
                drive[axis] += after.motor_effort[axis]
            elif self._in_tree[axis]:
                friction[axis] = after.motor_effort[axis]
        loss = friction - self._passive.damping * before.velocity
        if self._implicit.is_fast:
            loss = friction + efforts.passive - self._passive.springs(0.5 * (before.position + after.position))
        ledger.add(drive=drive, loss=loss, before=before.velocity, after=after.velocity, dt=self._dt)
        return drive

    def _friction(self, setpoints: Mapping[int, Setpoint], velocity: Array) -> Array:
        """Friction where no motor row does it: beside a drive, and on the axes of loop joints, shape (n_axes,)."""
        friction = np.zeros_like(velocity)
        beside = [axis for axis, setpoint in setpoints.items() if setpoint.kind is not DriveKind.EFFORT]
        for axis in (*self._closing, *beside):
            friction[axis] = self._passive.friction_beside_drive(axis, float(velocity[axis]))
        return friction
