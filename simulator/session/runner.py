"""The state machine that lets simulated time pass: `tick(wall_elapsed)`; whoever calls it owns the clock."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError, SimulatorError, UsageError
from simulator.session import commands
from simulator.session.client import RunState
from simulator.session.driving import drives_of, full_name, give_drive

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

    Rows = NDArray[np.float64]

AT_ONCE = 0.004
"""Wall time [s] that one block of steps should take: between blocks commands are heard."""
MOST_AT_ONCE = 1024
BACKLOG = 0.1
"""Most simulated time [s, times speed] that is caught up after a hiccup; what is beyond is dropped and counted."""
REFUSALS = 16
"""So many of the last refusals are told."""


class Runner:
    """Runs an engine at a chosen speed. `on_rows` gets rows of all channels, shape (n, n_channels), one for every step, `on_clear` is told
    when a new run begins, `remark` tells what is to be said about a strategy. `answered` is the number of the last command that was carried
    out or refused, `refused` holds (number, reason) of the last refusals."""

    def __init__(
        self,
        engine: Engine,
        *,
        speed: float = 1.0,
        paused: bool = False,
        on_rows: Callable[[Rows], None] | None = None,
        on_clear: Callable[[], None] | None = None,
        remark: Callable[[str], str] | None = None,
        resumed: bool = False,
        answered: int = 0,
    ) -> None:
        self.engine = engine
        self.speed = speed
        self.state = RunState.PAUSED if paused else RunState.RUNNING
        self._remark = remark or (lambda _: "")
        self.message = self._about = self._remark(engine.strategy)
        self.dropped, self.laws_since = 0.0, 0.0
        self.answered = answered
        self.refused: deque[tuple[int, str]] = deque(maxlen=REFUSALS)
        self._driven_by: dict[str, int] = {}
        self._backlog = 0.0
        self._snapshot: Snapshot | None = None
        self._at_once = 1
        self._extremes = Extremes()
        self._on_rows = on_rows or (lambda _: None)
        self._on_clear = on_clear or (lambda: None)
        self._begin(clear=not resumed)

    @property
    def snapshot(self) -> Snapshot:
        """The state after the last good step."""
        if self._snapshot is None:
            self._snapshot = self.engine.snapshot()
        return self._snapshot

    @property
    def drives(self) -> tuple[tuple[str, Drive], ...]:
        """What is driven now, by scoped name of an axis or `actuator/NAME`."""
        return drives_of(self.engine)

    @property
    def drive_numbers(self) -> tuple[tuple[str, int], ...]:
        """The same, with the number of the command that set the drive, 0 for a drive of the start."""
        return tuple((name, self._driven_by.get(name, 0)) for name, _ in self.drives)

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
            made = self._advance(min(int(self._backlog / self.engine.dt + 1e-9), self._at_once))
            self._backlog -= max(made, 1) * self.engine.dt
            steps += made
            if out_of_time():
                break
        return steps

    def execute(self, command: commands.Command, number: int | None = None) -> None:
        """Carry out a command; its `number` is the next one unless it is given. What cannot be done is told in `message`, until the next
        that works, and in `refused`; the simulation goes on as before."""
        self.answered = self.answered + 1 if number is None else number
        try:
            self._execute(command)
        except SimulatorError as error:
            self.message = str(error)
            self.refused.append((self.answered, self.message))

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
        elif isinstance(command, commands.SetDrive):
            self._drive(command)
        else:
            self.engine.place(command.axis, command.value)
            self._snapshot = None

    def _drive(self, command: commands.SetDrive) -> None:
        engine = self.engine
        give_drive(engine, command.target, command.drive)
        self._driven_by[full_name(engine.mechanism, engine.actuation.actuators, command.target)] = self.answered

    def _change(self, command: commands.SetSolver | commands.SetCoupling) -> None:
        if isinstance(command, commands.SetSolver):
            self.engine.use_strategy(command.solver)
            self.message = self._about = self._remark(command.solver)
        else:
            self.engine.change_coupling(command.coupling, *command.law)
            self.laws_since = self.snapshot.time
        self._snapshot = None

    def _step_once(self, count: int) -> None:
        if self.state is RunState.FAILED:
            return
        self.state = RunState.PAUSED
        while count > 0 and self.state is RunState.PAUSED:
            count -= self._advance(min(count, MOST_AT_ONCE))

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
        self._snapshot = None
        self._on_rows(self.engine.row()[None])

    def _advance(self, steps: int) -> int:
        """Make steps, at most so many; returns how many."""
        began = time.perf_counter()
        try:
            made, rows = self.engine.advance(steps, self._extremes, stride=1)
        except SimulationError as error:
            self.state, self.message = RunState.FAILED, str(error)
            return 0
        self._snapshot = None
        self._on_rows(rows)
        fits = int(AT_ONCE * made / max(time.perf_counter() - began, 1e-9))
        self._at_once = max(1, min(fits, 8 * self._at_once, MOST_AT_ONCE))
        return made


def checked_speed(factor: float) -> float:
    """The speed, where it is one. Raises UsageError for what is not positive and finite."""
    if not (math.isfinite(factor) and factor > 0.0):
        raise UsageError(f"a speed of {factor:g} is not possible; give simulated seconds per second, e.g. 0.5")
    return factor
