"""Rotations obey the laws of their group, and every representation says the same.

Tolerance 1e-14: about fifty roundings of numbers of size 1 (2.2e-16 each). Products of lengths scale it where points
are far."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import (
    Quat,
    Vec3,
    matrix_from_axis_angle,
    matrix_from_quat,
    normalized,
    perpendicular_to,
    quat_conjugate,
    quat_from_axis_angle,
    quat_from_matrix,
    quat_from_rpy,
    quat_multiply,
    quat_normalized,
    quat_rotate,
    rotation_vector,
    skew,
)
from tests.helpers.strategies import axes, points, quats

TOLERANCE = 1e-14


def same_rotation(a: Quat, b: Quat, tolerance: float = TOLERANCE) -> bool:
    """A quaternion and its negative are one rotation."""
    return min(np.abs(np.subtract(a, b)).max(), np.abs(np.add(a, b)).max()) < tolerance


@given(quats(), quats(), quats())
def test_products_associate(a: Quat, b: Quat, c: Quat) -> None:
    assert same_rotation(quat_multiply(quat_multiply(a, b), c), quat_multiply(a, quat_multiply(b, c)))


@given(quats())
def test_conjugate_undoes(q: Quat) -> None:
    assert same_rotation(quat_multiply(q, quat_conjugate(q)), (0.0, 0.0, 0.0, 1.0))


@given(quats(), quats(), points())
def test_product_turns_by_the_right_factor_first(a: Quat, b: Quat, v: Vec3) -> None:
    np.testing.assert_allclose(quat_rotate(quat_multiply(a, b), v), quat_rotate(a, quat_rotate(b, v)), atol=1e-12)


@given(quats(), points())
def test_matrix_turns_like_its_quaternion(q: Quat, v: Vec3) -> None:
    np.testing.assert_allclose(matrix_from_quat(q) @ np.array(v), quat_rotate(q, v), atol=1e-12)


@given(quats())
def test_matrix_is_a_rotation(q: Quat) -> None:
    rotation = matrix_from_quat(q)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=TOLERANCE)
    assert np.linalg.det(rotation) == pytest.approx(1.0, abs=TOLERANCE)


@given(quats())
def test_matrix_and_back(q: Quat) -> None:
    assert same_rotation(quat_from_matrix(matrix_from_quat(q)), q)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, -0.8)])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_half_turns_come_back_from_their_matrix(axis: Vec3, off: float) -> None:
    """Near 180 degrees the trace is -1 and three of four formulas divide by nearly nothing."""
    q = quat_from_axis_angle(axis, math.pi - off)
    assert same_rotation(quat_from_matrix(matrix_from_quat(q)), q)


@given(axes(), st.floats(-math.pi, math.pi))
def test_axis_angle_and_rodrigues_agree(axis: Vec3, angle: float) -> None:
    np.testing.assert_allclose(
        matrix_from_axis_angle(np.array(axis), angle),
        matrix_from_quat(quat_from_axis_angle(axis, angle)),
        atol=TOLERANCE,
    )


@given(st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_rpy_is_fixed_axis_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> None:
    x, y, z = np.eye(3)
    expected = matrix_from_axis_angle(z, yaw) @ matrix_from_axis_angle(y, pitch) @ matrix_from_axis_angle(x, roll)
    np.testing.assert_allclose(matrix_from_quat(quat_from_rpy(roll, pitch, yaw)), expected, atol=TOLERANCE)


@given(axes(), st.floats(0.0, math.pi - 1e-6))
def test_rotation_vector_is_axis_times_angle(axis: Vec3, angle: float) -> None:
    """1e-9: next to a half turn the angle is read from the sine of its half, whose slope is tiny; 1e-6 away it costs
    six digits of w."""
    vector = rotation_vector(matrix_from_axis_angle(np.array(axis), angle))
    np.testing.assert_allclose(vector, np.array(axis) * angle, atol=1e-9)


@pytest.mark.parametrize("angle", [math.pi, math.pi - 1e-15, math.pi - 1e-9])
def test_rotation_vector_of_a_half_turn(angle: float) -> None:
    """At 180 degrees both signs of the axis are right; the length is not in doubt."""
    axis = np.array((0.48, -0.6, 0.64))
    vector = rotation_vector(matrix_from_axis_angle(axis, angle))
    assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-12)
    assert abs(float(vector @ axis)) == pytest.approx(angle, abs=1e-12)


@given(axes(), st.floats(0.0, 1e-9))
def test_rotation_vector_of_almost_nothing(axis: Vec3, angle: float) -> None:
    """Residuals live here: the vector must be linear in the angle down to zero, not noisy."""
    vector = rotation_vector(matrix_from_axis_angle(np.array(axis), angle))
    np.testing.assert_allclose(vector, np.array(axis) * angle, atol=1e-20, rtol=1e-6)


@given(points(), points())
def test_skew_is_the_cross_product(a: Vec3, b: Vec3) -> None:
    np.testing.assert_allclose(skew(np.array(a)) @ np.array(b), np.cross(a, b), atol=1e-10)


@pytest.mark.parametrize("nothing", [(0.0, 0.0, 0.0), (math.inf, 0.0, 0.0), (math.nan, 0.0, 0.0)])
def test_what_has_no_direction_is_refused(nothing: Vec3) -> None:
    with pytest.raises(ValueError, match="no direction"):
        normalized(nothing)
    with pytest.raises(ValueError, match="not a rotation"):
        quat_normalized((*nothing, 0.0))


@given(quats(), points(), quats(), points(), points())
def test_poses_compose_like_matrices(q: Quat, p: Vec3, r: Quat, s: Vec3, v: Vec3) -> None:
    """1e-11: points are within 100 m of the origin."""
    X_AB, X_BC = Pose(p, q), Pose(s, r)
    np.testing.assert_allclose((X_AB @ X_BC).matrix(), X_AB.matrix() @ X_BC.matrix(), atol=1e-11)
    np.testing.assert_allclose((X_AB @ X_BC).transform(v), X_AB.transform(X_BC.transform(v)), atol=1e-11)
    np.testing.assert_allclose((X_AB @ X_AB.inverse()).matrix(), np.eye(4), atol=1e-11)
    np.testing.assert_allclose((X_AB.inverse() @ X_AB).matrix(), np.eye(4), atol=1e-11)


@given(quats(), points())
def test_pose_and_its_matrix(q: Quat, p: Vec3) -> None:
    pose = Pose(p, q)
    again = Pose.from_matrix(pose.matrix())
    assert again.position == p
    assert same_rotation(again.orientation, q)
    assert (IDENTITY @ pose).position == pose.position


@given(axes())
def test_two_unit_vectors_make_a_right_handed_frame_with_a_third(n: Vec3) -> None:
    frame = np.array([*perpendicular_to(n), n])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=TOLERANCE)
    assert np.linalg.det(frame) == pytest.approx(1.0, abs=TOLERANCE)


def test_those_of_z_are_x_and_y() -> None:
    assert perpendicular_to((0.0, 0.0, 1.0)) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
