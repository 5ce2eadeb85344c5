"""SDFormat 1.0 and 1.1 → 1.2, of what makes a mechanism: most values were attributes then (libsdformat's recipe
1_0.convert)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.values import numbers_text, plain_numbers

if TYPE_CHECKING:
    from simulator.formats.nodes import Node

TEXTS = {
    "gravity": "xyz",
    "parent": "link",
    "child": "link",
    **dict.fromkeys(("ambient", "diffuse", "specular", "emissive", "background"), "rgba"),
    "direction": "xyz",
}
"""The attribute that becomes the text of its element."""
CHILDREN = {
    "physics": "update_rate",
    "solver": "type dt iters precon_iters sor",
    "model": "static",
    "link": "gravity self_collide kinematic",
    "inertial": "mass density",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "collision": "laser_retro",
    "visual": "cast_shadows laser_retro transparency",
    "bounce": "restitution_coefficient threshold",
    "ode": "mu mu2 fdir1 slip1 slip2 soft_cfm soft_erp kp kd max_vel min_depth",
    "box": "size",
    "sphere": "radius",
    "cylinder": "radius length",
    "plane": "normal",
    "mesh": "filename scale",
    "axis": "xyz",
    "axis2": "xyz",
    "dynamics": "damping friction",
    "limit": "lower upper effort velocity cfm erp",
}
"""The attributes that become children of their element."""


def from_attributes(root: Node) -> None:
    """Rewrite the tree in place."""
    for node in list(root.walk()):
        if node.tag == "plugin" or node.is_user_data:
            continue
        if node.tag == "origin" and "pose" in node.attributes:
            node.tag, node.text = "pose", node.attributes.pop("pose")
        value = node.attributes.pop(TEXTS.get(node.tag, ""), "")
        node.text = node.text or value
        for name in CHILDREN.get(node.tag, "").split():
            if name in node.attributes:
                node.children.append(node.with_text(name, node.attributes.pop(name)))


def filenames_to_uris(root: Node) -> None:
    """Up to 1.2 a mesh had a `<filename>`, with one number for its scale where that was the same along all axes."""
    for mesh in (node for node in root.walk() if node.tag == "mesh"):
        for child in mesh.children:
            if child.tag == "filename":
                child.tag = "uri"
            elif child.tag == "scale" and len(plain_numbers(child.text)) == 1:
                child.text = numbers_text(plain_numbers(child.text) * 3)
