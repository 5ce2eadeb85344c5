"""An XML document as a tree of its own pieces of text: what is not changed is written as it was read.

An element holds the text of its start tag, what is between its tags (text with comments, and elements), and the text of
its end tag. A change replaces one of these pieces; `EditableTree.data` joins them all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.sax.saxutils import escape, unescape

from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

QUOTES = {"&quot;": '"', "&apos;": "'"}
_COMMENT = re.compile(r"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_TAG = re.compile(rb"<(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>")
_ATTRIBUTE = re.compile(r"\s+([\w:.-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
INDENT = "  "


class EditableElement:
    """An element: `tag`, `line` (from 1) where it began when the document was read, 0 for one that was added, and
    `parent`, None for the root."""

    def __init__(self, tag: str, opening: str, closing: str, line: int = 0) -> None:
        self.tag = tag
        self.line = line
        self.parent: EditableElement | None = None
        self._opening = opening
        self._content: list[str | EditableElement] = []
        self._names: dict[str, dict[str, EditableElement]] = {}
        self._closing = closing
        self._parsed: tuple[str, dict[str, str]] = ("", {})

    def __repr__(self) -> str:
        return f"<{self.tag}> of line {self.line}"

    @property
    def is_empty_tag(self) -> bool:
        """Whether it is one tag, `<tag/>`."""
        return self._opening.endswith("/>")

    def take(self, part: str | EditableElement) -> None:
        """What a reader finds next inside of it."""
        if isinstance(part, EditableElement):
            part.parent = self
        if part:
            self._content.append(part)
            self._names = {}

    def close(self, tag: str) -> None:
        """The end tag that a reader finds."""
        self._closing = tag

    # -- attributes ----------------------------------------------------------------------------------------------------

    @property
    def attributes(self) -> dict[str, str]:
        """Names and values, in order; a copy."""
        return dict(self._named_values())

    def get(self, name: str, default: str = "") -> str:
        """The value of an attribute."""
        return self._named_values().get(name, default)

    def _named_values(self) -> dict[str, str]:
        """Of the start tag as it is now, which is looked at once."""
        opening, values = self._parsed
        if opening != self._opening:
            found = _ATTRIBUTE.findall(self._opening) if "=" in self._opening else ()
            values = {name: unescape(value[1:-1], QUOTES) for name, value in found}
            self._parsed = (self._opening, values)
        return values

    def set(self, name: str, value: str) -> None:
        """Change an attribute, or add one behind the others."""
        self._forget_names()
        for match in _ATTRIBUTE.finditer(self._opening):
            if match[1] == name:
                start, stop = match.span(2)
                quote = match[2][0]
                inner = escape(value, {'"': "&quot;"} if quote == '"' else {"'": "&apos;"})
                self._opening = self._opening[:start] + quote + inner + quote + self._opening[stop:]
                return
        end = len(self._opening.rstrip("/> \t\r\n"))
        added = f' {name}="{escape(value, {chr(34): "&quot;"})}"'
        self._opening = self._opening[:end] + added + self._opening[end:]

    def rename_attribute(self, name: str, other: str) -> None:
        """Another name for an attribute, which keeps its place and value."""
        self._forget_names()
        for match in _ATTRIBUTE.finditer(self._opening):
            if match[1] == name:
                start, stop = match.span(1)
                self._opening = self._opening[:start] + other + self._opening[stop:]
                return

    def unset(self, name: str) -> None:
        """Remove an attribute, if it is there."""
        self._forget_names()
        for match in _ATTRIBUTE.finditer(self._opening):
            if match[1] == name:
                self._opening = self._opening[: match.start()] + self._opening[match.end() :]
                return

    # -- what is inside ------------------------------------------------------------------------------------------------

    @property
    def elements(self) -> list[EditableElement]:
        """The elements directly inside, in order."""
        return [part for part in self._content if isinstance(part, EditableElement)]

    def child(self, tag: str) -> EditableElement | None:
        """The first element inside of that name."""
        parts = iter(self._content)
        return next((part for part in parts if isinstance(part, EditableElement) and part.tag == tag), None)

    def all(self, tag: str) -> list[EditableElement]:
        """All elements inside of that name."""
        return [element for element in self.elements if element.tag == tag]

    def named(self, tag: str) -> dict[str, EditableElement]:
        """The elements inside of that name by their attribute `name`, the first of each; looked up once, and not to
        be changed."""
        found = self._names.get(tag)
        if found is None:
            found = self._names[tag] = {}
            for element in self.all(tag):
                found.setdefault(element.get("name"), element)
        return found

    def _forget_names(self) -> None:
        """The element may have another name now: look it up again."""
        if self.parent is not None:
            self.parent._names = {}

    def walk(self) -> Iterator[EditableElement]:
        """This element and everything below it, in the order of the document."""
        yield self
        for element in self.elements:
            yield from element.walk()

    def parents(self) -> Iterator[EditableElement]:
        """The elements around it, the nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    @property
    def text(self) -> str:
        """What is written inside, without comments and blanks around it."""
        return unescape(_COMMENT.sub("", "".join(part for part in self._content if isinstance(part, str)))).strip()

    @text.setter
    def text(self, value: str) -> None:
        """Other words; where there are as many as before, blanks and comments between them stay."""
        words = self.words()
        wanted = value.split()
        if self.elements:
            raise UsageError(f"<{self.tag}> holds elements, and no text")
        if words and len(words) == len(wanted):
            for place, word in enumerate(wanted):
                self.set_word(place, word)
            return
        self._open_up()
        self._content = [escape(value)]

    def words(self) -> list[str]:
        """The words of the text."""
        return self.text.split()

    def set_word(self, place: int, word: str, attribute: str = "") -> None:
        """Change one word of the text or of an attribute; comments and blanks around it stay. Raises UsageError where
        there is none."""
        raw = self.get(attribute) if attribute else "".join(part for part in self._content if isinstance(part, str))
        plain = _COMMENT.sub(lambda found: " " * len(found[0]), raw)
        found = list(re.finditer(r"\S+", plain))
        if (self.elements and not attribute) or place >= len(found):
            raise UsageError(f"<{self.tag}> in line {self.line} does not hold {place + 1} words")
        start, stop = found[place].span()
        if attribute:
            self.set(attribute, raw[:start] + word + raw[stop:])
        elif unescape(found[place][0]) != word:
            self._content = [raw[:start] + escape(word) + raw[stop:]]

    # -- changes of the tree -------------------------------------------------------------------------------------------

    def add(
        self,
        tag: str,
        text: str = "",
        attributes: Mapping[str, str] | None = None,
        *,
        before: EditableElement | None = None,
        inline: bool = False,
    ) -> EditableElement:
        """Add an element: behind the last one of the same name, else behind all, or `before` another one. It has a line
        of its own, with the indentation of its neighbours, or with `inline` none."""
        names = "".join(f' {name}="{escape(value, {chr(34): "&quot;"})}"' for name, value in (attributes or {}).items())
        made = EditableElement(tag, f"<{tag}{names}>" if text else f"<{tag}{names}/>", f"</{tag}>" if text else "")
        if text:
            made._content = [escape(text)]
        self.insert(made, before=before, inline=inline)
        return made

    def add_comment(self, text: str) -> None:
        """Add a comment in a line of its own, behind all that is inside. Raises UsageError for two hyphens in a
        row."""
        if "--" in text or text.endswith("-"):
            raise UsageError("a comment of XML has no two hyphens in a row, nor one at its end")
        self._open_up()
        gap = self._gap()
        place = self._end_of_content(gap)
        self._content[place:place] = [f"{gap}<!-- {text} -->"]

    def insert(self, made: EditableElement, *, before: EditableElement | None = None, inline: bool = False) -> None:
        """Put in an element that belongs to no tree yet, or was removed from one; see `add`. Raises UsageError where
        `before` is elsewhere."""
        if before is not None and before.parent is not self:
            raise UsageError(f"<{before.tag}> is not inside of <{self.tag}>")
        gap = "" if inline else self._gap()
        self._open_up()
        last = None if before is not None or inline else self._last(made.tag)
        if before is not None:
            place = self._place_of(before)
            self._content[place:place] = [made, gap]
        elif inline:
            self._content.append(made)
        else:
            place = self._place_of(last) + 1 if last is not None else self._end_of_content(gap)
            self._content[place:place] = [gap, made]
        made.parent = self
        known = self._names.get(made.tag)
        if known is not None and known.setdefault(made.get("name"), made) is not made:
            self._names = {}

    def remove(self, element: EditableElement) -> None:
        """Take an element out, with its line where it has one of its own. Comments stay. Raises UsageError for one that
        is not directly inside."""
        if element.parent is not self:
            raise UsageError(f"<{element.tag}> is not inside of <{self.tag}>")
        place = self._place_of(element)
        del self._content[place]
        self._names = {}
        element.parent = None
        before = self._content[place - 1] if place else None
        if isinstance(before, str):
            self._content[place - 1] = before.rstrip(" \t")
            self._content[place - 1] = re.sub(r"\r?\n$", "", str(self._content[place - 1]))
        if not self.elements and not "".join(map(str, self._content)).strip():
            self._content = []
            self._closing = ""
            self._opening = f"{self._opening.rstrip('/>').rstrip()}/>"

    def pieces(self) -> Iterator[str]:
        """The text of the element, in pieces."""
        yield self._opening
        for part in self._content:
            if isinstance(part, str):
                yield part
            else:
                yield from part.pieces()
        yield self._closing

    def rename(self, tag: str) -> None:
        """Another tag, at both ends."""
        self._opening = re.sub(r"^<" + re.escape(self.tag), f"<{tag}", self._opening)
        self._closing = self._closing.replace(self.tag, tag, 1)
        self.tag = tag
        self._forget_names()

    def _open_up(self) -> None:
        """Make `<tag/>` a pair of tags."""
        if not self._closing:
            self._opening = f"{self._opening.rstrip()[:-2].rstrip()}>"
            self._closing = f"</{self.tag}>"

    def _place_of(self, element: EditableElement) -> int:
        """From the end, where documents grow."""
        return next(place for place in range(len(self._content) - 1, -1, -1) if self._content[place] is element)

    def _last(self, tag: str) -> EditableElement | None:
        """The last element inside of that name."""
        parts = reversed(self._content)
        return next((part for part in parts if isinstance(part, EditableElement) and part.tag == tag), None)

    def _indent(self) -> str:
        """The blanks in front of this element's line."""
        if self.parent is None:
            return ""
        place = self.parent._place_of(self)
        before = self.parent._content[place - 1] if place else ""
        lines = before.rsplit("\n", 1) if isinstance(before, str) else [""]
        return lines[1] if len(lines) == 2 and not lines[1].strip() else self.parent._indent() + INDENT

    def _gap(self) -> str:
        """What is between an element inside of this one and the one before: blanks, or the end of a line with the
        indentation of the next."""
        last = next((part for part in reversed(self._content) if isinstance(part, EditableElement)), None)
        if last is None:
            return f"\n{self._indent()}{INDENT}"
        place = self._place_of(last)
        before = self._content[place - 1] if place else ""
        if not isinstance(before, str):
            return ""
        blank = before[len(before.rstrip()) :]
        cut = blank.rfind("\n")
        return blank[max(cut - blank.endswith("\r", 0, max(cut, 0)), 0) :] if cut >= 0 else blank

    def _end_of_content(self, gap: str) -> int:
        """Where a further element goes: before the blanks in front of the end tag, which are added where there are none
        and elements have lines of their own."""
        last = self._content[-1] if self._content else ""
        if not isinstance(last, str):
            self._content += [f"\n{self._indent()}"] if "\n" in gap else []
            return len(self._content) - ("\n" in gap)
        kept = last.rstrip()
        blank = last[len(kept) :]
        cut = max(blank.rfind("\n"), 0)
        tail = blank[cut:] or (f"\n{self._indent()}" if "\n" in gap else "")
        self._content[-1:] = [kept + blank[:cut], tail]
        return len(self._content) - 1


class EditableTree:
    """A document: `root`, and what is written before and behind it."""

    def __init__(self, data: bytes) -> None:
        """Raises UsageError where the document is no XML in UTF-8."""
        reader = _Reader(data)
        self.root = reader.root
        self._head = data[: reader.start].decode()
        self._tail = data[reader.stop :].decode()

    @property
    def data(self) -> bytes:
        """The document."""
        return "".join((self._head, *self.root.pieces(), self._tail)).encode()

    def title(self, text: str) -> None:
        """Set the first comment before the root element. Raises UsageError for two hyphens in a row."""
        if "--" in text or text.endswith("-"):
            raise UsageError("a comment of XML has no two hyphens in a row, nor one at its end")
        found = re.search(r"<!--.*?-->", self._head, re.DOTALL)
        if found is None:
            self._head += f"<!-- {text} -->\n"
        else:
            self._head = f"{self._head[: found.start()]}<!-- {text} -->{self._head[found.end() :]}"

    def at(self, line: int, tag: str) -> EditableElement:
        """The element that began in a line (from 1). Raises UsageError where there is none, or there are several."""
        found = [element for element in self.root.walk() if (element.tag, element.line) == (tag, line)]
        if len(found) != 1:
            raise UsageError(f"line {line} has no <{tag}>, or several; read the document again")
        return found[0]


class _Reader:
    """Builds the tree from the places that expat reports; the root is at bytes `start` to `stop`."""

    root: EditableElement
    start: int
    stop: int

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[EditableElement] = []
        self._at = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        try:
            data.decode()
            self._parser.Parse(data, True)
        except (expat.ExpatError, UnicodeDecodeError) as error:
            raise UsageError(f"the document cannot be edited in place: {error}") from error
        self.stop = self._at

    def _begin(self, tag: str, _attributes: dict[str, str]) -> None:
        at = self._parser.CurrentByteIndex
        match = _TAG.match(self._data, at)
        stop = match.end() if match is not None else at
        made = EditableElement(tag, self._data[at:stop].decode(), "", self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].take(self._data[self._at : at].decode())
            self._open[-1].take(made)
        else:
            self.root = made
            self.start = at
        self._open.append(made)
        self._at = stop

    def _end(self, _tag: str) -> None:
        element = self._open.pop()
        at = self._parser.CurrentByteIndex
        if not element.is_empty_tag:
            element.take(self._data[self._at : at].decode())
            stop = self._data.index(b">", at) + 1
            element.close(self._data[at:stop].decode())
            self._at = stop
