"""Three hinges that are one ball joint move as a document with a ball joint there, through gimbal lock, free and in
loops. The angles that are read off the poses compose to them: R(a, q0) R(b, q1) R(c, q2)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.engine.row_places import hinge_numbers
from simulator.errors import UsageError
from simulator.physics.step.hinges import read_hinges
from simulator.physics.step.watch import SCRATCH
from simulator.session.open.opening import open_document
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.physics.worlds import advance, joint, link, model, running, world

Array = NDArray[np.float64]

DURATION = 2.0
STRATEGIES = ("rows", "reduced")
TEXT = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def triad(
    name: str, parent: str, child: str, at: str, *, order: str = "xyz", pose: str = "0 0 0 0 0 0", inside: str = ""
) -> tuple[str, ...]:
    """Two links of no mass at a point of the world and three hinges between `parent` and `child`, whose own frame is
    `pose` away from it; `inside` goes into the middle axis."""
    first, second = f"{name}_a", f"{name}_b"
    return (
        link(first, mass=0.0, inertia="0 0 0", pose=at),
        link(second, mass=0.0, inertia="0 0 0", pose=at),
        joint(f"{name}_0", "revolute", first, parent=parent, axis=TEXT[order[0]]),
        joint(f"{name}_1", "revolute", second, parent=first, axis=TEXT[order[1]], inside_axis=inside),
        joint(f"{name}_2", "revolute", child, parent=second, axis=TEXT[order[2]], pose=pose),
    )


def ball(name: str, parent: str, child: str, pose: str = "0 0 0 0 0 0") -> tuple[str, ...]:
    """A ball joint between them."""
    return (
        f'<joint name="{name}" type="ball"><parent>{parent}</parent><child>{child}</child><pose>{pose}</pose></joint>',
    )


BODY = link("body", com="0.02 0.01 0.3", inertia="0.01 0.012 0.004 0.001 0 0.002")


def pendulum(*holding: str) -> str:
    """A body that starts upright on its support and falls over, through all orientations on the way."""
    return world(model(BODY, *holding))


def linkage(*, hinged: bool) -> str:
    """A spatial four-bar: crank about x, rocker about y, and between them a rod with a ball at both ends."""
    at, end = "0 0.1 0 0 0 0", "0.3 0 0.2 0 0 0"
    first = triad("p", "crank", "rod", at) if hinged else ball("p_2", "crank", "rod")
    last = (
        triad("q", "rod", "rocker", end, order="zyx", pose="0 0 0.2 0 0 0")
        if hinged
        else ball("q_2", "rod", "rocker", "0 0 0.2 0 0 0")
    )
    return world(
        model(
            link("crank", mass=0.3, inertia="0.001 0.001 0.001", com="0 0.05 0"),
            link("rocker", mass=0.5, inertia="0.002 0.002 0.001", com="0 0 0.1", pose="0.3 0 0 0 0 0"),
            link("rod", mass=0.4, inertia="0.003 0.004 0.002 0.001 0 0", com="0.15 -0.05 0.12", pose=at),
            joint("crank_joint", "revolute", "crank", axis="1 0 0"),
            joint("rocker_joint", "revolute", "rocker", axis="0 1 0.002"),
            *first,
            *last,
        )
    )


@pytest.mark.parametrize("solver", STRATEGIES)
@pytest.mark.parametrize("order", ["xyz", "zyx", "yzx"])
def test_a_body_on_three_hinges_falls_as_on_a_ball(solver: str, order: str) -> None:
    hinged = simulator.load(pendulum(*triad("p", "world", "body", "0 0 0 0 0 0", order=order)), solver=solver)
    plain = simulator.load(pendulum(*ball("p_2", "world", "body")), solver=solver)
    ours, theirs = hinged.run(DURATION), plain.run(DURATION)
    np.testing.assert_allclose(ours.poses("body"), theirs.poses("body"), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(ours["energy/error"], 0.0, atol=1e-7)
    middle = ours["joint/m::p_1/position"]
    assert middle.min() < -0.5 or middle.max() > 0.5


@pytest.mark.parametrize("solver", STRATEGIES)
def test_it_goes_through_gimbal_lock(solver: str) -> None:
    """A quarter of a turn about the middle axis lines up the others: a plane pendulum about y passes there."""
    flat = link("body", com="0.01 0 0.3", inertia="0.01 0.012 0.004")
    sim = simulator.load(world(model(flat, *triad("p", "world", "body", "0 0 0 0 0 0"))), solver=solver)
    run = sim.run(DURATION)
    assert run["joint/m::p_1/position"].max() == pytest.approx(0.5 * math.pi, abs=1e-2)
    length, moment = math.hypot(0.3, 0.01), 0.012 + 0.3**2 + 0.01**2
    turned = 2.0 * np.arctan2(run["link/m::body/qy"], run["link/m::body/qw"])
    # Energy of a pendulum that starts at rest, at the angle a0 from the vertical: J w^2 / 2 = m g l (cos a0 - cos a).
    a0 = math.atan2(0.01, 0.3)
    fallen = 9.8 * length * (math.cos(a0) - np.cos(a0 + turned))
    np.testing.assert_allclose(0.5 * moment * run["link/m::body/wy"] ** 2, fallen, atol=1e-7)


@pytest.mark.parametrize("solver", STRATEGIES)
def test_rods_in_loops_move_as_with_balls(solver: str) -> None:
    hinged, plain = (simulator.load(linkage(hinged=kind), solver=solver) for kind in (True, False))
    assert hinged.mechanism.mobility == plain.mechanism.mobility
    ours, theirs = hinged.run(DURATION), plain.run(DURATION)
    for name in ("crank", "rod", "rocker"):
        np.testing.assert_allclose(ours.poses(name), theirs.poses(name), rtol=0.0, atol=1e-9)
    assert np.ptp(ours["crank_joint/position"]) > 0.5


@pytest.mark.parametrize("solver", STRATEGIES)
def test_a_floating_base_of_slides_and_hinges_is_a_free_body(solver: str) -> None:
    """Three slides without mass carry the hinges; an arm that turns about their middle axis, fast, turns its base the
    other way through gimbal lock. `free` is the same without a joint to the world."""
    bodies = (
        link("base", com="0.02 0 0.3", inertia="0.01 0.012 0.004"),
        link("arm", com="0.1 0 0.05", inertia="0.02 0.03 0.02"),
        joint("swing", "revolute", "arm", parent="base", axis="0 1 0.002"),
    )
    slides = tuple(
        part
        for name, parent, axis in (("sx", "world", "x"), ("sy", "sx", "y"), ("sz", "sy", "z"))
        for part in (
            link(name, mass=0.0, inertia="0 0 0"),
            joint(f"slide_{axis}", "prismatic", name, parent=parent, axis=TEXT[axis]),
        )
    )
    hinges = triad("p", "sz", "base", "0 0 0 0 0 0", order="zyx")
    carried, free = (simulator.load(world(model(*bodies, *more)), solver=solver) for more in ((*slides, *hinges), ()))
    for sim in (carried, free):
        sim.set(velocity={"swing": 15.0})
    ours, theirs = (sim.run(1.0) for sim in (carried, free))
    assert np.abs(ours["p_1/position"]).max() > 1.56
    for name in ("base", "arm"):
        np.testing.assert_allclose(ours.poses(name), theirs.poses(name), rtol=0.0, atol=1e-8)
    assert np.abs(ours["energy/error"]).max() < 1e-8


def test_frames_may_lie_anywhere_on_the_axes_and_joints_the_other_way_round() -> None:
    """The second link is the parent of the first, which turns the sign of the middle angle."""
    parts = (
        link("a", mass=0.0, inertia="0 0 0", pose="0.4 0 0 0.3 0 0"),
        link("b", mass=0.0, inertia="0 0 0", pose="0 -0.2 0 0 0.7 0"),
        joint("p_0", "revolute", "a", axis="1 0 0"),
        joint("p_1", "revolute", "a", parent="b", axis="0 1 0", pose="-0.4 0 0 -0.3 0 0"),
        joint("p_2", "revolute", "body", parent="b", axis="0 0 1", pose="0 0 0.1 0 0 0"),
    )
    turned, plain = simulator.load(pendulum(*parts)), simulator.load(pendulum(*ball("p_2", "world", "body")))
    straight = simulator.load(pendulum(*triad("p", "world", "body", "0 0 0 0 0 0")))
    ours, others = turned.run(DURATION), straight.run(DURATION)
    np.testing.assert_allclose(ours.poses("body"), plain.run(DURATION).poses("body"), rtol=0.0, atol=1e-9)
    for name, sign in {"p_0": 1.0, "p_1": -1.0, "p_2": 1.0}.items():
        difference = ours[f"joint/m::{name}/position"] - sign * others[f"joint/m::{name}/position"]
        np.testing.assert_allclose(np.sin(difference), 0.0, atol=1e-7)


@pytest.mark.parametrize("lean", [0.0, 0.6, -1.1])
def test_angles_compose_to_the_turn_and_rates_to_its_velocity(lean: float) -> None:
    """For axes with the first and the last at `lean` from a right angle, over both sides of the middle angle."""
    a, b = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    c = np.array([math.sin(lean), 0.0, math.cos(lean)])
    random, count = np.random.default_rng(1), 200
    first, last = random.uniform(-math.pi, math.pi, (2, count))
    # R(b, q1) c is in line with a where q1 + lean is a right angle.
    middle = random.uniform(-0.5 * math.pi + 1e-3, 0.5 * math.pi - 1e-3, count) - lean
    rates = random.uniform(-2.0, 2.0, (count, 3))
    turns, angular = np.empty((count, 9)), np.empty((count, 3))
    for i in range(count):
        A, B, C = (
            matrix_from_axis_angle(axis, float(angle)) for axis, angle in ((a, first[i]), (b, middle[i]), (c, last[i]))
        )
        turns[i] = (A @ B @ C).ravel()
        angular[i] = rates[i, 0] * a + rates[i, 1] * A @ b + rates[i, 2] * A @ B @ c
    flat = np.empty(6 * count)
    read_hinges(turns.ravel(), angular.ravel(), np.tile(np.concatenate((a, b, c)), count), np.empty(SCRATCH), flat)
    rows = flat.reshape(count, 6)
    np.testing.assert_allclose(np.sin(rows[:, 0] - first), 0.0, atol=1e-11)
    np.testing.assert_allclose(rows[:, 2], middle, atol=1e-12)
    np.testing.assert_allclose(np.sin(rows[:, 4] - last), 0.0, atol=1e-11)
    np.testing.assert_allclose(rows[:, 1::2], rates, atol=1e-9)


def test_recorded_angles_are_those_of_the_poses(tmp_path: Path) -> None:
    path = tmp_path / "linkage.sdf"
    path.write_text(linkage(hinged=True), encoding="utf-8")
    with running(path) as engine:
        advance(engine, 0.5)
        snapshot, recorded = engine.snapshot(), engine.row()[engine.places.hinge :]
        read = hinge_numbers(engine.mechanism, snapshot.body_poses, snapshot.body_velocities)
    assert recorded.shape == (12,)
    assert np.abs(recorded).min() > 0.0
    np.testing.assert_allclose(read.ravel(), recorded, atol=1e-12)


ACTING = {
    "damping": "<dynamics><damping>0.1</damping></dynamics>",
    "friction": "<dynamics><friction>0.1</friction></dynamics>",
    "spring": "<dynamics><spring_stiffness>1</spring_stiffness></dynamics>",
    "limits": "<limit><lower>-1</lower><upper>1</upper></limit>",
    "mimic": '<mimic joint="p_0"><multiplier>1</multiplier><offset>0</offset><reference>0</reference></mimic>',
}


@pytest.mark.parametrize("what", ACTING)
def test_hinges_on_which_something_acts_stay_hinges(what: str) -> None:
    hinges = triad("p", "world", "body", "0 0 0 0 0 0", inside=ACTING[what])
    mechanism = simulator.load(pendulum(*hinges)).mechanism
    assert not mechanism.hinged_balls
    assert [axis.name for axis in mechanism.axes] == ["m::p_0", "m::p_1", "m::p_2"]


@pytest.mark.parametrize(
    "part",
    [
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="p_1"/>'
        '<actuator name="motor"/></transmission>',
        '<ros2_control name="s" type="system"><hardware><plugin>x</plugin></hardware>'
        '<joint name="p_1"><command_interface name="effort"/></joint></ros2_control>',
    ],
)
def test_hinges_with_an_actuator_stay_hinges(part: str, tmp_path: Path) -> None:
    mass = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    joints = "".join(
        f'<joint name="p_{i}" type="continuous"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
        "</joint>"
        for i, (parent, child, axis) in enumerate((("world", "a", "1 0 0"), ("a", "b", "0 1 0"), ("b", "c", "0 0 1")))
    )
    for text, count in ((part, 0), ("", 1)):
        path = tmp_path / f"robot{count}.urdf"
        path.write_text(
            f'<robot name="r"><link name="world"/><link name="a"/><link name="b"/><link name="c">{mass}</link>'
            f"{joints}{text}</robot>",
            encoding="utf-8",
        )
        codes = [item.code for item in open_document(path).mechanism.diagnostics]
        assert codes.count("BALL_OF_REVOLUTES") == count, codes


def test_axes_that_pass_each_other_or_are_askew_stay_hinges() -> None:
    apart = triad("p", "world", "body", "0 0 0 0 0 0", pose="0.001 0 0 0 0 0")
    assert not simulator.load(pendulum(*apart)).mechanism.hinged_balls
    heavy = tuple(part.replace("<mass>0.0</mass>", "<mass>0.01</mass>") for part in apart[:2])
    straight = triad("p", "world", "body", "0 0 0 0 0 0")
    assert not simulator.load(pendulum(*heavy, *straight[2:])).mechanism.hinged_balls
    askew = [part.replace("<xyz>0 1 0</xyz>", "<xyz>0.5 1 0</xyz>") for part in straight]
    assert not simulator.load(pendulum(*askew)).mechanism.hinged_balls


def test_nothing_turns_one_of_them_alone() -> None:
    sim = simulator.load(pendulum(*triad("p", "world", "body", "0 0 0 0 0 0")))
    for ask in (lambda: sim.set({"p_1": 0.5}), lambda: sim.drive("p_1", simulator.velocity(1.0))):
        with pytest.raises(UsageError, match="m::p_0, m::p_1, m::p_2 are a ball joint"):
            ask()
