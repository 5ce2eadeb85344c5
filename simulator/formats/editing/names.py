"""Another name in a document, where it occurs in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.editing.tree import EditableTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.formats.editing.tree import EditableElement

DEFINES = "name"
"""The attribute that gives a name; all others refer to one."""


def renamed(data: bytes, line: int, wrong: str, right: str) -> list[bytes]:
    """The document with `right` in one of the places where `wrong` is, once for each of them: as a reference, a value,
    a tag or the name of an attribute in the elements that begin in `line` (from 1), and in what is inside of them.

    Raises UsageError where the document is no XML in UTF-8.
    """
    found = []
    for number, _ in enumerate(_changes(EditableTree(data), line, wrong, right)):
        tree = EditableTree(data)
        list(_changes(tree, line, wrong, right))[number]()
        found.append(tree.data)
    return found


def _changes(tree: EditableTree, line: int, wrong: str, right: str) -> Iterator[Callable[[], None]]:
    for element in tree.root.walk():
        if element.line == line or any(parent.line == line for parent in element.parents()):
            yield from _changes_in(element, wrong, right)


def _changes_in(element: EditableElement, wrong: str, right: str) -> Iterator[Callable[[], None]]:
    if element.tag == wrong:
        yield lambda: element.rename(right)
    for name, value in element.attributes.items():
        if name == wrong:
            yield lambda: element.rename_attribute(wrong, right)
        if value == wrong and name != DEFINES:
            yield lambda name=name: element.set(name, right)  # type: ignore[misc]
    if not element.elements and element.text == wrong:
        yield lambda: setattr(element, "text", right)
