"""Judge a tree by the vocabulary: nothing that stands in a document is passed over in silence."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING

from simulator.formats.sdf.vocabulary import ATTRIBUTES, CHILDREN, DEPRECATED, HINTS, REPEATABLE, Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

URDF_STYLE_MIMIC = ("multiplier", "offset", "reference")


def check_vocabulary(root: Node, log: DiagnosticLog) -> None:
    """Warn about unknown elements and attributes, about doubled and deprecated ones, and about what is not simulated."""
    pending: list[tuple[Node, str]] = [(root, "")]
    while pending:
        node, parent = pending.pop()
        _check_attributes(node, log)
        known = CHILDREN.get(f"{parent}/{node.tag}", CHILDREN.get(node.tag, {}))
        _check_doubled(node, known, log)
        below = [child for child in node.children if _check_child(node, child, known, log)]
        pending += [(child, node.tag) for child in reversed(below)]


def _check_child(parent: Node, child: Node, known: dict[str, Word], log: DiagnosticLog) -> bool:
    """Whether the child's own content is to be judged."""
    if child.is_user_data:
        return False
    word = known.get(child.tag)
    if word is None:
        hint = HINTS.get((parent.tag, child.tag)) or _did_you_mean(child.tag, known)
        log.warning(
            "ELEMENT_INCORRECT_TYPE", child.source, f"<{parent.tag}> has no child <{child.tag}>; it is not read", hint
        )
        return False
    if word.told:
        kind = f"{parent.tag}/{child.tag}" if child.tag != "plugin" else "plugin"
        name = child.attributes.get("name") or child.attributes.get("filename") or ""
        label = f"<{child.tag}> '{name}'" if name else f"<{child.tag}>"
        log.warn_once("NOT_SIMULATED", kind, child.source, f"{label} is not simulated: {word.reason}")
    newer = DEPRECATED.get((parent.tag, child.tag))
    if newer:
        log.warn_once(
            "ELEMENT_DEPRECATED",
            f"{parent.tag}/{child.tag}",
            child.source,
            f"<{child.tag}> is out of date",
            f"use {newer}",
        )
    return word.read


def _check_attributes(node: Node, log: DiagnosticLog) -> None:
    known = ATTRIBUTES.get(node.tag, "").split()
    for name in node.attributes:
        if name in known or ":" in name or name == "xmlns":
            continue
        if node.tag == "mimic" and name in URDF_STYLE_MIMIC:
            continue  # the axis reader says more about these
        hint = HINTS.get((node.tag, name)) or _did_you_mean(name, known)
        log.warning(
            "ATTRIBUTE_INCORRECT_TYPE", node.source, f"<{node.tag}> has no attribute '{name}'; it is not read", hint
        )


def _check_doubled(node: Node, known: dict[str, Word], log: DiagnosticLog) -> None:
    counts = Counter(child.tag for child in node.children)
    for tag, count in counts.items():
        if count > 1 and tag not in REPEATABLE and tag in known and known[tag].read:
            second = node.all(tag)[1]
            message = f"<{node.tag}> has {count} elements <{tag}>; only the first counts"
            log.warning("ELEMENT_REPEATED", second.source, message, f"take this <{tag}> away")


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"known here: {', '.join(names)}" if names else "it holds no elements or attributes of its own"
