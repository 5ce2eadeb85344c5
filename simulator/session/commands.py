"""What a user can ask of a running simulation: small frozen values that travel down, also into another process."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine.drives import DriveKind


@dataclass(frozen=True)
class Run:
    """Let simulated time pass."""


@dataclass(frozen=True)
class Pause:
    """Stop simulated time."""


@dataclass(frozen=True)
class StepOnce:
    """Pause, and advance by `count` steps."""

    count: int = 1


@dataclass(frozen=True)
class Reset:
    """Back to the start of the document (initial positions of the session included); drives are kept."""


@dataclass(frozen=True)
class SetSpeed:
    """Simulated seconds per wall second."""

    factor: float


@dataclass(frozen=True)
class SetDrive:
    """Drive the axis of that index. A follower cannot be driven."""

    axis: int
    kind: DriveKind
    value: float


@dataclass(frozen=True)
class ClearDrive:
    """Let the axis move by itself."""

    axis: int


@dataclass(frozen=True)
class SetPosition:
    """Put the axis at `value` [rad or m] at once, at rest; couplings and loops are assembled around it."""

    axis: int
    value: float


__all__ = [
    "ClearDrive",
    "Command",
    "DriveKind",
    "Pause",
    "Reset",
    "Run",
    "SetDrive",
    "SetPosition",
    "SetSpeed",
    "StepOnce",
]

Command = Run | Pause | StepOnce | Reset | SetSpeed | SetDrive | ClearDrive | SetPosition
