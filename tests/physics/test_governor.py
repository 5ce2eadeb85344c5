"""The stiff flyball governor (A05 of the IFToMM library) at its published stiffness, in steps of a millisecond.

Its dampers let the springs follow in 0.05 s and stop the slider against the rods in 4e-5 s; the light carriages that
stand for the ends of a spring alone would stop in 3e-8 s.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.physics.governor import DROOP, SPEED, governor, motion
from tests.physics.worlds import advance_to, running

Array = NDArray[np.float64]
DT = 1e-3
TIMES = np.arange(1, 51) * 0.2


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("governor") / "governor.sdf"
    path.write_text(governor(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def wanted() -> Array:
    return motion(TIMES)


def found(document: Path, solver: str, dt: float, times: Array) -> Array:
    """As `motion`; loops stay closed and the ledger closes on the way."""
    rows = []
    with running(document, solver=solver, dt=dt, velocity=(f"m::spin={SPEED!r}",)) as engine:
        spin, slide, hinge = (engine.mechanism.axis_index(name) for name in ("spin", "slide", "hinge_a"))
        largest = 0.0
        for time in times:
            most, now = advance_to(engine, time), engine.snapshot()
            assert max(most.loop) <= 1e-12
            largest = max(largest, most.kinetic)
            assert abs(now.energy.error) <= 1e-6 * largest
            q, v = now.position, now.velocity
            rows.append((0.5 + q[slide], DROOP + q[hinge], v[spin], v[slide], v[hinge]))
    return np.array(rows).T


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_it_runs_ten_seconds_at_its_published_stiffness(document: Path, wanted: Array, solver: str) -> None:
    """Against Radau IIA to 1e-9. Nothing of the fast motion is resolved, so the error is that of a first-order method
    in what the springs give, 5e-4 m, times a step over 10 s: 1e-6 with room to spare."""
    assert np.abs(found(document, solver, DT, TIMES) - wanted).max() < 2e-6


def test_shorter_steps_are_closer_at_first_order(document: Path, wanted: Array) -> None:
    """A quarter of the step, at most a third of the error; a method of second order would leave a sixteenth."""
    times, chosen = TIMES[:10], wanted[:2, :10]
    errors = [np.abs(found(document, "reduced", dt, times)[:2] - chosen).max() for dt in (DT, 0.5 * DT)]
    assert errors[1] < errors[0] / 1.8
    assert errors[1] > errors[0] / 16.0


def test_gear_holds_it_to_first_order(document: Path, wanted: Array) -> None:
    """Bullet's steps are semi-implicit Euler ones: a second is right to 1e-3 m or rad, in half of the step to half
    of that. Its loops are as closed as its iterations leave them."""
    errors = []
    for dt in (DT, 0.5 * DT):
        with running(document, solver="gear", dt=dt, velocity=(f"m::spin={SPEED!r}",)) as engine:
            slide, hinge = (engine.mechanism.axis_index(name) for name in ("slide", "hinge_a"))
            worst = 0.0
            for time, (height, droop) in zip(TIMES[:5], wanted[:2, :5].T, strict=True):
                advance_to(engine, time)
                now = engine.snapshot()
                lacks = (0.5 + now.position[slide] - height, DROOP + now.position[hinge] - droop)
                worst = max(worst, *(abs(float(lack)) for lack in lacks))
                assert float(now.loop_residual.max()) < 1e-5
            errors.append(worst)
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 1.8
