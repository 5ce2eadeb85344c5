"""What a document has in a plane, as a sketch."""

from __future__ import annotations

import math
import re
from collections import Counter
from string import ascii_lowercase
from typing import TYPE_CHECKING

from simulator.building.drawing.plan import (
    BAR,
    BELT,
    HUB,
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
from simulator.formats.sdf.names import SCOPE
from simulator.model.joint import WORLD, JointType
from simulator.model.loads import WORLD_AXES, Load, PointSpring
from simulator.model.shape import Box, Cylinder, Mesh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.model.joint import Joint
    from simulator.model.world import Model
    from simulator.session.open.opening import Opened
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

CUT = re.compile(r"(?:gear|rack)_m([\d.]+)_z(\d+)-")
"""In the name of the mesh of a wheel or rack: module [mm] and teeth."""
TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)


def plan_of(opened: Opened, plane: Plane, model: str) -> Sketch:
    """What the model of that name has in a plane at the start of the document. Names of its parts are without the
    scope of the model."""
    marks = _Marks(plane)
    for frame in opened.world.frames:
        if frame.attached_body == WORLD:
            marks.at(frame.X_WF.position).frames.append(frame.name)
            marks.join(frame.X_WF.position, WORLD)
    found = next((item for item in opened.world.models if item.name == model), None)
    if found is None:
        return Sketch(plane, tuple(marks.points))
    for frame in found.frames:
        marks.join(frame.X_WF.position, _tail(frame.attached_body, model)).frames.append(_tail(frame.name, model))
    counted = Counter(_mark_joint(marks, joint, model, plane) for joint in found.joints)
    links = tuple(_link_in(marks, found, _tail(link.name, model)) for link in found.links)
    poses = {link.name: link.X_WL for item in opened.world.models for link in item.links}
    return Sketch(
        plane,
        points=tuple(marks.points),
        links=links,
        slides=marks.slides,
        motors={_tail(drive.axis, model): drive.profile.value(0.0) for drive in opened.world.drives},
        joints=counted["joint"],
        couplings=sum(
            joint.type is JointType.GEARBOX or any(axis.mimic for axis in joint.axes) for joint in found.joints
        ),
        springs=tuple(_spring_in(poses, load, plane) for load in found.loads if isinstance(load, PointSpring)),
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
        meshes=_meshes_in(found, links, model),
        forces=_forces_in(poses, [load for load in found.loads if isinstance(load, Load)], plane, model),
        parameters=found.parameters,
        welds=counted["weld"],
        spindles=counted["spindle"],
    )


class _Marks:
    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.points: list[PlanPoint] = []
        self.slides: dict[str, tuple[Place, Place]] = {}
        self.riders: dict[str, str] = {}

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


def _mark_joint(marks: _Marks, joint: Joint, model: str, plane: Plane) -> str:
    """Note a joint; gives what it counts as in the plane: "joint", "weld", "spindle" or ""."""
    name = _tail(joint.name, model)
    ends = [_tail(end, model) for end in (joint.parent_link, joint.child_link)]
    at = joint.X_WJ.position
    if joint.type is JointType.FIXED:
        if ends[1].startswith(WEIGHT):
            marks.riders[ends[1]] = ends[0]
        else:
            _mark_pin(marks, at, ends, name)
        return "weld"
    if joint.type in TURNING and not _along(joint, plane.normal):
        marks.join(at, ends[1]).joints.append(name)
        return "spindle"
    if joint.type in TURNING or joint.type in (JointType.BALL, JointType.UNIVERSAL):
        _mark_pin(marks, at, ends, name)
        return "joint"
    if joint.type is JointType.PRISMATIC and not _along(joint, plane.normal):
        way = plane.place(joint.axes[0].xyz_world)
        length = math.hypot(*way) or 1.0
        marks.slides[name] = (plane.place(at), (way[0] / length, way[1] / length))
        marks.join(at, ends[1]).slides.append(name)
        return "joint"
    if joint.type is not JointType.GEARBOX:
        _mark_pin(marks, at, ends, name)
    return ""


def _mark_pin(marks: _Marks, at: Vec3, ends: Sequence[str], name: str) -> None:
    for end in ends:
        marks.join(at, end)
    marks.at(at).joints.append(name)


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
            found.append(PlanForce(number, _tail(load.link, model), at, plane.place(force)))
    return tuple(found)


def _meshes_in(found: Model, links: Sequence[PlanLink], model: str) -> tuple[PlanMesh, ...]:
    """Gears between two wheels, and racks that follow one."""
    wheels = {link.name for link in links if link.radius}
    meshes = []
    turned = {_tail(joint.name, model): _tail(joint.child_link, model) for joint in found.joints}
    for joint in found.joints:
        name, ends = _tail(joint.name, model), [_tail(end, model) for end in (joint.parent_link, joint.child_link)]
        leader = _tail(joint.axes[0].mimic.leader, model) if joint.axes and joint.axes[0].mimic is not None else ""
        if joint.type is JointType.GEARBOX and wheels.issuperset(ends):
            carrier = _tail(joint.gearbox_reference, model) or WORLD
            meshes.append(PlanMesh(name, ends[0], ends[1], carrier, name.startswith(BELT)))
        elif turned.get(leader) in wheels and ends[1].startswith(RACK):
            meshes.append(PlanMesh(name, turned[leader], ends[1]))
    return tuple(meshes)


def _link_in(marks: _Marks, found: Model, tail: str) -> PlanLink:
    places = tuple(point.place for point in marks.points if tail in point.links)
    corners = {name: point.place for point in marks.points for name in point.frames if _is_corner(name, tail)}
    ordered = tuple(corners[name] for name in sorted(corners))
    teeth, turn, at = _teeth(found, tail, marks.plane)
    radius = teeth[0] * teeth[1] / 2.0 if teeth is not None and tail.startswith(WHEEL) else _radius(found, tail)
    width, span = _body(found, tail, marks.plane)
    layer = round((span[0] + span[1]) / width) if width and tail.startswith((BAR, PLATE)) else None
    return PlanLink(tail, places, radius, ordered, marks.riders.get(tail, ""), teeth, turn, at, layer, width, span)


def _is_corner(frame: str, link: str) -> bool:
    """Whether a frame is one of those that are drawn with a link: bar_1_a."""
    return frame[:-1] == f"{link}_" and frame[-1] in ascii_lowercase


def _teeth(found: Model, tail: str, plane: Plane) -> tuple[tuple[float, int] | None, float, Place]:
    """Module [m] and teeth of a wheel or rack by the name of its mesh, how far it is turned [rad], and its middle."""
    link = next(item for item in found.links if _tail(item.name, found.name) == tail)
    for visual in link.visuals if tail.startswith((WHEEL, RACK)) else ():
        name = CUT.search(visual.shape.uri) if isinstance(visual.shape, Mesh) else None
        if name is not None:
            X_WV = link.X_WL @ visual.X_LV
            x, y = plane.place(X_WV.rotate((1.0, 0.0, 0.0)))
            return (float(name[1]) / 1000.0, int(name[2])), math.atan2(y, x), plane.place(X_WV.position)
    return None, 0.0, (0.0, 0.0)


def _body(found: Model, tail: str, plane: Plane) -> tuple[float, tuple[float, float]]:
    """Width of a bar, plate or block, and from where to where it, or a wheel, lies along the normal [m]."""
    link = next(item for item in found.links if _tail(item.name, found.name) == tail)
    for visual in link.visuals if tail.startswith((BAR, PLATE, WHEEL, SLIDER)) else ():
        middle, shape, width = dot((link.X_WL @ visual.X_LV).position, plane.normal), visual.shape, 0.0
        if isinstance(shape, Box) and visual.name in ("bar", SLIDER):
            width, thick = shape.size[1:]
        elif isinstance(shape, Cylinder) and tail.startswith(WHEEL):
            thick = shape.length / (HUB if len(link.visuals) > 1 else 1.0)
        else:
            continue
        return width, (middle - thick / 2.0, middle + thick / 2.0)
    return 0.0, (0.0, 0.0)


def _radius(found: Model, tail: str) -> float:
    """Of the disc that a wheel is drawn as, else 0 [m]."""
    if tail.startswith((WEIGHT, SCREW)):
        return 0.0
    link = next(item for item in found.links if _tail(item.name, found.name) == tail)
    discs = [visual.shape.radius for visual in link.visuals if isinstance(visual.shape, Cylinder)]
    return max(discs) if len(discs) == 1 and len(link.visuals) == 1 else 0.0


def _along(joint: Joint, normal: Vec3) -> bool:
    return abs(abs(dot(joint.axes[0].xyz_world, normal)) - 1.0) < 1e-6


def _tail(name: str, model: str) -> str:
    return name.removeprefix(f"{model}{SCOPE}")
