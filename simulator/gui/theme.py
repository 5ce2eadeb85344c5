"""One table of colours for every part of the window, and the palette and style sheet made from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontInfo, QPalette
from PyQt6.QtWidgets import QApplication

from simulator.gui.resources import icon_folder
from simulator.gui.style import style_sheet
from simulator.gui.tokens import DARK, LIGHT, Tokens
from simulator.records import dataclass

__all__ = ["DARK", "LIGHT", "Theme", "ThemeChoice", "Tokens", "palette"]


class ThemeChoice(str, Enum):
    """What the user picked in the View menu."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class _Role:
    role: QPalette.ColorRole
    token: str
    disabled: str = ""


_ROLES = (
    _Role(QPalette.ColorRole.Window, "window"),
    _Role(QPalette.ColorRole.WindowText, "text", "disabled"),
    _Role(QPalette.ColorRole.Base, "surface", "window"),
    _Role(QPalette.ColorRole.AlternateBase, "raised"),
    _Role(QPalette.ColorRole.Text, "text", "disabled"),
    _Role(QPalette.ColorRole.PlaceholderText, "muted"),
    _Role(QPalette.ColorRole.Button, "raised"),
    _Role(QPalette.ColorRole.ButtonText, "text", "disabled"),
    _Role(QPalette.ColorRole.ToolTipBase, "raised"),
    _Role(QPalette.ColorRole.ToolTipText, "text"),
    _Role(QPalette.ColorRole.BrightText, "error"),
    _Role(QPalette.ColorRole.Highlight, "accent", "border"),
    _Role(QPalette.ColorRole.HighlightedText, "on_accent", "muted"),
    _Role(QPalette.ColorRole.Link, "accent"),
    _Role(QPalette.ColorRole.LinkVisited, "accent"),
    _Role(QPalette.ColorRole.Light, "raised"),
    _Role(QPalette.ColorRole.Midlight, "raised"),
    _Role(QPalette.ColorRole.Mid, "border"),
    _Role(QPalette.ColorRole.Dark, "border"),
    _Role(QPalette.ColorRole.Shadow, "border"),
)


def palette(tokens: Tokens) -> QPalette:
    """Qt's palette for these tokens."""
    result = QPalette()
    for entry in _ROLES:
        result.setColor(entry.role, QColor(getattr(tokens, entry.token)))
        disabled = entry.disabled or entry.token
        result.setColor(QPalette.ColorGroup.Disabled, entry.role, QColor(getattr(tokens, disabled)))
    return result


class Theme(QObject):
    """Holds the choice, follows the system if it is known, and applies it.

    `changed` carries the new tokens; widgets that draw themselves listen to it.
    """

    changed = pyqtSignal(object)

    def __init__(self, application: QApplication, choice: ThemeChoice = ThemeChoice.SYSTEM) -> None:
        super().__init__()
        self._application = application
        self.choice = choice
        self.tokens = LIGHT
        hints = application.styleHints()
        if hints is not None:
            hints.colorSchemeChanged.connect(self._system_changed)
        self.apply()

    def set_choice(self, choice: ThemeChoice) -> None:
        """Change to light, dark or whatever the system says."""
        self.choice = choice
        self.apply()

    def apply(self) -> None:
        """Give the application the colours of the current choice."""
        self.tokens = self._wanted()
        text = QFontInfo(self._application.font()).pixelSize()
        self._application.setPalette(palette(self.tokens))
        sheet = style_sheet(self.tokens, icon_folder(), text)
        if sheet != self._application.styleSheet():  # the same again would be worked out anew for every widget
            self._application.setStyleSheet(sheet)
        self.changed.emit(self.tokens)

    @contextmanager
    def unstyled(self) -> Iterator[None]:
        """While many widgets are made, without the style sheet. With it, Qt works out the style of a widget and of all
        in it whenever it gets a parent: ten times for each widget of the window.

        Widgets that were made before but have never been shown must not live on: without a style sheet Qt 6.11 forgets
        to watch them, and at a later change of colours it would ask for the style of one that is gone.
        """
        sheet = self._application.styleSheet()
        self._application.setStyleSheet("")
        try:
            yield
        finally:
            self._application.setStyleSheet(sheet)

    def _system_changed(self) -> None:
        if self.choice is ThemeChoice.SYSTEM and self._wanted() is not self.tokens:
            self.apply()

    def _wanted(self) -> Tokens:
        if self.choice is ThemeChoice.LIGHT:
            return LIGHT
        if self.choice is ThemeChoice.DARK:
            return DARK
        hints = self._application.styleHints()
        dark = hints is not None and hints.colorScheme() == Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
