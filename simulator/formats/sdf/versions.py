"""Old documents → SDFormat 1.12: the conversions that change what a mechanism is (libsdformat's recipes, in their
order)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.sdf.names import MODEL_FRAME
from simulator.formats.sdf.unflatten import unflatten
from simulator.formats.values import numbers_text, parse_bool, plain_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node, Version


NEWEST: Version = (1, 12)
OLDEST: Version = (1, 2)
FIRST: Version = (1, 0)
FIRST_ROOT = "gazebo"
"""The root element up to SDFormat 1.2, which was `<sdf>` only then."""


def read_version(root: Node, log: DiagnosticLog, *, strict: bool) -> Version | None:
    """The version attribute of `<sdf>`. A missing or unknown one counts as the newest, with a warning.

    If `strict`, a missing one is an error, and None; an unknown one is an error, but reading continues.
    """
    text = root.attributes.get("version")
    if root.tag == FIRST_ROOT and text in (None, "1.0", "1.1"):
        return FIRST
    if text is None and strict:
        log.error("FILE_READ", root.source, "<sdf> has no version", "write <sdf version='1.12'>")
        return None
    if text is None:
        message = f"<{root.tag}> has no version; the document is read as 1.12"
        log.warning("CONVERSION_ERROR", root.source, message, "write <sdf version='1.12'>")
        return NEWEST
    match = re.fullmatch(r"\s*(\d+)\.(\d+)\s*", text)
    version = (int(match.group(1)), int(match.group(2))) if match else (0, 0)
    if not OLDEST <= version <= NEWEST or version[1] > 12:
        message = f"there is no SDFormat version '{text}'; the document is read as 1.12"
        report = log.error if strict else log.warning
        report("CONVERSION_ERROR", root.source, message, "versions 1.2 to 1.12 exist")
        return NEWEST
    return version


def upgrade(root: Node, version: Version) -> None:
    """Rewrite the tree in place, step by step."""
    if version == NEWEST:  # as all nodes are born
        return
    for node in root.walk():
        node.version = version
    if version < OLDEST:
        from_attributes(root)
    if version < (1, 3):
        filenames_to_uris(root)
    if version < (1, 4):
        _physics_step(root)
    if version < (1, 5):
        _axes_in_model_frame(root)
    if version < (1, 6):
        _gravity_to_world(root)
    if version < (1, 7):
        own = list(_own(root))
        _relative_to(own)
        _expressed_in(own)
    if version < (1, 8):
        for world in root.all("world"):
            for model in world.all("model"):
                unflatten(model)


def _own(node: Node) -> Iterator[Node]:
    """The element and all below it, without plugins and user data."""
    pending = [node]
    while pending:
        item = pending.pop()
        yield item
        for child in item.children:
            if child.tag != "plugin" and ":" not in child.tag:
                pending.append(child)


def _physics_step(root: Node) -> None:
    for physics in (node for world in root.all("world") for node in world.all("physics")):
        for path in (("ode", "solver"), ("bullet",)):
            owner: Node | None = physics
            for tag in path:
                owner = None if owner is None else owner.child(tag)
            if owner is None:
                continue
            for step in owner.all("dt"):
                owner.children.remove(step)
                if physics.child("max_step_size") is None:
                    physics.children.append(step.with_text("max_step_size", step.text))
        for rate in physics.all("update_rate"):
            rate.tag = "real_time_update_rate"


def _axes_in_model_frame(root: Node) -> None:
    """Nested models came with 1.5 and are passed over, as in libsdformat's recipe."""
    for model in (model for scope in (root, *root.all("world")) for model in scope.all("model")):
        for axis in (node for joint in model.all("joint") for node in (*joint.all("axis"), *joint.all("axis2"))):
            axis.children.append(axis.with_text("use_parent_model_frame", "true"))


def _gravity_to_world(root: Node) -> None:
    for world in root.all("world"):
        for physics in world.all("physics"):
            for tag in ("gravity", "magnetic_field"):
                for node in physics.all(tag):
                    physics.children.remove(node)
                    if world.child(tag) is None:
                        world.children.append(node)


def _relative_to(own: list[Node]) -> None:
    for pose in (node for node in own if node.tag == "pose" and "frame" in node.attributes):
        pose.attributes["relative_to"] = pose.attributes.pop("frame")


def _expressed_in(own: list[Node]) -> None:
    for axis in (node for node in own if node.tag in AXIS_TAGS):
        flag = axis.child("use_parent_model_frame")
        if flag is None:
            continue
        axis.children = [child for child in axis.children if child.tag != "use_parent_model_frame"]
        if _is_set(flag):
            xyz = axis.child("xyz")
            if xyz is None:
                xyz = axis.with_text("xyz", "0 0 1")
                axis.children.append(xyz)
            xyz.attributes["expressed_in"] = MODEL_FRAME


def _is_set(flag: Node) -> bool:
    """Nonsense counts as false, as in libsdformat's conversion."""
    try:
        return parse_bool(flag.text)
    except ValueError:
        return False


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
