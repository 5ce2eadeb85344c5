"""Efforts and reactions in the first row, before any step: those of the state that is there, with all that acts."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.engine.drives import Drive

TRIANGLE = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
<link name="a"><inertial><pose>0.5 0 0 0 0 0</pose><mass>1</mass></inertial></link>
<link name="b"><pose>1 0 0 0 0 0</pose><inertial><pose>0 0 0.5 0 0 0</pose><mass>1</mass></inertial></link>
<joint name="j1" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j2" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j3" type="revolute"><parent>world</parent><child>b</child><pose>0 0 1 0 0 0</pose>
  <axis><xyz>0 1 0</xyz></axis></joint>
</model></world></sdf>"""
"""Three bars that cannot move: pins at (0, 0), (1, 0) and (1, 1) m."""


def arm(limits: str = "") -> str:
    """A bar of 1 kg, 0.2 kg m² about its hinge, level, its centre of mass 0.4 m from the hinge."""
    return f"""<sdf version="1.12"><world name="w"><gravity>0 0 -10</gravity><model name="m"><link name="bar">
    <inertial><pose>0.4 0 0 0 0 0</pose><mass>1</mass>
      <inertia><ixx>0.04</ixx><iyy>0.04</iyy><izz>0.04</izz></inertia></inertial></link>
    <joint name="hinge" type="revolute"><parent>world</parent><child>bar</child>
      <axis><xyz>0 -1 0</xyz><limit>{limits}</limit></axis></joint></model></world></sdf>"""


def test_a_motor_that_holds_its_velocity_feels_other_drives() -> None:
    """Beside an effort on the rocker the crank's motor gives the effort after the first step: the change from row to
    row is that of one step (0.0025 N m), where it was thirty times as much without the effort. By virtual power the
    rocker's effort takes off its ratio times itself, which is what differs from a run without it."""
    crank, efforts = simulator.velocity(6.0), []
    for rocker in (0.0, 0.5):
        sim = simulator.load("four_bar")
        sim.set({}, velocity={"crank_joint": 6.0})
        run = sim.run(0.003, drives={"crank_joint": crank, "rocker_joint": simulator.effort(rocker)}, reactions=True)
        efforts.append(np.asarray(run["crank_joint/effort"]))
    ratio = float(run["rocker_joint/velocity"][0]) / 6.0
    # The motor's effort is found from the equations of that instant: round-off.
    assert efforts[0][0] - efforts[1][0] == pytest.approx(0.5 * ratio, abs=1e-10)
    assert efforts[1][0] == pytest.approx(2.0 * efforts[1][1] - efforts[1][2], abs=1e-4)
    pin = np.asarray(run["reaction/crank_joint/force_x"])
    assert pin[0] == pytest.approx(2.0 * pin[1] - pin[2], abs=1e-3)


def test_a_controller_gives_what_its_error_asks_for() -> None:
    run = simulator.load(arm()).run(
        0.002, drives={"hinge": simulator.position(0.5, simulator.pid(p=8.0, d=0.1))}, reactions=True
    )
    assert run["hinge/effort"][0] == pytest.approx(8.0 * 0.5, abs=1e-12)
    # Newton: the centre of mass accelerates by (4 - 1 * 10 * 0.4) / 0.2 * 0.4 = 0, so the pin carries all the weight.
    assert run["reaction/hinge/force_z"][0] == pytest.approx(10.0, abs=1e-9)


@pytest.mark.parametrize(("speed", "effort"), [(1.0, 3.0), (-1.0, -3.0), (0.0, 3.0)])
def test_a_motor_with_a_limit(speed: float, effort: float) -> None:
    """At rest it gives all that it has towards another velocity, and to stay there what the weight takes, 4 N m, as far
    as it can."""
    run = simulator.load(arm("<effort>3</effort>")).run(0.002, drives={"hinge": simulator.velocity(speed)})
    assert run["hinge/effort"][0] == pytest.approx(effort, abs=1e-12)
    strong = simulator.load(arm("<effort>5</effort>")).run(0.002, drives={"hinge": simulator.velocity(0.0)})
    assert strong["hinge/effort"][0] == pytest.approx(4.0, abs=1e-12)


def test_a_controller_on_an_axis_that_cannot_move() -> None:
    """It pushes with p e all the same, and the pins carry it: a moment M on the bar from (0, 0) to (1, 0) against the
    bar from there to (1, 1), which carries forces along itself only, is a force M / 1 m along that."""
    run = simulator.load(TRIANGLE).run(
        0.003, drives={"j1": simulator.position(0.3, simulator.pid(p=10.0))}, reactions=True
    )
    np.testing.assert_allclose(run["j1/effort"], 3.0, atol=1e-12)
    force = np.hypot(run["reaction/j3/force_x"], run["reaction/j3/force_z"])
    np.testing.assert_allclose(force, 3.0, atol=1e-9)


def test_a_velocity_drive_begins_within_the_limit() -> None:
    """10 rad/s are asked of an axis that may have 0.5: it moves by 0.5 rad/s from the first step on."""
    sim = simulator.load(arm("<velocity>0.5</velocity>"))
    run = sim.run(0.01, drives={"hinge": simulator.velocity(10.0)})
    # The weight bends the way within a step by dt² g / 2 at the most, and a step ends at its velocity.
    np.testing.assert_allclose(np.diff(run["hinge/position"]), 0.5 * sim.dt, atol=1e-9)
    np.testing.assert_allclose(run["hinge/effort"][1:], 4.0 * np.cos(np.asarray(run["hinge/position"])[1:]), atol=1e-4)


def turntable(limit: float) -> str:
    """A body of 0.5 kg m² about a vertical hinge through its centre."""
    return f"""<sdf version="1.12"><world name="w"><model name="m"><link name="table"><inertial><mass>1</mass>
    <inertia><ixx>0.3</ixx><iyy>0.3</iyy><izz>0.5</izz></inertia></inertial></link>
    <joint name="hinge" type="revolute"><parent>world</parent><child>table</child>
      <axis><xyz>0 0 1</xyz><limit><effort>{limit}</effort></limit></axis></joint></model></world></sdf>"""


@pytest.mark.parametrize(("limit", "effort"), [(-1.0, 8.0), (100.0, 8.0), (5.0, 5.0)])
@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_position_drive_gives_inertia_times_the_acceleration_of_its_profile(
    limit: float, effort: float, dt: float
) -> None:
    """p = 1 - cos 4 t on 0.5 kg m²: 8 N m at the start, or all that the limit (-1: none) allows. The rate of the
    profile is differentiated over 1e-4 of a step, of rounding 1e-16 / 1e-8."""
    drive = simulator.position(simulator.sine(1.0, 2.0 / np.pi, 1.0, -np.pi / 2.0))
    run = simulator.load(turntable(limit), dt=dt).run(2.0 * dt, drives={"hinge": drive})
    assert run["hinge/effort"][0] == pytest.approx(effort, rel=1e-6)
    assert run.drives["m::hinge"]["peak"] == pytest.approx(effort, rel=1e-3)


def test_a_motor_with_a_limit_gives_inertia_times_the_acceleration_of_its_profile() -> None:
    """v = 3 sin 2 t on 0.5 kg m² begins with 6 rad/s²."""
    drive = simulator.velocity(simulator.sine(3.0, 1.0 / np.pi))
    run = simulator.load(turntable(100.0)).run(0.002, drives={"hinge": drive})
    assert run["hinge/effort"][0] == pytest.approx(3.0, rel=1e-9)


@pytest.mark.parametrize(
    "drive",
    [simulator.velocity(simulator.sine(2.0, 3.0)), simulator.position(simulator.sine(0.5, 1.0)), simulator.effort(0.1)],
)
def test_a_run_goes_on_with_the_effort_at_which_the_last_one_ended(drive: Drive) -> None:
    """In two runs as in one. The column is of second order, which leaves less than 1e-3 N m at this step."""
    whole, parts = (simulator.load("slider_crank") for _ in range(2))
    for sim in (whole, parts):
        sim.drive("crank_joint", drive)
    first, second, one = parts.run(0.05), parts.run(0.05), whole.run(0.1)
    name = "slider_crank::crank_joint/effort"
    assert abs(float(first[name][-1])) > 0.01
    assert second[name][0] == pytest.approx(first[name][-1], abs=1e-3)
    assert second[name][1:] == pytest.approx(one[name][51:], abs=1e-3)


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_position_drive_that_begins_at_rest_gives_all_it_has(dt: float) -> None:
    """Until it has to brake. One that begins while it moves continues with the effort of its first step: four fifths of
    its limit, with which it brakes, to first order in the step."""
    sim = simulator.load(turntable(5.0), dt=dt)
    drives = {"hinge": simulator.position(4.0)}
    run = sim.run(1.0, drives=drives)
    assert run["hinge/effort"][:9] == pytest.approx(np.full(9, 5.0), rel=1e-12)
    assert run["hinge/velocity"][-1] > 0.1
    again = sim.run(5.0 * dt, drives=drives)
    assert run["hinge/effort"][-1] == pytest.approx(-4.0, rel=20.0 * dt)
    assert again["hinge/effort"][1:] == pytest.approx(np.full(5, -4.0), rel=20.0 * dt)


@pytest.mark.parametrize(("speed", "effort"), [(3.0, 5.0), (7.9, 5.0), (8.0, -4.0), (9.0, -5.0), (-3.0, 5.0)])
@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_a_position_drive_that_begins_in_motion_gives_what_its_limit_allows(
    speed: float, effort: float, solver: str
) -> None:
    """It plans to brake with four fifths of its limit, 4 N m on 0.5 kg m²: 8 rad/s², from 8 rad/s over 4 rad. Below
    that speed it gives all that it has to get there, above it to get down, and at that speed the four fifths."""
    sim = simulator.load(turntable(5.0), solver=solver)
    sim.set({}, velocity={"hinge": speed})
    run = sim.run(0.002, drives={"hinge": simulator.position(4.0)})
    assert run["hinge/effort"][0] == pytest.approx(effort, rel=1e-12)


def test_a_position_drive_that_brakes_carries_the_weight_as_well() -> None:
    """Upwards with 4.8 N m of 6 N m on 0.2 kg m² over 0.4 rad: 24 rad/s² from √(2 24 0.4) rad/s. The weight, 4 N m at
    the level, helps: -4.8 + 4 N m."""
    sim = simulator.load(arm("<effort>6</effort>"))
    sim.set({}, velocity={"hinge": np.sqrt(2.0 * 24.0 * 0.4)})
    run = sim.run(0.002, drives={"hinge": simulator.position(0.4)})
    assert run["hinge/effort"][0] == pytest.approx(-0.8, rel=1e-9)
