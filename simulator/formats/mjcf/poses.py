"""Poses of MuJoCo's model, whose quaternions begin with w, and elements for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.values import number_text, numbers_text
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import IDENTITY_QUAT, quat_from_axis_angle, quat_normalized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import Source
    from simulator.spatial.rotation import Vec3


def pose_of(position: Iterable[float], quaternion: Iterable[float]) -> Pose:
    """From a position [m] and a quaternion (w, x, y, z)."""
    w, x, y, z = (float(value) for value in quaternion)
    return Pose(vec3(position), quat_normalized((x, y, z, w)))


def vec3(values: Iterable[float]) -> Vec3:
    """Three numbers."""
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def turned_about(point: Vec3, axis: Vec3, angle: float) -> Pose:
    """A turn about an axis through a point."""
    return about(point, Pose((0.0, 0.0, 0.0), quat_from_axis_angle(axis, angle)))


def about(point: Vec3, turn: Pose) -> Pose:
    """A turn that leaves a point where it is."""
    x, y, z = point
    return Pose(point) @ turn @ Pose((-x, -y, -z))


def element(tag: str, where: Source, *children: Node | None, text: str = "", **attributes: str) -> Node:
    """An element at a place; children that are None are left out."""
    return Node(tag, where, dict(attributes), text, [child for child in children if child is not None])


def number(tag: str, where: Source, value: float) -> Node:
    """`<tag>1.5</tag>`."""
    return element(tag, where, text=number_text(value))


def pose_node(X: Pose, where: Source, relative_to: str = "", tag: str = "pose") -> Node | None:
    """`<pose>` with a quaternion; None for the identity in the default frame."""
    if X == IDENTITY and not relative_to:
        return None
    node = element(tag, where, text=numbers_text(X.as_list()), rotation_format="quat_xyzw")
    if X.orientation == IDENTITY_QUAT:
        node.text, _ = numbers_text((*X.position, 0.0, 0.0, 0.0)), node.attributes.pop("rotation_format")
    if relative_to:
        node.attributes["relative_to"] = relative_to
    return node
