"""What a document has in a plane, as a sketch."""

from __future__ import annotations

import math
import re
from collections import Counter
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.plan import (
    BAR,
    BELT,
    DRAWN,
    HUB,
    PLANES,
    PLATE,
    RACK,
    SAME,
    SCREW,
    SLIDER,
    WEIGHT,
    WHEEL,
    Place,
    Plane,
    PlanForce,
    PlanLink,
    PlanMesh,
    PlanPoint,
    Sketch,
    dot,
)
from simulator.building.drawing.space import axes_across, other_wheel, silhouette, upward
from simulator.building.drawing.space_reading import skeleton_of, with_length
from simulator.errors import UsageError
from simulator.formats.sdf.names import SCOPE
from simulator.model.joint import WORLD, JointType
from simulator.model.loads import WORLD_AXES, Load, PointSpring
from simulator.model.shape import Box, Cylinder, Mesh
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.building.drawing.plan import OtherWheel
    from simulator.model.joint import Joint
    from simulator.model.link import Link
    from simulator.model.world import Model
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

CUT = re.compile(r"(?:gear|rack|bevel)_m([\d.]+)_z(\d+)[-_]")
"""In the name of the mesh of a wheel or rack: module [mm] and teeth."""
TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)


def plan_of(opened: Opened, plane: Plane, model: str) -> Sketch:
    """What the model of that name has in a plane at the start of the document. Names of its parts are without the
    scope of the model; the link on which the plane lies is "world" here, as it does not move in the plane."""
    found = next((item for item in opened.world.models if item.name == model), None)
    marks = _Marks(plane, _place_of(found, plane), model)
    for frame in opened.world.frames:
        if frame.attached_body == WORLD and plane.link == WORLD and marks.is_near(frame.X_WF.position):
            marks.join(frame.X_WF.position, WORLD).frames.append(frame.name)
    if found is None:
        return Sketch(plane, tuple(marks.points), seen=marks.plane)
    for frame in found.frames:
        link, name = marks.tail(frame.attached_body), _tail(frame.name, model)
        if link and marks.is_near(frame.X_WF.position, drawn=_is_corner(name, link)):
            marks.join(frame.X_WF.position, link).frames.append(name)
    counted = Counter(_mark_joint(marks, joint) for joint in found.joints)
    links = tuple(_link_in(marks, found, link) for link in found.links if marks.tail(link.name) != WORLD)
    poses = {link.name: link.X_WL for item in opened.world.models for link in item.links}
    is_plane = not marks.tilts and not any(link.ghost for link in links) and plane.link == WORLD
    skeleton = None if is_plane or plane.link != WORLD else skeleton_of(opened.world, found)
    return Sketch(
        plane,
        points=tuple(marks.points),
        links=tuple(with_length(link, skeleton) for link in links),
        slides=marks.slides,
        motors={_tail(drive.axis, model): drive.profile.value(0.0) for drive in opened.world.drives},
        joints=counted["joint"],
        couplings=sum(
            joint.type is JointType.GEARBOX or any(axis.mimic for axis in joint.axes) for joint in found.joints
        ),
        springs=tuple(_spring_in(poses, load, marks.plane) for load in found.loads if isinstance(load, PointSpring)),
        follows={
            _tail(joint.name, model): _tail(axis.mimic.leader, model)
            for joint in found.joints
            for axis in joint.axes[:1]
            if axis.mimic is not None
        },
        kinds={_tail(joint.name, model): joint.type.value for joint in found.joints},
        masses={
            _tail(link.name, model): link.inertial.mass
            for link in found.links
            if _tail(link.name, model).startswith(WEIGHT)
        },
        meshes=_meshes_in(found, links, marks),
        forces=_forces_in(poses, [load for load in found.loads if isinstance(load, Load)], marks.plane, model),
        parameters=found.parameters,
        welds=counted["weld"],
        spindles=counted["spindle"],
        tilts=marks.tilts,
        spatial=None if is_plane else opened.mechanism.mobility.count,
        seen=marks.plane,
        across=_across(marks, found),
        wheels=tuple(_other_wheels(marks, found, links)),
        bevels=_bevels(marks, found, links),
        base=next((silhouette(link, marks.plane) for link in found.links if marks.tail(link.name) == WORLD), ()),
        skeleton=skeleton,
    )


def _place_of(found: Model | None, plane: Plane) -> Pose:
    """The frame of the link of a plane, in the world. Raises UsageError for a link that is not there."""
    if found is None:
        return IDENTITY
    if plane.link == WORLD:
        return found.X_WM
    for link in found.links:
        if _tail(link.name, found.name) == plane.link:
            return link.X_WL
    raise UsageError(f"'{plane.link}', on which the sheet lies, is not there any more: choose another plane")


class _Marks:
    """Points of a plane as they are found. `own` is the plane in the frame of its link, which `X` places in the world,
    and `plane` there; `tilts`: see `Sketch`."""

    def __init__(self, plane: Plane, X: Pose, model: str) -> None:
        self.own, self.plane, self.X_WF = plane, plane.moved(X), X
        self.link, self.model = plane.link, model
        self.is_standard = plane in PLANES.values()
        self.points: list[PlanPoint] = []
        self.slides: dict[str, tuple[Place, Place]] = {}
        self.tilts: dict[str, Place] = {}
        self.riders: dict[str, str] = {}

    def tail(self, name: str) -> str:
        """The name of a link in the sketch; "" for the world, where that moves as seen from the plane."""
        tail = _tail(name, self.model)
        return WORLD if tail == self.link else "" if tail == WORLD else tail

    def is_near(self, position: Vec3, *, drawn: bool = False) -> bool:
        """Whether a point is in the plane. In the standard planes documents are seen as a whole, along the normal, but
        for what was `drawn` in another plane."""
        return (self.is_standard and not drawn) or abs(self.plane.depth(position)) <= SAME

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


def _mark_joint(marks: _Marks, joint: Joint) -> str:
    """Note a joint; gives what it counts as in the plane: "joint", "weld", "spindle" or ""."""
    name, normal = _tail(joint.name, marks.model), marks.plane.normal
    ends = [marks.tail(end) for end in (joint.parent_link, joint.child_link)]
    at = joint.X_WJ.position
    if joint.type is JointType.FIXED:
        if ends[1].startswith(WEIGHT):
            marks.riders[ends[1]] = ends[0]
        else:
            _mark_pin(marks, at, ends, name)
        return "weld"
    if joint.type in TURNING and not _along(joint, normal):
        if ends[1].startswith(SCREW):
            marks.join(at, ends[1]).joints.append(name)
            return "spindle"
        if _mark_pin(marks, at, ends, name, drawn=True):
            marks.tilts[name] = marks.plane.along(joint.axes[0].xyz_world)
        return "joint"
    if joint.type in TURNING or joint.type in (JointType.BALL, JointType.UNIVERSAL):
        _mark_pin(marks, at, ends, name)
        return "joint"
    if joint.type is JointType.PRISMATIC and not _along(joint, normal):
        way = marks.plane.along(joint.axes[0].xyz_world)
        length = math.hypot(*way) or 1.0
        is_in = marks.is_standard or abs(dot(joint.axes[0].xyz_world, normal)) <= SAME
        if ends[1] and is_in and marks.is_near(at):
            marks.slides[name] = (marks.plane.place(at), (way[0] / length, way[1] / length))
            marks.join(at, ends[1]).slides.append(name)
        return "joint"
    if joint.type is not JointType.GEARBOX:
        _mark_pin(marks, at, ends, name)
    return ""


def _mark_pin(marks: _Marks, at: Vec3, ends: Sequence[str], name: str, *, drawn: bool = False) -> bool:
    """Note a joint at a point of both its links; whether it is in the plane."""
    if not all(ends) or not marks.is_near(at, drawn=drawn):
        return False
    for end in ends:
        marks.join(at, end)
    marks.at(at).joints.append(name)
    return True


def _spring_in(poses: Mapping[str, Pose], spring: PointSpring, plane: Plane) -> tuple[Place, Place]:
    first = poses[spring.link].transform(spring.at)
    second = poses[spring.other].transform(spring.other_at) if spring.other in poses else spring.other_at
    return plane.place(first), plane.place(second)


def _forces_in(poses: Mapping[str, Pose], loads: Sequence[Load], plane: Plane, model: str) -> tuple[PlanForce, ...]:
    """Forces along the axes of the world, as they are at the start."""
    found = []
    for number, load in enumerate(loads):
        force = [profile.value(0.0) for profile in load.force]
        if any(force) and load.frame == WORLD_AXES:
            at = plane.place(poses[load.link].transform(load.at))
            found.append(PlanForce(number, _tail(load.link, model), at, plane.along(force)))
    return tuple(found)


def _meshes_in(found: Model, links: Sequence[PlanLink], marks: _Marks) -> tuple[PlanMesh, ...]:
    """Gears between two wheels, and racks that follow one."""
    wheels = {link.name for link in links if link.radius and not link.ghost}
    meshes = []
    turned = {_tail(joint.name, found.name): marks.tail(joint.child_link) for joint in found.joints}
    for joint in found.joints:
        name = _tail(joint.name, found.name)
        ends = [marks.tail(end) for end in (joint.parent_link, joint.child_link)]
        leader = _tail(joint.axes[0].mimic.leader, found.name) if joint.axes and joint.axes[0].mimic is not None else ""
        if joint.type is JointType.GEARBOX and wheels.issuperset(ends):
            carrier = marks.tail(joint.gearbox_reference) or WORLD
            meshes.append(PlanMesh(name, ends[0], ends[1], carrier, name.startswith(BELT)))
        elif turned.get(leader) in wheels and ends[1].startswith(RACK):
            meshes.append(PlanMesh(name, turned[leader], ends[1]))
    return tuple(meshes)


def _link_in(marks: _Marks, found: Model, link: Link) -> PlanLink:
    tail = marks.tail(link.name)
    places = tuple(point.place for point in marks.points if tail in point.links)
    corners = {name: point.place for point in marks.points for name in point.frames if _is_corner(name, tail)}
    ordered = tuple(corners[name] for name in sorted(corners))
    if ghost := _ghost(marks, found, link):
        return PlanLink(tail, places, 0.0, ordered, ghost=ghost)
    teeth, turn, at = _teeth(link, tail, marks.plane)
    radius = teeth[0] * teeth[1] / 2.0 if teeth is not None and tail.startswith(WHEEL) else _radius(link, tail)
    width, span = _body(link, tail, marks.plane)
    layer = round((span[0] + span[1]) / width) if width and tail.startswith((BAR, PLATE)) else None
    return PlanLink(tail, places, radius, ordered, marks.riders.get(tail, ""), teeth, turn, at, layer, width, span)


def _ghost(marks: _Marks, found: Model, link: Link) -> tuple[Place, ...]:
    """The outline of a link that is not in the plane; () for one that is. What was not drawn here has no plane: the
    standard ones show it by its points, others by what is seen of it."""
    tail, plane = marks.tail(link.name), marks.plane
    marked = [frame.X_WF.position for frame in found.frames if _is_corner(_tail(frame.name, found.name), tail)]
    if not marked or not tail.startswith(DRAWN):
        return () if marks.is_standard else silhouette(link, plane)
    flat = next((visual for visual in link.visuals if visual.name != "teeth"), None)
    if flat is not None and not tail.startswith(SCREW):
        z = (link.X_WL @ flat.X_LV).rotate((0.0, 0.0, 1.0))
        if abs(dot(z, plane.normal)) < 1.0 - SAME:
            return silhouette(link, plane)
    if all(abs(plane.depth(at)) <= SAME for at in marked):
        return ()
    return silhouette(link, plane)


def _across(marks: _Marks, found: Model) -> dict[str, tuple[Vec3, ...]]:
    """The axes across both links of each hinge of the plane: see `Sketch`."""
    there: dict[str, list[Array]] = {}
    for joint in found.joints:
        for end in {joint.parent_link, joint.child_link} if joint.type is not JointType.GEARBOX else ():
            there.setdefault(end, []).append(np.array(joint.X_WJ.position))
    for frame in found.frames:
        there.setdefault(frame.attached_body, []).append(np.array(frame.X_WF.position))
    shown = {name for point in marks.points for name in point.joints}
    axes = {}
    for joint in found.joints:
        name, at = _tail(joint.name, marks.model), np.array(joint.X_WJ.position)
        if name in shown and joint.type in TURNING:
            arms = [
                [place - at for place in there[end] if float(np.linalg.norm(place - at)) > SAME]
                for end in (joint.parent_link, joint.child_link)
            ]
            axes[name] = tuple(upward(marks.plane, axis) for axis in axes_across(*arms))
    return axes


def _other_wheels(marks: _Marks, found: Model, links: Sequence[PlanLink]) -> Iterator[OtherWheel]:
    """Wheels that are drawn in other planes, in the frame of this one."""
    ghosts = {link.name for link in links if link.ghost and link.name.startswith(WHEEL)}
    back = marks.X_WF.inverse()
    for link in found.links:
        tail = marks.tail(link.name)
        hinge = next((item for item in found.joints if item.child_link == link.name and item.type in TURNING), None)
        if tail not in ghosts or hinge is None:
            continue
        teeth, _, _ = _teeth(link, tail, marks.plane)
        radius = teeth[0] * teeth[1] / 2.0 if teeth is not None else _radius(link, tail)
        centre, axis = back.transform(hinge.X_WJ.position), back.rotate(hinge.axes[0].xyz_world)
        yield other_wheel(marks.own, tail, centre, axis, radius)


def _bevels(marks: _Marks, found: Model, links: Sequence[PlanLink]) -> frozenset[str]:
    ghosts = {link.name for link in links if link.ghost}
    pairs = [
        {marks.tail(joint.parent_link), marks.tail(joint.child_link)}
        for joint in found.joints
        if joint.type is JointType.GEARBOX
    ]
    return frozenset(name for pair in pairs if pair & ghosts for name in pair - ghosts)


def _is_corner(frame: str, link: str) -> bool:
    """Whether a frame is one of those that are drawn with a link: bar_1_a."""
    return frame[:-1] == f"{link}_" and frame[-1] in ascii_lowercase


def _teeth(link: Link, tail: str, plane: Plane) -> tuple[tuple[float, int] | None, float, Place]:
    """Module [m] and teeth of a wheel or rack by the name of its mesh, how far it is turned [rad], and its middle."""
    for visual in link.visuals if tail.startswith((WHEEL, RACK)) else ():
        name = CUT.search(visual.shape.uri) if isinstance(visual.shape, Mesh) else None
        if name is not None:
            X_WV = link.X_WL @ visual.X_LV
            x, y = plane.along(X_WV.rotate((1.0, 0.0, 0.0)))
            return (float(name[1]) / 1000.0, int(name[2])), math.atan2(y, x), plane.place(X_WV.position)
    return None, 0.0, (0.0, 0.0)


def _body(link: Link, tail: str, plane: Plane) -> tuple[float, tuple[float, float]]:
    """Width of a bar, plate or block, and from where to where it, or a wheel, lies along the normal [m]."""
    for visual in link.visuals if tail.startswith((BAR, PLATE, WHEEL, SLIDER)) else ():
        middle, shape, width = plane.depth((link.X_WL @ visual.X_LV).position), visual.shape, 0.0
        if isinstance(shape, Box) and visual.name in ("bar", SLIDER):
            width, thick = shape.size[1:]
        elif isinstance(shape, Cylinder) and tail.startswith(WHEEL):
            thick = shape.length / (HUB if len(link.visuals) > 1 else 1.0)
        else:
            continue
        return width, (middle - thick / 2.0, middle + thick / 2.0)
    return 0.0, (0.0, 0.0)


def _radius(link: Link, tail: str) -> float:
    """Of the disc that a wheel is drawn as, else 0 [m]."""
    if tail.startswith((WEIGHT, SCREW)):
        return 0.0
    discs = [visual.shape.radius for visual in link.visuals if isinstance(visual.shape, Cylinder)]
    return max(discs) if len(discs) == 1 and len(link.visuals) == 1 else 0.0


def _along(joint: Joint, normal: Vec3) -> bool:
    return abs(abs(dot(joint.axes[0].xyz_world, normal)) - 1.0) < 1e-6


def _tail(name: str, model: str) -> str:
    return name.removeprefix(f"{model}{SCOPE}")
