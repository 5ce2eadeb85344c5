"""Elements of SDFormat that several parts of this room write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.values import number_text, numbers_text

if TYPE_CHECKING:
    from simulator.diagnostics import Source
    from simulator.formats.asmt.assembly import AsmtBody
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3


MODEL = "assembly"
"""The one model of the world."""
NOT_READ = "ASSEMBLY_NOT_READ"


def pose(X: Pose, source: Source, relative_to: str = "", tag: str = "pose") -> Node:
    """With a quaternion, which is exact."""
    attributes = {"rotation_format": "quat_xyzw"} | ({"relative_to": relative_to} if relative_to else {})
    return Node(tag, source, attributes, numbers_text((*X.position, *X.orientation)))


def inertial(body: AsmtBody, source: Source) -> Node:
    """Mass and moments about its centre."""
    return _inertial(source, body.mass, body.moments, pose(body.X_BM, source))


def token_inertial(source: Source, mass: float, moment: float) -> Node:
    """That of a link between two joints of a chain, which needs some inertia to be moved."""
    return _inertial(source, mass, (moment, moment, moment))


def _inertial(source: Source, mass: float, moments: Vec3, *place: Node) -> Node:
    values = dict(zip(("ixx", "iyy", "izz"), moments, strict=True)) | dict.fromkeys(("ixy", "ixz", "iyz"), 0.0)
    inertia = Node("inertia", source, children=[text(tag, value, source) for tag, value in values.items()])
    return Node("inertial", source, children=[*place, text("mass", mass, source), inertia])


def text(tag: str, value: float, source: Source) -> Node:
    """An element that holds a number."""
    return Node(tag, source, text=number_text(value))
