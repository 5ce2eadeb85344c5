"""The common part of all panels: a body, and an explanatory page while there is nothing to show."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QHideEvent, QShowEvent
from PyQt6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.gui.fields import PlainLabel
from simulator.gui.tabled import Tabled
from simulator.gui.theme import Theme


class Page(Tabled):
    """A page of an area, with an icon and a title. `seen` is emitted when it becomes visible or hidden; `asked` and
    `dismissed` ask the area to bring it up and to close; `grown` is emitted when it needs another height."""

    STRIP = 250
    """Height that it needs below the view, see `scaled`; the view has its share only beside what needs less."""

    seen = pyqtSignal(bool)
    asked = pyqtSignal()
    dismissed = pyqtSignal()
    grown = pyqtSignal()

    def __init__(self, name: str, title: str, icon_name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.icon_name = icon_name

    def bring_up(self) -> None:
        """Show it in front of the others of its area."""
        self.asked.emit()

    def put_away(self) -> None:
        """Close its area."""
        self.dismissed.emit()

    def showEvent(self, event: QShowEvent | None) -> None:
        """It is seen now."""
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Another panel is in front, or the area is closed."""
        super().hideEvent(event)
        self.seen.emit(False)

    def wanted_height(self) -> int | None:
        """Height at which nothing of it has to be scrolled [px]; None where more is always better."""
        return None


class Panel(Page):
    """A main page and an empty page, which explains why there is nothing to show. In a `LatePanel` it has the name and
    the title of that."""

    def __init__(self, theme: Theme, name: str = "", title: str = "", icon_name: str = "") -> None:
        super().__init__(name, title, icon_name)
        self.theme = theme
        self._pages = QStackedWidget()
        self._pages.setObjectName("panelBody")
        self._empty = PlainLabel()
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self._empty.setMargin(20)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._pages.addWidget(self._empty)
        column_layout(self).addWidget(self._pages)

    def set_main(self, widget: QWidget) -> None:
        """The page that is shown while there is something to show."""
        self._pages.addWidget(widget)

    def show_empty(self, text: str) -> None:
        """Explain why there is nothing to see."""
        self._empty.setText(text)
        self._pages.setCurrentIndex(0)

    def show_main(self) -> None:
        """Show the main page."""
        self._pages.setCurrentIndex(1)

    def contextMenuEvent(self, a0: QContextMenuEvent | None) -> None:
        """Save or copy the table while there is something to see."""
        if not self.is_empty:
            super().contextMenuEvent(a0)

    @property
    def is_empty(self) -> bool:
        """Whether the explanatory page is on show."""
        return self._pages.currentIndex() == 0


def bar_strip() -> QWidget:
    """A strip at the top of a panel's body, for controls."""
    bar = QWidget()
    bar.setObjectName("panelBar")
    bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return bar


def bar_layout() -> tuple[QWidget, QHBoxLayout]:
    """The same with its controls in one row."""
    bar = bar_strip()
    layout = QHBoxLayout(bar)
    layout.setContentsMargins(8, 6, 8, 6)
    layout.setSpacing(8)
    return bar, layout


def side_by_side(left: QWidget, right: QWidget, *sizes: int) -> QSplitter:
    """Two widgets with a thin handle between them, of these widths at first."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    splitter.addWidget(left)
    splitter.addWidget(right)
    splitter.setSizes(sizes)
    splitter.setHandleWidth(1)
    return splitter


def under_bar(bar: QWidget, main: QWidget) -> QWidget:
    """A strip of controls and what they are for."""
    body = QWidget()
    column = column_layout(body)
    column.addWidget(bar)
    column.addWidget(main, 1)
    return body


def column_layout(parent: QWidget, margin: int = 0, spacing: int = 0) -> QVBoxLayout:
    """A column without the style's own margins."""
    layout = QVBoxLayout(parent)
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(spacing)
    return layout


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout, for good."""
    while layout.count():
        entry = layout.takeAt(0)
        widget = entry.widget() if entry is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def scrolled_column() -> QScrollArea:
    """Scrolls downwards only: what is in it has to fit the width."""
    result = QScrollArea()
    result.setWidgetResizable(True)
    result.setFrameShape(QFrame.Shape.NoFrame)
    result.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return result


def segments(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons side by side, of which one is down."""
    row = QHBoxLayout()
    row.setSpacing(0)
    row.setContentsMargins(0, 0, 0, 0)
    for number, button in enumerate(buttons):
        button.setCheckable(True)
        ends = (number == 0, number == len(buttons) - 1)
        places = {(True, True): "only", (True, False): "first", (False, True): "last"}
        button.setProperty("segment", places.get(ends, "middle"))
        row.addWidget(button)
    return row
