"""Comments of a document come along: each goes before the element that it preceded.

The tree of a document has no comments, so they are found by a reading of their own and put where an element of the same
line and name went.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING
from xml.parsers import expat

from simulator.formats.writing.elements import element
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.formats.nodes import Node

COMMENT = "!--"
"""Tag of a node that is written as a comment."""
Place = tuple[int, str]
"""Line and name of an element."""


@dataclass(frozen=True)
class Comment:
    """`before`: the element that follows; None at the end of an element. `around`: the elements around it, the
    innermost first."""

    text: str
    line: int
    before: Place | None
    around: tuple[Place, ...]


def comments_of(data: bytes) -> list[Comment]:
    """All comments of a file but its first, the title; none where it is not XML."""
    reader = _Reader()
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError:
        return []
    return reader.found


def put_comments(root: Node, file: str, comments: list[Comment]) -> list[Comment]:
    """Put them into the tree; returns those outside of the root, or whose surroundings are gone."""
    places: dict[Place, tuple[Node, Node]] = {}
    for parent in root.walk():
        for child in parent.children:
            if child.source.file == file:
                places.setdefault((child.source.line, child.tag), (child, parent))
    rest = []
    for comment in comments:
        node = element(COMMENT, text=_laid_out(comment.text))
        found = places.get(comment.before) if comment.before is not None else None
        if found is None and comment.before is None and comment.around and comment.around[0] in places:
            places[comment.around[0]][0].children.append(node)
            continue
        found = found or next((places[place] for place in comment.around if place in places), None)
        if found is None:
            rest.append(comment)
            continue
        child, parent = found
        parent.children.insert(next(i for i, item in enumerate(parent.children) if item is child), node)
    return rest


class _Reader:
    def __init__(self) -> None:
        self.found: list[Comment] = []
        self.parser = expat.ParserCreate()
        self.parser.CommentHandler = self._comment
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self._title = True
        self._waiting: list[tuple[str, int]] = []
        self._open: list[Place] = []

    def _comment(self, text: str) -> None:
        if self._title:
            self._title = False
        else:
            self._waiting.append((text, self.parser.CurrentLineNumber))

    def _start(self, name: str, _: dict[str, str]) -> None:
        place = (self.parser.CurrentLineNumber, name)
        self._settle(place)
        self._open.append(place)

    def _end(self, _: str) -> None:
        self._settle(None)
        self._open.pop()

    def _settle(self, before: Place | None) -> None:
        around = tuple(reversed(self._open))
        self.found += [Comment(text, line, before, around) for text, line in self._waiting]
        self._waiting = []


def _laid_out(text: str) -> str:
    """The lines of a comment without what they were indented by."""
    first, newline, rest = text.strip().partition("\n")
    return first.rstrip() + newline + textwrap.dedent(rest.rstrip())
