"""Drives: what the user asks an axis to do, at once or over time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.engine.pid import Gains
    from simulator.engine.profiles import Profile

POSITION_DRIVE_TIME = 0.02
"""Time constant [s] with which a position drive approaches its target where effort allows."""


class DriveKind(str, Enum):
    """What a drive holds: a position [rad or m], a velocity [rad/s or m/s] or an effort [N m or N]."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"


@dataclass(frozen=True)
class Drive:
    """Kind and value of a drive; it never exceeds the effort limit of its axis. `rate`: of a position that moves [per second], so that it
    is followed without lag."""

    kind: DriveKind
    value: float
    rate: float = 0.0


@dataclass(frozen=True)
class ProfileDrive:
    """A drive whose value is a profile over simulated time. With `gains` a loop holds it; without, an axis has its motor, which is as
    strong as the effort limit allows, and an actuator a loop with gains made for what it moves."""

    kind: DriveKind
    profile: Profile
    gains: Gains | None = None

    def at(self, time: float, dt: float) -> Drive:
        """What the motor of an axis is told for the step of `dt` that begins at `time` [s]: the velocity to have at its end, the position
        of its start with the rate of its end, so that no lag is left to first order. With gains an effort, which the loop will give."""
        if self.gains is not None:
            return Drive(DriveKind.EFFORT, 0.0)
        if self.kind is DriveKind.POSITION:
            return Drive(self.kind, self.profile.value(time), self.profile.rate(time + dt))
        return Drive(self.kind, self.profile.value(time + dt if self.kind is DriveKind.VELOCITY else time))
