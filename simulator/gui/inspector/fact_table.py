"""Names and values below each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from simulator.diagnostics import printable
from simulator.gui.fields import label
from simulator.gui.panels.panel import clear_layout

if TYPE_CHECKING:
    from simulator.gui.facts import Facts


class FactTable(QWidget):
    """Labels are reused while the names stay the same, so that only numbers change under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Facts = []
        self._values: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 0, 12, 10)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)

    def rows(self) -> list[tuple[str, str, str]]:
        """All of it, as a table has it."""
        return [(name, value, "") for name, value in self._rows]

    def show_facts(self, rows: Facts) -> None:
        """Show others."""
        same = [name for name, _ in rows] == [name for name, _ in self._rows]
        self._rows = rows
        if not same:
            self._make_rows()
        for shown, (_, value) in zip(self._values, rows, strict=True):
            shown.setText(printable(value))

    def _make_rows(self) -> None:
        clear_layout(self._grid)
        self._values = []
        for row, (name, _) in enumerate(self._rows):
            value = label()
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the inspector's has the table, too
            self._grid.addWidget(label(name, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, row, 1)
            self._values.append(value)
