"""A tree → XML text: two blanks for each level, an element without children on one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from simulator.formats.writing.comments import COMMENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.formats.nodes import Node

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
OWN_NAMESPACES = {"simulator": "urn:simulator"}
_INDENT = "  "
_PREFIX = re.compile(r"xmlns:([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def xml_text(
    root: Node, title: str = "", namespaces: Mapping[str, str] | None = None, comments: Sequence[str] = ()
) -> str:
    """The document: declaration, title and further comments, root element with a declaration for every prefix that is used."""
    known = {**OWN_NAMESPACES, **(namespaces or {})}
    prefixes = sorted({prefix for node in root.walk() for prefix in _prefixes(node)})
    for prefix in prefixes:
        root.attributes.setdefault(f"xmlns:{prefix}", known.get(prefix, f"urn:{prefix}"))
    head = [f"<!-- {_as_comment(title)} -->"] if title else []
    head += [f"<!--{text}-->" for text in comments]
    return "\n".join([DECLARATION, *head, *_lines(root, "")]) + "\n"


def namespaces_of(text: str) -> dict[str, str]:
    """Prefixes that a document declares, with their names."""
    return {match[1]: match[2] or match[3] or "" for match in _PREFIX.finditer(text)}


def _prefixes(node: Node) -> Iterator[str]:
    for name in (node.tag, *node.attributes):
        prefix, separator, _ = name.partition(":")
        if separator and prefix not in ("xml", "xmlns"):
            yield prefix


def _as_comment(title: str) -> str:
    """Two hyphens end a comment."""
    return re.sub(r"-(?=-)", "- ", title.strip()).strip().removesuffix("-")


def _lines(node: Node, indent: str) -> Iterator[str]:
    if node.tag == COMMENT:
        yield f"{indent}<!-- " + node.text.replace("\n", f"\n{indent}     ") + " -->"
        return
    head = "".join([node.tag, *(f" {name}={quoteattr(value)}" for name, value in node.attributes.items())])
    text = escape(node.text)
    if not node.children:
        yield f"{indent}<{head}>{text}</{node.tag}>" if text else f"{indent}<{head}/>"
        return
    yield f"{indent}<{head}>{text}"
    for child in node.children:
        yield from _lines(child, indent + _INDENT)
    yield f"{indent}</{node.tag}>"
