"""What of a file does not come through a conversion: above all what URDF says that has no place in SDFormat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, Source
from simulator.formats.expansion.expand import PREFIX
from simulator.formats.urdf.vocabulary import URDF
from simulator.formats.xml import parse_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.nodes import Node

CODE = "CONVERT_DROPPED"
BROUGHT_ALONG = frozenset({"gazebo", "transmission", "ros2_control"})
_OF_MODEL = frozenset(
    {"pose", "parent", "child", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body", "physics"}
)


def report_left_out(file: str, data: bytes, lost: Sequence[Node], comments: int, log: DiagnosticLog) -> None:
    """One info for each kind of thing that is lost, at its first place.

    `lost`: elements whose contents found no place; `comments`: how many of the file's comments found none.
    """
    for node in lost:
        parts = ", ".join(sorted({f"<{part.tag}>" for part in node.children if part.tag not in _OF_MODEL}))
        label = f"<{node.tag}> '{node.attributes.get('name', '')}'"
        log.info(CODE, node.source, f"{parts} of {label} is not written, as that element is another one now")
    if comments:
        count = "one comment is" if comments == 1 else f"{comments} comments are"
        log.info(CODE, Source(file, 1), f"{count} not written: their neighbours are gone")
    parsed = parse_bytes(data, file, DiagnosticLog())
    if parsed is not None and parsed.root.tag == "robot":
        _report_urdf(parsed.root, log)


def _report_urdf(robot: Node, log: DiagnosticLog) -> None:
    lost: dict[str, list[Node]] = {}
    pending = [(robot, "")]
    while pending:
        node, parent = pending.pop()
        known = URDF.words_in(node.tag, parent)
        for child in node.children:
            word = known.get(child.tag)
            if child.tag.startswith(PREFIX):
                continue  # a macro has done what it is for
            if word is not None and word.read:
                pending.append((child, node.tag))
            elif child.is_user_data or (word is not None and child.tag not in BROUGHT_ALONG):
                lost.setdefault(f"<{child.tag}> of <{node.tag}>", []).append(child)
    for kind, nodes in sorted(lost.items()):
        first = min(nodes, key=lambda node: node.source.line)
        times = f" ({len(nodes)} times)" if len(nodes) > 1 else ""
        log.info(CODE, first.source, f"{kind} is not written{times}: SDFormat has no place for it")
