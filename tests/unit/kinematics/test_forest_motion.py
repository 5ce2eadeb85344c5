"""Poses and velocities of whole levels of a forest against those of one joint after another."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.kinematics.forest_motion import ForestMotion
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.spatial.pose_arrays import cross, matrices
from tests.helpers.mechanisms import world
from tests.helpers.random_mechanisms import TREE_JOINTS, Draft


def forest(seed: int) -> Mechanism:
    """A bush of thirty bodies, its joints of every kind that has axes."""
    random = np.random.default_rng(seed)
    draft, kinds = Draft(random), [kind for kind in TREE_JOINTS if kind not in ("ball", "free")]
    for body in range(1, 31):
        draft.add_body(str(random.choice(kinds)), int(random.integers(0, body)))
    built = build_mechanism(world(*draft.links, *draft.joints))
    assert not multi_dof_joints(built)
    return built


@pytest.mark.parametrize("seed", range(8))
def test_levels_move_as_joint_after_joint(seed: int) -> None:
    """Rounding of some ten products, on coordinates below 20 m; turns of several revolutions."""
    built, random = forest(seed), np.random.default_rng(100 + seed)
    position, velocity = random.uniform(-9.0, 9.0, (2, len(built.axes)))
    kinematics, state = Kinematics(built), JointState(position, velocity, np.zeros((0, 4, 4)), np.zeros((0, 6)))
    expected = kinematics.body_matrices(state)
    poses, velocities = ForestMotion(built).at(position, velocity, np.zeros((0, 13)))
    np.testing.assert_allclose(matrices(poses), expected, rtol=0.0, atol=2e-12)
    twists = np.zeros((len(built.bodies), 6))
    for index, joint in enumerate(built.joints):
        twists[joint.child] = twists[joint.parent]
        columns = kinematics.joint_jacobian(index, state, expected)
        for motion, (_, column) in zip(joint.motions, columns, strict=True):
            twists[joint.child] += column * velocity[motion.axis]
    centre = np.array([X[:3, :3] @ body.com + X[:3, 3] for X, body in zip(expected, built.bodies, strict=True)])
    twists[:, 3:] += cross(twists[:, :3], centre)
    np.testing.assert_allclose(velocities, twists, rtol=0.0, atol=1e-12 * max(1.0, float(np.abs(twists).max())))
