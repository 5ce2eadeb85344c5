"""The state machine that lets simulated time pass: `tick(wall_elapsed)`; whoever calls it owns the clock."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.engine.drives import Drive
from simulator.errors import SimulationError, SimulatorError, UsageError
from simulator.session import commands
from simulator.session.client import RunState
from simulator.session.drive_text import parse_drive_text
from simulator.session.driving import give_drive, take_drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

BACKLOG = 0.1
"""Most simulated time [s, times speed] that is caught up after a hiccup; what is beyond is dropped and counted."""


class Runner:
    """Runs an engine at a chosen speed. `on_sample` gets a snapshot after every step, `on_clear` is told when a new
    run begins, `remark` tells what is to be said about a strategy."""

    def __init__(
        self,
        engine: Engine,
        *,
        speed: float = 1.0,
        paused: bool = False,
        on_sample: Callable[[Snapshot], None] | None = None,
        on_clear: Callable[[], None] | None = None,
        remark: Callable[[str], str] | None = None,
        resumed: bool = False,
    ) -> None:
        self.engine = engine
        self.snapshot: Snapshot
        self.speed = speed
        self.state = RunState.PAUSED if paused else RunState.RUNNING
        self._remark = remark or (lambda _: "")
        self.message = self._about = self._remark(engine.enforcement.name)
        self.dropped, self.laws_since = 0.0, 0.0
        self._backlog = 0.0
        self._on_sample = on_sample or (lambda _: None)
        self._on_clear = on_clear or (lambda: None)
        self._begin(clear=not resumed)

    def tick(self, wall_elapsed: float, out_of_time: Callable[[], bool] = lambda: False) -> int:
        """Let `wall_elapsed` seconds pass; returns the steps made. Stops early, dropping nothing, once `out_of_time` says so."""
        if self.state is not RunState.RUNNING:
            return 0
        self._backlog += wall_elapsed * self.speed
        most = BACKLOG * max(self.speed, 1.0) + self.engine.dt
        if self._backlog > most:
            self.dropped += self._backlog - most
            self._backlog = most
        steps = 0
        while self._backlog >= self.engine.dt * (1.0 - 1e-9) and self.state is RunState.RUNNING:
            self._backlog -= self.engine.dt
            steps += self._step()
            if out_of_time():
                break
        return steps

    def execute(self, command: commands.Command) -> None:
        """Carry out a command. What cannot be done is told in `message`, until the next that works; the simulation goes on as before."""
        try:
            self._execute(command)
        except SimulatorError as error:
            self.message = str(error)

    def _execute(self, command: commands.Command) -> None:
        if self.state is not RunState.FAILED:
            self.message = self._about
        if isinstance(command, commands.Run):
            if self.state is RunState.PAUSED:
                self.state = RunState.RUNNING
        elif isinstance(command, commands.Pause):
            if self.state is RunState.RUNNING:
                self.state = RunState.PAUSED
        elif isinstance(command, commands.StepOnce):
            self._step_once(command.count)
        elif isinstance(command, commands.Reset):
            self._reset()
        elif isinstance(command, commands.SetSpeed):
            self.speed = checked_speed(command.factor)
        elif isinstance(command, commands.SetSolver | commands.SetCoupling):
            self._change(command)
        else:
            self._move(command)

    def _change(self, command: commands.SetSolver | commands.SetCoupling) -> None:
        if isinstance(command, commands.SetSolver):
            self.engine.use_strategy(command.solver)
            self.message = self._about = self._remark(command.solver)
        else:
            self.engine.change_coupling(command.coupling, *command.law)
            self.laws_since = self.snapshot.time
        self.snapshot = self.engine.snapshot()

    def _move(self, command: commands.Motion) -> None:
        if isinstance(command, commands.SetDrive):
            self.engine.set_drive(command.axis, Drive(command.kind, command.value))
        elif isinstance(command, commands.ClearDrive):
            self.engine.set_drive(command.axis, None)
        elif isinstance(command, commands.SetDriveText):
            give_drive(self.engine, parse_drive_text(f"{command.target}={command.text}"))
        elif isinstance(command, commands.ClearDriveText):
            take_drive(self.engine, command.target)
        else:
            self.engine.place(command.axis, command.value)
            self.snapshot = self.engine.snapshot()

    def _step_once(self, count: int) -> None:
        if self.state is RunState.FAILED:
            return
        self.state = RunState.PAUSED
        for _ in range(count):
            if self._step() == 0:
                break

    def _reset(self) -> None:
        self.engine.reset()
        if self.state is RunState.FAILED:
            self.state = RunState.PAUSED
        self.message, self.laws_since = self._about, 0.0
        self._begin()

    def _begin(self, *, clear: bool = True) -> None:
        """The first sample of a run; one that is resumed goes on in the old record."""
        self._backlog, self.dropped = 0.0, 0.0
        if clear:
            self._on_clear()
        self.snapshot = self.engine.snapshot()
        self._on_sample(self.snapshot)

    def _step(self) -> int:
        try:
            self.engine.step()
        except SimulationError as error:
            self.state, self.message = RunState.FAILED, str(error)
            return 0
        self.snapshot = self.engine.snapshot()
        self._on_sample(self.snapshot)
        return 1


def checked_speed(factor: float) -> float:
    """The speed, where it is one. Raises UsageError for what is not positive and finite."""
    if not (math.isfinite(factor) and factor > 0.0):
        raise UsageError(f"a speed of {factor:g} is not possible; give simulated seconds per second, e.g. 0.5")
    return factor
