"""Velocities to start with: those that are asked for, and the least motion of all else that couplings and loops ask for
with them.

Of all velocities v with K v = 0 in which the axes that were asked move as asked, the one of least kinetic energy ½ vᵀ M
v is taken, M being the mass matrix of the tree with rotors: what impulses on the asked axes alone would bring about.
What hangs on an axis that is asked, and is free, stays behind as its inertia wants it to; a robot that floats keeps its
momentum of zero.

A body that floats starts as the document says of one of its links, and carries along what hangs on it: the motion of
the joints is added to its own.

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
from simulator.kinematics.start import document_twists, document_velocities, without_stated
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.physics.queries.equations import Equations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.kinematics.closure import ClosedCluster
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
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


ROUND_OFF = 1e-12
"""Velocities [rad/s or m/s] up to this, and this part of the largest, are asked as zero: what a rigid axis has in a
state that was computed."""


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
    if any(wanted.values()):
        mass = (equations or Equations(kinematics, added_inertia)).mass_matrix(state)
        moving = _least_motion(kinematics, state, wanted, mass)
    for axis, value in enumerate(moving.velocity.tolist() if asked else ()):
        _require_slow(mechanism, axis, value)
    twists = document_twists(mechanism) if beside_document else {}
    return with_twists(kinematics, moving, twists) if twists else moving


def _require_slow(mechanism: Mechanism, axis: int, value: float) -> None:
    info = mechanism.axes[axis]
    if abs(value) > info.axis.velocity * (1.0 + AGREES):
        limit = speed_text(info, info.axis.velocity)
        raise UsageError(f"'{info.name}' cannot start with {speed_text(info, value)}: its velocity limit is {limit}")


def _least_motion(kinematics: Kinematics, state: JointState, wanted: Mapping[int, float], mass: Array) -> JointState:
    """`mass`: over the freedoms of the forest, nothing coupled or closed, shape (n_dof, n_dof)."""
    poses = kinematics.body_matrices(state)
    # v = L^-T z turns vᵀ M v into zᵀ z: the least kinetic energy is the shortest z, a problem of least squares.
    root = _root(mass)
    rows = np.array([np.linalg.solve(root, kinematics.axis_row(axis, state, poses)) for axis in wanted])
    K = np.linalg.solve(root, kinematics.constraint_matrix(state).T).T
    singular = closure_of(kinematics, state).singular if kinematics.mechanism.has_curves else ()
    if singular:
        choices = product(*(_beside_motions(cluster, K.shape[1]) for cluster in singular))
        # Each choice of one motion for every singular cluster adds the rows that hold the cluster to its tangent.
        ways = [np.concatenate((K, *(np.linalg.solve(root, held.T).T for held in choice))) for choice in choices]
        moves = _of_one_motion(kinematics.mechanism, wanted, rows, ways, singular)
    else:
        allowed = _null_space(K)
        # z = N w has the length of w: N is orthonormal.
        moves = allowed @ _checked(kinematics.mechanism, wanted, rows, rows @ allowed)
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


def _of_one_motion(
    mechanism: Mechanism,
    wanted: Mapping[int, float],
    rows: Array,
    ways: list[Array],
    singular: tuple[ClosedCluster, ...],
) -> Array:
    """The least of the velocities that the ways allow. Raises AssemblyError, which names the motions, where none
    does."""
    found = []
    refused = ""
    for way in ways:
        allowed = _null_space(way)
        try:
            found.append(allowed @ _checked(mechanism, wanted, rows, rows @ allowed, AGREES_AT_CHANGE_POINT))
        except AssemblyError as error:
            refused = str(error)
    if not found:
        meeting = "; ".join(
            f"'{item.loops[0]}': " + ", ".join(motion_text(mechanism, motion, item.columns) for motion in item.motions)
            for item in singular
            if item.motions
        )
        raise AssemblyError(
            f"{refused}; the start is a change point, where these motions meet: {meeting}" if meeting else refused
        )
    return min(found, key=lambda moves: float(np.linalg.norm(moves)))


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
                f"{speed_text(info, implied)} while {before}"
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
