"""The state of dynamics in a form that others can start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.residuals import loop_frames
from simulator.spatial.pose_arrays import cross, matrices

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


def joint_state_of(
    mechanism: Mechanism,
    position: Array,
    velocity: Array,
    body_poses: Array,
    body_velocities: Array,
    cables: Array | None = None,
) -> JointState:
    """Positions and velocities of axes, and of balls and free joints by what their bodies do; arrays as in
    `BackendState`, and `cables` as in `Snapshot`.

    Bodies without velocities (an empty array) are at rest against each other.
    """
    loose = [mechanism.joints[index] for index in multi_dof_joints(mechanism)]
    poses = matrices(body_poses) if loose else np.zeros((0, 4, 4))
    frames = np.array([loop_frames(joint, poses) for joint in loose]).reshape(len(loose), 4, 4)
    twists = np.zeros((len(loose), 6))
    for slot, joint in enumerate(loose if len(body_velocities) else ()):
        frame = poses[joint.parent] @ joint.X_PJ.matrix()
        place = (poses[joint.child] @ joint.X_CJ.matrix())[:3, 3]
        outboard = _twist_at(mechanism, joint.child, place, poses, body_velocities)
        inboard = _twist_at(mechanism, joint.parent, place, poses, body_velocities)
        relative = outboard - inboard
        twists[slot, :3], twists[slot, 3:] = frame[:3, :3].T @ relative[:3], frame[:3, :3].T @ relative[3:]
    lengths = np.zeros(0) if cables is None else cables[:, 0].copy()
    return JointState(position.copy(), velocity.copy(), frames, twists, lengths)


def _twist_at(mechanism: Mechanism, body: int, place: Array, poses: Array, velocities: Array) -> Array:
    """Angular velocity of a body and velocity of its point at `place`, world axes, shape (6,)."""
    centre = poses[body, :3, :3] @ np.array(mechanism.bodies[body].com) + poses[body, :3, 3]
    angular = velocities[body, :3]
    linear = velocities[body, 3:]
    return np.concatenate((angular, linear + cross(angular, place - centre)))
