"""Judge a tree by a vocabulary: nothing in a document is ignored silently.

READ: the readers use the element. `ignored(reason)`: it would change what is simulated, so the user is informed once
per kind. `silent(reason)`: it cannot change a mechanism's motion. Unless a document is read strictly, what is ignored
is passed over, too, where it says no more than its default does, or is a plugin that only watches.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.errors import closest
from simulator.formats.values import plain_numbers
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node


OWN_PREFIX = "simulator:"
"""Names with this prefix are ours; names with another one belong to other programs and are never judged."""
NONE: frozenset[str] = frozenset()
PLACES = 3
"""Of an element that belongs into more, none is named."""
SHOWN = 40
"""Characters of a text in a message."""


@dataclass(frozen=True)
class Word:
    """How an element is treated; `reason` is for the user (reported) or for the reader of the table."""

    read: bool
    reason: str = ""
    told: bool = False


READ = Word(read=True)


def ignored(reason: str) -> Word:
    """Not simulated; reported to the user."""
    return Word(read=False, reason=reason, told=True)


def silent(reason: str) -> Word:
    """Without any influence on the motion; not reported."""
    return Word(read=False, reason=reason)


def words(read: str, **others: Word) -> dict[str, Word]:
    """The elements that are read (separated by blanks), and how all others are treated."""
    return {**dict.fromkeys(read.split(), READ), **others}


@dataclass(frozen=True)
class Vocabulary:
    """Known elements by parent (or `grandparent/parent`), attributes by element, and what to say about mistakes.

    `repeatable` elements (or `parent/element`) may be repeated, of all others the first counts; `hints` are by (parent,
    unknown name), `deprecated` by (parent, element) with what replaces them. `own` are the elements with our prefix by
    parent: of all names with a prefix only these are judged.

    `defaults` are the values of elements that are ignored, by element and tag ("" for its own text); `watchers` the
    file names of plugins that watch, without `lib` and ending. `empty` are unknown elements, as (parent, element), that
    exporters write and that say nothing as long as their attributes are zeros.
    """

    children: Mapping[str, Mapping[str, Word]]
    attributes: Mapping[str, str]
    repeatable: frozenset[str]
    hints: Mapping[tuple[str, str], str] = field(default_factory=dict)
    deprecated: Mapping[tuple[str, str], str] = field(default_factory=dict)
    own: Mapping[str, frozenset[str]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    watchers: frozenset[str] = NONE
    empty: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def attribute_names(self) -> Mapping[str, frozenset[str]]:
        """The attributes that are known, by element."""
        return {tag: frozenset(names.split()) for tag, names in self.attributes.items()}

    def place_of(self, tag: str) -> str:
        """A hint where an element belongs; "" where that is nowhere, or in too many places to be one."""
        owners = sorted({key.rpartition("/")[2] for key, known in self.children.items() if tag in known})
        return (
            f"<{tag}> belongs into {' or '.join(f'<{owner}>' for owner in owners)}" if 0 < len(owners) <= PLACES else ""
        )

    def words_in(self, tag: str, parent: str) -> Mapping[str, Word]:
        """What an element may hold; `parent` is the tag of the one around it."""
        return self.children.get(f"{parent}/{tag}") or self.children.get(tag, {})


def check_vocabulary(root: Node, vocabulary: Vocabulary, log: DiagnosticLog, *, strict: bool = True) -> None:
    """Warn about unknown elements and attributes, about doubled and deprecated ones, and about what is not simulated;
    unless `strict`, only where that could matter."""
    deprecated = {tag for _, tag in vocabulary.deprecated}
    pending: list[tuple[Node, str]] = [(root, "")]
    while pending:
        node, parent = pending.pop()
        if node.attributes:
            _check_attributes(node, vocabulary, log)
        if not node.children:
            continue
        if node.text:
            shown = node.text if len(node.text) <= SHOWN else f"{node.text[:SHOWN]}…"
            log.warning(
                "ELEMENT_INVALID", node.source, f"the text '{shown}' in <{node.tag}> is not read; it holds elements"
            )
        known = vocabulary.words_in(node.tag, parent)
        if len(node.children) > 1 and len({child.tag for child in node.children}) < len(node.children):
            _check_doubled(node, known, vocabulary, log)
        below = []
        for child in node.children:
            plain = known.get(child.tag) is READ and child.tag not in deprecated
            if not plain and not strict and known.get(child.tag, READ).told and _changes_nothing(child, vocabulary):
                continue
            if (plain or _check_child(node, child, known, vocabulary, log)) and (child.children or child.attributes):
                below.append((child, node.tag))
        pending += reversed(below)


def _check_child(
    parent: Node, child: Node, known: Mapping[str, Word], vocabulary: Vocabulary, log: DiagnosticLog
) -> bool:
    """Whether the child's own content is to be judged."""
    if child.is_user_data:
        return _check_own(parent, child, vocabulary, log)
    word = known.get(child.tag)
    if word is None:
        if (parent.tag, child.tag) in vocabulary.empty and _holds_zeros(child):
            return False
        hint = vocabulary.hints.get((parent.tag, child.tag), "")
        if not hint and log.may_hint:
            hint = vocabulary.place_of(child.tag) or did_you_mean(child.tag, known)
        message = f"<{parent.tag}> has no child <{child.tag}>; it is not read"
        log.warning(
            "ELEMENT_INCORRECT_TYPE", child.source, message, hint, fold=hint or "unknown", about=f"<{child.tag}>"
        )
        return False
    if word.told:
        name = child.attributes.get("name") or child.attributes.get("filename") or ""
        label = f"<{child.tag}> '{name}'" if name else f"<{child.tag}>"
        message = f"{label} is not simulated: {word.reason}"
        log.warning("NOT_SIMULATED", child.source, message, fold=word.reason, about=name or f"<{child.tag}>")
    newer = vocabulary.deprecated.get((parent.tag, child.tag))
    if newer:
        log.warning(
            "ELEMENT_DEPRECATED",
            child.source,
            f"<{child.tag}> is out of date",
            f"use {newer}",
            fold=f"{parent.tag}/{child.tag}",
        )
    return word.read


def _changes_nothing(node: Node, vocabulary: Vocabulary) -> bool:
    """Whether an element that is not simulated could not change anything if it were."""
    if node.tag == "plugin":
        return plugin_name(node.attributes.get("filename", "")) in vocabulary.watchers
    defaults = vocabulary.defaults.get(node.tag)
    if defaults is None:
        return False
    said = {"": node.text} if "" in defaults else {leaf.tag: leaf.text for leaf in node.walk() if not leaf.children}
    return all(not text or _meaning(text) == _meaning(defaults.get(tag, "?")) for tag, text in said.items())


def _holds_zeros(node: Node) -> bool:
    numbers = [plain_numbers(text) for text in node.attributes.values()]
    return not node.children and all(numbers) and not any(map(any, numbers))


def plugin_name(file: str) -> str:
    """`libgz-sim8-physics-system.so`, `ignition-gazebo-physics-system` → `gz-sim-physics-system`."""
    return re.sub(r"^(?:ignition-gazebo|gz-sim)\d*-", "gz-sim-", file.removeprefix("lib").removesuffix(".so"))


def _meaning(text: str) -> object:
    """Numbers, with true and false among them; other texts as they are."""
    words = {"true": "1", "false": "0"}
    return plain_numbers(words.get(text.strip().lower(), text)) or text


def _check_own(parent: Node, child: Node, vocabulary: Vocabulary, log: DiagnosticLog) -> bool:
    """Whether an element with a prefix is to be judged: those of other programs are passed over, ours must be known."""
    if not child.tag.startswith(OWN_PREFIX):
        return False
    if child.tag in vocabulary.own.get(parent.tag, NONE):
        return True
    owners = sorted(owner for owner, known in vocabulary.own.items() if child.tag in known)
    names = {name for known in vocabulary.own.values() for name in known}
    hint = f"<{child.tag}> belongs into <{owners[0]}>" if owners else did_you_mean(child.tag, names)
    message = f"<{parent.tag}> has no child <{child.tag}>; it is not read"
    log.warning("ELEMENT_INCORRECT_TYPE", child.source, message, hint)
    return False


def _check_attributes(node: Node, vocabulary: Vocabulary, log: DiagnosticLog) -> None:
    known = vocabulary.attribute_names.get(node.tag, NONE)
    if known.issuperset(node.attributes):
        return
    for name in node.attributes:
        if name in known or (":" in name and not name.startswith(OWN_PREFIX)) or name == "xmlns":
            continue
        hint = vocabulary.hints.get((node.tag, name), "")
        if not hint and log.may_hint:
            hint = did_you_mean(name, known)
        message = f"<{node.tag}> has no attribute '{name}'; it is not read"
        log.warning("ATTRIBUTE_INCORRECT_TYPE", node.source, message, hint, fold=hint or "unknown", about=name)


def _check_doubled(node: Node, known: Mapping[str, Word], vocabulary: Vocabulary, log: DiagnosticLog) -> None:
    counts = Counter(child.tag for child in node.children)
    for tag, count in counts.items():
        repeatable = tag in vocabulary.repeatable or f"{node.tag}/{tag}" in vocabulary.repeatable
        if count > 1 and not repeatable and tag in known and known[tag].read:
            second = node.all(tag)[1]
            message = f"<{node.tag}> has {count} elements <{tag}>; only the first counts"
            log.warning("ELEMENT_REPEATED", second.source, message, f"take this <{tag}> away")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint about a name that is not known: the nearest one that is, or all of them."""
    names = sorted(known)
    near = closest(name, names)
    if near:
        return f"did you mean '{near}'?"
    shown = f"{', '.join(names[:40])}{', …' if len(names) > 40 else ''}"
    return f"known here: {shown}" if names else "it holds no elements or attributes of its own"
