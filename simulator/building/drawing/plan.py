"""What a document has in a plane: points of its links, where they are joined, and what is drawn between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.sdf.names import SCOPE
from simulator.model.joint import WORLD, JointType
from simulator.model.loads import PointSpring
from simulator.model.shape import Cylinder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.model.joint import Joint
    from simulator.model.world import Model, World
    from simulator.session.open.opening import Opened
    from simulator.spatial.rotation import Vec3

Place = tuple[float, float]
"""Coordinates in a plane [m]."""
SAME = 1e-7
"""Marks nearer than this are one point [m]."""
TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)


@dataclass(frozen=True)
class Plane:
    """A plane through the origin of the world: `u` to the right and `v` upward; `normal` points at the viewer, so that
    positive angles about it turn counter-clockwise."""

    u: Vec3
    v: Vec3

    @property
    def normal(self) -> Vec3:
        """u x v."""
        x, y, z = np.cross(self.u, self.v).tolist()
        return (x + 0.0, y + 0.0, z + 0.0)

    def point(self, place: Place) -> Vec3:
        """A place of the plane, in the world [m]."""
        x, y, z = (place[0] * a + place[1] * b + 0.0 for a, b in zip(self.u, self.v, strict=True))
        return (x, y, z)

    def place(self, point: Sequence[float]) -> Place:
        """A point of the world [m], seen along the normal."""
        return _dot(point, self.u), _dot(point, self.v)


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
    """A link, with the `places` of its points, in their order. `radius` of a wheel [m], else 0."""

    name: str
    places: tuple[Place, ...]
    radius: float = 0.0

    @property
    def is_bar(self) -> bool:
        """Whether it is a line between two points."""
        return len(self.places) == 2 and not self.radius

    @property
    def length(self) -> float:
        """Between its first two points [m]."""
        return math.dist(self.places[0], self.places[1])


@dataclass(frozen=True)
class Sketch:
    """`slides`: places and unit directions of slides by joint; `motors`: rates [rad/s or m/s] by joint; `springs`:
    their ends; `follows`: leaders of joints by follower."""

    plane: Plane
    points: tuple[PlanPoint, ...] = ()
    links: tuple[PlanLink, ...] = ()
    slides: dict[str, tuple[Place, Place]] = field(default_factory=dict)
    motors: dict[str, float] = field(default_factory=dict)
    joints: int = 0
    couplings: int = 0
    springs: tuple[tuple[Place, Place], ...] = ()
    follows: dict[str, str] = field(default_factory=dict)

    def point_at(self, place: Place, within: float = SAME) -> PlanPoint | None:
        """The nearest point that is not further away."""
        near = min(self.points, key=lambda point: math.dist(point.place, place), default=None)
        return near if near is not None and math.dist(near.place, place) <= within else None

    def link_at(self, place: Place, within: float) -> PlanLink | None:
        """The link that is drawn there, the topmost first."""
        return next((link for link in reversed(self.links) if distance_to(link, place) <= within), None)

    def spring_at(self, place: Place, within: float) -> int | None:
        """The number of the spring that is drawn there."""
        near = [number for number, ends in enumerate(self.springs) if _from_segment(place, *ends) <= within]
        return near[0] if near else None

    def link(self, name: str) -> PlanLink | None:
        """A link by its name."""
        return next((link for link in self.links if link.name == name), None)

    def grashof(self) -> str:
        """The class of a four-bar, by the sum of its shortest and longest lengths; "" for another mechanism."""
        grounds = [point.place for point in self.points if point.is_ground and point.bodies]
        if len(self.links) != 3 or self.joints != 4 or len(grounds) != 2 or not all(k.is_bar for k in self.links):
            return ""
        ground = math.dist(*grounds)
        lengths = sorted([ground, *(link.length for link in self.links)])
        spare = lengths[1] + lengths[2] - lengths[0] - lengths[3]
        if spare < -SAME:
            return "triple rocker: no bar turns fully"
        if spare <= SAME:
            return "change point: it can fold flat"
        shortest = min(self.links, key=lambda link: link.length)
        if ground <= shortest.length:
            return "double crank"
        on_ground = any(place in grounds for place in shortest.places)
        return "crank-rocker" if on_ground else "double rocker: the coupler turns fully"

    def freedoms(self) -> int:
        """Mobility by count, after Gruebler: 3 for each link, less 2 for each joint that leaves one freedom, less 1 for
        each coupling of two."""
        return 3 * len(self.links) - 2 * self.joints - self.couplings


def distance_to(link: PlanLink, place: Place) -> float:
    """From a place to what is drawn of a link [m]."""
    if not link.places:
        return math.inf
    if link.radius:
        return max(math.dist(link.places[0], place) - link.radius, 0.0)
    if len(link.places) == 1:
        return math.dist(link.places[0], place)
    pairs = list(zip(link.places, link.places[1:], strict=False))
    return min(_from_segment(place, a, b) for a, b in pairs)


def plan_of(opened: Opened, plane: Plane, model: str) -> Sketch:
    """What the model of that name has in a plane at the start of the document. Names of its parts are without the
    scope of the model."""
    marks = _Marks(plane)
    slides: dict[str, tuple[Place, Place]] = {}
    for frame in opened.world.frames:
        if frame.attached_body == WORLD:
            marks.at(frame.X_WF.position).frames.append(frame.name)
            marks.join(frame.X_WF.position, WORLD)
    found = next((item for item in opened.world.models if item.name == model), None)
    if found is None:
        return Sketch(plane, tuple(marks.points))
    for frame in found.frames:
        marks.join(frame.X_WF.position, _tail(frame.attached_body, model)).frames.append(_tail(frame.name, model))
    count = sum(_mark_joint(marks, slides, joint, model, plane) for joint in found.joints)
    links = tuple(_link_in(marks, link.name, model, _radius(found, link.name)) for link in found.links)
    motors = {_tail(drive.axis, model): drive.profile.value(0.0) for drive in opened.world.drives}
    couplings = sum(joint.type is JointType.GEARBOX or any(axis.mimic for axis in joint.axes) for joint in found.joints)
    springs = tuple(_spring_in(opened.world, load, plane) for load in found.loads if isinstance(load, PointSpring))
    follows = {
        _tail(joint.name, model): _tail(axis.mimic.leader, model)
        for joint in found.joints
        for axis in joint.axes[:1]
        if axis.mimic is not None
    }
    return Sketch(plane, tuple(marks.points), links, slides, motors, count, couplings, springs, follows)


class _Marks:
    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.points: list[PlanPoint] = []

    def at(self, position: Vec3) -> PlanPoint:
        place = self.plane.place(position)
        for point in self.points:
            if math.dist(point.place, place) <= SAME:
                return point
        self.points.append(PlanPoint(place))
        return self.points[-1]

    def join(self, position: Vec3, link: str) -> PlanPoint:
        point = self.at(position)
        if link not in point.links:
            point.links.append(link)
        return point


def _mark_joint(marks: _Marks, slides: dict[str, tuple[Place, Place]], joint: Joint, model: str, plane: Plane) -> int:
    """Note a joint; gives whether it counts as one that leaves one freedom in the plane."""
    name = _tail(joint.name, model)
    ends = [_tail(end, model) for end in (joint.parent_link, joint.child_link)]
    at = joint.X_WJ.position
    if joint.type in TURNING and _along(joint, plane.normal):
        for end in ends:
            marks.join(at, end)
        marks.at(at).joints.append(name)
        return 1
    if joint.type is JointType.PRISMATIC and not _along(joint, plane.normal):
        way = plane.place(joint.axes[0].xyz_world)
        length = math.hypot(*way) or 1.0
        slides[name] = (plane.place(at), (way[0] / length, way[1] / length))
        marks.join(at, ends[1]).slides.append(name)
        return 1
    return 0


def _spring_in(world: World, spring: PointSpring, plane: Plane) -> tuple[Place, Place]:
    poses = {link.name: link.X_WL for model in world.models for link in model.links}
    first = poses[spring.link].transform(spring.at)
    second = poses[spring.other].transform(spring.other_at) if spring.other in poses else spring.other_at
    return plane.place(first), plane.place(second)


def _link_in(marks: _Marks, name: str, model: str, radius: float) -> PlanLink:
    tail = _tail(name, model)
    return PlanLink(tail, tuple(point.place for point in marks.points if tail in point.links), radius)


def _radius(model: Model, link: str) -> float:
    """Of the disc that a wheel is drawn as, else 0 [m]."""
    found = next(item for item in model.links if item.name == link)
    discs = [visual.shape.radius for visual in found.visuals if isinstance(visual.shape, Cylinder)]
    return max(discs) if len(discs) == 1 and len(found.visuals) == 1 else 0.0


def _along(joint: Joint, normal: Vec3) -> bool:
    return abs(abs(_dot(joint.axes[0].xyz_world, normal)) - 1.0) < 1e-6


def _tail(name: str, model: str) -> str:
    return name.removeprefix(f"{model}{SCOPE}")


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def _from_segment(place: Place, a: Place, b: Place) -> float:
    way = (b[0] - a[0], b[1] - a[1])
    square = way[0] ** 2 + way[1] ** 2
    share = 0.0 if square == 0.0 else ((place[0] - a[0]) * way[0] + (place[1] - a[1]) * way[1]) / square
    share = min(max(share, 0.0), 1.0)
    return math.dist(place, (a[0] + share * way[0], a[1] + share * way[1]))
