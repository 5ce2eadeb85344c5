"""What a document has in a plane: points of its links, where they are joined, and what is drawn between them."""

from __future__ import annotations

import math
import re
from dataclasses import field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.joint import WORLD
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.model.lengths import LengthParameter
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

Place = tuple[float, float]
"""Coordinates in a plane [m]."""
SAME = 1e-7
"""Marks nearer than this are one point [m]."""
BAR, PLATE, WHEEL, RACK, SLIDER = "bar", "plate", "gear", "rack", "slider"
WEIGHT, SCREW, BELT = "weight", "screw", "belt"
DRAWN = tuple(f"{stem}_" for stem in (BAR, PLATE, WHEEL, RACK, SLIDER, WEIGHT, SCREW))
"""Names of what is drawn begin with these."""
LEVEL = 0.999
"""A plane whose normal is nearer to z lies flat."""
ROUNDED, DIGITS, DECIMALS = 1e-12, 13, 15
"""Round-off of directions; decimals of places where a plane begins [m], and of places in it."""
HUB = 1.2
"""Thickness of the hub of a wheel with teeth over that of the wheel."""
TOOTHED = re.compile(r"([\d.e-]+)\*(\d+)/2$")
"""So is the radius of a wheel written that has teeth by choice: module [m] * teeth / 2."""


@dataclass(frozen=True)
class Plane:
    """A plane with `u` to the right and `v` upward through `origin` [m]; `normal` points at the viewer, so that
    positive angles about it turn counter-clockwise. All are in the frame of `link`, that of the model for "world":
    what is drawn in the plane hangs on that link."""

    u: Vec3
    v: Vec3
    origin: Vec3 = (0.0, 0.0, 0.0)
    link: str = WORLD

    @property
    def normal(self) -> Vec3:
        """u x v."""
        x, y, z = np.cross(self.u, self.v).tolist()
        return (x + 0.0, y + 0.0, z + 0.0)

    def way(self, place: Place) -> Vec3:
        """A direction of the plane, in the frame of its link."""
        x, y, z = (place[0] * a + place[1] * b + 0.0 for a, b in zip(self.u, self.v, strict=True))
        return (x, y, z)

    def point(self, place: Place) -> Vec3:
        """A place of the plane, in the frame of its link [m]."""
        x, y, z = (round(way + start, DECIMALS) + 0.0 for way, start in zip(self.way(place), self.origin, strict=True))
        return (x, y, z)

    def along(self, way: Sequence[float]) -> Place:
        """A direction, seen along the normal."""
        return dot(way, self.u), dot(way, self.v)

    def place(self, point: Sequence[float]) -> Place:
        """A point [m], seen along the normal."""
        return self.along(self._from_origin(point))

    def depth(self, point: Sequence[float]) -> float:
        """How far a point is in front of the plane [m]."""
        return dot(self._from_origin(point), self.normal)

    def moved(self, X: Pose) -> Plane:
        """The same plane in the frame in which `X` places that of its link."""
        if X == IDENTITY:
            return self
        return replace(self, u=X.rotate(self.u), v=X.rotate(self.v), origin=X.transform(self.origin))

    def folded(self, a: Place, b: Place, angle: float) -> Plane:
        """The plane turned by an angle [rad] about the line from one of its places to another; places are on the same
        points of it as before."""
        way = self.way((b[0] - a[0], b[1] - a[1]))
        size = math.hypot(*way)
        turn = Pose((0.0, 0.0, 0.0), quat_from_axis_angle((way[0] / size, way[1] / size, way[2] / size), angle))
        foot = np.array(self.point(a))
        u, v, arm = (_plain(turn.rotate(it)) for it in (self.u, self.v, _triple(np.array(self.origin) - foot)))
        return replace(self, u=u, v=v, origin=_triple(foot + arm))

    def _from_origin(self, point: Sequence[float]) -> Vec3:
        x, y, z = (at - start for at, start in zip(point, self.origin, strict=True))
        return (x, y, z)


def plane_across(normal: Sequence[float], origin: Sequence[float] = (0.0, 0.0, 0.0), link: str = WORLD) -> Plane:
    """The plane across a direction, with z of the frame of its link upward, or y for one that lies across z."""
    n = np.array(normal, dtype=float)
    n /= np.linalg.norm(n)
    up = np.array((0.0, 0.0, 1.0) if abs(n[2]) < LEVEL else (0.0, 1.0, 0.0))
    v = up - n * float(up @ n)
    v /= np.linalg.norm(v)
    return Plane(_plain(np.cross(v, n)), _plain(v), _triple(origin), link)


def _plain(v: Sequence[float] | Array) -> Vec3:
    """A unit vector without the round-off of one along an axis."""
    x, y, z = (float(round(value)) + 0.0 if abs(value - round(value)) < ROUNDED else float(value) for value in v)
    return (x, y, z)


def _triple(v: Sequence[float] | Array) -> Vec3:
    x, y, z = (round(float(value), DIGITS) + 0.0 for value in v)
    return (x, y, z)


FRONT = Plane((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
TOP = Plane((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
RIGHT = Plane((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PLANES = {"front": FRONT, "top": TOP, "right": RIGHT}
"""Planes of the standard views by their names."""


@dataclass
class PlanPoint:
    """A point of the plane, at `place` [m]. `links` have it, "world" among them where it is on the ground; `joints` are
    the hinges there, `slides` the slides, `frames` those that mark an end."""

    place: Place
    links: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    slides: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)

    @property
    def is_ground(self) -> bool:
        """Whether it does not move."""
        return WORLD in self.links

    @property
    def bodies(self) -> list[str]:
        """The links that have it, without the world."""
        return [link for link in self.links if link != WORLD]


@dataclass(frozen=True)
class PlanLink:
    """A link, with the `places` of its points. `corners`: those of its own frames, bar_1_a, bar_1_b and so on, in
    their order. `radius` of a wheel [m], else 0; `teeth` of a wheel or rack: module [m] and their number, None where it
    has none; `turn` [rad], by how much its first tooth is turned from the right, and `cut_at`, its middle. `rider`: the
    link that a weight hangs on, or "". `layer` of a bar or plate: how many thicknesses it is in front of the plane;
    None for others. `width` of a bar, plate or block, and from where to where along the normal it lies, or a wheel
    does: `span` [m], both 0 for others. `ghost`: the outline of one that is drawn in another plane, as it is seen from
    here; its layer is not that which is seen, and its `true_length` is that of a bar, else 0 [m]."""

    name: str
    places: tuple[Place, ...]
    radius: float = 0.0
    corners: tuple[Place, ...] = ()
    rider: str = ""
    teeth: tuple[float, int] | None = None
    turn: float = 0.0
    cut_at: Place = (0.0, 0.0)
    layer: int | None = None
    width: float = 0.0
    span: tuple[float, float] = (0.0, 0.0)
    ghost: tuple[Place, ...] = ()
    true_length: float = 0.0

    @property
    def is_bar(self) -> bool:
        """Whether it is a line between two ends."""
        return not self.ghost and len(self.corners or self.places) == 2 and not self.radius and not self.rider

    @property
    def outline(self) -> tuple[Place, ...]:
        """Of what is drawn: its corners, with the pins that are off the line between them."""
        corners = self.corners or self.places
        if len(corners) < 2:
            return self.places
        off = [at for at in self.places if min(from_segment(at, a, b) for a, b in edges(corners)) > SAME]
        return (*corners, *off)

    @property
    def ends(self) -> tuple[Place, Place]:
        """Of a bar."""
        first, second = self.corners or self.places
        return first, second

    @property
    def length(self) -> float:
        """Of a bar, between its ends; of a wheel, its radius [m]."""
        return self.true_length or self.radius or math.dist(*self.ends)

    @property
    def is_measured(self) -> bool:
        """Whether it has a length that can be set, as bars have, those of other planes, too, and wheels."""
        return self.is_bar or bool(self.radius) or bool(self.true_length)


@dataclass(frozen=True)
class PlanMesh:
    """Two wheels that a gear couples, external or by a belt, on a carrier, or a rack and its wheel by a mimic."""

    joint: str
    first: str
    second: str
    carrier: str = WORLD
    belt: bool = False


@dataclass(frozen=True)
class PlanForce:
    """A force on a link: where it acts [m] and its components in the plane [N]. `number`: its place among the loads."""

    number: int
    link: str
    place: Place
    force: Place


@dataclass(frozen=True)
class OtherWheel:
    """A wheel in another plane: its `centre` [m], the direction `axis` of its hinge and its pitch `radius` [m], in the
    frame of the plane of the sheet. `touch`: where its pitch circle touches that plane, None where it does not, and
    `way`: the direction of the line in which both planes meet."""

    name: str
    centre: Vec3
    axis: Vec3
    radius: float
    touch: Place | None = None
    way: Place = (1.0, 0.0)


@dataclass(frozen=True)
class SpaceJoint:
    """A joint of a `Skeleton`: the number of its point, its links, and the axis of a hinge, None for another."""

    point: int
    ends: tuple[str, str]
    axis: Vec3 | None


@dataclass(frozen=True)
class Skeleton:
    """What is drawn in several planes, as lines in space: `points` [m] in the frame of the model; `bars`, the numbers
    of both ends of each; `sides`, the direction along which it is thick, and how far off its line it lies that way [m];
    `pins`, the numbers of further points on a bar; `joints` that are at points; `frames` of the model
    and `marks` of the world there. `grounded` points do not move by themselves; `others` are on links that are no bars,
    by the names of these."""

    points: tuple[Vec3, ...] = ()
    bars: dict[str, tuple[int, int]] = field(default_factory=dict)
    sides: dict[str, tuple[Vec3, float]] = field(default_factory=dict)
    pins: dict[str, tuple[int, ...]] = field(default_factory=dict)
    joints: dict[str, SpaceJoint] = field(default_factory=dict)
    frames: dict[str, int] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    grounded: frozenset[int] = frozenset()
    others: dict[int, str] = field(default_factory=dict)

    def length(self, bar: str) -> float:
        """Of a bar [m]."""
        return math.dist(*(self.points[number] for number in self.bars[bar]))

    def number_at(self, point: Sequence[float], within: float = SAME) -> int | None:
        """Of the point that is there."""
        number = min(range(len(self.points)), key=lambda n: math.dist(self.points[n], point), default=None)
        return number if number is not None and math.dist(self.points[number], point) <= within else None

    def points_of(self, link: str) -> tuple[int, ...]:
        """The numbers of the points of a link; "world" has those on the ground."""
        if link in self.bars:
            return (*self.bars[link], *self.pins.get(link, ()))
        if link == WORLD:
            return tuple(sorted(self.grounded))
        return tuple(number for number, name in self.others.items() if name == link)


@dataclass(frozen=True)
class Sketch:
    """`slides`: places and unit directions of slides by joint; `motors`: rates [rad/s or m/s] by joint; `springs`:
    their ends; `follows`: leaders of joints by follower; `kinds`: types of joints by name; `masses`: of weights [kg].
    `joints` leave one freedom in the plane; `welds` leave none, and `spindles` turn about a line of the plane. `tilts`:
    the parts in the plane of the axes of hinges that are not along its normal. `spatial`: the mobility by count where
    the mechanism is not plane. `seen`: the plane in the world. `across`: for hinges, the axes across a line of each of
    their links, by components along u, v and the normal; `wheels`: those of other planes; `bevels`: names of wheels
    that mesh with one of another plane. `base`: the outline of the link on which the plane lies. `skeleton`: bars of
    all planes of the model, None where all are in this one, or where that is the plane of a body."""

    plane: Plane
    points: tuple[PlanPoint, ...] = ()
    links: tuple[PlanLink, ...] = ()
    slides: dict[str, tuple[Place, Place]] = field(default_factory=dict)
    motors: dict[str, float] = field(default_factory=dict)
    joints: int = 0
    couplings: int = 0
    springs: tuple[tuple[Place, Place], ...] = ()
    follows: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    masses: dict[str, float] = field(default_factory=dict)
    meshes: tuple[PlanMesh, ...] = ()
    forces: tuple[PlanForce, ...] = ()
    parameters: tuple[LengthParameter, ...] = ()
    welds: int = 0
    spindles: int = 0
    tilts: dict[str, Place] = field(default_factory=dict)
    spatial: int | None = None
    seen: Plane = FRONT
    across: dict[str, tuple[Vec3, ...]] = field(default_factory=dict)
    wheels: tuple[OtherWheel, ...] = ()
    bevels: frozenset[str] = frozenset()
    base: tuple[Place, ...] = ()
    skeleton: Skeleton | None = None

    def point_at(self, place: Place, within: float = SAME) -> PlanPoint | None:
        """The nearest point that is not further away."""
        near = min(self.points, key=lambda point: math.dist(point.place, place), default=None)
        return near if near is not None and math.dist(near.place, place) <= within else None

    @property
    def outside(self) -> dict[int, Place]:
        """Where points of bars of other planes are seen that are not in this one, by their numbers in the skeleton."""
        if self.skeleton is None:
            return {}
        away = {number: at for number, at in enumerate(self.skeleton.points) if abs(self.plane.depth(at)) > SAME}
        return {number: self.plane.place(at) for number, at in away.items()}

    def outside_at(self, place: Place, within: float = SAME) -> int | None:
        """The number of the nearest point outside of the plane that is seen there."""
        seen = self.outside
        near = min(seen, key=lambda number: math.dist(seen[number], place), default=None)
        return near if near is not None and math.dist(seen[near], place) <= within else None

    def link_at(self, place: Place, within: float) -> PlanLink | None:
        """The link that is drawn there, the topmost first."""
        return next((link for link in reversed(self.links) if distance_to(link, place) <= within), None)

    def spring_at(self, place: Place, within: float) -> int | None:
        """The number of the spring that is drawn there."""
        near = [number for number, ends in enumerate(self.springs) if from_segment(place, *ends) <= within]
        return near[0] if near else None

    def link(self, name: str) -> PlanLink | None:
        """A link by its name."""
        return next((link for link in self.links if link.name == name), None)

    def parameter(self, link: str) -> LengthParameter | None:
        """The name of the length of a link, or what locks it."""
        return next((item for item in self.parameters if item.link == link), None)

    def moved(self, places: Sequence[Place]) -> Sketch:
        """The same with its points at other places, in their order."""
        to = {point.place: at for point, at in zip(self.points, places, strict=True)}

        def there(place: Place) -> Place:
            near = self.point_at(place)
            return place if near is None else to[near.place]

        def all_of(some: Sequence[Place]) -> tuple[Place, ...]:
            return tuple(there(place) for place in some)

        return replace(
            self,
            points=tuple(replace(point, place=to[point.place]) for point in self.points),
            links=tuple(replace(link, places=all_of(link.places), corners=all_of(link.corners)) for link in self.links),
            slides={name: (there(at), unit) for name, (at, unit) in self.slides.items()},
            springs=tuple((there(a), there(b)) for a, b in self.springs),
            forces=tuple(replace(item, place=there(item.place)) for item in self.forces),
        )

    @property
    def movers(self) -> tuple[PlanLink, ...]:
        """The links without weights."""
        return tuple(link for link in self.links if not link.rider)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is drawn."""
        return not self.links

    def grashof(self) -> str:
        """The class of a four-bar, by the sum of its shortest and longest lengths; "" for another mechanism."""
        grounds = [point.place for point in self.points if point.is_ground and point.bodies]
        bars = self.movers
        if len(bars) != 3 or self.joints != 4 or len(grounds) != 2 or not all(bar.is_bar for bar in bars):
            return ""
        ground = math.dist(*grounds)
        lengths = sorted([ground, *(link.length for link in bars)])
        spare = lengths[1] + lengths[2] - lengths[0] - lengths[3]
        if spare < -SAME:
            return "triple rocker: no bar turns fully"
        if spare <= SAME:
            return "change point: it can fold flat"
        shortest = min(bars, key=lambda link: link.length)
        if ground <= shortest.length:
            return "double crank"
        on_ground = any(place in grounds for place in shortest.places)
        return "crank-rocker" if on_ground else "double rocker: the coupler turns fully"

    def freedoms(self) -> int:
        """Mobility by count, after Gruebler: 3 for each link, less 2 for each joint that leaves one freedom, less 3 for
        each that leaves none, less 1 for each coupling of two. A spindle has one freedom of its own."""
        if self.spatial is not None:
            return self.spatial
        planar = len(self.links) - self.spindles
        return 3 * planar + self.spindles - 2 * self.joints - 3 * self.welds - self.couplings


def toothed(parameter: LengthParameter | None) -> tuple[float, int] | None:
    """Module [m] and teeth of a wheel that was made by them."""
    found = None if parameter is None else TOOTHED.match(parameter.value)
    return None if found is None else (float(found[1]), int(found[2]))


def edges(corners: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Lines from corner to corner; three or more are closed."""
    found = list(pairwise(corners))
    return [*found, (corners[-1], corners[0])] if len(corners) > 2 else found


def distance_to(link: PlanLink, place: Place) -> float:
    """From a place to what is drawn of a link [m]."""
    if not link.places or link.ghost:
        return math.inf
    if link.radius:
        return max(math.dist(link.places[0], place) - link.radius, 0.0)
    if len(link.outline) < 2:
        return math.dist(link.places[0], place)
    return min(from_segment(place, a, b) for a, b in edges(link.outline))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Scalar product."""
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def from_segment(place: Place, a: Place, b: Place) -> float:
    """Distance of a place from the line between two others [m]."""
    return math.dist(place, on_line(place, a, b))


def on_line(place: Place, a: Place, b: Place) -> Place:
    """The nearest place on the line between two others."""
    way = (b[0] - a[0], b[1] - a[1])
    square = way[0] ** 2 + way[1] ** 2
    share = 0.0 if square == 0.0 else ((place[0] - a[0]) * way[0] + (place[1] - a[1]) * way[1]) / square
    share = min(max(share, 0.0), 1.0)
    return (a[0] + share * way[0], a[1] + share * way[1])
