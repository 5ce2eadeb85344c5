"""Which way hinges of the tree turn the axes of loop joints, so that their whole turns are known.

An axis of a loop joint is not a coordinate of Bullet: its position is read off the frames of its two bodies, which give
angles up to whole turns. If all hinges that carry these bodies, up to where their paths in the tree meet, are parallel
to the axis, as in a loop in a plane, all of them keep that direction, and the axis turns by the signed sum of their
angles. Otherwise turns are counted from state to state, which then must follow each other closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import JointKind, MotionKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion

    Array = NDArray[np.float64]

PARALLEL = 1e-3
"""Largest sine between axes that are parallel here: the sum of angles is only to tell whole turns."""


def loop_turns(mechanism: Mechanism) -> dict[int, Array | None]:
    """By axis of a loop joint that turns, the signs with which the positions of all axes add up to its own, shape
    (n_axes,); None where its turns have to be counted."""
    return {
        motion.axis: _signs(mechanism, loop, motion)
        for loop in mechanism.loop_joints
        for motion in loop.motions
        if motion.kind is MotionKind.ROTATION
    }


def _signs(mechanism: Mechanism, loop: MechanismJoint, motion: Motion) -> Array | None:
    found = np.zeros(len(mechanism.axes))
    (inboard, outboard) = loop_path(loop, mechanism.joints)
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
