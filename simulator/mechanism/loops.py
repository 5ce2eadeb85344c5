"""Which tree joints a loop joint closes over, and whether that loop moves in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Body, MechanismJoint

_PARALLEL = 1e-6


def path_to_root(body: int, joints: Sequence[MechanismJoint]) -> list[int]:
    """Tree joints from the body down to the world (joint i carries body i + 1)."""
    path = []
    while body != WORLD_BODY:
        path.append(body - 1)
        body = joints[body - 1].parent
    return path


def loop_path(loop: MechanismJoint, joints: Sequence[MechanismJoint]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tree joints between the nearest common body and the loop joint's two ends: (on the parent's side, on the child's side)."""
    up_parent, up_child = path_to_root(loop.parent, joints), path_to_root(loop.child, joints)
    common = set(up_parent) & set(up_child)
    return (
        tuple(j for j in up_parent if j not in common),
        tuple(j for j in up_child if j not in common),
    )


def is_planar(loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]) -> bool:
    """Whether every joint of the loop moves in one plane: all hinges parallel, all slides perpendicular to them."""
    parent_side, child_side = loop_path(loop, joints)
    members = [joints[j] for j in (*parent_side, *child_side)] + [loop]
    if any(member.kind is JointKind.FREE for member in members):
        return False
    if any(member.kind is JointKind.BALL for member in members[:-1]):
        return False
    turning = [d for member in members for kind, d in _directions(member, bodies) if kind is MotionKind.ROTATION]
    sliding = [d for member in members for kind, d in _directions(member, bodies) if kind is MotionKind.TRANSLATION]
    if not turning:
        return False
    normal = turning[0]
    parallel = all(float(np.linalg.norm(np.cross(normal, d))) < _PARALLEL for d in turning)
    return parallel and all(abs(float(normal @ d)) < _PARALLEL for d in sliding)


def _directions(joint: MechanismJoint, bodies: Sequence[Body]) -> list[tuple[MotionKind, NDArray[np.float64]]]:
    """Directions of the joint's motions in the world at the start."""
    R_WJ = (bodies[joint.parent].X_WB @ joint.X_PJ).rotation()
    return [(motion.kind, R_WJ @ np.array(motion.direction)) for motion in joint.motions]
