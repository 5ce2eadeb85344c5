"""Links, models, joints and frames of one scope have one name space: where two of them share a name, the later kind
gets another one.

libsdformat renames so in files before 1.7 and refuses newer ones. Here all are renamed, in the tree, unless they are
read `strict`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import CONSTRAINT, SECOND_AXIS
from simulator.formats.sdf.names import OWN_NAME, free_name, shown
from simulator.model.expressions import with_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.formats.cursor import Cursor
    from simulator.formats.nodes import Node

KINDS = ("link", "model", "joint", "frame")
"""In the order in which they take a name."""
JOINT_NAMES = {"mimic": "joint", "joint_state": "name", "joint": "name"}
"""Elements that name a joint, and in which attribute; a `<joint>` that does is in a block for actuators."""


def distinguish(scope: Cursor) -> None:
    """Rename what shares its name with a thing of another kind in a model or world; what names a joint follows it."""
    if scope.reading.options.strict:
        return
    named = [(kind, node) for kind in KINDS for node in scope.node.all(kind) if "name" in node.attributes]
    counts = Counter(node.attributes["name"] for _, node in named)
    if not counts or counts.most_common(1)[0][1] < 2:
        return
    owner: dict[str, str] = {}
    used = set(counts)
    joints: dict[str, str] = {}
    for kind, node in named:
        name = node.attributes["name"]
        if owner.setdefault(name, kind) == kind:
            continue
        new = free_name(name, kind, used)
        used.add(new)
        node.attributes["name"] = new
        message = f"the {kind} '{shown(name)}' has the name of a {owner[name]}; it is called '{shown(new)}' here"
        scope.log.warning(
            "DUPLICATE_NAME", node.source, message, OWN_NAME, fold=f"{kind} and {owner[name]}", about=name
        )
        if kind == "joint":
            joints.setdefault(name, new)
    if joints:
        _follow(scope.node, joints)


def _follow(scope: Node, joints: dict[str, str]) -> None:
    for node in _own(scope):
        attribute = JOINT_NAMES.get(node.tag, "")
        if node.attributes.get(attribute) in joints:
            node.attributes[attribute] = joints[node.attributes[attribute]]
        if node.tag == CONSTRAINT:
            _follow_in_text(node, joints)


def _follow_in_text(constraint: Node, joints: dict[str, str]) -> None:
    names = joints | {f"{name}{SECOND_AXIS}": f"{new}{SECOND_AXIS}" for name, new in joints.items()}
    follower = constraint.attributes.get("follower", "")
    if follower in names:
        constraint.attributes["follower"] = names[follower]
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # what is no expression is reported as such
        constraint.text = with_names(constraint.text, names)


def _own(scope: Node) -> Iterator[Node]:
    """The contents of a scope, without its models and its joints themselves."""
    for child in scope.children:
        if child.tag == "joint":
            yield from (node for part in child.children for node in part.walk())
        elif child.tag not in ("model", "plugin"):
            yield from child.walk()
