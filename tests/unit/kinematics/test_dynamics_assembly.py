"""Assembly: every coupling and loop closes, what the user asked for stays, and what cannot be is said by name.

Closed means 1e-12 m and rad in the code; 1e-11 here leaves room for the sum over components.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.errors import AssemblyError
from simulator.kinematics.assembly import Assembly, assemble
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.residuals import coupling_residuals, loop_frames, loop_motion, loop_residuals
from simulator.mechanism.types import AxisInfo, Coupling, CouplingKind, Mechanism, MotionKind
from simulator.model.joint import Axis
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.helpers.linkages import Y, closed_angles, four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import axis_of, joint, link, mechanism, mimic, pose_of, state_of

CLOSED = 1e-11


def assembled(built: Mechanism, **fixed: float) -> Assembly:
    wanted = {axis_of(built, name.replace("__", ":")): value for name, value in fixed.items()}
    return assemble(Kinematics(built), rest_state(built), wanted)


def open_by(built: Mechanism, result: Assembly) -> float:
    residuals = loop_residuals(built, Kinematics(built).body_matrices(result.state))
    return float(residuals.max(initial=0.0))


def test_what_is_closed_is_left_alone() -> None:
    assert assembled(build_mechanism(four_bar())).moved < CLOSED


def test_a_four_bar_closes_from_an_open_pose() -> None:
    """In the document a loop is closed by definition (a joint's two frames coincide); a state may be anything."""
    built = build_mechanism(four_bar())
    kinematics = Kinematics(built)
    apart = state_of(built, crank_joint=0.2, coupler_joint=-0.3, rocker_joint=0.25)
    assert loop_residuals(built, kinematics.body_matrices(apart)).max() > 0.05
    result = assemble(kinematics, apart, {})
    assert open_by(built, result) < CLOSED
    assert 0.01 < result.moved < 0.5


@pytest.mark.parametrize("crank", [-3.0, -1.0, 0.5, 2.0, 3.0])
def test_a_fixed_crank_stays_and_the_rest_follows(crank: float) -> None:
    """The rest is where the cosine rule puts it (either branch closes; steps are small enough to stay on ours)."""
    built = build_mechanism(four_bar())
    result = assembled(built, crank_joint=crank)
    assert result.state.position[axis_of(built, "crank_joint")] == crank
    assert open_by(built, result) < CLOSED
    start, (_, b, c) = closed_angles(0.4, 0.1, 0.35, 0.3), closed_angles(0.4, 0.1, 0.35, 0.3, math.pi / 3 - crank)
    moved = result.state.position[axis_of(built, "rocker_joint")]
    assert math.remainder(moved + (c - start[2]), 2 * math.pi) == pytest.approx(0.0, abs=1e-9)
    assert -0.5 * math.pi < b < 0.5 * math.pi


def test_a_rocker_that_cannot_go_there_is_refused() -> None:
    with pytest.raises(AssemblyError, match=r"closed by joint 'm::close' cannot be assembled: it stays open by"):
        assembled(build_mechanism(four_bar()), rocker_joint=2.0)


def test_a_spatial_loop_closes_when_its_hinge_has_turned_far() -> None:
    """The closing hinge of this ring has gone round by a large angle, where rows in the wrong frame lead Newton
    astray."""
    built = build_mechanism(ring_of_hinges(8))
    result = assembled(built, j0=0.9, j3=-0.4)
    assert open_by(built, result) < CLOSED
    assert result.state.position[axis_of(built, "j0")] == 0.9


def test_the_position_of_a_loop_joint_can_be_asked_for() -> None:
    built = build_mechanism(four_bar())
    result = assembled(built, close=0.2)
    (loop,) = built.loop_joints
    values, _ = loop_motion(loop, loop_frames(loop, Kinematics(built).body_matrices(result.state)))
    assert values == pytest.approx([0.2], abs=CLOSED)
    assert open_by(built, result) < CLOSED


def test_a_loop_joint_that_cannot_go_there_is_refused() -> None:
    with pytest.raises(AssemblyError, match="m::close"):
        assembled(build_mechanism(four_bar()), close=2.5)


def test_a_coupling_to_a_loop_joint_is_assembled_too() -> None:
    bars = four_bar(axis={"mimic": mimic("crank_joint", multiplier=0.5, offset=0.1)}).models[0]
    built = mechanism(*bars.links, *bars.joints)
    result = assembled(built)
    (loop,) = built.loop_joints
    values, _ = loop_motion(loop, loop_frames(loop, Kinematics(built).body_matrices(result.state)))
    assert float(values[0]) == pytest.approx(
        0.5 * result.state.position[axis_of(built, "crank_joint")] + 0.1, abs=CLOSED
    )
    assert open_by(built, result) < CLOSED


def train(**law: float) -> Mechanism:
    """a <- b <- c, each with the law; and d on its own."""
    return mechanism(
        *(link(name) for name in "abcd"), joint("c", "revolute", "world", "c", axis={"mimic": mimic("b", **law)}),
        joint("b", "revolute", "world", "b", axis={"mimic": mimic("a", **law)}), joint("a", "revolute", "world", "a"),
        joint("d", "revolute", "world", "d"),
    )  # fmt: skip


@pytest.mark.parametrize("given", ["a", "b", "c"])
def test_offsets_and_references_hold_whichever_axis_is_given(given: str) -> None:
    built = train(multiplier=-2.0, offset=0.3, reference=0.1)
    result = assembled(built, **{given: 0.7})
    assert result.state.position[axis_of(built, given)] == pytest.approx(0.7, abs=1e-15)
    np.testing.assert_allclose(coupling_residuals(built, result.state.position), 0.0, atol=1e-14)
    assert result.state.position[axis_of(built, "d")] == 0.0


def test_offsets_move_followers_not_leaders() -> None:
    built = train(offset=0.3)
    result = assembled(built)
    assert result.state.position[axis_of(built, "a")] == 0.0
    assert result.state.position[axis_of(built, "c")] == pytest.approx(0.6)
    assert result.moved == pytest.approx(0.6)


def test_two_wishes_that_contradict_are_refused_by_name() -> None:
    with pytest.raises(AssemblyError, match=r"'m::[ac]' cannot start at"):
        assembled(train(multiplier=2.0), a=0.1, c=0.1)


def test_two_wishes_that_agree_are_both_kept() -> None:
    assert assembled(train(multiplier=2.0), a=0.1, c=0.4).state.position.max() == pytest.approx(0.4)


def test_wishes_that_agree_only_where_they_end_are_kept() -> None:
    """The start violates the offset, so half way along both wishes they contradict the law; what counts is the end."""
    bars = four_bar().models[0]
    wheel = joint(
        "wheel", "revolute", "world", "wheel", axis={"mimic": mimic("crank_joint", multiplier=2.0, offset=0.3)}
    )
    built = mechanism(*bars.links, link("wheel"), *bars.joints, wheel)
    result = assembled(built, crank_joint=1.0, wheel=2.3)
    assert result.state.position[axis_of(built, "wheel")] == pytest.approx(2.3)
    assert open_by(built, result) < CLOSED


def test_a_follower_that_is_held_by_a_zero_multiplier_cannot_be_moved() -> None:
    with pytest.raises(AssemblyError, match="cannot start at 1"):
        assembled(train(multiplier=0.0, offset=0.2), a=0.5, b=1.0)


def test_couplings_and_loops_at_once() -> None:
    """The rocker is tied to a wheel with an offset: the crank has to go where the rocker then is."""
    bars = four_bar().models[0]
    wheel = joint("wheel_joint", "revolute", "world", "wheel")
    tied = replace(
        bars.joints[2], axes=(replace(bars.joints[2].axes[0], mimic=mimic("wheel_joint", multiplier=2.0, offset=0.05)),)
    )
    built = mechanism(*bars.links, link("wheel"), *bars.joints[:2], tied, bars.joints[3], wheel)
    result = assembled(built)
    assert open_by(built, result) < CLOSED
    np.testing.assert_allclose(coupling_residuals(built, result.state.position), 0.0, atol=1e-14)


def test_balls_on_the_tree_are_unknowns() -> None:
    """A rod with balls at both ends between two cranks (RSSR): fixing one crank moves rod and other crank."""
    start, end = (0.2, 0.0, 0.0), (0.5, 0.3, 0.4)
    built = mechanism(
        link("crank"), link("rod", at=start), link("rocker", at=(0.5, 0.6, 0.4)),
        joint("in", "revolute", "world", "crank", axes=[(0, 0, 1)]), joint("b1", "ball", "crank", "rod", at=start),
        joint("out", "revolute", "world", "rocker", at=(0.5, 0.6, 0.4), axes=[(1, 0, 0)]),
        joint("b2", "ball", "rod", "rocker", at=end, must_be_loop_joint=True),
    )  # fmt: skip
    result = assembled(built, **{"in": 0.5})
    assert open_by(built, result) < CLOSED
    rod = pose_of(built, result.state, "rod")
    at_start = (0.2 * math.cos(0.5), 0.2 * math.sin(0.5), 0.0)
    np.testing.assert_allclose(rod[:3, 3], at_start, atol=1e-12)
    far = pose_of(built, result.state, "rocker") @ np.array((0.0, -0.3, 0.0, 1.0))
    length = float(np.linalg.norm(np.subtract(end, start)))
    assert np.linalg.norm(far[:3] - np.array(at_start)) == pytest.approx(length, abs=1e-11)


def test_a_platform_is_lifted_by_its_legs() -> None:
    """All six slides by 0.1 m: by symmetry the platform rises, it neither turns nor tilts. 1e-9: residuals of 1e-12
    over its stiffness."""
    built = build_mechanism(platform())
    result = assembled(built, **{f"slide{i}": 0.1 for i in range(6)})
    assert open_by(built, result) < CLOSED
    pose = pose_of(built, result.state, "platform")
    np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-9)
    assert pose[2, 3] > 1.05


def test_a_slider_crank_at_a_right_angle() -> None:
    """Crank 0.1 m up, rod 0.3 m: the slider sits at sqrt(0.09 - 0.01)."""
    built = build_mechanism(slider_crank())
    result = assembled(built, crank_joint=-0.5 * math.pi)
    assert result.state.position[axis_of(built, "slide")] == pytest.approx(math.sqrt(0.08) - 0.4, abs=1e-10)


def test_what_floats_stays_where_it_is() -> None:
    """Loops of a floating mechanism close without moving its base."""
    bars = four_bar().models[0]
    floating = [replace(item, parent_link="m::frame") if item.parent_link == "world" else item for item in bars.joints]
    built = mechanism(link("frame"), *bars.links, *floating)
    result = assembled(built, crank_joint=0.4)
    np.testing.assert_allclose(pose_of(built, result.state, "frame"), np.eye(4), atol=0.0)
    assert open_by(built, result) < CLOSED


def test_a_turned_ball_keeps_its_rotation_a_rotation() -> None:
    built = build_mechanism(platform(3))
    result = assembled(built, slide0=0.1, slide1=-0.05, slide2=0.02)
    for pose in result.state.loose_pose:
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert open_by(built, result) < CLOSED


def test_start_is_not_changed_in_place() -> None:
    built = build_mechanism(four_bar())
    start = state_of(built)
    start.loose_pose.setflags(write=False)
    start.position.setflags(write=False)
    assemble(Kinematics(built), start, {0: 0.3})
    assert not start.position.any()


def test_axes_in_y_turn_x_towards_minus_z() -> None:
    """The convention that the four-bar's angles above rest on."""
    np.testing.assert_allclose(matrix_from_axis_angle(np.array(Y), 0.1)[2, 0], -math.sin(0.1))


def planetary() -> Mechanism:
    """Sun, ring and carrier with offset mimics after them, a planet on the carrier: 24, 72 and 24 teeth; two
    freedoms."""
    names = ("sun", "ring", "carrier", "planet", "handle", "wheel")
    law = mimic("sun", multiplier=0.5, offset=0.2)
    second = mimic("handle", multiplier=-3.0, reference=0.1)
    return mechanism(
        *(link(name) for name in names),
        *(joint(name, "revolute", "world", name) for name in ("sun", "ring", "carrier")),
        joint("planet", "revolute", "carrier", "planet"),
        joint("handle", "revolute", "world", "handle", axis={"mimic": law}),
        joint("wheel", "revolute", "world", "wheel", axis={"mimic": second}),
        joint("a", "gearbox", "sun", "planet", gearbox_ratio=1.0, gearbox_reference="m::carrier"),
        joint("b", "gearbox", "planet", "ring", gearbox_ratio=-1.0 / 3.0, gearbox_reference="m::carrier"),
    )


@pytest.mark.parametrize("given", list(itertools.combinations(("sun", "ring", "carrier", "planet", "wheel"), 2)))
def test_any_two_axes_of_a_planetary_gear_may_be_given(given: tuple[str, str]) -> None:
    """Both stay to the last digit, and all four laws hold within a few roundings; sun and wheel are tied, so they
    cannot be given both."""
    built = planetary()
    wanted = dict(zip(given, (0.7, -0.4), strict=True))
    if set(given) == {"sun", "wheel"}:
        with pytest.raises(AssemblyError, match=r"'m::wheel' cannot start at -0\.4"):
            assembled(built, **wanted)
        return
    result = assembled(built, **wanted)
    for name, value in wanted.items():
        assert result.state.position[axis_of(built, name)] == pytest.approx(value, abs=1e-15)
    np.testing.assert_allclose(coupling_residuals(built, result.state.position), 0.0, atol=2e-15)


def test_leaders_stay_free_where_nobody_asks() -> None:
    built = planetary()
    free = coupled_axes(built, ()).free
    assert [built.axes[axis].name for axis in free] == ["m::sun", "m::carrier"]


def test_a_third_axis_of_a_planetary_gear_is_refused() -> None:
    with pytest.raises(AssemblyError, match=r"'m::ring' cannot start at 0: the couplings .* put it at 1"):
        assembled(planetary(), sun=1.0, ring=0.0, carrier=1.0)


def test_an_axis_that_a_multiplier_of_zero_holds_cannot_be_moved() -> None:
    held = {"mimic": mimic("a", multiplier=0.0, offset=0.4)}
    built = mechanism(
        link("a"), link("b"), joint("a", "revolute", "world", "a"), joint("b", "revolute", "world", "b", axis=held)
    )
    assert assembled(built, a=0.3).state.position.tolist() == [0.3, 0.4]
    with pytest.raises(AssemblyError, match=r"'m::b' cannot start at 0\.7"):
        assembled(built, b=0.7)


@pytest.mark.parametrize("fixed", [0, 500, 1024])
def test_a_long_train_is_exact_at_every_mesh(fixed: int) -> None:
    """1024 meshes in any order, given anywhere: each residual is a few roundings of its own angle (inverse, product,
    position, residual: 4 x 2.2e-16), not of all those before."""
    rows = [Coupling(CouplingKind.MIMIC, i + 1, i, (-1.0) ** i * 1.001) for i in range(1024)]
    axes = tuple(AxisInfo(f"q{i}", f"q{i}", MotionKind.ROTATION, Axis()) for i in range(1025))
    built = replace(planetary(), axes=axes, couplings=tuple(rows[::-1]))
    asked = np.zeros(1025)
    asked[fixed] = 0.3
    position = coupled_axes(built, {fixed}).positions(asked)
    assert position[fixed] == 0.3
    assert np.abs(coupling_residuals(built, position) / position[1:]).max() < 1e-15
