"""What pushes, pulls and turns links besides joints: forces, springs between two points, torsion springs, and cables
(`model.cables`). See docs/how-to/load.md."""

from __future__ import annotations

from dataclasses import field

from simulator.diagnostics import Source
from simulator.model.cables import Cable
from simulator.model.profiles import Constant, Profile
from simulator.records import dataclass
from simulator.spatial.rotation import Vec3

WORLD_AXES, LINK_AXES = "world", "link"
"""In which axes a force and a moment are given."""

NOTHING = Constant(0.0)
Profiles3 = tuple[Profile, Profile, Profile]


@dataclass(frozen=True)
class Load:
    """A force [N] and a moment [N m] on a link. The force acts at the point `at` of the link's frame [m].

    `link` is a scoped name. The components are profiles over simulated time, in the axes of the world or of the link
    (`frame`).
    """

    link: str
    at: Vec3 = (0.0, 0.0, 0.0)
    force: Profiles3 = (NOTHING, NOTHING, NOTHING)
    moment: Profiles3 = (NOTHING, NOTHING, NOTHING)
    frame: str = WORLD_AXES
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class SpringTable:
    """Force over length by straight lines; the first force before them, the last one after. `lengths` [m] rise
    strictly; a positive force [N] pulls the ends together."""

    lengths: tuple[float, ...]
    forces: tuple[float, ...]


@dataclass(frozen=True)
class PointSpring:
    """A spring and damper between a point of one link and a point of another; `WORLD` is the world.

    It pulls its ends together by stiffness (l - free_length) + damping dl/dt [N], with l the distance of both points; a
    `table` takes the place of the first term. Points [m] are in the frames of their links.
    """

    link: str
    other: str
    at: Vec3 = (0.0, 0.0, 0.0)
    other_at: Vec3 = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float = 0.0
    table: SpringTable | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TorsionSpring:
    """A spring and damper between both bodies of a joint, about (or along) one of its axes: -stiffness (q - angle) -
    damping qd.

    `joint` is a scoped name, `axis` "axis" or "axis2"; it adds to the spring that the axis itself may have. Units as
    for `Axis`.
    """

    joint: str
    axis: str = "axis"
    stiffness: float = 0.0
    damping: float = 0.0
    angle: float = 0.0
    source: Source | None = field(default=None, compare=False)


AnyLoad = Load | PointSpring | TorsionSpring | Cable
