"""An object that sees all events of the program while it watches."""

from __future__ import annotations

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QApplication


class ProgramWatcher(QObject):
    """Subclasses say in `eventFilter` what becomes of an event."""

    def watch(self, on: bool) -> None:
        """Begin to look at the events of the whole program, or end."""
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
            if on:
                application.installEventFilter(self)
