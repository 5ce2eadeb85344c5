"""Which tree joints a loop joint closes over, and whether that loop moves in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.extent import MOST_JOINTS_IN_LOOPS, Allowance
from simulator.mechanism.types import JointKind, MotionKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Body, MechanismJoint

_PARALLEL = 1e-6


def loop_path(loop: MechanismJoint, joints: Sequence[MechanismJoint]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tree joints between the nearest common body and the loop joint's two ends: (on the parent's side, on the child's
    side), each from the end inwards. Joint i carries body i + 1, and what carries it has a smaller number: the larger
    of two ends cannot be the common one.
    """
    sides: tuple[list[int], list[int]] = ([], [])
    ends = [loop.parent, loop.child]
    while ends[0] != ends[1]:
        # Parents have smaller numbers than their children: the greater of two ends goes up.
        side = int(ends[1] > ends[0])
        sides[side].append(ends[side] - 1)
        ends[side] = joints[ends[side] - 1].parent
    return tuple(sides[0]), tuple(sides[1])


def check_extent(loops: Sequence[MechanismJoint], joints: Sequence[MechanismJoint]) -> None:
    """Raises TooLargeError where the loops have together more joints than are looked into."""
    allowance = Allowance(
        MOST_JOINTS_IN_LOOPS, "the joints of all loops, each counted in every loop that it belongs to, are"
    )
    for loop in loops:
        parent_side, child_side = loop_path(loop, joints)
        allowance.take(1 + len(parent_side) + len(child_side), loop.source)


def is_planar(loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]) -> bool:
    """Whether every joint of the loop moves in one plane: all hinges parallel, all slides perpendicular to them;
    without hinges, all slides in one plane."""
    return plane_normal(loop, joints, bodies) is not None


def plane_normal(
    loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]
) -> NDArray[np.float64] | None:
    """Unit normal of the plane that the loop moves in, in the world at the start, shape (3,); None where it moves in
    space.

    It points along the first hinge of the loop; without hinges along any direction perpendicular to the slides.
    """
    return _normal(*_motions(loop, joints, bodies))


def closing_rows(loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]) -> int:
    """Rows that the loop joint takes in the Kutzbach-Gruebler count: d - f, where d is the dimension of the motions
    that the loop's joints make together: 6 in space, 3 in a plane, and as many as the slides span where nothing turns.

    A ball turns about the plane's normal alone in a plane, and not at all between slides.
    """
    return plane_and_rows(loop, joints, bodies)[1]


def plane_and_rows(loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]) -> tuple[bool, int]:
    """(`is_planar`, `closing_rows`) of a loop."""
    turning, sliding = _motions(loop, joints, bodies)
    planar = _normal(turning, sliding) is not None
    if turning is not None and not turning and sliding:
        return planar, max(0, _span(sliding) - loop.dof) if loop.kind is not JointKind.BALL else _span(sliding)
    if not planar:
        return False, loop.rows
    return True, 2 if loop.kind is JointKind.BALL else max(0, 3 - loop.dof)


def _normal(
    turning: list[NDArray[np.float64]] | None, sliding: list[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """Of the plane in which these motions are, see `plane_normal`."""
    if turning is None:
        return None
    if not turning:
        return _normal_of_slides(sliding)
    normal = turning[0]
    parallel = bool(np.all(np.linalg.norm(np.cross(normal, turning), axis=1) < _PARALLEL))
    return normal if parallel and all(abs(float(normal @ d)) < _PARALLEL for d in sliding) else None


def _motions(
    loop: MechanismJoint, joints: Sequence[MechanismJoint], bodies: Sequence[Body]
) -> tuple[list[NDArray[np.float64]] | None, list[NDArray[np.float64]]]:
    """Directions in the world of all hinges and of all slides of the loop; hinges are None where something turns about
    a point."""
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
    # The right singular vector of the smallest singular value is perpendicular to all slides.
    normal: NDArray[np.float64] = np.linalg.svd(np.array(sliding))[2][-1]
    return normal


def _directions(joint: MechanismJoint, bodies: Sequence[Body]) -> list[tuple[MotionKind, NDArray[np.float64]]]:
    """Directions of the joint's motions in the world at the start."""
    R_WJ = (bodies[joint.parent].X_WB @ joint.X_PJ).rotation()
    return [(motion.kind, R_WJ @ np.array(motion.direction)) for motion in joint.motions]
