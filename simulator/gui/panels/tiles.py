"""Large numbers that are readable from a distance: a caption, a value and a remark; in rows."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from simulator.gui.fields import ElidingLabel, label, mark, scaled

GAP = 8


class Tile(QFrame):
    """`level` of a value: empty, warning or error."""

    def __init__(self, caption: str, explanation: str) -> None:
        super().__init__()
        self.setObjectName("tile")
        self.setToolTip(explanation)
        self.caption, self.remark = label(caption, "muted"), ElidingLabel("", "muted")
        self.value = label("–", "figure", digits=True)
        self.value.setTextInteractionFlags(self.value.textInteractionFlags().TextSelectableByMouse)
        column = QVBoxLayout(self)
        column.setContentsMargins(9, 4, 9, 5)
        column.setSpacing(0)
        column.addWidget(self.caption)
        column.addWidget(self.value)
        column.addWidget(self.remark)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.remark.hide()

    def show_value(self, value: str, remark: str = "", level: str = "") -> None:
        """Show another value."""
        self.value.setText(value)
        if self.remark.text() != remark:
            self.remark.setText(remark)
            self.remark.setToolTip(remark)
            self.remark.setVisible(bool(remark))
        mark(self.value, "level", level)


class Tiles(QWidget):
    """Tiles in rows, all of the same width, at least `narrowest` and no narrower than a caption, see `scaled`."""

    def __init__(self, tiles: Sequence[Tile], narrowest: int) -> None:
        super().__init__()
        self._tiles = tuple(tiles)
        self._columns = 0
        self._least = narrowest
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setMinimumWidth(1)
        self._place(len(self._tiles))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """As many as fit, and never a last row of one where two rows could share."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Larger type needs wider tiles."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        narrowest = max(scaled(self._least), *(tile.caption.sizeHint().width() + 20 for tile in self._tiles))
        most = max(1, min(len(self._tiles), (self.width() + GAP) // (narrowest + GAP)))
        rows = -(-len(self._tiles) // most)
        self._place(-(-len(self._tiles) // rows))

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for index, tile in enumerate(self._tiles):
            self._grid.addWidget(tile, index // columns, index % columns)


def heading(text: str) -> QLabel:
    """A small heading between groups of tiles."""
    result = label(text, "name")
    result.setContentsMargins(0, 4, 0, 0)
    return result
