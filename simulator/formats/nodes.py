"""XML elements as plain values that know the file and line they came from.

The tree is our own (not lxml's), so that elements of included files can be moved and rewritten without losing their
place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

Version = tuple[int, int]
EXPRESSED_IN = ("expressed_in", "gz:expressed_in", "ignition:expressed_in")
"""Names of the attribute by which a vector says in which frame it is; with a prefix, it is Gazebo's, of `<fdir1>`."""


class Node:
    """One element: `text` is trimmed, comments and processing instructions are gone, names keep their prefix
    (`mysim:x`).

    `version` is the SDFormat version of the file that the element was written in. A document makes tens of thousands of
    nodes, so this is not a dataclass: with `line`, `source` names only the file, and the place itself is made at
    the first use.

    `missing` are the names of models whose includes in this world or model are left out, "" for one whose name is not
    known.
    """

    __slots__ = ("_line", "_place", "attributes", "children", "missing", "tag", "text", "version")

    def __init__(
        self,
        tag: str,
        source: Source,
        attributes: dict[str, str] | None = None,
        text: str = "",
        children: list[Node] | None = None,
        version: Version = (1, 12),
        line: int = 0,
    ) -> None:
        self.tag = tag
        self.attributes = {} if attributes is None else attributes
        self.text = text
        self.children = [] if children is None else children
        self.version = version
        self.missing: tuple[str, ...] = ()
        self._place = source
        self._line = line

    def __repr__(self) -> str:
        return f"<{self.tag}> at {self.source}"

    @property
    def source(self) -> Source:
        """File, line, and the includes that led there."""
        if self._line:
            self._place = Source(self._place.file, self._line, self._place.included_from)
            self._line = 0
        return self._place

    @source.setter
    def source(self, source: Source) -> None:
        self._place = source
        self._line = 0

    def child(self, tag: str) -> Node | None:
        """The first child of that name (SDFormat: the first one counts)."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

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
            if node.children:
                pending += reversed(node.children)

    def depth(self) -> int:
        """Levels of elements, this one included."""
        deepest = 0
        pending = [(self, 1)]
        while pending:
            node, level = pending.pop()
            deepest = max(deepest, level)
            pending += [(child, level + 1) for child in node.children]
        return deepest

    def size(self) -> int:
        """Elements and attributes, all below included."""
        return sum(1 + len(node.attributes) for node in self.walk())

    def copy(self) -> Node:
        """A deep copy; the sources are shared."""
        children = [child.copy() for child in self.children]
        copy = Node(self.tag, self.source, dict(self.attributes), self.text, children, self.version)
        copy.missing = self.missing
        return copy

    def with_text(self, tag: str, text: str) -> Node:
        """A new element named `tag` at the same place."""
        return Node(tag, self.source, {}, text, [], self.version)

    @property
    def is_user_data(self) -> bool:
        """Whether the name has a prefix: such elements belong to other programs and are never judged."""
        return ":" in self.tag
