"""Followers of joints that are fixed: the law of their mimic holds them, so they are fixed, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.urdf.robot import direction, number
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_from_axis_angle

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.urdf.robot import Robot, UrdfJoint

MOVING = ("revolute", "continuous", "prismatic")


def fix_held_followers(robot: Robot, log: DiagnosticLog) -> None:
    """Rewrite the joints in place. A fixed leader is at 0, a follower of it at its offset, what follows that one at the
    position that its law gives then. Blocks of ros2_control lose them: there is nothing to read or to command."""
    joints = {joint.name: joint for link in robot.links.values() for joint in link.joints}
    fixed = {name: 0.0 for name, joint in joints.items() if joint.type == "fixed"}
    pending = [joint for joint in joints.values() if joint.type in MOVING and joint.node.child("mimic") is not None]
    held = dict(fixed)
    while found := [joint for joint in pending if _mimic(joint).attributes.get("joint") in held]:
        for joint in found:
            pending.remove(joint)
            law = _mimic(joint)
            leader = law.attributes["joint"]
            held[joint.name] = number(law, "multiplier", 1.0) * held[leader] + number(law, "offset", 0.0)
            _fix(joint, held[joint.name])
            message = (
                f"joint '{joint.name}' mimics joint '{leader}', which is fixed; it is held at {held[joint.name]:g}"
            )
            log.warning("JOINT_AXIS_MIMIC_INVALID", law.source, message, fold=f"fixed {leader}", about=joint.name)
    for block in robot.node.all("ros2_control"):
        block.children = [
            node
            for node in block.children
            if node.tag != "joint" or node.attributes.get("name") not in held.keys() - fixed.keys()
        ]


def _mimic(joint: UrdfJoint) -> Node:
    return next(node for node in joint.node.children if node.tag == "mimic")


def _fix(joint: UrdfJoint, position: float) -> None:
    x, y, z = direction(joint.node)
    moved = (
        Pose((x * position, y * position, z * position), IDENTITY.orientation)
        if joint.type == "prismatic"
        else Pose((0.0, 0.0, 0.0), quat_from_axis_angle((x, y, z), position))
    )
    joint.X_PJ = joint.X_PJ @ moved
    joint.type = joint.node.attributes["type"] = "fixed"
    joint.node.children.remove(_mimic(joint))
