"""A simulation in a separate process, behind the same interface: PyBullet holds the interpreter lock in every call and
a fault in native code ends its process, so a window is isolated from both."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.recording.channels import Channel, channels_of
from simulator.recording.history import History
from simulator.recording.packing import SnapshotLayout
from simulator.recording.record_file import RecordFile
from simulator.session.commands.commands import (
    Command,
    SetCoupling,
    SetDrive,
    SetNumber,
    SetSolver,
    SetSpeed,
    WatchForces,
)
from simulator.session.commands.driving import full_name
from simulator.session.run.client import Drives, RunState, Status
from simulator.session.run.job import Job
from simulator.session.run.physics_process import PhysicsProcess
from simulator.session.run.shared import SharedMemory
from simulator.session.text.settings import step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.drives import Drive
    from simulator.engine.snapshot import Snapshot
    from simulator.session.open.opening import Opened
    from simulator.session.run.job import Message
    from simulator.session.run.physics_process import Spare
    from simulator.session.text.settings import SessionSettings

LAST_BREATH = 0.5
"""Most seconds between the end of the pipe and the exit code of a dying process, on a busy machine."""
SILENCE = 1.0
"""Seconds without a message after which the process is checked for suspension."""


class RemoteClient:
    """Starts the process at once; `poll` reports STARTING until the first snapshot is published.

    Raises DocumentError for a document with errors and UsageError for a step that cannot be simulated; later errors
    are statuses.
    """

    def __init__(self, opened: Opened, settings: SessionSettings, *, spare: Spare | None = None) -> None:
        """`spare`: a process that was started before, which this takes if it is still free."""
        opened.require_valid()
        self._opened, self._settings = opened, settings
        self._channels = channels_of(opened.mechanism, opened.actuators)
        self._dt = step_of(opened, settings)
        layout = SnapshotLayout.of(opened.mechanism, len(opened.actuators))
        self._memory = SharedMemory.create(layout)
        self._record = RecordFile.create(self._channels, opened.path, self._dt)
        self.history = History(opened.mechanism, opened.actuators, self._record.store)
        self._number = 0
        named = ((self._full_name(name), drive) for name, drive in settings.drives)
        self._start_drives = {name: drive for name, drive in named if name}
        self._asked: dict[int, SetDrive] = {}
        self._speed, self._solver = settings.speed, settings.solver
        self._laws: dict[int, SetCoupling] = {}
        self._numbers: dict[str, SetNumber] = {}
        self._watch = WatchForces(False)
        self._snapshot: Snapshot | None = None
        self._closed = False
        self._process = PhysicsProcess() if spare is None else spare.take()
        self._begin(settings, drives=tuple(self._start_drives.items()))

    def _begin(self, settings: SessionSettings, *, drives: Drives, resume: Snapshot | None = None) -> None:
        """`drives`: those of the settings, or those to send as soon as the process listens."""
        self._pipe = self._process.pipe
        job = Job(self._opened, settings, self._memory.shape, self._record.shape, os.getpid(), resume, self._number)
        self._process.give(job)
        self._heard = time.monotonic()
        self._status = Status(
            RunState.STARTING, settings.solver, self._dt, speed=self._speed, drives=drives, answered=self._number
        )

    @property
    def pid(self) -> int | None:
        """Identifier of the process."""
        return self._process.process.pid

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
        """The last reported drives, updated by commands without an answer yet."""
        drives = dict(self._status.drives)
        for number, command in self._asked.items():
            name = self._full_name(command.target)
            if number > self._status.answered and name:
                drives.pop(name, None)
                if command.drive is not None:
                    drives[name] = command.drive
        return tuple(drives.items())

    def send(self, command: Command) -> int:
        """Send a command; ignored if the process has ended or is suspended."""
        if self._closed:
            return 0
        self._remember(command)
        if self._status.state is RunState.STOPPED:
            return 0  # a full pipe would block the window
        try:
            self._pipe.send((self._number + 1, command))
        except (OSError, ValueError):
            self._mark_dead()
            return 0
        self._number += 1
        if isinstance(command, SetDrive):
            self._asked[self._number] = command
        return self._number

    def _full_name(self, name: str) -> str:
        return full_name(self._opened.mechanism, self._opened.actuators, name)

    def _remember(self, command: Command) -> None:
        """Commands to repeat to a restarted process, besides drives."""
        if isinstance(command, SetSpeed):
            self._speed = command.factor
        elif isinstance(command, SetSolver):
            self._solver = command.solver
        elif isinstance(command, WatchForces):
            self._watch = command
        elif isinstance(command, SetCoupling):
            self._laws[command.coupling] = command
        elif isinstance(command, SetNumber):
            self._numbers[command.name] = command

    def poll(self) -> tuple[Snapshot | None, Status]:
        """The newest snapshot and status; never blocks."""
        if self._closed:
            return self._snapshot, self._status
        try:
            while self._pipe.poll():
                self._on_status(self._pipe.recv())
                self._memory.acknowledge()
                self._heard = time.monotonic()
        except (EOFError, OSError):
            self._mark_dead()
        if self._status.state is not RunState.DIED and not self._process.process.is_alive():
            self._mark_dead()
        elif time.monotonic() - self._heard > SILENCE and self._process.is_stopped:
            self._mark_stopped()
        self._snapshot = self._memory.read() or self._snapshot
        status = self._status
        self._status = replace(self._status, forces=())
        return self._snapshot, status

    def _on_status(self, message: Message) -> None:
        status, numbers = message
        drives = self._status.drives
        if numbers is not None:
            drives = tuple(
                (name, drive) for name, number in numbers if (drive := self._drive_of(name, number)) is not None
            )
            held = {number for _, number in numbers}
            self._asked = {n: asked for n, asked in self._asked.items() if n > status.answered or n in held}
        self._status = replace(status, drives=drives, forces=(*self._status.forces, *status.forces))

    def _drive_of(self, name: str, number: int) -> Drive | None:
        return self._asked[number].drive if number else self._start_drives[name]

    def _mark_dead(self) -> None:
        self._process.process.join(LAST_BREATH)
        code = self._process.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        message = f"the physics process ended {how}; the recording so far remains"
        self._status = replace(self._status, state=RunState.DIED, real_time_factor=0.0, message=message)

    def _mark_stopped(self) -> None:
        message = f"the physics process is suspended; resume it with `kill -CONT {self.pid}`"
        self._status = replace(self._status, state=RunState.STOPPED, real_time_factor=0.0, message=message)

    def trace(self, columns: Sequence[int], since: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Recorded history from time `since` [s] on."""
        return self.history.window(columns, since)

    def restart(self) -> None:
        """A new process that continues, paused, from the last snapshot, with the same drives."""
        if self._closed:
            return
        drives = self.asked_drives
        self._process.end()
        self._memory.mend()
        self._record.store.mend()
        self._snapshot = self._memory.read() or self._snapshot
        if self._snapshot is not None:
            self._record.store.rewind(self._snapshot.time)
        self._asked.clear()
        settings = replace(self._settings, speed=self._speed, drives=())
        if self._snapshot is not None:
            settings = replace(settings, paused=True)
        self._process = PhysicsProcess()
        self._begin(settings, drives=drives, resume=self._snapshot)
        changes: list[Command] = [SetSolver(self._solver)] if self._solver != self._settings.solver else []
        for command in (
            *changes,
            self._watch,
            *self._laws.values(),
            *self._numbers.values(),
            *(SetDrive(name, drive) for name, drive in drives),
        ):
            self.send(command)

    def close(self) -> None:
        """End the process and free the shared memory; the recording stays among the `recent` ones."""
        if self._closed:
            return
        self._closed = True
        self._process.end()
        self.history.forget()
        self._memory.close()
        self._record.close(keep=True)
