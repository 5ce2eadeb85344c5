"""How loops hold a mechanism along its motion, and what its positions are where that motion branches or ends.

The rank of K at one pose may be less than along the motion: where a parallelogram is stretched along its base a row of
K follows from the others, an inch away it does not. So the rank is judged at poses a little away from `state`, on the
mechanism's own motion: a direction that K allows, then Newton's method back onto the loops. Where no such pose exists,
though K allows a motion, the mechanism is rigid to second order (Connelly and Whiteley, SIAM J. Discrete Math. 9,
1996): three bars stretched to the fourth.

At a singular position the motions that meet there are found in the same way, at a thousandth of a radian. The tangent
of a motion is that of poses at h and 2 h to both sides, extrapolated to none, with projectors onto the null space of K
there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.assembly import advance
from simulator.dynamics.constraint_rows import cluster_columns, column_names, loop_length
from simulator.dynamics.kinematics import column_lengths, free_directions
from simulator.dynamics.state import multi_dof_joints
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import JointKind
from simulator.spatial.rotation import rotation_vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from simulator.dynamics.kinematics import Kinematics
    from simulator.dynamics.state import JointState
    from simulator.mechanism.types import Cluster, Mechanism

    Array = NDArray[np.float64]

MOVES = 1e-6
"""Singular values of K without units below this are none: what would have to give way for a motion is less than a
micrometre a metre."""
REACHES = (0.1, 0.01)
"""Distances [rad, or longest links] at which the rank along the motion is judged; the shorter where nothing is found at
the longer."""
BESIDE = 1e-3
"""Distance from a singular position at which the tangents of its motions are taken."""
_TRIALS = 12
_SAME = 0.05
"""Projectors that differ by no more than this are one motion."""
_NAMED = 4
_CLOSED = 1e-10
_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Motion:
    """One of the motions that meet at a singular position: `tangent`, shape (n_dof, k), spans its velocities there;
    `curvature`, shape (n_dof,): q̈ of the motion with one freedom where it goes with q̇ = tangent, zero otherwise."""

    tangent: Array
    curvature: Array


@dataclass(frozen=True, eq=False)
class ClosedCluster:
    """Joints that loops tie together.

    `cluster`: its index; `loops`: names of the joints that close it; `columns`: its freedoms; `rank_here` of its rows
    of K at the pose, `rank` along the motion; `motions`: those that meet here if the position is singular; `is_rigid`:
    K allows a motion, there is none."""

    cluster: int
    loops: tuple[str, ...]
    columns: tuple[int, ...]
    rank_here: int
    rank: int
    motions: tuple[Motion, ...] = ()
    is_rigid: bool = False

    @property
    def is_singular(self) -> bool:
        """Whether K allows more here than the mechanism can do."""
        return self.is_rigid or self.rank > self.rank_here

    @property
    def mobility(self) -> int:
        """Freedoms along the motion."""
        return 0 if self.is_rigid else len(self.columns) - self.rank


@dataclass(frozen=True, eq=False)
class Closure:
    """All clusters with loops, and `generic`: a pose on the mechanism's motion where the rank of K is that of the
    motion."""

    clusters: tuple[ClosedCluster, ...]
    generic: JointState

    @property
    def singular(self) -> tuple[ClosedCluster, ...]:
        """The clusters that are at a singular position."""
        return tuple(item for item in self.clusters if item.is_singular)

    @property
    def rigid(self) -> tuple[ClosedCluster, ...]:
        """The clusters that K lets move and that cannot."""
        return tuple(item for item in self.clusters if item.is_rigid)


def closure_of(kinematics: Kinematics, state: JointState) -> Closure:
    """How the loops hold the mechanism around `state`, which closes them."""
    mechanism, poses = kinematics.mechanism, kinematics.body_matrices(state)
    generic, clusters = state, []
    for index, cluster in enumerate(mechanism.clusters):
        if not cluster.loop_joints:
            continue
        view = _View(kinematics, cluster, state, _length(mechanism, cluster, poses))
        here = view.rank()
        # Full rank, of rows or of columns, is the most there can be: nothing to look for beside the pose.
        found = _Along(here, state, ()) if here in view.K.shape else _along(view, here, index)
        names = tuple(mechanism.loop_joints[loop].name for loop in cluster.loop_joints)
        clusters.append(
            ClosedCluster(index, names, tuple(view.columns), here, found.rank, found.motions, found.is_rigid)
        )
        generic = view.merged(generic, found.pose)
    return Closure(tuple(clusters), generic)


def led_by(kinematics: Kinematics, state: JointState, closure: Closure, axis: int) -> JointState:
    """A pose as `closure.generic`, beside a singular `state`: of the motions that meet there, on that in which `axis`
    moves most and the others least."""
    mechanism, poses, generic = kinematics.mechanism, kinematics.body_matrices(state), closure.generic
    for item in closure.singular:
        cluster = mechanism.clusters[item.cluster]
        view = _View(kinematics, cluster, state, _length(mechanism, cluster, poses))
        row = kinematics.axis_row(axis, state, poses)[view.columns] * view.units
        bases = [motion.tangent[view.columns] / view.units[:, None] for motion in item.motions]
        # Of all velocities of one size on a motion, this is the one with the most of the axis.
        ways = [basis @ (basis.T @ row) for basis in bases]
        way = max(ways, key=lambda found: float(np.linalg.norm(found)), default=np.zeros(len(row)))
        size = float(np.linalg.norm(way))
        found = view.beside(REACHES[-1] * way / size) if size > MOVES else None
        if found is not None:
            generic = view.merged(generic, found[0].state)
    return generic


def mobility_along(kinematics: Kinematics, state: JointState) -> int:
    """Degrees of freedom along the motion from `state`, with axes that are out of line by a rounding as they were
    meant."""
    meant = kinematics.as_meant
    # Nullity counts velocities that K allows here; those that no motion has are taken off again.
    lost = sum(len(item.columns) - item.rank_here - item.mobility for item in closure_of(meant, state).singular)
    return meant.rank_mobility(state) - lost


def motion_text(mechanism: Mechanism, motion: Motion, columns: Sequence[int]) -> str:
    """The rates of a motion with one freedom, the greatest as 1; else how many freedoms it has."""
    if motion.tangent.shape[1] != 1:
        return f"one with {motion.tangent.shape[1]} freedoms"
    rates = motion.tangent[list(columns), 0]
    names = [name.split("::")[-1] for name in np.array(column_names(mechanism))[list(columns)]]
    rates = rates / rates[int(np.argmax(np.abs(rates)))]
    shown = ", ".join(
        f"{name} {rate + 0.0:.3g}" for name, rate in list(zip(names, np.round(rates, 6), strict=True))[:_NAMED]
    )
    return f"({shown}{', …' if len(names) > _NAMED else ''})"


def ranks_at(kinematics: Kinematics, state: JointState, tolerance: float) -> tuple[int, ...]:
    """Ranks of K without units at `state` of all clusters with loops; singular values below `tolerance` are none."""
    mechanism, poses = kinematics.mechanism, kinematics.body_matrices(state)
    return tuple(
        _View(kinematics, cluster, state, _length(mechanism, cluster, poses)).rank(tolerance)
        for cluster in mechanism.clusters
        if cluster.loop_joints
    )


def _length(mechanism: Mechanism, cluster: Cluster, poses: Array) -> float:
    """The longest link of the cluster's loops [m]."""
    return max(loop_length(mechanism, mechanism.loop_joints[loop], poses) for loop in cluster.loop_joints)


@dataclass(frozen=True, eq=False)
class _Along:
    """What is found along the motion of a cluster."""

    rank: int
    pose: JointState
    motions: tuple[Motion, ...]
    is_rigid: bool = False


class _View:
    """One cluster at one state: K without units over its freedoms, and what its rows lack. The unit of length is its
    longest link."""

    def __init__(
        self, kinematics: Kinematics, cluster: Cluster, state: JointState, length: float, sums: Array | None = None
    ) -> None:
        """`sums`, shape (n_couplings,): what the terms of the cluster's couplings come to where these hold; None where
        they hold here."""
        self.kinematics, self.cluster, self.state, self._length = kinematics, cluster, state, length
        mechanism, self.columns = kinematics.mechanism, cluster_columns(kinematics, cluster)
        # One unit of length for columns and rows makes singular values numbers that radians and metres share.
        self.units = np.where(column_lengths(mechanism)[self.columns], length, 1.0)
        self._position, poses = state.position.copy(), kinematics.body_matrices(state)
        loops = [self._loop(index, poses) for index in cluster.loop_joints]
        couplings = [self._coupling(index, poses) for index in cluster.couplings]
        now = np.array([total for _, total in couplings])
        self._sums: Array = now if sums is None else sums
        self.K: Array = np.concatenate([row[:, self.columns] * self.units for row, _ in (*loops, *couplings)])
        self.residual: Array = np.concatenate([*(lack for _, lack in loops), now - self._sums])

    def _loop(self, index: int, poses: Array) -> tuple[Array, Array]:
        """Rows of a loop joint over all freedoms, and what they lack."""
        loop = self.kinematics.mechanism.loop_joints[index]
        values, left = loop_motion(loop, loop_frames(loop, poses))
        self._position[[motion.axis for motion in loop.motions]] = values
        scale = np.array([1.0] * 3 + [1.0 / self._length] * 3)
        # Rows are the orthogonal complement of what the joint leaves free, taken after scaling: what is orthogonal in
        # metres is not orthogonal in links.
        free = free_directions(loop, values) * scale if loop.kind is not JointKind.BALL else np.eye(3, 6)
        held = np.linalg.svd(free)[2][len(free) :] * scale
        error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
        return held @ self.kinematics.loop_twist(index, self.state, poses), held @ error

    def _coupling(self, index: int, poses: Array) -> tuple[Array, float]:
        """The row of a coupling over all freedoms, of length 1 over the cluster's, and what its terms come to."""
        terms = self.kinematics.mechanism.couplings[index].terms
        row = np.sum([factor * self.kinematics.axis_row(axis, self.state, poses) for axis, factor in terms], axis=0)
        # A gear of 1:1000 constrains no better than one of 1:1: the row's length says nothing about rank.
        size = float(np.linalg.norm(row[self.columns] * self.units)) or 1.0
        return row[None] / size, sum(factor * float(self._position[axis]) for axis, factor in terms) / size

    def at(self, state: JointState) -> _View:
        """The same cluster elsewhere."""
        return _View(self.kinematics, self.cluster, state, self._length, self._sums)

    def rank(self, tolerance: float = MOVES) -> int:
        """Rank of K here."""
        return len(self._basis(tolerance)[0])

    def null_space(self) -> Array:
        """Orthonormal velocities without units that K allows, shape (n, k)."""
        values, right = self._basis()
        null: Array = right[len(values) :].T
        return null

    def _basis(self, tolerance: float = MOVES) -> tuple[Array, Array]:
        _, values, right = np.linalg.svd(self.K)
        return values[values > tolerance * max(1.0, float(values[0]))] if len(values) else values, right

    def moved(self, step: Array) -> _View:
        """After a step without units, shape (n,)."""
        full = np.zeros(self.kinematics.layout.size)
        full[self.columns] = step * self.units
        return self.at(advance(self.kinematics, self.state, full))

    def closed(self) -> tuple[_View, Array] | None:
        """The nearest pose with closed loops and the way there, by Newton's method; None where there is none near."""
        view, way = self, np.zeros(len(self.columns))
        for _ in range(_ROUNDS):
            size = float(np.abs(view.residual).max(initial=0.0))
            if size < 1e-15:
                break
            # Gauss-Newton on an underdetermined system: the pseudo-inverse takes the nearest of all poses that close
            # it.
            step = -np.linalg.pinv(view.K, rcond=1e-9) @ view.residual
            # A step of a radian, or of a link's length, leaves the neighbourhood that this is about; NaN ends here,
            # too.
            if not np.abs(step).max() < 1.0:
                return None
            if size < _CLOSED and np.abs(step).max() < 1e-15:
                break
            view, way = view.moved(step), way + step
        return (view, way) if np.abs(view.residual).max(initial=0.0) < _CLOSED else None

    def beside(self, step: Array) -> tuple[_View, Array] | None:
        """A closed pose near where `step` leads, and the way there from here; None where that comes back or leads
        elsewhere."""
        found = self.moved(step).closed()
        if found is None:
            return None
        # Newton's method may fall back to where it came from or run to another branch: neither is the motion asked
        # about.
        way, size = step + found[1], float(np.linalg.norm(step))
        return (found[0], way) if 0.3 * size < float(np.linalg.norm(way)) < 3.0 * size else None

    def merged(self, state: JointState, mine: JointState) -> JointState:
        """`state` with this cluster's joints as in `mine`."""
        mechanism = self.kinematics.mechanism
        position, pose = state.position.copy(), state.loose_pose.copy()
        loose = {joint: i for i, joint in enumerate(multi_dof_joints(mechanism))}
        for joint in self.cluster.joints:
            if mechanism.joints[joint].kind is not JointKind.CHAIN:
                pose[loose[joint]] = mine.loose_pose[loose[joint]]
            for motion in mechanism.joints[joint].motions:
                position[motion.axis] = mine.position[motion.axis]
        return replace(state, position=position, loose_pose=pose)


def _along(view: _View, here: int, seed: int) -> _Along:
    """The rank of a cluster along its motion."""
    null = view.null_space()
    best: _View | None = None
    rank = here
    for reach in REACHES:
        for trial, direction in enumerate(_directions(null, seed)):
            found = view.beside(reach * direction)
            if found is not None and (best is None or found[0].rank() > rank):
                best, rank = found[0], found[0].rank()
            # The rank of a generic point is the greatest there is: three directions that agree are enough to call the
            # pose regular.
            if best is not None and rank == here and trial >= 2:
                return _Along(here, view.state, ())
        if best is not None:
            break
    if best is None:
        return _Along(here, view.state, (), is_rigid=True)
    if rank == here:
        return _Along(here, view.state, ())
    return _Along(rank, best.state, _motions(view, null, seed))


def _directions(null: Array, seed: int) -> Iterator[Array]:
    """Directions in the null space: along and between its axes, then at random, always the same ones."""
    count = null.shape[1]
    if count == 2:
        # 0.21 keeps off the symmetric directions, in which branches of a symmetric linkage meet.
        for angle in (np.arange(_TRIALS) + 0.21) * np.pi / _TRIALS:
            yield null @ np.array([np.cos(angle), np.sin(angle)])
        return
    generator = np.random.default_rng(seed)
    for _ in range(_TRIALS if count > 1 else 1):
        direction = generator.standard_normal(count)
        yield null @ (direction / np.linalg.norm(direction))


def _motions(view: _View, null: Array, seed: int) -> tuple[Motion, ...]:
    """The motions that meet at a singular position."""
    projectors: list[Array] = []
    motions = []
    for direction in _directions(null, seed):
        found = _beside(view, direction)
        if found is None:
            continue
        P, bend = found
        if any(np.abs(P - other).max() < _SAME for other in projectors):
            continue
        projectors.append(P)
        # The extrapolated P is a projector up to round-off: its trace is the dimension, its last eigenvectors span its
        # range.
        tangent = np.linalg.eigh(P)[1][:, -round(float(np.trace(P))) :]
        full = np.zeros((view.kinematics.layout.size, tangent.shape[1]))
        full[view.columns] = tangent * view.units[:, None]
        curvature = np.zeros(view.kinematics.layout.size)
        if tangent.shape[1] == 1:
            # What of q'' lies along the tangent is a matter of pace, not of the path.
            curvature[view.columns] = (bend - tangent[:, 0] * (tangent[:, 0] @ bend)) * view.units
        motions.append(Motion(full, curvature))
    return tuple(motions)


def _beside(view: _View, direction: Array) -> tuple[Array, Array] | None:
    """Projector onto the tangent of the motion that leads in about that direction, and its second derivative per unit
    of way, from closed poses at h and 2 h to both sides: means over both sides cancel odd errors, (4 f(h) - f(2 h))/3
    those of second order."""
    first = view.beside(BESIDE * direction)
    if first is None:
        return None
    poses = [first, *(view.beside(factor * first[1]) for factor in (-1.0, 2.0, -2.0))]
    if any(pose is None for pose in poses):
        return None
    closed = [pose for pose in poses if pose is not None]
    allowed = [pose.null_space() for pose, _ in closed]
    if len({basis.shape for basis in allowed}) > 1:
        return None
    P = [basis @ basis.T for basis in allowed]
    # Central second difference with the arc length of the chord as the step: (f(h) + f(-h)) / s^2, s half the chord.
    bends = [
        (closed[i][1] + closed[i + 1][1]) / (0.5 * float(np.sum((closed[i][1] - closed[i + 1][1]) ** 2)) * 0.5)
        for i in (0, 2)
    ]
    near, far = 0.5 * (P[0] + P[1]), 0.5 * (P[2] + P[3])
    return (4.0 * near - far) / 3.0, (4.0 * bends[0] - bends[1]) / 3.0
