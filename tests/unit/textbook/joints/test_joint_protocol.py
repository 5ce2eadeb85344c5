"""What holds for every joint model: sizes, S and cJ as derivatives, integration, singular positions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.joints import EMULATED, EVERY_JOINT, NATIVE, random_position, slope_along
from textbook.joints.protocol import JointModel
from textbook.plucker import crm, inverse_transform

every_joint = pytest.mark.parametrize("joint", EVERY_JOINT.values(), ids=EVERY_JOINT.keys())


@every_joint
def test_sizes(joint: JointModel) -> None:
    q, qd = joint.neutral(), np.zeros(joint.velocity_size)
    assert q.shape == (joint.position_size,)
    assert joint.transform(q).shape == (6, 6)
    assert joint.subspace(q).shape == (6, joint.velocity_size)
    assert joint.bias(q, qd).shape == (6,)
    assert joint.integrate(q, qd, 0.1).shape == q.shape


@every_joint
def test_the_neutral_position_is_the_joint_frame(joint: JointModel) -> None:
    assert np.array_equal(joint.transform(joint.neutral()), np.eye(6))


@every_joint
def test_the_subspace_is_the_derivative_of_the_transform(joint: JointModel) -> None:
    """dX/dt = -crm(S qd) X (RBDA 2.45); differences of the fourth order are good to about 1e-10."""
    random = np.random.default_rng(1)
    for _ in range(10):
        q, qd = random_position(joint, random), random.standard_normal(joint.velocity_size)
        slope, _ = slope_along(joint, q, qd)
        assert -slope @ inverse_transform(joint.transform(q)) == pytest.approx(crm(joint.subspace(q) @ qd), abs=1e-8)


@every_joint
def test_the_bias_is_the_derivative_of_the_subspace(joint: JointModel) -> None:
    random = np.random.default_rng(2)
    for _ in range(10):
        q, qd = random_position(joint, random), random.standard_normal(joint.velocity_size)
        _, slope = slope_along(joint, q, qd)
        assert joint.bias(q, qd) == pytest.approx(slope @ qd, abs=1e-8)


@every_joint
def test_half_a_step_there_and_half_a_step_back(joint: JointModel) -> None:
    random = np.random.default_rng(3)
    q, qd = random_position(joint, random), random.standard_normal(joint.velocity_size)
    there = joint.integrate(q, qd, 0.05)
    assert joint.integrate(there, -qd, 0.05) == pytest.approx(q, abs=1e-14)


@every_joint
def test_no_joint_is_singular_near_its_neutral_position(joint: JointModel) -> None:
    assert joint.singularity(joint.neutral()) == pytest.approx(1.0)


@pytest.mark.parametrize("name", EMULATED)
def test_a_chain_is_the_native_joint(name: str) -> None:
    """Round-off: both are exact."""
    native, chain = NATIVE[name], EMULATED[name]
    random = np.random.default_rng(4)
    for _ in range(20):
        q, qd = random_position(native, random), random.standard_normal(native.velocity_size)
        assert chain.transform(q) == pytest.approx(native.transform(q), abs=1e-14)
        assert chain.subspace(q) == pytest.approx(native.subspace(q), abs=1e-14)
        assert chain.bias(q, qd) == pytest.approx(native.bias(q, qd), abs=1e-13)
        assert chain.integrate(q, qd, 0.1) == pytest.approx(native.integrate(q, qd, 0.1), abs=1e-15)
