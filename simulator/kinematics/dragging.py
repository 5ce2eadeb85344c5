"""A mechanism moved by hand, without time: a point of a body follows a line of sight, couplings and loops closed,
within all limits.

The objective is half the square of e(x) = B (t - p(x)), the distance of the point p from the line through t: the
rows of B are two unit vectors across the line. Of all steps that couplings and loops allow, z = N w in coordinates in
which the mass matrix is the identity, a step is the solution of the damped problem min |J N w - e|^2 + d^2 |w|^2 within
the limits: the least motion in the mass metric (Levenberg 1944; Nakamura and Hanafusa, Inverse kinematic solutions with
singularity robustness, 1986). Its length follows from the parabola through the objective's slope and value (Nocedal and
Wright, Numerical Optimization, ch. 3), and a step that goes beyond the parabola's lowest point is not taken: so a point
that is pulled beyond a dead point comes to rest at it instead of going through to the other branch.

At the dead point itself J N = 0 and does not determine the way back. There the way by which it was reached is tried
first.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.allowed import Search, closed_within, stops_at
from simulator.kinematics.assembly import free_columns
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import column_lengths
from simulator.kinematics.least_change import least_change
from simulator.kinematics.limits import WITHIN, limits_of
from simulator.mechanism.types import JointKind
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array


REACHED = 1e-9
"""Distance from the line, as a part of the size of the mechanism, at which the point is on it."""
SETTLED = 1e-9
"""A step that lessens the distance by less than this part of the size has come to the end."""
DAMPING = 1e-3
"""d, as a part of how far the point moves without couplings and loops."""
LONGEST = 0.2
"""Longest way of an axis in one step [rad, or the size of the mechanism]."""
FAITHFUL = 0.45
"""Part of the decrease along the slope that a step has to bring: above a half no step beyond a parabola's lowest point
does."""
DEAD = 1e-3
"""Motion of the point, as a part of that without loops, below which it is at a dead point."""
ASIDE = (3e-2, 3e-3)
"""How far aside of a dead point a way back is tried [rad, or the size of the mechanism]."""
RANK = 1e-6
"""Singular values of constraints below this part of the largest are zero."""
STEPS, SHORTER = 40, 12
MEMORABLE = 1e-4
"""Longest way [rad, or the size] that is too short to say where the mechanism came from."""


class Hindrance(str, Enum):
    """What prevents the point from reaching the line."""

    NOTHING = ""
    LIMIT = "limit"
    DEAD_POINT = "dead point"
    IMMOVABLE = "immovable"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True)
class Sight:
    """A line in the world: through `point` [m], shape (3,), along the unit vector `along`, shape (3,)."""

    point: Array
    along: Array

    def across(self) -> Array:
        """Two unit vectors at right angles to the line and to each other, shape (2, 3)."""
        other = np.eye(3)[int(np.argmin(np.abs(self.along)))]
        # The world axis that is least along the line gives the longest cross product.
        first = np.cross(self.along, other)
        first /= np.linalg.norm(first)
        return np.stack((first, np.cross(self.along, first)))


@dataclass(frozen=True)
class Dragged:
    """`state`: assembled, within the limits and at rest; `gap`: how far the point is from the line [m]; `hindrance`:
    why, and `axes`: the axes at their limits, or those that stand still at a dead point."""

    state: JointState
    gap: float
    hindrance: Hindrance = Hindrance.NOTHING
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Motion:
    """What steps are possible from a state. Unknowns are `basis` @ w: w has the length of the mass metric. `rates` (2,
    n_w): of the point across the line; `free`: length of the same without constraints; rows `G` w >= `h` of limits and
    the axis of each."""

    basis: Array
    rates: Array
    free: float
    G: Array
    h: Array
    axes: NDArray[np.intp]

    def step(self, error: Array, *, limited: bool = True) -> Array:
        """The damped step, shape (n_unknowns,)."""
        damping = DAMPING * self.free * np.eye(2)
        count = len(self.G) if limited else 0
        G = np.hstack((self.G[:count], np.zeros((count, 2))))
        # min |J w - e|^2 + d^2 |w|^2 as the shortest (w, s) with J w + d s = e: what is left of the error is d s.
        change = least_change(np.hstack((self.rates, damping)), error, G, self.h[:count])
        if len(change.against):
            return np.zeros(len(self.basis))
        step: Array = self.basis @ change.step[: self.basis.shape[1]]
        return step

    def stopping(self, error: Array) -> tuple[int, ...]:
        """Axes at limits that the step without limits would leave them by."""
        ahead = self.step(error, limited=False)
        inverse = np.linalg.lstsq(self.basis, ahead, rcond=None)[0]
        # A limit stops the point where it is reached (h >= 0) and the free step would go through it (G w < 0).
        against = (self.h > -WITHIN) & (self.G @ inverse < -1e-9 * max(float(np.linalg.norm(inverse)), 1e-30))
        return tuple(dict.fromkeys(self.axes[against].tolist()))


@dataclass
class Dragging:
    """One gesture: a point of a body, given in its frame [m], shape (3,), that follows lines of sight one after the
    other."""

    kinematics: Kinematics
    body: int
    point: Array
    _way: Array | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.mechanism = self.kinematics.mechanism
        self.kinematics = self.kinematics.as_meant
        mechanism, layout = self.kinematics.mechanism, self.kinematics.layout
        coupled = coupled_axes(mechanism, {})
        free = [axis for axis in coupled.free if mechanism.axes[axis].in_tree]
        columns = [free_columns(self.kinematics, coupled, {})]
        for joint, first in zip(mechanism.joints, layout.first, strict=True):
            if joint.kind is JointKind.FREE:
                columns.append(np.eye(6, layout.size, first).T)
        self._search = Search(self.kinematics, np.hstack(columns), np.array(free, dtype=np.intp), {})
        self._limits = limits_of(mechanism)
        self._size = 0.0

    def toward(self, state: JointState, sight: Sight) -> Dragged:
        """The state nearest to the line that a way downhill from `state`, which is assembled, leads to."""
        self._size = self._size or self._size_at(state)
        begin = state
        across = sight.across()
        error = self._error(state, sight, across)
        for _ in range(STEPS):
            motion = self._motion(state, across)
            found = self._line_search(state, motion, error, sight, across) or self._leave_dead_point(
                state, motion, error, sight
            )
            if found is None:
                break
            state, after = found
            before = float(np.linalg.norm(error))
            error = after
            if np.linalg.norm(error) < REACHED * self._size or before - np.linalg.norm(error) < SETTLED * self._size:
                break
        self._remember(begin, state)
        return self._outcome(state, across, error)

    def reflected_mass(self, state: JointState) -> float:
        """Mass [kg] that a force on the point meets in the direction in which it is moved most easily: 1 / max u (J
        M^-1 J^T) u; where it cannot move, that of all bodies."""
        motion = self._motion(state, np.eye(3))
        # In mass-metric coordinates J N (J N)^T is J M^-1 J^T, the mobility tensor of the point (Khatib, 1987).
        ease = float(np.linalg.eigvalsh(motion.rates @ motion.rates.T)[-1])
        total = sum(body.mass for body in self.kinematics.mechanism.bodies[1:]) or 1.0
        return min(1.0 / ease, total) if ease > 1e-9 / total else total

    def _error(self, state: JointState, sight: Sight, across: Array) -> Array:
        pose = self.kinematics.body_matrices(state)[self.body]
        error: Array = across @ (sight.point - pose[:3, 3] - pose[:3, :3] @ self.point)
        return error

    def _line_search(
        self, state: JointState, motion: _Motion, error: Array, sight: Sight, across: Array
    ) -> tuple[JointState, Array] | None:
        """The state after a step that lessens the error faithfully, and its error; None where none does."""
        step = self._capped(motion.step(error))
        moved = np.linalg.lstsq(motion.basis, step, rcond=None)[0] if motion.basis.size else np.zeros(0)
        # d/ds |e - s J w|^2 at s = 0.
        slope = -2.0 * float(error @ motion.rates @ moved)
        value = float(error @ error)
        if not slope < 0.0 or -slope < SETTLED * self._size * np.sqrt(value):
            return None
        share = 1.0
        for _ in range(SHORTER):
            trial = self._closed(state, share * step)
            if trial is None:
                share *= 0.5
                continue
            after = self._error(trial, sight, across)
            gained = float(after @ after) - value
            if gained <= FAITHFUL * share * slope:
                return trial, after
            # The parabola through value, slope and the value found: its lowest point, kept away from 0 and from no
            # progress.
            lowest = -0.5 * slope * share * share / (gained - slope * share)
            share = min(max(lowest, 0.05 * share), 0.7 * share)
        return None

    def _leave_dead_point(
        self, state: JointState, motion: _Motion, error: Array, sight: Sight
    ) -> tuple[JointState, Array] | None:
        """From a dead point: a little aside, first to where the mechanism came from; None where that leads no
        nearer."""
        if not motion.basis.shape[1] or not self._is_dead(motion) or len(motion.stopping(error)):
            return None
        # Back the way it came, as far as couplings and loops allow that direction; without a memory, all axes alike.
        along = motion.basis @ (motion.basis.T @ (-self._way if self._way is not None else np.ones(len(motion.basis))))
        if not np.any(along):
            along = motion.basis[:, 0]
        largest = self._length(along)
        for aside in ASIDE:
            for sign in (1.0, -1.0):
                trial = self._closed(state, sign * aside / largest * along)
                after = self._error(trial, sight, sight.across()) if trial is not None else error
                if trial is not None and np.linalg.norm(after) < np.linalg.norm(error) - SETTLED * self._size:
                    return trial, after
        return None

    def _closed(self, state: JointState, step: Array) -> JointState | None:
        """Closed and within the limits after a step, near to where that leads; None where it is not so."""
        there = self._search.moved(state, step)
        closed, _ = closed_within(self._search, there, self._limits)
        # Closing the loops must correct the step, not replace it: further away is another branch.
        if closed is None or self._distance(there, closed) > max(0.5 * self._length(step), 1e-9):
            return None
        return closed

    def _motion(self, state: JointState, across: Array) -> _Motion:
        search, kinematics = self._search, self.kinematics
        poses = kinematics.body_matrices(state)
        twists = _body_rates(kinematics, state, poses, search.columns)
        place = poses[self.body, :3, 3] + poses[self.body, :3, :3] @ self.point
        turning = twists[self.body, :3]
        moving = twists[self.body, 3:]
        rates = across @ (moving + np.cross(turning, place, axisa=0, axisb=0, axisc=0))
        # x = L^-T z makes xᵀ M x = zᵀ z: rows become K L^-T, an orthonormal null space of theirs has unit mass.
        root = np.linalg.cholesky(_mass(kinematics, poses, twists))
        K = np.linalg.solve(root, search.equations(state, poses).T).T
        basis = np.linalg.solve(root.T, _null_space(K))
        G, h, axes = stops_at(search, state, poses, self._limits)
        free = float(np.linalg.norm(np.linalg.solve(root, rates.T)))
        return _Motion(basis, rates @ basis, free, G @ basis, h, axes)

    def _outcome(self, state: JointState, across: Array, error: Array) -> Dragged:
        gap = float(np.linalg.norm(error))
        if gap < 1e3 * REACHED * self._size:
            return Dragged(state, gap)
        motion = self._motion(state, across)
        if motion.free == 0.0 or not motion.basis.shape[1]:
            return Dragged(state, gap, Hindrance.IMMOVABLE)
        stopping = motion.stopping(error)
        if stopping:
            return Dragged(state, gap, Hindrance.LIMIT, stopping)
        if self._is_dead(motion):
            carrying = self.kinematics.mechanism.joints[self.body - 1]
            return Dragged(state, gap, Hindrance.DEAD_POINT, tuple(item.axis for item in carrying.motions))
        return Dragged(state, gap, Hindrance.OUT_OF_REACH)

    def _is_dead(self, motion: _Motion) -> bool:
        return float(np.linalg.norm(motion.rates)) < DEAD * motion.free

    def _remember(self, begin: JointState, state: JointState) -> None:
        """The unknowns' way, where it is long enough to say where the mechanism came from."""
        search = self._search
        way = np.zeros(search.columns.shape[1])
        way[: len(search.free)] = state.position[search.free] - begin.position[search.free]
        if self._length(way) > MEMORABLE:
            self._way = way

    def _capped(self, step: Array) -> Array:
        length = self._length(step)
        return step * (LONGEST / length) if length > LONGEST else step

    def _length(self, step: Array) -> float:
        """The largest way of a freedom, lengths as parts of the size."""
        moved = self._search.columns @ step
        return float(np.abs(np.where(column_lengths(self.kinematics.mechanism), moved / self._size, moved)).max())

    def _distance(self, one: JointState, other: JointState) -> float:
        axes = self._search.free
        lengths = np.array([self.kinematics.mechanism.axes[axis].unit == "m" for axis in axes], dtype=bool)
        apart = np.abs(one.position[axes] - other.position[axes])
        return float(np.where(lengths, apart / self._size, apart).max(initial=0.0))

    def _size_at(self, state: JointState) -> float:
        """The largest distance between joints, the point and the world's origin of joints [m]."""
        poses = self.kinematics.body_matrices(state)
        places = [poses[joint.parent] @ joint.X_PJ.matrix()[:, 3] for joint in self.kinematics.mechanism.joints]
        places.append(poses[self.body] @ np.append(self.point, 1.0))
        return float(np.ptp(np.array(places)[:, :3], axis=0).max()) or 1.0


def _null_space(K: Array) -> Array:
    """Orthonormal columns that the rows leave alone, rows of whatever length."""
    lengths = np.linalg.norm(K, axis=1)
    felt = lengths > 1e-9 * lengths.max(initial=0.0)
    if not felt.any():
        return np.eye(K.shape[1])
    _, sizes, right = np.linalg.svd(K[felt] / lengths[felt, None], full_matrices=True)
    free: Array = right[int(np.sum(sizes > RANK * sizes.max())) :].T
    return free


def _body_rates(kinematics: Kinematics, state: JointState, poses: Array, columns: Array) -> Array:
    """Twists of all bodies per unit of every unknown, linear part at the world's origin, shape (n_bodies, 6,
    n_unknowns)."""
    mechanism = kinematics.mechanism
    rates = np.zeros((len(mechanism.bodies), 6, columns.shape[1]))
    for index, joint in enumerate(mechanism.joints):
        rates[index + 1] = rates[joint.parent]
        for freedom, twist in kinematics.joint_jacobian(index, state, poses):
            rates[index + 1] += np.outer(twist, columns[freedom])
    return rates


def _mass(kinematics: Kinematics, poses: Array, rates: Array) -> Array:
    """Mass matrix of the bodies over the unknowns; where an unknown moves no mass, it has a little."""
    mass = np.zeros((rates.shape[2], rates.shape[2]))
    for body, pose, rate in zip(kinematics.mechanism.bodies, poses, rates, strict=True):
        if not rate.any():
            continue
        turning = pose[:3, :3].T @ rate[:3]
        centre = pose[:3, 3] + pose[:3, :3] @ np.array(body.com)
        moving = rate[3:] + np.cross(rate[:3], centre, axisa=0, axisb=0, axisc=0)
        mass += body.mass * moving.T @ moving + turning.T @ inertia_matrix(*body.inertia) @ turning
    usual = float(np.diag(mass).max(initial=0.0)) or 1.0
    # Without it a massless follower would make M singular and the metric undefined.
    return mass + 1e-9 * usual * np.eye(len(mass))
