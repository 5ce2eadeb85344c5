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
HEAD = 460
"""From that width on the head of the second half is a row."""


class Halves(QSplitter):
    """`head`: a row of the second half that becomes a column where it is narrow; `width` of the first half."""

    def __init__(self, first: QWidget, second: QWidget, head: QBoxLayout, width: int) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._head, self._width = head, width
        self.addWidget(first)
        self.addWidget(second)
        self.setHandleWidth(1)
        self.setStretchFactor(1, 1)
        self._turn(wide=False)
        self.splitterMoved.connect(lambda _place, _handle: self._was_moved())

    def minimumSizeHint(self) -> QSize:
        """One above the other it may always be."""
        return QSize(scaled(NARROWEST), super().minimumSizeHint().height())

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Choose the orientation by the width; the first half keeps its width until the user moves the handle."""
        wide = self.width() >= scaled(ROOM)
        if wide != (self.orientation() is Qt.Orientation.Horizontal):
            self._turn(wide=wide)
        super().resizeEvent(a0)
        if wide and not self._is_moved:
            first = min(self._width, self.width() // 2)
            self.setSizes([first, self.width() - first])
        self._turn_head()

    def _turn(self, *, wide: bool) -> None:
        self.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._is_moved = False

    def _was_moved(self) -> None:
        self._is_moved = True
        self._turn_head()

    def _turn_head(self) -> None:
        direction = QBoxLayout.Direction
        row = self.sizes()[1] if self.orientation() is Qt.Orientation.Horizontal else self.width()
        self._head.setDirection(direction.LeftToRight if row >= scaled(HEAD) else direction.TopToBottom)
