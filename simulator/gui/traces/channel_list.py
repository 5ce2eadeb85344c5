"""The list of channels, with a field above a long one that finds them by their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from simulator.gui.theme import Tokens
from simulator.gui.traces.legend import LONG, Legend
from simulator.gui.traces.plan import Series


class FilterField(QLineEdit):
    """Escape clears it."""

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Clear the field; where it is empty, the key belongs to the window."""
        if a0 is not None and a0.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        super().keyPressEvent(a0)


class ChannelList(QWidget):
    """`rows` is the list, `filter` the field."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.filter, self.rows = FilterField(), Legend(tokens)
        self.filter.setPlaceholderText(self.tr("Find a channel"))
        self.filter.setAccessibleName(self.tr("Find a channel by its name"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setProperty("role", "number")
        self.filter.textChanged.connect(self._filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 0)
        column.setSpacing(3)
        column.addWidget(self.filter)
        column.addWidget(self.rows, 1)

    def set_series(self, series: Sequence[Series], visible: Iterable[str]) -> None:
        """List these curves, with check marks at the visible ones."""
        self.rows.set_series(series, visible)
        self.filter.setVisible(len(series) > LONG)
        if self.filter.isHidden():
            self.filter.clear()

    def _filter(self, text: str) -> None:
        self.rows.set_filter(text)
        if not text:  # what was found and checked is in sight
            self.rows.show_checked_first()
