"""Fixed joints are lumped: the child link becomes part of the parent link, as libsdformat does by default.

The lumped joint and link stay as frames, so that whatever names them still finds its place (also the anchor of a loop
joint).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.urdf.links import SURFACE
from simulator.formats.urdf.robot import Robot, UrdfInertial, UrdfJoint, UrdfLink, UrdfPart
from simulator.formats.values import parse_bool
from simulator.model.joint import WORLD
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from simulator.spatial.rotation import Vec3

OWN_TAGS = (*SURFACE, "material")
"""Extensions for the contacts and the looks of a link: they stay with its own collisions and visuals."""


def lump(robot: Robot) -> None:
    """Rewrite the robot in place."""
    order = []
    pending = [*robot.roots]
    while pending:
        link = robot.links[pending.pop()]
        order.append(link)
        pending += [joint.child for joint in link.joints]
    for parent in reversed(order):
        for joint in list(parent.joints):
            if is_lumped(joint, parent):
                _absorb(parent, joint, robot.links.pop(joint.child))


def is_lumped(joint: UrdfJoint, parent: UrdfLink) -> bool:
    """Whether a fixed joint disappears: unless an extension keeps it, or its parent is the world."""
    return (
        joint.type == "fixed"
        and parent.name != WORLD
        and not kept(joint, "preserveFixedJoint")
        and not kept(joint, "disableFixedJointLumping")
    )


def kept(joint: UrdfJoint, tag: str) -> bool:
    """Whether an extension of that name is set."""
    for node in joint.extensions:
        if node.tag == tag:
            try:
                return parse_bool(node.text)
            except ValueError:
                return False
    return False


def _absorb(parent: UrdfLink, joint: UrdfJoint, child: UrdfLink) -> None:
    X_PC = joint.X_PJ
    parent.joints.remove(joint)
    for moved in child.joints:
        moved.parent = parent.name
        moved.X_PJ = X_PC @ moved.X_PJ
        moved.origin = moved.origin or child.name
        parent.joints.append(moved)
    parent.joints.sort(key=lambda item: item.name)
    for mine, theirs in ((parent.visuals, child.visuals), (parent.collisions, child.collisions)):
        for part in theirs:
            extensions = child.extensions if part.extensions is None else part.extensions
            mine.append(UrdfPart(part.node, X_PC @ part.X_LP, part.label or child.name, extensions))
    said = {node.tag for node in parent.extensions}
    parent.extensions += [node for node in child.extensions if node.tag not in said and node.tag not in OWN_TAGS]
    parent.frames.update({joint.name: X_PC, child.name: X_PC})
    parent.frames.update({name: X_PC @ X for name, X in child.frames.items()})
    if child.inertial is not None:
        there = child.inertial
        moved_inertial = UrdfInertial(there.mass, X_PC @ there.X_LI, there.inertia)
        parent.inertial = moved_inertial if parent.inertial is None else combined(parent.inertial, moved_inertial)


def combined(a: UrdfInertial, b: UrdfInertial) -> UrdfInertial:
    """Two bodies as one: about the common centre of mass, in the directions of the first one's frame."""
    mass = a.mass + b.mass
    points = [np.array(body.X_LI.position) for body in (a, b)]
    centre = (a.mass * points[0] + b.mass * points[1]) / mass
    total = np.zeros((3, 3))
    for body, point in ((a, points[0]), (b, points[1])):
        rotation = body.X_LI.rotation()
        arm = point - centre
        total += rotation @ body.inertia @ rotation.T + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    turn = a.X_LI.rotation()
    position: Vec3 = (float(centre[0]), float(centre[1]), float(centre[2]))
    return UrdfInertial(mass, Pose(position, a.X_LI.orientation), turn.T @ total @ turn)
