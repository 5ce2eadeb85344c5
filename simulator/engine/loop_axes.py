"""The axes of loop joints over many steps: nobody's coordinates, so they are read off the poses of their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, MotionKind
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion

    Array = NDArray[np.float64]

TURN = 2.0 * np.pi


class LoopAxes:
    """Those of one mechanism. `axes`: their indices; `bodies`: whose poses tell them; `are_single`: whether no loop
    joint has two of them, which only `set_loop_axes` takes apart."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._found = [(loop, motion) for loop in mechanism.loop_joints for motion in loop.motions]
        self.are_single = all(len(loop.motions) < 2 for loop in mechanism.loop_joints)
        self.axes = [motion.axis for _, motion in self._found]
        ends = {body for loop, _ in self._found for body in (loop.parent, loop.child)}
        self.bodies = tuple(sorted(ends - {WORLD_BODY}))
        self._place = {body: i for i, body in enumerate(self.bodies)}

    def follow(self, poses: Array, last: Array) -> Array:
        """Positions after steps in which `bodies` were at `poses`, X_WB of shape (n, n_bodies, 7), and before which
        they were `last`, shape (n, n_axes) and (n_axes,) [rad or m]. Turns go on: between two steps an axis turns by
        less than half of one."""
        placed, found = matrices(poses), np.empty((len(poses), len(self.axes)))
        for i, (loop, motion) in enumerate(self._found):
            values = self._values(loop, motion, placed)
            if motion.kind is MotionKind.ROTATION:
                back = np.round((last[i] - values[:1]) / TURN)
                values = values + TURN * np.cumsum(np.concatenate((back, np.round(-np.diff(values) / TURN))))
            found[:, i] = values
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
