"""K with a name for every row and column, its residual, and the scaling that makes its rows and columns comparable.

The rows of a loop span the same directions as those of `Kinematics.constraint_matrix`, turned so that each says one
thing: no rotation about, or no gap along, an axis of the world or the normal of the loop's plane. Singular values, rank
G are the same for both.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.kinematics import column_lengths, constrained_directions
from simulator.mechanism.loops import loop_path, plane_normal
from simulator.mechanism.residuals import coupling_residuals, loop_frames, loop_motion
from simulator.mechanism.types import JointKind, MotionKind
from simulator.records import dataclass
from simulator.spatial.rotation import rotation_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Cluster, Coupling, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


_TURN, _GAP = "turn about", "gap along"
_LOOSE = ("rx", "ry", "rz", "tx", "ty", "tz")
_ALIGNED = 1e-6


@dataclass(frozen=True)
class RowName:
    """`joint`: the loop joint or the follower that the row belongs to; `text`: that and what the row forbids; `loop`:
    index of the loop joint, −1 for a coupling; `coupling`: its index, −1 for a loop; `is_length`: whether the row's
    residual is a length; `out_of_plane`: whether it forbids what a planar loop cannot do anyway."""

    joint: str
    text: str
    loop: int = -1
    coupling: int = -1
    is_length: bool = False
    out_of_plane: bool = False


@dataclass(frozen=True, eq=False)
class NamedRows:
    """K (rows, freedoms) and residual (rows,) [rad, m] at one state."""

    names: tuple[RowName, ...]
    K: Array
    residual: Array


def named_rows(kinematics: Kinematics, state: JointState) -> NamedRows:
    """All rows of all loops, then of all couplings, in the order of the mechanism."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    names: list[RowName] = []
    rows: list[Array] = [np.zeros((0, kinematics.layout.size))]
    residuals: list[Array] = [np.zeros(0)]
    position = state.position.copy()
    for index, loop in enumerate(mechanism.loop_joints):
        values, left = loop_motion(loop, loop_frames(loop, poses))
        position[[motion.axis for motion in loop.motions]] = values
        allowed = constrained_directions(loop, values)
        frame = (poses[loop.parent] @ loop.X_PJ.matrix())[:3, :3]
        normal = normal_at(mechanism, loop, poses)
        directions, texts = _readable(allowed, frame, normal)
        flat = _out_of_plane(mechanism, loop, directions, None if normal is None else frame.T @ normal)
        error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
        rows.append(directions @ allowed.T @ kinematics.loop_rows(index, state, poses))
        residuals.append(directions @ error)
        names += [
            RowName(loop.name, f"{loop.name}: {text}", loop=index, is_length=text.startswith(_GAP), out_of_plane=out)
            for text, out in zip(texts, flat, strict=True)
        ]
    for index, coupling in enumerate(mechanism.couplings):
        rows.append(kinematics.coupling_row(index, state, poses, position)[None])
        follower = mechanism.axes[coupling.follower]
        names.append(RowName(follower.joint, coupling_label(coupling, mechanism), coupling=index))
    residuals.append(coupling_residuals(mechanism, position))
    return NamedRows(tuple(names), np.concatenate(rows), np.concatenate(residuals))


def coupling_label(coupling: Coupling, mechanism: Mechanism) -> str:
    """The name of the row of a coupling."""
    if coupling.name:
        return f"{coupling.kind.value} {coupling.name}"
    return f"{coupling.kind.value} of {mechanism.axes[coupling.follower].name}"


def _readable(allowed: Array, frame: Array, normal: Array | None) -> tuple[Array, list[str]]:
    """An orthonormal basis of the constrained directions (rows of `allowed`, joint frame) that is aligned with the
    plane's normal and the world's axes as far as possible, angular ones first, and what each row forbids."""
    # Rows may be turned within the space they span: K q̇ = 0 stays the same, each row gets a meaning of its own.
    projector = allowed.T @ allowed
    wanted = [frame.T @ normal] if normal is not None else []
    wanted += list(frame)
    found, texts = [], []
    for first, text in ((0, _TURN), (3, _GAP)):
        # Directions of turns and of gaps do not mix: every joint there is leaves a product of both free.
        for direction in _basis(projector[first : first + 3, first : first + 3], wanted):
            row = np.zeros(6)
            row[first : first + 3] = direction
            found.append(row)
            texts.append(f"{text} {_named(frame @ direction)}")
    return np.array(found).reshape(-1, 6), texts


def _out_of_plane(mechanism: Mechanism, loop: MechanismJoint, directions: Array, normal: Array | None) -> list[bool]:
    """For every row (joint frame): in a planar loop, whether it is a tilt or a gap along the normal; between slides,
    any turn."""
    if normal is None:
        return [False] * len(directions)
    motions = [motion for joint in loop_members(mechanism, loop) for motion in joint.motions]
    turns = loop.kind is JointKind.BALL or any(motion.kind is MotionKind.ROTATION for motion in motions)
    flat = []
    for row in directions:
        is_turn = float(np.linalg.norm(row[:3])) > 0.5
        tilts = not turns or abs(float(row[:3] @ normal)) < _ALIGNED
        # A gap across the normal and a turn about it are all that can open in a plane.
        flat.append(tilts if is_turn else abs(float(row[3:] @ normal)) > 1.0 - _ALIGNED)
    return flat


def _basis(projector: Array, wanted: Sequence[Array]) -> list[Array]:
    """Orthonormal vectors that span a projector's range: what is left of the wanted ones, the longest remainder
    first."""
    found: list[Array] = []
    left = projector.copy()
    for _ in range(round(float(np.trace(projector)))):
        remainders = [left @ vector for vector in wanted]
        # Ties go to what was wanted first, not to round-off.
        lengths = [float(np.linalg.norm(r)) * (1.0 - 1e-9 * place) for place, r in enumerate(remainders)]
        longest = remainders[int(np.argmax(lengths))]
        found.append(longest / np.linalg.norm(longest))
        # Deflation: what was found is taken out of the projector.
        left = left - np.outer(found[-1], found[-1])
    return found


def _named(direction: Array) -> str:
    """The world's axis, or the components; the sign says nothing for a row that must vanish."""
    place = int(np.argmax(np.abs(direction)))
    if abs(abs(float(direction[place])) - 1.0) < _ALIGNED:
        return "xyz"[place]
    signed = direction * np.sign(direction[place])
    return "(" + " ".join(f"{c:.3g}" for c in np.round(signed, 6) + 0.0) + ")"


def normal_at(mechanism: Mechanism, loop: MechanismJoint, poses: Array) -> Array | None:
    """Normal of the loop's plane in the world at these poses; it is fixed in every body of the loop."""
    normal = plane_normal(loop, mechanism.joints, mechanism.bodies)
    if normal is None:
        return None
    turned: Array = poses[loop.parent][:3, :3] @ mechanism.bodies[loop.parent].X_WB.rotation().T @ normal
    return turned


def column_names(mechanism: Mechanism) -> tuple[str, ...]:
    """A name for every freedom of the forest: its axis, or joint and rx ry rz (tx ty tz) for balls and free joints."""
    names: list[str] = []
    for joint in mechanism.joints:
        if joint.kind is JointKind.CHAIN:
            names += [mechanism.axes[motion.axis].name for motion in joint.motions]
        else:
            names += [f"{joint.name}:{part}" for part in _LOOSE[: joint.dof]]
    return tuple(names)


def loop_members(mechanism: Mechanism, loop: MechanismJoint) -> tuple[MechanismJoint, ...]:
    """The joints around a loop in order: from the fixed body up the parent's side, the loop joint, and down the child's
    side."""
    parent_side, child_side = loop_path(loop, mechanism.joints)
    up = [mechanism.joints[j] for j in reversed(parent_side)]
    down = [mechanism.joints[j] for j in child_side]
    return (*up, loop, *down)


def pivots_of(members: Sequence[MechanismJoint], poses: Array) -> Array:
    """Origins of the joints in the world, shape (n, 3)."""
    return np.array([(poses[joint.child] @ joint.X_CJ.matrix())[:3, 3] for joint in members])


def loop_length(mechanism: Mechanism, loop: MechanismJoint, poses: Array) -> float:
    """The longest distance between neighbouring joints of the loop [m]; 1 where all stand in one place."""
    pivots = pivots_of(loop_members(mechanism, loop), poses)
    longest = float(np.linalg.norm(pivots - np.roll(pivots, 1, axis=0), axis=1).max(initial=0.0))
    return longest if longest > 0.0 else 1.0


def cluster_columns(kinematics: Kinematics, cluster: Cluster) -> list[int]:
    """The freedoms of a cluster's joints."""
    first, joints = kinematics.layout.first, kinematics.mechanism.joints
    return [first[j] + place for j in cluster.joints for place in range(joints[j].dof)]


def cluster_rows(rows: NamedRows, cluster: Cluster) -> list[int]:
    """The rows of a cluster's loops and couplings."""
    return [
        i for i, name in enumerate(rows.names) if name.loop in cluster.loop_joints or name.coupling in cluster.couplings
    ]


def units_of(kinematics: Kinematics, rows: NamedRows, poses: Array) -> tuple[Array, Array]:
    """The unit of every freedom, shape (n_dof,), and of every row: the longest link of its cluster's loops for
    lengths [m], 1 rad for angles; for an axis that only couplings connect to a loop, as much as moves the loop's axis
    by 1."""
    mechanism = kinematics.mechanism
    columns = np.ones(kinematics.layout.size)
    lengths = np.ones(len(rows.names))
    for cluster in mechanism.clusters:
        loops = [loop_length(mechanism, mechanism.loop_joints[i], poses) for i in cluster.loop_joints]
        columns[cluster_columns(kinematics, cluster)] = max(loops, default=1.0)
        lengths[cluster_rows(rows, cluster)] = max(loops, default=1.0)
    units = np.where(column_lengths(mechanism), columns, 1.0)
    for cluster in mechanism.clusters:
        if cluster.loop_joints and cluster.couplings:
            _carry_over(kinematics, cluster, units)
    return units, np.where(np.array([name.is_length for name in rows.names], dtype=bool), lengths, 1.0)


def _carry_over(kinematics: Kinematics, cluster: Cluster, units: Array) -> None:
    """Give axes outside of loops their units: a gear's ratio or a screw's pitch must not make a loop look nearly
    singular."""
    mechanism = kinematics.mechanism
    of_axis = kinematics.layout.of_axis
    paths = [loop_path(mechanism.loop_joints[i], mechanism.joints) for i in cluster.loop_joints]
    inside = {joint for path in paths for side in path for joint in side}
    known = {motion.axis for joint in inside for motion in mechanism.joints[joint].motions}
    ties: dict[int, list[tuple[tuple[int, float], ...]]] = {}
    for i in cluster.couplings:
        if mechanism.couplings[i].curve is not None:
            continue  # a ratio that changes, through 0 perhaps, says nothing about units
        terms = tuple((axis, factor) for axis, factor in mechanism.couplings[i].terms if factor != 0.0)
        if all(of_axis[axis] >= 0 for axis, _ in terms):
            for axis, _ in terms:
                ties.setdefault(axis, []).append(terms)
    queue = deque(sorted(known))
    while queue:
        for terms in ties.get(queue.popleft(), []):
            new = [(axis, factor) for axis, factor in terms if axis not in known]
            if len(new) == 1:
                (axis, factor) = new[0]
                # A unit of the new axis moves the axes that are known by at most a unit of theirs: Σ a q = b, row by
                # row.
                moved = max(abs(other) * units[of_axis[given]] for given, other in terms if given in known)
                units[of_axis[axis]] = moved / abs(factor)
                known.add(axis)
                queue.append(axis)


def scaled(kinematics: Kinematics, rows: NamedRows, poses: Array) -> Array:
    """K without units; a coupling's row has length 1."""
    columns, lengths = units_of(kinematics, rows, poses)
    K = rows.K * columns / lengths[:, None]
    sizes = np.linalg.norm(K, axis=1)
    couples = np.array([name.coupling >= 0 for name in rows.names], dtype=bool) & (sizes > 0.0)
    result: Array = K / np.where(couples, sizes, 1.0)[:, None]
    return result
