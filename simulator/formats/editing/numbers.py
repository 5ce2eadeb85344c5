"""Numbers of a document, and nothing else: what is missing on the way to one is added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.editing.nodes import declare_namespaces
from simulator.formats.editing.tree import EditableTree
from simulator.formats.values import number_text
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.editing.tree import EditableElement


@dataclass(frozen=True)
class ValueEdit:
    """A number for the element `tag` that begins in `line` (from 1): number `place` of the `count` numbers that are the
    text of the element at `path` inside of it, or the value of its `attribute`, or all numbers of that attribute. Where
    nothing is there yet, nothing is written for the `default`."""

    line: int
    tag: str
    path: tuple[str, ...]
    value: float | tuple[float, ...]
    place: int = 0
    count: int = 1
    attribute: str = ""
    default: float | tuple[float, ...] | None = None


@dataclass(frozen=True)
class TextEdit:
    """Another text for the element `tag` that begins in `line` (from 1) and holds no elements."""

    line: int
    tag: str
    text: str


def with_values(data: bytes, edits: Sequence[ValueEdit | TextEdit]) -> bytes:
    """The document with other numbers and texts. Raises UsageError where an element is not found where it should be or
    has no such number, or the document is no XML in UTF-8."""
    tree = EditableTree(data)
    for edit in edits:
        element = tree.at(edit.line, edit.tag)
        if isinstance(edit, TextEdit):
            element.text = edit.text
        else:
            _write(element, edit)
    return tree.data


def descend(element: EditableElement, path: Sequence[str]) -> EditableElement:
    """The element at a path of tags, the first of each; what is missing is added."""
    added = False
    for tag in path:
        found = element.child(tag)
        element = element.add(tag, inline=added) if found is None else found
        added = added or found is None
    return element


def _write(owner: EditableElement, edit: ValueEdit) -> None:
    found: EditableElement | None = owner
    for tag in edit.path:
        found = found.child(tag) if found is not None else None
    words = _words_of(found, edit.attribute)
    if isinstance(edit.value, tuple):
        _write_all(owner, edit, words, edit.value)
        return
    if not words:
        if found is not None and edit.path and not edit.attribute:
            raise UsageError(f"<{found.tag}> in line {found.line} is empty")
        if edit.value != edit.default:
            texts = [number_text(edit.value) if i == edit.place else "0" for i in range(edit.count)]
            made = descend(owner, edit.path)
            declare_namespaces(owner, edit.path)
            if edit.attribute:
                made.set(edit.attribute, " ".join(texts))
            else:
                made.text = " ".join(texts)
        return
    if found is None or len(words) < edit.count or (found.elements and not edit.attribute):
        raise UsageError(f"<{edit.tag}> in line {edit.line} does not hold {edit.count} numbers there")
    if not _reads_as(words[edit.place], edit.value):
        found.set_word(edit.place, number_text(edit.value), edit.attribute)


def _write_all(owner: EditableElement, edit: ValueEdit, words: Sequence[str], numbers: tuple[float, ...]) -> None:
    """Write all numbers of an attribute, of which one word may stand for many that are the same."""
    said = list(words) * (len(numbers) if len(words) == 1 else 1)
    same = len(said) == len(numbers) and all(map(_reads_as, said, numbers))
    if not same and (words or numbers != edit.default):
        numbers = numbers[:1] if len(words) == 1 and len(set(numbers)) == 1 else numbers
        made = descend(owner, edit.path)
        declare_namespaces(owner, edit.path)
        made.set(edit.attribute, " ".join(map(number_text, numbers)))


def _words_of(element: EditableElement | None, attribute: str) -> list[str]:
    if element is None:
        return []
    return element.get(attribute).split() if attribute else element.words()


def _reads_as(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False
