"""XML elements as plain values that know the file and line they came from.

The tree is our own (not lxml's), so that elements of included files can be moved and rewritten without losing their place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import Source

Version = tuple[int, int]


@dataclass
class Node:
    """One element: `text` is trimmed, comments and processing instructions are gone, names keep their prefix (`mysim:x`).

    `version` is the SDFormat version of the file that the element was written in.
    """

    tag: str
    source: Source
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node] = field(default_factory=list)
    version: Version = (1, 12)

    def child(self, tag: str) -> Node | None:
        """The first child of that name (SDFormat: the first one counts)."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Node]:
        """All children of that name, in document order."""
        return [child for child in self.children if child.tag == tag]

    def text_of(self, tag: str, default: str = "") -> str:
        """The text of the first child of that name."""
        child = self.child(tag)
        return default if child is None else child.text

    def walk(self) -> Iterator[Node]:
        """This element and everything below it, in document order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def depth(self) -> int:
        """Levels of elements, this one included."""
        deepest, pending = 0, [(self, 1)]
        while pending:
            node, level = pending.pop()
            deepest = max(deepest, level)
            pending += [(child, level + 1) for child in node.children]
        return deepest

    def copy(self) -> Node:
        """A deep copy; the sources are shared."""
        return Node(
            self.tag, self.source, dict(self.attributes), self.text, [c.copy() for c in self.children], self.version
        )

    def with_text(self, tag: str, text: str) -> Node:
        """A new element named `tag` at the same place."""
        return Node(tag, self.source, {}, text, [], self.version)

    @property
    def is_user_data(self) -> bool:
        """Whether the name has a prefix: such elements belong to somebody else and are never judged."""
        return ":" in self.tag
