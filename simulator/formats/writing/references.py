"""Names by which elements of a tree refer to frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import EXPRESSED_IN
from simulator.formats.sdf.names import SCOPE

if TYPE_CHECKING:
    from simulator.formats.nodes import Node

ATTRIBUTES = ("relative_to", "attached_to", *EXPRESSED_IN, "placement_frame")
ELEMENTS = ("parent", "child", "gearbox_reference_body")


def referenced_frames(tree: Node) -> frozenset[str]:
    """Every name that a pose, frame, axis or joint refers to, without its scope."""
    named = {node.attributes[name] for node in tree.walk() for name in ATTRIBUTES if name in node.attributes}
    named |= {node.text for node in tree.walk() if node.tag in ELEMENTS}
    return frozenset(name.rpartition(SCOPE)[2] for name in named)
