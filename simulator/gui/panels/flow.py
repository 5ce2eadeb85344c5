"""A row of controls that wraps to the next line if it runs out of room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """From left to right, then downwards. Each thing has its preferred size; what is hidden takes no room. The last of
    a line are moved to its right end where they are behind `spring`, unless `sprung` is off, and may go back to a line
    above where that saves one. The Tab key goes from line to line, as one reads."""

    def __init__(self, parent: QWidget, margin: int = 8, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._behind = 1 << 30
        self._spare = -1
        self.sprung = True
        self._order: Sequence[int] = range(0)
        self._heights: dict[int, int] = {}
        self.setContentsMargins(margin, margin - 2, margin, margin - 2)
        self.setSpacing(spacing)

    def spring(self) -> None:
        """What is added from now on is at the right end of its line."""
        self._behind = len(self._items)

    def add_spare(self, widget: QWidget) -> None:
        """Add what is left out where that saves a line; one thing at most."""
        self._spare = len(self._items)
        self.addWidget(widget)

    def addItem(self, a0: QLayoutItem | None) -> None:
        """Put something at the end."""
        if a0 is not None:
            self._items.append(a0)

    def count(self) -> int:
        """How many things there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One of them, None beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take one out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Narrower is higher."""
        return True

    def heightForWidth(self, a0: int) -> int:
        """The height that the lines need. Qt asks for it hundreds of times while a window is put together."""
        if a0 not in self._heights:
            self._heights[a0] = self._place(QRect(0, 0, a0, 0), move=False)
        return self._heights[a0]

    def invalidate(self) -> None:
        """Something in it has another size, or has come or gone."""
        self._heights.clear()
        super().invalidate()

    def setGeometry(self, a0: QRect) -> None:
        """Lay everything out."""
        super().setGeometry(a0)
        self._place(a0, move=True)

    def sizeHint(self) -> QSize:
        """All in one line."""
        margins = self.contentsMargins()
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(len(sizes) - 1, 0)
        height = max((size.height() for size in sizes), default=0)
        return QSize(width + margins.left() + margins.right(), height + margins.top() + margins.bottom())

    def minimumSize(self) -> QSize:
        """One of them in each line."""
        margins = self.contentsMargins()
        sizes = [item.minimumSize() for item in self._items]
        width, height = (max((side(size) for size in sizes), default=0) for side in (QSize.width, QSize.height))
        return QSize(width + margins.left() + margins.right(), height + margins.top() + margins.bottom())

    def _lines(self, width: int) -> list[list[int]]:
        every = [index for index, item in enumerate(self._items) if not item.isEmpty()]
        spared = [index for index in every if index != self._spare]
        wide = {index: self._items[index].sizeHint().width() + self.spacing() for index in every}
        fewest = self._lines_of(every, width, wide, back=False)
        for indices, back in ((every, True), (spared, False), (spared, True)):
            if len(fewest) > 1:
                fewest = min(fewest, self._lines_of(indices, width, wide, back=back), key=len)
        return fewest

    def _lines_of(self, indices: list[int], width: int, wide: dict[int, int], *, back: bool) -> list[list[int]]:
        """`back`: what is behind the spring goes to the first line with room, not only to the last; `wide`: widths with
        the space behind them, by index."""
        lines: list[list[int]] = []
        room: list[int] = []
        for index in indices:
            first = 0 if back and index >= self._behind else max(len(lines) - 1, 0)
            line = next((number for number in range(first, len(lines)) if wide[index] <= room[number]), len(lines))
            if line == len(lines):
                lines.append([])
                room.append(width + self.spacing())
            lines[line].append(index)
            room[line] -= wide[index]
        return lines

    def _place(self, area: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        inner = area.adjusted(margins.left(), margins.top(), -margins.right(), -margins.bottom())
        y = inner.top()
        lines = self._lines(inner.width())
        if move:
            self._chain([index for line in lines for index in line])
        if move and self._spare >= 0 and not any(self._spare in line for line in lines):
            spared = self._items[self._spare].widget()
            if spared is not None:  # out of sight: a widget that is hidden would ask for a new layout
                spared.move(-spared.width(), -spared.height())
        for line in lines:
            sizes = [self._items[index].sizeHint() for index in line]
            height = max(size.height() for size in sizes)
            x = inner.left()
            left_over = inner.width() - sum(size.width() for size in sizes) - self.spacing() * (len(line) - 1)
            first_behind = next((index for index in line if index >= self._behind and self.sprung), -1)
            for index, size in zip(line, sizes, strict=True):
                if index == first_behind:
                    x += max(left_over, 0)
                if move:
                    place = QPoint(x, y + (height - size.height()) // 2)
                    self._items[index].setGeometry(QRect(place, size.boundedTo(QSize(inner.width(), height))))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return y - self.spacing() - area.top() + margins.bottom()

    def _chain(self, order: list[int]) -> None:
        """Let the Tab key go through things in this order; they were added in the order of their numbers."""
        before = self._order or sorted(order)
        self._order = order
        if before != order:
            for one, other in pairwise(stop for index in order for stop in _stops(self._items[index].widget())):
                QWidget.setTabOrder(one, other)


def _stops(widget: QWidget | None) -> list[QWidget]:
    """Where the Tab key stops in a widget."""
    if widget is None:
        return []
    tab = Qt.FocusPolicy.TabFocus
    window = widget.window()
    within = [widget, *widget.findChildren(QWidget)]
    kept = (one for one in within if one.focusPolicy() & tab == tab and one.window() is window)
    return [one for one in kept if one.focusProxy() is None]
