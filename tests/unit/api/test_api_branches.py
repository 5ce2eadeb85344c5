"""The same request gives the same bits; another branch is one that is asked for."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import simulator
from simulator.errors import AssemblyError, UsageError
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.helpers.linkage_forms import FOUR_BAR_START, four_bar
from tests.physics.lengths import GROUND, five_bar, meeting
from tests.unit.api.test_api_matrices import pendulum


@pytest.mark.parametrize(
    ("document", "request_"),
    [
        ("four_bar", {"crank_joint": 0.7}),
        ("four_bar", {"rocker_joint": 0.1}),
        ("four_bar", {"closing_joint": 0.1}),
        ("slider_crank", {"crank_joint": 2.0}),
        ("slider_crank", {"piston_joint": -0.01}),
        ("planetary", {"sun_joint": 0.3, "carrier_joint": 0.2}),
        ("bennett", {"crank_joint": 0.4}),
        (five_bar(0.15, 0.25, 0.25), {"left_motor": 0.2, "right_motor": -0.1}),
    ],
)
def test_the_same_request_gives_the_same_bits(document: str, request_: dict[str, float]) -> None:
    """From the start, from elsewhere, after a run, and in a copy: what an environment of Gymnasium is checked for, that
    two episodes with one seed are the same."""
    sim = simulator.load(document)
    velocity = dict.fromkeys(request_, 0.3)
    found = []
    for turn in range(4):
        if turn == 1:
            sim.set({name: 0.5 * value for name, value in request_.items()}, velocity={next(iter(request_)): 1.0})
        elif turn == 2:
            sim.run(0.05)
        elif turn == 3:
            sim = sim.copy()
        sim.set(request_, velocity=velocity)
        episode = [sim.q.copy(), sim.v.copy()]
        sim.run(0.02)
        found.append(np.concatenate((*episode, sim.q, sim.v)))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def crossed_four_bar(crank: float) -> float:
    """Absolute angle of the rocker on the other side of the line from crank to rocker pivot."""
    end = cmath.rect(0.1, crank)
    return cmath.phase(meeting(end, 0.35, 0.4 + 0j, 0.3, -1j) - 0.4)


@pytest.mark.parametrize("crank", [0.0, 0.5, -2.0])
def test_four_bar_open_and_crossed(crank: float) -> None:
    """Two circles meet in two points."""
    sim, whole = simulator.load("four_bar"), 2.0 * math.pi
    branches = sim.branches({"crank_joint": crank})
    open_ = four_bar(FOUR_BAR_START[0] + crank)[1] - FOUR_BAR_START[2]
    crossed = crossed_four_bar(FOUR_BAR_START[0] + crank) - FOUR_BAR_START[2]
    assert branches.shape == (2, 4)
    assert math.remainder(branches[0, 2] - open_, whole) == pytest.approx(0.0, abs=1e-10)
    assert math.remainder(branches[1, 2] - crossed, whole) == pytest.approx(0.0, abs=1e-10)
    for branch in branches:
        sim.set(crank_joint=crank, near={"rocker_joint": branch[2] + 0.1})
        np.testing.assert_allclose(sim.positions.array, branch, atol=1e-12)
        # It stays on the branch that it is on.
        sim.set(crank_joint=crank + 0.1)
        assert abs(math.remainder(sim.positions["rocker_joint"] - branch[2], whole)) < 0.1
        sim.set(branch, velocity={"crank_joint": 1.0})
        np.testing.assert_allclose(sim.positions.array, branch, atol=1e-12)


def test_slider_crank_before_and_behind() -> None:
    """x = r cos t ± √(l² - r² sin² t): the piston is on either side of the crank."""
    sim = simulator.load("slider_crank")
    places = sim.branches({"crank_joint": 0.4})
    assert len(places) == 2
    t = FOUR_BAR_START[0] + 0.4
    for sign, place in zip((1.0, -1.0), places, strict=True):
        sim.set(crank_joint=0.4, near={"piston_joint": place[2]})
        x = sim.pose("piston")[0, 3] - sim.pose("crank")[0, 3]
        wanted = 0.05 * math.cos(t) + sign * math.sqrt(0.16**2 - (0.05 * math.sin(t)) ** 2)
        assert x == pytest.approx(wanted, abs=1e-9)


def test_five_bar_up_and_down() -> None:
    sim = simulator.load(five_bar(0.15, 0.25, 0.25))
    motors = {"left_motor": 0.2, "right_motor": -0.1}
    elbows = cmath.rect(0.15, 2.2), GROUND + cmath.rect(0.15, 0.9)
    tips = []
    for branch in sim.branches(motors):
        sim.set(motors, near=dict(zip(sim.positions.names[2:4], branch[2:4], strict=True)))
        place = sim.pose("left_far") @ [0.25, 0.0, 0.0, 1.0]
        tips.append(complex(place[0], place[1]))
    assert len(tips) == 2
    for tip, side in zip(tips, (1j, -1j), strict=True):
        assert abs(tip - meeting(elbows[0], 0.25, elbows[1], 0.25, side)) < 1e-9


def test_branches_depend_on_the_request_only() -> None:
    sim = simulator.load("four_bar")
    before = sim.branches({"crank_joint": 0.5})
    sim.set(before[1])
    sim.set(crank_joint=2.0)
    np.testing.assert_array_equal(sim.branches({"crank_joint": 0.5}), before)


def test_what_is_no_branch() -> None:
    sim = simulator.load(five_bar(0.15, 0.25, 0.25))
    with pytest.raises(UsageError, match="name 2 of them"):
        sim.branches({"left_motor": 0.2})
    with pytest.raises(AssemblyError, match="found no way to assemble"):
        simulator.load("four_bar").branches({"rocker_joint": 1.5})
    with pytest.raises(UsageError, match=r"array of shape \(4,\)"):
        simulator.load("four_bar").set(np.zeros(3))


def test_mobility_follows_the_state() -> None:
    """A parallelogram has one freedom of motion wherever it is; the result is cached for the state."""
    sim = simulator.load("four_bar")
    assert sim.mobility == 1 == sim.mobility
    sim.set(crank_joint=1.0)
    assert sim.mobility == sim.condition().rank == 1


def test_what_is_not_asked_keeps_its_digits() -> None:
    """Of a double pendulum one joint is asked for; of a linkage on a wagon that floats, its crank."""
    arm = pendulum()
    arm.set(shoulder=0.1, elbow=1.0 / 3.0)
    arm.set(shoulder=0.7)
    assert dict(arm.positions) == {"p::shoulder": 0.7, "p::elbow": 1.0 / 3.0}
    q = arm.assemble({"p::shoulder": [0.1, 0.2]})
    assert q.tolist() == [[0.1, 1.0 / 3.0], [0.2, 1.0 / 3.0]]

    sim, X = simulator.load(on_a_wagon()), np.eye(4)
    X[:3, :3], X[:3, 3] = matrix_from_axis_angle(np.array([0.0, 0.6, 0.8]), 0.4), (0.1, 0.2, 1.0 / 3.0)
    sim.set(pose={"wagon": X})
    before = sim.moment.state.loose_pose.copy()
    sim.set(left_motor=0.3, right_motor=0.1)
    np.testing.assert_array_equal(sim.moment.state.loose_pose, before)
    assert sim.positions["left_motor"] == 0.3


def on_a_wagon() -> str:
    """A five-bar whose motors stand on a body that nothing holds."""
    wagon = '<link name="wagon"><inertial><mass>5</mass></inertial></link>'
    text = five_bar(0.15, 0.25, 0.25).replace("<parent>world</parent>", "<parent>wagon</parent>")
    return text.replace('<link name="left_near">', wagon + '<link name="left_near">')


def test_a_start_that_cannot_be_assembled_is_left() -> None:
    """Motors are asked to start with elbows 0.5 m apart, for bars of 0.2 and 0.25 m: another position is set, by the
    careful way first, for there is no state to begin from."""
    text = five_bar(0.15, 0.2, 0.25)
    for motor, start in (("left_motor", math.pi - 2.0), ("right_motor", -1.0)):
        before, after = text.split(f'<joint name="{motor}"')
        text = f'{before}<joint name="{motor}"' + after.replace(
            "</xyz>", f"</xyz><initial_position>{start}</initial_position>", 1
        )
    with pytest.warns(simulator.DocumentWarning):
        sim = simulator.load(text)
    with pytest.raises(AssemblyError):
        _ = sim.positions
    for turn in (0.1, 0.2):
        sim.set(left_motor=turn, right_motor=0.0, velocity={"left_motor": 1.0, "right_motor": 0.0})
        elbows = cmath.rect(0.15, 2.0 + turn), GROUND + cmath.rect(0.15, 1.0)
        place = sim.pose("left_far") @ [0.2, 0.0, 0.0, 1.0]
        assert abs(complex(place[0], place[1]) - meeting(elbows[0], 0.2, elbows[1], 0.25, 1j)) < 1e-9
        assert sim.velocities["left_motor"] == 1.0


def test_axes_of_branches_are_named_as_those_of_set() -> None:
    sim = simulator.load("four_bar")
    np.testing.assert_array_equal(sim.branches(crank_joint=0.7), sim.branches({"four_bar::crank_joint": 0.7}))
    assert len(sim.branches(crank_joint=0.7)) == 2
