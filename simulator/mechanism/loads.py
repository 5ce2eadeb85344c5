"""Loads of a document on the bodies of its mechanism: what pushes, pulls and turns them besides joints, drives and
contacts."""

from __future__ import annotations

from dataclasses import field

from simulator.diagnostics import Source
from simulator.model.cables import CablePart
from simulator.model.loads import Profiles3, SpringTable
from simulator.records import dataclass
from simulator.spatial.rotation import Vec3

Mat3 = tuple[Vec3, Vec3, Vec3]


@dataclass(frozen=True)
class BodyForce:
    """A force [N] at `point` of a body's frame [m], and a moment [N m]. Components are profiles over time, in world
    axes or, with `turn`, in axes that are fixed to the body: R_BL, whose rows these are."""

    body: int
    point: Vec3
    force: Profiles3
    moment: Profiles3
    turn: Mat3 | None = None
    link: str = field(default="", compare=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class BodyWeight:
    """Weight that a part of a body has besides the world's gravity: a constant `force` [N] in world axes at its centre
    of mass, `point` of the body's frame [m]."""

    body: int
    point: Vec3
    force: Vec3


@dataclass(frozen=True)
class BodySpring:
    """A spring and damper between points of two bodies, given in their frames [m]; see `PointSpring`."""

    bodies: tuple[int, int]
    points: tuple[Vec3, Vec3]
    stiffness: float
    damping: float
    free_length: float
    table: SpringTable | None = None
    links: tuple[str, str] = field(default=("", ""), compare=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class BodyCable:
    """A cable over `bodies`, one for each of its `parts`, which it passes at `points` and round `axes` of their frames;
    see `Cable`. The world and branches are on body 0."""

    name: str
    parts: tuple[CablePart, ...]
    bodies: tuple[int, ...]
    points: tuple[Vec3, ...]
    axes: tuple[Vec3, ...]
    length: float
    stiffness: float = 0.0
    damping: float = 0.0
    restitution: float = 0.0
    source: Source | None = field(default=None, compare=False)

    @property
    def has_friction(self) -> bool:
        """Whether it rubs on what it lies on."""
        return any(part.friction > 0.0 for part in self.parts)


@dataclass(frozen=True)
class BodyLoads:
    """All loads of a mechanism that act on bodies. (Torsion springs are springs of axes.)"""

    forces: tuple[BodyForce, ...] = ()
    weights: tuple[BodyWeight, ...] = ()
    springs: tuple[BodySpring, ...] = ()
    cables: tuple[BodyCable, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.forces or self.weights or self.springs or self.cables)

    def bodies(self) -> set[int]:
        """The bodies that they act on; the world (0) may be one of them."""
        found = {load.body for load in self.forces} | {weight.body for weight in self.weights}
        found = found.union(*(spring.bodies for spring in self.springs))
        return found.union(*(cable.bodies for cable in self.cables))
