"""One relation of the mechanism in a row: what it is, its law, its residual now and over the last seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from simulator.gui.fields import NumberLabel, label, mark, scaled
from simulator.gui.selection import Item
from simulator.gui.theme import Tokens
from simulator.gui.units import scientific


@dataclass(frozen=True)
class Relation:
    """`kind`: mimic, gearbox, screw, loop or transmission; `coupling` is its index where it is one, `column` and `unit`
    those of its residual, None where it has none. `item` is what is selected with it."""

    kind: str
    name: str
    law: str
    item: Item | None = None
    coupling: int = -1
    column: int | None = None
    unit: str = ""


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
            self.residual.setText(f"|r| {scientific(abs(float(values[-1])))} {self.relation.unit}")
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


LEAST = 1e-12
"""Half the height at least [unit of the curve]: round-off is drawn flat."""


class Sparkline(QWidget):
    """Drawn about zero, which is the line in the middle."""

    def __init__(self, tokens: Tokens, name: str) -> None:
        super().__init__()
        self._tokens = tokens
        self._points: NDArray[np.float64] = np.zeros((0, 2))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """As high as a line of text."""
        return QSize(scaled(60), scaled(20))

    @property
    def points(self) -> NDArray[np.float64]:
        """Places of the curve from 0 to 1 and from -1 to 1, shape (n, 2)."""
        return self._points

    def show_curve(self, times: NDArray[np.float64], values: NDArray[np.float64], start: float, stop: float) -> None:
        """Values over times [s] from `start` to `stop`; both of shape (n,)."""
        height = max(float(np.abs(values).max(initial=0.0)), LEAST)
        across = (times - start) / max(stop - start, 1e-9)
        self._points = np.column_stack((across, values / height))
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """The line of zero and the curve."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = 0.5 * self.height()
        reach = 0.5 * self.height() - 2.0
        painter.setPen(QPen(QColor(self._tokens.border), 1))
        painter.drawLine(QPointF(0.0, middle), QPointF(self.width(), middle))
        painter.setPen(QPen(QColor(self._tokens.accent), 1.2))
        painter.drawPolyline(QPolygonF([QPointF(x * self.width(), middle - y * reach) for x, y in self._points]))
