"""Runs without a clock: every sample goes to a sink, and a summary holds the extremes."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError, UsageError
from simulator.formats.report import describe_diagnostic
from simulator.mechanism.residuals import coupling_slack
from simulator.records import dataclass
from simulator.session.commands.balance import balance_findings
from simulator.session.commands.coupling_summary import coupling_summaries
from simulator.session.commands.drive_summary import drive_summaries, impulse_objects, run_findings

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from simulator.diagnostics import Diagnostic
    from simulator.engine.effort_log import Impulse
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

    Rows = NDArray[np.float64]

LOOK_EVERY = 0.02
"""Wall time [s] between two checks of a run: signals and progress wait no longer."""
MOST_AT_ONCE = 4096
ROUNDING = 2.0**-52
"""Tolerance of energies, relative."""


@dataclass
class RunSummary:
    """The outcome of a run. `steps` made, `simulated` time [s]; largest residuals of couplings [rad or m] and loops [m,
    rad]; largest energy error, kinetic and potential energy [J]. `failure`: why it ended early; `interrupted`: by the
    user.

    `drives`: effort of every drive, as `Run.drives`; `couplings`: power through those with losses, as `Run.couplings`;
    `impulses`: jumps of drives; `findings` about drives and the balance of energy.
    `wall` [s] is the whole time, `stepping` [s] the time of `timed` steps alone: all but the first block, which may
    load or compile something.
    """

    steps: int = 0
    simulated: float = 0.0
    wall: float = 0.0
    stepping: float = 0.0
    timed: int = 0
    max_coupling_residual: float = 0.0
    max_loop_residual_m: float = 0.0
    max_loop_residual_rad: float = 0.0
    max_energy_error: float = 0.0
    max_kinetic: float = 0.0
    max_potential: float = 0.0
    failure: SimulationError | None = None
    interrupted: bool = False
    last: Snapshot | None = field(default=None, repr=False)
    drives: dict[str, dict[str, float]] = field(default_factory=dict)
    couplings: dict[str, dict[str, float]] = field(default_factory=dict)
    impulses: tuple[Impulse, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def take(self, extremes: Extremes, engine: Engine, steps: int) -> None:
        """Update the largest values from the engine after `steps` steps, and the efforts of its drives in
        them."""
        self.last = engine.snapshot()
        self.steps = steps
        self.simulated = steps * engine.dt
        extremes.see(engine.row(), engine.places)
        self.drives, self.impulses = drive_summaries(engine, self.simulated), tuple(engine.efforts_log.impulses)
        self.couplings = coupling_summaries(engine, self.simulated)
        self.max_coupling_residual, self.max_energy_error = extremes.coupling, extremes.energy_error
        self.max_loop_residual_m, self.max_loop_residual_rad = extremes.loop
        self.max_kinetic, self.max_potential = extremes.kinetic, extremes.potential
        about_energy = balance_findings(engine, self.max_energy_error, self.max_kinetic) if self._has_moved() else ()
        self.findings = (*run_findings(engine, self.simulated), *about_energy)

    def clock(self, steps: int, spent: float) -> None:
        """Count so many steps, which took `spent` seconds."""
        self.timed += steps
        self.stepping += spent

    def stepping_rate(self) -> float:
        """Steps per second of the step loop alone; 0 if none was timed."""
        return self.timed / self.stepping if self.stepping > 0.0 else 0.0

    def relative_energy_error(self) -> float:
        """Largest energy error over the largest kinetic energy; 0 if nothing moved by more than round-off."""
        return self.max_energy_error / self.max_kinetic if self._has_moved() else 0.0

    def _has_moved(self) -> bool:
        return self.max_kinetic > ROUNDING * self.max_potential

    def worst(self) -> dict[str, float]:
        """Residuals and energy error by their names in `run --json` and `compare --json`."""
        return {
            "max_coupling_residual": self.max_coupling_residual,
            "max_loop_residual_m": self.max_loop_residual_m,
            "max_loop_residual_rad": self.max_loop_residual_rad,
            "max_energy_error_relative": self.relative_energy_error(),
        }

    def as_dict(self, engine: Engine) -> dict[str, object]:
        """The object of `run --json`."""
        mechanism, last = engine.mechanism, self.last
        final = {}
        if last is not None:
            final = {
                axis.name: {"position": float(last.position[i]), "velocity": float(last.velocity[i])}
                for i, axis in enumerate(mechanism.axes)
            }
        return {
            "steps": self.steps,
            "simulated_s": self.simulated,
            "wall_s": self.wall,
            "steps_per_s": self.steps / self.wall if self.wall > 0.0 else 0.0,
            "solver": engine.strategy,
            "dt": engine.dt,
            "mobility": {"count": mechanism.mobility.count, "rank": engine.rank_mobility()},
            **self.worst(),
            "change_points": list(engine.branches()),
            "drives": self.drives,
            "couplings": self.couplings,
            "impulses": impulse_objects(mechanism, self.impulses),
            "findings": [describe_diagnostic(finding) for finding in self.findings],
            "final": final,
        }


class BlockSize:
    """Number of steps in a block: one at first, which may load or compile something, then as many as take
    `LOOK_EVERY`.

    Runs of one mechanism with other numbers may share it; in several threads, too.
    """

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self.steps = 1
        self._most = most

    def note(self, made: int, spent: float) -> None:
        """Count so many steps, which took `spent` seconds."""
        fits = int(LOOK_EVERY * made / max(spent, 1e-9))
        self.steps = max(1, min(fits, 8 * self.steps, self._most))


def run_batch(
    engine: Engine,
    duration: float,
    *,
    every: float | None = None,
    sparse: bool = False,
    sink: Callable[[Rows], None] | None = None,
    columns: NDArray[np.int64] | None = None,
    progress: Callable[[float], None] = lambda _: None,
    whole: Callable[[], AbstractContextManager[None]] = nullcontext,
    pace: BlockSize | None = None,
    control: Callable[[], None] | None = None,
    control_every: float | None = None,
) -> RunSummary:
    """Simulate `duration` seconds, in blocks of steps whose size `pace` adapts.

    `sink` receives rows of these `columns`, or of all channels, shape (n, n_columns): the start, then a sample every
    step, or every `every` seconds. Residuals and energies are still watched at every step; if the strategy has no
    blocks of steps and the run is `sparse`, at samples only. `progress` receives the simulated time after every block;
    within `whole`, steps are made and delivered without interruption. Ends early on a failure or Ctrl-C, with all
    samples so far delivered.

    `control` is called before every step, or every `control_every` [s]; an exception from it ends the run.

    Raises UsageError for an impossible duration, sampling or `control_every`.
    """
    steps = steps_of(engine.dt, duration)
    stride = stride_of(engine.dt, every, "samples")
    if control is None and control_every is not None:
        raise UsageError("control_every needs a controller: pass `control`, too")
    between = stride_of(engine.dt, control_every, "calls of a controller")
    summary = RunSummary()
    extremes = Extremes(slack=coupling_slack(engine.mechanism))
    recorded = _Recorded(extremes, stride if sink else 0, sparse, columns, sink)
    pace = pace or BlockSize()
    before = engine.steps
    started = time.perf_counter()
    done = 0
    try:
        with whole():
            engine.start_log()
            extremes.see(engine.row(), engine.places)
            if sink is not None:
                row = engine.row()[None]
                sink(row if columns is None else row[:, columns])
        while done < steps:
            with whole():
                most = min(pace.steps, steps - done)
                began = time.perf_counter()
                if control is None:
                    made = recorded.advance(engine, most, done)
                else:
                    made = recorded.advance_controlled(engine, most, done, control, between)
                spent = time.perf_counter() - began
                if done:
                    summary.clock(made, spent)
                done += made
            if made > 1 or most == 1:  # a step that had to be made alone tells nothing about blocks
                pace.note(made, spent)
            progress(engine.time)
    except SimulationError as failure:
        summary.failure = failure
    except KeyboardInterrupt:
        summary.interrupted = True
    summary.take(extremes, engine, engine.steps - before)
    summary.wall = time.perf_counter() - started
    return summary


class _Recorded(NamedTuple):
    """What becomes of steps: `extremes` sees them, `sink` receives these `columns` of every `stride`th row."""

    extremes: Extremes
    stride: int
    sparse: bool
    columns: NDArray[np.int64] | None
    sink: Callable[[Rows], None] | None

    def advance(self, engine: Engine, most: int, done: int) -> int:
        """Make at most so many steps in one call, behind those that are `done`; returns how many."""
        made, rows = engine.advance(
            most, self.extremes, stride=self.stride, phase=done, sparse=self.sparse, columns=self.columns
        )
        if self.sink is not None and len(rows):
            self.sink(rows)
        return made

    def advance_controlled(
        self, engine: Engine, most: int, done: int, control: Callable[[], None], between: int
    ) -> int:
        """The same, where `control` is called every `between` steps: all of them, for looking at the clock, signals and
        progress after every call took as long as a step."""
        made = 0
        while made < most:
            phase = (done + made) % between
            if phase == 0:
                control()
            made += self.advance(engine, min(most - made, between - phase), done + made)
        return made


def steps_of(dt: float, duration: float) -> int:
    """Whole steps of `dt` [s] in a duration [s]. Raises UsageError for an invalid one."""
    if not math.isfinite(duration) or duration < 0.0:
        raise UsageError(f"a duration of {duration:g} s cannot be simulated; give seconds, 0 or more")
    return round(duration / dt)


def stride_of(dt: float, every: float | None, what: str) -> int:
    """Number of steps between two of `what`, which come `every` so many seconds, or every step. Raises UsageError
    if it is not whole."""
    if every is None:
        return 1
    if not math.isfinite(every) or every < dt * (1.0 - 1e-9):
        raise UsageError(f"{what} cannot be {every:g} s apart: the step is {dt:g} s")
    stride = round(every / dt)
    if abs(stride * dt - every) > 1e-6 * every:
        raise UsageError(f"{what} cannot be {every:g} s apart: that is not a multiple of the step of {dt:g} s")
    return stride
