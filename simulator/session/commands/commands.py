"""Commands to a running simulation: small frozen values that travel down, also into another process."""

from __future__ import annotations

from dataclasses import field

from simulator.engine.drives import Drive
from simulator.engine.snapshot import Snapshot
from simulator.records import dataclass
from simulator.spatial.rotation import Vec3

CHECKPOINTS = 128
"""Largest number of stored checkpoints."""


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
    """Return to the start of the document (initial positions of the session included); drives stay."""


@dataclass(frozen=True)
class SetSpeed:
    """Simulated seconds per wall second."""

    factor: float


@dataclass(frozen=True)
class SetDrive:
    """Drive `target`, the name of an axis or `actuator/NAME`, or release it with None. A follower cannot be
    driven.

    `softly`: a position drive begins at the present position, within the limits of velocity and effort, also
    after a reset.
    """

    target: str
    drive: Drive | None
    softly: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class SetPosition:
    """Put the axis at `value` [rad or m] at once, at rest; couplings and loops are assembled around it and the fixed
    axes `held`."""

    axis: int
    value: float
    held: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class SetSolver:
    """Continue with another strategy, by name; positions, velocities, drives and the energy ledger stay."""

    solver: str


@dataclass(frozen=True)
class SetCoupling:
    """Give the coupling of that index another law, q_follower = multiplier * (q_leader - reference) + offset + sum(m_j
    * q_j), with one m_j in `others` for each further leader, in their order; or one that is not a straight line, by its
    `text` (`mechanism.coupling_law.with_law`), which counts alone then. The mechanism is assembled anew around its
    leaders within the step; what the change costs is booked as work."""

    coupling: int
    multiplier: float
    offset: float
    reference: float
    others: tuple[float, ...] = ()
    text: str = ""

    @property
    def law(self) -> tuple[float, ...] | str:
        """All numbers of the law: multiplier, offset, reference, then those of `others`; or its text."""
        if self.text:
            return self.text
        return (self.multiplier, self.offset, self.reference, *self.others)

    @staticmethod
    def of(coupling: int, law: tuple[float, ...] | str) -> SetCoupling:
        """The command for a law, see `law`."""
        if isinstance(law, str):
            return SetCoupling(coupling, 1.0, 0.0, 0.0, text=law)
        multiplier, offset, reference, *others = law
        return SetCoupling(coupling, multiplier, offset, reference, tuple(others))


@dataclass(frozen=True)
class SetNumber:
    """Give a parameter of the mechanism (`mechanism.varied`: `coupler.mass`, `crank_joint.damping`) another value, SI.
    Loops are assembled anew; what the change costs is booked as work."""

    name: str
    value: float


@dataclass(frozen=True, eq=False)
class Resume:
    """Continue from a recorded moment; later samples are deleted, with `fresh` all that this simulation
    has recorded. Drives, laws and the strategy stay."""

    snapshot: Snapshot
    fresh: bool = False


@dataclass(frozen=True)
class SaveCheckpoint:
    """Store the present moment under `key`, for `RestoreCheckpoint`; only the last `CHECKPOINTS` stay."""

    key: int


@dataclass(frozen=True)
class RestoreCheckpoint:
    """Return to the moment stored under `key`, bit-identically if laws and strategy are those of that moment; drives
    stay. With `in_place` only if no time has passed since."""

    key: int
    in_place: bool = False


@dataclass(frozen=True)
class Pull:
    """Hold a point of a link by hand. While simulated time passes, a spring pulls it towards `target`, with `strength`
    times its default stiffness; otherwise it moves to the line of sight through `target`, couplings and loops closed,
    at rest.

    `at`: the point in the link's frame [m]; `target` [m] and the line's direction `along` in the world.
    """

    link: str
    at: Vec3
    target: Vec3
    along: Vec3
    strength: float = 1.0


@dataclass(frozen=True)
class LetGo:
    """Release the hand."""


@dataclass(frozen=True)
class WatchForces:
    """Start or stop reporting the forces of joints and contacts with every status."""

    on: bool = True


__all__ = [
    "Command",
    "LetGo",
    "Pause",
    "Pull",
    "Reset",
    "RestoreCheckpoint",
    "Resume",
    "Run",
    "SaveCheckpoint",
    "SetCoupling",
    "SetDrive",
    "SetNumber",
    "SetPosition",
    "SetSolver",
    "SetSpeed",
    "StepOnce",
    "WatchForces",
]

Command = (
    Run
    | Pause
    | StepOnce
    | Reset
    | SetSpeed
    | SetDrive
    | SetPosition
    | SetSolver
    | SetCoupling
    | SetNumber
    | Resume
    | SaveCheckpoint
    | RestoreCheckpoint
    | Pull
    | LetGo
    | WatchForces
)
