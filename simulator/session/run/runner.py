"""The state machine that lets simulated time pass: `tick(wall_elapsed)`; the caller owns the clock."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError, SimulatorError, UsageError
from simulator.mechanism.varied import number_of, varied
from simulator.model.world import World
from simulator.records import dataclass
from simulator.session.commands import commands
from simulator.session.commands.drive_watch import DriveWatch
from simulator.session.commands.driving import drives_of, full_name, give_drive, put_axis
from simulator.session.commands.hands import Hands
from simulator.session.commands.soft_drives import as_asked, soften_again, softened
from simulator.session.forces.force_watch import ForceWatch
from simulator.session.run.client import RunState
from simulator.session.text.settings import checked_speed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from simulator.diagnostics import Diagnostic
    from simulator.engine.checkpoint import Checkpoint
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.session.forces.forces_now import ForcesNow

    Rows = NDArray[np.float64]

AT_ONCE = 0.004
"""Wall time [s] that one block of steps should take: commands are received between blocks."""
MOST_AT_ONCE = 1024
BACKLOG = 0.1
"""Most simulated time [s, times speed] that is caught up after a hiccup; any more is dropped and counted."""
REFUSALS = 16
"""Number of refusals that are reported."""


@dataclass(frozen=True)
class Listeners:
    """Callbacks. `on_rows` receives rows of all channels, shape (n, n_channels), one for every step.
    `on_clear` is called when a new run begins, `on_rewind` when rows from a time [s] on become invalid."""

    on_rows: Callable[[Rows], None] = lambda _: None
    on_clear: Callable[[], None] = lambda: None
    on_rewind: Callable[[float], None] = lambda _: None


class Runner:
    """Runs an engine at a chosen speed. `remark`: what the strategy omits. `answered`: the number of the last
    command that was carried out or refused; `refused`: (number, reason) of the last refusals. `world`:
    that of the engine's mechanism. `spent`: wall time [s] of all steps."""

    def __init__(
        self,
        engine: Engine,
        *,
        speed: float = 1.0,
        paused: bool = False,
        listeners: Listeners = Listeners(),
        remark: Callable[[str], str] | None = None,
        resumed: bool = False,
        answered: int = 0,
        world: World | None = None,
    ) -> None:
        self.engine, self.hands = engine, Hands(engine)
        self._world = world or World()
        self._forces, self._drive_watch = ForceWatch(engine, self._world), DriveWatch(engine)
        self._document = engine.mechanism
        self.speed = speed
        self.state = RunState.PAUSED if paused else RunState.RUNNING
        self._remark = remark or (lambda _: "")
        self.message = self._about = self._remark(engine.strategy)
        self.dropped = 0.0
        self.laws_since = 0.0
        self.numbers_since = 0.0
        self.answered = answered
        self.refused: deque[tuple[int, str]] = deque(maxlen=REFUSALS)
        self._driven_by: dict[str, int] = {}
        self._backlog = self.spent = 0.0
        self._snapshot: Snapshot | None = None
        self._at_once = 1
        self._extremes = Extremes()
        self._listeners = listeners
        self._checkpoints: dict[int, Checkpoint] = {}
        self._begin(clear=not resumed)

    @property
    def snapshot(self) -> Snapshot:
        """The state after the last good step."""
        if self._snapshot is None:
            self._snapshot = self.engine.snapshot()
        return self._snapshot

    @property
    def is_behind(self) -> bool:
        """Whether it is running and the last tick left a step to make."""
        return self.state is RunState.RUNNING and self._backlog >= self.engine.dt * (1.0 - 1e-9)

    @property
    def drives(self) -> tuple[tuple[str, Drive], ...]:
        """The present drives, by scoped name of an axis or `actuator/NAME`."""
        return tuple((name, as_asked(drive)) for name, drive in drives_of(self.engine))

    @property
    def drive_numbers(self) -> tuple[tuple[str, int], ...]:
        """The same, with the number of the command that set the drive, 0 for a drive of the start."""
        return tuple((name, self._driven_by.get(name, 0)) for name, _ in self.drives)

    @property
    def forces(self) -> ForcesNow | None:
        """Forces of joints and contacts after the last good step, if they are watched."""
        return self._forces.of(self.snapshot)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Findings about drives so far."""
        return self._drive_watch.findings(at_once=self.state is not RunState.RUNNING)

    def tick(self, wall_elapsed: float, out_of_time: Callable[[], bool] = lambda: False) -> int:
        """Let `wall_elapsed` seconds pass; returns the steps made. Stops early, dropping nothing, once `out_of_time`
        says so."""
        if self.state is not RunState.RUNNING:
            return 0
        self._backlog += wall_elapsed * self.speed
        most = BACKLOG * max(self.speed, 1.0) + self.engine.dt
        if self._backlog > most:
            self.dropped += self._backlog - most
            self._backlog = most
        steps = 0
        while self.is_behind:
            made = self._advance(min(int(self._backlog / self.engine.dt + 1e-9), self._at_once))
            self._backlog -= max(made, 1) * self.engine.dt
            steps += made
            if out_of_time():
                break
        return steps

    def execute(self, command: commands.Command, number: int | None = None) -> None:
        """Carry out a command; its `number` is the next one by default. A refusal is reported in
        `message`, until the next success, and in `refused`; the simulation continues as before."""
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
        elif isinstance(command, commands.SetSpeed | commands.WatchForces):
            self._set(command)
        elif isinstance(command, commands.SetSolver | commands.SetCoupling | commands.SetNumber):
            self._change(command)
        elif isinstance(command, commands.SetDrive):
            self._drive(command)
        elif isinstance(command, commands.SetPosition | commands.Pull | commands.LetGo):
            self._move(command)
        else:
            self._travel(command)

    def _set(self, command: commands.SetSpeed | commands.WatchForces) -> None:
        if isinstance(command, commands.WatchForces):
            self._forces.on = command.on
        else:
            self.speed = checked_speed(command.factor)

    def _move(self, command: commands.SetPosition | commands.Pull | commands.LetGo) -> None:
        running = self.state is RunState.RUNNING
        if isinstance(command, commands.SetPosition):
            put_axis(self.engine, command)
        elif isinstance(command, commands.Pull):
            self.hands.pull(command, in_time=running)
        else:
            self.hands.let_go()
        if isinstance(command, commands.SetPosition) or not running:
            self._moved()
        self._snapshot = None

    def _travel(self, command: commands.Resume | commands.SaveCheckpoint | commands.RestoreCheckpoint) -> None:
        """Move to another moment, or store this one."""
        if isinstance(command, commands.SaveCheckpoint):
            self._checkpoints.pop(command.key, None)
            self._checkpoints[command.key] = self.engine.checkpoint()
            if len(self._checkpoints) > commands.CHECKPOINTS:
                del self._checkpoints[next(iter(self._checkpoints))]
            return
        self.hands.let_go()
        if isinstance(command, commands.RestoreCheckpoint):
            self._restore(command)
        else:
            self.engine.resume(command.snapshot)
            if command.fresh:
                self._listeners.on_clear()
            self._moved()
        if self.state is RunState.FAILED:
            self.state, self.message = RunState.PAUSED, self._about

    def _restore(self, command: commands.RestoreCheckpoint) -> None:
        checkpoint = self._checkpoints.get(command.key)
        if checkpoint is None:
            raise UsageError("the moment before this change is no longer known")
        if not command.in_place or checkpoint.snapshot.step == self.engine.steps:
            self.engine.restore(checkpoint)
            self._moved()

    def _moved(self) -> None:
        """The state changed without a step: rows of this moment and of later ones become invalid."""
        self._snapshot, self._backlog = None, 0.0
        self._listeners.on_rewind(self.engine.time)
        self._listeners.on_rows(self.engine.row()[None])

    def _drive(self, command: commands.SetDrive) -> None:
        engine = self.engine
        drive = command.drive
        if command.softly and drive is not None:
            drive = softened(engine, command.target, drive)
        give_drive(engine, command.target, drive)
        self._driven_by[full_name(engine.mechanism, engine.actuation.actuators, command.target)] = self.answered

    def _change(self, command: commands.SetSolver | commands.SetCoupling | commands.SetNumber) -> None:
        if isinstance(command, commands.SetSolver):
            self.engine.use_strategy(command.solver)
            self.message = self._about = self._remark(command.solver)
        elif isinstance(command, commands.SetNumber):
            self._set_number(command.name, command.value)
            self.numbers_since = self.engine.time
        else:
            self._change_law(command)
            self.laws_since = self.engine.time
        self._moved()

    def _change_law(self, command: commands.SetCoupling) -> None:
        law = command.law
        if isinstance(law, str):
            self.engine.change_curve(command.coupling, law)
        else:
            self.engine.change_coupling(command.coupling, *law)

    def _set_number(self, name: str, value: float) -> None:
        """A law equal to the document's counts as unchanged. All changes are relative to the document, so that
        lengths and places of joints do not depend on intermediate values."""
        engine, document = self.engine, self._document
        changed = {**engine.changed, name: value}
        restored = {}
        if value == number_of(document, self._world, name):
            restored = {name: changed.pop(name)}
        base = replace(document, couplings=engine.mechanism.couplings, loads=engine.mechanism.loads)
        engine.change_numbers(varied(base, self._world, {**restored, **changed}), changed)

    def _step_once(self, count: int) -> None:
        if self.state is RunState.FAILED:
            return
        self.state = RunState.PAUSED
        while count > 0 and self.state is RunState.PAUSED:
            count -= self._advance(min(count, MOST_AT_ONCE))

    def _reset(self) -> None:
        self.engine.reset()
        soften_again(self.engine)
        if self.state is RunState.FAILED:
            self.state = RunState.PAUSED
        self.message = self._about
        self.laws_since = 0.0
        self.numbers_since = 0.0
        self._begin()

    def _begin(self, *, clear: bool = True) -> None:
        """The first sample of a run; a resumed run continues the old record."""
        self._backlog, self.dropped = 0.0, 0.0
        if clear:
            self._listeners.on_clear()
            self.engine.start_log()
            self._drive_watch.clear()
        self._snapshot = None
        self._listeners.on_rows(self.engine.row()[None])

    def _advance(self, steps: int) -> int:
        """Make at most so many steps; returns their number."""
        began = time.perf_counter()
        try:
            made, rows = self.engine.advance(steps, self._extremes, stride=1)
        except SimulationError as error:
            self.state, self.message = RunState.FAILED, str(error)
            return 0
        self._snapshot = None
        self._listeners.on_rows(rows)
        spent = max(time.perf_counter() - began, 1e-9)
        self.spent += spent
        fits = int(AT_ONCE * made / spent)
        self._at_once = max(1, min(fits, 8 * self._at_once, MOST_AT_ONCE))
        return made
