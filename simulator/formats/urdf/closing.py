"""Loops of a robot, however they are written: what closes one, and the SDFormat joint that it becomes.

A loop joint is cut: it holds a frame of its child on a frame of its parent. Where a dialect says only points, the
frames have the orientation in which they coincide while all joints are at zero.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.sdf.detachable import cut_mark
from simulator.formats.sdf.extensions import PARENT_POSE, PLANAR_TYPE
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.urdf.links import pose_node
from simulator.formats.urdf.robot import Robot, UrdfJoint, axis_node
from simulator.model.joint import WORLD
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import (
    IDENTITY_QUAT,
    perpendicular_to,
    quat_from_axis_angle,
    quat_multiply,
    quat_normalized,
)

if TYPE_CHECKING:
    from simulator.spatial.rotation import Quat, Vec3

CLOSED = 1e-9
"""Distance [m] and sine [1] below which the two sides of a loop coincide at position zero; documents have rounded
figures."""


@dataclass(frozen=True)
class LinkFrame:
    """A link of a loop or coupling and the frame on it, where the document says it."""

    link: str
    X_LE: Pose
    node: Node


@dataclass(frozen=True)
class Closing:
    """A loop. `kind` is a type of SDFormat's joints, or planar; `axes` are in the frame of the successor.

    `aligned`: only a point is said of the predecessor's frame; it has the orientation of the successor's at position
    zero. It is turned by the least angle that brings the axis onto `parent_axis` (in the link) where that is given. A
    universal joint has its first axis there instead. `as_at_zero`: nothing is said of the predecessor's frame, the
    links are held as they are at zero. `element`: the name of the way in which the loop is written.
    """

    name: str
    kind: str
    node: Node
    predecessor: LinkFrame
    successor: LinkFrame
    axes: tuple[Vec3, ...] = ()
    parent_axis: Vec3 | None = None
    aligned: bool = False
    as_at_zero: bool = False
    element: str = "loop"


@dataclass(frozen=True)
class RobotTree:
    """The joint above each link."""

    above: dict[str, UrdfJoint]

    @staticmethod
    def of(robot: Robot) -> RobotTree:
        """The tree of a robot, fixed joints among it."""
        return RobotTree({joint.child: joint for link in robot.links.values() for joint in link.joints})

    def way_up(self, link: str) -> list[UrdfJoint]:
        """Joints from the link to the root."""
        way = []
        while link in self.above:
            way.append(self.above[link])
            link = self.above[link].parent
        return way

    def ways_from_common(self, a: str, b: str) -> tuple[str, list[UrdfJoint], list[UrdfJoint]]:
        """The nearest common ancestor of two links, and the joints from it to either, the link's own joint first."""
        way_a, way_b = self.way_up(a), self.way_up(b)
        while way_a and way_b and way_a[-1] is way_b[-1]:
            way_a.pop()
            way_b.pop()
        return way_a[-1].parent if way_a else a, way_a, way_b


def pose_along(way: list[UrdfJoint]) -> Pose:
    """Pose of the first joint's child in the last joint's parent, all joints at zero."""
    X = IDENTITY
    for joint in reversed(way):
        X = X @ joint.X_PJ
    return X


def closing_node(closing: Closing, tree: RobotTree) -> Node:
    """The joint that closes a loop."""
    node, axes = closing.node, closing.axes
    parent, child = closing.predecessor, closing.successor
    _, way_p, way_s = tree.ways_from_common(parent.link, child.link)
    X_PE = pose_along(way_p).inverse() @ pose_along(way_s) @ child.X_LE
    if closing.kind == "universal" and closing.parent_axis is not None:
        axes = (X_PE.inverse().rotate(closing.parent_axis), *axes)
    if closing.as_at_zero:
        parent = LinkFrame(parent.link, X_PE, parent.node)
    else:
        turned = X_PE if closing.aligned else parent.X_LE
        turn = _onto(turned.rotate(axes[0]), closing.parent_axis) if axes and closing.parent_axis else IDENTITY_QUAT
        X_LE = Pose(parent.X_LE.position, quat_multiply(turn, turned.orientation))
        parent = LinkFrame(parent.link, X_LE if turn != IDENTITY_QUAT or closing.aligned else parent.X_LE, parent.node)
    apart = not _coincide(parent.X_LE.inverse() @ X_PE)
    if child.link == WORLD:  # which cannot be a child: turned round, the axes too
        parent, child, axes = child, parent, tuple((-x, -y, -z) for x, y, z in reversed(axes))
    planar = {"type": "ball", PLANAR_TYPE: closing.kind} if closing.kind == "planar" else {}
    source = replace(node.source, element=closing.element)
    joint = Node("joint", source, {"name": closing.name, "type": closing.kind, **planar})
    joint.children = [
        pose_node(child.node, child.X_LE),
        node.with_text("parent", parent.link),
        node.with_text("child", child.link),
    ]
    if apart:
        place = pose_node(parent.node, parent.X_LE)
        place.tag = PARENT_POSE
        joint.children.append(place)
    joint.children += [axis_node(node, axis, tag) for axis, tag in zip(axes, AXIS_TAGS, strict=False)]
    joint.children.append(cut_mark(node))
    return joint


def _onto(a: Vec3, b: Vec3) -> Quat:
    """The rotation by the least angle that turns one direction into another."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    w = 1.0 + sum(p * q for p, q in zip(a, b, strict=True))
    if w > CLOSED:
        return quat_normalized((x, y, z, w))
    across, _ = perpendicular_to(a)
    return quat_from_axis_angle(across, math.pi)


def _coincide(X: Pose) -> bool:
    return max(map(abs, (*X.position, *X.orientation[:3]))) < CLOSED
