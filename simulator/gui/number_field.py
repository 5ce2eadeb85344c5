"""A field for one number, for all panels and the view."""

from __future__ import annotations

import math

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame

from simulator.gui.fields import mark, tabular
from simulator.gui.units import MINUS, compact

DIGITS, FEWEST = 10, 2
"""Of a number that has room, and more than that of one that has none."""
INSIDE = 4
"""Between the edge and the text of a field, which Qt leaves out of its contents [px]."""


class NumberField(QLineEdit):
    """A number or a fraction such as 1/3; `entered` is emitted with a new value only. Without the focus it has as many
    digits as there is room for, all others are in its tool tip. `shown`: what it shows, with all digits."""

    entered = pyqtSignal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "number")
        self.setFont(tabular(self.font()))
        self.shown = self._short = self._tip = ""
        self._value = math.nan
        self.editingFinished.connect(self._finished)
        self.textEdited.connect(lambda text: mark(self, "level", "" if parse_number(text) is not None else "error"))

    def show_value(self, value: float) -> None:
        """Show a value; what was being typed is lost."""
        self.shown = compact(value, DIGITS)
        self._value = value
        self.setText(self.shown)
        self._fit()
        mark(self, "level", "")

    def number(self) -> float | None:
        """The number that stands in it, with all its digits; None where none does."""
        return parse_number(self.shown if self.text() == self._short else self.text())

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """All digits are there to be edited."""
        if self.text() == self._short:
            self.setText(self.shown)
        self._short = ""
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Take what was typed, and show what there is room for."""
        super().focusOutEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Another width has room for other digits."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.hasFocus() or self.text() not in (self.shown, self._short):
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        style = self.style()
        assert style is not None
        room = style.subElementRect(QStyle.SubElement.SE_LineEditContents, option, self).width() - INSIDE
        texts = (self.shown, *(compact(self._value, digits) for digits in range(DIGITS - 1, FEWEST, -1)))
        wide = self.fontMetrics().horizontalAdvance
        text = next((text for text in texts if wide(text) <= room), texts[-1])
        self._short = text if text != self.shown else ""
        self.setText(text)
        if self.toolTip() == self._tip:  # and not another one
            self._tip = self.shown if self._short else ""
            self.setToolTip(self._tip)
        self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Up and down count in steps of a hundredth or so of the number, and take effect at once. Escape leaves the
        field with the number that was there."""
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.setText(self.shown)
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
        if self.text() in (self.shown, self._short):
            return
        value = parse_number(self.text())
        if value is None:
            self.setText(self.shown)
            mark(self, "level", "")
            return
        self.shown = self.text()
        self._value = value
        self.entered.emit(value)


def parse_number(text: str) -> float | None:
    """'0.05', '−1/3', '2e-3'; None for what is not a finite number."""
    over, slash, under = text.replace(MINUS, "-").replace(" ", "").partition("/")
    try:
        value = float(over) / float(under) if slash else float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
