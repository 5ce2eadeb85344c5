"""Shapes of arrays of states, and what is wrong with some."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.errors import AssemblyError, UnknownNameError, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.linkage_forms import FOUR_BAR_START, four_bar

ANGLES = np.linspace(0.0, 6.0, 7)


@pytest.fixture
def sim() -> simulator.Simulation:
    return simulator.load("four_bar")


def test_one_state_or_many(sim: simulator.Simulation) -> None:
    Q, V = sim.assemble({"crank_joint": ANGLES}, velocity={"crank_joint": 2.0})
    q = sim.assemble({"crank_joint": 1.0})
    assert (Q.shape, V.shape, q.shape) == ((7, 4), (7, 4), (4,))
    assert sim.assemble(ANGLES[:, None]).shape == (7, 4)
    for function in (sim.inverse_dynamics, sim.forward_dynamics):
        assert function(Q, V).shape == (7, 4)
        assert function(Q[0], V[0]).shape == (4,)
        np.testing.assert_array_equal(function(Q, V)[0], function(Q[0], V[0]))
        assert function(Q[:0], V[:0]).shape == (0, 4)
    assert sim.poses(Q).shape == (7, len(sim.links), 4, 4)
    assert sim.poses(q).shape == (len(sim.links), 4, 4)
    assert sim.jacobians("coupler", Q).shape == (7, 6, 1)
    assert sim.jacobians("coupler", q, part="linear").shape == (3, 1)
    assert sim.wrenches(Q).shape == (7, len(sim.reactions().wrenches.rows), 6)


def test_more_states_than_are_looked_at_together(sim: simulator.Simulation) -> None:
    """Rows do not depend on those around them."""
    angles = np.tile(np.linspace(0.0, 2.0 * math.pi, 100), 6)
    Q = sim.assemble({"crank_joint": angles})
    np.testing.assert_array_equal(Q[:100], Q[500:])
    np.testing.assert_array_equal(sim.inverse_dynamics(Q)[:100], sim.inverse_dynamics(Q[:100]))


def test_positions_follow_on_the_present_branch(sim: simulator.Simulation) -> None:
    """Circles; whole turns accumulate."""
    Q = sim.assemble({"crank_joint": [0.5, 40.0, -40.0]})
    for crank, row in zip((0.5, 40.0, -40.0), Q, strict=True):
        rocker = four_bar(FOUR_BAR_START[0] + crank)[1] - FOUR_BAR_START[2]
        assert row[0] == crank
        assert row[2] == pytest.approx(math.remainder(rocker, 2.0 * math.pi), abs=1e-12)
    assert not sim.positions["crank_joint"]


def test_what_is_not_reached(sim: simulator.Simulation) -> None:
    """The rocker swings between 1.40 and 2.14 rad, at its ends the crank determines it and not the other way round."""
    Q = sim.assemble({"rocker_joint": [0.0, 2.0, 0.1, math.nan]})
    assert np.isnan(Q).all(axis=1).tolist() == [False, True, False, True]
    efforts = sim.inverse_dynamics(Q)
    assert np.isnan(efforts).all(axis=1).tolist() == [False, True, False, True]
    np.testing.assert_array_equal(efforts[2], sim.inverse_dynamics(Q[2]))
    with pytest.raises(AssemblyError, match="do not reach"):
        sim.assemble({"rocker_joint": 2.0})


def test_rows_that_cannot_be(sim: simulator.Simulation) -> None:
    Q, V = sim.assemble({"crank_joint": ANGLES}, velocity={"crank_joint": 2.0})
    open_, slow, fast = Q.copy(), V.copy(), np.zeros_like(Q)
    open_[3, 1] += 0.01
    slow[4, 2], fast[:, 0], fast[5, 1] = 0.0, np.nan, 5.0
    with pytest.raises(UsageError, match=r"row 3 leave loops open by .*assemble"):
        sim.inverse_dynamics(open_)
    with pytest.raises(UsageError, match="row 4: 'four_bar::rocker_joint' cannot have the velocity 0"):
        sim.inverse_dynamics(Q, slow)
    with pytest.raises(UsageError, match=r"row \d: .* cannot have the acceleration"):
        sim.inverse_dynamics(Q, V, np.where(np.arange(4) == 1, fast, 0.0))
    V[:, 1:] = np.nan
    np.testing.assert_array_equal(sim.inverse_dynamics(Q, V), sim.inverse_dynamics(Q, {"crank_joint": 2.0}))


def test_shapes_and_names_that_do_not_fit(sim: simulator.Simulation) -> None:
    Q = sim.assemble({"crank_joint": ANGLES})
    with pytest.raises(UsageError, match=r"shape \(4,\) or \(n, 4\), all axes in the order of `q`, not \(7, 1\)"):
        sim.inverse_dynamics(Q[:, :1])
    with pytest.raises(UsageError, match=r"velocities must be an array of shape \(4,\) or \(7, 4\), not \(6, 4\)"):
        sim.inverse_dynamics(Q, np.zeros((6, 4)))
    with pytest.raises(UsageError, match="independent axes, not of 'four_bar::rocker_joint'"):
        sim.inverse_dynamics(Q, {"rocker_joint": 1.0})
    with pytest.raises(UsageError, match="arrays of one length"):
        sim.assemble({"crank_joint": ANGLES, "rocker_joint": ANGLES[:3]})
    with pytest.raises(UsageError, match=r"leave out .*rocker_joint: the other given axes"):
        sim.assemble({"crank_joint": ANGLES, "rocker_joint": ANGLES})
    with pytest.raises(UnknownNameError, match="elbow"):
        sim.assemble({"elbow": ANGLES})
    with pytest.raises(UnknownNameError, match="elbow"):
        sim.forward_dynamics(Q, None, {"elbow": 1.0})


def test_efforts_go_by_name_or_as_an_array(sim: simulator.Simulation) -> None:
    Q = sim.assemble({"crank_joint": ANGLES})
    given = np.zeros_like(Q)
    given[:, 0], given[:, 3] = 0.3, ANGLES
    named = sim.forward_dynamics(Q, None, {"crank_joint": 0.3, "closing_joint": ANGLES})
    np.testing.assert_array_equal(named, sim.forward_dynamics(Q, None, given))


def test_bodies_that_float() -> None:
    """Where they are is in no axis: they are where they are now."""
    sim = simulator.load(world(model("m", link("box", pose="1 2 3 0 0 0"))))
    assert sim.poses(np.zeros((2, 0)))[1, 0, :3, 3].tolist() == [1.0, 2.0, 3.0]
    assert sim.inverse_dynamics(np.zeros((2, 0))).shape == (2, 6)


def test_loads_are_those_of_the_time_and_nothing_moves() -> None:
    """A simulation that is asked is the same afterwards."""
    sim = simulator.load("slider_crank")
    sim.run(0.1)
    before = (sim.time, sim.q.copy(), sim.v.copy())
    Q = sim.assemble({"crank_joint": ANGLES})
    sim.inverse_dynamics(Q)
    sim.branches({"crank_joint": 0.3})
    assert sim.time == before[0]
    np.testing.assert_array_equal(sim.q, before[1])
    np.testing.assert_array_equal(sim.v, before[2])


def test_a_change_point_is_not_passed() -> None:
    """A parallelogram laid flat at π: beyond, two motions continue; nothing says which."""
    bars = [link(name, pose=f"{x} 0 0 0 0 0") for name, x in (("left", 0), ("coupler", 1), ("right", 2))]
    joints = [
        joint("j0", "revolute", parent="world", child="left"),
        joint("j1", "revolute", parent="left", child="coupler"),
        joint("j2", "revolute", parent="world", child="right"),
        joint("j3", "revolute", parent="right", child="coupler", pose="2 0 0 0 0 0"),
    ]
    sim = simulator.load(world(model("p", *bars, *joints)))
    sim.set(j0=1.0)
    Q = sim.assemble({"j0": [2.0, math.pi, 4.0, 3.0]})
    np.testing.assert_allclose(Q[[0, 3]], np.outer([2.0, 3.0], [1.0, -1.0, 1.0, -1.0]), atol=1e-12)
    assert np.isnan(Q[1:3]).all()
    assert np.isnan(sim.inverse_dynamics(np.zeros(4))).all()
    with pytest.raises(UsageError, match="at least one axis"):
        sim.assemble({})
