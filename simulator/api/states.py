"""The state of a simulation in the order of other programs; docs/reference/states.md has the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from simulator.errors import UsageError, place_of
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.api.simulation import Simulation
    from simulator.spatial.arrays import Array

    Peer = Literal["mujoco", "pinocchio", "drake"]

PEERS = ("mujoco", "pinocchio", "drake")


def peer_state(sim: Simulation, peer: Peer, joints: Sequence[str] | None = None) -> tuple[Array, Array]:
    """(q, v) of the tree joints as MuJoCo (qpos, qvel), Pinocchio (q, v) or Drake (positions, velocities) orders them.

    `joints`: joint names in the order in which the other program has them (`model::joint` or the last part; a free body
    is `link:free`); None for our tree order. Joints of one axis are the same; balls and free joints get that program's
    quaternions and velocities.

    Raises UnknownNameError for a joint that is not on the tree, UsageError for an unknown program, and for a
    ball joint in Drake, which has no quaternion there.
    """
    if peer not in PEERS:
        raise UsageError(f"states can be ordered for {', '.join(PEERS)}, not for '{peer}'")
    mechanism = sim.mechanism
    names = [joint.name for joint in mechanism.joints]
    order = range(len(names)) if joints is None else [place_of(names, name, "tree joint") for name in joints]
    q, v = [np.zeros(0)], [np.zeros(0)]
    for index in order:
        joint = mechanism.joints[index]
        if joint.kind is JointKind.CHAIN:
            axes = [motion.axis for motion in joint.motions]
            q.append(sim.moment.state.position[axes])
            v.append(sim.moment.state.velocity[axes])
        else:
            position, velocity = _multi_dof(sim, index, peer)
            q.append(position)
            v.append(velocity)
    return np.concatenate(q), np.concatenate(v)


def _multi_dof(sim: Simulation, index: int, peer: Peer) -> tuple[Array, Array]:
    """q and v of a ball or free joint. Ours: pose and twist of the outboard joint frame in the inboard one, the twist
    in inboard axes."""
    mechanism = sim.mechanism
    state = sim.moment.state
    joint = mechanism.joints[index]
    slot = multi_dof_joints(mechanism).index(index)
    pose, twist = state.loose_pose[slot], state.loose_twist[slot]
    X_PJ = joint.X_PJ.matrix()
    X_JC = joint.X_CJ.inverse().matrix()
    placed = X_PJ @ pose @ X_JC if joint.kind is JointKind.FREE else pose
    R = placed[:3, :3]
    x, y, z, w = quat_from_matrix(R)
    if joint.kind is JointKind.BALL:
        if peer == "drake":
            raise UsageError(f"'{joint.name}': a ball joint of Drake has angles, not a quaternion; convert it there")
        return np.array((w, x, y, z) if peer == "mujoco" else (x, y, z, w)), R.T @ twist[:3]
    angular = X_PJ[:3, :3] @ twist[:3]
    linear = X_PJ[:3, :3] @ twist[3:]
    place: Array = placed[:3, 3]
    linear = linear + np.cross(angular, place - (X_PJ @ pose)[:3, 3])
    if peer == "mujoco":
        return np.array((*place, w, x, y, z)), np.concatenate((linear, R.T @ angular))
    if peer == "pinocchio":
        return np.array((*place, x, y, z, w)), np.concatenate((R.T @ linear, R.T @ angular))
    return np.array((w, x, y, z, *place)), np.concatenate((angular, linear))
