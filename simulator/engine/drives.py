"""Drives: what the user asks an axis to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

POSITION_DRIVE_TIME = 0.02
"""Time constant [s] with which a position drive approaches its target where effort allows."""


class DriveKind(str, Enum):
    """What a drive holds: a position [rad or m], a velocity [rad/s or m/s] or an effort [N m or N]."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"


@dataclass(frozen=True)
class Drive:
    """Kind and value of a drive; it never exceeds the effort limit of its axis."""

    kind: DriveKind
    value: float
