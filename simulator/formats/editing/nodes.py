"""What the writers of documents make becomes a part of a document that is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.writing.xml_text import OWN_NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.formats.editing.tree import EditableElement
    from simulator.formats.nodes import Node

ONE_LINE = 2
"""An element whose depth is no more than that is written in one line."""


def add_node(
    parent: EditableElement, node: Node, *, before: EditableElement | None = None, inline: bool = False
) -> EditableElement:
    """Add an element with all that is inside of it. What is no more than one level deep has one line."""
    declare_namespaces(parent, (name for item in node.walk() for name in (item.tag, *item.attributes)))
    made = parent.add(node.tag, node.text, node.attributes, before=before, inline=inline)
    flat = inline or node.depth() <= ONE_LINE
    for child in node.children:
        add_node(made, child, inline=flat)
    return made


def declare_namespaces(parent: EditableElement, names: Iterable[str]) -> None:
    """Declare the prefixes of our own elements in the root, once; `names` of elements and attributes."""
    root = next((above for above in parent.parents() if above.parent is None), parent)
    known = root.attributes
    for name in names:
        prefix, colon, _ = name.partition(":")
        if colon and prefix in OWN_NAMESPACES and f"xmlns:{prefix}" not in known:
            root.set(f"xmlns:{prefix}", OWN_NAMESPACES[prefix])
            known = root.attributes
