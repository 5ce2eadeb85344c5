"""Models of SDFormat 1.7 and older whose links are named `nested::link` → models that hold nested models.

Old tools wrote an included model's parts into the including model, with the nested name in front and a frame
`nested::__model__` that says where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import EXPRESSED_IN, Node
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 30
"""Scopes in a name; one with more stays as it is."""
MOVED = ("link", "joint", "frame", "gripper", "model")


def unflatten(model: Node) -> None:
    """Rewrite one model in place; nothing happens where no name holds `::`."""
    nested: dict[str, Node] = {}
    kept: list[Node] = []
    for child in model.children:
        first, separator, rest = child.attributes.get("name", "").partition(SCOPE)
        if child.tag not in MOVED or not separator or rest.count(SCOPE) > DEEPEST:
            kept.append(child)
            continue
        if first not in nested:
            nested[first] = Node("model", child.source, {"name": first}, version=child.version)
            kept.append(nested[first])
        child.attributes["name"] = rest
        own_link = child.attributes.get("attached_to", "").startswith(first + SCOPE)
        _strip_references(child, first + SCOPE)
        _adopt(nested[first], child, own_link)
    model.children = kept
    for child in nested.values():
        unflatten(child)


def _adopt(nested: Node, child: Node, own_link: bool) -> None:
    """Put a part into its model; the frame that represents the model itself becomes the model's pose."""
    if child.tag == "frame" and child.attributes.get("name") == MODEL_FRAME:
        pose = child.child("pose")
        if pose is not None:
            if pose.attributes.get("relative_to") == MODEL_FRAME:
                del pose.attributes["relative_to"]
            nested.children.insert(0, pose)
        if own_link:
            nested.attributes.setdefault("canonical_link", child.attributes["attached_to"])
        return
    nested.children.append(child)


def _strip_references(part: Node, prefix: str) -> None:
    """Names inside the moved part lose the prefix, as they are looked up in the nested model from now on."""
    for node in _below(part):
        if node.tag in ("parent", "child"):
            node.text = node.text.removeprefix(prefix)
        for attribute in ("relative_to", "attached_to", *EXPRESSED_IN):
            if attribute in node.attributes:
                node.attributes[attribute] = node.attributes[attribute].removeprefix(prefix)


def _below(node: Node) -> Iterator[Node]:
    return (item for item in node.walk() if item.tag != "plugin" and not item.is_user_data)
