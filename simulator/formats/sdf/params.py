"""`<experimental:params>` of an include: elements of the included model are added, changed, replaced or taken away.

Each child names an element of the model by its tag and `element_id` ("link::visual"; "" is the model itself) and says
what to do in `action`; without one, each of its own children has an action. What cannot be done is an error, the rest
is still done (libsdformat's rules, src/ParamPassing.cc).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.vocabulary import check_vocabulary, did_you_mean

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog

PARAMS = "experimental:params"
ACTIONS = ("add", "modify", "remove", "replace")
_INSTRUCTIONS = ("element_id", "action")
"""Attributes that say what to do and are not part of the element."""


def apply_params(model: Node, params: Node, log: DiagnosticLog) -> None:
    """Patch the included model in place."""
    for patch in params.children:
        target = _target(model, patch, log)
        if target is None:
            continue
        owner, element = target
        if "action" in patch.attributes:
            _act(owner, element, patch, log)
            continue
        for child in patch.children:
            if _has_action(child, log):
                _act(element, _child_like(element, child), child, log)


def _target(model: Node, patch: Node, log: DiagnosticLog) -> tuple[Node, Node] | None:
    """The element that a patch is about and the one around it; of an element to be added, twice the one that it goes
    into."""
    path = _element_id(patch, log)
    if path is None or ("action" in patch.attributes and not _has_action(patch, log)):
        return None
    adds = patch.attributes.get("action") == "add"
    if adds and not _named(patch, log):
        return None
    for owner, element in [(model, model)] if path == "" else _by_path(model, path):
        if adds:
            return element, element
        if element.tag == patch.tag:
            return owner, element
    message = f"the included model has no {'element' if adds else f'<{patch.tag}>'} '{path}'; the change is not made"
    log.error("ELEMENT_MISSING", patch.source, message, did_you_mean(path, _paths(model, "")))
    return None


def _element_id(patch: Node, log: DiagnosticLog) -> str | None:
    path = patch.attributes.get("element_id")
    if path is None:
        message = f"<{patch.tag}> has no attribute 'element_id'; the change is not made"
        log.error("ATTRIBUTE_MISSING", patch.source, message, "element_id='link::visual' names an element")
    elif path.endswith(SCOPE):
        log.error("ATTRIBUTE_INVALID", patch.source, f"element_id '{path}' ends with '::'; the change is not made")
        return None
    return path


def _by_path(owner: Node, path: str) -> list[tuple[Node, Node]]:
    """All (element around it, element) whose names along the way make `path`; names may hold `::` themselves."""
    found = []
    for child in owner.children:
        name = child.attributes.get("name")
        if name and path == name:
            found.append((owner, child))
        elif name and path.startswith(name + SCOPE):
            found += _by_path(child, path[len(name) + len(SCOPE) :])
    return found


def _named(patch: Node, log: DiagnosticLog) -> bool:
    name = patch.attributes.get("name")
    if name:
        return True
    code = "ATTRIBUTE_MISSING" if name is None else "ATTRIBUTE_INVALID"
    log.error(code, patch.source, f"the <{patch.tag}> that is to be added has no name; it is not added")
    return False


def _has_action(patch: Node, log: DiagnosticLog) -> bool:
    action = patch.attributes.get("action")
    if action in ACTIONS:
        return True
    code = "ATTRIBUTE_MISSING" if action is None else "ATTRIBUTE_INVALID"
    what = "has no attribute 'action'" if action is None else f"has the unknown action '{action}'"
    log.error(code, patch.source, f"<{patch.tag}> {what}; the change is not made", f"actions: {', '.join(ACTIONS)}")
    return False


def _paths(owner: Node, prefix: str) -> list[str]:
    """What `element_id` may be."""
    found = []
    for child in owner.children:
        name = child.attributes.get("name")
        if name:
            found += [prefix + name, *_paths(child, prefix + name + SCOPE)]
    return found


def _child_like(owner: Node, patch: Node) -> Node | None:
    """The first child with the patch's tag and, where it gives one, its name."""
    name = patch.attributes.get("name")
    return next((c for c in owner.all(patch.tag) if name is None or c.attributes.get("name") == name), None)


def _act(owner: Node, element: Node | None, patch: Node, log: DiagnosticLog) -> None:
    action = patch.attributes["action"]
    if action == "add":
        _add(owner, patch, log)
    elif element is None:
        message = f"<{owner.tag}> has no <{patch.tag}>{_label(patch)} to {action}; the change is not made"
        log.error("ELEMENT_MISSING", patch.source, message)
    elif action == "modify":
        _modify(element, patch, log)
    elif element is owner:
        message = "an included model is not taken away or replaced by its own include; the change is not made"
        log.error("ATTRIBUTE_INVALID", patch.source, message, "leave the include away, or include another model")
    elif action == "replace":
        owner.children[_index(owner, element)] = _judged(owner, _plain(patch), log)
    else:
        _remove(owner, element, patch, log)


def _label(patch: Node) -> str:
    name = patch.attributes.get("name")
    return f" named '{name}'" if name else ""


def _add(owner: Node, patch: Node, log: DiagnosticLog) -> None:
    name = patch.attributes.get("name")
    if name is not None and patch.tag != "plugin" and _child_like(owner, patch) is not None:
        message = f"<{owner.tag}> has a <{patch.tag}> named '{name}' already; it is not added"
        log.error("DUPLICATE_NAME", patch.source, message, "change it with action='modify'")
        return
    owner.children.append(_judged(owner, _plain(patch), log))


def _modify(element: Node, patch: Node, log: DiagnosticLog) -> None:
    """New attributes and texts; what is not written stays. An empty element goes back to its default."""
    element.attributes |= _attributes(patch)
    if not patch.children:
        element.text = patch.text
        return
    for part in patch.children:
        nameless = [child for child in element.all(part.tag) if "name" not in child.attributes]
        found = _child_like(element, part) or next(iter(nameless), None)
        if found is not None:
            _modify(found, part, log)
        elif "name" in part.attributes:
            log.error("ELEMENT_MISSING", part.source, f"<{element.tag}> has no <{part.tag}>{_label(part)} to modify")
        else:  # not written in the model: its default is modified
            element.children.append(_judged(element, _plain(part), log))


def _remove(owner: Node, element: Node, patch: Node, log: DiagnosticLog) -> None:
    """The element or, where the patch has children, only those."""
    if not patch.children:
        del owner.children[_index(owner, element)]
        return
    for part in patch.children:
        found = _child_like(element, part)
        if found is None:
            log.error("ELEMENT_MISSING", part.source, f"<{element.tag}> has no <{part.tag}>{_label(part)} to remove")
        else:
            del element.children[_index(element, found)]


def _index(owner: Node, element: Node) -> int:
    return next(index for index, child in enumerate(owner.children) if child is element)


def _attributes(patch: Node) -> dict[str, str]:
    return {name: value for name, value in patch.attributes.items() if name not in _INSTRUCTIONS}


def _plain(patch: Node) -> Node:
    copy = patch.copy()
    copy.attributes = _attributes(patch)
    return copy


def _judged(owner: Node, element: Node, log: DiagnosticLog) -> Node:
    """The same element, its vocabulary checked like that of any other."""
    check_vocabulary(Node(owner.tag, element.source, children=[element]), SDFORMAT, log)
    return element
