"""Run for a while without a clock: every sample goes to a sink, and what mattered is summed up."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

    Rows = NDArray[np.float64]

LOOK_EVERY = 0.02
"""Wall time [s] between two looks at a run: signals and progress wait no longer."""
MOST_AT_ONCE = 4096
ROUNDING = 2.0**-52
"""Of energies, relative."""


@dataclass
class RunSummary:
    """What a run came to. `failure`: why it ended early; `interrupted`: by the user.

    `wall` [s] is everything, `stepping` [s] what the steps alone took, the first left out, for it may load or compile something.
    """

    steps: int = 0
    simulated: float = 0.0
    wall: float = 0.0
    stepping: float = 0.0
    max_coupling_residual: float = 0.0
    max_loop_residual_m: float = 0.0
    max_loop_residual_rad: float = 0.0
    max_energy_error: float = 0.0
    max_kinetic: float = 0.0
    max_potential: float = 0.0
    failure: SimulationError | None = None
    interrupted: bool = False
    last: Snapshot | None = field(default=None, repr=False)

    def take(self, extremes: Extremes) -> None:
        """Take over the largest values."""
        self.max_coupling_residual, self.max_energy_error = extremes.coupling, extremes.energy_error
        self.max_loop_residual_m, self.max_loop_residual_rad = extremes.loop
        self.max_kinetic, self.max_potential = extremes.kinetic, extremes.potential

    def stepping_rate(self) -> float:
        """Steps per second of the step loop alone; 0 where there were fewer than two steps."""
        return (self.steps - 1) / self.stepping if self.steps > 1 and self.stepping > 0.0 else 0.0

    def relative_energy_error(self) -> float:
        """Largest energy error over the largest kinetic energy; 0 where nothing moved more than rounding does."""
        moved = self.max_kinetic > ROUNDING * self.max_potential
        return self.max_energy_error / self.max_kinetic if moved else 0.0

    def worst(self) -> dict[str, float]:
        """Residuals and energy error by the names that `run --json` and `compare --json` give them."""
        return {
            "max_coupling_residual": self.max_coupling_residual,
            "max_loop_residual_m": self.max_loop_residual_m,
            "max_loop_residual_rad": self.max_loop_residual_rad,
            "max_energy_error_relative": self.relative_energy_error(),
        }

    def as_dict(self, engine: Engine) -> dict[str, Any]:
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
            "final": final,
        }


def run_batch(
    engine: Engine,
    duration: float,
    *,
    every: float | None = None,
    sparse: bool = False,
    sink: Callable[[Rows], None] | None = None,
    progress: Callable[[float], None] = lambda _: None,
    whole: Callable[[], AbstractContextManager[None]] = nullcontext,
    at_once: int = MOST_AT_ONCE,
) -> RunSummary:
    """Simulate `duration` seconds, at most `at_once` steps between two looks at it.

    `sink` gets rows of all channels, shape (n, n_channels): the start, then a sample every step, or every `every` seconds. Residuals and
    energies are watched at every step all the same; where the strategy has no blocks of steps and the run is `sparse`, at samples only.
    `progress` hears the simulated time after every block; within `whole` steps are made and handed over, so that nothing may break it off.
    Ends early, with everything sampled so far handed over, on a failure or Ctrl-C.

    Raises UsageError where duration or sampling make no sense.
    """
    steps, stride = _steps(engine.dt, duration, every)
    summary, extremes, pace = RunSummary(), Extremes(), _Pace(at_once)
    started, done = time.perf_counter(), 0
    try:
        with whole():
            extremes.see(engine.row(), engine.places)
            if sink is not None:
                sink(engine.row()[None])
        while done < steps:
            with whole():
                most, began = min(pace.steps, steps - done), time.perf_counter()
                made, rows = engine.advance(most, extremes, stride=stride if sink else 0, phase=done, sparse=sparse)
                spent = time.perf_counter() - began
                summary.stepping += spent if done else 0.0
                done += made
                if sink is not None and len(rows):
                    sink(rows)
            pace.note(made, spent)
            progress(engine.time)
    except SimulationError as failure:
        summary.failure = failure
    except KeyboardInterrupt:
        summary.interrupted = True
    summary.take(extremes)
    summary.last = engine.snapshot()
    summary.steps, summary.simulated = engine.steps, engine.time
    summary.wall = time.perf_counter() - started
    return summary


class _Pace:
    """How many steps go into a block: one at first, which may load or compile something, then as many as take `LOOK_EVERY`."""

    def __init__(self, most: int) -> None:
        self.steps, self._most = 1, most

    def note(self, made: int, spent: float) -> None:
        fits = int(LOOK_EVERY * made / max(spent, 1e-9))
        self.steps = max(1, min(fits, 8 * self.steps, self._most))


def _steps(dt: float, duration: float, every: float | None) -> tuple[int, int]:
    if not math.isfinite(duration) or duration < 0.0:
        raise UsageError(f"a duration of {duration:g} s cannot be simulated; give seconds, 0 or more")
    if every is None:
        return round(duration / dt), 1
    if not math.isfinite(every) or every < dt * (1.0 - 1e-9):
        raise UsageError(f"--every {every:g} s is shorter than the step of {dt:g} s")
    stride = round(every / dt)
    if abs(stride * dt - every) > 1e-6 * every:
        raise UsageError(f"--every {every:g} s is no multiple of the step of {dt:g} s")
    return round(duration / dt), stride
