"""URDF joints → `<joint>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import COUPLING, LAWS, ORIGIN, RUBBING
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.urdf.links import NOT_READ, pose_node
from simulator.formats.urdf.lumping import kept
from simulator.formats.urdf.planar import planar_nodes
from simulator.formats.urdf.plus import independence
from simulator.formats.urdf.robot import AXES, BALL, UNIVERSAL, UrdfJoint, attribute, axis_node, number, numbers
from simulator.formats.values import number_text
from simulator.formats.vocabulary import check_vocabulary
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog

SPRINGS = {"springStiffness": "spring_stiffness", "springReference": "spring_reference"}
COPIED = ("sensor", "plugin", "physics")
UNLIMITED = ("continuous", "fixed")


def joint_node(joint: UrdfJoint, log: DiagnosticLog) -> list[Node]:
    """The joint; nothing for a floating one (its child moves freely), several for a planar one."""
    mimic = joint.node.child("mimic")
    if mimic is not None and joint.type in ("fixed", "floating"):
        message = f"the mimic of the {joint.type} joint '{joint.name}' has no effect"
        log.warning("JOINT_AXIS_MIMIC_INVALID", mimic.source, message, fold=joint.type, about=joint.name)
    if joint.type == "floating":
        return []
    if joint.type == "planar":
        return planar_nodes(joint, log)
    source = joint.node.source
    kind = "prismatic" if joint.type == "prismatic" else "revolute"
    if (joint.type == "fixed" and not kept(joint, "disableFixedJointLumping")) or kept(joint, "preserveFixedJoint"):
        kind = "fixed"
    kind = {BALL: "ball", UNIVERSAL: "universal"}.get(joint.type, kind)
    origin = {ORIGIN: joint.origin} if joint.origin else {}
    node = Node("joint", source, {"name": joint.name, "type": kind, **origin, **independence(joint.node, log)})
    node.children = [
        pose_node(joint.node, joint.X_PJ, "__model__" if joint.parent == WORLD else joint.parent),
        joint.node.with_text("parent", joint.parent),
        joint.node.with_text("child", joint.child),
    ]
    if kind == "universal":
        places = zip(joint.node.attributes["axes"], AXIS_TAGS, strict=True)
        node.children += [axis_node(joint.node, AXES[letter], tag) for letter, tag in places]
    elif kind not in ("fixed", "ball"):
        node.children.append(_axis(joint, log))
    _extend(node, joint, log)
    return [node]


def _axis(joint: UrdfJoint, log: DiagnosticLog) -> Node:
    place = joint.node.child("axis") or joint.node
    fixed = joint.type == "fixed"
    x, y, z = (0.0, 0.0, 1.0) if fixed else numbers(place, "xyz", 3, (1.0, 0.0, 0.0))
    axis = axis_node(place, (x, y, z))
    axis.children += [_limit(joint, log), _dynamics(joint)]
    axis.children += [child.copy() for child in joint.node.children if child.tag in RUBBING]
    mimic = joint.node.child("mimic")
    if mimic is not None and not fixed:
        law = Node("mimic", mimic.source, {"joint": attribute(mimic, "joint")})
        laws = [child.copy() for child in mimic.children if child.tag in LAWS]
        for tag, default in (("multiplier", 1.0), ("offset", 0.0)):
            if tag in mimic.attributes or not laws:
                law.children.append(mimic.with_text(tag, number_text(number(mimic, tag, default))))
        law.children += laws
        law.children += [child.copy() for child in mimic.children if child.tag in COUPLING]
        axis.children.append(law)
    return axis


def _limit(joint: UrdfJoint, log: DiagnosticLog) -> Node:
    place = joint.node.child("limit") or joint.node
    limit = Node("limit", place.source)
    if joint.type == "fixed":
        limit.children = [place.with_text("lower", "0"), place.with_text("upper", "0")]
        return limit
    if joint.type not in UNLIMITED:
        lower, upper = number(place, "lower", 0.0), number(place, "upper", 0.0)
        if lower > upper:
            message = (
                f"the limits of joint '{joint.name}' are empty: lower {lower} is above upper {upper}; they are taken "
                "the other way round"
            )
            log.warning("JOINT_LIMITS_INVERTED", place.source, message, "swap them")
            lower, upper = upper, lower
        limit.children += [place.with_text("lower", number_text(lower)), place.with_text("upper", number_text(upper))]
    for tag in ("effort", "velocity"):
        if tag in place.attributes:
            limit.children.append(place.with_text(tag, number_text(number(place, tag))))
    return limit


def _dynamics(joint: UrdfJoint) -> Node:
    place = joint.node.child("dynamics") or joint.node
    dynamics = Node("dynamics", place.source)
    for tag in ("damping", "friction"):
        dynamics.children.append(place.with_text(tag, number_text(number(place, tag, 0.0))))
    for extension in joint.extensions:
        if extension.tag in SPRINGS:
            dynamics.children.append(extension.with_text(SPRINGS[extension.tag], extension.text))
    return dynamics


def _extend(node: Node, joint: UrdfJoint, log: DiagnosticLog) -> None:
    """What `<gazebo reference="joint">` says; a second axis comes too late, as in SDFormat the first one counts."""
    for extension in joint.extensions:
        if extension.tag in SPRINGS or extension.tag in ("preserveFixedJoint", "disableFixedJointLumping"):
            continue
        if extension.tag in COPIED or extension.tag == "axis":
            node.children.append(extension.copy())
        elif not extension.is_user_data:
            log.warning(
                "NOT_SIMULATED",
                extension.source,
                f"<{extension.tag}> of a joint {NOT_READ}",
                fold="gazebo",
                about=f"<{extension.tag}>",
            )
    if joint.extensions:
        check_vocabulary(node, SDFORMAT, log)
