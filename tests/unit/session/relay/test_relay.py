"""States that follow from measured joints, one after the other, and what a relay says of what it cannot follow."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.errors import UnknownNameError, UsageError
from simulator.session.relay.joint_state import JointSample
from simulator.session.relay.relay import Relay, Relayed
from simulator.session.relay.remarks import CODES, HELD
from simulator.session.relay.text import line_of
from tests.helpers.repository import ROOT

PAGE = ROOT / "docs" / "how-to" / "relay.md"
LEGS = tuple(f"leg_{leg}_slide" for leg in range(1, 7))


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def codes(found: Relayed) -> list[str]:
    return [remark.code for remark in found.remarks]


def position(found: Relayed) -> np.ndarray:
    assert found.motion is not None
    return found.motion.position


def with_clock(sim: simulator.Simulation, clock: Clock, timeout: float = 0.5, **options: tuple[str, ...]) -> Relay:
    core = sim._core
    return Relay(core.posed, core.state, timeout=timeout, clock=clock, **options)


def legs_at(moment: float) -> dict[str, float]:
    return {leg: 0.02 * math.sin(moment + place) for place, leg in enumerate(LEGS)}


# -- what follows ------------------------------------------------------------------------------------------------------


def test_a_four_bar_follows_its_crank_through_turns() -> None:
    """`assemble` follows the same way with all positions at once: the same digits, but for 1e-12 of turns."""
    sim = simulator.load("four_bar")
    relay = sim.relay()
    angles = 0.02 * np.arange(1, 700)
    found = [relay.update({"crank_joint": angle}, {"crank_joint": 2.0}) for angle in angles]
    q, v = sim.assemble({"crank_joint": angles}, velocity={"crank_joint": np.full(len(angles), 2.0)})
    np.testing.assert_allclose([position(one) for one in found], q, atol=1e-12)
    np.testing.assert_allclose([one.motion.velocity for one in found if one.motion], v, atol=1e-12)
    assert not any(one.remarks or one.is_held for one in found)
    assert relay.joints == ("crank_joint", "coupler_joint", "rocker_joint", "closing_joint")
    assert max(float(one.motion.residual.max()) for one in found if one.motion) < 1e-14


def test_a_stewart_platform_follows_its_legs() -> None:
    sim = simulator.load("stewart")
    relay = sim.relay(efforts=True)
    rows = [legs_at(0.01 * step) for step in range(200)]
    found = [relay.update(row, dict.fromkeys(LEGS, 0.01)) for row in rows]
    q = sim.assemble({leg: np.array([row[leg] for row in rows]) for leg in LEGS})
    np.testing.assert_allclose([position(one) for one in found], q, atol=1e-12)
    last = found[-1].motion
    assert last is not None
    assert last.effort is not None
    assert last.residual.max() < 1e-12
    sim.set(rows[-1])
    for link in ("platform", "rod_3"):
        np.testing.assert_allclose(last.X_WL[relay.links.index(link)], sim.pose(link), atol=1e-12)
    # The legs carry the weight of platform and legs, and what it costs to move at constant speeds of the legs.
    v = sim.assemble(rows[-1], velocity=dict.fromkeys(LEGS, 0.01))[1]
    legs = [relay.joints.index(leg) for leg in LEGS]
    power = last.effort[legs] @ v[legs]
    assert abs(power) > 0.1
    resting = relay.update(rows[-1]).motion
    assert resting is not None
    assert resting.velocity is None
    sim.set(rows[-1])
    np.testing.assert_allclose(resting.effort[legs], weights_on_legs(sim), atol=1e-9)


def weights_on_legs(sim: simulator.Simulation) -> np.ndarray:
    """Virtual work: the efforts on the legs are the slopes of the potential energy over their lengths, by central
    differences with h = 1 mm, whose error is about h² = 1e-6 of a slope's third derivative, and h⁴ = 1e-12
    extrapolated."""
    here = {leg: sim.positions[f"stewart::{leg}"] for leg in LEGS}

    def energy(leg: str, step: float) -> float:
        other = sim.copy()
        other.set({**here, leg: here[leg] + step})
        return other.energies["potential"]

    def slope(leg: str, h: float) -> float:
        return (energy(leg, h) - energy(leg, -h)) / (2.0 * h)

    return np.array([(4.0 * slope(leg, 1e-3) - slope(leg, 2e-3)) / 3.0 for leg in LEGS])


def test_efforts_are_those_of_inverse_dynamics() -> None:
    sim = simulator.load("four_bar")
    found = sim.relay(efforts=True).update({"crank_joint": 0.7}, {"crank_joint": 3.0}, {"crank_joint": -2.0}).motion
    assert found is not None
    assert found.effort is not None
    q = sim.assemble({"crank_joint": 0.7})
    expected = sim.inverse_dynamics(q, {"crank_joint": 3.0}, {"crank_joint": -2.0})
    np.testing.assert_allclose(found.effort, expected[: len(q)], rtol=1e-12)


def test_a_floating_body_stays_while_a_gripper_moves() -> None:
    relay = simulator.load("gripper").relay()
    found = relay.update({"lift_joint": 0.05, "left_finger_joint": 0.01})
    np.testing.assert_allclose(position(found), [0.05, 0.01, -0.01], atol=1e-15)
    assert codes(found) == []


def test_a_rod_may_turn_about_itself(tmp_path: Path) -> None:
    """Between two balls: no joint determines that, and none is waited for."""
    m = simulator.new("spatial_four_bar")
    a, b, c, d = (0, 0, 0), (0, 0, 0.05), (0.2, 0.1, 0.15), (0.2, 0.1, 0)
    crank, rocker, rod = (
        m.link(name, simulator.bar(*ends, width=0.01))
        for name, ends in (("crank", (a, b)), ("rocker", (d, c)), ("rod", (b, c)))
    )
    m.revolute("crank_joint", m.world, crank, at=a, axis=(0, 1, 0))
    m.revolute("rocker_joint", m.world, rocker, at=d, axis=(1, 0, 0))
    m.ball("near", crank, rod, at=b)
    m.ball("far", rod, rocker, at=c, loop=True)
    m.save(tmp_path / "spatial.sdf")
    sim = simulator.load(tmp_path / "spatial.sdf")
    relay = sim.relay(efforts=True)
    for step in range(60):
        found = relay.update({"crank_joint": 0.02 * step}, {"crank_joint": 1.0})
        assert codes(found) == []
    np.testing.assert_allclose(position(found), sim.assemble({"crank_joint": 0.02 * 59}), atol=1e-12)
    assert found.motion is not None
    X_WL = dict(zip(relay.links, found.motion.X_WL, strict=True))
    for end, link in ((b, "crank"), (c, "rocker")):
        point = np.array([*end, 1.0])
        np.testing.assert_allclose(X_WL["rod"] @ point, X_WL[link] @ point, atol=1e-12)


def test_joints_may_come_in_messages_of_their_own() -> None:
    relay = simulator.load("gripper").relay()
    first = relay.update({"lift_joint": 0.05})
    assert (codes(first), first.motion, first.is_held) == (["WAITING"], None, True)
    assert "left_finger_joint" in first.remarks[0].message
    assert codes(relay.update({"left_finger_joint": 0.01})) == []
    np.testing.assert_allclose(position(relay.update({"lift_joint": 0.06})), [0.06, 0.01, -0.01], atol=1e-15)


def test_the_present_state_is_the_start() -> None:
    """On the branch that was set, and the simulation stays as it is."""
    sim = simulator.load("four_bar")
    other = sim.branches(crank_joint=0.3)[1]
    sim.set(other)
    np.testing.assert_allclose(position(sim.relay().update({"crank_joint": 0.3})), other, atol=1e-12)
    sim.relay().update({"crank_joint": 0.5})
    assert sim.positions["four_bar::crank_joint"] == 0.3


# -- what cannot be followed -------------------------------------------------------------------------------------------


def test_out_of_reach_holds_and_continues() -> None:
    """A rocker has two dead centres, beyond which no crank leads it."""
    relay = simulator.load("four_bar").relay()
    good = relay.update({"rocker_joint": 0.05}, stamp=1.0)
    lost = relay.update({"rocker_joint": 3.0}, stamp=2.0)
    assert (codes(lost), lost.is_held) == (["OUT_OF_REACH"], True)
    assert lost.motion is good.motion
    assert "'rocker_joint' at 3 rad" in lost.remarks[0].message
    again = relay.update({"rocker_joint": 0.06}, stamp=3.0)
    assert (codes(again), again.is_held) == ([], False)
    assert again.motion is not None
    assert again.motion.stamp == 3.0


@pytest.mark.parametrize("far", [2e4, 1e300])
def test_what_takes_long_to_reach_is_not_followed(far: float) -> None:
    relay = simulator.load("four_bar").relay()
    assert codes(relay.update({"crank_joint": 1000.0})) == [], (
        "a counter of turns that is far from the document's start"
    )
    found = relay.update({"crank_joint": far})
    assert (codes(found), position(found)[0]) == (["OUT_OF_REACH"], 1000.0)


def test_the_branch_is_never_left() -> None:
    """A rocker that is led to and fro has its crank on the side where it was, near the dead centre too."""
    sim = simulator.load("four_bar")
    relay = sim.relay()
    sides = []
    for angle in (*np.linspace(0.0, 0.3, 61), *np.linspace(0.3, 0.0, 61)):
        found = relay.update({"rocker_joint": float(angle)})
        assert not set(codes(found)) - {"OUT_OF_REACH", "SINGULAR"}
        sides.append(position(found)[0])
    assert np.abs(np.diff(sides)).max() < 0.5
    assert sides[-1] == pytest.approx(sides[0], abs=1e-12)


def test_joints_that_exclude_each_other() -> None:
    relay = simulator.load("four_bar").relay(tolerance=0.01)
    assert codes(relay.update({"crank_joint": 0.3, "rocker_joint": 0.06})) == []
    found = relay.update({"crank_joint": 0.5, "rocker_joint": 0.3})
    assert (codes(found), found.is_held) == (["CONTRADICTION"], True)
    assert "'rocker_joint' is received at 0.3 and follows at 0.112574 rad" in found.remarks[0].message
    assert position(found)[0] == 0.3


def test_a_loop_joint_may_be_whole_turns_elsewhere() -> None:
    relay = simulator.load("four_bar").relay()
    closing = position(simulator.load("four_bar").relay().update({"crank_joint": 0.3}))[3]
    assert codes(relay.update({"crank_joint": 0.3, "closing_joint": closing + 2.0 * math.pi})) == []


def test_what_is_late_holds_until_it_is_there() -> None:
    clock = Clock()
    relay = with_clock(simulator.load("gripper"), clock)
    relay.update({"lift_joint": 0.05, "left_finger_joint": 0.01})
    clock.now += 0.4
    assert not relay.is_late
    relay.update({"lift_joint": 0.06})
    clock.now += 0.2
    assert relay.is_late
    found = relay.update({"lift_joint": 0.07})
    assert (codes(found), found.is_held) == (["LATE"], True)
    assert "'left_finger_joint'" in found.remarks[0].message
    assert position(found)[0] == 0.06
    assert codes(relay.update({"left_finger_joint": 0.01})) == []


def test_a_joint_that_is_not_needed_is_forgotten_when_it_is_late() -> None:
    clock = Clock()
    relay = with_clock(simulator.load("four_bar"), clock)
    relay.update({"crank_joint": 0.3, "rocker_joint": 0.06})
    clock.now += 1.0
    assert codes(relay.update({"crank_joint": 0.5})) == []


def test_stamps_that_go_back() -> None:
    relay = simulator.load("four_bar").relay()
    relay.update({"crank_joint": 0.3}, stamp=10.0)
    old = relay.update({"crank_joint": 0.4}, stamp=9.99)
    assert (codes(old), old.is_held, position(old)[0]) == (["OLD_STAMP"], True, 0.3)
    relay.take(JointSample({"crank_joint": 0.35}, stamp=9.98))
    good = relay.update({"crank_joint": 0.36}, stamp=10.1)
    assert (codes(good), position(good)[0]) == ([], 0.36), "an old message before a new one changes nothing"
    new = relay.update({"crank_joint": 0.4}, stamp=0.1)
    assert (codes(new), new.is_held, position(new)[0]) == (["CLOCK_RESET"], False, 0.4)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_holds(value: float) -> None:
    relay = simulator.load("four_bar").relay()
    relay.update({"crank_joint": 0.3})
    found = relay.update({"crank_joint": value})
    assert (codes(found), found.is_held, position(found)[0]) == (["NOT_A_NUMBER"], True, 0.3)
    assert codes(relay.update({"crank_joint": 0.4})) == []


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
def test_velocities_that_no_joint_has_are_not_known(value: float) -> None:
    """Their squares, in efforts, would be no numbers, which JSON lacks."""
    relay = simulator.load("four_bar").relay(efforts=True)
    for rates in (({"crank_joint": value}, {}), ({"crank_joint": 1.0}, {"crank_joint": value})):
        found = relay.update({"crank_joint": 0.3}, *rates)
        assert found.motion is not None
        assert found.motion.effort is not None
        assert np.isfinite(found.motion.effort).all()
        assert line_of(found, relay)
    last = relay.update({"crank_joint": 0.3}, {"crank_joint": value}).motion
    assert last is not None
    assert last.velocity is None


def test_joints_that_are_not_measured_may_be_nan() -> None:
    """As ros2_control publishes a joint without an encoder."""
    found = simulator.load("four_bar").relay().update({"crank_joint": 0.3, "rocker_joint": math.nan})
    assert (codes(found), found.is_held) == (["NO_POSITION"], False)


def test_a_jump_is_said() -> None:
    relay = simulator.load("four_bar").relay()
    assert codes(relay.update({"crank_joint": 1.0})) == [], "the first state is far from the document's start"
    found = relay.update({"crank_joint": 2.0})
    assert (codes(found), found.is_held) == (["JUMP"], False)


def test_limits_and_unknown_names_are_said() -> None:
    relay = simulator.load("gripper").relay()
    found = relay.update({"lift_joint": -0.01, "left_finger_joint": 0.01, "wheel": 1.0})
    assert (codes(found), found.is_held) == (["UNKNOWN_JOINT", "BEYOND_LIMIT"], False)
    assert "'wheel'" in found.remarks[0].message


def test_only_some_joints_are_listened_to() -> None:
    relay = simulator.load("four_bar").relay(only=["crank_joint"])
    found = relay.update({"crank_joint": 0.3, "rocker_joint": 2.0, "wheel": 1.0})
    assert (codes(found), found.is_held) == ([], False)


def test_a_singular_position_has_no_velocities() -> None:
    """A piston at its dead centre does not determine how the crank moves. The angle is a square root there: positions
    are found to 1e-9 m on the way to more digits, √(2e-9 m / 0.05 m) = 2e-4 rad of a crank of 5 cm."""
    sim = simulator.load("slider_crank")
    low, high = 0.0, math.pi
    for _ in range(60):  # of the velocity of the piston, which changes its sign once
        middle = 0.5 * (low + high)
        v = sim.assemble({"crank_joint": middle}, velocity={"crank_joint": 1.0})[1]
        low, high = (middle, high) if v[2] < 0.0 else (low, middle)
    sim.set(crank_joint=low)
    piston = sim.positions["slider_crank::piston_joint"]
    found = sim.relay(efforts=True).update({"piston_joint": piston}, {"piston_joint": 0.1})
    assert (codes(found), found.is_held) == (["SINGULAR"], False)
    assert found.motion is not None
    assert found.motion.velocity is None
    assert found.motion.effort is None
    np.testing.assert_allclose(position(found), sim.q, atol=2e-4)


# -- requests ----------------------------------------------------------------------------------------------------------


def test_what_a_relay_cannot_be_made_of() -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UnknownNameError, match="no axis is named 'elbow'"):
        sim.relay(only=["elbow"])
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(UsageError, match="must be more than 0"):
            sim.relay(tolerance=wrong)
        with pytest.raises(UsageError, match="must be more than 0"):
            sim.relay(timeout=wrong)
    with pytest.raises(UsageError, match="is not ideal, and a relay of efforts"):
        simulator.load("worm_hoist").relay(efforts=True)


def test_every_code_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [code for code in CODES if f"| `{code}` |" not in text] == []
    assert HELD.keys() < CODES.keys()
