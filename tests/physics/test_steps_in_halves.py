"""A step after which a loop cannot be closed is made in halves.

A four-bar whose rocker is 1e-6 m longer than its crank of 0.1 m passes by a change point, at which it would be in line:
rows turn about there within a part of a step of 1 ms. The motion is compared with free bars that stabilised forces hold
together (`loops_in_a_plane.planar_motion`), solved to 1e-11."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.engine import stepping
from simulator.engine.drives import Drive, DriveKind
from simulator.errors import JammedError
from simulator.model.profiles import Constant
from tests.physics.loops_in_a_plane import HINGE, Chain, document, planar_motion, rates_of
from tests.physics.worlds import joint, link, model, world

SPEED = 5.0
NARROW = Chain(np.array([(0.0, 0.0), (0.0, 0.1), (0.4, 0.100001), (0.4, 0.0)]), (HINGE, HINGE), (0.0, 0.0), (0.0,) * 3)
FOLLOWED = 0.01
"""Angle [rad]: what a step of 1 ms leaves that ends beside the change point just before the one that is halved; a
factor of ten less than steps of 0.5 ms leave."""


def started(solver: str) -> simulator.Simulation:
    sim = simulator.load(document(NARROW), solver=solver, dt=1e-3)
    sim.set(velocity={"m::j0": SPEED})
    return sim


def crank(sim: simulator.Simulation) -> float:
    x_axis = sim.pose("m::b0")[:3, 0]
    return math.atan2(x_axis[2], x_axis[0])


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_it_goes_on_as_it_should(solver: str) -> None:
    times = np.array([0.1, 0.25])
    expected = planar_motion(NARROW, times, rates_of(NARROW, -SPEED))[:, 0]
    sim = started(solver)
    for time, angle in zip(times.tolist(), expected.tolist(), strict=True):
        summary = sim.run(time - sim.time).summary
        assert abs(np.exp(1j * crank(sim)) - np.exp(1j * angle)) < FOLLOWED
        assert summary.max_loop_residual_m < 1e-9
        assert summary.max_energy_error < 1e-2 * summary.max_kinetic


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_without_halves_it_jams(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else this file would say nothing."""
    monkeypatch.setattr(stepping, "HALVINGS", 0)
    with pytest.raises(JammedError):
        started(solver).run(0.25)


def test_it_goes_on_beside_a_damper_that_is_faster_than_the_step() -> None:
    """Which would be blamed for a loop that came open; the bar that it brakes touches nothing else."""
    brake = joint("brake", "revolute", "paddle", inside_axis="<dynamics><damping>1e4</damping></dynamics>")
    text = document(NARROW).replace("</world>", model(link("paddle"), brake, name="n") + "</world>")
    sim = simulator.load(text, dt=1e-3)
    sim.set(velocity={"m::j0": SPEED})
    plain = started("rows")
    assert sim.run(0.25).summary.max_loop_residual_m < 1e-9
    plain.run(0.25)
    assert crank(sim) == pytest.approx(crank(plain), abs=1e-9)  # bodies apart differ by round-off


def test_a_step_in_halves_is_one_step_in_the_recording() -> None:
    sim = started("rows")
    run = sim.run(0.25, every=1e-3)
    assert np.diff(run.time) == pytest.approx(1e-3, abs=1e-12)
    assert len(run.time) == 251


def test_a_drive_is_booked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its work is that of its effort over the way of its axis, but for round-off, though steps were taken back."""
    made: list[int] = []
    halve = stepping.Stepper._step_in_halves

    def noted(engine: stepping.Stepper, halvings: int) -> None:
        made.append(halvings)
        halve(engine, halvings)

    monkeypatch.setattr(stepping.Stepper, "_step_in_halves", noted)
    sim = started("rows")
    sim.drive("m::j0", Drive(DriveKind.EFFORT, Constant(-0.02)))
    before = sim.positions["m::j0"]
    summary = sim.run(0.4).summary
    assert made
    assert summary.drives["m::j0"]["energy"] == pytest.approx(-0.02 * (sim.positions["m::j0"] - before), rel=1e-9)
    assert summary.drives["m::j0"]["rms"] == pytest.approx(0.02, rel=1e-9)


LEG, HIP, DEPTH, BAR, HEAVY = 0.5, 0.2, 0.35, 1.0, 1e4
"""Bars [m, kg], hips beside the middle, and a body that hangs on both legs [m below it, kg]."""


def hanging_on_two_legs() -> str:
    """Bent legs of two bars each, from hips to one heavy body, which falls until the legs are straight, one after the
    other: then they stop it, and fling their knees through."""
    away = math.hypot(HIP, DEPTH)
    bent = math.sqrt(LEG**2 - 0.25 * away**2)
    parts = [link("weight", mass=HEAVY, inertia="1 1 1", pose=f"0 0 {-DEPTH!r} 0 0 0")]
    for name, side in (("l", -1.0), ("r", 1.0)):
        knee = side * (0.5 * HIP + bent * DEPTH / away), -0.5 * DEPTH + bent * HIP / away
        for bar, (x, z), (u, w) in (("u", (side * HIP, 0.0), knee), ("s", knee, (0.0, -DEPTH))):
            place = f"{x!r} 0 {z!r} 0 {math.atan2(z - w, u - x)!r} 0"
            turning = BAR * LEG**2 / 12.0
            moments = f"{0.01 * turning!r} {turning!r} {turning!r}"
            parts.append(link(name + bar, mass=BAR, inertia=moments, com=f"{0.5 * LEG} 0 0", pose=place))
        ends = (("hip", "world", name + "u"), ("knee", name + "u", name + "s"), ("end", name + "s", "weight"))
        parts += [joint(name + one, "revolute", child, parent=parent, axis="0 1 0") for one, parent, child in ends]
    return world(model(*parts))


def test_a_step_whose_energy_comes_from_nowhere_is_made_in_halves() -> None:
    """The weight never has more than it falls, m g (sqrt((2 l)^2 - h^2) - d), and of that the balance is right to a few
    hundredths. In whole steps of 1 ms it had a fifth more."""
    summary = simulator.load(hanging_on_two_legs(), dt=1e-3).run(1.0).summary
    fallen = (HEAVY + 4.0 * BAR) * 9.8 * (math.sqrt(4.0 * LEG**2 - HIP**2) - DEPTH)
    assert 0.5 * fallen < summary.max_kinetic < fallen
    assert summary.max_energy_error < 0.03 * summary.max_kinetic


def test_what_stands_is_not_made_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of leader and follower meet in one position, in which stops hold both against the drive: what moves is
    rounding, and its energy is no matter of the step."""
    made: list[int] = []
    monkeypatch.setattr(stepping.Stepper, "_step_in_halves", lambda _, halvings: made.append(halvings))
    limit = "<limit><lower>0</lower><upper>0.7</upper><effort>10</effort></limit>"
    law = '<mimic joint="a"><multiplier>-0.7</multiplier><offset>0</offset><reference>0</reference></mimic>'
    leader = joint("a", "revolute", "one", axis="1 0 0", inside_axis=limit)
    follower = joint("b", "revolute", "two", axis="1 0 0", inside_axis=limit + law)
    bodies = [link(name, mass=0.03, inertia="1e-5 1e-5 1e-5", com="0 0.05 0.01") for name in ("one", "two")]
    sim = simulator.load(world(model(*bodies, leader, follower)))
    sim.drive("a", simulator.position(0.3))
    assert sim.run(0.1).summary.max_kinetic < 1e-20
    assert not made


SPRUNG = """
<sdf version="1.11"><world name="w"><model name="m">
<link name="a"><inertial><mass>0.1</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>
</link>
<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>
<dynamics><spring_stiffness>{stiffness}</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>
</axis></joint></model></world></sdf>"""


@pytest.mark.parametrize(("turn", "is_followed"), [(0.3, True), (0.99, False), (1.2, False), (8.0, False)])
def test_a_spring_that_the_step_does_not_follow_is_named_not_halved(
    turn: float, is_followed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spring that swings by so many radians in a step: beyond 1 it is held, which damps it. Halves would have to be
    64ths to follow it."""
    halves = list[int]()
    monkeypatch.setattr(stepping.Stepper, "_step_in_halves", lambda _, halvings: halves.append(halvings))
    stiffness = 1e-3 * (turn / 1e-3) ** 2
    run = simulator.load(SPRUNG.format(stiffness=stiffness)).run(0.2)
    assert not halves
    named = [finding for finding in run.findings if finding.code == "ENERGY_UNBALANCED"]
    assert (not named) == is_followed
    assert is_followed or turn < 1.0 or "too long for the spring of 'm::j'" in named[0].message
    assert is_followed or turn < 1.0 or named[0].line == 5
