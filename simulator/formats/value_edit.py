"""One number deep inside of an element of an XML document, and nothing else: what is missing on the way to it is
added."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.minimal_edit import elements_of, number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.minimal_edit import Element


@dataclass(frozen=True)
class ValueEdit:
    """A number for the element `tag` that begins in `line` (from 1): number `place` of the `count` numbers that are
    the text of the element at `path` inside of it, or the value of its `attribute`."""

    line: int
    tag: str
    path: tuple[str, ...]
    value: float
    place: int = 0
    count: int = 1
    attribute: str = ""


def with_values(data: bytes, edits: Sequence[ValueEdit]) -> bytes:
    """The document with other numbers. Raises UsageError where an element is not found where it should be or has no
    such number, or the document is no XML in UTF-8."""
    for edit in sorted(edits, key=lambda item: item.line, reverse=True):  # so that lines before it stay
        found = [item for item in elements_of(data) if (item.tag, item.line) == (edit.tag, edit.line)]
        if len(found) != 1:
            raise UsageError(f"line {edit.line} has no <{edit.tag}>, or several; read the document again")
        element = found[0]
        missing = list(edit.path)
        while missing:
            inner = next((child for child in element.children if child.tag == missing[0]), None)
            if inner is None:
                break
            element = inner
            del missing[0]
        data = _with_elements(data, element, missing, edit) if missing else _with_value(data, element, edit)
    return data


def _with_value(data: bytes, element: Element, edit: ValueEdit) -> bytes:
    """With the number in an element that is there."""
    if edit.attribute:
        start = element.start
        text = data[element.start : element.inner]
        found = re.search(rb"\s" + edit.attribute.encode() + rb"\s*=\s*([\"'])(.*?)\1", text, flags=re.DOTALL)
        if found is None:
            end = element.start + len(text.rstrip(b"/> \t\r\n"))
            return data[:end] + f' {edit.attribute}="{_among_zeros(edit)}"'.encode() + data[end:]
        begin = start + found.start(2)
        text = found[2]
    else:
        begin = element.inner
        text = data[element.inner : element.stop]
    plain = re.sub(rb"<!--.*?-->", lambda comment: b" " * len(comment[0]), text, flags=re.DOTALL)
    numbers = list(re.finditer(rb"\S+", plain))
    if len(numbers) < edit.count or element.children:
        raise UsageError(f"<{element.tag}> in line {element.line} does not hold {edit.count} numbers")
    one = numbers[edit.place]
    return data[: begin + one.start()] + number_text(edit.value).encode() + data[begin + one.end() :]


def _with_elements(data: bytes, element: Element, missing: Sequence[str], edit: ValueEdit) -> bytes:
    """With the elements on the way to the number, behind the last child of `element`, in a line of their own where
    that has one."""
    if not element.children:
        raise UsageError(f"<{element.tag}> in line {element.line} has nothing inside that <{missing[0]}> could follow")
    numbers = _among_zeros(edit)
    inmost = missing[-1]
    tags = missing[:-1]
    text = f'<{inmost} {edit.attribute}="{numbers}"/>' if edit.attribute else f"<{inmost}>{numbers}</{inmost}>"
    for tag in reversed(tags):
        text = f"<{tag}>{text}</{tag}>"
    last = element.children[-1]
    end = last.behind(data)
    before = data[: last.start]
    indent = before[len(before.rstrip(b" \t\r\n")) :]
    return data[:end] + indent + text.encode() + data[end:]


def _among_zeros(edit: ValueEdit) -> str:
    """All numbers of a value that was not there."""
    return " ".join(number_text(edit.value) if i == edit.place else "0" for i in range(edit.count))
