"""Keys that the focused control handles before the shortcuts of the window."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QWidget

CONTROLS = (QAbstractButton, QAbstractItemView, QComboBox)
"""Space presses, checks or opens them."""


def space_is_the_controls(watched: QObject, event: QEvent) -> bool:
    """Space runs and pauses only if no control has the focus; else it goes to the control. For events of the kind
    ShortcutOverride."""
    if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
        return False
    plain = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier
    if plain and watched.hasFocus() and isinstance(watched, CONTROLS):
        event.accept()
        return True
    return False
