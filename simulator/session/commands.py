"""What a user can ask of a running simulation: small frozen values that travel down, also into another process."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine.drives import Drive


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
    """Drive `target`, the name of an axis or `actuator/NAME`, or let it move by itself with None. A follower cannot be driven."""

    target: str
    drive: Drive | None


@dataclass(frozen=True)
class SetPosition:
    """Put the axis at `value` [rad or m] at once, at rest; couplings and loops are assembled around it."""

    axis: int
    value: float


@dataclass(frozen=True)
class SetSolver:
    """Go on with another strategy, by name; positions, velocities, drives and the energy ledger are kept."""

    solver: str


@dataclass(frozen=True)
class SetCoupling:
    """Give the coupling of that index another law, q_follower = multiplier * (q_leader - reference) + offset + sum(m_j * q_j), with one
    m_j in `others` for each further leader, in their order. The mechanism is assembled anew around its leaders within the step; what the
    change costs is booked as work."""

    coupling: int
    multiplier: float
    offset: float
    reference: float
    others: tuple[float, ...] = ()

    @property
    def law(self) -> tuple[float, ...]:
        """All numbers of the law: multiplier, offset, reference, then those of `others`."""
        return (self.multiplier, self.offset, self.reference, *self.others)


__all__ = [
    "Command",
    "Pause",
    "Reset",
    "Run",
    "SetCoupling",
    "SetDrive",
    "SetPosition",
    "SetSolver",
    "SetSpeed",
    "StepOnce",
]

Command = Run | Pause | StepOnce | Reset | SetSpeed | SetDrive | SetPosition | SetSolver | SetCoupling
