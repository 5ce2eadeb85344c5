"""Another name in an XML document, where it occurs in one place; every byte around it stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.formats.minimal_edit import elements_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.formats.minimal_edit import Element

Spans = tuple[tuple[int, int], ...]
_ATTRIBUTE = re.compile(rb"\s([\w:.-]+)\s*=\s*([\"'])(.*?)\2", re.DOTALL)
DEFINES = b"name"
"""The attribute that gives a name; all others refer to one."""


def places_of(data: bytes, line: int, name: str) -> list[Spans]:
    """Where a name occurs in the elements that begin in `line` (from 1), and in what is inside of them: as a
    reference, a value, a tag (two spans, with its end tag) or the name of an attribute. Spans count bytes.

    Raises UsageError where the document is no XML in UTF-8.
    """
    elements = elements_of(data)
    wanted = name.encode()
    found = []
    for element in elements:
        if element.line == line or any(parent.line == line for parent in element.parents()):
            found += list(_places_in(data, element, wanted))
    return found


def with_name(data: bytes, place: Spans, name: str) -> bytes:
    """The document with `name` in a place that `places_of` found."""
    for start, stop in sorted(place, reverse=True):
        data = data[:start] + name.encode() + data[stop:]
    return data


def _places_in(data: bytes, element: Element, name: bytes) -> Iterator[Spans]:
    if element.tag.encode() == name:
        opening = (element.start + 1, element.start + 1 + len(name))
        closing = (element.stop + 2, element.stop + 2 + len(name))
        yield (opening, closing) if element.has_end_tag(data) else (opening,)
    for found in _ATTRIBUTE.finditer(data, element.start, element.inner):
        if found[1] == name:
            yield (found.span(1),)
        if found[3] == name and found[1] != DEFINES:
            yield (found.span(3),)
    text = data[element.inner : element.stop]
    if not element.children and text.strip() == name:
        start = element.inner + text.index(name)
        yield ((start, start + len(name)),)
