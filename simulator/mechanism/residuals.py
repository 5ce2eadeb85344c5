"""How far couplings and loops are from holding, measured from positions and poses alone, whatever strategy holds them.

Both also give the positions of loop joints' axes, which are no coordinates of the tree and are read off the
poses.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind, MotionKind
from simulator.model.joint import JointType
from simulator.spatial.pose_arrays import cross
from simulator.spatial.rotation import matrix_from_axis_angle, rotation_vector, twist_about

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


class CouplingRows:
    """All couplings of a mechanism as flat arrays, for residuals at many positions: built once, a thousand couplings
    cost microseconds."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._curves = [(i, c.curve) for i, c in enumerate(mechanism.couplings) if c.curve is not None]
        terms = [coupling.terms for coupling in mechanism.couplings]
        self._axis = np.array([axis for row in terms for axis, _ in row], dtype=np.intp)
        self._coefficient = np.array([coefficient for row in terms for _, coefficient in row], dtype=float)
        self._first = np.cumsum([0, *(len(row) for row in terms)])[:-1]
        self._constant = np.array([coupling.constant for coupling in mechanism.couplings], dtype=float)

    def residuals(self, position: Array) -> Array:
        """sum(a_i q_i) - constant of every coupling, or φ, shape (..., n_couplings) for positions (..., n_axes) [unit
        of the follower]."""
        if not len(self._constant):
            return np.zeros((*position.shape[:-1], 0))
        terms = self._coefficient * position[..., self._axis]
        result: Array = np.add.reduceat(terms, self._first, axis=-1) - self._constant
        for place, curve in self._curves:
            result[..., place] = curve.tape.expand(position[..., list(curve.axes)]).value
        return result


def coupling_slack(mechanism: Mechanism) -> Array:
    """By how much the residual of every coupling may be off without a fault, shape (n_couplings,): half of its play,
    and without bound where it gives way or slips."""
    reals = [coupling.real for coupling in mechanism.couplings]
    return np.array([np.inf if real.stiffness > 0.0 or real.slips else real.half_width for real in reals], dtype=float)


def coupling_residuals(mechanism: Mechanism, position: Array) -> Array:
    """The residuals of `CouplingRows` at one position."""
    return CouplingRows(mechanism).residuals(position)


def loop_frames(loop: MechanismJoint, body_matrices: Array) -> Array:
    """Pose of the child side's joint frame in the parent side's, X_JpJc, shape (4, 4). `body_matrices`: X_WB, shape
    (n_bodies, 4, 4)."""
    X_WJp = body_matrices[loop.parent] @ loop.X_PJ.matrix()
    X_WJc = body_matrices[loop.child] @ loop.X_CJ.matrix()
    inverse = np.eye(4)
    inverse[:3, :3] = X_WJp[:3, :3].T
    # X^-1 = [Rᵀ, -Rᵀ p].
    inverse[:3, 3] = -X_WJp[:3, :3].T @ X_WJp[:3, 3]
    relative: Array = inverse @ X_WJc
    return relative


def loop_motion(loop: MechanismJoint, relative: Array) -> tuple[Array, Array]:
    """Positions of the loop joint's axes (one per motion, angles in (-pi, pi]) and the pose that is left when they are
    undone on the child's side, shape (4, 4): its small motions are in the parent's joint frame, as the rows of
    `dynamics` are."""
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
            angle = twist_about(direction, relative[:3, :3])
            left[:3, :3] = left[:3, :3] @ matrix_from_axis_angle(direction, -angle)
            positions.append(angle)
    return np.array(positions), left


class LoopRows:
    """All loop joints of a mechanism as flat arrays, for residuals at many poses.

    Distance: what is left of the way between both joint frames when the directions that slide are taken out. Angle: of
    the whole turn where nothing turns; between the axis on both sides where one does; none for balls; with two axes
    what `loop_motion` leaves.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        loops = mechanism.loop_joints
        self._loops = loops
        self._parent = np.array([loop.parent for loop in loops], dtype=np.intp)
        self._child = np.array([loop.child for loop in loops], dtype=np.intp)
        self._X_PJ = np.array([loop.X_PJ.matrix() for loop in loops]).reshape(-1, 4, 4)
        self._X_CJ = np.array([loop.X_CJ.matrix() for loop in loops]).reshape(-1, 4, 4)
        self._held = np.array([held_directions(loop) for loop in loops]).reshape(-1, 3, 3)
        turns = [[m.direction for m in loop.motions if m.kind is MotionKind.ROTATION] for loop in loops]
        self._axis = np.array([t[0] if len(t) == 1 else (0.0, 0.0, 0.0) for t in turns], dtype=float).reshape(-1, 3)
        chained = [loop.kind is not JointKind.BALL for loop in loops]
        self._rigid = np.array([chain and not t for chain, t in zip(chained, turns, strict=True)], dtype=bool)
        self._two = [i for i, t in enumerate(turns) if len(t) > 1]

    def residuals(self, body_matrices: Array) -> Array:
        """Distance and angle of every loop joint, shape (..., n_loops, 2) [m, rad]; `body_matrices`: X_WB, shape (...,
        n_bodies, 4, 4)."""
        before = body_matrices.shape[:-3]
        if not self._loops:
            return np.zeros((*before, 0, 2))
        X_WJp = body_matrices[..., self._parent, :, :] @ self._X_PJ
        X_WJc = body_matrices[..., self._child, :, :] @ self._X_CJ
        back = X_WJp[..., :3, :3].swapaxes(-1, -2)
        R = back @ X_WJc[..., :3, :3]
        gap = self._held @ back @ (X_WJc[..., :3, 3] - X_WJp[..., :3, 3])[..., None]
        turned = (R @ self._axis[:, :, None])[..., 0]
        sine = np.where(self._rigid[:, None], 0.5 * _skew_part(R), cross(self._axis, turned))
        whole = 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0)
        apart = np.sum(self._axis * turned, axis=-1)
        # atan2(|sine|, cosine) is exact near 0 and near π, where acos of a trace loses half of the digits.
        angle = np.arctan2(np.linalg.norm(sine, axis=-1), np.where(self._rigid, whole, apart))
        result = np.stack((np.linalg.norm(gap[..., 0], axis=-1), angle), axis=-1)
        for i in self._two:
            for at in np.ndindex(before):
                relative = np.eye(4)
                relative[:3, :3] = R[at][i]
                left = loop_motion(self._loops[i], relative)[1]
                result[at][i, 1] = np.linalg.norm(rotation_vector(left[:3, :3]))
        return result


def loop_residuals(mechanism: Mechanism, body_matrices: Array) -> Array:
    """The residuals of `LoopRows` at one pose."""
    return LoopRows(mechanism).residuals(body_matrices)


def held_directions(loop: MechanismJoint) -> Array:
    """Projector onto the directions in which the joint does not slide, in the parent's joint frame, shape (3, 3)."""
    sliding = [motion.direction for motion in loop.motions if motion.kind is MotionKind.TRANSLATION]
    if not sliding:
        return np.eye(3)
    basis, _ = np.linalg.qr(np.array(sliding).T)
    held: Array = np.eye(3) - basis @ basis.T
    return held


def _skew_part(R: Array) -> Array:
    """Axial vectors of R - R^T, shape (..., 3)."""
    parts = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    return np.stack(parts, axis=-1)


def _two_angles(loop: MechanismJoint, relative: Array) -> tuple[Array, Array]:
    """Angles of R(a, q0) R(b, q1): with the second axis held on the child, q0 turns b about a, then q1 turns the rest
    about b."""
    a, b = (np.array(motion.direction) for motion in loop.motions)
    R = relative[:3, :3]
    turned = R @ b
    # R b = R(a, q0) b: the angle about a from b's part across a to that of R b.
    side = np.cross(a, b)
    q0 = math.atan2(float(side @ turned), float((b - (a @ b) * a) @ turned))
    rest = matrix_from_axis_angle(a, -q0) @ R
    q1 = twist_about(b, rest)
    left = relative.copy()
    left[:3, :3] = R @ matrix_from_axis_angle(b, -q1) @ matrix_from_axis_angle(a, -q0)
    return np.array([q0, q1]), left
