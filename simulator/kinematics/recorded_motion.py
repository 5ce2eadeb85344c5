"""Motion of bodies in a recording: from the recorded axes and loose bodies (on balls and free joints), of all
samples at once."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.types import WORLD_BODY, MotionKind
from simulator.records import dataclass
from simulator.spatial.pose_arrays import compose, cross, matrices, rotate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion
    from simulator.spatial.arrays import Array


INVERSE = np.array([-1.0, -1.0, -1.0, 1.0])
"""Times a unit quaternion: the turn back."""


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """`position`, `velocity`: of all axes, shape (n, n_axes). `loose`: by body on a ball or free joint X_WB as x, y, z,
    qx, qy, qz, qw, and in world axes its angular velocity and that of its origin, shape (n, 13)."""

    mechanism: Mechanism
    position: Array
    velocity: Array
    loose: Mapping[int, Array]
    _found: dict[int, tuple[Array, Array]] = field(default_factory=dict)

    def body(self, body: int) -> tuple[Array, Array]:
        """X_WB of a body, shape (n, 7), and in world axes its angular velocity and that of its origin, shape (n, 6)."""
        poses, twists = self._about_world(body)
        twists = twists.copy()
        twists[:, 3:] += cross(twists[:, :3], poses[:, :3])
        return poses, twists

    def states(self) -> list[JointState]:
        """The state at every sample."""
        loose = [self._joint(self.mechanism.joints[joint]) for joint in multi_dof_joints(self.mechanism)]
        n = len(self.position)
        poses = np.stack([pose for pose, _ in loose], axis=1) if loose else np.zeros((n, 0, 4, 4))
        twists = np.stack([twist for _, twist in loose], axis=1) if loose else np.zeros((n, 0, 6))
        return list(map(JointState, self.position, self.velocity, poses, twists))

    def _about_world(self, body: int) -> tuple[Array, Array]:
        """As `body`, with the velocity of the point at the origin of the world; found once for each body."""
        path = [body]
        while path[-1] not in self._found and path[-1] != WORLD_BODY and path[-1] not in self.loose:
            path.append(self.mechanism.joints[path[-1] - 1].parent)
        for one in reversed(path):
            if one not in self._found:
                self._found[one] = self._find(one)
        return self._found[body]

    def _find(self, body: int) -> tuple[Array, Array]:
        """The same, of a body whose inboard one is found."""
        if body == WORLD_BODY:
            poses, twists = np.zeros((len(self.position), 7)), np.zeros((len(self.position), 6))
            poses[:, 6] = 1.0
            return poses, twists
        if body in self.loose:
            poses, twists = self.loose[body][:, :7], self.loose[body][:, 7:].copy()
            twists[:, 3:] -= cross(twists[:, :3], poses[:, :3])
            return poses, twists
        joint = self.mechanism.joints[body - 1]
        inboard, moving = self._found[joint.parent]
        twists = moving.copy()
        poses = compose(inboard, np.array([joint.X_PJ.as_list()]))
        for motion in joint.motions:
            along = rotate(poses[:, 3:], np.array([motion.direction]))
            speed = self.velocity[:, motion.axis, None]
            if motion.kind is MotionKind.ROTATION:
                twists[:, :3] += speed * along
                along = cross(poses[:, :3], along)
            twists[:, 3:] += speed * along
            poses = compose(poses, _steps(motion, self.position[:, motion.axis]))
        return compose(poses, np.array([joint.X_CJ.inverse().as_list()])), twists

    def _joint(self, joint: MechanismJoint) -> tuple[Array, Array]:
        """Pose of the outboard in the inboard frame of a ball or free joint, shape (n, 4, 4), and its angular velocity
        and velocity in inboard axes, shape (n, 6)."""
        (inboard, turning), (outboard, moving) = self.body(joint.parent), self.body(joint.child)
        frame = compose(inboard, np.array([joint.X_PJ.as_list()]))
        there = compose(outboard, np.array([joint.X_CJ.as_list()]))
        back = frame[:, 3:] * INVERSE
        place = rotate(back, there[:, :3] - frame[:, :3])
        turn = compose(np.concatenate((np.zeros_like(place), back), axis=1), there)[:, 3:]
        velocity = moving[:, 3:] + cross(moving[:, :3], there[:, :3] - outboard[:, :3])
        velocity -= turning[:, 3:] + cross(turning[:, :3], there[:, :3] - inboard[:, :3])
        twist = rotate(back, moving[:, :3] - turning[:, :3]), rotate(back, velocity)
        return matrices(np.concatenate((place, turn), axis=1)), np.concatenate(twist, axis=1)


def _steps(motion: Motion, position: Array) -> Array:
    """Poses of one screw or slide step, shape (n, 7)."""
    direction = np.array(motion.direction)
    result = np.zeros((len(position), 7))
    if motion.kind is MotionKind.TRANSLATION:
        result[:, :3] = position[:, None] * direction
        result[:, 6] = 1.0
    else:
        half = 0.5 * np.remainder(position, 4.0 * np.pi)
        result[:, 3:6], result[:, 6] = np.sin(half)[:, None] * direction, np.cos(half)
    return result
