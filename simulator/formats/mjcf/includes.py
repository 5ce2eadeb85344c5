"""The tree of a document with the files that it includes in their places, as MuJoCo puts them there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.xml import parse_file

if TYPE_CHECKING:
    from simulator.formats.cursor import Reading

MOST = 200
"""Files that a document includes."""


def with_includes(root: Node, path: Path, reading: Reading) -> Node | None:
    """A copy; None, with an error, where an included file cannot be read. MuJoCo includes a file once only."""
    folder = path.resolve().parent
    seen = {path.resolve()}
    return _expanded(root, folder, seen, reading)


def _expanded(node: Node, folder: Path, seen: set[Path], reading: Reading) -> Node | None:
    copy = Node(node.tag, node.source, dict(node.attributes), node.text, [], node.version)
    for child in node.children:
        if child.tag != "include":
            inner = _expanded(child, folder, seen, reading)
            if inner is None:
                return None
            copy.children.append(inner)
            continue
        parts = _included(child, folder, seen, reading)
        if parts is None:
            return None
        copy.children += parts
    return copy


def _included(include: Node, folder: Path, seen: set[Path], reading: Reading) -> list[Node] | None:
    name = include.attributes.get("file", "")
    file = folder / name
    key = file.resolve()
    if not name or key in seen or len(seen) > MOST:
        reason = "names no file" if not name else f"includes '{name}' again, which MuJoCo refuses"
        reading.log.error("MJCF_REFUSED", include.source, f"<include> {reason}", "include each file once")
        return None
    seen.add(key)
    reading.files[str(file)] = None
    parsed = parse_file(file, reading.log, include.source, strict=reading.options.strict, budget=reading.budget)
    if parsed is None:
        return None
    expanded = _expanded(parsed.root, folder, seen, reading)
    return None if expanded is None else expanded.children
