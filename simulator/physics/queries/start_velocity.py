"""Velocities to start with: those that are asked for, and the least motion of all else that couplings and loops ask for
with them.

Of all velocities v with K v = 0 in which the axes that were asked move as asked, the one of least kinetic energy ½ vᵀ M
v is taken, M being the mass matrix of the tree with rotors: what impulses on the asked axes alone would bring about.
What hangs on an axis that is asked, and is free, stays behind as its inertia wants it to; a robot that floats keeps its
momentum of zero.

A body that floats starts as the document says of one of its links, and carries along what hangs on it: the motion of
the joints is added to its own. Where the document gives velocities to other links, of all motions in which the axes
move as asked those are taken that come nearest to them, by least squares over [rad/s, m/s], and of these the one of
least kinetic energy.

At a change point K allows more velocities than the mechanism can have. There v is that of one of the motions that meet:
of those on which the asked axes can move as asked the one of least kinetic energy.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.closure import closure_of, motion_text
from simulator.kinematics.free_bodies import with_twists
from simulator.kinematics.limits import speed_text
from simulator.kinematics.start import document_twists, document_velocities, thrown_links, without_stated
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.physics.queries.equations import Equations, point_jacobian
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.kinematics.closure import ClosedCluster
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Link
    from simulator.spatial.arrays import Array


NOTHING = 1e-9
"""Rows of K of less than this part of the longest are zero but for a rounding, as those that hold a planar loop in its
plane."""
RANK = 1e-6
"""Singular values of K below this part of the largest are zero: rows that hold twice over in a document of rounded
figures."""
IMMOVABLE = 1e-6
"""Part of its mobility below which constraints leave an axis none."""
WEIGHTLESS = 1e-9
"""Inertia that everything is given where something has none, per largest of the mass matrix."""
AGREES = 1e-9
"""Relative difference up to which velocities are the same."""
AGREES_AT_CHANGE_POINT = 1e-6
"""The same where motions meet, whose directions are known from a thousandth of a radian beside."""


MISSED = 1e-6
"""Difference from the velocity of a link that the document gives, as part of it, or of 1 rad/s or m/s, up to which the
link has it: documents write six digits."""
ROUND_OFF = 1e-12
"""Velocities [rad/s or m/s] up to this, and this part of the largest, are asked as zero: what a rigid axis has in a
state that was computed."""


@dataclass(frozen=True, eq=False)
class _Thrown:
    """A link with the Jacobian of its origin (6, n_dof) and the twist that it is to have there (6,), angular first,
    world axes."""

    link: Link
    J: Array
    twist: Array


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a motion z = Lᵀ v is asked for: rates of axes, `rows` (n, n_dof) of them, and of links, each with Jacobian
    (6, n_dof) and twist."""

    mechanism: Mechanism
    wanted: Mapping[int, float]
    rows: Array
    thrown: list[tuple[Array, Array]]

    def lack_of_links(self, moves: Array) -> float:
        """By how much links move otherwise, as a length over [rad/s, m/s]."""
        return float(sum(np.linalg.norm(J @ moves - twist) for J, twist in self.thrown))


def set_moving(
    kinematics: Kinematics,
    state: JointState,
    asked: Mapping[int, float],
    added_inertia: Array | None = None,
    *,
    beside_document: bool = True,
    equations: Equations | None = None,
) -> JointState:
    """`state`, which is assembled, with the velocities that the document asks for and those that the user asks for, by
    axis [rad/s or m/s].

    `added_inertia` (n_axes, n_axes): of rotors, see `CompiledMechanism`. `beside_document` False: only what the user
    asks for. `equations`: with the same inertia, where there are some. The document's velocities are cut at the
    velocity limits. Raises UsageError where a velocity of the user would be above a limit, AssemblyError where
    couplings and loops do not allow what is asked.
    """
    mechanism = kinematics.mechanism
    for axis, value in asked.items():
        _require_slow(mechanism, axis, value)
    wanted = {**(document_velocities(mechanism) if beside_document else {}), **asked}
    least = ROUND_OFF * max((1.0, *map(abs, wanted.values())))
    wanted = {axis: value if abs(value) > least else 0.0 for axis, value in wanted.items()}
    kinematics = without_stated(kinematics, wanted).as_meant
    moving = state
    links = _thrown_beside_bases(kinematics, state) if beside_document else []
    if links or any(wanted.values()):
        mass = (equations or Equations(kinematics, added_inertia)).mass_matrix(state)
        moving = _least_motion(kinematics, state, wanted, mass, links)
    for axis, value in enumerate(moving.velocity.tolist() if asked else ()):
        _require_slow(mechanism, axis, value)
    twists = document_twists(mechanism) if beside_document else {}
    return with_twists(kinematics, moving, twists) if twists else moving


def _require_slow(mechanism: Mechanism, axis: int, value: float) -> None:
    info = mechanism.axes[axis]
    if abs(value) > info.axis.velocity * (1.0 + AGREES):
        limit = speed_text(info, info.axis.velocity)
        raise UsageError(f"'{info.name}' cannot start with {speed_text(info, value)}: its velocity limit is {limit}")


def missed_velocities(kinematics: Kinematics, state: JointState) -> list[tuple[Link, Array]]:
    """Links that do not float and move in `state` otherwise than the document says, and by how much: angular velocity
    [rad/s], then that of the origin [m/s], world axes, shape (6,)."""
    kinematics = kinematics.as_meant
    rates = np.zeros(kinematics.layout.size)
    for axis, column in enumerate(kinematics.layout.of_axis):
        if column >= 0:
            rates[column] = state.velocity[axis]
    for slot, joint in enumerate(multi_dof_joints(kinematics.mechanism)):
        first = kinematics.layout.first[joint]
        rates[first : first + 3] = state.loose_twist[slot, :3]
    found = [(of, of.J @ rates - of.twist) for of in _thrown_beside_bases(kinematics, state)]
    return [(of.link, lack) for of, lack in found if np.abs(lack).max() > MISSED * max(1.0, np.abs(of.twist).max())]


def _thrown_beside_bases(kinematics: Kinematics, state: JointState) -> list[_Thrown]:
    """Links of bodies that do not float to which the document gives a velocity, beside the motion of the floating base
    that they hang on."""
    mechanism = kinematics.mechanism
    links = thrown_links(mechanism)
    if not links:
        return []
    poses = kinematics.body_matrices(state)
    thrown = [(body, link, *_motion_of(link, poses[body] @ X_BL.matrix())) for body, link, X_BL in links]
    bases = {body: (at, twist) for body, _, at, twist in thrown if _floats(mechanism, body)}
    found = []
    for body, link, at, twist in thrown:
        if body in bases:
            continue
        J = point_jacobian(kinematics, state, poses, body, at)
        base = body
        while base and not _floats(mechanism, base):
            base = mechanism.joints[base - 1].parent
        carried = np.zeros(6)
        if base:
            first = kinematics.layout.first[base - 1]
            J[:, first : first + 6] = 0.0
        if base in bases:
            origin, carried = bases[base]
            carried = np.concatenate((carried[:3], carried[3:] + np.cross(carried[:3], at - origin)))
        found.append(_Thrown(link, J, twist - carried))
    return found


def _motion_of(link: Link, X_WL: Array) -> tuple[Array, Array]:
    """Its origin in the world [m] and the twist there that the document gives it, angular first, world axes."""
    start = link.start_velocity
    assert start is not None
    return X_WL[:3, 3], np.array((*start.angular, *start.linear))


def _floats(mechanism: Mechanism, body: int) -> bool:
    return mechanism.joints[body - 1].kind is JointKind.FREE


def _least_motion(
    kinematics: Kinematics, state: JointState, wanted: Mapping[int, float], mass: Array, links: Sequence[_Thrown]
) -> JointState:
    """`mass`: over the freedoms of the forest, nothing coupled or closed, shape (n_dof, n_dof)."""
    poses = kinematics.body_matrices(state)
    # v = L^-T z turns vᵀ M v into zᵀ z: the least kinetic energy is the shortest z, a problem of least squares.
    root = _root(mass)
    rows = [np.linalg.solve(root, kinematics.axis_row(axis, state, poses)) for axis in wanted]
    thrown = [(np.linalg.solve(root, of.J.T).T, of.twist) for of in links]
    asked = _Asked(kinematics.mechanism, wanted, np.array(rows).reshape(-1, len(mass)), thrown)
    K = np.linalg.solve(root, kinematics.constraint_matrix(state).T).T
    singular = closure_of(kinematics, state).singular if kinematics.mechanism.has_curves else ()
    if singular:
        choices = product(*(_beside_motions(cluster, K.shape[1]) for cluster in singular))
        # Each choice of one motion for every singular cluster adds the rows that hold the cluster to its tangent.
        ways = [np.concatenate((K, *(np.linalg.solve(root, held.T).T for held in choice))) for choice in choices]
        moves = _of_one_motion(asked, ways, singular)
    else:
        moves = _least_moves(asked, _null_space(K))
    rates = np.linalg.solve(root.T, moves)
    velocity = np.array([kinematics.axis_row(axis, state, poses) @ rates for axis in range(len(state.position))])
    for axis, value in wanted.items():
        velocity[axis] = value
    return replace(state, velocity=velocity, loose_twist=_twists(kinematics, rates))


def _root(M: Array) -> Array:
    """L with L Lᵀ = M. Where something moves without inertia, as a follower may, a little of its own decides how."""
    try:
        root = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        root = np.linalg.cholesky(M + WEIGHTLESS * max(float(np.abs(M).max(initial=0.0)), 1.0) * np.eye(len(M)))
    return np.asarray(root, dtype=np.float64)


def _null_space(rows: Array) -> Array:
    """Orthonormal columns that all rows, of whatever length, leave alone."""
    lengths = np.linalg.norm(rows, axis=1)
    count = lengths > NOTHING * lengths.max(initial=0.0)
    _, sizes, right = np.linalg.svd(rows[count] / lengths[count, None], full_matrices=True)
    allowed: Array = right[int(np.sum(sizes > RANK * sizes.max(initial=0.0))) :].T
    return allowed


def _beside_motions(cluster: ClosedCluster, size: int) -> list[Array]:
    """For every motion of a cluster at a singular position the rows that hold it there, shape (n, size); for a rigid
    one those that hold all of it."""
    columns = list(cluster.columns)
    found = []
    for tangent in [motion.tangent[columns] for motion in cluster.motions] or [np.zeros((len(columns), 0))]:
        basis = np.linalg.qr(tangent)[0]
        held = np.zeros((len(columns), size))
        # (E - T Tᵀ) v = 0 says that v is along the tangent.
        held[:, columns] = np.eye(len(columns)) - basis @ basis.T
        found.append(held)
    return found


def _of_one_motion(asked: _Asked, ways: list[Array], singular: tuple[ClosedCluster, ...]) -> Array:
    """The best of the velocities that the ways allow. Raises AssemblyError, which names the motions, where none
    does."""
    found = []
    refused = ""
    for way in ways:
        try:
            found.append(_least_moves(asked, _null_space(way), AGREES_AT_CHANGE_POINT))
        except AssemblyError as error:
            refused = str(error)
    if not found:
        meeting = "; ".join(
            f"'{item.loops[0]}': "
            + ", ".join(motion_text(asked.mechanism, motion, item.columns) for motion in item.motions)
            for item in singular
            if item.motions
        )
        raise AssemblyError(
            f"{refused}; the start is a change point, where these motions meet: {meeting}" if meeting else refused
        )
    return min(found, key=lambda moves: (asked.lack_of_links(moves), float(np.linalg.norm(moves))))


def _least_moves(asked: _Asked, allowed: Array, agrees: float = AGREES) -> Array:
    """The shortest z = N w, N being the orthonormal columns `allowed`, in which the axes move as wanted and then the
    links as nearly as they can."""
    left = asked.rows @ allowed
    moves = _checked(asked.mechanism, asked.wanted, asked.rows, left, agrees)
    if asked.thrown:
        free = _null_space(left) if len(left) else np.eye(len(moves))
        rows = np.concatenate([J @ allowed for J, _ in asked.thrown])
        lacks = np.concatenate([twist for _, twist in asked.thrown]) - rows @ moves
        moves = moves + free @ np.linalg.lstsq(rows @ free, lacks, rcond=NOTHING)[0]
    return np.asarray(allowed @ moves)


def _checked(
    mechanism: Mechanism, wanted: Mapping[int, float], rows: Array, left: Array, agrees: float = AGREES
) -> Array:
    """The shortest solution of left z = wanted. Raises AssemblyError, which names the axes, where there is none."""
    values = np.array(list(wanted.values()))
    moves = np.zeros(left.shape[1])
    for count, axis in enumerate(wanted):
        info = mechanism.axes[axis]
        value = float(values[count])
        if value != 0.0 and np.linalg.norm(left[count]) <= IMMOVABLE * np.linalg.norm(rows[count]):
            text = f"'{info.name}' cannot start with {speed_text(info, value)}: couplings and loops leave it no motion"
            raise AssemblyError(text)
        # One axis after the other, so that the message can say which of them the others already decide.
        implied = float(left[count] @ moves)
        moves = np.linalg.lstsq(left[: count + 1], values[: count + 1], rcond=RANK)[0]
        missed = np.abs(left[: count + 1] @ moves - values[: count + 1]).max()
        if missed > agrees * np.abs(values[: count + 1]).max():
            before = ", ".join(
                f"'{mechanism.axes[other].name}' moves with {speed_text(mechanism.axes[other], wanted[other])}"
                for other in list(wanted)[:count]
            )
            raise AssemblyError(
                f"'{info.name}' cannot start with {speed_text(info, value)}: couplings and loops move it with "
                f"{speed_text(info, implied)}" + (f" while {before}" if before else "")
            )
    return moves


def _twists(kinematics: Kinematics, rates: Array) -> Array:
    """Twists of balls and free joints, shape (n_loose, 6)."""
    mechanism = kinematics.mechanism
    twists = np.zeros((len(multi_dof_joints(mechanism)), 6))
    for slot, joint in enumerate(multi_dof_joints(mechanism)):
        first = kinematics.layout.first[joint]
        size = 6 if mechanism.joints[joint].kind is JointKind.FREE else 3
        twists[slot, :size] = rates[first : first + size]
    return twists
