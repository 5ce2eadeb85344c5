"""Poses by hand, and loop rows against differences of the residual that they are the derivative of."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.kinematics.assembly import advance
from simulator.kinematics.kinematics import Kinematics, constrained_directions
from simulator.kinematics.state import JointState, rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import Mechanism
from simulator.model.world import World
from simulator.spatial.rotation import Vec3, matrix_from_axis_angle, rotation_vector
from tests.helpers.linkages import Y, four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import (
    Array,
    axis_of,
    body_of,
    joint,
    link,
    mechanism,
    mimic,
    pose_of,
    random_state,
    state_of,
    world,
)

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def test_two_hinges_by_hand() -> None:
    """Upper arm 1 m, forearm; at 30 and 45 degrees about z the elbow is at (cos 30, sin 30) and the forearm points to
    75."""
    built = mechanism(
        link("upper"),
        link("fore", at=(1, 0, 0)),
        joint("s", "revolute", "world", "upper"),
        joint("e", "revolute", "upper", "fore", at=(1, 0, 0)),
    )
    pose = pose_of(built, state_of(built, s=math.radians(30), e=math.radians(45)), "fore")
    np.testing.assert_allclose(pose[:3, 3], (math.cos(math.radians(30)), 0.5, 0.0), atol=1e-15)
    np.testing.assert_allclose(pose[:3, 0], (math.cos(math.radians(75)), math.sin(math.radians(75)), 0.0), atol=1e-15)


def test_a_slide_moves_along_its_axis_in_the_joint_frame() -> None:
    """The joint frame is turned by 90 degrees about z: its x is the world's y."""
    built = mechanism(link("a", at=(1, 2, 3)), joint("p", "prismatic", "world", "a", rpy=(0, 0, math.pi / 2), axes=[X]))
    pose = pose_of(built, state_of(built, p=0.25), "a")
    np.testing.assert_allclose(pose[:3, 3], (1.0, 2.25, 3.0), atol=1e-15)


def test_a_universal_turns_axis_first_in_the_parent_then_axis2_in_the_child() -> None:
    built = mechanism(link("a"), joint("u", "universal", "world", "a", axes=[X, Y]))
    pose = pose_of(built, state_of(built, u=0.4, u__axis2=-0.9), "a")
    expected = matrix_from_axis_angle(np.array(X), 0.4) @ matrix_from_axis_angle(np.array(Y), -0.9)
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-15)


def test_many_turns_cost_no_digits() -> None:
    """A wheel after 1e6 turns points where it started: the angle is reduced before its sine is taken. 1e-9: 1e6 turns
    round off there."""
    built = mechanism(link("a"), joint("j", "revolute", "world", "a"))
    pose = pose_of(built, state_of(built, j=2.0e6 * math.pi), "a")
    np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-9)


def test_jacobians_are_the_derivatives_of_poses() -> None:
    """Every kind of joint, one freedom at a time; central differences of 1e-6 are good to 1e-9."""
    built = mechanism(
        *(link(name, at=(0.3 * i, 0.1 * i, -0.2 * i), rpy=(0.1 * i, 0.2, 0.3)) for i, name in enumerate("abcdef")),
        joint("ab", "ball", "a", "b", at=(0.1, 0, 0)),
        joint("bc", "universal", "b", "c", at=(0.2, 0, 0), rpy=(0.3, 0.1, 0), axes=[X, Y]),
        joint("cd", "screw", "c", "d", axes=[Y]), joint("de", "prismatic", "d", "e", axes=[(1, 1, 0)]),
        joint("fe", "universal", "f", "e", axes=[X, Z]),
    )  # fmt: skip
    kinematics = Kinematics(built)
    state = random_state(built, np.random.default_rng(3))
    poses = kinematics.body_matrices(state)
    last = body_of(built, "f")
    h = 1e-6
    for index in range(len(built.joints)):
        for column, twist in kinematics.joint_jacobian(index, state, poses):
            step = np.zeros(kinematics.layout.size)
            step[column] = h
            ahead, behind = (kinematics.body_matrices(advance(kinematics, state, s * step))[last] for s in (1.0, -1.0))
            angular = rotation_vector(ahead[:3, :3] @ behind[:3, :3].T) / (2 * h)
            linear = (ahead[:3, 3] - behind[:3, 3]) / (2 * h)
            np.testing.assert_allclose(twist[:3], angular, atol=1e-8)
            np.testing.assert_allclose(twist[3:] + np.cross(twist[:3], poses[last][:3, 3]), linear, atol=1e-8)


def closed_by(kind: str, second: Vec3 = Y) -> Mechanism:
    """A chain with enough freedoms to move `end` anywhere, and a joint from `end` to the world that is cut."""
    return mechanism(
        link("a"), link("b", at=(0.5, 0, 0)), link("end", at=(1, 0, 0.2)),
        joint("j1", "ball", "world", "a"), joint("j2", "universal", "a", "b", at=(0.5, 0, 0), axes=[X, Z]),
        joint("j3", "prismatic", "b", "end", at=(1, 0, 0), axes=[(1, 0.2, 0.1)]),
        joint("close", kind, "world", "end", at=(1, 0.1, 0.2), rpy=(0.3, -0.4, 0.2),
              axes=[(0.6, 0.0, 0.8), second], must_be_loop_joint=True),
    )  # fmt: skip


def residual(kinematics: Kinematics, state: JointState, at: Array) -> tuple[Array, Array]:
    """The loop's residual along the constrained directions of the pose `at`, and its axes' positions."""
    (loop,) = kinematics.mechanism.loop_joints
    values, left = loop_motion(loop, loop_frames(loop, kinematics.body_matrices(state)))
    error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
    return constrained_directions(loop, at) @ error, values


def on_the_constraint(built: Mechanism, moved: dict[str, float]) -> tuple[Kinematics, JointState]:
    """A state of the tree in which the loop joint is displaced by `moved` along its axes and otherwise closed: the
    joint frame on the child is put where it ends up, as if the document had written it there."""
    state = random_state(built, np.random.default_rng(11))
    (loop,) = built.loop_joints
    X_WC = Kinematics(built).body_matrices(state)[loop.child]
    across = np.eye(4)
    for motion, value in zip(loop.motions, moved.values(), strict=True):
        step = np.eye(4)
        if motion.kind.value == "rotation":
            step[:3, :3] = matrix_from_axis_angle(np.array(motion.direction), value)
        else:
            step[:3, 3] = value * np.array(motion.direction)
        across = across @ step
    X_CJ = np.linalg.inv(X_WC) @ loop.X_PJ.matrix() @ across
    closed = replace(built, loop_joints=(replace(loop, X_CJ=type(loop.X_CJ).from_matrix(X_CJ)),))
    return Kinematics(closed), state


CASES = [
    ("revolute", {"q": 2.1}),
    ("prismatic", {"d": 0.7}),
    ("ball", {}),
    ("universal", {"q0": 1.3, "q1": -0.8}),
    ("screw", {"q": -1.9, "d": 0.3}),
]


@pytest.mark.parametrize(("kind", "moved"), CASES, ids=[kind for kind, _ in CASES])
def test_loop_rows_are_the_derivative_of_the_residual(kind: str, moved: dict[str, float]) -> None:
    """Far from the start of the document, so that a row in the wrong frame cannot hide. 1e-8: differences of 1e-6."""
    kinematics, state = on_the_constraint(closed_by(kind), moved)
    start, values = residual(kinematics, state, np.array(list(moved.values())))
    np.testing.assert_allclose(start, 0.0, atol=1e-12)
    np.testing.assert_allclose(values, list(moved.values()), atol=1e-12)
    poses = kinematics.body_matrices(state)
    rows = kinematics.loop_rows(0, state, poses)
    assert rows.shape == (kinematics.mechanism.loop_joints[0].rows, kinematics.layout.size)
    axis_rows = [
        kinematics.axis_row(motion.axis, state, poses) for motion in kinematics.mechanism.loop_joints[0].motions
    ]
    h = 1e-6
    for column in range(kinematics.layout.size):
        step = np.zeros(kinematics.layout.size)
        step[column] = h
        (ahead, q_ahead), (behind, q_behind) = (
            residual(kinematics, advance(kinematics, state, s * step), values) for s in (1.0, -1.0)
        )
        np.testing.assert_allclose(rows[:, column], (ahead - behind) / (2 * h), atol=1e-8)
        np.testing.assert_allclose([row[column] for row in axis_rows], (q_ahead - q_behind) / (2 * h), atol=1e-8)


def test_loop_axes_of_a_skew_universal() -> None:
    """Axes of a universal need not be perpendicular."""
    kinematics, state = on_the_constraint(closed_by("universal", (0.0, 0.6, 0.8)), {"q0": 0.6, "q1": 1.0})
    start, values = residual(kinematics, state, np.zeros(2))
    np.testing.assert_allclose(values, (0.6, 1.0), atol=1e-12)
    np.testing.assert_allclose(start, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("made", "rank"),
    [
        (four_bar(), 1),
        (slider_crank(), 1),
        (ring_of_hinges(7), 1),
        (platform(), 6),
        (world(link("a")), 6),
        (world(), 0),
    ],
    ids=["four-bar", "slider-crank", "7R", "platform", "free", "nothing"],
)
def test_mobility_by_rank_of_classics(made: World, rank: int) -> None:
    built = build_mechanism(made)
    assert Kinematics(built).rank_mobility(rest_state(built)) == rank


def test_a_planar_four_bar_in_space_has_three_redundant_rows() -> None:
    built = build_mechanism(four_bar())
    kinematics = Kinematics(built)
    matrix = kinematics.constraint_matrix(rest_state(built))
    assert matrix.shape == (5, 3)
    assert np.linalg.matrix_rank(matrix, tol=1e-9) == 2


def test_a_flat_parallelogram_is_singular() -> None:
    """All bars on one line: the parallelogram may continue as one or fold into an antiparallelogram, two freedoms at
    that instant."""
    flat = build_mechanism(four_bar(ground=0.4, crank=0.2, coupler=0.4, rocker=0.2, angles=(0.0, 0.0, 0.0)))
    assert Kinematics(flat).rank_mobility(rest_state(flat)) == 2
    upright = build_mechanism(four_bar(ground=0.4, crank=0.2, coupler=0.4, rocker=0.2, angles=(1.0, 0.0, 1.0)))
    assert Kinematics(upright).rank_mobility(rest_state(upright)) == 1


def test_couplings_of_tree_and_loop_axes_count_in_the_rank() -> None:
    bars = four_bar(axis={"mimic": mimic("crank_joint", multiplier=0.5)}).models[0]
    built = mechanism(*bars.links, *bars.joints)
    assert not built.axes[axis_of(built, "close")].in_tree
    assert Kinematics(built).rank_mobility(rest_state(built)) == 0
