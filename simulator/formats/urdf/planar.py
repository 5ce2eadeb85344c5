"""A planar joint of a URDF → two prismatic joints and a revolute one, with massless links between them.

SDFormat has no planar joint. The three carry the coordinates that URDF means: two translations in the plane whose
normal is `<axis>`, and the turn about it; the last one keeps the joint's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.urdf.links import pose_node
from simulator.formats.urdf.robot import UrdfJoint, axis_node, direction
from simulator.model.joint import WORLD
from simulator.spatial.rotation import perpendicular_to

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.spatial.rotation import Vec3

UNREAD = ("limit", "dynamics", "mimic")


def planar_nodes(joint: UrdfJoint, log: DiagnosticLog) -> list[Node]:
    """Joints `<name>_x`, `<name>_y` and `<name>` with the links `<name>_x_slide` and `<name>_y_slide`, in the order of
    the chain."""
    for tag in UNREAD:
        place = joint.node.child(tag)
        if place is not None:
            message = (
                f"<{tag}> of the planar joint '{joint.name}' is not simulated: it does not say which of the three "
                "motions it is for"
            )
            log.warning("NOT_SIMULATED", place.source, message, "write two prismatic joints and a revolute one")
    along_x, along_y, normal = plane_of(joint)
    name = joint.name
    first = pose_node(joint.node, joint.X_PJ, "__model__" if joint.parent == WORLD else joint.parent)
    nodes = [_joint(joint, f"{name}_x", "prismatic", (joint.parent, f"{name}_x_slide"), along_x, first)]
    nodes.append(_slide(joint, f"{name}_x"))
    ends = (f"{name}_x_slide", f"{name}_y_slide")
    nodes.append(_joint(joint, f"{name}_y", "prismatic", ends, along_y, _relative(joint, ends[0])))
    nodes.append(_slide(joint, f"{name}_y"))
    ends = (f"{name}_y_slide", joint.child)
    nodes.append(_joint(joint, name, "continuous", ends, normal, _relative(joint, ends[0])))
    return nodes


def plane_of(joint: UrdfJoint) -> tuple[Vec3, Vec3, Vec3]:
    """Two directions in the plane and its normal, right-handed; for the normal z they are x and y."""
    n = direction(joint.node)
    return (*perpendicular_to(n), n)


def _joint(joint: UrdfJoint, name: str, kind: str, ends: tuple[str, str], axis: Vec3, pose: Node) -> Node:
    place = joint.node
    children = [pose, place.with_text("parent", ends[0]), place.with_text("child", ends[1]), axis_node(place, axis)]
    return Node("joint", place.source, {"name": name, "type": kind}, children=children)


def _relative(joint: UrdfJoint, frame: str) -> Node:
    return Node("pose", joint.node.source, {"relative_to": frame})


def _slide(joint: UrdfJoint, name: str) -> Node:
    """A link without mass, which only carries the next joint."""
    place = joint.node
    inertia = place.with_text("inertia", "")
    inertia.children = [place.with_text(tag, "0") for tag in ("ixx", "iyy", "izz")]
    inertial = place.with_text("inertial", "")
    inertial.children = [place.with_text("mass", "0"), inertia]
    children = [_relative(joint, name), inertial]
    return Node("link", place.source, {"name": f"{name}_slide"}, children=children)
