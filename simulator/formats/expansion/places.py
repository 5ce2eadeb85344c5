"""XML for xacro in which every element remembers its file and line, through all copies that macros make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.dom import UserDataHandler, expatbuilder

from simulator.formats.files import read_regular

if TYPE_CHECKING:
    from xml.dom.minidom import Document, Node

MAX_BYTES = 16 * 2**20
"""The largest file that is read."""
_KEY = "place"


class Places:
    """Numbers for places: `table` holds file, line and the number of the include or macro call that led there, -1 for
    none."""

    def __init__(self) -> None:
        self.table: list[tuple[str, int, int]] = []
        self.calls: list[int] = []
        """The macro calls that are being expanded, the innermost last."""
        self.now = -1
        """The element that xacro looks at."""
        self._numbers: dict[tuple[str, int, int], int] = {}

    def number(self, file: str, line: int, outer: int) -> int:
        """The number of a place."""
        place = file, line, outer
        if place not in self._numbers:
            self._numbers[place] = len(self.table)
            self.table.append(place)
        return self._numbers[place]

    def of(self, element: Node) -> int:
        """The number of an element's place, -1 where it has none."""
        place: int | None = element.getUserData(_KEY)
        return -1 if place is None else place

    def note(self, element: Node, place: int) -> None:
        """Let an element remember its place."""
        element.setUserData(_KEY, place, self)

    def handle(self, operation: int, _key: str, place: int, _source: Node, copy: Node | None) -> None:
        """Called by the document for a copy of an element: that of a macro's body comes from the call."""
        if operation == UserDataHandler.NODE_CLONED and copy is not None:
            file, line, outer = self.table[place]
            self.note(copy, self.number(file, line, self.calls[-1] if self.calls else outer))


def parse_with_places(path: str, places: Places, outer: int) -> Document:
    """The document object of a file. Raises OSError for one that cannot be read, ExpatError and ValueError for one that
    is not plain XML."""
    return _Builder(path, places, outer).parseString(read_regular(path, MAX_BYTES))


class _Builder(expatbuilder.ExpatBuilderNS):
    def __init__(self, path: str, places: Places, outer: int) -> None:
        super().__init__()
        self._path = path
        self._places = places
        self._outer = outer

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        line = self.getParser().CurrentLineNumber
        self._places.note(self.curNode, self._places.number(self._path, line, self._outer))

    def entity_decl_handler(self, *_: object) -> None:
        raise ValueError("the document declares an entity; entities are not expanded, because they can fill the memory")
