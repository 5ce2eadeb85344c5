"""How far couplings and loops are from holding, measured from positions and poses alone, whatever strategy holds them.

Both are also where the position of a loop joint's axes comes from: it is nobody's coordinate, so it is read off the poses.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind, MotionKind
from simulator.model.joint import JointType
from simulator.spatial.rotation import matrix_from_axis_angle, rotation_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint

    Array = NDArray[np.float64]


def coupling_residuals(mechanism: Mechanism, position: Array) -> Array:
    """sum(a_i q_i) - constant of every coupling, shape (n_couplings,) [unit of the follower]."""
    return np.array(
        [
            sum(coefficient * position[axis] for axis, coefficient in coupling.terms) - coupling.constant
            for coupling in mechanism.couplings
        ],
        dtype=float,
    )


def loop_frames(loop: MechanismJoint, body_matrices: Array) -> Array:
    """Pose of the child side's joint frame in the parent side's, X_JpJc, shape (4, 4). `body_matrices`: X_WB, shape (n_bodies, 4, 4)."""
    X_WJp = body_matrices[loop.parent] @ loop.X_PJ.matrix()
    X_WJc = body_matrices[loop.child] @ loop.X_CJ.matrix()
    inverse = np.eye(4)
    inverse[:3, :3] = X_WJp[:3, :3].T
    inverse[:3, 3] = -X_WJp[:3, :3].T @ X_WJp[:3, 3]
    relative: Array = inverse @ X_WJc
    return relative


def loop_motion(loop: MechanismJoint, relative: Array) -> tuple[Array, Array]:
    """Positions of the loop joint's axes (one per motion, angles in (-pi, pi]) and the pose that is left when they are undone on the
    child's side, shape (4, 4): its small motions are in the parent's joint frame, as the rows of `dynamics` are."""
    if loop.kind is JointKind.BALL:
        left = np.eye(4)
        left[:3, 3] = relative[:3, 3]
        return np.zeros(0), left
    if loop.type in (JointType.UNIVERSAL, JointType.REVOLUTE2):
        return _two_angles(loop, relative)
    positions = []
    left = relative.copy()
    for motion in loop.motions:
        direction = np.array(motion.direction)
        if motion.kind is MotionKind.TRANSLATION:
            travel = float(direction @ relative[:3, 3])
            left[:3, 3] -= travel * direction
            positions.append(travel)
        else:
            angle = _twist_about(direction, relative[:3, :3])
            left[:3, :3] = left[:3, :3] @ matrix_from_axis_angle(direction, -angle)
            positions.append(angle)
    return np.array(positions), left


def loop_residual(loop: MechanismJoint, relative: Array) -> tuple[float, float]:
    """Violation of a loop joint: distance [m] and angle [rad] that its own freedoms do not explain."""
    _, left = loop_motion(loop, relative)
    return float(np.linalg.norm(left[:3, 3])), float(np.linalg.norm(rotation_vector(left[:3, :3])))


def loop_residuals(mechanism: Mechanism, body_matrices: Array) -> Array:
    """Distance and angle of every loop joint, shape (n_loops, 2) [m, rad]."""
    values = [loop_residual(loop, loop_frames(loop, body_matrices)) for loop in mechanism.loop_joints]
    return np.array(values, dtype=float).reshape(len(values), 2)


def _twist_about(direction: Array, rotation: Array) -> float:
    """Angle of the rotation about `direction` [rad] (swing-twist decomposition)."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    cosine_part = float(np.trace(rotation)) - float(direction @ rotation @ direction)
    return math.atan2(float(direction @ axis), cosine_part)


def _two_angles(loop: MechanismJoint, relative: Array) -> tuple[Array, Array]:
    """Angles of R(a, q0) R(b, q1): with the second axis held on the child, q0 turns b about a, then q1 turns the rest about b."""
    a, b = (np.array(motion.direction) for motion in loop.motions)
    R = relative[:3, :3]
    turned = R @ b
    side = np.cross(a, b)
    q0 = math.atan2(float(side @ turned), float((b - (a @ b) * a) @ turned))
    rest = matrix_from_axis_angle(a, -q0) @ R
    q1 = _twist_about(b, rest)
    left = relative.copy()
    left[:3, :3] = R @ matrix_from_axis_angle(b, -q1) @ matrix_from_axis_angle(a, -q0)
    return np.array([q0, q1]), left
