"""Joints of three angles: their subspace as published, and the place where it loses rank."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textbook.joints.euler import EulerJoint, EulerXYZ, EulerYXZ, EulerZXY, EulerZYX

KINDS = (EulerZYX(), EulerXYZ(), EulerYXZ(), EulerZXY())
each_kind = pytest.mark.parametrize("joint", KINDS, ids=lambda joint: type(joint).__name__)


def published(joint: EulerJoint, q: np.ndarray) -> np.ndarray:
    """Angular rows of S as RBDL writes them out."""
    (_, s1, s2), (_, c1, c2) = np.sin(q), np.cos(q)
    tables = {
        EulerZYX: [[-s1, 0, 1], [c1 * s2, c2, 0], [c1 * c2, -s2, 0]],
        EulerXYZ: [[c2 * c1, s2, 0], [-s2 * c1, c2, 0], [s1, 0, 1]],
        EulerYXZ: [[s2 * c1, c2, 0], [c2 * c1, -s2, 0], [-s1, 0, 1]],
        EulerZXY: [[-s2 * c1, c2, 0], [s1, 0, 1], [c1 * c2, s2, 0]],
    }
    return np.array(tables[type(joint)])


@each_kind
def test_the_subspace_is_the_published_one(joint: EulerJoint) -> None:
    for q in np.random.default_rng(5).uniform(-3, 3, (20, 3)):
        assert joint.subspace(q)[:3] == pytest.approx(published(joint, q), abs=1e-15)
        assert not joint.subspace(q)[3:].any()


@each_kind
def test_the_determinant_is_the_cosine_of_the_second_angle(joint: EulerJoint) -> None:
    for q in np.random.default_rng(6).uniform(-3, 3, (20, 3)):
        assert abs(np.linalg.det(joint.subspace(q)[:3])) == pytest.approx(abs(math.cos(q[1])), abs=1e-14)
        assert joint.singularity(q) == abs(math.cos(q[1]))


@each_kind
@pytest.mark.parametrize("side", [-1, 1])
def test_a_right_angle_is_singular(joint: EulerJoint, side: int) -> None:
    q = np.array([0.4, side * math.pi / 2, -0.7])
    assert joint.singularity(q) < 1e-15
    assert np.linalg.matrix_rank(joint.subspace(q), tol=1e-12) == 2


def test_the_bias_of_zyx_is_the_published_one() -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        q, (a, b, c) = random.uniform(-3, 3, 3), random.standard_normal(3)
        (_, s1, s2), (_, c1, c2) = np.sin(q), np.cos(q)
        expected = [
            -c1 * a * b,
            -s1 * s2 * a * b + c1 * c2 * a * c - s2 * b * c,
            -s1 * c2 * a * b - c1 * s2 * a * c - c2 * b * c,
        ]
        assert EulerZYX().bias(q, np.array([a, b, c]))[:3] == pytest.approx(expected, abs=1e-14)
