from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import simulator
from simulator.engine.drives import DriveKind
from simulator.errors import UsageError

SLIDER = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
<link name="a"><inertial><mass>2</mass></inertial></link>
<joint name="slide" type="prismatic"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></world></sdf>"""


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
        (simulator.spline(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 9.0])), 2.0, 4.0),
        (simulator.spline([0.0, 2.0], [0.0, 8.0], [0.0, 12.0]), 1.0, 1.0),
    ],
)
def test_profiles(profile: object, time: float, value: float) -> None:
    assert simulator.velocity(profile).profile.value(time) == pytest.approx(value)  # type: ignore[arg-type]


class Cubic:
    """A profile of a script's own."""

    def value(self, time: float) -> float:
        return time**3

    def rate(self, time: float) -> float:
        return 3.0 * time**2


def test_a_profile_of_a_scripts_own() -> None:
    """A slider goes along t³ with steps of 1 ms: the effort is m ẍ = 6 m t, to second order in the step."""
    sim = simulator.load(SLIDER)
    run = sim.run(0.5, drives={"slide": simulator.position(Cubic())})
    assert run["slide/position"] == pytest.approx(run.time**3, abs=1e-7)
    assert run["slide/effort"][50:] == pytest.approx(2.0 * 6.0 * run.time[50:], rel=1e-3)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (SimpleNamespace(value=1.0, rate=lambda t: 0.0), "value of the profile .* is not a method"),
        (SimpleNamespace(value=lambda t: t), "takes a number or a profile"),
        (SimpleNamespace(value=lambda t: "x", rate=lambda t: 0.0), r"value\(0\) of the profile .* must be a number"),
        (SimpleNamespace(value=lambda t: t, rate=lambda t: math.nan), r"rate\(0\) of the profile .* must be finite"),
    ],
)
def test_profiles_that_are_none(profile: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        simulator.position(profile)  # type: ignore[arg-type]


def test_a_profile_that_gives_no_number_on_the_way() -> None:
    late = SimpleNamespace(value=lambda t: math.nan if t > 0.5 else 0.1 * t, rate=lambda t: 0.1)
    sim = simulator.load("four_bar")
    for kind in (simulator.position, simulator.velocity, simulator.effort):
        with pytest.raises(UsageError, match=r"value\(0\.50\d+\) of the profile .* must be finite, not nan"):
            sim.run(1.0, drives={"crank_joint": kind(late)})
        assert sim.time < 0.51
        sim.reset()


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
        simulator.velocity(SimpleNamespace(value=lambda time: time))


def test_a_loop_holds_a_position_against_gravity() -> None:
    """With an integral the error goes to zero; the effort is then what gravity asks for: inverse dynamics at rest."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.3)
    run = sim.run(4.0, drives={"crank_joint": simulator.position(0.5, simulator.pid(3.0, 6.0, 0.3))}, every=0.1)
    assert run["crank_joint/position"][-1] == pytest.approx(0.5, abs=1e-4)
    sim.set(crank_joint=0.5)
    assert run["crank_joint/effort"][-1] == pytest.approx(sim.inverse_dynamics()["crank_joint"], rel=1e-3)
