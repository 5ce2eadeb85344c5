"""Derivatives of runs and analyses by parameters, against closed forms and textbook equations by the complex step.

Tolerance: runs beside each other differ by h = 3e-5, and are right to 1e-15: h² and 1e-15 / h over tens of blocks are
1e-9 to 4e-8 of the greatest derivative; steps of 1 ms add (ω dt)⁴, 4e-10 of what swings here with 4.5 rad/s.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from simulator import Simulation, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.planar_forms import derivative, four_bar, slider_crank

CLOSE = 1e-7
START = 1.0471975511965976
"""Angle of the cranks at position 0 [rad]."""
DAMPER = "<dynamics><damping>0.8</damping><spring_stiffness>40</spring_stiffness></dynamics>"
OSCILLATOR = world(
    "<gravity>0 0 0</gravity>",
    model("m", link("body", mass=2.0), joint("slide", "prismatic", DAMPER, parent="world", child="body")),
)


def near(found: object, wanted: object) -> bool:
    there, expected = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    return bool(np.abs(there - expected).max() <= CLOSE * np.abs(expected).max())


def test_an_oscillator_against_its_closed_form() -> None:
    """m x'' + c x' + k (x - r) = F: x = s + e^(-a t) ((x0 - s) cos w t + (v0 + a (x0 - s)) / w sin w t)."""
    sim = simulator.load(OSCILLATOR)
    sim.set(slide=0.3, velocity={"slide": -0.2})
    sim.drive("slide", simulator.effort(1.5))
    names = ["body.mass", "slide.damping", "slide.spring_stiffness", "slide.spring_reference"]
    numbers = {name: sim.parameters()[name].value for name in names}
    found = sim.sensitivities(2.0, names, points=31)

    def motion(p: object) -> np.ndarray:
        m, c, k, r = (p[name] for name in names)  # type: ignore[index]
        rest, a = r + 1.5 / k, c / (2.0 * m)
        w = np.sqrt(k / m - a * a)
        t = found.at
        part = (-0.2 + a * (0.3 - rest)) / w
        result: np.ndarray = rest + np.exp(-a * t) * ((0.3 - rest) * np.cos(w * t) + part * np.sin(w * t))
        return result

    assert found.at == pytest.approx(np.linspace(0.0, 2.0, 31))
    for name in names:
        assert near(found["slide/position", name], derivative(motion, numbers, name)), name
    assert sim.time == 0.0


def test_a_four_bar_against_eksergian() -> None:
    """The book's equation of motion in complex arithmetic, by the method of Dormand and Prince."""
    dampings = ("crank_joint.damping",)
    sim = simulator.load("four_bar").varied({"crank_joint.damping": 0.02})
    sim.set(crank_joint=0.2, velocity={"crank_joint": 4.0})
    bodies = [f"{body}.{part}" for body in ("crank", "coupler", "rocker") for part in ("mass", "com.x", "com.z")]
    bodies += [f"{body}.inertia.iyy" for body in ("crank", "coupler", "rocker")]
    lengths = ["crank.length", "coupler.length", "rocker.length", "rocker_joint.parent_pose.x"]
    every = [*bodies, *lengths, "crank_joint.damping", "world.gravity.x", "world.gravity.z"]
    numbers = {name: sim.parameters()[name].value for name in every}
    asked = every
    found = sim.sensitivities(0.15, asked, points=4)

    def motion(p: object) -> np.ndarray:
        def rates(_: float, z: np.ndarray) -> np.ndarray:
            form = four_bar(p, START + z[0])  # type: ignore[arg-type]
            return np.array([z[1], form.acceleration(p, dampings, z[1], 0.0)])  # type: ignore[arg-type]

        start = np.array([0.2 + 0j, 4.0])
        solved = solve_ivp(rates, (0.0, 0.15), start, method="DOP853", t_eval=found.at[1:], rtol=1e-11, atol=1e-12)
        return np.array([four_bar(p, START + angle).angles[2] for angle in solved.y[0]])  # type: ignore[arg-type]

    for name in asked:
        wanted = derivative(motion, numbers, name)
        assert near(found["rocker_joint/position", name][1:], wanted), name


def test_what_nothing_depends_on() -> None:
    """Mass and centre of mass of a link that is fixed to the world: zero, beside a number that acts."""
    found = simulator.load("four_bar").sensitivities(0.1, ["ground.mass", "crank.mass", "ground.com.z"], points=3)
    for name in ("ground.mass", "ground.com.z"):
        assert not np.any(found["crank_joint/position", name])
    assert np.any(found["crank_joint/position", "crank.mass"])


def test_points_that_are_far_apart() -> None:
    """A double pendulum, whose derivatives grow beyond a thousand in 12 s: at the end they do not depend on how many
    points there are before, to what that growth makes of 1e-9."""
    lower = link("lower", pose="1 0 0 0 0 0")
    upper = joint("shoulder", "revolute", parent="world", child="upper", axis="0 1 0")
    elbow = joint("elbow", "revolute", parent="upper", child="lower", axis="0 1 0", pose="-0.5 0 0 0 0 0")
    sim = simulator.load(world("<gravity>0 0 -9.81</gravity>", model("m", link("upper"), lower, upper, elbow)))
    sim.set(shoulder=0.3, elbow=2.0, velocity={"shoulder": 6.0, "elbow": -4.0})
    found = [sim.sensitivities(12.0, ["lower.mass"], points=points) for points in (2, 31)]
    wanted = found[1]["shoulder/position", "lower.mass"][-1]
    assert np.abs(found[1].array).max() > 1e3
    assert found[0]["shoulder/position", "lower.mass"][-1] == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("name", ["four_bar", "planetary", "rack_and_pinion"])
def test_points_near_and_far_are_of_one_run(name: str) -> None:
    """Steps between points that are far apart are made without being watched, and are the same steps."""
    sim = simulator.load(name)
    masses = [each for each in sim.parameters() if each.endswith(".mass")][:3]
    few, many = (sim.sensitivities(1.28, masses, points=points) for points in (6, 81))
    assert near(few.array, many.array[::16])


def test_a_body_that_floats_turns_by_its_inertia() -> None:
    """Free rotation about a principal axis, and a fall: only gravity changes the place, by t² / 2."""
    text = world("<gravity>0 0 -9.81</gravity>", model("m", link("body")))
    sim = simulator.load(text)
    sim.set(twist={"body": (0.3, 2.0, -0.4, 0.1, 0.0, 0.2)})
    found = sim.sensitivities(0.5, ["world.gravity.z", "body.mass"], points=7)
    row = next(row for row in found.rows if row.endswith("tz/position"))
    assert found[row, "world.gravity.z"] == pytest.approx(0.5 * found.at**2, abs=1e-9)
    assert np.abs(found[row, "body.mass"]).max() < 1e-9


def beside(sim: Simulation, name: str, values: Callable[[Simulation], np.ndarray]) -> np.ndarray:
    """A central difference of order four."""
    value = sim.parameters()[name].value
    step = 1e-4 * max(abs(value), 0.1)
    a, b, c, d = (values(sim.varied({name: value + k * step})) for k in (1, -1, 2, -2))
    return np.asarray((8.0 * (a - b) - (c - d)) / (12.0 * step))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("bennett", "coupler.mass"),
        ("stewart", "platform.mass"),
        ("fast_slow_pendulums", "world.gravity.z"),
        ("belt_arm", "shoulder_joint.parent_pose.yaw"),
        ("belt_arm", "elbow_joint.direction.z"),  # out of the plane in which it moves
        ("four_bar", "coupler_joint.parent_pose.pitch"),
        ("hoeken", "coupler_joint.pose.pitch"),
        ("hoeken", "closing_joint.child_pose.z"),  # 1e-17 m, by round-off of the document
        ("peaucellier", "closing_b2.child_pose.x"),
        ("scissor_lift", "close_0.parent_pose.z"),
        ("sarrus", "knee_2_joint.child_pose.x"),
        ("telescope", "drum_joint.pose.x"),
        ("screw_press", "world.gravity.z"),
    ],
)
def test_differences_of_runs(name: str, parameter: str) -> None:
    """Differences of order four of runs have errors of 1e-7 beside; steps of the run that is derived are shorter."""
    sim = simulator.load(name)
    found = sim.sensitivities(0.2, [parameter], points=7)
    rows = [row for row in found.rows if row.split("/")[1] in sim.positions.names and row.endswith("position")]

    def ends(other: Simulation) -> np.ndarray:
        run = other.run(0.2)
        return np.array([run[row][-1] for row in rows])

    wanted = beside(sim, parameter, ends)
    there = np.array([found[row, parameter][-1] for row in rows])
    assert np.abs(there - wanted).max() <= 1e-6 * max(float(np.abs(wanted).max()), 1e-3)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("<dynamics><friction>0.1</friction></dynamics>", "body.mass"),
        ("<limit><lower>-1</lower><upper>0.32</upper></limit>", "body.mass"),
    ],
)
def test_friction_and_stops_are_refused(text: str, asked: str) -> None:
    slide = joint("slide", "prismatic", text, parent="world", child="body")
    sim = simulator.load(world("<gravity>0 0 0</gravity>", model("m", link("body"), slide)))
    sim.set(slide=0.3, velocity={"slide": 0.2})
    with pytest.raises(UsageError, match="friction, stops or contacts act"):
        sim.sensitivities(0.5, [asked])
    if "limit" in text:
        assert len(sim.sensitivities(0.05, [asked], points=3)) == 3


def test_contacts_and_drives_that_hold_are_refused() -> None:
    with pytest.raises(UsageError, match="friction, stops or contacts act"):
        simulator.load("gripper").sensitivities(0.3, ["world.gravity.z"])
    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.velocity(2.0))
    with pytest.raises(UsageError, match="drives that hold"):
        sim.sensitivities(0.1, ["coupler.mass"])
    with pytest.raises(UsageError, match="duration"):
        simulator.load("four_bar").sensitivities(0.0, ["coupler.mass"])


def test_an_analysis_against_its_closed_form() -> None:
    """The piston's place, and the efforts of the crank, of a slider-crank through a turn."""
    sim = simulator.load("slider_crank")
    analysis = sim.analyse({"crank_joint": (0.0, 6.0)}, points=13, velocity=5.0, acceleration=2.0)
    bodies = [f"{b}.{part}" for b in ("crank", "rod", "piston") for part in ("mass", "com.x", "com.z", "inertia.iyy")]
    every = [*bodies, "crank.length", "rod.length", "world.gravity.x", "world.gravity.z"]
    numbers = {name: sim.parameters()[name].value for name in every}
    found = sim.gradients_along(analysis, ["rod.length", "piston.mass"])
    for name in found.parameters:
        places, efforts = [], []
        for angle in (START + found.at).tolist():
            places.append(derivative(lambda p, t=angle: slider_crank(p, t).angles[2], numbers, name))  # type: ignore[misc]
            efforts.append(derivative(lambda p, t=angle: slider_crank(p, t).effort(p, (), 5.0, 2.0), numbers, name))  # type: ignore[misc]
        assert np.abs(found["piston_joint/position", name] - places).max() < 1e-9
        assert np.abs(found["crank_joint/effort", name] - efforts).max() <= 1e-9 * np.abs(efforts).max()


def test_an_analysis_with_balls_is_refused() -> None:
    sim = simulator.load("stewart")
    analysis = sim.analyse({"leg_1_slide": (0.0, 0.01)}, points=3)
    with pytest.raises(UsageError, match="balls or floating"):
        sim.gradients_along(analysis, ["platform.mass"])
