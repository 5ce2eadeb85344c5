"""What the window looks at among the events of the whole program: presses, for undo, and the key Space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox, QWidget

from simulator.gui.undo import PRESSES

if TYPE_CHECKING:
    from simulator.gui.undo import Undo


def program_events(undo: Undo) -> ProgramEvents:
    """Events of the program, which `undo` and controls that have the focus hear of while they are watched."""
    events = ProgramEvents()
    events.listen(undo.see, *PRESSES)
    events.listen(space_is_the_controls, QEvent.Type.ShortcutOverride)
    return events


Listener = Callable[[QObject, QEvent], bool]
"""Shown the object that an event is for, and the event; True keeps the event from the object."""


class ProgramEvents(QObject):
    """One filter for all listeners, for every event of every object passes through Python here: opening a window makes
    ten thousand of them."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: dict[QEvent.Type, tuple[Listener, ...]] = {}

    def listen(self, listener: Listener, *kinds: QEvent.Type) -> None:
        """Show events of these kinds to `listener` while the program is watched."""
        for kind in kinds:
            self._listeners[kind] = (*self._listeners.get(kind, ()), listener)

    def watch(self, on: bool) -> None:
        """Begin to look at the events of the whole program, or end."""
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
            if on:
                application.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Kept from the object if any listener says so."""
        if watched is None or event is None:
            return False
        listeners = self._listeners.get(event.type())
        return listeners is not None and any(listener(watched, event) for listener in listeners)


CONTROLS = (QAbstractButton, QAbstractItemView, QComboBox)
"""Space presses, checks or opens them."""


def space_is_the_controls(watched: QObject, event: QEvent) -> bool:
    """Space runs and pauses only where no control has the focus; else it goes to the control. For events of the kind
    ShortcutOverride."""
    if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
        return False
    plain = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier
    if plain and watched.hasFocus() and isinstance(watched, CONTROLS):
        event.accept()
        return True
    return False
