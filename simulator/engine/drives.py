"""Drives: the commands of a user to an axis or an actuator, a number or a profile over time."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import UsageError
from simulator.model.profiles import Constant, Step, clipped, rates_of, stop_of, values_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.pid import Gains
    from simulator.model.joint import CommandRange
    from simulator.model.profiles import Profile
    from simulator.spatial.arrays import Array

INSIDE = 1e-6
"""Part of a step by which its end is still before a jump."""
POSITION_DRIVE_TIME = 0.02
"""Time constant [s] with which a position drive approaches its target where effort allows."""


class DriveKind(str, Enum):
    """Quantity of a drive: a position [rad or m], a velocity [rad/s or m/s] or an effort [N m or N]."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"


class Setpoint(NamedTuple):
    """What the motor of an axis is given for one step. `rate`: of a position that moves [per second], so that it is
    followed without lag."""

    kind: DriveKind
    value: float
    rate: float = 0.0


@dataclass(frozen=True)
class Drive:
    """What an axis or an actuator is asked to do: `profile` gives the value of that kind over simulated time, a number
    is a `Constant`.

    With `gains` a loop holds it. Without, an axis has its motor, which is as strong as the effort limit allows, and an
    actuator a loop with gains made for what it moves. A drive never exceeds the effort limit of its axis. Raises
    UsageError for gains that do not fit the kind.
    """

    kind: DriveKind
    profile: Profile
    gains: Gains | None = None

    def __post_init__(self) -> None:
        """Refuse a loop that cannot be."""
        if self.gains is None:
            return
        if self.kind is DriveKind.EFFORT:
            raise UsageError("an effort needs no loop; pid(…) is for position and velocity")
        if self.gains.derivative and self.kind is DriveKind.VELOCITY:
            raise UsageError("a velocity loop has p and i; d would need the acceleration")

    def within(self, ranges: Iterable[CommandRange]) -> Drive:
        """The drive with its commands kept in the ranges of its kind."""
        drive = self
        for item in ranges:
            if item.kind == self.kind.value:
                drive = replace(drive, profile=clipped(drive.profile, item.lower, item.upper))
        return drive

    @property
    def level(self) -> float | None:
        """The constant value that the motor of an axis is given; None for a drive that changes over time or has a
        loop."""
        return self.profile.level if isinstance(self.profile, Constant) and self.gains is None else None

    def at(self, time: float, dt: float) -> Setpoint:
        """What the motor of an axis is given for the step of `dt` that begins at `time` [s]: the velocity to have at
        its end, the position of its start with the rate of its end, so that no lag is left to first order, the effort
        of its middle. With gains an effort, which the loop will give. A velocity that steps at the end does so in the
        next step."""
        if self.gains is not None:
            return Setpoint(DriveKind.EFFORT, 0.0)
        if self.kind is DriveKind.POSITION:
            return Setpoint(self.kind, self.profile.value(time), self._rate_over(time, dt))
        if self.kind is DriveKind.EFFORT:
            return Setpoint(self.kind, self.profile.value(time + 0.5 * dt))
        end = time + dt * (1.0 - INSIDE) if isinstance(self.profile, Step) else time + dt
        return Setpoint(self.kind, self.profile.value(end))

    def over(self, times: Array, dt: float) -> tuple[Array, Array]:
        """Values and rates that the motor of an axis is given for steps of `dt` that begin at these times [s], shape
        (n,) each, as `at` has them one by one."""
        none = np.zeros(len(times))
        if self.gains is not None:
            return none, none
        if self.kind is DriveKind.EFFORT:
            return values_of(self.profile, times + 0.5 * dt), none
        if self.kind is DriveKind.VELOCITY:
            ends = times + dt * (1.0 - INSIDE) if isinstance(self.profile, Step) else times + dt
            return values_of(self.profile, ends), none
        if math.isinf(stop_of(self.profile)):
            rates = rates_of(self.profile, times + dt)
        else:
            rates = np.array([self._rate_over(time, dt) for time in times.tolist()])
        return values_of(self.profile, times), rates

    def _rate_over(self, time: float, dt: float) -> float:
        """The rate of a position at the end of a step. Where it stops there, the rate before it; where it stops within
        the step, the mean rate over it, for the motor jumps at both ends."""
        left = (stop_of(self.profile) - time) / dt
        if INSIDE < left < 1.0 - INSIDE:
            return (self.profile.value(time + dt) - self.profile.value(time)) / dt
        stops = 1.0 - INSIDE <= left <= 1.0 + INSIDE
        return self.profile.rate(time + (1.0 - INSIDE) * dt if stops else time + dt)
