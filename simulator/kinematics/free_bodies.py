"""Poses and velocities of floating bodies, which no axis describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError, place_of
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


SQUARE = 1e-9
"""By how much the rotation of a pose may differ from an orthogonal matrix."""


def with_poses(mechanism: Mechanism, state: JointState, poses: Mapping[str, object]) -> JointState:
    """`state` with links of free bodies at X_WL, shape (4, 4), by name.

    Raises UnknownNameError for a link that does not exist, UsageError for one that does not float and for an invalid
    pose.
    """
    loose_pose = state.loose_pose.copy()
    for name, value in poses.items():
        X_WL = np.asarray(value, dtype=float)
        if X_WL.shape != (4, 4):
            raise UsageError(f"the pose of '{name}' must be a matrix of shape (4, 4)")
        slot, held = joint_poses(mechanism, name, X_WL[None])
        loose_pose[slot] = held[0]
    return replace(state, loose_pose=loose_pose)


def joint_poses(mechanism: Mechanism, name: str, X_WL: Array) -> tuple[int, Array]:
    """Place among the loose joints of the free joint that carries a link, and its poses with the link at X_WL (n, 4,
    4). Raises the errors of `with_poses`."""
    slot, joint, X_BL = _free(mechanism, name)
    R = X_WL[:, :3, :3]
    if not np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(initial=0.0) <= SQUARE:
        raise UsageError(f"the pose of '{name}' must have a rotation in it")
    X_PJ, X_CJ = mechanism.joints[joint].X_PJ.matrix(), mechanism.joints[joint].X_CJ.matrix()
    # X_WL = X_PJ X_joint X_CJ^-1 X_BL, solved for what the joint holds; the base of a floating body is the world.
    return slot, np.linalg.inv(X_PJ) @ X_WL @ np.linalg.inv(X_BL) @ X_CJ


def with_twists(kinematics: Kinematics, state: JointState, twists: Mapping[str, object]) -> JointState:
    """`state` with links of free bodies moving with (angular velocity, velocity of the link's origin) in world axes,
    shape (6,), by name. Bodies that hang on the link move along.

    Raises the errors of `with_poses`.
    """
    mechanism = kinematics.mechanism
    loose_twist = state.loose_twist.copy()
    poses = kinematics.body_matrices(state)
    for name, value in twists.items():
        slot, joint, X_BL = _free(mechanism, name)
        twist = np.asarray(value, dtype=float)
        if twist.shape != (6,) or not np.isfinite(twist).all():
            raise UsageError(f"the twist of '{name}' must be six numbers: wx, wy, wz [rad/s], vx, vy, vz [m/s]")
        info = mechanism.joints[joint]
        origin = (poses[info.child] @ X_BL)[:3, 3]
        frame = info.X_PJ.matrix()[:3, :3]
        outboard = (poses[info.child] @ info.X_CJ.matrix())[:3, 3]
        loose_twist[slot, :3] = frame.T @ twist[:3]
        # From the link's origin to the joint's outboard origin on the same rigid body.
        loose_twist[slot, 3:] = frame.T @ (twist[3:] + np.cross(twist[:3], outboard - origin))
    return replace(state, loose_twist=loose_twist)


def _free(mechanism: Mechanism, name: str) -> tuple[int, int, Array]:
    """Place among the loose joints, tree joint and X_BL of a link whose body floats."""
    links = [
        (i, link.name, X)
        for i, body in enumerate(mechanism.bodies)
        for link, X in zip(body.links, body.X_BL, strict=True)
    ]
    body, full, X_BL = links[place_of([link for _, link, _ in links], name, "link")]
    if body == 0 or mechanism.joints[body - 1].kind is not JointKind.FREE:
        raise UsageError(f"'{full}' does not float: its place follows from its joints")
    return multi_dof_joints(mechanism).index(body - 1), body - 1, X_BL.matrix()
