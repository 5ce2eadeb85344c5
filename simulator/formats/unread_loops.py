"""Loops that a document says in ways of other programs and that stay open: each is a finding, or the robot would fall
apart in silence. Most do only where the document is read by the letter (`--strict`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.files import read_regular
from simulator.formats.sdf.detachable import attached_to_itself
from simulator.formats.urdf.dialects import BESIDE, LARGEST

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

ELEMENTS = ("loop_joint", "constraint", "drake:ball_constraint")
"""Of a `<robot>`: that of Isaac Sim, that of HIT's urdfdom, and that of Drake."""
UNKNOWN = ("drake:linear_bushing_rpy", "drake:distance_constraint", "drake:tendon_constraint")
"""Of a model or robot: what ties links or joints in Drake softly, or by a law that is not held here."""
TIES = "write a loop joint, a mimic or <simulator:spring> in its place"
_SECTION = re.compile(r"^closed_loop\s*:(.*?)(?=^\w|\Z)", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r"\[[^\[\]]+\]|^\s*-\s*-", re.MULTILINE)
HINT = (
    "a URDF closes a loop by <loop>, or by <gazebo><joint …> with SDFormat's syntax; SDFormat by a second joint of a "
    "link"
)


def report_unknown_ties(root: Node, log: DiagnosticLog) -> None:
    """One finding for each kind of element that ties what is not in the tree, and has no counterpart here."""
    for node in root.walk():
        if node.tag in UNKNOWN:
            message = f"<{node.tag}> ties parts that no joint ties, and is not read: they are not held together"
            log.warning("LOOP_NOT_READ", node.source, message, TIES, fold=node.tag)


def report_unread_loops(root: Node, log: DiagnosticLog) -> None:
    """One finding for each way, with the number of loops."""
    robots = [root] if root.tag == "robot" else []
    for tag in ELEMENTS:
        for node in (node for robot in robots for node in robot.all(tag)):
            _report(node.source, f"<{tag}>", node.attributes.get("name", ""), log)
    for model in robots or (node for node in root.walk() if node.tag == "model"):
        owners = [model, *model.all("gazebo")]
        for plugin in attached_to_itself(owners, model.attributes.get("name", "")):
            _report(plugin.source, "the plugin DetachableJoint", plugin.text_of("child_link"), log)
    if robots:
        beside = Path(root.source.file).with_name(BESIDE)
        for pair in _pairs_of(beside):
            _report(Source(str(beside), 1), "closed_loop", pair, log)


def _report(where: Source, what: str, name: str, log: DiagnosticLog) -> None:
    label = f"{what} '{name}'" if name else what
    message = f"{label} closes a loop, and is not read: the loop is open"
    log.warning("LOOP_NOT_READ", where, message, HINT, fold=what, about=name)


def _pairs_of(path: Path) -> list[str]:
    try:
        text = read_regular(path, LARGEST).decode("utf-8", errors="replace")
    except OSError:
        return []
    section = _SECTION.search(text)
    return [] if section is None else [" ".join(pair.strip("[]- ").split()) for pair in _PAIR.findall(section[1])]
