"""Controls and what they are for: side by side where there is room, else one above the other."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QSplitter, QWidget

from simulator.gui.fields import scaled

ROOM = 520
"""From that width on there is room, see `scaled`."""
NARROWEST = 250
"""Either half alone."""


class Halves(QSplitter):
    """`head`: a row of the second half that becomes a column with it."""

    def __init__(self, first: QWidget, second: QWidget, head: QBoxLayout, width: int) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._head, self._width = head, width
        self.addWidget(first)
        self.addWidget(second)
        self.setHandleWidth(1)
        self.setStretchFactor(1, 1)
        self._turn(wide=False)

    def minimumSizeHint(self) -> QSize:
        """One above the other it may always be."""
        return QSize(scaled(NARROWEST), super().minimumSizeHint().height())

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Turn where the width says so."""
        wide = self.width() >= scaled(ROOM)
        if wide != (self.orientation() is Qt.Orientation.Horizontal):
            self._turn(wide=wide)
        super().resizeEvent(a0)

    def _turn(self, *, wide: bool) -> None:
        self.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._head.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        if wide:
            first = min(self._width, self.width() // 2)
            self.setSizes([first, self.width() - first])
