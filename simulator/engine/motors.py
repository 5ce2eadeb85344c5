"""Motor rows of axes: what a drive commands them, and friction where nobody drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import POSITION_DRIVE_TIME, DriveKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.engine.drives import Drive, Setpoint
    from simulator.engine.port import BackendState, Dynamics
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


class Motors:
    """The motor rows of one mechanism."""

    def __init__(self, mechanism: Mechanism, dynamics: Dynamics, effort_limit: Array, *, dt: float) -> None:
        self._axes, self._dynamics, self._limit, self._dt = mechanism.axes, dynamics, effort_limit, dt
        self._friction = [info.axis.friction for info in mechanism.axes]

    def reset(self, setpoints: Mapping[int, Setpoint]) -> None:
        """Set up new dynamics; those that do does friction itself needs to hear of drives only."""
        for axis in setpoints if self._dynamics.integrates_passive else range(len(self._axes)):
            self.update(axis, setpoints.get(axis))

    def update(self, axis: int, command: Setpoint | None) -> None:
        """Give the axis' motor row to its drive, or else to friction."""
        own = self._dynamics.integrates_passive
        if not self._axes[axis].in_tree and not own:
            return
        if command is None or command.kind is DriveKind.EFFORT:
            self._dynamics.set_motor(axis, max_effort=0.0 if own else float(self._friction[axis]))
            return
        limit, (first, second) = float(self._limit[axis]), self.numbers(axis, command)
        if command.kind is DriveKind.VELOCITY:
            self._dynamics.set_motor(axis, max_effort=limit, velocity=first)
        else:
            self._dynamics.set_motor(axis, max_effort=limit, position=first, velocity=second)

    def lack(self, axis: int, drive: Drive, time: float, state: BackendState) -> tuple[float, float]:
        """What a velocity drive lacks at `time` [s] to the velocity that it holds within the limit of its axis, as a
        part of that where it is above 1 [rad/s or m/s], and the rate of that."""
        asked = drive.profile.value(time)
        speed = self.allowed(axis, asked)
        missing = (speed - float(state.velocity[axis])) / (1.0 + abs(speed))
        return missing, drive.profile.rate(time) if speed == asked else 0.0

    def allowed(self, axis: int, velocity: float) -> float:
        """The velocity as far as the limit of the axis allows it [rad/s or m/s]; nan stays nan."""
        most = self._axes[axis].axis.velocity
        return min(max(velocity, -most), most)

    def numbers(self, axis: int, command: Setpoint) -> tuple[float, float]:
        """What a motor row is given: a velocity and 0, or a position and the speed at most (0: no bound)."""
        bounds = self._axes[axis].axis
        if command.kind is DriveKind.VELOCITY:
            return self.allowed(axis, command.value), 0.0
        low, high = bounds.lower, bounds.upper
        target = min(max(command.value, low), high) if low <= high else command.value
        if target == command.value:
            target += command.rate * max(POSITION_DRIVE_TIME, self._dt)  # makes up for the lag of the approach
        return target, bounds.velocity if np.isfinite(bounds.velocity) else 0.0
