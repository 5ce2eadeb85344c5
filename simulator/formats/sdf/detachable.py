"""The plugin DetachableJoint of gz-sim on the own model: until gz-sim reads loops, this is how its users close them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.read_loops import report_read_loop
from simulator.formats.sdf.extensions import PARENT_POSE
from simulator.formats.sdf.names import free_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.diagnostics import DiagnosticLog

OWN = "__model__"
DETACHABLE, BALL_CONSTRAINT = "DetachableJoint", "drake:ball_constraint"


def attached_to_itself(owners: Iterable[Node], name: str) -> Iterator[Node]:
    """Plugins that attach a link of the model of that name to another of its links."""
    for plugin in (plugin for owner in owners for plugin in owner.all("plugin")):
        is_joint = "detachable-joint" in plugin.attributes.get("filename", "") or plugin.attributes.get(
            "name", ""
        ).endswith(DETACHABLE)
        if is_joint and plugin.text_of("child_model") in (OWN, name):
            yield plugin


def add_loops(root: Node, log: DiagnosticLog) -> None:
    """Joints for the loops of all models that are closed by DetachableJoint, or by `<drake:ball_constraint>`: a weld in
    the pose of the start, as gz-sim makes it, and a ball."""
    for model in (node for node in root.walk() if node.tag == "model"):
        links = {link.attributes.get("name") for link in model.all("link")}
        names = {child.attributes.get("name", "") for child in model.children}
        for plugin in list(attached_to_itself([model], model.attributes.get("name", ""))):
            parent, child = plugin.text_of("parent_link"), plugin.text_of("child_link")
            if parent != child and {parent, child} <= links:
                joint = _joint(plugin, DETACHABLE, free_name(child, f"on_{parent}", names), "fixed", parent, child)
                model.children.remove(plugin)
                _add(model, joint, f"the plugin {DETACHABLE}", log)
        for node in model.all(BALL_CONSTRAINT):
            parent, child = (node.text_of(f"{node.tag}_body_{side}") for side in "AB")
            if parent != child and {parent, child} <= links:
                joint = _joint(
                    node, BALL_CONSTRAINT, free_name(child, f"ball_on_{parent}", names), "ball", parent, child
                )
                joint.children.insert(0, _place(node, "pose", "p_BQ"))
                joint.children.append(_place(node, PARENT_POSE, "p_AP"))
                _add(model, joint, f"<{node.tag}>", log)


def _add(model: Node, joint: Node, how: str, log: DiagnosticLog) -> None:
    model.children.append(joint)
    ends = (joint.text_of("child"), joint.text_of("parent"))
    kind, name = joint.attributes["type"], joint.attributes["name"]
    report_read_loop(log, joint.source, how, name, kind, ends, "a second joint of the link")


def _joint(place: Node, element: str, name: str, kind: str, parent: str, child: str) -> Node:
    joint = Node("joint", replace(place.source, element=element), {"name": name, "type": kind}, version=place.version)
    joint.children = [place.with_text("parent", parent), place.with_text("child", child), cut_mark(place)]
    return joint


def _place(node: Node, tag: str, point: str) -> Node:
    return node.with_text(tag, f"{node.text_of(f'{node.tag}_{point}', '0 0 0')} 0 0 0")


def cut_mark(node: Node) -> Node:
    """SDFormat's hint that a joint is the one to be cut."""
    physics, simbody = node.with_text("physics", ""), node.with_text("simbody", "")
    simbody.children = [node.with_text("must_be_loop_joint", "true")]
    physics.children = [simbody]
    return physics
