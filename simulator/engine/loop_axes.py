"""The axes of loop joints over many steps: nobody's coordinates, so they are read off the poses of their bodies.

Poses tell angles up to whole turns. Where hinges that carry both bodies, up to where their ways in the tree meet, are
parallel to the axis, as those of a loop in a plane, all of them keep that direction, and how far the axis has turned is
the signed sum of their angles, which are known with their turns: then poses at any two steps are enough. Else turns
are counted from step to step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion

    Array = NDArray[np.float64]

TURN = 2.0 * np.pi
PARALLEL = 1e-3
"""Largest sine between axes that are parallel here: the sum of angles is only to tell whole turns."""


class LoopAxes:
    """Those of one mechanism. `axes`: their indices; `bodies`: whose poses tell them; `are_single`: whether no loop
    joint has two of them, which only `set_loop_axes` takes apart; `counted`: the tree axes whose positions tell their
    turns, or None where poses after every step do."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._found = [(loop, motion) for loop in mechanism.loop_joints for motion in loop.motions]
        self.are_single = all(len(loop.motions) < 2 for loop in mechanism.loop_joints)
        self.axes = [motion.axis for _, motion in self._found]
        ends = {body for loop, _ in self._found for body in (loop.parent, loop.child)}
        self.bodies = tuple(sorted(ends - {WORLD_BODY}))
        self._place = {body: i for i, body in enumerate(self.bodies)}
        ways = [_way(mechanism, loop, motion) for loop, motion in self._found]
        known = [way for way in ways if way is not None]
        self.counted = tuple(sorted({axis for way in known for axis in way})) if len(known) == len(ways) else None
        self._signs = np.array([[way.get(axis, 0.0) for axis in self.counted or ()] for way in known])

    def follow(self, poses: Array, last: Array, moved: Array | None = None, start: Array | None = None) -> Array:
        """Positions after steps in which `bodies` were at `poses`, X_WB of shape (n, n_bodies, 7), and before which
        they were `last`, shape (n, n_axes) and (n_axes,) [rad or m].

        `moved`: by how much the `counted` axes have moved since those of loops were at `start`, shape (n, n_counted);
        nan where only turns since the pose before count, for between two steps an axis turns by less than half of one.
        """
        placed, found = matrices(poses), np.empty((len(poses), len(self.axes)))
        for i, (loop, motion) in enumerate(self._found):
            found[:, i] = self._values(loop, motion, placed)
            if motion.kind is MotionKind.ROTATION:
                ahead = None if moved is None or start is None else start[i] + moved @ self._signs[i]
                found[:, i] += TURN * _turns(found[:, i], ahead, float(last[i]))
        return found

    def _values(self, loop: MechanismJoint, motion: Motion, placed: Array) -> Array:
        """Travel, or the angle in (-pi, pi], as `mechanism.residuals.loop_motion`, shape (n,)."""
        inboard, outboard = (
            (placed[:, self._place[body]] if body != WORLD_BODY else np.eye(4)[None]) @ X_BJ.matrix()
            for body, X_BJ in ((loop.parent, loop.X_PJ), (loop.child, loop.X_CJ))
        )
        direction, back = np.array(motion.direction), inboard[:, :3, :3].transpose(0, 2, 1)
        if motion.kind is MotionKind.TRANSLATION:
            gap = outboard[:, :3, 3] - inboard[:, :3, 3]
            travel: Array = (back @ gap[:, :, None])[:, :, 0] @ direction
            return travel
        R = back @ outboard[:, :3, :3]
        skew = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
        cosine = np.trace(R, axis1=1, axis2=2) - (R @ direction) @ direction
        angle: Array = np.arctan2(np.stack(skew, axis=1) @ direction, cosine)
        return angle


def _turns(angles: Array, ahead: Array | None, last: float) -> Array:
    """Whole turns to be added to angles in (-pi, pi], shape (n,): those of what is known `ahead` of them, (n,), or
    where nothing or nan is, of the shortest way from the angle before."""
    back = np.round((last - angles[:1]) / TURN)
    path: Array = np.cumsum(np.concatenate((back, np.round(-np.diff(angles) / TURN))))
    if ahead is None:
        return path
    known = np.round((ahead - angles) / TURN)
    since = np.maximum.accumulate(np.where(np.isnan(known), -1, np.arange(len(angles))))
    turns: Array = path + np.where(since >= 0, (known - path)[since], 0.0)
    return turns


def _way(mechanism: Mechanism, loop: MechanismJoint, motion: Motion) -> dict[int, float] | None:
    """Signs with which positions of tree axes add up to how far the axis of a loop joint turns; None where these turn
    about other directions, too."""
    if motion.kind is MotionKind.TRANSLATION:
        return {}
    found, (inboard, outboard) = dict[int, float](), loop_path(loop, mechanism.joints)
    direction = _direction_at_start(mechanism, loop, motion)
    for joints, sign in ((inboard, -1.0), (outboard, 1.0)):
        for joint in [mechanism.joints[j] for j in joints]:
            if joint.kind is not JointKind.CHAIN:
                return None
            for turn in [turn for turn in joint.motions if turn.kind is MotionKind.ROTATION]:
                axis = _direction_at_start(mechanism, joint, turn)
                if np.linalg.norm(np.cross(axis, direction)) > PARALLEL:
                    return None
                found[turn.axis] = sign * float(np.sign(axis @ direction))
    return found


def _direction_at_start(mechanism: Mechanism, joint: MechanismJoint, motion: Motion) -> Array:
    """Of an axis in the world, where the document places bodies."""
    placed: Array = (mechanism.bodies[joint.parent].X_WB @ joint.X_PJ).rotation() @ np.array(motion.direction)
    return placed
