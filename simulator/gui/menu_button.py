"""A button with a menu."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QToolButton

from simulator.gui.resources import icon
from simulator.gui.theme import Theme
from simulator.gui.tokens import Tokens


class MenuButton(QToolButton):
    """Drops its menu at once; an arrow behind its name says so."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(12, 12))
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        theme.changed.connect(self._recolour)
        self._recolour(theme.tokens)

    def _recolour(self, tokens: Tokens) -> None:
        self.setIcon(icon("chevron-down", tokens, tokens.muted))
