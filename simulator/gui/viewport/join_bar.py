"""The bar of joining over the view: what is made of picks, what to do next, and what came of it."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from simulator.gui.fields import NoWheelComboBox, label, mark, scaled
from simulator.gui.viewport.body_row import BODIES, BOX, CYLINDER, MESH, PART, SPHERE, BodyRow
from simulator.gui.viewport.join_picks import FOLLOW, GROUND, SHEET

PLACE = 12
"""Distance from the corner of the view [px]."""
WIDE = 420
"""Room for words, see `scaled`."""


class JoinBar(QFrame):
    """`chosen` carries the kind of joint, "follow" or "ground"; `left`: the user is done."""

    chosen = pyqtSignal(str)
    left = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("joinBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAutoFillBackground(True)
        self.title, self.kinds, self.done = label("", "muted"), NoWheelComboBox(), QPushButton()
        self._asks_sheet = False
        self.says = label("", "muted")
        self.says.setWordWrap(True)
        self.kinds.setAccessibleName(self.tr("What is made of the picks"))
        for kind, name in self.names().items():
            self.kinds.addItem(name, kind)
        for place in (8, 6):
            self.kinds.insertSeparator(place)
        self.body = BodyRow()
        self.body.hide()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.title, self.kinds):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.done)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 6)
        column.addLayout(row)
        column.addWidget(self.body)
        column.addWidget(self.says)
        self.kinds.currentIndexChanged.connect(lambda _index: self._choose())
        self.done.clicked.connect(lambda _checked=False: self.left.emit())
        self.ask_for_sheet(on=False)
        self.hide()

    def ask_for_sheet(self, *, on: bool) -> None:
        """Ask where a sheet is to lie, or again what is to be joined."""
        self._asks_sheet = on
        self.kinds.setVisible(not on)
        self.title.setText(self.tr("Where does the sheet lie?") if on else self.tr("Join"))
        self.done.setText(self.tr("Back to the sheet") if on else self.tr("Done"))
        self.done.setToolTip("" if on else self.tr("Leave joining  (Shift+J)"))

    def names(self) -> dict[str, str]:
        """What joints, relations and bodies are called here."""
        return {
            "revolute": self.tr("Hinge"), "ball": self.tr("Ball joint"), "prismatic": self.tr("Slide"),
            "fixed": self.tr("Weld"), "universal": self.tr("Universal joint"), "planar": self.tr("Plane on plane"),
            FOLLOW: self.tr("Follow"), GROUND: self.tr("Ground"),
            BOX: self.tr("Put a box"), CYLINDER: self.tr("Put a cylinder"), SPHERE: self.tr("Put a ball"),
            MESH: self.tr("Put a mesh…"), PART: self.tr("Put a mechanism…"),
        }  # fmt: skip

    @property
    def kind(self) -> str:
        """What is chosen."""
        return SHEET if self._asks_sheet else str(self.kinds.currentData())

    def say_next(self, *, begun: bool) -> None:
        """What to do next."""
        text = self.tr("Click on a place of one link, then on one of another, or drag: they close a chain.")
        if begun:
            text = self.tr("Click on a place of another link. Escape gives up the first one.")
        if self.kind == FOLLOW:
            text = self.tr("Drag from the leading joint to the one that follows, or click on both.")
        if self.kind == GROUND:
            text = self.tr("Click on the base of a chain: it is welded to the ground where it is.")
        if self.kind in BODIES:
            text = self.tr(
                "Click on a face: the body stands on it, welded. On an axis, an edge or a joint it is centred."
            )
        if self.kind == SHEET:
            text = self.tr("Click on a face, an edge, an axis or a joint: the sheet lies across it, on that link.")
        self.say(text)

    def say(self, text: str, level: str = "muted") -> None:
        """A sentence, as an error perhaps."""
        self.says.setText(f"{text[:1].upper()}{text[1:]}")
        mark(self.says, "level", level if level != "muted" else "")
        self.place()

    def place(self, below: int = 0) -> None:
        """In the upper left corner of the view, under what is there already."""
        parent = self.parentWidget()
        room = scaled(WIDE) if parent is None else min(scaled(WIDE), parent.width() - 2 * PLACE)
        self.setFixedWidth(max(room, 1))
        self.says.setFixedHeight(max(self.says.heightForWidth(room - 20), 1))
        self.adjustSize()
        self.move(PLACE, PLACE + below)
        self.raise_()

    def _choose(self) -> None:
        self.say_next(begun=False)
        self.chosen.emit(self.kind)
