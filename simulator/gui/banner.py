"""A strip at the top of the view for an urgent message, with a button for it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton

from simulator.gui.fields import PlainLabel, mark, set_picture
from simulator.gui.resources import icon
from simulator.gui.theme import Theme


class Banner(QFrame):
    """Hidden until there is a message; `topic` identifies it, so that it can be withdrawn. A message that is
    not `closable` stays until it is withdrawn. `other`: an optional second button."""

    dismissed = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._theme = theme
        self.topic = ""
        self._picture, self.message = QLabel(), PlainLabel()
        self.button, self.other, self._close = QPushButton(), QPushButton(), QToolButton()
        self._action: Callable[[], None] | None = None
        self._other_action: Callable[[], None] | None = None
        self.closable = True
        self.message.setWordWrap(True)
        self._close.setAccessibleName(self.tr("Dismiss"))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 7, 8, 7)
        row.setSpacing(10)
        row.addWidget(self._picture)
        row.addWidget(self.message, 1)
        row.addWidget(self.button)
        row.addWidget(self.other)
        row.addWidget(self._close)
        self.button.clicked.connect(lambda _checked=False: self._act(self._action))
        self.other.clicked.connect(lambda _checked=False: self._act(self._other_action))
        self._close.clicked.connect(self._dismiss)
        theme.changed.connect(lambda _tokens: self._paint())
        self.hide()

    def say(
        self, topic: str, level: str, text: str, button: str = "", action: Callable[[], None] | None = None
    ) -> None:
        """Show a message; `level` is info, warning or error."""
        self.topic, self._action = topic, action
        self.message.setText(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self.other.hide()
        mark(self, "level", level)
        self._paint()
        self._close.setVisible(self.closable)
        self.show()

    def offer(self, button: str, action: Callable[[], None]) -> None:
        """A second thing to do about what is said now."""
        self._other_action = action
        self.other.setText(button)
        self.other.show()

    def take_back(self, topic: str) -> None:
        """Hide the message if it is about that topic; it can be said again."""
        if self.topic == topic:
            self.clear()

    def clear(self) -> None:
        """Hide the message, whatever it is about; it can be said again."""
        self.topic = ""
        self.hide()

    def _paint(self) -> None:
        tokens = self._theme.tokens
        level = str(self.property("level") or "info")
        colour = {"error": tokens.error, "warning": tokens.warning}.get(level, tokens.info)
        set_picture(self._picture, level, colour, 18)
        self._close.setIcon(icon("close", tokens, tokens.muted))

    def _dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()

    def _act(self, action: Callable[[], None] | None) -> None:
        self.hide()
        if action is not None:
            action()
