"""A tree → XML text: two blanks for each level, an element without children on one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from simulator.diagnostics import printable
from simulator.formats.writing.comments import COMMENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.formats.nodes import Node

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
OWN_NAMESPACES = {"simulator": "urn:simulator", "gz": "http://gazebosim.org/schema"}
_INDENT = "  "
_OBEYED = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_PREFIX = re.compile(r"xmlns:([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def xml_text(
    root: Node, title: str = "", namespaces: Mapping[str, str] | None = None, comments: Sequence[str] = ()
) -> str:
    """The document: declaration, title and further comments, root element with a declaration for every prefix that is
    used."""
    known = {**OWN_NAMESPACES, **(namespaces or {})}
    prefixes = sorted({prefix for node in root.walk() for prefix in _prefixes(node)})
    for prefix in prefixes:
        root.attributes.setdefault(f"xmlns:{prefix}", known.get(prefix, f"urn:{prefix}"))
    head = [f"<!-- {_as_comment(_reported(title))} -->"] if title else []
    head += [f"<!--{_reported(text)}-->" for text in comments]
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


def _plain(text: str) -> str:
    """With a reference for each character that a terminal would obey; ends of lines and blanks are left."""
    return text if text.isprintable() else _OBEYED.sub(lambda match: f"&#x{ord(match[0]):x};", text)


def _reported(text: str) -> str:
    """The same for a comment, in which a reference would be none."""
    return _OBEYED.sub(lambda match: printable(match[0]), text)


def _lines(node: Node, indent: str) -> Iterator[str]:
    if node.tag == COMMENT:
        yield f"{indent}<!-- " + _reported(node.text).replace("\n", f"\n{indent}     ") + " -->"
        return
    head = "".join([node.tag, *(f" {name}={_plain(quoteattr(value))}" for name, value in node.attributes.items())])
    text = _plain(escape(node.text))
    if not node.children:
        yield f"{indent}<{head}>{text}</{node.tag}>" if text else f"{indent}<{head}/>"
        return
    yield f"{indent}<{head}>{text}"
    for child in node.children:
        yield from _lines(child, indent + _INDENT)
    yield f"{indent}</{node.tag}>"
