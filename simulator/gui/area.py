"""A part of the window that shows one of several panels; its tabs are its title."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QWidget

from simulator.gui.fields import scaled
from simulator.gui.panels.panel import Page, column_layout
from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens


class Area(QWidget):
    """Open or closed. `changed` is emitted when it is opened or closed, and when another panel comes to the front.

    `tools` are buttons at the right end of the header, before the close button. The tabs have words if there
    is room, else icons; `first_key`: Alt and that number brings up the first panel, the next number the second.
    """

    changed = pyqtSignal()

    def __init__(
        self, panels: Sequence[Page], theme: Theme, first_key: int = 0, tools: Sequence[QToolButton] = ()
    ) -> None:
        super().__init__()
        self.panels = tuple(panels)
        self.is_open = False
        self.buttons: dict[str, QToolButton] = {}
        self.header, self.body, self.close_button = QWidget(), QStackedWidget(), QToolButton()
        self._tools = (*tools, self.close_button)
        self._arrange(first_key)
        for panel in self.panels:
            panel.asked.connect(lambda panel=panel: self.show_panel(panel))
            panel.dismissed.connect(self.close_area)
        self.close_button.clicked.connect(lambda _checked=False: self.close_area())
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)
        self._mark()

    @property
    def current(self) -> Page:
        """The panel in front."""
        panel = self.body.currentWidget()
        assert isinstance(panel, Page)
        return panel

    def show_panel(self, panel: Page) -> None:
        """Bring a panel to the front, in the open area."""
        self.is_open = True
        self.body.setCurrentWidget(panel)
        self._mark()
        self.changed.emit()

    def toggle(self, panel: Page) -> None:
        """Bring a panel to the front; where it is there already, the area is closed."""
        if self.is_open and panel is self.current:
            self.close_area()
        else:
            self.show_panel(panel)

    def close_area(self) -> None:
        """No panel any more; the one in front is remembered."""
        self.is_open = False
        self._mark()
        self.changed.emit()

    def set_bare(self, bare: bool) -> None:
        """Without the header, for lectures."""
        self.header.setVisible(not bare)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Words on the tabs where there is room for all of them; else on the one in front; else on none."""
        super().resizeEvent(event)
        self._fit_tabs()

    def changeEvent(self, event: object) -> None:
        """Other type needs other room."""
        super().changeEvent(event)  # type: ignore[arg-type]
        self._fit_tabs()

    def minimumSizeHint(self) -> QSize:
        """A strip: its header gives way, and what is in it is scrolled or leaves something out."""
        return QSize(scaled(120), self.header.sizeHint().height() + scaled(40))

    def _fit_tabs(self) -> None:
        room = self.width() - sum(tool.sizeHint().width() for tool in self._tools if not tool.isHidden()) - scaled(16)
        words = Qt.ToolButtonStyle.ToolButtonTextOnly
        for style_of in (
            lambda _panel: words,
            self._front_in_words,
            lambda _panel: Qt.ToolButtonStyle.ToolButtonIconOnly,
        ):
            for panel in self.panels:
                self.buttons[panel.objectName()].setToolButtonStyle(style_of(panel))
            if sum(button.sizeHint().width() for button in self.buttons.values()) <= room:
                return

    def _front_in_words(self, panel: Page) -> Qt.ToolButtonStyle:
        in_front = panel is self.current
        return Qt.ToolButtonStyle.ToolButtonTextOnly if in_front else Qt.ToolButtonStyle.ToolButtonIconOnly

    def _arrange(self, first_key: int) -> None:
        self.header.setObjectName("areaHeader")
        self.header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.header.setMinimumWidth(1)  # its tabs give way before the window has to
        row = QHBoxLayout(self.header)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(0)
        for place, panel in enumerate(self.panels):
            key = QKeySequence(f"Alt+{first_key + place}") if first_key else QKeySequence()
            row.addWidget(self._tab(panel, key))
            self.body.addWidget(panel)
        row.addStretch(1)
        for tool in self._tools:
            tool.setAutoRaise(True)
            tool.setIconSize(QSize(scaled(15), scaled(15)))
            row.addWidget(tool)
        self.close_button.setToolTip(self.tr("Close"))
        self.close_button.setAccessibleName(self.tr("Close {names}").format(names=self._names()))
        column = column_layout(self)
        column.addWidget(self.header)
        self.body.setMinimumSize(1, 1)  # a strip may be lower than what is in it would like
        column.addWidget(self.body, 1)

    def _tab(self, panel: Page, key: QKeySequence) -> QToolButton:
        button = QToolButton()
        text = panel.windowTitle()
        button.setText(text)
        shown = f"{text}  ({key.toString()})" if not key.isEmpty() else text
        button.setToolTip(shown)
        button.setAccessibleName(self.tr("Panel {name}").format(name=shown))
        button.setObjectName("areaTab")
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _checked=False: self.show_panel(panel))
        self.buttons[panel.objectName()] = button
        return button

    def _names(self) -> str:
        return ", ".join(panel.windowTitle() for panel in self.panels)

    def _mark(self) -> None:
        """The tab of the panel in front is down."""
        for panel in self.panels:
            self.buttons[panel.objectName()].setChecked(self.is_open and panel is self.current)
        self._fit_tabs()

    def _set_tokens(self, tokens: Tokens) -> None:
        for panel in self.panels:
            self.buttons[panel.objectName()].setIcon(icon(panel.icon_name, tokens))
        self.close_button.setIcon(icon("close", tokens, tokens.muted))
