"""Joints of the document between bodies, before anyone decides which of them stay on the spanning tree."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.types import AxisInfo, JointKind, MechanismJoint, Motion, MotionKind
from simulator.mechanism.welding import Welded, all_joints, is_weld
from simulator.model.joint import Axis, Joint, JointType
from simulator.records import dataclass
from simulator.spatial.rotation import perpendicular_to

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.model.world import World

AXIS_COUNT = {
    JointType.REVOLUTE: 1,
    JointType.CONTINUOUS: 1,
    JointType.PRISMATIC: 1,
    JointType.SCREW: 1,
    JointType.UNIVERSAL: 2,
    JointType.REVOLUTE2: 2,
    JointType.BALL: 0,
    JointType.FIXED: 0,
    JointType.PLANAR: 1,
}


@dataclass(frozen=True)
class Connection:
    """A movable joint between two bodies, as the document has it: from `parent` to `child`."""

    joint: Joint
    parent: int
    child: int
    axes: tuple[AxisInfo, ...]


def connections_of(world: World, welded: Welded, log: DiagnosticLog) -> tuple[Connection, ...]:
    """All movable joints (fixed ones are welds, gearboxes are couplings). Joints that cannot move are reported and left
    out."""
    found = []
    for joint in all_joints(world):
        if is_weld(joint) or joint.type is JointType.GEARBOX:
            continue
        parent, child = welded.body_index(joint.parent_link), welded.body_index(joint.child_link)
        if parent is None or child is None:
            continue  # the reader has reported the missing link
        if parent == child:
            log.warning(
                "JOINT_BETWEEN_WELDED_LINKS",
                joint.source,
                f"joint '{joint.name}' cannot move: fixed joints weld its parent '{joint.parent_link}' and its child "
                f"'{joint.child_link}' into one body",
                hint="remove the joint or the weld",
                fold=welded.bodies[parent].name,
                about=joint.name,
            )
            continue
        found.append(Connection(joint, parent, child, axes_of(joint)))
    return tuple(found)


def axes_of(joint: Joint) -> tuple[AxisInfo, ...]:
    """The scalar coordinates of a joint; a screw has its angle and its travel."""
    rotation = joint.type is not JointType.PRISMATIC
    kind = MotionKind.ROTATION if rotation else MotionKind.TRANSLATION
    names = (joint.name, f"{joint.name}:axis2")
    axes = [
        AxisInfo(
            name,
            joint.name,
            kind,
            _effective(axis, joint),
            independent=joint.independent,
            source=axis.source or joint.source,
        )
        for name, axis in zip(names, joint.axes[: AXIS_COUNT[joint.type]], strict=False)
    ]
    if joint.type is JointType.PLANAR:
        axes = [*_slides(joint), *axes]
    if joint.type is JointType.SCREW:
        travel = Axis(xyz_joint=joint.axes[0].xyz_joint, xyz_world=joint.axes[0].xyz_world, source=joint.source)
        axes.append(
            AxisInfo(
                f"{joint.name}:travel", joint.name, MotionKind.TRANSLATION, travel, hidden=True, source=joint.source
            )
        )
    return tuple(axes)


def _slides(joint: Joint) -> list[AxisInfo]:
    """The two translations of a planar joint, along directions in its plane; the turn about the normal has the joint's
    own name."""
    found = []
    for number, xyz in enumerate(perpendicular_to(joint.axes[0].xyz_joint), start=1):
        name = f"{joint.name}:slide{number}"
        axis = Axis(xyz_joint=xyz, xyz_world=joint.X_WJ.rotate(xyz), source=joint.source)
        found.append(AxisInfo(name, joint.name, MotionKind.TRANSLATION, axis, hidden=True, source=joint.source))
    return found


def _effective(axis: Axis, joint: Joint) -> Axis:
    """A continuous joint has no limits by definition, whatever the document says."""
    if joint.type is JointType.CONTINUOUS:
        return replace(axis, lower=-math.inf, upper=math.inf)
    return axis


def as_mechanism_joint(connection: Connection, welded: Welded, *, inboard: int, first_axis: int) -> MechanismJoint:
    """The joint seen from its inboard body; motions of a joint that is walked against the document's direction are
    turned round."""
    joint = connection.joint
    backwards = inboard != connection.parent
    parent, child = (connection.child, connection.parent) if backwards else (connection.parent, connection.child)
    motions = [Motion(first_axis + i, axis.kind, axis.axis.xyz_joint) for i, axis in enumerate(connection.axes)]
    if backwards:
        motions = [replace(m, direction=(-m.direction[0], -m.direction[1], -m.direction[2])) for m in reversed(motions)]
    sides = (joint.X_WJ_parent or joint.X_WJ, joint.X_WJ)[:: -1 if backwards else 1]
    return MechanismJoint(
        name=joint.name,
        type=joint.type,
        kind=JointKind.BALL if joint.type is JointType.BALL else JointKind.CHAIN,
        parent=parent,
        child=child,
        X_PJ=welded.bodies[parent].X_WB.inverse() @ sides[0],
        X_CJ=welded.bodies[child].X_WB.inverse() @ sides[1],
        motions=tuple(motions),
        reversed=backwards,
        source=joint.source,
    )
