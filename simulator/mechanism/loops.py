"""Which tree joints a loop joint closes over, and whether that loop moves in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.rotation import cross

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
    """Whether every joint of the loop moves in one plane: all hinges parallel, all slides perpendicular to them; without hinges, all
    slides in one plane."""
    return plane_normal(loop, joints, bodies) is not None


def plane_normal(
    loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]
) -> NDArray[np.float64] | None:
    """Unit normal of the plane that the loop moves in, in the world at the start, shape (3,); None where it moves in space.

    It points along the first hinge of the loop; without hinges along any direction perpendicular to the slides.
    """
    turning, sliding = _motions(loop, joints, bodies)
    if turning is None:
        return None
    if not turning:
        return _normal_of_slides(sliding)
    normal = turning[0]
    parallel = all(float(np.linalg.norm(cross(normal, d))) < _PARALLEL for d in turning)
    return normal if parallel and all(abs(float(normal @ d)) < _PARALLEL for d in sliding) else None


def closing_rows(loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]) -> int:
    """Rows that the loop joint takes in the Kutzbach-Gruebler count: d - f, where d is the dimension of the motions that the loop's
    joints make together: 6 in space, 3 in a plane, and as many as the slides span where nothing turns.

    A ball turns about the plane's normal alone in a plane, and not at all between slides.
    """
    turning, sliding = _motions(loop, joints, bodies)
    if turning is not None and not turning and sliding:
        return max(0, _span(sliding) - loop.dof) if loop.kind is not JointKind.BALL else _span(sliding)
    if plane_normal(loop, joints, bodies) is None:
        return loop.rows
    return 2 if loop.kind is JointKind.BALL else max(0, 3 - loop.dof)


def _motions(
    loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]
) -> tuple[list[NDArray[np.float64]] | None, list[NDArray[np.float64]]]:
    """Directions in the world of all hinges and of all slides of the loop; hinges are None where something turns about a point."""
    parent_side, child_side = loop_path(loop, joints)
    members = [*(joints[j] for j in (*reversed(parent_side), *reversed(child_side))), loop]
    loose = any(member.kind is JointKind.FREE for member in members)
    if loose or any(member.kind is JointKind.BALL for member in members[:-1]):
        return None, []
    motions = [motion for member in members for motion in _directions(member, bodies)]
    return (
        [d for kind, d in motions if kind is MotionKind.ROTATION],
        [d for kind, d in motions if kind is MotionKind.TRANSLATION],
    )


def _span(directions: Sequence[NDArray[np.float64]]) -> int:
    return int(np.sum(np.linalg.svd(np.array(directions), compute_uv=False) > _PARALLEL))


def _normal_of_slides(sliding: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    if not sliding or _span(sliding) > 2:
        return None
    normal: NDArray[np.float64] = np.linalg.svd(np.array(sliding))[2][-1]
    return normal


def _directions(joint: MechanismJoint, bodies: Sequence[Body]) -> list[tuple[MotionKind, NDArray[np.float64]]]:
    """Directions of the joint's motions in the world at the start."""
    R_WJ = (bodies[joint.parent].X_WB @ joint.X_PJ).rotation()
    return [(motion.kind, R_WJ @ np.array(motion.direction)) for motion in joint.motions]
