"""Forces at moments of the recording that were not watched, computed in the background."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.session.commands.commands import SetNumber
from simulator.session.forces.forces_now import ForcesNow
from simulator.session.run.client import RunState

if TYPE_CHECKING:
    from collections.abc import Hashable

    from simulator.gui.live import LiveSession
    from simulator.recording.history import History
    from simulator.session.open.opening import Opened
    from simulator.session.run.force_replay import Changes, ForceReplay
    from simulator.session.text.settings import SessionSettings
    from simulator.spatial.arrays import Array


AT_ONCE = 0.1
"""Seconds of work between two looks at what is wanted; as long a pause follows, in which the window has the
interpreter."""
STRIDES = (16, 4, 1)
KEPT = 4
"""Mechanisms with other laws and numbers that are held ready."""


class WantedMoment(NamedTuple):
    """A moment [s], and what was changed in the mechanism then."""

    time: float
    changes: Changes


class PastForces(QObject):
    """Completes the record of forces of a session. `found`: new ones are available."""

    found = pyqtSignal()

    def __init__(self, live: LiveSession, *, threaded: bool = True) -> None:
        super().__init__()
        self._live = live
        self._asked: dict[str, Array] = {}
        self._replays = Replays()
        self._background: Background[list[ForcesNow]] = Background(threaded=threaded)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._work)
        live.document_changed.connect(lambda _opened: self._begin())
        live.ticked.connect(lambda _snapshot, _status: self._follow())

    def ask(self, who: str, times: Array) -> None:
        """Moments [s] that are wanted now instead of those of before."""
        self._asked[who] = times
        self._work()

    def _begin(self) -> None:
        self._background.cancel()
        self._pause.stop()
        self._asked.clear()
        self._replays = Replays()  # the one before may still be at work

    def _follow(self) -> None:
        if self._live.client is not None:
            self._live.forces.follow(self._live.client.history.rewound)

    def _work(self) -> None:
        client = self._live.client
        status = self._live.status
        laws = self._live.laws
        record = self._live.forces
        if self._background.busy or self._pause.isActive() or client is None or status is None or laws is None:
            return
        asked = dict.fromkeys(time for times in self._asked.values() for time in coarse_first(times))
        times = [time for time in asked if not record.knows(time)]
        if not times or status.state is RunState.STARTING:
            return
        wanted = []
        for time in times:
            changes, numbers = laws.at(time)
            wanted.append(WantedMoment(time, (*changes, *(SetNumber(*number) for number in numbers))))
        history = client.history.copy()
        replays = self._replays
        setup = client.setup
        cut, solver = history.rewound, status.solver
        self._background.start(
            lambda: replays.find(history, (*setup, solver), wanted),
            lambda found, error: self._show(found or [], error, cut),
        )

    def _show(self, found: list[ForcesNow], error: Exception | None, cut: tuple[int, float]) -> None:
        if error is not None:
            self._asked.clear()
            self._live.add_exception(error)
            return
        if self._live.client is not None and self._live.client.history.rewound == cut:
            for forces in found:
                self._live.forces.add(forces)
        self._pause.start(round(1e3 * AT_ONCE))
        self.found.emit()


def coarse_first(times: Array) -> list[float]:
    """Every 16th of some times, then what is between them: a curve is there as a whole while it becomes finer."""
    return [time for stride in STRIDES for time in times[::stride].tolist()]


class Replays:
    """Those of one document, for one thread at a time."""

    def __init__(self) -> None:
        self._made: dict[Hashable, ForceReplay | str] = {}

    def find(
        self, history: History, setup: tuple[Opened, SessionSettings, str], wanted: list[WantedMoment]
    ) -> list[ForcesNow]:
        """The first of what is wanted, as many as `AT_ONCE` lasts for."""
        until = clock.monotonic() + AT_ONCE
        found = list[ForcesNow]()
        for one in wanted:
            replay = self._of(setup, one.changes)
            found.append(
                ForcesNow.unknown(one.time, replay) if isinstance(replay, str) else replay.at(history, one.time)
            )
            if clock.monotonic() > until:
                break
        return found

    def _of(self, setup: tuple[Opened, SessionSettings, str], changes: Changes) -> ForceReplay | str:
        """Or why there is none."""
        opened, settings, solver = setup
        key = solver, changes
        if key not in self._made:
            from simulator.session.run.force_replay import replay_of

            if len(self._made) >= KEPT:
                del self._made[next(iter(self._made))]
            try:
                self._made[key] = replay_of(opened, settings, solver, changes)
            except SimulatorError as error:
                self._made[key] = str(error)
        return self._made[key]
