"""Efforts of drives at the time of a row, against inverse dynamics at that row's state; impulses and sums against
closed forms.

A motor's effort is constant over a step, so its column is of second order: half the step, a quarter of the error.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.model.profiles import Constant, Profile, Sine

CRANK = "slider_crank::crank_joint"


def slider_crank(dt: float, profile: Profile, speed: float, solver: str = "rows") -> tuple[Any, Any]:
    """A run of the slider-crank whose crank is driven from `speed`, and its simulation."""
    sim = simulator.load("slider_crank", dt=dt, solver=solver)
    sim.set(velocity={"crank_joint": speed})
    return sim.run(0.12, drives={"crank_joint": simulator.velocity(profile)}), sim


def off(run: Any, profile: Profile, first: int = 0) -> float:
    """Largest difference between the effort column and inverse dynamics at the same rows."""
    still, worst = simulator.load("slider_crank"), 0.0
    q, v, effort = (run[f"{CRANK}/{name}"] for name in ("position", "velocity", "effort"))
    for row in (*range(first, first + 4), *range(first + 4, len(q), max(1, len(q) // 12))):
        still.set(crank_joint=float(q[row]), velocity={"crank_joint": float(v[row])})
        exact = still.inverse_dynamics({CRANK: profile.rate(float(run.time[row]))})[CRANK]
        worst = max(worst, abs(float(effort[row]) - exact))
    return worst


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_the_effort_of_a_driven_slider_crank_is_of_second_order(solver: str) -> None:
    """Inverse dynamics at the position, velocity and acceleration of each row, the first one included."""
    profile = Sine(3.0, 1.5, offset=8.0)
    errors = [off(slider_crank(dt, profile, 8.0, solver)[0], profile) for dt in (4e-3, 2e-3, 1e-3)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)
    assert errors[2] < 1e-4  # of 0.26 N m


def test_a_velocity_drive_from_rest_is_an_impulse_and_no_effort() -> None:
    """The impulse is the inertia that the crank shows times its velocity; efforts are those of a crank that turns
    evenly."""
    run, sim = slider_crank(1e-3, Constant(6.0), 0.0)
    (impulse,) = run.impulses
    still = simulator.load("slider_crank")
    inertia = float(still.mass_matrix(over="independent").array[0, 0])
    assert impulse.impulse == pytest.approx(inertia * 6.0, rel=1e-9)
    assert (impulse.time, impulse.before, impulse.after) == (0.0, 0.0, 6.0)
    assert np.abs(run[f"{CRANK}/effort"]).max() < 0.05
    assert off(run, Constant(6.0), first=1) < 1e-4
    # Its velocity is held to second order, 3e-5 of it at this step.
    assert run[f"{CRANK}/position"][-1] == pytest.approx(6.0 * 0.12, rel=1e-5)
    assert abs(sim.energies["error"]) < 1e-9 * sim.energies["kinetic"]


def test_a_drive_that_begins_at_the_velocity_of_its_axis_needs_no_impulse() -> None:
    assert slider_crank(1e-3, Constant(8.0), 8.0)[0].impulses == ()


def test_a_step_of_a_velocity_drive_is_an_impulse_at_its_time() -> None:
    """M dv of a hinge with I = 0.5 kg m^2 about its axis; nothing else acts."""
    sim = simulator.load(hinge(), dt=1e-3)
    run = sim.run(0.5, drives={"h": simulator.velocity(simulator.step(0.0, 4.0, 0.3))})
    (impulse,) = run.impulses
    assert impulse.time == pytest.approx(0.3, abs=1e-12)
    assert impulse.impulse == pytest.approx(2.0, rel=1e-12)
    assert np.abs(run["m::h/effort"]).max() < 1e-9
    assert run["m::h/position"][-1] == pytest.approx(0.8, rel=1e-12)


def test_peak_rms_power_and_energy_of_a_drive_are_those_of_its_motion() -> None:
    """v = A sin w t on I: effort I A w cos w t, energy I v^2 / 2. Over whole periods: peak I A w, RMS I A w / sqrt 2,
    energy 0."""
    sim = simulator.load(hinge(), dt=1e-3)
    run = sim.run(1.0, drives={"h": simulator.velocity(simulator.sine(3.0, 2.0))})
    peak = 0.5 * 3.0 * 4.0 * math.pi
    drive = run.drives["m::h"]
    assert drive["peak"] == pytest.approx(peak, rel=1e-4)
    assert drive["rms"] == pytest.approx(peak / math.sqrt(2.0), rel=1e-4)
    assert drive["energy"] == pytest.approx(0.0, abs=1e-9)
    half = simulator.load(hinge(), dt=1e-3).run(0.125, drives={"h": simulator.velocity(simulator.sine(3.0, 2.0))})
    assert half.drives["m::h"]["energy"] == pytest.approx(0.5 * 0.5 * 9.0, rel=1e-9)
    assert half.drives["m::h"]["mean_power"] == pytest.approx(0.5 * 0.5 * 9.0 / 0.125, rel=1e-9)


def test_energies_of_drives_and_their_impulses_add_up_to_the_work_in_the_ledger() -> None:
    run, sim = slider_crank(1e-3, Constant(6.0), 0.0)
    assert run.drives[CRANK]["energy"] == pytest.approx(sim.energies["work"], rel=1e-10)


def test_a_load_that_jumps_does_not_overshoot_in_the_effort_column() -> None:
    """A moment of 2 N m from 0.05 s on is held by 2 N m, not more."""
    text = hinge('<simulator:load link="a" moment="0 0 step(0,-2,0.05)"/>')
    run = simulator.load(text, dt=1e-3).run(0.1, drives={"h": simulator.velocity(1.0)})
    assert run.drives["m::h"]["peak"] == pytest.approx(2.0, rel=1e-9)
    assert run["m::h/effort"][-1] == pytest.approx(2.0, rel=1e-9)


def test_an_effort_drive_shows_its_profile_and_is_integrated_to_second_order() -> None:
    """The column is the profile at the row's time. Of I q'' = c t each step takes the mean effort: velocities are
    exact, every step leads c dt^3 / 12 I too far."""
    run = simulator.load(hinge(), dt=0.01).run(1.0, drives={"h": simulator.effort(simulator.ramp(0.0, 3.0, 1.0))})
    assert run["m::h/effort"] == pytest.approx(3.0 * run.time, abs=1e-12)
    assert run["m::h/velocity"][-1] == pytest.approx(3.0, rel=1e-12)
    assert run["m::h/position"][-1] == pytest.approx(1.0 + 3.0 * 1e-4 / (12 * 0.5), rel=1e-9)


def hinge(inside: str = "") -> str:
    """A body of 0.5 kg m^2 about a vertical hinge through its centre."""
    return f"""<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w"><model name="m">
      <link name="a"><inertial><mass>1</mass><inertia><ixx>0.3</ixx><iyy>0.3</iyy><izz>0.5</izz>
        <ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>
      <joint name="h" type="continuous"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
      {inside}</model></world></sdf>"""
