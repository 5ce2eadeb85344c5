"""Constraints of loops along the motion, and positions at which that motion branches or ends.

The rank of K at one pose may be less than along the motion: if a parallelogram is stretched along its base a row of
K follows from the others, an inch away it does not. So the rank is determined at poses a little away from `state`, on
the mechanism's own motion: a direction that K allows, then Newton's method back onto the loops. If no such pose exists,
though K allows a motion, the mechanism is rigid to second order (Connelly and Whiteley, SIAM J. Discrete Math. 9,
1996): three bars stretched to the fourth.

At a singular position the motions that meet there are found in the same way, at a thousandth of a radian. The tangent
of a motion is that of poses at h and 2 h to both sides, extrapolated to none, with projectors onto the null space of K
there.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.cluster_view import MOVES, ClusterView, length_of
from simulator.kinematics.constraint_rows import column_names
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Cluster, Mechanism
    from simulator.spatial.arrays import Array


REACHES = (0.1, 0.01)
"""Distances [rad, or longest links] at which the rank along the motion is determined; the shorter if nothing is found
at the longer."""
BESIDE = 1e-3
"""Distance from a singular position at which the tangents of its motions are taken."""
NOTED, LEFT = 1e-3, 0.1
"""Part of a step that a freedom must have to be asked about, and part of its own step that is nothing of a way."""
SAME_START = 1e-12
"""Positions [rad or m] that differ by less are the start of a document, which engines close to round-off."""
_TRIALS = 12
_SAME = 0.05
"""Projectors that differ by no more than this are one motion."""
_NAMED = 4


@dataclass(frozen=True, eq=False)
class Motion:
    """One of the motions that meet at a singular position: `tangent`, shape (n_dof, k), spans its velocities there;
    `curvature`, shape (n_dof,): q̈ of the motion with one freedom where it goes with q̇ = tangent, zero otherwise."""

    tangent: Array
    curvature: Array


@dataclass(frozen=True, eq=False)
class ClosedCluster:
    """Joints that loops or couplings with curves connect.

    `cluster`: its index; `loops`: names of the joints that close it, or of followers along curves if none does;
    `columns`: its freedoms; `rank_here` of its rows of K at the pose, `rank` along the motion; `motions`: those that
    meet here if the position is singular; `is_rigid`: K allows a motion, but there is none; `held`: those of its
    columns that K lets move all along the motion, and that stand still. `beside`: poses on these motions, and the
    velocities that are allowed there, shape (n_dof, k); none if all rows count here."""

    cluster: int
    loops: tuple[str, ...]
    columns: tuple[int, ...]
    rank_here: int
    rank: int
    motions: tuple[Motion, ...] = ()
    is_rigid: bool = False
    beside: tuple[tuple[JointState, Array], ...] = ()
    held: tuple[int, ...] = ()

    @property
    def is_singular(self) -> bool:
        """Whether K allows more here than the mechanism can do."""
        return self.is_rigid or self.rank > self.rank_here

    @property
    def mobility(self) -> int:
        """Freedoms along the motion; if several meet here, along that with the most: the dimension of the set of
        positions around here (Müller, Mechanism and Machine Theory 43, 2008)."""
        if self.is_rigid:
            return 0
        if self.held:
            return int(self.beside[0][1].shape[1])
        return max((motion.tangent.shape[1] for motion in self.motions), default=len(self.columns) - self.rank)


@dataclass(frozen=True, eq=False)
class Closure:
    """All clusters with loops, and `generic`: a pose on the mechanism's motion at which the rank of K is that of the
    motion."""

    clusters: tuple[ClosedCluster, ...]
    generic: JointState

    @property
    def singular(self) -> tuple[ClosedCluster, ...]:
        """The clusters that are at a singular position."""
        return tuple(item for item in self.clusters if item.is_singular)

    @property
    def rigid(self) -> tuple[ClosedCluster, ...]:
        """The clusters that K lets move although they cannot."""
        return tuple(item for item in self.clusters if item.is_rigid)


def closure_at_start(kinematics: Kinematics, state: JointState) -> Closure:
    """`closure_of` the start of a document, kept with the mechanism for all that look at the start again, as the engine
    that begins there does."""
    found = closure_of(kinematics, state)
    kinematics.mechanism.derived["closure at the start"] = state, found
    return found


def closure_of(kinematics: Kinematics, state: JointState) -> Closure:
    """Constraints of the loops around `state`, which closes them."""
    mechanism = kinematics.mechanism
    known: tuple[JointState, Closure] | None = mechanism.derived.get("closure at the start")
    if known is not None and known[0].distance(state) < SAME_START:
        return known[1]
    poses = kinematics.body_matrices(state)
    generic = state
    clusters = []
    for index, cluster in enumerate(mechanism.clusters):
        if not mechanism.is_curved(cluster):
            continue
        view = ClusterView(kinematics, cluster, state, length_of(mechanism, cluster, poses))
        here = view.rank()
        # Full rank, of rows or of columns, is the most there can be: nothing to look for beside the pose.
        found = _Along(here, state, ()) if here in view.K.shape else _along(view, here, index)
        names = names_of_closing(mechanism, cluster)
        clusters.append(
            ClosedCluster(
                cluster=index,
                loops=names,
                columns=tuple(view.columns),
                rank_here=here,
                rank=found.rank,
                motions=found.motions,
                is_rigid=found.is_rigid,
                beside=found.beside,
                held=tuple(int(view.columns[place]) for place in found.held),
            )
        )
        generic = view.merged(generic, found.pose)
    return Closure(tuple(clusters), generic)


def names_of_closing(mechanism: Mechanism, cluster: Cluster) -> tuple[str, ...]:
    """Names of the joints that close a cluster's loops; if it has none, of followers along curves."""
    loops = tuple(mechanism.loop_joints[loop].name for loop in cluster.loop_joints)
    curved = [mechanism.couplings[i] for i in cluster.couplings if mechanism.couplings[i].curve is not None]
    return loops or tuple(coupling.name or mechanism.axes[coupling.follower].name for coupling in curved)


def led_by(kinematics: Kinematics, state: JointState, closure: Closure, axis: int) -> JointState:
    """A pose as `closure.generic`, beside a singular `state`: of the motions that meet there, on that in which `axis`
    moves most and the others least."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    generic = closure.generic
    for item in closure.singular:
        cluster = mechanism.clusters[item.cluster]
        view = ClusterView(kinematics, cluster, state, length_of(mechanism, cluster, poses))
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
    lost = sum(len(item.columns) - item.rank_here - item.mobility for item in closure_of(meant, state).clusters)
    return meant.rank_mobility(state) - lost


def motion_text(mechanism: Mechanism, motion: Motion, columns: Sequence[int]) -> str:
    """The rates of a motion with one freedom, the greatest as 1; else its number of freedoms."""
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
    """Ranks of K without units at `state` of all clusters with loops; singular values below `tolerance` count as 0."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    return tuple(
        ClusterView(kinematics, cluster, state, length_of(mechanism, cluster, poses)).rank(tolerance)
        for cluster in mechanism.clusters
        if mechanism.is_curved(cluster)
    )


@dataclass(frozen=True, eq=False)
class _Along:
    """Results along the motion of a cluster."""

    rank: int
    pose: JointState
    motions: tuple[Motion, ...]
    is_rigid: bool = False
    beside: tuple[tuple[JointState, Array], ...] = ()
    held: tuple[int, ...] = ()


def _along(view: ClusterView, here: int, seed: int) -> _Along:
    """The rank of a cluster along its motion."""
    null = view.null_space()
    found: list[tuple[int, ClusterView]] = []
    rank = here
    held = np.ones(len(null), dtype=bool)
    for reach in REACHES:
        for trial, direction in enumerate(_directions(null, seed)):
            closed = view.beside(reach * direction)
            if closed is not None:
                found.append((closed[0].rank(), closed[0]))
                rank = max(rank, found[-1][0])
                held &= _is_left(reach * direction, closed[1])
            # The rank of a generic point is the greatest there is: three directions that agree are enough to call the
            # pose regular.
            if found and rank == here and trial >= 2:
                break
        if found:
            break
    if not found:
        return _Along(here, view.state, (), is_rigid=True)
    if rank == here:
        found.insert(0, (here, view))
    places = _held(view, null, held, seed) if rank == here and held.any() else ()
    if places:
        tangents = [(item, _without(item.null_space(), places)) for _, item in found]
        moving = tuple((item.state, item.full(tangent)) for item, tangent in tangents)
        return _Along(rank, view.state, (), beside=moving, held=places)
    beside = tuple((item.state, item.full(item.null_space())) for _, item in found)
    generic = next(item.state for own, item in found if own == rank)
    return _Along(rank, generic, _motions(view, null, rank, seed) if rank > here else (), beside=beside)


def _is_left(step: Array, way: Array) -> NDArray[np.bool_]:
    """Which freedoms a step moves that Newton's method takes back to where they were."""
    result: NDArray[np.bool_] = (np.abs(step) > NOTED * np.linalg.norm(step)) & (np.abs(way) < LEFT * np.abs(step))
    return result


def _held(view: ClusterView, null: Array, held: NDArray[np.bool_], seed: int) -> tuple[int, ...]:
    """Which of the freedoms `held`, that no motion at the first reach has, are rigid to second order: K allows them at
    all poses of the motion, which continues without them. A slide across the line through two hinges is held so."""
    for direction in islice(_directions(null, seed), null.shape[1] + 1):
        closed = view.beside(REACHES[-1] * direction)
        if closed is not None:
            held = held & _is_left(REACHES[-1] * direction, closed[1])
    places = tuple(np.flatnonzero(held).tolist())
    return places if places and 0 < _without(null, places).shape[1] < null.shape[1] else ()


def _without(null: Array, places: Sequence[int]) -> Array:
    """Orthonormal velocities that span those of (n, k) with no part of the freedoms at `places`."""
    _, values, right = np.linalg.svd(null[list(places)])
    kept: Array = null @ right[int(np.sum(values > MOVES)) :].T
    kept[list(places)] = 0.0
    return kept


def _directions(null: Array, seed: int) -> Iterator[Array]:
    """Directions in the null space: along and between its axes, then at random, always the same ones."""
    count = null.shape[1]
    if count == 1:
        yield null[:, 0]
        return
    if count == 2:
        # 0.21 keeps off the symmetric directions, in which branches of a symmetric linkage meet.
        for angle in (np.arange(_TRIALS) + 0.21) * np.pi / _TRIALS:
            yield null @ np.array([np.cos(angle), np.sin(angle)])
        return
    generator = np.random.default_rng(seed)
    for _ in range(_TRIALS):
        direction = generator.standard_normal(count)
        yield null @ (direction / np.linalg.norm(direction))


def _motions(view: ClusterView, null: Array, rank: int, seed: int) -> tuple[Motion, ...]:
    """The motions that meet at a singular position, along which K has that rank, or less."""
    projectors: list[Array] = []
    motions = []
    for direction in _directions(null, seed):
        found = _beside(view, direction, rank)
        if found is None:
            continue
        P, bend = found
        if any(np.abs(P - other).max() < _SAME for other in projectors):
            continue
        projectors.append(P)
        # The extrapolated P is a projector up to round-off: its trace is the dimension, its last eigenvectors span its
        # range.
        tangent = np.linalg.eigh(P)[1][:, -round(float(np.trace(P))) :]
        full = view.full(tangent)
        curvature = np.zeros(view.kinematics.layout.size)
        if tangent.shape[1] == 1:
            # What of q'' lies along the tangent is a matter of pace, not of the path.
            curvature[view.columns] = (bend - tangent[:, 0] * (tangent[:, 0] @ bend)) * view.units
        motions.append(Motion(full, curvature))
    return tuple(motions)


def _beside(view: ClusterView, direction: Array, rank: int) -> tuple[Array, Array] | None:
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
    allowed = [pose.null_space(rank) for pose, _ in closed]
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
