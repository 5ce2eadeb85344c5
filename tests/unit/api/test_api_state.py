from __future__ import annotations

import copy
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.errors import AssemblyError, UnknownNameError, UsageError
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.helpers.documents import joint, link, model, world
from tests.helpers.linkage_forms import FOUR_BAR_START, four_bar

ANGLES = [-2.0, -0.7, 0.5, 1.5, 3.0]


@pytest.mark.parametrize("crank", ANGLES)
def test_what_is_asked_is_kept_and_the_loop_follows(crank: float) -> None:
    """The loop equations of a four-bar linkage, solved with circles."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=crank)
    coupler, rocker = four_bar(FOUR_BAR_START[0] + crank)
    assert abs(sim.positions["crank_joint"] - crank) <= 1e-12
    assert math.remainder(sim.positions["rocker_joint"] - (rocker - FOUR_BAR_START[2]), 2.0 * math.pi) == pytest.approx(
        0.0, abs=1e-9
    )
    turned = crank + sim.positions["coupler_joint"] - (coupler - FOUR_BAR_START[1])
    assert math.remainder(turned, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)
    assert not sim.velocities.array.any()


@pytest.mark.parametrize("crank", ANGLES)
def test_velocities_are_kept_and_the_loop_follows(crank: float) -> None:
    """Rates of the loop equations by central differences of their solution."""
    sim, step = simulator.load("four_bar"), 1e-6
    sim.set(crank_joint=crank, velocity={"crank_joint": 3.0})
    before, after = (four_bar(FOUR_BAR_START[0] + crank + sign * step) for sign in (-1.0, 1.0))
    assert sim.velocities["crank_joint"] == 3.0
    assert sim.velocities["rocker_joint"] == pytest.approx(3.0 * (after[1] - before[1]) / (2.0 * step), rel=1e-7)
    assert 3.0 + sim.velocities["coupler_joint"] == pytest.approx(3.0 * (after[0] - before[0]) / (2.0 * step), rel=1e-7)


def test_a_follower_may_be_asked_for() -> None:
    """20 mm of the rack for a radian of the pinion."""
    sim = simulator.load("rack_and_pinion")
    sim.set(rack_joint=0.01, velocity={"rack_joint": 0.04})
    assert sim.positions["pinion_joint"] == pytest.approx(0.5, abs=1e-12)
    assert sim.velocities["pinion_joint"] == pytest.approx(2.0, abs=1e-12)


def test_a_loop_joint_may_be_asked_for() -> None:
    sim = simulator.load("four_bar")
    sim.set(closing_joint=0.1)
    assert sim.positions["closing_joint"] == pytest.approx(0.1, abs=1e-12)
    coupler, rocker = four_bar(FOUR_BAR_START[0] + sim.positions["crank_joint"])
    assert (rocker - coupler) - (FOUR_BAR_START[2] - FOUR_BAR_START[1]) == pytest.approx(0.1, abs=1e-9)


def test_contradictions_name_the_joints_and_change_nothing() -> None:
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.5)
    before = sim.positions.array
    with pytest.raises(AssemblyError, match=r"closing_joint.*crank_joint' at 0\.5 rad.*rocker_joint' at 2 rad"):
        sim.set(crank_joint=0.5, rocker_joint=2.0)
    with pytest.raises(
        AssemblyError, match=r"'four_bar::rocker_joint' cannot start with.*'four_bar::crank_joint' moves"
    ):
        sim.set(velocity={"crank_joint": 0.5, "rocker_joint": 2.0})
    with pytest.raises(UnknownNameError, match="crank_jont"):
        sim.set(crank_jont=0.5)
    with pytest.raises(UsageError, match=r"'four_bar::crank_joint' cannot be set to nan"):
        sim.set(crank_joint=math.nan)
    np.testing.assert_array_equal(sim.positions.array, before)


def test_limits_are_kept() -> None:
    axis = "<limit><lower>-1</lower><upper>1</upper><velocity>2</velocity></limit>"
    sim = simulator.load(world(model("arm", link("tip"), joint("hip", "revolute", axis, parent="world", child="tip"))))
    with pytest.raises(UsageError, match=r"'arm::hip' cannot be put at 1\.5 rad"):
        sim.set(hip=1.5)
    with pytest.raises(UsageError, match=r"'arm::hip' cannot start with"):
        sim.set(velocity={"hip": 3.0})


def test_names_that_are_no_identifiers() -> None:
    parts = [link("a"), link("b"), joint("the joint", "revolute", parent="world", child="a")]
    sim = simulator.load(
        world(
            model("m", *parts, joint("x", "revolute", parent="a", child="b")),
            model("n", link("c"), joint("x", "prismatic", parent="world", child="c")),
        )
    )
    sim.set({"the joint": 0.25, "m::x": 0.5})
    assert dict(sim.positions.items()) == {"m::the joint": 0.25, "m::x": 0.5, "n::x": 0.0}
    with pytest.raises(UsageError, match="'x' is ambiguous: m::x, n::x"):
        sim.set(x=1.0)


def test_setting_starts_clock_and_ledger_anew() -> None:
    sim = simulator.load("four_bar")
    sim.run(0.05, drives={"crank_joint": simulator.effort(0.1)})
    assert sim.time == pytest.approx(0.05)
    assert sim.energies["work"] != 0.0
    sim.set(crank_joint=0.2)
    assert (sim.time, sim.energies["work"], sim.energies["error"]) == (0.0, 0.0, 0.0)


def test_reset_goes_back_to_the_start_of_the_document() -> None:
    sim = simulator.load("four_bar")
    start = sim.positions.array
    sim.step(50)
    assert np.abs(sim.positions.array - start).max() > 0.01
    sim.reset()
    np.testing.assert_allclose(sim.positions.array, start, atol=1e-12)


def test_independent_coordinates_have_names() -> None:
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.5, velocity={"crank_joint": 3.0})
    assert dict(sim.independent.items()) == {"four_bar::crank_joint": 0.5}
    assert dict(sim.independent_velocities.items()) == {"four_bar::crank_joint": 3.0}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_copies_go_on_alone_from_the_same_state(copied: object) -> None:
    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.velocity(2.0))
    sim.step(20)
    other = copied(sim)  # type: ignore[operator]
    assert other.time == sim.time
    np.testing.assert_array_equal(other.positions.array, sim.positions.array)
    assert dict(other.energies.items()) == pytest.approx(dict(sim.energies.items()), abs=1e-9)
    where = sim.positions.array
    other.step(20)
    np.testing.assert_array_equal(sim.positions.array, where)
    sim.step(20)
    # The motor of a copy begins anew: what its last step has missed is no part of a state, and is of third order.
    np.testing.assert_allclose(other.positions.array, sim.positions.array, atol=2e-7)
    np.testing.assert_allclose(other.velocities.array, sim.velocities.array, atol=1e-7)


def test_copies_run_in_threads_as_they_run_alone() -> None:
    sim = simulator.load("four_bar")
    alone = sim.copy()
    alone.step(200)
    copies = [sim.copy() for _ in range(3)]
    threads = [threading.Thread(target=one.step, args=(200,)) for one in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in copies:
        np.testing.assert_allclose(one.positions.array, alone.positions.array, atol=1e-10)


def test_a_closed_simulation_can_be_used_again() -> None:
    sim = simulator.load("gripper")
    sim.step(5)
    where = sim.positions.array
    sim.close()
    np.testing.assert_allclose(sim.positions.array, where, atol=1e-12)
    sim.step()
    assert sim.time == pytest.approx(6 * sim.dt)


def test_a_link_that_floats_is_put_and_thrown() -> None:
    """After t the centre is at p + v t + g t²/2 and the body has turned by ω t; its frame is not at its centre."""
    inertial = "<inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass></inertial>"
    sim = simulator.load(world(model("m", f"<link name='stone'>{inertial}</link>")))
    start = np.eye(4)
    start[:3, :3], start[:3, 3] = matrix_from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.7), (1.0, -2.0, 3.0)
    sim.set(pose={"stone": start}, twist={"stone": (0.0, 0.0, 2.0, 0.3, -0.4, 1.0)})
    np.testing.assert_allclose(sim.pose("stone"), start, atol=1e-12)
    np.testing.assert_allclose(
        sim.jacobian("stone") @ sim.independent_velocities.array, [0, 0, 2, 0.3, -0.4, 1.0], atol=1e-12
    )
    sim.step(500)
    arm = 0.5 * np.array([math.cos(0.7), math.sin(0.7), 0.0])
    speed = np.array([0.3, -0.4, 1.0]) + np.cross([0.0, 0.0, 2.0], arm)
    turned = matrix_from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.7 + 2.0 * 0.5)
    centre = start[:3, 3] + arm + speed * 0.5 + np.array([0.0, 0.0, -0.5 * 9.8 * 0.25])
    np.testing.assert_allclose(sim.pose("stone")[:3, :3], turned, atol=1e-9)
    np.testing.assert_allclose(sim.pose("stone")[:3, 3], centre - turned @ [0.5, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"pose": {"crank": np.eye(4)}}, "'four_bar::crank' does not float"),
        ({"twist": {"crank": np.zeros(6)}}, "'four_bar::crank' does not float"),
        ({"pose": {"crnk": np.eye(4)}}, "no link is named 'crnk'"),
    ],
)
def test_links_that_do_not_float(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulator.load("four_bar").set(**asked)


def test_poses_and_twists_that_are_none() -> None:
    sim = simulator.load(world(model("m", link("stone"))))
    with pytest.raises(UsageError, match="the pose of 'stone' must have a rotation in it"):
        sim.set(pose={"stone": 2.0 * np.eye(4)})
    with pytest.raises(UsageError, match=r"the pose of 'stone' must be .*\(4, 4\)"):
        sim.set(pose={"stone": np.eye(3)})
    with pytest.raises(UsageError, match="the twist of 'stone' must be six numbers"):
        sim.set(twist={"stone": (1.0, 2.0, 3.0)})


def test_a_floating_robot_moves_as_a_whole() -> None:
    """Its base as asked, its hinge as asked."""
    hinge = joint("j", "revolute", parent="a", child="b")
    sim = simulator.load(world(model("m", link("a"), link("b"), hinge)))
    sim.set(j=0.3, velocity={"j": 1.0}, twist={"a": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)})
    np.testing.assert_allclose(
        sim.jacobian("a") @ sim.independent_velocities.array, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], atol=1e-12
    )
    assert sim.velocities["j"] == 1.0


TRIANGLE = world(
    model(
        "m",
        *(link(name) for name in "ab"),
        joint("j1", "revolute", parent="world", child="a", axis="0 1 0"),
        joint("j2", "revolute", parent="a", child="b", axis="0 1 0", pose="1 0 0 0 0 0"),
        joint("j3", "revolute", parent="world", child="b", axis="0 1 0", pose="1 0 1 0 0 0"),
    )
)


def test_round_off_is_no_velocity_of_a_rigid_axis() -> None:
    """What another state has computed for it comes back without a refusal; a velocity does not."""
    sim = simulator.load(TRIANGLE)
    sim.set(velocity={"j1": 7e-15})
    assert not sim.velocities.array.any()
    with pytest.raises(AssemblyError, match="leave it no motion"):
        sim.set(velocity={"j1": 1e-6})


def test_reset_returns_to_the_same_bits_whatever_was_done() -> None:
    sim = simulator.load("four_bar")
    start = simulator.load("four_bar").moment.state
    sim.set(crank_joint=2.0, velocity={"crank_joint": 3.0})
    sim.run(0.2)
    for _ in range(2):
        sim.reset()
        assert np.array_equal(sim.moment.state.position, start.position)
        assert np.array_equal(sim.moment.state.velocity, start.velocity)
        assert sim.time == 0.0
        sim.step(20)
        sim.varied({"rocker.length": 0.32}).step(20)
