"""Run for a while without a clock: every sample goes to a sink, and what mattered is summed up."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.errors import SimulationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

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

    def see(self, snapshot: Snapshot) -> None:
        """Take a snapshot into account."""
        distance, angle = snapshot.worst_loop_residual()
        self.steps, self.simulated, self.last = snapshot.step, snapshot.time, snapshot
        self.max_coupling_residual = max(self.max_coupling_residual, snapshot.worst_coupling_residual())
        self.max_loop_residual_m = max(self.max_loop_residual_m, distance)
        self.max_loop_residual_rad = max(self.max_loop_residual_rad, angle)
        self.max_energy_error = max(self.max_energy_error, abs(snapshot.energy.error))
        self.max_kinetic = max(self.max_kinetic, snapshot.energy.kinetic)
        self.max_potential = max(self.max_potential, abs(snapshot.energy.potential))

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
            "solver": engine.enforcement.name,
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
    sink: Callable[[Snapshot], None] = lambda _: None,
    progress: Callable[[float], None] = lambda _: None,
) -> RunSummary:
    """Simulate `duration` seconds. `sink` gets the start and then a sample every step, or every `every` seconds; residuals and energies are
    watched at every step all the same, unless the run is `sparse`: then at samples and at the end only, which takes a third of the time.
    Ends early, with everything sampled so far handed over, on a failure or Ctrl-C.

    Raises UsageError where duration or sampling make no sense.
    """
    steps, stride = _steps(engine.dt, duration, every)
    summary = RunSummary()
    started = time.perf_counter()
    try:
        first = engine.snapshot()
        summary.see(first)
        sink(first)
        for step in range(1, steps + 1):
            began = time.perf_counter()
            engine.step()
            summary.stepping += time.perf_counter() - began if step > 1 else 0.0
            sampled = step % stride == 0
            if sampled or not sparse or step == steps:
                snapshot = engine.snapshot()
                summary.see(snapshot)
                if sampled:
                    sink(snapshot)
            progress(engine.time)
    except SimulationError as failure:
        summary.failure = failure
    except KeyboardInterrupt:
        summary.interrupted = True
    summary.wall = time.perf_counter() - started
    return summary


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
