"""What dynamics show, as a state that others can start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.state import JointState, multi_dof_joints
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import MotionKind
from simulator.spatial.pose_arrays import cross, matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.port import BackendState
    from simulator.mechanism.types import Mechanism, MechanismJoint

    Array = NDArray[np.float64]


def joint_state_of(
    mechanism: Mechanism, position: Array, velocity: Array, body_poses: Array, body_velocities: Array
) -> JointState:
    """Positions and velocities of axes, and of balls and free joints by what their bodies do; arrays as in
    `BackendState`.

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
    return JointState(zero_for_nan(position), zero_for_nan(velocity), frames, twists)


def zero_for_nan(values: Array) -> Array:
    """A copy in which 0 stands where dynamics do not tell an axis."""
    return np.where(np.isnan(values), 0.0, values)


def set_loop_axes(mechanism: Mechanism, state: BackendState, before: BackendState | None, dt: float) -> None:
    """Fill in the axes of loop joints from the poses, continuing their turns from the state a step of `dt` [s] before;
    without one, the rate of a joint with one axis is that of its bodies, of others 0."""
    poses = matrices(state.body_poses)
    for loop in mechanism.loop_joints:
        values, _ = loop_motion(loop, loop_frames(loop, poses))
        if before is None:
            _start_loop_axis(mechanism, loop, values, state, poses)
            continue
        for motion, value in zip(loop.motions, values, strict=True):
            last = float(before.position[motion.axis])
            turns = round((last - value) / (2.0 * np.pi)) if motion.kind is MotionKind.ROTATION else 0
            state.position[motion.axis] = value + 2.0 * np.pi * turns
            state.velocity[motion.axis] = (state.position[motion.axis] - last) / dt


def _start_loop_axis(
    mechanism: Mechanism, loop: MechanismJoint, values: Array, state: BackendState, poses: Array
) -> None:
    """Positions and rates of a loop joint's axes where nothing is known of the step before."""
    for motion, value in zip(loop.motions, values, strict=True):
        state.position[motion.axis], state.velocity[motion.axis] = value, 0.0
    if len(loop.motions) != 1 or not len(state.body_velocities):
        return
    (motion,) = loop.motions
    place = (poses[loop.child] @ loop.X_CJ.matrix())[:3, 3]
    outboard, inboard = (
        _twist_at(mechanism, body, place, poses, state.body_velocities) for body in (loop.child, loop.parent)
    )
    rotation = (poses[loop.parent] @ loop.X_PJ.matrix())[:3, :3]
    part = slice(0, 3) if motion.kind is MotionKind.ROTATION else slice(3, 6)
    state.velocity[motion.axis] = float((rotation @ np.array(motion.direction)) @ (outboard - inboard)[part])


def _twist_at(mechanism: Mechanism, body: int, place: Array, poses: Array, velocities: Array) -> Array:
    """Angular velocity of a body and velocity of its point at `place`, world axes, shape (6,)."""
    centre = poses[body, :3, :3] @ np.array(mechanism.bodies[body].com) + poses[body, :3, 3]
    angular, linear = velocities[body, :3], velocities[body, 3:]
    return np.concatenate((angular, linear + cross(angular, place - centre)))
