"""Events of the whole program, for listeners to some kinds of them while the window is open."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtGui import QFocusEvent, QInputEvent
from PyQt6.QtWidgets import QApplication

Listener = Callable[[QObject, QEvent], bool]
"""Shown the object that an event is for, and the event; True keeps the event from the object."""
LISTENED = QInputEvent, QFocusEvent
"""Classes of the events that can be listened to."""


class ProgramEvents(QObject):
    """One filter for all listeners, for every event of every object passes through Python here: opening a window makes
    ten thousand of them."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: dict[QEvent.Type, tuple[Listener, ...]] = {}

    def listen(self, listener: Listener, *kinds: QEvent.Type) -> None:
        """Show events of these kinds, of the classes `LISTENED`, to `listener` while the program is watched."""
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
        if watched is None or not isinstance(event, LISTENED):  # which costs a tenth of what the type of an event does
            return False
        listeners = self._listeners.get(event.type())
        return listeners is not None and any(listener(watched, event) for listener in listeners)
