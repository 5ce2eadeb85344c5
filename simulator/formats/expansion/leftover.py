"""Calls of macros that were left when a document was expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.expansion.expand import PREFIX

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

DIRECTIVES = frozenset(
    PREFIX + name for name in ("include", "macro", "property", "arg", "if", "unless", "element", "attribute")
)
"""Elements of xacro that mean something by themselves: a document that has one is still to be expanded."""


def leave_out_calls(root: Node, path: Path, log: DiagnosticLog) -> None:
    """Take the calls of macros out of a document that defines none and has nothing else of xacro, as readers of URDF
    pass over what they do not know. A file named .xacro may be part of one that defines them: it stays."""
    found = [node for node in root.walk() if node.tag.startswith(PREFIX)]
    if not found or path.suffix.lower() == ".xacro" or any(node.tag in DIRECTIVES for node in found):
        return
    for call in found:
        message = f"<{call.tag}> calls a macro of xacro that the document does not define; it is left out"
        log.warning(
            "XACRO_NOT_EXPANDED", call.source, message, "expand the .xacro that this was made from again", fold="call"
        )
    for node in list(root.walk()):
        node.children = [child for child in node.children if not child.tag.startswith(PREFIX)]
