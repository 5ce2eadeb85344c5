"""One relation of the mechanism in a row: its kind, its law, its residual now and over the last seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QGridLayout

from simulator.gui.fields import NumberLabel, label, mark
from simulator.gui.panels.sparkline import Sparkline
from simulator.gui.selection import Item
from simulator.gui.theme import Tokens
from simulator.gui.units import scientific
from simulator.records import dataclass


@dataclass(frozen=True)
class Relation:
    """`kind`: mimic, gearbox, screw, loop or transmission; `coupling` is its index where it is one, `column` and `unit`
    those of its residual, None where it has none. `item` is what is selected with it. `slips`: its residual is how far
    the sides of a clutch or freewheel have slipped."""

    kind: str
    name: str
    law: str
    item: Item | None = None
    coupling: int = -1
    column: int | None = None
    unit: str = ""
    slips: bool = False


class RelationRow(QFrame):
    """`chosen` is emitted when it is clicked, or reached by the keyboard and Space or Return is pressed."""

    chosen = pyqtSignal()

    def __init__(self, relation: Relation, tokens: Tokens) -> None:
        super().__init__()
        self.setObjectName("relation")
        self.relation = relation
        self.law, self.residual = label(relation.law, "law"), NumberLabel("muted")
        self.law.setWordWrap(True)  # without its numbers a law says nothing
        self.curve = Sparkline(tokens, self.tr("Residual of {name}").format(name=relation.name))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        kind = self.kind_name(relation.kind)
        self.setAccessibleName(f"{kind} {relation.law}")
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 5, 10, 5)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(1)
        grid.addWidget(self.law, 0, 0, 1, 3)
        grid.addWidget(label(kind, "muted"), 1, 0)
        grid.addWidget(self.curve, 1, 1)
        grid.addWidget(self.residual, 1, 2)
        grid.setColumnStretch(1, 1)
        if relation.column is None:
            self.curve.hide()
            self.residual.setText(self.tr("exact"))

    def show_residual(self, times: NDArray[np.float64], values: NDArray[np.float64], start: float, stop: float) -> None:
        """What was recorded from `start` to `stop` [s]; the last value is that of now."""
        if len(values):
            what = self.tr("slip") if self.relation.slips else "|r|"
            self.residual.setText(f"{what} {scientific(abs(float(values[-1])))} {self.relation.unit}")
            self.curve.show_curve(times, values, start, stop)

    def kind_name(self, kind: str) -> str:
        """The kind in the user's language."""
        return {
            "mimic": self.tr("mimic"), "gearbox": self.tr("gearbox"), "screw": self.tr("screw"),
            "loop": self.tr("loop"), "transmission": self.tr("transmission"),
        }.get(kind, kind)  # fmt: skip

    def set_selected(self, selected: bool) -> None:
        """Mark the row."""
        mark(self, "selected", "true" if selected else "false")

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Choose it."""
        self.setFocus()
        self.chosen.emit()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Choose it."""
        if event is not None and event.key() in {Qt.Key.Key_Space, Qt.Key.Key_Return}:
            self.chosen.emit()
        else:
            super().keyPressEvent(event)
