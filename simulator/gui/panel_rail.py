"""The strip at the edge of the window with a button for every panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import QDockWidget, QToolBar, QToolButton

from simulator.gui.docks.panel import Panel
from simulator.gui.fields import scaled
from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens


class PanelRail(QToolBar):
    """A button is down while its panel is in front. It brings the panel there, or closes it; Alt and the number of the
    button do so, too."""

    def __init__(self, docks: Sequence[Panel], theme: Theme, toggle: Callable[[QDockWidget], object]) -> None:
        super().__init__()
        self.setObjectName("panelRail")
        self.setWindowTitle(self.tr("Panels"))
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setIconSize(QSize(scaled(19), scaled(19)))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.buttons: dict[str, QToolButton] = {}
        self._docks = tuple(docks)
        for place, dock in enumerate(docks, start=1):
            button = QToolButton()
            key = QKeySequence(f"Alt+{place}")
            text = self.tr("Panel {name}  ({key})").format(name=dock.windowTitle(), key=key.toString())
            button.setToolTip(text)
            button.setAccessibleName(text)
            button.setShortcut(key)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, dock=dock: toggle(dock))
            dock.visibilityChanged.connect(button.setChecked)
            self.addWidget(button)
            self.buttons[dock.objectName()] = button
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)

    def _set_tokens(self, tokens: Tokens) -> None:
        for dock in self._docks:
            self.buttons[dock.objectName()].setIcon(icon(dock.icon_name, tokens))
