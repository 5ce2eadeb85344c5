"""Forward kinematics of the spanning forest and the Jacobian of its loops and couplings.

A chain joint composes one screw motion per axis: X_PC = X_PJ * prod exp(direction_i q_i) * X_JC. Loop rows follow from
the twist of the loop joint's two frames against each other (geometric Jacobian; Featherstone, Rigid Body Dynamics
Algorithms, ch. 8): the rows are those directions of the twist that the loop joint does not leave free.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache, reduce
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.spectrum import RANK_TOLERANCE, Spectrum
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.alignment import aligned
from simulator.mechanism.loops import loop_path
from simulator.mechanism.real_couplings import as_tied
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import JointKind, Motion, MotionKind
from simulator.records import dataclass
from simulator.spatial.rotation import cross, rows_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class DofLayout:
    """Places of each joint's freedoms in the velocity vector of the forest: `first[joint]`; `of_axis[axis]` (-1 on a
    loop joint)."""

    first: tuple[int, ...]
    of_axis: tuple[int, ...]
    size: int


def dof_layout(mechanism: Mechanism) -> DofLayout:
    """Freedoms in tree order: one per motion, three per ball (angular), six per free joint (angular, linear)."""
    first = []
    of_axis = [-1] * len(mechanism.axes)
    size = 0
    for joint in mechanism.joints:
        first.append(size)
        for i, motion in enumerate(joint.motions):
            of_axis[motion.axis] = size + i
        size += joint.dof
    return DofLayout(tuple(first), tuple(of_axis), size)


def column_lengths(mechanism: Mechanism) -> NDArray[np.bool_]:
    """Which freedoms are lengths."""
    flags: list[bool] = []
    for joint in mechanism.joints:
        if joint.kind is JointKind.CHAIN:
            flags += [motion.kind is MotionKind.TRANSLATION for motion in joint.motions]
        else:
            flags += [place >= 3 for place in range(joint.dof)]
    return np.array(flags, dtype=bool)


class Kinematics:
    """Poses and Jacobians of one mechanism, without the couplings that tie nothing; holds data that do not change with
    the state."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = as_tied(mechanism)
        self.layout = dof_layout(mechanism)
        self._X_PJ = [joint.X_PJ.matrix() for joint in mechanism.joints]
        self._X_JC = [joint.X_CJ.inverse().matrix() for joint in mechanism.joints]
        self._loose = {joint: i for i, joint in enumerate(multi_dof_joints(mechanism))}
        self._has_curves = any(coupling.curve is not None for coupling in self.mechanism.couplings)
        self._paths = [loop_path(loop, mechanism.joints) for loop in mechanism.loop_joints]

    def like(self, mechanism: Mechanism) -> Kinematics:
        """The kinematics of a mechanism with other numbers; if its joints are the same, the axes are reused without
        another search."""
        found = Kinematics(mechanism)
        same = mechanism.joints is self.mechanism.joints and mechanism.loop_joints is self.mechanism.loop_joints
        if same and self.__dict__.get("as_meant") is self:
            found.__dict__["as_meant"] = found
        return found

    @cached_property
    def as_meant(self) -> Kinematics:
        """The kinematics of the mechanism with the axes of its loops corrected (`mechanism.alignment`); itself if
        none is out of line."""
        mechanism, found = aligned(self.mechanism)
        return Kinematics(mechanism) if found else self

    def body_matrices(self, state: JointState) -> Array:
        """X_WB of every body, shape (n_bodies, 4, 4)."""
        poses = np.tile(np.eye(4), (len(self.mechanism.bodies), 1, 1))
        for i, joint in enumerate(self.mechanism.joints):
            poses[i + 1] = (
                poses[joint.parent] @ self._X_PJ[i] @ self._joint_motion_transform(i, joint, state) @ self._X_JC[i]
            )
        return poses

    def _joint_motion_transform(self, index: int, joint: MechanismJoint, state: JointState) -> Array:
        if joint.kind is not JointKind.CHAIN:
            loose: Array = state.loose_pose[self._loose[index]]
            return loose
        steps = [motion_matrix(motion, float(state.position[motion.axis])) for motion in joint.motions]
        return reduce(np.matmul, steps) if steps else np.eye(4)

    def joint_jacobian(self, index: int, state: JointState, poses: Array) -> list[tuple[int, Array]]:
        """(freedom, twist per unit of it) of one tree joint; twists are (angular, linear at the world origin) in world
        axes, (6,)."""
        joint = self.mechanism.joints[index]
        first = self.layout.first[index]
        frame = poses[joint.parent] @ self._X_PJ[index]
        if joint.kind is not JointKind.CHAIN:
            outboard = frame @ state.loose_pose[self._loose[index]]
            # Balls and free joints turn about axes of the inboard frame through the outboard origin.
            columns = [_turn(frame[:3, k], outboard[:3, 3]) for k in range(3)]
            if joint.kind is JointKind.FREE:
                columns += [np.concatenate((np.zeros(3), frame[:3, k])) for k in range(3)]
            return [(first + k, column) for k, column in enumerate(columns)]
        twists = []
        for k, motion in enumerate(joint.motions):
            direction = frame[:3, :3] @ np.array(motion.direction)
            is_turn = motion.kind is MotionKind.ROTATION
            twist = _turn(direction, frame[:3, 3]) if is_turn else np.concatenate((np.zeros(3), direction))
            twists.append((first + k, twist))
            frame = frame @ motion_matrix(motion, float(state.position[motion.axis]))
        return twists

    def loop_rows(self, loop_index: int, state: JointState, poses: Array) -> Array:
        """Rows of K for one loop joint, shape (6 - f, n_dof): K qd is the part of the relative twist that must
        vanish."""
        loop = self.mechanism.loop_joints[loop_index]
        values, _ = loop_motion(loop, loop_frames(loop, poses))
        rows: Array = constrained_directions(loop, values) @ self.loop_twist(loop_index, state, poses)
        return rows

    def axis_row(self, axis: int, state: JointState, poses: Array) -> Array:
        """Velocity of an axis per unit of each freedom, shape (n_dof,); that of a loop joint's axis follows from the
        tree's."""
        if self.layout.of_axis[axis] >= 0:
            # A tree axis is a freedom itself.
            unit = np.zeros(self.layout.size)
            unit[self.layout.of_axis[axis]] = 1.0
            return unit
        index, loop, place = next(
            (index, loop, place)
            for index, loop in enumerate(self.mechanism.loop_joints)
            for place, motion in enumerate(loop.motions)
            if motion.axis == axis
        )
        values, _ = loop_motion(loop, loop_frames(loop, poses))
        # twist = Fᵀ q̇_loop + what the loop forbids: least squares picks the axis' own rate, F being the free
        # directions.
        row: Array = np.linalg.pinv(free_directions(loop, values).T)[place] @ self.loop_twist(index, state, poses)
        return row

    def positions(self, state: JointState, poses: Array) -> Array:
        """Positions of all axes, those of loop joints by the poses, shape (n_axes,)."""
        if not self.mechanism.loop_joints:
            return state.position
        position = state.position.copy()
        for loop in self.mechanism.loop_joints:
            position[[motion.axis for motion in loop.motions]] = loop_motion(loop, loop_frames(loop, poses))[0]
        result: Array = position
        return result

    def coupling_row(self, index: int, state: JointState, poses: Array, position: Array) -> Array:
        """Row of K of a coupling, shape (n_dof,). `position`: of all axes."""
        slopes = self.mechanism.couplings[index].slopes(position)
        row: Array = np.sum([slope * self.axis_row(axis, state, poses) for axis, slope in slopes], axis=0)
        return row

    def loop_twist(self, loop_index: int, state: JointState, poses: Array) -> Array:
        """Twist of the loop joint's child side against its parent side per unit of each freedom, at the child's joint
        frame and in the axes of the parent's, shape (6, n_dof)."""
        loop = self.mechanism.loop_joints[loop_index]
        frame = poses[loop.parent] @ loop.X_PJ.matrix()
        at = poses[loop.child] @ loop.X_CJ.matrix()
        twist = np.zeros((6, self.layout.size))
        # Only joints between the common ancestor and the two ends move them against each other; what is above cancels.
        parent_side, child_side = self._paths[loop_index]
        for sign, side in ((-1.0, parent_side), (1.0, child_side)):
            for joint in side:
                for column, about_origin in self.joint_jacobian(joint, state, poses):
                    angular = about_origin[:3]
                    # v at a point is v at the origin + ω x r (RBDA 2.8); then into the axes in which the joint is
                    # described.
                    linear = about_origin[3:] + cross(angular, at[:3, 3])
                    twist[:3, column] += sign * (frame[:3, :3].T @ angular)
                    twist[3:, column] += sign * (frame[:3, :3].T @ linear)
        return twist

    def constraint_matrix(self, state: JointState) -> Array:
        """K of all loops, then of all couplings, shape (n_rows, n_dof)."""
        poses = self.body_matrices(state)
        rows = [self.loop_rows(i, state, poses) for i in range(len(self.mechanism.loop_joints))]
        # Coefficients of straight laws are the same everywhere.
        position = self.positions(state, poses) if self._has_curves else state.position
        for index in range(len(self.mechanism.couplings)):
            rows.append(self.coupling_row(index, state, poses, position)[None])
        return np.concatenate(rows) if rows else np.zeros((0, self.layout.size))

    def rank_mobility(self, state: JointState, tolerance: float = RANK_TOLERANCE) -> int:
        """Degrees of freedom by the numeric rank of K at this state (singular values below `tolerance` times the
        largest are zero)."""
        matrix = self.constraint_matrix(state)
        if matrix.size == 0:
            return self.layout.size
        return self.layout.size - Spectrum(matrix).rank(tolerance)


def motion_matrix(motion: Motion, position: float) -> Array:
    """exp(direction * position): the 4x4 matrix of one screw or slide step."""
    if motion.kind is MotionKind.TRANSLATION:
        x, y, z = motion.direction
        rows = ((1.0, 0.0, 0.0, x * position), (0.0, 1.0, 0.0, y * position), (0.0, 0.0, 1.0, z * position))
    else:
        a, b, c = rows_from_axis_angle(motion.direction, math.remainder(position, 2.0 * math.pi))
        rows = ((*a, 0.0), (*b, 0.0), (*c, 0.0))
    return np.array((*rows, (0.0, 0.0, 0.0, 1.0)))


def free_directions(loop: MechanismJoint, values: Array) -> Array:
    """The twists (angular, linear, parent's joint frame) that a chain joint allows at those positions of its axes,
    shape (f, 6)."""
    return _free_directions(loop.motions, tuple(map(float, values[:-1])))


def _free_directions(motions: Sequence[Motion], before: Sequence[float]) -> Array:
    free = np.zeros((len(motions), 6))
    turned = np.eye(3)
    for i, motion in enumerate(motions):
        offset = 0 if motion.kind is MotionKind.ROTATION else 3
        free[i, offset : offset + 3] = turned @ np.array(motion.direction)
        if i < len(before):
            turned = turned @ motion_matrix(motion, before[i])[:3, :3]
    return free


def constrained_directions(loop: MechanismJoint, values: Array) -> Array:
    """Orthonormal rows, shape (6 - f, 6): the twists (angular, linear, parent's joint frame) that the joint does not
    allow there."""
    if loop.kind is JointKind.BALL:
        return np.hstack((np.zeros((3, 3)), np.eye(3)))
    # Where the joint is changes what a motion does only behind another motion.
    return _complement(loop.motions, tuple(map(float, values[:-1])))


@lru_cache(1024)
def _complement(motions: tuple[Motion, ...], before: tuple[float, ...]) -> Array:
    """The orthogonal complement of the twists that these motions allow, all but the last of which have the positions
    `before`."""
    # The right singular vectors beyond the rank.
    rows: Array = np.linalg.svd(_free_directions(motions, before))[2][len(motions) :]
    rows.flags.writeable = False
    return rows


def _turn(direction: Array, through: Array) -> Array:
    """Twist of a rotation about an axis through a point, linear part taken at the world's origin."""
    return np.concatenate((direction, cross(through, direction)))
