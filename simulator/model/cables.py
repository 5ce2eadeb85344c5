"""Cables between points of links and over pulleys. See docs/how-to/ropes.md."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from simulator.diagnostics import Source
from simulator.records import dataclass
from simulator.spatial.rotation import Vec3


class PartKind(str, Enum):
    """What a cable passes."""

    POINT = "point"
    PULLEY = "pulley"
    GUIDE = "guide"
    SPHERE = "sphere"
    BRANCH = "branch"


@dataclass(frozen=True)
class CablePart:
    """What a cable passes, on a `link` (a scoped name, or `WORLD`), `at` a point of its frame [m].

    A point holds an end, or leads the cable through an eye. A pulley and a guide have a `radius` [m], and the cable
    turns about their `axis` counterclockwise, seen against the axis, or `clockwise`. A pulley has a groove, and swivels
    about its centre: the cable lies in the plane of that and of where it comes from and goes to. A guide is a cylinder,
    along which the cable slides: a rod or a drum. At the start the cable lies on a pulley, and touches a guide only
    where that is in its way; `turns` adds whole turns. Later it leaves either where it becomes straight, and returns.
    It passes a sphere the shorter way round. `friction` is the coefficient between the cable and what it lies on.
    Behind a branch another piece of the cable begins, whose length counts 1 / `divisor`.
    """

    kind: PartKind
    link: str = ""
    at: Vec3 = (0.0, 0.0, 0.0)
    axis: Vec3 = (0.0, 0.0, 1.0)
    radius: float = 0.0
    clockwise: bool = False
    turns: int = 0
    friction: float = 0.0
    divisor: float = 1.0
    source: Source | None = field(default=None, compare=False)

    @property
    def is_round(self) -> bool:
        """Whether the cable lies on it."""
        return self.kind in (PartKind.PULLEY, PartKind.GUIDE, PartKind.SPHERE)


@dataclass(frozen=True)
class Cable:
    """A cable without mass along `parts`: it goes straight from one to the next, and round what is round.

    Its way is at most `length` [m], rigidly, with `restitution` where it becomes taut, or with a `stiffness` [N/m] and
    `damping` [N s/m] beyond it; it never pushes.
    """

    name: str
    parts: tuple[CablePart, ...]
    length: float
    stiffness: float = 0.0
    damping: float = 0.0
    restitution: float = 0.0
    source: Source | None = field(default=None, compare=False)
