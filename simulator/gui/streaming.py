"""Streams the recording to PlotJuggler live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from simulator.errors import UsageError
from simulator.session.stream.plotjuggler import Streamer

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.announcements import Announcements
    from simulator.gui.live import LiveSession
    from simulator.gui.preferences import Preferences


class Streaming(QObject):
    """Sends the newest rows with every poll of the simulation, while it is switched on."""

    def __init__(self, live: LiveSession, preferences: Preferences, announcements: Announcements) -> None:
        super().__init__()
        self._live = live
        self._preferences = preferences
        self._announcements = announcements
        self._streamer: Streamer | None = None
        live.ticked.connect(lambda snapshot, _status: self._send(snapshot))

    def switch(self, on: bool) -> None:
        """Begin, or end."""
        if self._streamer is not None:
            self._streamer.close()
            self._streamer = None
        if not on:
            return
        address = self._preferences.stream_address
        try:
            self._streamer = Streamer(address)
        except UsageError as error:
            text = self.tr("Cannot send to {address}: {why}").format(address=address, why=error)
            self._announcements.say_failed(text)

    def _send(self, snapshot: Snapshot | None) -> None:
        client = self._live.client
        if self._streamer is not None and client is not None and snapshot is not None:
            self._streamer.send_new(client, snapshot.time)
