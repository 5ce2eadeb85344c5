"""What all docks share: a title bar of our own, a body, and an explanatory page while there is nothing to show."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from simulator.gui.fields import PlainLabel
from simulator.gui.resources import icon, pixmap
from simulator.gui.theme import Theme, Tokens


class Panel(QDockWidget):
    """A dock with an icon in its title, a main page and an empty page."""

    def __init__(self, name: str, title: str, icon_name: str, theme: Theme) -> None:
        super().__init__(title)
        self.setObjectName(name)
        self.icon_name, self.theme = icon_name, theme
        self._picture, self._close = QLabel(), QToolButton()
        self.setTitleBarWidget(self._title_bar(title))
        self._pages = QStackedWidget()
        self._pages.setObjectName("dockBody")
        self._empty = PlainLabel()
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self._empty.setMargin(20)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._pages.addWidget(self._empty)
        self.setWidget(self._pages)
        self.setMinimumWidth(180)
        theme.changed.connect(self._recolour)
        self._recolour(theme.tokens)

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

    @property
    def is_empty(self) -> bool:
        """Whether the explanatory page is on show."""
        return self._pages.currentIndex() == 0

    def _title_bar(self, title: str) -> QWidget:
        bar = QWidget()
        bar.setObjectName("dockTitle")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(10, 5, 5, 5)
        layout.setSpacing(7)
        layout.addWidget(self._picture)
        layout.addWidget(PlainLabel(title))
        layout.addStretch(1)
        self._close.setAccessibleName(self.tr("Close the panel {name}").format(name=title))
        self._close.setToolTip(self.tr("Close (its button at the edge of the window brings it back)"))
        self._close.setIconSize(QSize(12, 12))
        self._close.clicked.connect(self.close)
        layout.addWidget(self._close)
        return bar

    def _recolour(self, tokens: Tokens) -> None:
        self._picture.setPixmap(pixmap(self.icon_name, tokens.muted, 16, self.devicePixelRatioF()))
        self._close.setIcon(icon("close", tokens, tokens.muted))


def bar_strip() -> QWidget:
    """A strip at the top of a dock's body, for controls."""
    bar = QWidget()
    bar.setObjectName("dockBar")
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
