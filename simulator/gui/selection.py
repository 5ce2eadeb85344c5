"""The selected and the hovered item: one value shared by the tree, the view and the joint rows."""

from __future__ import annotations

from enum import Enum

from PyQt6.QtCore import QObject, pyqtSignal

from simulator.records import dataclass


class ItemKind(str, Enum):
    """What can be selected."""

    MODEL = "model"
    LINK = "link"
    JOINT = "joint"
    AXIS = "axis"
    COUPLING = "coupling"
    LOOP = "loop"


@dataclass(frozen=True)
class Item:
    """A thing of the document. `name` is scoped; a coupling goes by the name of its follower axis."""

    kind: ItemKind
    name: str


class Selection(QObject):
    """The selected item and the hovered item; None where there is none."""

    changed = pyqtSignal(object)
    hovered = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self.item: Item | None = None
        self.under_mouse: Item | None = None

    def select(self, item: Item | None) -> None:
        """Select `item` and notify, unless it is selected already."""
        if item != self.item:
            self.item = item
            self.changed.emit(item)

    def hover(self, item: Item | None) -> None:
        """The mouse is over `item`."""
        if item != self.under_mouse:
            self.under_mouse = item
            self.hovered.emit(item)
