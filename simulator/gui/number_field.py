"""A field for one number, for all panels and the view."""

from __future__ import annotations

import math

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit

from simulator.gui.fields import mark, tabular
from simulator.gui.units import MINUS, compact

DIGITS = 10


class NumberField(QLineEdit):
    """A number or a fraction such as 1/3; `entered` is emitted with a new value only."""

    entered = pyqtSignal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "number")
        self.setFont(tabular(self.font()))
        self._shown = ""
        self.editingFinished.connect(self._finished)
        self.textEdited.connect(lambda text: mark(self, "level", "" if parse_number(text) is not None else "error"))

    def show_value(self, value: float) -> None:
        """Show a value; what was being typed is lost."""
        self._shown = compact(value, DIGITS)
        self.setText(self._shown)
        self.setCursorPosition(0)
        mark(self, "level", "")

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Up and down count in steps of a hundredth or so of the number, and take effect at once. Escape leaves the
        field with the number that was there."""
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.setText(self._shown)
            mark(self, "level", "")
            self.clearFocus()
            return
        keys = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        value = parse_number(self.text())
        if event is None or value is None or Qt.Key(event.key()) not in keys:
            super().keyPressEvent(event)
            return
        step = 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value else 0.01
        self.setText(compact(value + keys[Qt.Key(event.key())] * step, DIGITS))
        self._finished()

    def _finished(self) -> None:
        if self.text() == self._shown:
            return
        value = parse_number(self.text())
        if value is None:
            self.setText(self._shown)
            mark(self, "level", "")
            return
        self._shown = self.text()
        self.entered.emit(value)


def parse_number(text: str) -> float | None:
    """'0.05', '−1/3', '2e-3'; None for what is not a finite number."""
    over, slash, under = text.replace(MINUS, "-").replace(" ", "").partition("/")
    try:
        value = float(over) / float(under) if slash else float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
