"""Joints → `<joint>`, with axes and mimic constraints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import ARMATURE, COMPLIANCE, INDEPENDENT, PARENT_POSE, PLANAR_TYPE
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.writing.elements import element, flag, number, numbers, pose, unless
from simulator.formats.writing.laws import law_node
from simulator.formats.writing.places import local_name
from simulator.formats.writing.real_coupling import real_coupling_nodes, rubbing_nodes
from simulator.model.joint import WORLD, Axis, JointType

if TYPE_CHECKING:
    from simulator.formats.nodes import Node
    from simulator.formats.writing.places import Places
    from simulator.model.joint import Joint, Mimic
    from simulator.model.link import Link

STANDARD = Axis()


def joint_node(joint: Joint, scope: str, places: Places) -> Node:
    """One joint of the model `scope`, or of the world where that is ""."""
    axes = {**dict(zip(AXIS_TAGS, joint.axes, strict=False)), **dict(joint.unused_axes)}
    gearbox = joint.type is JointType.GEARBOX
    loop = element("physics", element("simbody", flag("must_be_loop_joint", True)))
    ratio, pitch = number("gearbox_ratio", joint.gearbox_ratio), number("screw_thread_pitch", joint.screw_thread_pitch)
    reference = element("gearbox_reference_body", text=joint.gearbox_reference_body)
    return element(
        "joint",
        pose(places.relative(scope, joint.child, joint.X_WJ)),
        element("parent", text=joint.parent),
        element("child", text=joint.child),
        *(_axis(tag, axes[tag], joint, scope, places) for tag in AXIS_TAGS if tag in axes),
        pitch if joint.type is JointType.SCREW or joint.screw_thread_pitch != 1.0 else None,
        ratio if gearbox or joint.gearbox_ratio != 1.0 else None,
        unless(joint.gearbox_reference_body, "", reference),
        loop if joint.must_be_loop_joint else None,
        _parent_pose(joint, scope, places),
        _compliance(joint),
        *real_coupling_nodes(joint.coupling),
        name=local_name(joint.name, scope),
        type="ball" if joint.type is JointType.PLANAR else joint.type.value,
        **({PLANAR_TYPE: "planar"} if joint.type is JointType.PLANAR else {}),
        **({} if joint.independent else {INDEPENDENT: "false"}),
    )


def _parent_pose(joint: Joint, scope: str, places: Places) -> Node | None:
    if joint.X_WJ_parent is None:
        return None
    X = joint.X_WJ_parent if joint.parent == WORLD else places.relative(scope, joint.parent, joint.X_WJ_parent)
    node = pose(X) or element("pose")
    node.tag = PARENT_POSE
    return node


def _compliance(joint: Joint) -> Node | None:
    if not joint.compliance:
        return None
    moment, force = (" ".join(map(repr, part)) for part in (joint.compliance[:3], joint.compliance[3:]))
    return element(COMPLIANCE, moment=moment, force=force)


def _axis(tag: str, axis: Axis, joint: Joint, scope: str, places: Places) -> Node:
    xyz = numbers("xyz", axis.xyz_joint)
    if axis.expressed_in:
        xyz = numbers("xyz", places.pose_of(scope, axis.expressed_in).inverse().rotate(axis.xyz_world))
        xyz.attributes["expressed_in"] = axis.expressed_in
    limit = element("limit", *_numbers_of(axis, _LIMITS))
    dynamics = element("dynamics", *_numbers_of(axis, _DYNAMICS))
    start = number("initial_position", axis.initial_position)
    return element(
        tag,
        xyz,
        limit if limit.children else None,
        dynamics if dynamics.children else None,
        # the state of a model has no place for the joints of a world
        start if not scope and axis.initial_position != 0.0 else None,
        None if axis.mimic is None else _mimic(axis.mimic),
        number(ARMATURE, axis.armature) if axis.armature else None,
        *rubbing_nodes(axis),
    )


_LIMITS = ("lower", "upper", "effort", "velocity", "stiffness", "dissipation")
_DYNAMICS = ("damping", "friction", "spring_reference", "spring_stiffness")


def _numbers_of(axis: Axis, names: tuple[str, ...]) -> list[Node]:
    """Those that are not SDFormat's defaults."""
    values = [(name, getattr(axis, name)) for name in names]
    return [number(name, value) for name, value in values if value != getattr(STANDARD, name)]


DEFAULT_LAW = {"multiplier": 1.0, "offset": 0.0, "reference": 0.0}


def _mimic(mimic: Mimic) -> Node:
    numbers = {"multiplier": mimic.multiplier, "offset": mimic.offset, "reference": mimic.reference}
    node = element(
        "mimic",
        # Beside a law they are for other programs, and there if the document has them.
        *(number(tag, value) for tag, value in numbers.items() if mimic.law is None or value != DEFAULT_LAW[tag]),
        None if mimic.law is None else law_node(mimic.law),
        *real_coupling_nodes(mimic.coupling),
        joint=mimic.joint,
    )
    if mimic.axis != "axis":
        node.attributes["axis"] = mimic.axis
    return node


def state_node(joints: tuple[Joint, ...], links: tuple[Link, ...], scope: str) -> Node | None:
    """`<model_state>` with the start positions and velocities of a model's joints and the velocities of its links; None
    where all start at zero, at rest."""
    states = [
        element("link_state", numbers("velocity", (*start.linear, *start.angular)), name=local_name(link.name, scope))
        for link in links
        if (start := link.start_velocity) is not None
    ]
    for joint in joints:
        axes = (*zip(AXIS_TAGS, joint.axes, strict=False), *joint.unused_axes)
        moved = [element(f"{tag}_state", *_start(axis)) for tag, axis in axes]
        if any(state.children for state in moved):
            started = [state for state in moved if state.children]
            states.append(element("joint_state", *started, name=local_name(joint.name, scope)))
    return element("model_state", *states, name=scope.rpartition("::")[2]) if states else None


def _start(axis: Axis) -> list[Node]:
    """What a state says of an axis; zeros need not be said."""
    values = (("position", axis.initial_position), ("velocity", axis.initial_velocity))
    return [number(name, value) for name, value in values if value != 0.0 and math.isfinite(value)]
