"""Residuals of all loop joints at once equal those found joint by joint, by undoing the joint's own motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.mechanism.residuals import LoopRows, loop_frames, loop_motion
from simulator.mechanism.types import Motion, MotionKind
from simulator.model.joint import JointType
from simulator.session.open.opening import open_document
from simulator.spatial.rotation import matrix_from_axis_angle, rotation_vector
from tests.helpers.repository import ROOT

TURN, SLIDE = MotionKind.ROTATION, MotionKind.TRANSLATION
KINDS = {
    "revolute": (JointType.REVOLUTE, (Motion(0, TURN, (0.6, 0.0, 0.8)),)),
    "prismatic": (JointType.PRISMATIC, (Motion(0, SLIDE, (0.0, 0.6, 0.8)),)),
    "screw": (JointType.SCREW, (Motion(0, TURN, (0.0, 1.0, 0.0)), Motion(1, SLIDE, (0.0, 1.0, 0.0)))),
    "fixed": (JointType.FIXED, ()),
    "universal": (JointType.UNIVERSAL, (Motion(0, TURN, (1.0, 0.0, 0.0)), Motion(1, TURN, (0.0, 0.6, 0.8)))),
}


def _random_poses(count: int, size: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    for pose in poses[1:]:
        axis = rng.normal(size=3)
        pose[:3, :3] = matrix_from_axis_angle(axis / np.linalg.norm(axis), size * rng.normal())
        pose[:3, 3] = size * rng.normal(size=3)
    return poses


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1e-9, 0.1, 2.0])
def test_rows_equal_what_is_left_of_each_joint(kind: str, size: float) -> None:
    """Distances and angles to round-off of the poses; the angle of a swing is read off its axis instead of a whole
    rotation."""
    four_bar = open_document(ROOT / "worlds/four_bar.sdf").mechanism
    joint_type, motions = KINDS[kind]
    loop = replace(four_bar.loop_joints[0], type=joint_type, motions=motions)
    mechanism = replace(four_bar, loop_joints=(loop, four_bar.loop_joints[0]))
    poses = _random_poses(len(mechanism.bodies), size, 7)
    for row, joint in zip(LoopRows(mechanism).residuals(poses), mechanism.loop_joints, strict=True):
        left = loop_motion(joint, loop_frames(joint, poses))[1]
        assert row[0] == pytest.approx(float(np.linalg.norm(left[:3, 3])), abs=1e-14)
        assert row[1] == pytest.approx(float(np.linalg.norm(rotation_vector(left[:3, :3]))), abs=1e-13)
