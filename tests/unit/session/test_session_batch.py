"""Runs without a clock: every sample in its place, and everything sampled so far handed over when a run ends early."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.errors import DivergedError, UsageError
from simulator.mechanism.build import build_mechanism
from simulator.model.profiles import Constant
from simulator.session.batch.batch import RunSummary, run_batch
from tests.helpers.fake_dynamics import FakeDynamics
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import joint, link, mechanism

DT = 0.001


def engine_of(break_at: int = 10**9) -> Engine:
    built = mechanism(link("a"), joint("j", "revolute", "world", "a"))
    return Engine(built, FakeDynamics(built, DT, break_at=break_at), dt=DT)


def noting(samples: list[int]) -> Callable[[NDArray[np.float64]], None]:
    """A sink that notes the steps."""
    return lambda rows: samples.extend(np.rint(rows[:, 0] / DT).astype(int).tolist())


@pytest.mark.parametrize(
    ("every", "steps"),
    [(None, list(range(11))), (0.001, list(range(11))), (0.002, [0, 2, 4, 6, 8, 10]), (0.004, [0, 4, 8]), (1.0, [0])],
)
def test_samples(every: float | None, steps: list[int]) -> None:
    samples: list[int] = []
    summary = run_batch(engine_of(), 0.01, every=every, sink=noting(samples))
    assert samples == steps
    assert (summary.steps, summary.simulated) == (10, pytest.approx(0.01))
    assert summary.last is not None
    assert summary.last.step == 10


def test_no_time_at_all_is_one_sample() -> None:
    samples: list[int] = []
    assert run_batch(engine_of(), 0.0, sink=noting(samples)).steps == 0
    assert len(samples) == 1


@pytest.mark.parametrize(
    ("duration", "every", "reason"),
    [
        (-1.0, None, "a duration of -1 s"),
        (float("nan"), None, "a duration of nan s"),
        (float("inf"), None, "a duration of inf s"),
        (1.0, 0.0005, "the step is"),
        (1.0, 0.0015, "not a multiple of the step"),
        (1.0, 0.0, "the step is"),
        (1.0, float("nan"), "the step is"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(duration: float, every: float | None, reason: str) -> None:
    samples: list[int] = []
    with pytest.raises(UsageError, match=reason):
        run_batch(engine_of(), duration, every=every, sink=noting(samples))
    assert samples == []


def test_a_failure_ends_the_run_with_its_reason() -> None:
    samples: list[int] = []
    summary = run_batch(engine_of(break_at=5), 0.01, sink=noting(samples))
    assert isinstance(summary.failure, DivergedError)
    assert samples == [0, 1, 2, 3, 4]
    assert (summary.steps, summary.interrupted) == (4, False)


def test_an_interrupt_ends_the_run() -> None:
    samples: list[int] = []

    def stop(time: float) -> None:
        if time > 0.0045:
            raise KeyboardInterrupt

    summary = run_batch(engine_of(), 1.0, sink=noting(samples), progress=stop)
    assert summary.interrupted
    assert summary.failure is None
    assert samples == [0, 1, 2, 3, 4, 5]


def test_what_mattered_is_watched_at_every_step() -> None:
    """Residuals between samples count: a loop that is torn open is seen although only the start is sampled.

    The crank takes the closing pin along by 0.05 rad; 1 %: the chord of that arc.
    """
    built = build_mechanism(four_bar())
    engine = Engine(built, FakeDynamics(built, DT), dt=DT)
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
    summary = run_batch(engine, 0.05, every=1.0)
    end = built.loop_joints[0]
    reach = np.linalg.norm((built.bodies[end.child].X_WB @ end.X_CJ).position)
    assert summary.max_loop_residual_m == pytest.approx(0.05 * reach, rel=1e-2)


def test_the_summary_has_the_keys_of_the_contract_and_is_json() -> None:
    engine = engine_of()
    summary = run_batch(engine, 0.01)
    told = json.loads(json.dumps(summary.as_dict(engine), allow_nan=False))
    assert list(told) == [
        "steps", "simulated_s", "wall_s", "steps_per_s", "solver", "dt", "mobility", "max_coupling_residual",
        "max_loop_residual_m",
        "max_loop_residual_rad", "max_energy_error_relative", "change_points", "drives", "couplings",
        "impulses", "findings", "final",
    ]  # fmt: skip
    assert told["mobility"] == {"count": 1, "rank": 1}
    assert told["final"] == {"m::j": {"position": 0.0, "velocity": 0.0}}


@pytest.mark.parametrize(("kinetic", "relative"), [(1e-34, 0.0), (1e-3, 5e-15), (0.0, 0.0)])
def test_what_stands_has_no_relative_energy_error(kinetic: float, relative: float) -> None:
    """5e-18 J of rounding beside a potential energy of 3.7 J is not an error of 1e16 only because what stands has 1e-34
    J of motion."""
    summary = RunSummary(max_energy_error=5e-18, max_kinetic=kinetic, max_potential=3.7)
    assert summary.relative_energy_error() == pytest.approx(relative)


def test_the_relative_energy_error_is_over_the_largest_kinetic_energy() -> None:
    """And not over the potential energy, which has a zero of its own."""
    summary = RunSummary(max_energy_error=2e-3, max_kinetic=0.5, max_potential=40.0)
    assert summary.relative_energy_error() == pytest.approx(4e-3, rel=1e-15)
