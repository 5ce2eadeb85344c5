"""Where a document names a part: its users hang on it, and another name has to reach them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import CONSTRAINT, DRIVE, EXCLUDE, LOAD, PARAMETER, SPRING, TORSION_SPRING
from simulator.formats.sdf.names import SCOPE
from simulator.formats.writing.references import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.formats.editing.tree import EditableElement

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "pose": ("relative_to",),
    "xyz": ("expressed_in",),
    "fdir1": ("gz:expressed_in",),
    "frame": ("attached_to",),
    "mimic": ("joint",),
    "model": ("canonical_link", "placement_frame"),
    "joint_state": ("name",),
    "link_state": ("name",),
    CONSTRAINT: ("follower",),
    DRIVE: ("axis",),
    EXCLUDE: ("link", "other"),
    LOAD: ("link",),
    PARAMETER: ("link",),
    SPRING: ("link", "other"),
    TORSION_SPRING: ("joint",),
    "simulator:parent_pose": ("relative_to",),
    "parent": ("link",),
    "child": ("link",),
    "predecessor": ("link",),
    "successor": ("link",),
    "gazebo": ("reference",),
}
"""Attributes that name a part, by the element that has them."""
TEXTS = frozenset(ELEMENTS)
"""Elements whose text names a part."""
ANYWHERE = frozenset({DRIVE, LOAD, SPRING, TORSION_SPRING})
"""Elements that may name a part by the last part of its scoped name."""
UNITS = {"joint", "frame", "link", "model", "mimic", "joint_state", "link_state", "loop", "gazebo"}
OWNERS = UNITS | ANYWHERE | {CONSTRAINT, EXCLUDE, PARAMETER}
"""Elements with a meaning of their own."""
AXIS = ":axis2"


def references_to(top: EditableElement, part: EditableElement) -> list[EditableElement]:
    """The elements with a meaning of their own that name a part: joints, frames, links, loads, drives, states, mimics;
    each once."""
    root = next((above for above in top.parents() if above.parent is None), top)
    found: list[EditableElement] = []
    for item, _ in _uses(root, part):
        owner = _owner(item)
        if owner is not part and owner not in found and not any(above is part for above in owner.parents()):
            found.append(owner)
    return found


def rename(part: EditableElement, other: str) -> None:
    """Another name for a part, wherever the document names it."""
    root = next((above for above in part.parents() if above.parent is None), part)
    name = part.get("name")
    for item, attribute in list(_uses(root, part)):
        if item.tag == CONSTRAINT and not attribute:
            item.text = _word(name).sub(other, item.text)
            continue
        old = item.get(attribute) if attribute else item.text
        head, axis = (old[: -len(AXIS)], AXIS) if old.endswith(AXIS) else (old, "")
        new = head[: len(head) - len(name)] + other + axis if head.endswith(name) else _inside(old, part, other)
        if attribute:
            item.set(attribute, new)
        else:
            item.text = new
    part.set("name", other)


def _word(name: str) -> re.Pattern[str]:
    """A name in an expression."""
    return re.compile(rf"(?<![\w:]){re.escape(name)}(?!\w)")


def _inside(text: str, part: EditableElement, other: str) -> str:
    """`outer::name::link` with another name for the model in its middle."""
    parts = text.split(SCOPE)
    return SCOPE.join(other if one == part.get("name") else one for one in parts)


def _uses(root: EditableElement, part: EditableElement) -> Iterator[tuple[EditableElement, str]]:
    for item in root.walk():
        if item.tag in TEXTS and _means(item, item.text, part):
            yield item, ""
        if item.tag == CONSTRAINT and _scope_of(item) is _scope_of(part) and _word(part.get("name")).search(item.text):
            yield item, ""
        for attribute in ATTRIBUTES.get(item.tag, ()):
            if _means(item, item.get(attribute), part):
                yield item, attribute


def _means(user: EditableElement, text: str, part: EditableElement) -> bool:
    """Whether a name that is written in `user` is that of the part, or begins with it, as `model::link` does."""
    text = text.removesuffix(AXIS)
    name = part.get("name")
    if not text or name not in text.split(SCOPE):
        return False
    scope = _scope_of(user)
    if user.tag == "model":
        scope = user
    for around in (scope, *scope.parents()):
        seen = _seen_from(around, part)
        if seen and (text == seen or text.startswith(f"{seen}{SCOPE}")):
            return True
        if user.tag not in ANYWHERE:
            break
    return user.tag in ANYWHERE and text == name


def _scope_of(item: EditableElement) -> EditableElement:
    """The model or world in which a name is looked up; that of a `<model>` itself is the one around it."""
    return next((above for above in item.parents() if above.tag in ("model", "world", "sdf", "robot")), item)


def _seen_from(scope: EditableElement, part: EditableElement) -> str:
    """The scoped name of a part from a model or world around it; "" where it is not inside."""
    names = [part.get("name")]
    for above in part.parents():
        if above is scope:
            return SCOPE.join(reversed(names))
        if above.tag == "model":
            names.append(above.get("name"))
    return ""


def _owner(item: EditableElement) -> EditableElement:
    """The element with a meaning of its own that an element belongs to."""
    if item.tag in OWNERS:
        return item
    return next((above for above in item.parents() if above.tag in OWNERS), item)
