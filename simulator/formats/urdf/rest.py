"""What can be drawn of a robot with errors: the tree without the elements that are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE = ("origin", "material", "visual", "collision", "inertial", "link")
"""Elements that go with what is wrong in them: the innermost of them."""
DRAWN = ("link", "joint", "material", "origin")
"""Elements of a robot that are drawn; others refer to joints that may be gone."""
PLACING = ("parent", "child", "origin")
"""What a joint says about where its child link is."""
FREE = "floating"


def leave_out(robot: Node, wrong: Sequence[Node]) -> bool:
    """Take out of the tree of a robot what holds the places that are `wrong`; False where nothing could be taken.

    A joint first becomes a floating one, which only says where its child is; if that is wrong, too, it goes. A link
    whose mass is wrong has some other, which is not seen.
    """
    robot.children = [node for node in robot.children if node.tag in DRAWN or node.attributes.get("reference")]
    owners = {id(child): node for node in robot.walk() for child in node.children}
    left_out = False
    for place in wrong:
        node = place
        while node.tag not in (*WHOLE, "joint") and id(node) in owners:
            node = owners[id(node)]
        owner = owners.get(id(node))
        if owner is None or not any(child is node for child in owner.children):
            continue  # it has gone with another one
        left_out = True
        if node.tag == "joint" and node.attributes.get("type") != FREE:
            node.attributes["type"] = FREE
            node.children = [child for child in node.children if child.tag in PLACING]
        elif node.tag == "inertial":
            node.children = [
                Node("mass", node.source, {"value": "1"}),
                Node("inertia", node.source, {"ixx": "1", "iyy": "1", "izz": "1", "ixy": "0", "ixz": "0", "iyz": "0"}),
            ]
        else:
            owner.children = [child for child in owner.children if child is not node]
    _release_followers(robot)
    return left_out


def _release_followers(robot: Node) -> None:
    """Joints whose leader was left out follow none."""
    leaders = {joint.attributes.get("name", "") for joint in robot.all("joint") if joint.attributes.get("type") != FREE}
    for joint in robot.all("joint"):
        joint.children = [
            child for child in joint.children if child.tag != "mimic" or child.attributes.get("joint") in leaders
        ]
