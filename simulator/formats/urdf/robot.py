"""What a `<robot>` says: links, joints, and the extensions for Gazebo. All faults of a file are reported, not only the
first."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.cursor import listed, offered
from simulator.formats.nodes import Node
from simulator.formats.urdf.faults import UrdfError
from simulator.formats.values import FARTHEST, numbers_text, parse_numbers
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import normalized, quat_normalized

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.urdf.faults import Faults
    from simulator.spatial.rotation import Quat, Vec3

BALL = "simulator:ball"
"""The type of a ball joint, which URDF does not have; see tolerance.py."""
_JOINT_EXTENSIONS = (
    "springStiffness springReference preserveFixedJoint disableFixedJointLumping implicitSpringDamper provideFeedback "
    "stopCfm stopErp "
    "stopKp stopKd fudgeFactor cfmDamping axis physics"
)
JOINT_EXTENSIONS = frozenset(_JOINT_EXTENSIONS.split())
"""What `<gazebo reference="…">` says of a joint, where a link has the same name."""
UNIVERSAL = "simulator:universal"
"""The type of a universal joint, which URDF does not have; its attribute `axes` names two of X, Y, Z: the first is
fixed in the parent, the second in the child."""
AXES: dict[str, Vec3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
FIXED = "fixed"
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


@dataclass
class UrdfInertial:
    """Mass [kg], pose of the inertial frame in the link, inertia about its origin [kg m^2], shape (3, 3)."""

    mass: float
    X_LI: Pose
    inertia: NDArray[np.float64]


@dataclass
class UrdfPart:
    """A visual or collision: `label` is the part's own name or, once lumped, that of the link it came from.

    `extensions` are those of that link, None for the link's own.
    """

    node: Node
    X_LP: Pose
    label: str = ""
    extensions: list[Node] | None = None


@dataclass
class UrdfJoint:
    """A joint; `X_PJ` places it (and the child link) in the parent link; `origin` is the link of the document that its
    `<origin>` is in, where that has become a part of `parent`."""

    name: str
    type: str
    parent: str
    child: str
    X_PJ: Pose
    node: Node
    extensions: list[Node] = field(default_factory=list)
    origin: str = ""


@dataclass
class UrdfLink:
    """A link; `frames` are those of joints and links that were lumped into it, by name."""

    name: str
    node: Node
    inertial: UrdfInertial | None = None
    visuals: list[UrdfPart] = field(default_factory=list)
    collisions: list[UrdfPart] = field(default_factory=list)
    extensions: list[Node] = field(default_factory=list)
    frames: dict[str, Pose] = field(default_factory=dict)
    joints: list[UrdfJoint] = field(default_factory=list)


@dataclass
class Robot:
    """All links by name (their `joints` are those below them, sorted by name), the roots, and `<gazebo>` without a
    reference."""

    name: str
    node: Node
    links: dict[str, UrdfLink]
    roots: list[str]
    extensions: list[Node]


def read_robot(node: Node, log: DiagnosticLog, faults: Faults, *, strict: bool) -> Robot:
    """The robot, as far as it can be read. Raises UrdfError if nothing can be made of the rest; if `strict`, also for a
    second root."""
    links: dict[str, UrdfLink] = {}
    for child in node.all("link"):
        with faults.noted():
            name = attribute(child, "name")
            if name in links:
                raise UrdfError(child, f"two links are named '{name}'", "rename one of them, and in its joints, too")
            links[name] = UrdfLink(name, child)
            _fill(links[name], log)
    joints = _joints(node, links, log, faults)
    for link in links.values():
        link.joints.sort(key=lambda item: item.name)
    free = _extensions(node, links, joints, log)
    children = {joint.child for joint in joints.values()}
    roots = [name for name in links if name not in children]
    if faults.places:
        pass  # a joint that could not be read leaves a root
    elif len(roots) > 1 and not strict:
        message = f"a URDF is a tree with one root link, this has {len(roots)}: {listed(roots)}; each moves freely"
        log.warning("URDF_ROOTS", node.source, message, "tie them together with joints, or make a document of each")
    elif len(roots) != 1:
        what = "this has no link" if not links else f"this has {len(roots)}: {listed(roots)}"
        hint = "every link is the child of a joint: they hang in a circle" if links and not roots else ""
        raise UrdfError(node, f"a URDF is a tree with one root link, {what}", hint)
    return Robot(attribute(node, "name"), node, links, roots, free)


def _joints(node: Node, links: dict[str, UrdfLink], log: DiagnosticLog, faults: Faults) -> dict[str, UrdfJoint]:
    joints: dict[str, UrdfJoint] = {}
    for child in node.all("joint"):
        with faults.noted():
            joint = _joint(child, links, log)
            if joint.name in joints:
                raise UrdfError(child, f"two joints are named '{joint.name}'", "rename one of them")
            joints[joint.name] = joint
            links[joint.parent].joints.append(joint)
    return joints


def _extensions(node: Node, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint], log: DiagnosticLog) -> list[Node]:
    free: list[Node] = []
    for gazebo in node.all("gazebo"):
        reference = gazebo.attributes.get("reference", "")
        owner: UrdfLink | UrdfJoint | None = links.get(reference) or joints.get(reference)
        children = [_with_value(child) for child in gazebo.children]
        if reference in links and reference in joints:
            for child in children:
                both = joints[reference] if child.tag in JOINT_EXTENSIONS else links[reference]
                both.extensions.append(child)
            continue
        if reference and owner is None:
            message = f"<gazebo> refers to '{reference}', which does not exist"
            hint = offered(log, reference, (*links, *joints), "links and joints")
            log.warning("GAZEBO_REFERENCE_INVALID", gazebo.source, message, hint, fold="reference", about=reference)
            continue
        (free if owner is None else owner.extensions).extend(children)
    return free


def _with_value(node: Node) -> Node:
    """An element of `<gazebo>` whose text is in its attribute `value`, where Gazebo's own converter looks first."""
    if node.text or node.children or "value" not in node.attributes:
        return node
    copy = node.copy()
    copy.text = copy.attributes.pop("value").strip()
    return copy


def _fill(link: UrdfLink, log: DiagnosticLog) -> None:
    """The contents of a link's element."""
    inertial = link.node.child("inertial")
    link.inertial = None if inertial is None else _inertial(inertial, log)
    for tag, parts in (("visual", link.visuals), ("collision", link.collisions)):
        parts += [UrdfPart(part, origin(part), part.attributes.get("name", "")) for part in link.node.all(tag)]


def _inertial(node: Node, log: DiagnosticLog) -> UrdfInertial | None:
    mass_node, inertia = node.child("mass"), node.child("inertia")
    if mass_node is None:
        return None
    (mass,) = within(mass_node, "value", (number(mass_node, "value"),))
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    ixx, iyy, izz, ixy, ixz, iyz = (0.0 if inertia is None else number(inertia, key) for key in keys)
    within(inertia or node, "a moment", (ixx, iyy, izz, ixy, ixz, iyz))
    for key, value in (("ixy", ixy), ("ixz", ixz), ("iyz", iyz)):
        # Some exporters write all nine entries of the tensor.
        mirrored = f"i{key[2]}{key[1]}"
        if inertia is not None and number(inertia, mirrored, value) not in (0.0, value):
            message = f"<inertia> has {mirrored} = {inertia.attributes[mirrored]} besides {key}, which counts"
            log.warning("ATTRIBUTE_INCORRECT_TYPE", inertia.source, message, "a tensor of inertia is symmetric")
    matrix = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    return UrdfInertial(mass, origin(node), matrix) if mass > 0.0 else None


def _joint(node: Node, links: dict[str, UrdfLink], log: DiagnosticLog) -> UrdfJoint:
    name, kind = attribute(node, "name"), attribute(node, "type")
    if kind not in (*JOINT_TYPES, BALL, UNIVERSAL):
        hint = offered(log, kind, JOINT_TYPES, "joint types are")
        raise UrdfError(node, f"a joint of type '{kind}' does not exist", hint)
    ends = []
    for tag in ("parent", "child"):
        end = node.child(tag)
        if end is None:
            raise UrdfError(node, f"joint '{name}' has no <{tag} link='…'/>")
        link = attribute(end, "link")
        if link not in links:
            message = f"the {tag} link '{link}' of joint '{name}' does not exist"
            raise UrdfError(end, message, offered(log, link, links, "links"))
        ends.append(link)
    limit, dynamics = node.child("limit"), node.child("dynamics")
    if kind in ("revolute", "prismatic"):
        if limit is None:
            raise UrdfError(node, f"the {kind} joint '{name}' needs <limit effort='…' velocity='…'/>")
        number(limit, "effort")
        number(limit, "velocity")
    if dynamics is not None and not {"damping", "friction"} & dynamics.attributes.keys():
        raise UrdfError(dynamics, "<dynamics> has neither damping nor friction")
    return UrdfJoint(name, kind, ends[0], ends[1], origin(node), node)


def attribute(node: Node, name: str) -> str:
    """A required attribute."""
    value = node.attributes.get(name, "")
    if not value:
        raise UrdfError(node, f"<{node.tag}> has no attribute '{name}'", f'write <{node.tag} {name}="…">')
    return value


def number(node: Node, name: str, default: float | None = None) -> float:
    """A number in an attribute; required where there is no default."""
    if default is not None and name not in node.attributes:
        return default
    return numbers(node, name, 1)[0]


def numbers(node: Node, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
    """Finite numbers in an attribute."""
    if default is not None and name not in node.attributes:
        return default
    try:
        found, rest = parse_numbers(attribute(node, name), count)
        if rest:
            needed = "one number is needed" if count == 1 else f"{count} numbers are needed, with blanks between them"
            raise ValueError(f"'{rest}' is left over; {needed}")
    except ValueError as error:
        raise UrdfError(node, f"{name} of <{node.tag}>: {error}") from error
    if not all(map(math.isfinite, found)):
        raise UrdfError(node, f"{name} of <{node.tag}> is not finite")
    return found


def within(node: Node, name: str, values: tuple[float, ...]) -> tuple[float, ...]:
    """The same metres, kilograms or kg m^2, below what can be squared and multiplied."""
    if max(map(abs, values)) > FARTHEST:
        raise UrdfError(node, f"{name} of <{node.tag}> is above {FARTHEST:g}, which nothing in this world is")
    return values


def direction(node: Node) -> Vec3:
    """The unit vector in `<axis>`; x without one."""
    axis = node.child("axis") or node
    x, y, z = numbers(axis, "xyz", 3, (1.0, 0.0, 0.0))
    try:
        return normalized((x, y, z))
    except ValueError as error:
        name = node.attributes.get("name", "")
        raise UrdfError(axis, f"the axis of <{node.tag}> '{name}' must not be zero") from error


def axis_node(place: Node, xyz: Vec3, tag: str = "axis") -> Node:
    """An SDFormat axis in that direction."""
    return Node(tag, place.source, children=[place.with_text("xyz", numbers_text(xyz))])


def origin(node: Node) -> Pose:
    """The pose in `<origin>`; identity without one."""
    return pose_of(node.child("origin"))


def pose_of(node: Node | None) -> Pose:
    """From attributes xyz and rpy, or quat_xyzw (URDF 1.1), which is normalized; identity where there is no element.

    Source: urdfdom 6.0, README, "URDF Versioning"; both ways to write an orientation at once are an error there."""
    if node is None:
        return IDENTITY
    x, y, z = within(node, "xyz", numbers(node, "xyz", 3, (0.0, 0.0, 0.0)))
    if "quat_xyzw" in node.attributes:
        return Pose((x, y, z), _quaternion(node))
    roll, pitch, yaw = numbers(node, "rpy", 3, (0.0, 0.0, 0.0))
    return Pose.from_rpy((x, y, z), (roll, pitch, yaw))


def _quaternion(node: Node) -> Quat:
    """`quat_xyzw`, of any length but zero."""
    if "rpy" in node.attributes:
        raise UrdfError(node, f"<{node.tag}> has rpy and quat_xyzw", "write one of both")
    x, y, z, w = numbers(node, "quat_xyzw", 4, (0.0, 0.0, 0.0, 1.0))
    try:
        return quat_normalized((x, y, z, w))
    except ValueError as error:
        raise UrdfError(node, f"quat_xyzw of <{node.tag}> has no length", "a rotation by nothing is 0 0 0 1") from error
