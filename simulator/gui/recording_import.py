"""Plays the recording of a file, or of an earlier session, on the mechanism that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.gui.file_names import ask_existing
from simulator.gui.units import number
from simulator.recording.history import History
from simulator.recording.record_file import recent
from simulator.session.commands.commands import Pause, Resume

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PyQt6.QtWidgets import QWidget

    from simulator.gui.announcements import Announcements
    from simulator.gui.dialogs import Dialogs
    from simulator.gui.live import LiveSession
    from simulator.gui.menus import Menus
    from simulator.recording.record_file import StoredRecord


def delete_all(records: Sequence[StoredRecord]) -> None:
    """Let recordings of earlier sessions go."""
    for record in records:
        record.delete()


class RecordingImport(QObject):
    """Asks for a file and reads it beside the window; what cannot be read is said there. A menu has the recordings of
    earlier sessions."""

    def __init__(
        self, window: QWidget, live: LiveSession, announcements: Announcements, menus: Menus, dialogs: Dialogs
    ) -> None:
        super().__init__()
        self._window, self._live, self._announcements, self._dialogs = window, live, announcements, dialogs
        self._menu, self._open_path = menus.recordings, menus.open_path
        self._background: Background[History] = Background()
        self._wanted: StoredRecord | None = None
        live.document_changed.connect(lambda _opened: self._background.cancel())
        live.ticked.connect(lambda _snapshot, _status: self._play_wanted())
        self._menu.aboutToShow.connect(self._fill)

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

    def _fill(self) -> None:
        """The newest first, with the time of the day and what they have."""
        self._menu.clear()
        records = recent()
        for record in records:
            first, last = record.store().span()
            when = f"{record.began.astimezone():%d %b %H:%M}"
            text = self.tr("{name}    {when}, {first} to {last} s")
            text = text.format(name=record.document.name, when=when, first=number(first, 3), last=number(last, 3))
            action = self._menu.addAction(text.replace("&", "&&"))
            if action is not None:
                action.triggered.connect(lambda _checked=False, record=record: self.play_stored(record))
        self._menu.addSeparator()
        clear = self._menu.addAction(self.tr("Delete all") if records else self.tr("Nothing yet"))
        if clear is not None:
            clear.setEnabled(bool(records))
            clear.triggered.connect(lambda _checked=False: delete_all(records))

    def play_stored(self, record: StoredRecord) -> None:
        """Play the recording of an earlier session, in its document, which is opened for it; the simulation continues
        from its end."""
        self._wanted = record
        path = self._live.path
        if path is None or path.absolute() != record.document or self._live.opened is None:
            self._open_path(record.document)
        self._play_wanted()

    def _play_wanted(self) -> None:
        record, opened, client = self._wanted, self._live.opened, self._live.client
        if record is None or opened is None or client is None or self._live.snapshot is None:
            return
        if opened.path.absolute() != record.document:
            return
        self._wanted = None
        if client.channels == record.channels:
            earlier = History(opened.mechanism, opened.actuators, record.store())
            newest = earlier.at(earlier.span()[1], record.dt)
            if newest is not None:
                self._live.send(Pause())
                client.history.take_over(earlier)
                client.send(Resume(newest, fresh=True))
                self._live.playback.show(earlier.span()[0])
                self._live.playback.play()
            return
        text = self.tr("{name} has other joints or couplings than when this was recorded.")
        text = text.format(name=record.document.name)

        def save() -> None:
            self._dialogs.save_stored(record)

        self._announcements.say_other(text, save)

    def _was_read(self, path: Path, found: History | None, error: Exception | None) -> None:
        if found is not None:
            self._live.send(Pause())
            self._live.playback.play_file(found)
        elif isinstance(error, SimulatorError):
            text = self.tr("{name} cannot be played: {why}").format(name=path.name, why=error)
            self._announcements.say_failed(text)
        elif error is not None:
            self._live.add_exception(error)
