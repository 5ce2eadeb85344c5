"""A simulation in this process, which a test can stop at any moment."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.recording.channels import Channel, channels_of
from simulator.recording.history import History
from simulator.recording.store import RowStore, StoreShape
from simulator.session.commands.commands import SetDrive
from simulator.session.commands.factory import make_engine, remark_on
from simulator.session.run.pace import Pace
from simulator.session.run.runner import Listeners, Runner
from simulator.session.run.worker import note_pace, status_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.snapshot import Snapshot
    from simulator.session.commands.commands import Command
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Drives, Status
    from simulator.session.text.settings import SessionSettings

MEMORY = 64 << 20
"""Bytes of a recording, which is in memory here."""
POLL_BUDGET = 0.012
"""Wall time [s] that one poll may spend on stepping."""


class LocalClient:
    """Advances time inside `poll`. Raises the errors of `make_engine`."""

    def __init__(self, opened: Opened, settings: SessionSettings) -> None:
        self._opened, self._settings = opened, settings
        self._channels = channels_of(opened.mechanism, opened.actuators)
        self._record = RowStore(StoreShape.within(len(self._channels), MEMORY))
        self.history = History(opened.mechanism, opened.actuators, self._record)
        self._start(settings)

    def _start(self, settings: SessionSettings, *, answered: int = 0) -> None:
        self._engine = make_engine(self._opened, settings)
        self._runner = Runner(
            self._engine,
            speed=settings.speed,
            paused=settings.paused,
            listeners=Listeners(self._record.extend, self._record.clear, self._record.rewind),
            remark=lambda solver: remark_on(self._opened, solver, settings.dt),
            answered=answered,
            world=self._opened.world,
        )
        self._pace = Pace()
        self._closed = False
        self._last = time.monotonic()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of `trace`."""
        return self._channels

    @property
    def setup(self) -> tuple[Opened, SessionSettings]:
        """The document and the settings of the simulation."""
        return self._opened, self._settings

    @property
    def asked_drives(self) -> Drives:
        """The present drives: every command has been carried out."""
        return self._runner.drives

    def send(self, command: Command) -> int:
        """Carry out a command at once; ignored after the end."""
        if self._closed:
            return 0
        self._runner.execute(command)
        return self._runner.answered

    def poll(self) -> tuple[Snapshot | None, Status]:
        """Advance by the wall time since the last poll, and return the state."""
        now = time.monotonic()
        runner = self._runner
        if not self._closed:
            made = runner.tick(now - self._last, lambda: time.monotonic() - now > POLL_BUDGET)
            note_pace(self._pace, runner, made)
        self._last = now
        return runner.snapshot, status_of(runner, self._pace)

    def trace(self, columns: Sequence[int], since: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Recorded rows from time `since` [s] on."""
        return self.history.window(columns, since)

    def restart(self) -> None:
        """Begin again from the start, with the same drives."""
        drives = self.asked_drives
        self.close()
        self._start(replace(self._settings, drives=()), answered=self._runner.answered)
        for name, drive in drives:
            self.send(SetDrive(name, drive))

    def close(self) -> None:
        """Free the engine."""
        self._closed = True
        self._engine.close()
