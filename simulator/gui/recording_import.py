"""Plays the recording of a file on the mechanism on show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.gui.file_names import ask_existing
from simulator.recording.history import History
from simulator.session.commands.commands import Pause

if TYPE_CHECKING:
    from pathlib import Path

    from PyQt6.QtWidgets import QWidget

    from simulator.gui.announcements import Announcements
    from simulator.gui.live import LiveSession


class RecordingImport(QObject):
    """Asks for a file and reads it beside the window; what cannot be read is said there."""

    def __init__(self, window: QWidget, live: LiveSession, announcements: Announcements) -> None:
        super().__init__()
        self._window, self._live, self._announcements = window, live, announcements
        self._background: Background[History] = Background()
        live.document_changed.connect(lambda _opened: self._background.cancel())

    def ask(self) -> None:
        """Ask for a recording, and play it."""
        pattern = self.tr("Recordings (*.mcap *.csv *.db3 *.bag);;All files (*)")
        path = ask_existing(self._window, "recording", self.tr("Play a recording"), pattern, self._live.path)
        if path is not None:
            self.play(path)

    def play(self, path: Path) -> None:
        """Play the recording of a file; the simulation pauses."""
        opened, status = self._live.opened, self._live.status
        if opened is None or status is None:
            return
        dt = status.dt

        def read() -> History:
            from simulator.api.played import history_of_file

            return history_of_file(path, opened, dt)

        self._background.start(read, lambda found, error: self._was_read(path, found, error))

    def _was_read(self, path: Path, found: History | None, error: Exception | None) -> None:
        if found is not None:
            self._live.send(Pause())
            self._live.playback.play_file(found)
        elif isinstance(error, SimulatorError):
            text = self.tr("{name} cannot be played: {why}").format(name=path.name, why=error)
            self._announcements.say_failed(text)
        elif error is not None:
            self._live.add_exception(error)
