"""Well-formed bytes → `Node` tree, quickly: Python's expat makes the nodes while it reads, and knows every line.

It takes what most documents are. Whatever it stumbles over is left to `xml.py`, which asks lxml what is wrong and reads
the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from simulator.formats.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.diagnostics import Source


class NotPlainError(Exception):
    """The bytes are not a well-formed document, have a document type, or nest too deep."""


def parse_plain(data: bytes, start: Source, max_depth: int) -> tuple[Node, list[str]]:
    """The root element and the comments of the document; `start` is the place where the bytes begin. Raises
    NotPlainError."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = len(data) + 1
    around = Node("", start)
    comments: list[str] = []
    stack = [around]
    parser.StartElementHandler = _starter(parser, start, stack, max_depth, named=b"xmlns" in data)
    parser.EndElementHandler = lambda _tag: stack.pop()
    parser.CharacterDataHandler = _texter(stack)
    parser.CommentHandler = comments.append
    parser.ProcessingInstructionHandler = lambda _target, _data: None
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise NotPlainError(str(error)) from error
    finally:
        parser.StartElementHandler = None  # which holds the parser, and with it the whole tree
    return around.children[0], comments


def _starter(
    parser: expat.XMLParserType, place: Source, stack: list[Node], max_depth: int, *, named: bool
) -> Callable[..., None]:
    """`named`: whether namespaces are declared anywhere."""

    def start(tag: str, attributes: dict[str, str]) -> None:
        if named and attributes and "xmlns" in "".join(attributes):
            attributes = {name: value for name, value in attributes.items() if not name.startswith("xmlns")}
        node = Node(tag, place, attributes, line=parser.CurrentLineNumber)
        stack[-1].children.append(node)
        stack.append(node)
        if len(stack) > max_depth:
            raise NotPlainError("too deep")

    return start


def _texter(stack: list[Node]) -> Callable[[str], None]:
    def text(data: str) -> None:
        """An element's text is the first that is not blank, before any child."""
        node = stack[-1]
        if not node.children and not node.text:
            node.text = data.strip()

    return text


def _refuse(*_args: object) -> None:
    """A document type may declare entities and default attributes."""
    raise NotPlainError("document type")
