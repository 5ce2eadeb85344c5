"""Joints of the tree as those of MuJoCo's bodies: one of two axes is two, a screw a hinge and a slide that follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.shapes import CODE
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.joint import JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf_writing.forest import BodyForest
    from simulator.formats.nodes import Node
    from simulator.formats.writing.branches import TreeJoint
    from simulator.model.joint import Axis
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

SECOND, TRAVEL = "_second", "_travel"
"""What the names of a joint's other parts end in."""
HINGE, SLIDE = "hinge", "slide"


@dataclass(frozen=True)
class MjcfCoordinate:
    """A joint of MuJoCo with one coordinate: its element, its name there, and the channel that it is here: the joint's
    scoped name, with `:axis2` or `:travel` for the others."""

    node: Node
    name: str
    channel: str


def joints_of(branch: TreeJoint, X_WL: Pose, forest: BodyForest, log: DiagnosticLog) -> Sequence[MjcfCoordinate | Node]:
    """Joints from the parent outwards, in the frame of the link at `X_WL` that has them."""
    joint = branch.joint
    name = forest.name(branch.joint.name)
    X_LJ = X_WL.inverse() @ joint.X_WJ
    pos = {"pos": numbers_text(_clean(X_LJ.position))}
    axes = [(axis, X_LJ.rotate(_direction(axis, turned=branch.turned))) for axis in joint.axes]
    match joint.type:
        case JointType.FIXED:
            return []
        case JointType.BALL:
            return [element("joint", name=name, type="ball", **pos)]
        case JointType.UNIVERSAL | JointType.REVOLUTE2:
            names = [(name, joint.name), (f"{name}{SECOND}", f"{joint.name}:axis2")]
            parts = [
                _moving(called, HINGE, axis, along, pos, channel, log)
                for (called, channel), (axis, along) in zip(names, axes, strict=True)
            ]
            return parts[::-1] if branch.turned else parts
        case JointType.SCREW:
            ((axis, along),) = axes
            turning = _moving(name, HINGE, axis, along, pos, joint.name, log)
            travel = element("joint", name=f"{name}{TRAVEL}", type=SLIDE, axis=numbers_text(_clean(along)), **pos)
            return [turning, MjcfCoordinate(travel, f"{name}{TRAVEL}", f"{joint.name}:travel")]
        case _:
            ((axis, along),) = axes
            kind = SLIDE if joint.type is JointType.PRISMATIC else HINGE
            return [_moving(name, kind, axis, along, pos, joint.name, log)]


def _direction(axis: Axis, *, turned: bool) -> Vec3:
    """In the joint's frame; a joint that is traversed from its child turns about the opposite."""
    x, y, z = axis.xyz_joint
    return (-x, -y, -z) if turned else (x, y, z)


def _clean(values: Vec3) -> tuple[float, ...]:
    return tuple(value + 0.0 for value in values)


def _moving(
    name: str, kind: str, axis: Axis, along: Vec3, pos: dict[str, str], channel: str, log: DiagnosticLog
) -> MjcfCoordinate:
    said = {"name": name, "type": kind, "axis": numbers_text(_clean(along)), **pos}
    if math.isfinite(axis.lower) or math.isfinite(axis.upper):
        ends = (max(axis.lower, -1e6), min(axis.upper, 1e6))
        said["range"] = numbers_text(ends)
        said["limited"] = "true"
    values = {
        "damping": axis.damping,
        "frictionloss": axis.friction,
        "stiffness": axis.spring_stiffness,
        "springref": axis.spring_reference if axis.spring_stiffness else 0.0,
        "armature": axis.armature,
    }
    for key, value in values.items():
        if value < 0.0 and key != "springref":
            message = f"{key} of joint '{name}' is below zero, which MuJoCo does not have: it is left out"
            log.warning(CODE, axis.source, message, fold=f"negative {key}", about=name)
        elif value:
            said[key] = number_text(value)
    if math.isfinite(axis.velocity):
        message = f"the velocity limit of joint '{name}' has no place in MJCF"
        log.warning(CODE, axis.source, message, fold="velocity", about=name)
    return MjcfCoordinate(element("joint", **said), name, channel)
