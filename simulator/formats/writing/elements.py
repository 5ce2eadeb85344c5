"""Elements and numbers of the tree that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.nodes import Node
from simulator.formats.values import number_text, numbers_text
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import IDENTITY_QUAT, Quat, Vec3, quat_from_rpy, rpy_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterable

NOWHERE = Source("", 0)
_DIGITS = (4, 6, 9, 12, 15, 17)


def element(tag: str, *children: Node | None, text: str = "", **attributes: str) -> Node:
    """An element; children that are None are left out."""
    return Node(tag, NOWHERE, dict(attributes), text, [child for child in children if child is not None])


def number(tag: str, value: float) -> Node:
    """`<tag>1.5</tag>`."""
    return element(tag, text=number_text(value))


def numbers(tag: str, values: Iterable[float]) -> Node:
    """`<tag>1 2 3</tag>`."""
    return element(tag, text=numbers_text(values))


def flag(tag: str, value: bool) -> Node:
    """`<tag>true</tag>`."""
    return element(tag, text="true" if value else "false")


def unless(value: object, default: object, node: Node) -> Node | None:
    """`node` where the value is not what the reader takes by itself."""
    return None if value == default else node


def pose(X: Pose, relative_to: str = "") -> Node | None:
    """`<pose>`; None for the identity in the default frame.

    Roll, pitch and yaw where they give exactly the same quaternion, else the quaternion itself, which the reader takes
    as it is.
    """
    if X == IDENTITY and not relative_to:
        return None
    angles = exact_rpy(X.orientation)
    node = numbers("pose", (*X.position, *(X.orientation if angles is None else angles)))
    if relative_to:
        node.attributes["relative_to"] = relative_to
    if angles is None:
        node.attributes["rotation_format"] = "quat_xyzw"
    return node


def exact_rpy(q: Quat) -> Vec3 | None:
    """Fixed-axis angles [rad] whose quaternion is `q` to the last bit, with as few decimals as will do; None where
    there are none."""
    if q == IDENTITY_QUAT:
        return (0.0, 0.0, 0.0)
    roll, pitch, yaw = rpy_from_quat(q)
    for digits in _DIGITS:
        angles = (round(roll, digits), round(pitch, digits), round(yaw, digits))
        if quat_from_rpy(*angles) == q:
            return angles
    return None
