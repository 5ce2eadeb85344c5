"""Where a body is at many positions of the axes at once: the joints between it and the world, one after the other, each
for all positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.pose_arrays import compose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion

    Array = NDArray[np.float64]


def body_poses(mechanism: Mechanism, body: int, position: Array) -> Array:
    """X_WB of a body at positions of all axes, shape (n, n_axes), as rows (x, y, z, qx, qy, qz, qw), shape (n, 7).

    Raises UsageError where the body hangs on a joint whose position is no number of axes: a ball or a free joint.
    """
    poses = np.zeros((len(position), 7))
    poses[:, 6] = 1.0
    for joint in _path(mechanism, body):
        if joint.kind is not JointKind.CHAIN:
            raise UsageError(
                f"'{mechanism.bodies[body].name}' moves on '{joint.name}', a {joint.kind.value} joint, which has no "
                "axis: positions of axes do not say where it is"
            )
        poses = compose(poses, np.array([joint.X_PJ.as_list()]))
        for motion in joint.motions:
            poses = compose(poses, _steps(motion, position[:, motion.axis]))
        poses = compose(poses, np.array([joint.X_CJ.inverse().as_list()]))
    return poses


def _path(mechanism: Mechanism, body: int) -> list[MechanismJoint]:
    """Tree joints from the world to a body."""
    found: list[MechanismJoint] = []
    while body != WORLD_BODY:
        found.append(mechanism.joints[body - 1])
        body = found[-1].parent
    return found[::-1]


def _steps(motion: Motion, position: Array) -> Array:
    """Poses of one screw or slide step, shape (n, 7)."""
    direction, result = np.array(motion.direction), np.zeros((len(position), 7))
    if motion.kind is MotionKind.TRANSLATION:
        result[:, :3], result[:, 6] = position[:, None] * direction, 1.0
    else:
        half = 0.5 * np.remainder(position, 4.0 * np.pi)
        result[:, 3:6], result[:, 6] = np.sin(half)[:, None] * direction, np.cos(half)
    return result
