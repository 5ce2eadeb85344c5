"""One cluster of joints that loops connect, at one pose: its rows of K without units, and closed poses near it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.assembly import advance
from simulator.kinematics.constraint_rows import cluster_columns, loop_length
from simulator.kinematics.kinematics import column_lengths, free_directions
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.loops import loop_path
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import JointKind
from simulator.spatial.rotation import rotation_vector

if TYPE_CHECKING:
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Cluster, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


MOVES = 1e-6
"""Singular values of K without units below this count as 0: a motion would need a deformation of less than a
micrometre a metre."""
NOTHING = 1e-10
"""Singular values below this are round-off of closed poses."""
ROUND_OFF = 1e-12
"""Steps below this, without units, that leave the error as it was are round-off."""
_CLOSED = 1e-10
_ROUNDS = 40
_QUICK = 12
"""Rounds that Newton's method stays below where it converges quadratically."""


def length_of(mechanism: Mechanism, cluster: Cluster, poses: Array) -> float:
    """The longest link of the cluster's loops [m]; 1 without loops."""
    return max(
        (loop_length(mechanism, mechanism.loop_joints[loop], poses) for loop in cluster.loop_joints), default=1.0
    )


class ClusterView:
    """One cluster at one state: K without units over its freedoms, and the errors of its rows. The unit of length is
    its longest link."""

    def __init__(
        self, kinematics: Kinematics, cluster: Cluster, state: JointState, length: float, sums: Array | None = None
    ) -> None:
        """`sums`, shape (n_couplings,): what the terms of the cluster's couplings come to where these hold; None where
        they hold here."""
        self.kinematics = kinematics
        self.cluster = cluster
        self.state = state
        self._length = length
        mechanism = kinematics.mechanism
        self.columns = cluster_columns(kinematics, cluster)
        # One unit of length for columns and rows makes singular values numbers that radians and metres share.
        self.units = np.where(column_lengths(mechanism)[self.columns], length, 1.0)
        self._position, poses = state.position.copy(), kinematics.body_matrices(state)
        loops = [self._loop(index, poses) for index in cluster.loop_joints]
        couplings = [self._coupling(index, poses) for index in cluster.couplings]
        now = np.array([total for _, total in couplings])
        self._sums: Array = now if sums is None else sums
        self.K: Array = np.concatenate([row[:, self.columns] * self.units for row, _ in (*loops, *couplings)])
        self.residual: Array = np.concatenate([*(lack for _, lack in loops), now - self._sums])

    def _held(self, loop: MechanismJoint, values: Array) -> Array:
        """The twists that a loop joint does not allow at those positions of its axes, shape (6 - f, 6)."""
        scale = np.array([1.0] * 3 + [1.0 / self._length] * 3)
        # Rows are the orthogonal complement of what the joint leaves free, taken after scaling: what is orthogonal in
        # metres is not orthogonal in links.
        free = free_directions(loop, values) * scale if loop.kind is not JointKind.BALL else np.eye(3, 6)
        held: Array = np.linalg.svd(free)[2][len(free) :] * scale
        return held

    def _loop(self, index: int, poses: Array) -> tuple[Array, Array]:
        """Rows of a loop joint over all freedoms, and their errors."""
        loop = self.kinematics.mechanism.loop_joints[index]
        values, left = loop_motion(loop, loop_frames(loop, poses))
        self._position[[motion.axis for motion in loop.motions]] = values
        held = self._held(loop, values)
        error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
        return held @ self.kinematics.loop_twist(index, self.state, poses), held @ error

    def _coupling(self, index: int, poses: Array) -> tuple[Array, float]:
        """The row of a coupling over all freedoms, of length 1 over the cluster's, and the sum of its terms."""
        coupling = self.kinematics.mechanism.couplings[index]
        row = self.kinematics.coupling_row(index, self.state, poses, self._position)
        # A gear of 1:1000 constrains no better than one of 1:1: the row's length says nothing about rank.
        size = float(np.linalg.norm(row[self.columns] * self.units)) or 1.0
        return row[None] / size, (coupling.residual(self._position) + coupling.constant) / size

    def at(self, state: JointState) -> ClusterView:
        """The same cluster at another state."""
        return ClusterView(self.kinematics, self.cluster, state, self._length, self._sums)

    def by_places(self) -> Array:
        """Change of the errors with the places of the cluster's joints on their parents, those of the tree before those
        that close loops, in the frames of the parents, shape (n_rows, 3 n) [1/m]."""
        mechanism = self.kinematics.mechanism
        poses = self.kinematics.body_matrices(self.state)
        place = {joint: 3 * i for i, joint in enumerate(self.cluster.joints)}
        rows = [np.zeros((0, 3 * (len(place) + len(self.cluster.loop_joints))))]
        for i, index in enumerate(self.cluster.loop_joints):
            loop = mechanism.loop_joints[index]
            back = (poses[loop.parent] @ loop.X_PJ.matrix())[:3, :3].T
            gap = np.zeros((6, rows[0].shape[1]))
            own = 3 * (len(place) + i)
            gap[3:, own : own + 3] = -back @ poses[loop.parent][:3, :3]
            for sign, side in zip((-1.0, 1.0), loop_path(loop, mechanism.joints), strict=True):
                for joint in side:
                    first = place[joint]
                    gap[3:, first : first + 3] = sign * back @ poses[mechanism.joints[joint].parent][:3, :3]
            rows.append(self._held(loop, loop_motion(loop, loop_frames(loop, poses))[0]) @ gap)
        rows.append(np.zeros((len(self.cluster.couplings), rows[0].shape[1])))
        return np.concatenate(rows)

    def rank(self, tolerance: float = MOVES) -> int:
        """Rank of K here."""
        return len(self._basis(tolerance)[0])

    def null_space(self, rank: int = 0) -> Array:
        """Orthonormal velocities without units that K allows, shape (n, k). `rank`: what K has along the motion, where
        this is close to a singular position: as many rows hold even if they hold next to nothing."""
        values, right = self._basis(NOTHING if rank else MOVES)
        null: Array = right[min(len(values), rank) if rank else len(values) :].T
        return null

    def _basis(self, tolerance: float = MOVES) -> tuple[Array, Array]:
        _, values, right = np.linalg.svd(self.K)
        return values[values > tolerance * max(1.0, float(values[0]))] if len(values) else values, right

    def full(self, velocities: Array) -> Array:
        """Velocities of all freedoms, shape (n_dof, k), of those of the cluster's without units, shape (n, k)."""
        full = np.zeros((self.kinematics.layout.size, velocities.shape[1]))
        full[self.columns] = velocities * self.units[:, None]
        return full

    def moved(self, step: Array) -> ClusterView:
        """After a step without units, shape (n,)."""
        return self.at(advance(self.kinematics, self.state, self.full(step[:, None])[:, 0]))

    def closed(self, rank: int | None = None) -> tuple[tuple[ClusterView, Array] | None, bool]:
        """The nearest pose with closed loops and the way there, by Newton's method, None where there is none near; and
        whether it converged quadratically. `rank`: how many singular values of K count; by default all."""
        view = self
        way = np.zeros(len(self.columns))
        rounds = 0
        last = np.inf
        while rounds < _ROUNDS:
            size = float(np.abs(view.residual).max(initial=0.0))
            if size < 1e-15:
                break
            step = view.step(rank)
            # A step of a radian, or of a link's length, leaves the neighbourhood that this is about; NaN ends here,
            # too.
            if not np.abs(step).max() < 1.0:
                return None, True
            # Figures that agree to some digits only leave a residual that no step makes less.
            if size < _CLOSED and np.abs(step).max() < (1e-15 if size < 0.5 * last else ROUND_OFF):
                break
            last = size
            view = view.moved(step)
            way = way + step
            rounds = rounds + 1
        found = (view, way) if np.abs(view.residual).max(initial=0.0) < _CLOSED else None
        return found, rounds < _QUICK

    def step(self, rank: int | None) -> Array:
        """The step of Gauss and Newton towards closed loops by the `rank` greatest singular values of K."""
        if rank is None:
            # Gauss-Newton on an underdetermined system: the pseudo-inverse takes the nearest of all poses that close
            # it.
            return -np.linalg.pinv(self.K, rcond=1e-9) @ self.residual
        left, values, right = np.linalg.svd(self.K, full_matrices=False)
        step: Array = -right[:rank].T @ (left.T[:rank] @ self.residual / values[:rank])
        return step

    def beside(self, step: Array) -> tuple[ClusterView, Array] | None:
        """A closed pose near where `step` leads, and the way there from here; None where that comes back or leads
        elsewhere.

        Where singular poses are a set within the motion (a five-bar with universal knees, whenever their second axes
        are in line), rows ask for y s = 0 and y² = 0, y off the motion and s off that set. Newton's method halves both
        in each round, and ends in the set whatever it began with. With as many singular values as K has rank on the
        motion it ends at y = 0, and s stays.
        """
        beyond = self.moved(step)
        found, is_quick = beyond.closed()
        for rank in range(self.rank() + 1, min(self.K.shape) + 1) if not is_quick else ():
            found, _ = beyond.closed(rank)
            if found is not None:
                break
        if found is None:
            return None
        # Newton's method may fall back to where it came from or run to another branch: neither is the motion asked
        # about.
        way = step + found[1]
        size = float(np.linalg.norm(step))
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
