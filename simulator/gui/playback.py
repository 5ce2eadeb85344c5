"""The moment of a recording on show: the newest of the simulation, or one chosen on the time line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QElapsedTimer, QObject, pyqtSignal

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.recording.history import History
    from simulator.session.run.client import SimulationClient


class Playback(QObject):
    """`time` is the moment on show [s], None for the newest. `changed` is emitted when the mode changes, not with
    every moment."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.time: float | None = None
        self.playing = False
        self._client: SimulationClient | None = None
        self._dt = 1e-3
        self._clock = QElapsedTimer()
        self._found: tuple[float, Snapshot | None] = (math.nan, None)
        self._from_file: History | None = None

    @property
    def _history(self) -> History | None:
        """The recording of a file while one is on show, else that of the simulation."""
        return self._from_file or (self._client.history if self._client is not None else None)

    def play_file(self, recording: History) -> None:
        """Play the recording of a file from its first moment on, until the newest moment is shown again."""
        self._from_file = recording
        self._found = (math.nan, None)
        self.show(recording.span()[0])
        self.stop()
        self.play()

    @property
    def on(self) -> bool:
        """Whether a moment of the past is on show."""
        return self.time is not None

    def span(self) -> tuple[float, float]:
        """First and last moment of the recording [s]; zeros where there is none."""
        first, last = self._history.span() if self._history is not None else (math.nan, math.nan)
        return (first, last) if math.isfinite(first) else (0.0, 0.0)

    def follow(self, client: SimulationClient | None) -> None:
        """Another simulation; its newest moment is shown."""
        self._client = client
        self.leave()

    def show(self, time: float) -> None:
        """Show the moment at `time` [s], as far as the recording goes."""
        first, last = self.span()
        was_on = self.on
        self.time = min(max(time, first), last)
        if not was_on:
            self.changed.emit()

    def step(self, count: int, now: float) -> None:
        """So many steps on from the moment on show, or from `now` [s], backwards where negative."""
        self.stop()
        self.show((self.time if self.time is not None else now) + count * self._dt)

    def play(self) -> None:
        """Play on from the moment on show, from the first where that is the last."""
        first, last = self.span()
        at_end = self.time is None or self.time >= last - 0.5 * self._dt
        self.show(first if at_end else self.time or first)
        self._clock.start()
        self.playing = True
        self.changed.emit()

    def stop(self) -> None:
        """Stay at the moment on show."""
        if self.playing:
            self.playing = False
            self.changed.emit()

    def leave(self) -> None:
        """Show the newest moment again."""
        was_on = self.on
        self.time = None
        self.playing = False
        self._from_file = None
        self._found = (math.nan, None)
        if was_on:
            self.changed.emit()

    def moment(self, dt: float, speed: float) -> Snapshot | None:
        """The moment on show; where it plays back, as much later as wall time has passed since, times `speed`. The same
        object as before where the moment is the same."""
        self._dt = dt
        history = self._history
        if history is None or self.time is None:
            return None
        if self.playing:
            self.time += speed * self._clock.restart() / 1000.0
            if self.time >= self.span()[1]:
                self.time = self.span()[1]
                self.stop()
        if self._found[0] != self.time:
            self._found = self.time, history.at(self.time, dt)
        return self._found[1]
