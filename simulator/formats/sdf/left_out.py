"""What hangs on an include that is left out is left out, too, so that the rest of the world can be simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.names import SCOPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

ANY = ""
"""In `Node.missing`: the name of what was left out is not known, because it is in the file that is missing."""
_EMPTY = "all of it is in the include that is left out"
_SCOPES = ("sdf", "world", "model")
_FRAMES = ("model", "link", "joint", "frame")
_ENDS = ("parent", "child", "gearbox_reference_body")
_ALWAYS = ("", "world", "__model__", "__root__")


def prune(scope: Node, log: DiagnosticLog) -> None:
    """Leave out, from the inside to the outside, joints, frames and models that refer to what is missing."""
    for child in scope.children:
        if child.tag in _SCOPES:
            prune(child, log)
    if any(child.missing for child in scope.children) or scope.missing:
        while _pruned(scope, log):
            pass


def _pruned(scope: Node, log: DiagnosticLog) -> bool:
    """Leave out what refers to something missing now; True if that makes more things missing."""
    gone = [(child, reason) for child in scope.children if (reason := _reason(child, scope))]
    for child, reason in gone:
        name = child.attributes.get("name", "")
        message = f"{child.tag} '{name}' is left out, too: {reason}"
        hint = "it is read once the included model is there"
        fold = reason if reason == _EMPTY else child.tag
        log.warning("INCLUDE_LEFT_OUT", child.source, message, hint, fold=fold, about=name)
        scope.missing = (*scope.missing, name)
    leaving = {id(child) for child, _ in gone}
    scope.children = [child for child in scope.children if id(child) not in leaving]
    return bool(gone)


def _reason(child: Node, scope: Node) -> str:
    """Why a child of the scope cannot stay; "" if it can."""
    if child.tag not in _FRAMES:
        return ""
    if child.tag == "model" and child.missing and not any(part.tag in ("model", "link") for part in child.children):
        return _EMPTY
    reference = next((text for text in _references(child) if _is_missing(text, scope)), None)
    return "" if reference is None else f"it refers to '{reference}', which is not there without the include"


def _references(child: Node) -> Iterator[str]:
    """Names of frames of the scope that a model, link, joint or frame refers to."""
    yield child.attributes.get("attached_to", "")
    for part in child.children:
        if part.tag == "pose":
            yield part.attributes.get("relative_to", "")
        elif child.tag == "joint" and part.tag in _ENDS:
            yield part.text
        elif part.tag in ("axis", "axis2"):
            yield from (xyz.attributes.get("expressed_in", "") for xyz in part.all("xyz"))


def _is_missing(reference: str, scope: Node) -> bool:
    """Whether the reference leads to something that an include would have brought."""
    first, _, rest = reference.partition(SCOPE)
    if first in _ALWAYS:
        return False
    named = [child for child in scope.children if child.tag in _FRAMES and child.attributes.get("name") == first]
    if named:
        return bool(rest) and any(_is_missing(rest, child) for child in named if child.tag == "model")
    return first in scope.missing or ANY in scope.missing
