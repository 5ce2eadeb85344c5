"""Quaternions in time and between two rotations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.spatial.rotation import (
    IDENTITY_QUAT,
    matrix_from_quat,
    quat_conjugate,
    quat_from_axis_angle,
    quat_from_rpy,
    quat_multiply,
    quat_rotate,
)
from textbook.quaternion import (
    SMALL_ANGLE,
    coordinate_matrix,
    integrate_base,
    integrate_body,
    quat_exp,
    quat_from_euler,
    quat_rate,
    slerp,
)

Q = quat_from_rpy(0.3, -0.8, 1.9)


def test_no_rotation_is_finite() -> None:
    assert quat_exp((0.0, 0.0, 0.0)) == IDENTITY_QUAT
    assert integrate_body(Q, (0.0, 0.0, 0.0), 0.1) == pytest.approx(Q, abs=1e-16)
    assert integrate_base(Q, (1e-300, 0.0, 0.0), 1e-3) == pytest.approx(Q, abs=1e-16)


@pytest.mark.parametrize("angle", [0.5 * SMALL_ANGLE, 0.999999 * SMALL_ANGLE, 1.000001 * SMALL_ANGLE, 1.0, 3.0])
def test_the_exponential_is_the_turn_about_an_axis(angle: float) -> None:
    axis = (2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0)
    exact = quat_from_axis_angle(axis, angle)
    turned = quat_exp((axis[0] * angle, axis[1] * angle, axis[2] * angle))
    assert turned == pytest.approx(exact, rel=1e-15, abs=1e-20)


def test_body_and_base_velocity_turn_on_opposite_sides() -> None:
    omega = (0.7, -1.1, 0.4)
    in_base = quat_rotate(Q, omega)
    assert integrate_base(Q, in_base, 0.3) == pytest.approx(integrate_body(Q, omega, 0.3), abs=1e-15)


def test_the_rate_is_the_slope() -> None:
    omega, step = (0.7, -1.1, 0.4), 1e-5
    ahead, behind = np.array(integrate_body(Q, omega, step)), np.array(integrate_body(Q, omega, -step))
    assert quat_rate(Q, omega) == pytest.approx((ahead - behind) / (2 * step), abs=1e-10)


def test_slerp_moves_at_constant_speed_on_the_shorter_arc() -> None:
    other = quat_multiply(Q, quat_from_axis_angle((0.0, 0.0, 1.0), 1.2))
    for t in (0.0, 0.25, 0.5, 1.0):
        expected = quat_multiply(Q, quat_from_axis_angle((0.0, 0.0, 1.0), 1.2 * t))
        assert slerp(Q, other, t) == pytest.approx(expected, abs=1e-15)
    far = (-other[0], -other[1], -other[2], -other[3])
    assert slerp(Q, far, 0.5) == pytest.approx(slerp(Q, other, 0.5), abs=1e-15)
    assert slerp(Q, Q, 0.3) == pytest.approx(Q, abs=1e-15)


def test_euler_orders() -> None:
    a, b, c = 0.3, -0.8, 1.9
    assert quat_from_euler("zyx", (c, b, a)) == pytest.approx(quat_from_rpy(a, b, c), abs=1e-15)
    qx, qy = quat_from_axis_angle((1, 0, 0), a), quat_from_axis_angle((0, 1, 0), b)
    qz = quat_from_axis_angle((0, 0, 1), c)
    assert quat_from_euler("xyz", (a, b, c)) == pytest.approx(quat_multiply(quat_multiply(qx, qy), qz), abs=1e-15)


def test_the_coordinate_matrix_is_the_rotation_turned_back() -> None:
    assert np.array_equal(coordinate_matrix(Q), matrix_from_quat(Q).T)
    turned = coordinate_matrix(Q) @ [0.1, 0.2, 0.3]
    assert turned == pytest.approx(quat_rotate(quat_conjugate(Q), (0.1, 0.2, 0.3)), abs=1e-15)
    assert math.isclose(np.linalg.det(coordinate_matrix(Q)), 1.0)
