"""Shows the simulation live in other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from simulator.errors import MissingLibraryError, UsageError
from simulator.session.stream.newest import Streamer
from simulator.session.stream.viewers import stream_to

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.announcements import Announcements
    from simulator.gui.live import LiveSession
    from simulator.gui.preferences import Preferences


class Streaming(QObject):
    """Sends the newest rows with every poll of the simulation to the viewers that are switched on.

    `refused(viewer)`: it cannot be sent to, and is switched off.
    """

    refused = pyqtSignal(str)

    def __init__(self, live: LiveSession, preferences: Preferences, announcements: Announcements) -> None:
        super().__init__()
        self._live = live
        self._preferences = preferences
        self._announcements = announcements
        self._wanted: dict[str, Streamer | None] = {}
        live.ticked.connect(lambda snapshot, _status: self._send(snapshot))

    def switch(self, viewer: str, on: bool) -> None:
        """Begin, or end."""
        if on:
            self._wanted[viewer] = None
            self._begin(viewer)
        else:
            self._end(viewer)
            self._wanted.pop(viewer, None)

    def close(self) -> None:
        """End all."""
        for viewer in tuple(self._wanted):
            self.switch(viewer, False)

    def _begin(self, viewer: str) -> None:
        """With the document on show; without one, with the next."""
        opened, client = self._live.opened, self._live.client
        if opened is None or client is None:
            return
        try:
            stream = stream_to(f"{viewer}={self._preferences.address_of(viewer)}", opened, client.channels)
        except (UsageError, MissingLibraryError) as error:
            self._announcements.say_failed(self.tr("Cannot stream: {why}").format(why=error))
            del self._wanted[viewer]
            self.refused.emit(viewer)
            return
        self._wanted[viewer] = Streamer(stream, client)
        self._announcements.say_saved(f"{stream.says[:1].upper()}{stream.says[1:]}.")

    def _end(self, viewer: str) -> None:
        streamer = self._wanted.get(viewer)
        if streamer is not None:
            remark = streamer.close()
            if remark:
                self._announcements.say_failed(f"{remark[:1].upper()}{remark[1:]}.")

    def _send(self, snapshot: Snapshot | None) -> None:
        client = self._live.client
        if client is None or snapshot is None:
            return
        for viewer, streamer in tuple(self._wanted.items()):
            if streamer is None or streamer.client is not client:  # another document
                self._end(viewer)
                self._begin(viewer)
            current = self._wanted.get(viewer)
            if current is not None:
                current.send_new(snapshot.time)
