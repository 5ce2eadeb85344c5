"""Spatial algebra: identities that hold to round-off."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.spatial.pose import Pose
from textbook.plucker import (
    crf,
    crm,
    force_transform,
    inertia_in_parent,
    inertia_parameters,
    inverse_transform,
    motion_transform,
    rot_axis,
    rotation_part,
    rotation_transform,
    rotx,
    roty,
    rotz,
    spatial_inertia,
    transform_of_pose,
    translation_part,
    translation_transform,
)

E = rotx(0.3) @ roty(-1.1) @ rotz(2.2)
r = np.array([0.4, -0.7, 1.3])
X = motion_transform(E, r)
v = np.array([0.2, -0.5, 0.9, 1.4, -0.3, 0.8])
f = np.array([-1.2, 0.1, 0.6, 0.5, 0.7, -0.4])


def test_the_parts_come_back() -> None:
    assert np.array_equal(rotation_part(X), E)
    assert translation_part(X) == pytest.approx(r, abs=1e-15)
    assert rotation_transform(E) @ translation_transform(r) == pytest.approx(X, abs=1e-15)


def test_a_velocity_is_that_of_the_childs_origin() -> None:
    """A body that turns with ω about the parent's origin moves at r with ω x r."""
    omega = np.array([0.3, 0.2, -0.8])
    moved = X @ np.concatenate((omega, np.zeros(3)))
    assert moved == pytest.approx(np.concatenate((E @ omega, E @ np.cross(omega, r))), abs=1e-15)


def test_the_inverse_needs_no_solver() -> None:
    assert inverse_transform(X) @ X == pytest.approx(np.eye(6), abs=1e-15)
    assert force_transform(X) @ X.T == pytest.approx(np.eye(6), abs=1e-15)


def test_power_is_the_same_in_both_frames() -> None:
    assert (X.T @ f) @ v == pytest.approx(f @ (X @ v), abs=1e-15)


def test_cross_products() -> None:
    assert crm(v) @ v == pytest.approx(np.zeros(6), abs=1e-15)
    assert np.array_equal(crf(v), -crm(v).T)
    assert X @ crm(v) @ inverse_transform(X) == pytest.approx(crm(X @ v), abs=1e-14)
    expected = np.concatenate((np.cross(v[:3], f[:3]) + np.cross(v[3:], f[3:]), np.cross(v[:3], f[3:])))
    assert crf(v) @ f == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("axis", "short"), [((1, 0, 0), rotx), ((0, 1, 0), roty), ((0, 0, 1), rotz)])
def test_turned_coordinates(axis: tuple[int, int, int], short: object) -> None:
    assert callable(short)
    assert rot_axis(np.array(axis, dtype=float), 0.7) == pytest.approx(short(0.7), abs=1e-15)


def test_a_quarter_turn_about_z_makes_x_look_backwards() -> None:
    """The child's y axis points to the parent's -x, so that the parent's x has the coordinates (0, -1, 0) there."""
    assert rotz(math.pi / 2) @ [1, 0, 0] == pytest.approx([0, -1, 0], abs=1e-15)


def test_a_pose_is_a_transform() -> None:
    pose = Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    point = np.array([1.0, 2.0, 3.0])
    X_pose = transform_of_pose(pose)
    assert translation_part(X_pose) + rotation_part(X_pose).T @ point == pytest.approx(pose.transform((1.0, 2.0, 3.0)))


def test_inertia_comes_back_and_moves() -> None:
    about_com = np.diag([0.2, 0.3, 0.4])
    inertia = spatial_inertia(2.0, r, about_com)
    mass, com, moments = inertia_parameters(inertia)
    assert mass == 2.0
    assert com == pytest.approx(r, abs=1e-15)
    assert moments == pytest.approx(about_com, abs=1e-15)
    mass, com, moments = inertia_parameters(inertia_in_parent(inertia, X))
    assert mass == pytest.approx(2.0, abs=1e-15)
    assert com == pytest.approx(r + E.T @ r, abs=1e-15)
    assert moments == pytest.approx(E.T @ about_com @ E, abs=1e-14)


def test_a_massless_body_has_no_centre() -> None:
    mass, com, moments = inertia_parameters(np.zeros((6, 6)))
    assert mass == 0.0
    assert not com.any()
    assert not moments.any()
