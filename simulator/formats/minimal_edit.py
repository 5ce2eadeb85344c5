"""Other numbers in an XML document, and nothing else: every byte around them stays as it is, comments and layout
included."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.sax.saxutils import escape

from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True)
class NumberEdit:
    """Numbers for the element `tag` that begins in `line` (from 1): by the names of its children or, where it has none
    of them, of its attributes. A number that is not there yet is added, unless it is the one in `defaults`."""

    line: int
    tag: str
    numbers: Mapping[str, float]
    defaults: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TextEdit:
    """Another text for the element `tag` that begins in `line` (from 1) and holds no elements."""

    line: int
    tag: str
    text: str


@dataclass
class Element:
    """Where an element is in the bytes of a document: its start tag from `start` to `inner`, its end tag from `stop`
    on, its `line` from 1."""

    tag: str
    start: int
    line: int
    parent: Element | None
    inner: int = 0
    stop: int = 0
    children: list[Element] = field(default_factory=list)

    def has_end_tag(self, data: bytes) -> bool:
        """Whether it ends with `</tag>`, not with `/>`."""
        return re.compile(rb"</" + re.escape(self.tag.encode()) + rb"\s*>").match(data, self.stop) is not None

    def behind(self, data: bytes) -> int:
        """Where it is over."""
        return data.index(b">", self.stop) + 1 if self.has_end_tag(data) else self.inner

    def parents(self) -> Iterator[Element]:
        """Elements around it, the nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent


def edited(data: bytes, edits: Sequence[NumberEdit | TextEdit]) -> bytes:
    """The document with other numbers and texts. Raises UsageError where an element is not found where it should be, or
    the document is not UTF-8."""
    for edit in sorted(edits, key=lambda item: item.line, reverse=True):
        elements = elements_of(data)
        found = [element for element in elements if (element.tag, element.line) == (edit.tag, edit.line)]
        if len(found) != 1:
            raise UsageError(f"line {edit.line} has no <{edit.tag}>, or several; read the document again")
        if isinstance(edit, TextEdit):
            data = _with_text(data, found[0], edit.text)
            continue
        attributes = elements[0].tag == "robot"
        for name, number in reversed(list(edit.numbers.items())):
            change = _attribute_change if attributes else _child_change
            data = change(data, found[0], name, number, edit.defaults.get(name))
            found = [e for e in elements_of(data) if (e.tag, e.line) == (edit.tag, edit.line)]
    return data


def _with_text(data: bytes, element: Element, text: str) -> bytes:
    if element.children or not element.has_end_tag(data):
        raise UsageError(f"<{element.tag}> in line {element.line} has no text that could be changed")
    return data[: element.inner] + escape(text).encode() + data[element.stop :]


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number: '0.02', '5', '1e-07'."""
    return repr(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _child_change(data: bytes, element: Element, name: str, number: float, default: float | None) -> bytes:
    child = next((item for item in element.children if item.tag == name), None)
    if child is None:
        return data if number == default else _with_child(data, element, name, number)
    text = data[child.inner : child.stop]
    inside = re.search(rb"\S+", re.sub(rb"<!--.*?-->", lambda found: b" " * len(found[0]), text, flags=re.DOTALL))
    if inside is None:
        raise UsageError(f"<{name}> in line {child.line} is empty")
    if _reads_as(inside[0], number):
        return data
    return data[: child.inner + inside.start()] + number_text(number).encode() + data[child.inner + inside.end() :]


def _with_child(data: bytes, element: Element, name: str, number: float) -> bytes:
    """With a child more behind the last one, in a line of its own where that has one."""
    if not element.children:
        raise UsageError(f"<{element.tag}> in line {element.line} has nothing inside that <{name}> could be added to")
    last = element.children[-1]
    end = last.behind(data)
    before = data[: last.start]
    indent = before[len(before.rstrip(b" \t\r\n")) :]
    return data[:end] + indent + f"<{name}>{number_text(number)}</{name}>".encode() + data[end:]


def _attribute_change(data: bytes, element: Element, name: str, number: float, default: float | None) -> bytes:
    stop = element.inner
    found = re.search(rb"\s" + name.encode() + rb"\s*=\s*([\"'])(.*?)\1", data[element.start : stop], flags=re.DOTALL)
    if found is None:
        if number == default:
            return data
        end = stop - (2 if data[stop - 2 : stop] == b"/>" else 1)
        end -= len(data[element.start : end]) - len(data[element.start : end].rstrip())
        return data[:end] + f' {name}="{number_text(number)}"'.encode() + data[end:]
    if _reads_as(found[2], number):
        return data
    return data[: element.start + found.start(2)] + number_text(number).encode() + data[element.start + found.end(2) :]


def _reads_as(text: bytes, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False


def elements_of(data: bytes) -> list[Element]:
    """All elements, in the order in which they begin. Raises UsageError where the document is no XML in UTF-8."""
    try:
        data.decode()
        parser = expat.ParserCreate()
        found: list[Element] = []
        open_: list[Element] = []

        def start(tag: str, _attributes: dict[str, str]) -> None:
            at = parser.CurrentByteIndex
            element = Element(tag, at, parser.CurrentLineNumber, open_[-1] if open_ else None, _end_of_tag(data, at))
            if open_:
                open_[-1].children.append(element)
            open_.append(element)
            found.append(element)

        def end(_tag: str) -> None:
            element = open_.pop()
            element.stop = max(parser.CurrentByteIndex, element.inner)

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeDecodeError) as error:
        raise UsageError(f"the document cannot be edited in place: {error}") from error
    return found


def _end_of_tag(data: bytes, start: int) -> int:
    """Behind the `>` of the start tag that begins at `start`; one inside of quotes does not count."""
    found = re.compile(rb"<(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>").match(data, start)
    return found.end() if found is not None else start
