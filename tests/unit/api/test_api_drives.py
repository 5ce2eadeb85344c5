from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import simulator
from simulator.engine.drives import DriveKind
from simulator.errors import UsageError


def test_kinds_and_numbers() -> None:
    made = {kind: getattr(simulator, kind)(np.float64(1.5)) for kind in ("position", "velocity", "effort")}
    assert {kind: drive.kind for kind, drive in made.items()} == {kind.value: kind for kind in DriveKind}
    assert {drive.profile.value(0.7) for drive in made.values()} == {1.5}


@pytest.mark.parametrize(
    ("profile", "time", "value"),
    [
        (simulator.ramp(1.0, 3.0, 2.0), 0.5, 1.5),
        (simulator.sine(2.0, 0.25, 1.0), 1.0, 3.0),
        (simulator.step(1.0, 4.0, 0.5), 0.5, 4.0),
        (simulator.chirp(1.0, 1.0, 3.0, 2.0), 1.0, math.sin(2.0 * math.pi * 1.5)),
        (simulator.table(np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 0.0])), 2.0, 1.0),
    ],
)
def test_profiles(profile: object, time: float, value: float) -> None:
    assert simulator.velocity(profile).profile.value(time) == pytest.approx(value)  # type: ignore[arg-type]


def test_gains() -> None:
    gains = simulator.pid(80, 5, 6, limit=20)
    assert (gains.proportional, gains.integral, gains.derivative, gains.limit) == (80, 5, 6, 20)
    assert simulator.position(1.0, gains).gains is gains
    with pytest.raises(UsageError, match="a velocity loop has p and i"):
        simulator.velocity(1.0, gains)
    with pytest.raises(UsageError, match="must be finite and 0 or more"):
        simulator.pid(-1.0)


def test_what_is_no_profile() -> None:
    with pytest.raises(UsageError, match="a drive or load takes a number or a profile"):
        simulator.velocity("fast")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a drive or load takes a number or a profile"):
        simulator.velocity(SimpleNamespace(value=lambda time: time))  # type: ignore[arg-type]


def test_a_loop_holds_a_position_against_gravity() -> None:
    """With an integral the error goes to zero; the effort is then what gravity asks for: inverse dynamics at rest."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.3)
    run = sim.run(4.0, drives={"crank_joint": simulator.position(0.5, simulator.pid(3.0, 6.0, 0.3))}, every=0.1)
    assert run["crank_joint/position"][-1] == pytest.approx(0.5, abs=1e-4)
    sim.set(crank_joint=0.5)
    assert run["crank_joint/effort"][-1] == pytest.approx(sim.inverse_dynamics()["crank_joint"], rel=1e-3)
