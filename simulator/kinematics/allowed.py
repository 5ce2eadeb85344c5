"""The allowed pose that is nearest to an assembled one: every axis within its limits, couplings and loops solved around
it.

Axes without loops move there at once (`limits.clamped`). If loops, or couplings of more than two axes, connect
axes, the limits are narrowed piece by piece, and after each piece Newton's method brings the mechanism back: of all
steps that close the loops and stay within the limits it takes the one that moves the free axes least (`least_change`).
The result is pulled towards the start as far as possible: the sum of squares of the motion of the free axes, in rad
and m, has a minimum there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import LimitsError
from simulator.kinematics.assembly import CLOSED, MAX_ITERATIONS, PIECE, advance, free_columns, residual_of
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.least_change import least_change
from simulator.kinematics.limits import WITHIN, Limits, clamped, limits_of, range_text
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import MotionKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


SOFT = 0.01
"""Weight of an open row relative to a step, inverted, while equations and limits exclude each
other."""
ROUNDED = 1e-7
"""Accepted residual [m or rad] if nothing lessens it: in space, loops that move in a plane close to the document's
rounding only."""
SETTLED = 1e-9
"""A pull that moves no axis further [rad or m] has ended."""
PULLS = 20
SLOW, PATIENCE = 0.8, 6
"""A search that so many times in a row leaves more than this part of the error is given up."""
LEADERS = 8
"""Most axes that are tried as the first to go within their limits."""
BESIDE = 0.02
"""How far [rad or m] the search extends, to either side, from a position that limits cannot be left from (a dead
point)."""


def within_limits(kinematics: Kinematics, state: JointState, kept: Mapping[int, float]) -> JointState:
    """The allowed state nearest to an assembled one; axes in `kept` stay. Raises LimitsError if none is found.

    Positions of loop joints' axes are filled in, continued from those of `state`.
    """
    mechanism = kinematics.mechanism
    limits = limits_of(kinematics.mechanism)
    state = with_loop_axes(kinematics, state)
    if float(limits.excess(state.position).max(initial=0.0)) <= WITHIN:
        return state
    coupled = coupled_axes(mechanism, kept)
    # Axes that no loop touches have a closed answer, an interval; the search is for the others.
    elsewhere = {*_axes_of_loops(mechanism), *kept}
    state = replace(state, position=clamped(mechanism, coupled, limits, state.position, elsewhere))
    if float(limits.excess(state.position).max(initial=0.0)) <= WITHIN:
        return state
    free = np.array([a for a in coupled.free if a not in kept and mechanism.axes[a].in_tree], dtype=np.intp)
    search = Search(kinematics, free_columns(kinematics, coupled, kept), free, kept)
    try:
        found = _drawn_in(search, state, limits)
    except LimitsError:
        led = _led_by_one(search, state, limits)
        if led is None:
            raise
        return led
    return _pulled(search, found, state, limits)


def with_loop_axes(kinematics: Kinematics, state: JointState) -> JointState:
    """`state` with the positions of loop joints' axes, whose turns continue from those that it has."""
    mechanism = kinematics.mechanism
    if not mechanism.loop_joints:
        return state
    poses = kinematics.body_matrices(state)
    position = state.position.copy()
    for loop in mechanism.loop_joints:
        values, _ = loop_motion(loop, loop_frames(loop, poses))
        for motion, value in zip(loop.motions, values.tolist(), strict=True):
            turns = (
                round((position[motion.axis] - value) / (2.0 * math.pi)) if motion.kind is MotionKind.ROTATION else 0
            )
            # A pose says an angle up to whole turns; limits count turns, so the nearest to before is taken.
            position[motion.axis] = value + 2.0 * math.pi * turns
    return replace(state, position=position)


def _axes_of_loops(mechanism: Mechanism) -> Iterator[int]:
    """All axes that loops, or couplings with curves, may move."""
    for cluster in mechanism.clusters:
        if mechanism.is_curved(cluster):
            for joint in cluster.joints:
                yield from (motion.axis for motion in mechanism.joints[joint].motions)
    yield from (i for i, info in enumerate(mechanism.axes) if not info.in_tree)


@dataclass(frozen=True)
class Search:
    """What does not change: `columns` lead from the unknowns to the freedoms of the forest, shape (n_dof, n_unknowns);
    the first unknowns are the positions of the `free` axes, those behind them turns of balls."""

    kinematics: Kinematics
    columns: Array
    free: NDArray[np.intp]
    kept: Mapping[int, float]

    @property
    def held(self) -> Mapping[int, float]:
        """Fixed axes of loop joints, which equations have to enforce."""
        axes = self.kinematics.mechanism.axes
        return {axis: value for axis, value in self.kept.items() if not axes[axis].in_tree}

    def moved(self, state: JointState, step: Array) -> JointState:
        """The state after a step of the unknowns, shape (n_unknowns,)."""
        return with_loop_axes(self.kinematics, advance(self.kinematics, state, self.columns @ step))

    def lacks(self, state: JointState, limits: Limits) -> tuple[Array, Array]:
        """Errors of equations and limits, shapes (n_rows,) and (n_axes,) [rad, m]."""
        return residual_of(self.kinematics, state, self.held), limits.excess(state.position)

    def equations(self, state: JointState, poses: Array) -> Array:
        """Rates of all equations over the unknowns, in the order of `lacks`."""
        rows = [self.kinematics.constraint_matrix(state)]
        rows += [self.kinematics.axis_row(axis, state, poses)[None] for axis in self.held]
        matrix: Array = np.concatenate(rows) @ self.columns
        return matrix

    def failure(self, state: JointState, limits: Limits, axes: Iterable[int]) -> LimitsError:
        """The error that names the axes that exclude each other, or else those that stay outside."""
        mechanism = self.kinematics.mechanism
        outside = np.flatnonzero(limits.excess(state.position) > WITHIN).tolist()
        named = list(dict.fromkeys([*axes, *outside]))
        infos = [mechanism.axes[axis] for axis in named]
        listed = ", ".join(f"'{info.name}' ({range_text(info)})" for info in infos)
        given = ", ".join(f"'{mechanism.axes[axis].name}' at {value:.6g}" for axis, value in self.kept.items())
        what = "couplings and loops" if mechanism.loop_joints else "couplings"
        text = f"no position within the limits of {listed} is found near the start: {what} exclude them"
        text += f" with {given}" if given else " together" if len(named) > 1 else ""
        return LimitsError(text, [(axis, text) for axis in named[-1:]])


def _drawn_in(search: Search, state: JointState, limits: Limits) -> JointState:
    """Move the limits from the present state, where it is allowed, to their values; if the way is barred, as by a
    change point of the loops, jump there and close the loops afterwards."""
    start = state.position
    now = state
    pieces = 1 + int(float(limits.excess(start).max()) / PIECE)
    try:
        for piece in range(1, pieces + 1):
            # Homotopy in the limits: each piece starts near its answer, so Newton's method stays on this branch.
            now = _brought_within(search, now, limits.eased(start, piece / pieces), limits)
    except LimitsError as barred:
        at_once = _brought_from_outside(search, state, limits)
        if at_once is None:
            raise barred
        return at_once
    return now


def _led_by_one(search: Search, state: JointState, limits: Limits) -> JointState | None:
    """The nearest state that is found if one axis moves into its limits first, to either end of them, wherever the
    others have to be meanwhile: as if a rocker swings beyond its limit and back before the crank is within its own.
    None if nothing is found."""
    nowhere = np.full(len(limits.lower), np.inf)
    found = []
    for axis in [a for a in search.free.tolist() if limits.excess(state.position)[a] > WITHIN][:LEADERS]:
        for end in filter(math.isfinite, (float(limits.lower[axis]), float(limits.upper[axis]))):
            alone = Limits(-nowhere, nowhere.copy())
            alone.lower[axis] = alone.upper[axis] = end
            try:
                there = _drawn_in(search, state, alone)
                found.append(_pulled(search, _brought_within(search, there, limits, limits), state, limits))
            except LimitsError:
                continue
    return min(found, key=lambda one: _distance_moved(one, state, search), default=None)


def _distance_moved(state: JointState, start: JointState, search: Search) -> float:
    """Distance of the free axes from their start."""
    return float(np.linalg.norm((state.position - start.position)[search.free]))


def _brought_from_outside(search: Search, state: JointState, limits: Limits) -> JointState | None:
    """Move axes to their limits regardless of the loops, then close the loops; None if that fails."""
    G, h, _ = stops_at(search, state, search.kinematics.body_matrices(state), limits)
    change = least_change(np.zeros((0, G.shape[1])), np.zeros(0), G, h)
    if len(change.against):
        return None
    try:
        return _brought_within(search, search.moved(state, change.step), limits, limits)
    except LimitsError:
        return None


def _brought_within(search: Search, state: JointState, limits: Limits, final: Limits) -> JointState:
    """Newton's method; from a dead point also from a little to either side. `final`: the limits that a failure tells
    of."""
    found, against = closed_within(search, state, limits)
    if found is None:
        equations = search.equations(state, search.kinematics.body_matrices(state))
        # At a dead point the limit's row vanishes on what the loops allow: a small step along that null space gives it
        # a sign.
        _, sizes, right = np.linalg.svd(equations, full_matrices=True)
        free = right[int(np.sum(sizes > ROUNDED * sizes.max(initial=0.0))) :]
        direction = free.T @ (free @ np.ones(free.shape[1]))
        direction *= BESIDE / max(float(np.abs(direction).max(initial=0.0)), 1e-30)
        for sign in (1.0, -1.0):
            found, _ = closed_within(search, search.moved(state, sign * direction), limits)
            if found is not None:
                break
    if found is None:
        raise search.failure(state, final, against)
    return found


def closed_within(search: Search, state: JointState, limits: Limits) -> tuple[JointState | None, tuple[int, ...]]:
    """A state that is closed and within the limits, or None and the axes whose limits exclude each other."""
    slow = 0
    last = math.inf
    for _ in range(MAX_ITERATIONS):
        residual, excess = search.lacks(state, limits)
        largest = max(float(np.abs(residual).max(initial=0.0)), float(excess.max(initial=0.0)))
        if largest < CLOSED:
            return state, ()
        slow = slow + 1 if largest > SLOW * last else 0
        last = largest
        if slow > PATIENCE:
            break
        poses = search.kinematics.body_matrices(state)
        G, h, axes = stops_at(search, state, poses, limits)
        A = search.equations(state, poses)
        change = least_change(A, -residual, G, h)
        against = tuple(axes[change.against].tolist())
        # Linearised limits may exclude each other where the true ones do not; a soft step reaches a state where they
        # do not.
        step = _softened(A, -residual, G, h) if against else change.step
        trial = _shortened(search, state, step, limits)
        if trial is None:
            return (state, ()) if largest < ROUNDED else (None, against)
        state = trial
    return (state if largest < ROUNDED else None), ()


def _pulled(search: Search, state: JointState, start: JointState, limits: Limits) -> JointState:
    """The allowed state nearest to `start` that a descent from `state` reaches."""

    def way(there: JointState) -> Array:
        moved = np.zeros(search.columns.shape[1])
        moved[: len(search.free)] = there.position[search.free] - start.position[search.free]
        return moved

    for _ in range(PULLS):
        away = way(state)
        poses = search.kinematics.body_matrices(state)
        residual, _ = search.lacks(state, limits)
        A = search.equations(state, poses)
        (G, h, _) = stops_at(search, state, poses, limits)
        # Unknown is the whole way from the start, x = away + step: its shortest value, linearised here, is one
        # Gauss-Newton step of the projection (sequential least squares).
        change = least_change(A, A @ away - residual, G, h + G @ away)
        if len(change.against):
            break
        step = change.step - away
        largest = float(np.abs(step).max(initial=0.0))
        nearer, _ = closed_within(search, search.moved(state, min(1.0, PIECE / max(largest, 1e-30)) * step), limits)
        if nearer is None or np.linalg.norm(way(nearer)) > np.linalg.norm(away) - SETTLED:
            break
        state = nearer
    return state


def _softened(A: Array, b: Array, G: Array, h: Array) -> Array:
    """A step within the limits that lessens the errors of the equations, if none within them closes it: damped least
    squares."""
    rows = len(A)
    soft = np.zeros((len(G), len(A)))
    # min |x|^2 + |s|^2 with A x + c s = b: a slack for every equation, dear at 1/c.
    change = least_change(np.hstack((A, SOFT * np.eye(rows))), b, np.hstack((G, soft)), h)
    return change.step[: A.shape[1]]


def stops_at(search: Search, state: JointState, poses: Array, limits: Limits) -> tuple[Array, Array, NDArray[np.intp]]:
    """Rows G d >= h of all limits over the unknowns, and the axis of each row."""
    # A limit of a follower or of a loop joint's axis is one of the unknowns, too: by the row of that axis.
    rates = {
        axis: search.kinematics.axis_row(axis, state, poses) @ search.columns
        for axis in np.flatnonzero(np.isfinite(limits.lower) | np.isfinite(limits.upper)).tolist()
    }
    sides = [(1.0, limits.lower), (-1.0, limits.upper)]
    rows = [(sign, end, axis) for axis in rates for sign, end in sides if np.isfinite(end[axis])]
    G = np.array([sign * rates[axis] for sign, _, axis in rows]).reshape(len(rows), search.columns.shape[1])
    h = np.array([sign * (end[axis] - state.position[axis]) for sign, end, axis in rows])
    return G, h, np.array([axis for _, _, axis in rows], dtype=np.intp)


def _shortened(search: Search, state: JointState, step: Array, limits: Limits) -> JointState | None:
    """The state after as much of the step as lessens the error; None if no part of it does."""
    before = float(np.linalg.norm(np.concatenate(search.lacks(state, limits))))
    scale = min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-30))
    for _ in range(12):
        trial = search.moved(state, scale * step)
        if float(np.linalg.norm(np.concatenate(search.lacks(trial, limits)))) < before:
            return trial
        scale *= 0.5
    return None
