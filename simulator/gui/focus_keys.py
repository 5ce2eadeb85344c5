"""Keys that belong to the control that has the focus before they are shortcuts of the window."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QWidget

from simulator.gui.watching import ProgramWatcher

CONTROLS = (QAbstractButton, QAbstractItemView, QComboBox)
"""Space presses, checks or opens them."""


class FocusKeys(ProgramWatcher):
    """Watches the program while a window is open: Space runs and pauses only where no control has the focus."""

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Space goes to the control."""
        if event is None or event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        plain = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and isinstance(watched, QWidget) and watched.hasFocus() and isinstance(watched, CONTROLS):
            event.accept()
            return True
        return False
