"""Transmission angles: how well a coupler turns or pushes the link that it drives.

At the pin where a coupler drives a link that is hinged to the ground it is the angle between the line from that pin to
the coupler's other pin and the line to the hinge; where the driven link slides, the acute angle between the coupler's
line and the normal of the slide. At 90° all of the coupler's force does work, at 0° none (Alt 1932; Hain, Applied
Kinematics, ch. 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.analysis.sweeps import Swept
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class Drive:
    """A pin through which a coupler drives a link that a joint with the ground guides; `far` is the coupler's other
    pin."""

    pin: MechanismJoint
    far: MechanismJoint
    guide: MechanismJoint


def drives_of(mechanism: Mechanism, moved: frozenset[int]) -> tuple[Drive, ...]:
    """The pins at which a coupler drives a guided link; `moved`: axes that are moved, whose links drive and are not
    driven."""
    joints = (*mechanism.joints, *mechanism.loop_joints)
    guides = {_other(joint, WORLD_BODY): joint for joint in joints if WORLD_BODY in (joint.parent, joint.child)}
    inputs = {body for body, guide in guides.items() if any(motion.axis in moved for motion in guide.motions)}
    found = []
    for pin in filter(_is_pin, joints):
        for coupler, driven in ((pin.parent, pin.child), (pin.child, pin.parent)):
            guide = guides.get(driven)
            if (
                coupler in guides
                or WORLD_BODY in (coupler, driven)
                or driven in inputs
                or guide is None
                or not guide.motions
            ):
                continue
            pins = [
                joint
                for joint in joints
                if joint is not pin and coupler in (joint.parent, joint.child) and _is_pin(joint)
            ]
            nearest = [joint for joint in pins if _other(joint, coupler) in inputs]
            if nearest or len(pins) == 1:
                found.append(Drive(pin, (nearest or pins)[0], guide))
    return tuple(found)


def transmission_angle(swept: Swept, drive: Drive) -> Array:
    """In radians at every point, shape (n,)."""
    pin, far = _place(swept, drive.pin), _place(swept, drive.far)
    motion = drive.guide.motions[0]
    R, origin = swept.body_frames(drive.guide.parent)
    X = drive.guide.X_PJ.matrix()
    axis = R @ X[:3, :3] @ np.array(motion.direction)
    line = far - pin
    if motion.kind is MotionKind.TRANSLATION:
        along = np.abs(np.sum(line * axis, axis=1))
        across = np.linalg.norm(line - np.sum(line * axis, axis=1)[:, None] * axis, axis=1)
        angle: Array = np.arctan2(along, across)
        return angle
    to_hinge = origin + R @ X[:3, 3] - pin
    line, to_hinge = (v - np.sum(v * axis, axis=1)[:, None] * axis for v in (line, to_hinge))
    turned: Array = np.arctan2(np.linalg.norm(np.cross(line, to_hinge), axis=1), np.sum(line * to_hinge, axis=1))
    return turned


def _is_pin(joint: MechanismJoint) -> bool:
    return joint.kind is JointKind.CHAIN and len(joint.motions) == 1 and joint.motions[0].kind is MotionKind.ROTATION


def _other(joint: MechanismJoint, body: int) -> int:
    return joint.child if joint.parent == body else joint.parent


def _place(swept: Swept, joint: MechanismJoint) -> Array:
    """Where a joint is in the world, shape (n, 3)."""
    R, origin = swept.body_frames(joint.parent)
    placed: Array = origin + R @ joint.X_PJ.matrix()[:3, 3]
    return placed
