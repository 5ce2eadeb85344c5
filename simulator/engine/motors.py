"""Motor rows of axes: the commands of drives, and friction of axes without a drive."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.engine.drives import POSITION_DRIVE_TIME, DriveKind, Setpoint
from simulator.physics.impact.motors import LAG, NEAR
from simulator.physics.rows.ramps import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.engine.drives import Drive
    from simulator.engine.port import BackendState, Dynamics
    from simulator.mechanism.types import Mechanism
    from simulator.model.profiles import Profile
    from simulator.spatial.arrays import Array


INSTANT = 1e-4
"""Part of a step over which the rate of a profile is differentiated."""


class Approach(NamedTuple):
    """What the approach of a position follows from at an instant, but for position and velocity of the axis: the
    `target` with what makes up for its lag, the rate `ahead` of that and its rate, the `top` speed (0: no bound),
    whether the target is at an end of its range, where it does not move, and the target of a step that begins now."""

    target: float
    ahead: float
    curvature: float
    top: float
    is_at_end: bool
    next_target: float


class Motors:
    """The motor rows of one mechanism."""

    def __init__(self, mechanism: Mechanism, dynamics: Dynamics, effort_limit: Array, *, dt: float) -> None:
        self._axes = mechanism.axes
        self._dynamics = dynamics
        self._limit = effort_limit
        self.dt = dt
        self._friction = [info.axis.friction for info in mechanism.axes]

    def reset(self, setpoints: Mapping[int, Setpoint]) -> None:
        """Set up new dynamics; those that do does friction itself needs to hear of drives only."""
        for axis in setpoints if self._dynamics.integrated is not None else range(len(self._axes)):
            self.update(axis, setpoints.get(axis))

    def update(self, axis: int, command: Setpoint | None) -> None:
        """Give the axis' motor row to its drive, or else to friction."""
        own = self._dynamics.integrated is not None
        if not self._axes[axis].in_tree and not own:
            return
        if command is None or command.kind is DriveKind.EFFORT:
            self._dynamics.set_motor(axis, max_effort=0.0 if own else float(self._friction[axis]))
            return
        limit = float(self._limit[axis])
        (first, second) = self.numbers(axis, command)
        if command.kind is DriveKind.VELOCITY:
            self._dynamics.set_motor(axis, max_effort=limit, velocity=first)
        else:
            self._dynamics.set_motor(axis, max_effort=limit, position=first, velocity=second)

    def lack(self, axis: int, drive: Drive, time: float, state: BackendState, pushed: Array) -> tuple[float, float]:
        """What a motor lacks at `time` [s] to the velocity that it holds within the limits of its axis [rad/s or m/s],
        and the rate of that velocity: a step's if it is not at it, nan if it may have to brake by an unknown amount.
        `pushed`: efforts of other drives on all axes."""
        velocity = float(state.velocity[axis])
        if drive.kind is DriveKind.VELOCITY:
            speed, rate = self.held_velocity(axis, drive, time)
        else:
            towards = self.towards(axis, drive.profile, time)
            speed, rate = self._approach(towards, float(state.position[axis]), velocity)
            if self._limit[axis] < UNLIMITED and abs(velocity) > NEAR:
                speed, rate = self._brake(axis, towards, state, pushed, (speed, rate))
        missing = speed - velocity
        # What approaches a position lags by a step.
        if abs(missing) > NEAR * (1.0 + abs(speed)) + LAG * self.dt * abs(rate):
            return missing, math.nan if math.isnan(rate) else missing / self.dt
        return 0.0, rate

    def held_velocity(self, axis: int, drive: Drive, time: float) -> tuple[float, float]:
        """The velocity that a drive of velocities holds at `time` [s] within the limits of its axis, and its rate."""
        asked = drive.profile.value(time)
        speed = self.allowed(axis, asked)
        return speed, drive.profile.rate(time) if speed == asked else 0.0

    def towards(self, axis: int, profile: Profile, time: float) -> Approach:
        """What the motor of a position approaches at `time` [s]."""
        instant = INSTANT * self.dt
        # Just after `time`, for it may be rounded to before a corner.
        later = profile.rate(time + instant)
        curvature = (profile.rate(time + 2.0 * instant) - later) / instant
        ahead = later - instant * curvature
        value = profile.value(time)
        place, top = self.numbers(axis, Setpoint(DriveKind.POSITION, value))
        target, _ = self.numbers(axis, Setpoint(DriveKind.POSITION, value, ahead))
        following, _ = self.numbers(axis, Setpoint(DriveKind.POSITION, value, profile.rate(time)))
        return Approach(target, ahead, curvature, top, target == place, following)

    def _approach(self, towards: Approach, position: float, velocity: float) -> tuple[float, float]:
        """The velocity with which the motor of a position approaches it, and its rate."""
        lag = max(POSITION_DRIVE_TIME, self.dt)
        speed = (towards.target - position) / lag
        if 0.0 < towards.top < abs(speed):
            return math.copysign(towards.top, speed), 0.0
        # v = (p - q) / T + p', whence v' = (p' - v) / T + p''.
        return speed, -velocity / lag if towards.is_at_end else (towards.ahead - velocity) / lag + towards.curvature

    def _brake(
        self,
        axis: int,
        towards: Approach,
        state: BackendState,
        pushed: Array,
        approach: tuple[float, float],
    ) -> tuple[float, float]:
        """As `approach`, the velocity of an approach and its rate, no faster than the effort can brake."""
        position, velocity = float(state.position[axis]), float(state.velocity[axis])
        target = towards.next_target
        integrated = self._dynamics.integrated
        speed = math.nan if integrated is None else integrated.approach(axis, (target, towards.top), pushed)
        if math.isnan(speed) or abs(speed) >= (1.0 - NEAR) * abs(approach[0]) or target == position:
            return approach if not math.isnan(speed) else (approach[0], math.nan)
        # v = √(2 a s), whence v' = -a s' / v with a = v² / (2 s).
        return speed, -0.5 * speed * velocity / (target - position)

    def allowed(self, axis: int, velocity: float) -> float:
        """The velocity as far as the limit of the axis allows it [rad/s or m/s]; nan stays nan."""
        most = self._axes[axis].axis.velocity
        return min(max(velocity, -most), most)

    def asked(self, axis: int, drive: Drive, times: Array, position: Array) -> Array:
        """Velocities that a motor is to have at the ends of steps that begin at these times [s] and positions, shape
        (n,), where it does not brake in time."""
        told = self.numbers_over(axis, drive, times if drive.level is None else times[:1], self.dt)
        asked: Array = np.broadcast_to(told[:, 0], times.shape)
        if drive.kind is DriveKind.POSITION:
            asked = (asked - position) / max(POSITION_DRIVE_TIME, self.dt)
            most = np.where(told[:, 1] > 0.0, told[:, 1], np.inf)
            asked = np.minimum(np.maximum(asked, -most), most)
        return asked

    def numbers(self, axis: int, command: Setpoint) -> tuple[float, float]:
        """What a motor row is given: a velocity and 0, or a position and the speed at most (0: no bound)."""
        bounds = self._axes[axis].axis
        if command.kind is DriveKind.VELOCITY:
            return self.allowed(axis, command.value), 0.0
        low, high = bounds.lower, bounds.upper
        target = min(max(command.value, low), high) if low <= high else command.value
        if target == command.value:
            target += command.rate * max(POSITION_DRIVE_TIME, self.dt)  # makes up for the lag of the approach
        return target, bounds.velocity if math.isfinite(bounds.velocity) else 0.0

    def numbers_over(self, axis: int, drive: Drive, times: Array, dt: float) -> Array:
        """What a motor row is given for steps of `dt` that begin at these times [s], as `numbers`, shape (n, 2)."""
        bounds = self._axes[axis].axis
        (values, rates) = drive.over(times, dt)
        if drive.kind is DriveKind.VELOCITY:
            found = np.minimum(np.maximum(values, -bounds.velocity), bounds.velocity)
            return np.stack((found, np.zeros(len(times))), axis=1)
        low, high = bounds.lower, bounds.upper
        inside = np.minimum(np.maximum(values, low), high) if low <= high else values
        found = np.where(inside == values, inside + rates * max(POSITION_DRIVE_TIME, self.dt), inside)
        top = bounds.velocity if math.isfinite(bounds.velocity) else 0.0
        return np.stack((found, np.full(len(times), top)), axis=1)
