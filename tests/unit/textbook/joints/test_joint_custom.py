"""Custom joints: the built-in ones rebuilt from hooks, and hooks that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import UsageError
from tests.helpers.joints import NATIVE, random_position
from textbook.joints.custom import CustomJoint, custom_joint
from textbook.joints.euler import EulerZYX
from textbook.joints.inference import JointType
from textbook.joints.protocol import JointModel
from textbook.joints.single import Helical, Revolute
from textbook.joints.spherical import Spherical

Array = np.ndarray


def rebuilt(joint: JointModel, *, with_bias: bool = True) -> CustomJoint:
    """The same joint from its functions."""
    return CustomJoint(
        joint.velocity_size,
        joint.transform,
        joint.subspace,
        joint.bias if with_bias else None,
        start=tuple(joint.neutral()),
        advance=joint.integrate,
    )


@pytest.mark.parametrize("name", NATIVE)
def test_a_rebuilt_joint_is_the_built_in_one(name: str) -> None:
    joint, custom = NATIVE[name], rebuilt(NATIVE[name])
    random = np.random.default_rng(8)
    q, qd = random_position(joint, random), random.standard_normal(joint.velocity_size)
    assert np.array_equal(custom.transform(q), joint.transform(q))
    assert np.array_equal(custom.bias(q, qd), joint.bias(q, qd))
    assert (custom.position_size, custom.velocity_size) == (joint.position_size, joint.velocity_size)


@pytest.mark.parametrize("name", NATIVE)
def test_without_a_bias_it_is_taken_from_differences(name: str) -> None:
    """Central differences with a step of 1e-6 are good to about 1e-10."""
    joint, custom = NATIVE[name], rebuilt(NATIVE[name], with_bias=False)
    random = np.random.default_rng(9)
    q, qd = random_position(joint, random), random.standard_normal(joint.velocity_size)
    assert custom.bias(q, qd) == pytest.approx(joint.bias(q, qd), abs=1e-8)


def test_two_hooks_are_enough() -> None:
    zyx = EulerZYX()
    joint = custom_joint(JointType.CUSTOM, 3, zyx.transform, zyx.subspace)
    assert joint.singularity(np.array([0.0, np.pi / 2, 0.0])) < 1e-15
    assert joint.singularity(np.zeros(3)) == pytest.approx(1.0)
    assert np.array_equal(joint.neutral(), np.zeros(3))


def test_the_users_distance_is_asked() -> None:
    zyx = EulerZYX()
    joint = CustomJoint(3, zyx.transform, zyx.subspace, distance=zyx.singularity)
    assert joint.singularity(np.array([0.0, 1.0, 0.0])) == np.cos(1.0)


def test_hooks_are_for_custom_joints_only() -> None:
    zyx = EulerZYX()
    with pytest.raises(UsageError, match="hooks are allowed only for the joint type Custom, not for EulerZYX"):
        custom_joint(JointType.EULER_ZYX, 3, zyx.transform, zyx.subspace)


def test_wrong_hooks_are_refused() -> None:
    z, helical = Revolute(), Helical((0, 0, 1), (1, 0, 0))
    with pytest.raises(UsageError, match=r"transform\(q\) must have shape"):
        CustomJoint(1, lambda q: np.eye(3), z.subspace)
    with pytest.raises(UsageError, match=r"subspace\(q\) must have shape"):
        CustomJoint(1, z.transform, lambda q: np.zeros(6))
    with pytest.raises(UsageError, match="is not a motion transform"):
        CustomJoint(1, lambda q: 2.0 * np.eye(6), z.subspace)
    with pytest.raises(UsageError, match="does not belong to its transform"):
        CustomJoint(1, z.transform, lambda q: -z.subspace(q))
    with pytest.raises(UsageError, match="is not the derivative"):
        CustomJoint(1, helical.transform, helical.subspace, lambda q, qd: np.zeros(6))
    with pytest.raises(UsageError, match=r"bias\(q, qd\) must have shape"):
        CustomJoint(1, z.transform, z.subspace, lambda q, qd: np.zeros(3))
    with pytest.raises(UsageError, match="1 to 6 freedoms"):
        CustomJoint(0, z.transform, z.subspace)
    ball = Spherical()
    with pytest.raises(UsageError, match="needs `advance"):
        CustomJoint(3, ball.transform, ball.subspace, start=(0, 0, 0, 1))
