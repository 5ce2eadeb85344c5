"""`<include merge="true">`: the included model's parts become parts of the including one.

A frame `_merged__<name>__model__` is where the model's own frame was; everything that meant that frame names this one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.formats.cursor import Cursor, Reading
from simulator.formats.nodes import EXPRESSED_IN, Node
from simulator.formats.sdf.frame_graph import FrameGraph
from simulator.formats.sdf.model import read_model
from simulator.formats.sdf.names import MODEL_FRAME
from simulator.formats.sdf.scopes import canonical_link, root_scope
from simulator.formats.values import numbers_text
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.formats.sdf.specs import ModelSpec

DROPPED = ("static", "self_collide", "enable_wind", "pose")


def merged(model: Node, scope: Node, include: Cursor) -> list[Node]:
    """The model's parts, rewritten so that they mean the same in `scope` (a model or a world)."""
    if model.tag != "model":
        message = f"only a model can be merged, not a <{model.tag}>"
        include.log.error("MERGE_INCLUDE_UNSUPPORTED", include.source, message)
        return []
    if scope.tag == "world" and any(child.tag in ("link", "gripper") for child in model.children):
        message = f"model '{model.attributes.get('name', '')}' cannot be merged into a world: a world holds no links"
        include.log.error(
            "MERGE_INCLUDE_UNSUPPORTED", include.source, message, "take merge='true' away, or merge into a model"
        )
        return []
    proxy = f"_merged__{model.attributes.get('name', '')}{MODEL_FRAME}"
    frame = _proxy_frame(model, proxy, scope, include)
    parts = [child for child in model.children if child.tag not in DROPPED]
    for part in parts:
        _redirect(part, proxy)
    return [frame, *parts]


def _proxy_frame(model: Node, proxy: str, scope: Node, include: Cursor) -> Node:
    quiet = Reading(include.reading.resources, include.reading.options, DiagnosticLog(), budget=include.reading.budget)
    spec = read_model(Cursor(model.copy(), quiet), model.attributes.get("name", ""))
    origin = MODEL_FRAME if scope.tag == "model" else WORLD
    pose = model.with_text("pose", _pose_text(spec))
    pose.attributes = {"rotation_format": "quat_xyzw", "relative_to": spec.pose.relative_to or origin}
    attributes = {"name": proxy, "attached_to": canonical_link(spec)}
    return Node("frame", include.source, attributes, children=[pose], version=model.version)


def _pose_text(spec: ModelSpec) -> str:
    """Pose of the model's frame in the frame that its `<pose>` is given in, a placement frame worked in."""
    alone = replace(spec, pose=replace(spec.pose, relative_to=""))
    X_RM = FrameGraph(DiagnosticLog(), strict=True).pose_of(root_scope(alone).vertices[spec.name])
    return numbers_text(X_RM.as_list())


def _redirect(part: Node, proxy: str) -> None:
    if part.tag in ("link", "model"):
        pose = part.child("pose")
        if pose is None:
            pose = part.with_text("pose", "")
            part.children.append(pose)
        pose.attributes["relative_to"] = pose.attributes.get("relative_to") or proxy
    if part.tag == "frame":
        part.attributes["attached_to"] = part.attributes.get("attached_to") or proxy
    nodes = [part, *part.children] if part.tag == "model" else list(part.walk())
    for node in nodes:
        for attribute in ("relative_to", "attached_to", *EXPRESSED_IN):
            if node.attributes.get(attribute) == MODEL_FRAME:
                node.attributes[attribute] = proxy
        if part.tag == "joint" and node.tag in ("parent", "child") and node.text == MODEL_FRAME:
            node.text = proxy
