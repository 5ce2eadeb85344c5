"""Each loop by itself: what it is made of, whether it is planar, its branch, and the class of a four-bar.

Grashof's theorem with s the shortest, l the longest bar and p, q the others: s + l < p + q lets the shortest bar turn
fully; which class that makes depends on where it is (names as in Norton, Design of Machinery, ch. 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.constraint_rows import loop_members, normal_at, pivots_of
from simulator.kinematics.independence import rank_of, singular_values
from simulator.kinematics.kinematics import constrained_directions
from simulator.mechanism.loops import closing_rows, loop_path, plane_normal
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import JointKind, MotionKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.constraint_rows import NamedRows
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


EQUAL = 1e-6
"""Part of the longest bar by which s + l and p + q may differ and still count as equal: a change-point linkage."""
_STANDS = 1e-9
_LETTERS = {(): "F", ("R",): "R", ("P",): "P", ("R", "R"): "U", ("R", "P"): "C", ("P", "R"): "C"}


@dataclass(frozen=True)
class FourBarClass:
    """`grashof`: crank-rocker, double-crank, double-rocker, change-point or triple-rocker; `lengths`: bars by body [m],
    in loop order, the fixed one last; `shortest`: bodies that are the shortest bar (several where they are equally
    long)."""

    grashof: str
    lengths: tuple[tuple[str, float], ...]
    shortest: tuple[str, ...]


@dataclass(frozen=True)
class LoopCondition:
    """One loop. `joint`: the loop joint that closes it; `joints`: all, in order from the body that stays fixed; `type`:
    four-bar, slider-crank or the letters of the joints; `rows` of the loop joint, of which `rank` are independent here;
    `sigma_min`: smallest nonzero singular value of these rows.

    `sign`: sign of det K_d of the loop's own rows with its first axes independent. It changes only at a dead point of
    those, so it labels the assembly branch; 0 at such a point, None where the loop has no square K_d or is
    over-constrained in space. `branch`: of a four-bar: open, or crossed where two opposite bars cross each other in
    this pose.
    """

    joint: str
    joints: tuple[str, ...]
    type: str
    planar: bool
    rows: int
    rank: int
    sigma_min: float | None
    sign: int | None
    branch: str | None
    four_bar: FourBarClass | None


def loop_conditions(kinematics: Kinematics, state: JointState, rows: NamedRows) -> tuple[LoopCondition, ...]:
    """All loops, in the order of the mechanism's loop joints."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    return tuple(
        _loop_condition(kinematics, state, index, poses, rows.K[[name.loop == index for name in rows.names]])
        for index in range(len(mechanism.loop_joints))
    )


def _loop_condition(kinematics: Kinematics, state: JointState, index: int, poses: Array, K: Array) -> LoopCondition:
    mechanism = kinematics.mechanism
    loop = mechanism.loop_joints[index]
    members = loop_members(mechanism, loop)
    normal = normal_at(mechanism, loop, poses)
    letters = "".join(_joint_letter(joint) for joint in members)
    is_four_bar = normal is not None and letters.replace("S", "R") == "RRRR"
    pivots = np.zeros((0, 2)) if normal is None else pivots_of(members, poses) @ _plane_basis(normal).T
    apart = np.zeros(2) if normal is None else _closure_vector(loop, poses) @ _plane_basis(normal).T
    values = singular_values(K)
    rank = rank_of(values)
    return LoopCondition(
        joint=loop.name,
        joints=tuple(joint.name for joint in members),
        type=_type_name(letters, planar=normal is not None, is_four_bar=is_four_bar),
        planar=normal is not None,
        rows=len(K),
        rank=rank,
        sigma_min=float(values[rank - 1]) if rank else None,
        sign=_sign(kinematics, state, index, poses),
        branch=_branch(pivots) if is_four_bar else None,
        four_bar=_classified(mechanism, loop, members, pivots, apart) if is_four_bar else None,
    )


def _joint_letter(joint: MechanismJoint) -> str:
    if joint.kind is not JointKind.CHAIN:
        return "S" if joint.kind is JointKind.BALL else "6"
    kinds = tuple("R" if motion.kind is MotionKind.ROTATION else "P" for motion in joint.motions)
    return "H" if joint.type is not None and joint.type.value == "screw" else _LETTERS.get(kinds, "".join(kinds))


def _type_name(letters: str, *, planar: bool, is_four_bar: bool) -> str:
    if is_four_bar:
        return "four-bar"
    if planar and sorted(letters) == ["P", "R", "R", "R"]:
        return "slider-crank"
    return f"{len(letters)}{letters[0]}" if len(set(letters)) == 1 else letters


# Bars


def _classified(
    mechanism: Mechanism, loop: MechanismJoint, members: Sequence[MechanismJoint], pivots: Array, apart: Array
) -> FourBarClass | None:
    """`apart`: from the loop joint on its child, where `pivots` has it, to where it is on its parent, if the loop is
    open."""
    ways = len(loop_path(loop, mechanism.joints)[0])
    # Bars are distances of neighbouring pivots; the one across the loop joint takes the gap of an open loop along.
    spans = np.roll(pivots, -1, axis=0) - pivots
    spans[ways - 1] += apart
    lengths = np.linalg.norm(spans, axis=1)
    bodies = [joint.child if place <= ways else joint.parent for place, joint in enumerate(members)]
    names = [mechanism.bodies[body].name for body in bodies]
    if lengths.min() <= EQUAL * lengths.max():
        return None
    shortest = tuple(
        name for name, length in zip(names, lengths, strict=True) if length <= lengths.min() + EQUAL * lengths.max()
    )
    bars = tuple((name, float(length)) for name, length in zip(names, lengths, strict=True))
    return FourBarClass(grashof_class([float(length) for length in lengths]), bars, shortest)


def _closure_vector(loop: MechanismJoint, poses: Array) -> Array:
    """From the child's side of a loop joint to the parent's [m], shape (3,)."""
    gap: Array = ((poses[loop.parent] @ loop.X_PJ.matrix()) - (poses[loop.child] @ loop.X_CJ.matrix()))[:3, 3]
    return gap


def grashof_class(lengths: Sequence[float]) -> str:
    """Class of a four-bar by its bars in loop order: (side, coupler, side, fixed)."""
    s, p, q, longest = sorted(lengths)
    # Grashof 1883: s + l < p + q lets the shortest bar turn; where it is decides which of the others can.
    excess = s + longest - p - q
    if abs(excess) <= EQUAL * longest:
        return "change-point"
    if excess > 0.0:
        return "triple-rocker"
    return ("crank-rocker", "double-rocker", "crank-rocker", "double-crank")[list(lengths).index(s)]


def _plane_basis(normal: Array) -> Array:
    """Two directions that span the plane, shape (2, 3)."""
    across: Array = np.linalg.svd(normal[None])[2][1:]
    return across


def _branch(pivots: Array) -> str:
    """Crossed where the first bar meets the third or the second the fourth."""
    a, b, c, d = pivots
    return "crossed" if _cross(a, b, c, d) or _cross(b, c, d, a) else "open"


def _cross(a: Array, b: Array, c: Array, d: Array) -> bool:
    """Whether the inner parts of segments ab and cd meet."""
    return _side(a, b, c) * _side(a, b, d) < 0.0 and _side(c, d, a) * _side(c, d, b) < 0.0


def _side(a: Array, b: Array, c: Array) -> float:
    area = float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
    size = float(np.linalg.norm(b - a) * np.linalg.norm(c - a))
    return area if abs(area) > _STANDS * size else 0.0


# Sign


def _sign(kinematics: Kinematics, state: JointState, index: int, poses: Array) -> int | None:
    mechanism = kinematics.mechanism
    loop = mechanism.loop_joints[index]
    parent_side, child_side = loop_path(loop, mechanism.joints)
    joints = [mechanism.joints[j] for j in (*parent_side, *child_side)]
    if len(loop.motions) > 1 or any(joint.kind is not JointKind.CHAIN for joint in joints):
        return None
    values, _ = loop_motion(loop, loop_frames(loop, poses))
    allowed = constrained_directions(loop, values)
    steady = _steady_rows(mechanism, loop)
    if len(steady) != closing_rows(loop, mechanism.joints, mechanism.bodies):
        return None
    K = steady @ allowed.T @ kinematics.loop_rows(index, state, poses)
    if plane_normal(loop, mechanism.joints, mechanism.bodies) is None and rank_of(singular_values(K)) < len(K):
        return None  # over-constrained in space: the determinant is zero everywhere and distinguishes no branches
    followers = mechanism.follower_axes()
    axes = sorted((m.axis for joint in joints for m in joint.motions), key=lambda axis: (axis in followers, axis))
    dependent = [kinematics.layout.of_axis[axis] for axis in axes[len(axes) - len(K) :]]
    if len(dependent) != len(K) or len(K) == 0:
        return None
    K_d = K[:, dependent]
    size = float(np.prod(np.linalg.norm(K_d, axis=0)))
    value = float(np.linalg.det(K_d))
    return 0 if abs(value) <= _STANDS * max(size, 1e-300) else int(np.sign(value))


def _steady_rows(mechanism: Mechanism, loop: MechanismJoint) -> Array:
    """The directions that the loop joint forbids and its loop could move in, orthonormal, the same in the parent's
    joint frame whatever the state, shape (n, 6)."""
    allowed = constrained_directions(loop, np.zeros(len(loop.motions)))
    projector = allowed.T @ allowed
    normal = plane_normal(loop, mechanism.joints, mechanism.bodies)
    if normal is None:
        wanted = list(np.eye(6))
    else:
        n = (mechanism.bodies[loop.parent].X_WB @ loop.X_PJ).rotation().T @ normal
        zeros = np.zeros(3)
        wanted = [np.concatenate((n, zeros)), *(np.concatenate((zeros, v)) for v in _plane_basis(n))]
    found: list[Array] = []
    for vector in wanted:
        left = projector @ vector
        for known in found:
            left = left - (known @ left) * known
        size = float(np.linalg.norm(left))
        if size > 1e-4:
            found.append(left / size)
    return np.array(found).reshape(-1, 6)
