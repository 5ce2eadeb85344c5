"""Whether the simulation refused what it was just asked: refusals come as messages of the status, and name no command."""

from __future__ import annotations

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

PATIENCE = 700
"""Messages that come later than this are about something else [ms]."""


class Answer(QObject):
    """`ask` when something is sent, `hear` with every status; `unanswered` is emitted when nothing came for a while."""

    unanswered = pyqtSignal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._asked, self._before, self._refused = "", "", ("", "")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE)
        self._timer.timeout.connect(self.unanswered)

    @property
    def waiting(self) -> bool:
        """Whether something was asked a moment ago."""
        return self._timer.isActive()

    def ask(self, what: str) -> None:
        """Something is sent; the same question may get the same answer again."""
        self._asked = what
        self._timer.start()

    def settle(self) -> None:
        """What was asked has happened."""
        self._timer.stop()

    def hear(self, message: str) -> str:
        """Why what was asked is refused, in a sentence; empty where it is not."""
        if not self.waiting:
            self._before = message
        elif not message:
            self._before = ""
        elif message != self._before or (self._asked, message) == self._refused:
            self._timer.stop()
            self._before, self._refused = message, (self._asked, message)
            return message
        return ""
