"""The efforts behind a recorded motion."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.named import NamedMatrix
from simulator.model.splines import Spline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.analysis.reactions import Balance
    from simulator.api.run import Run
    from simulator.engine.shots import Shots
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array


ROUNDS = 12
"""Largest number of corrections of the efforts between two samples."""
MET = 1e-6
"""Tolerance of the corrections, relative to the greatest acceleration of the axis."""


def recorded_efforts(balance: Balance, run: Run, axes: Sequence[int], shots: Shots | None) -> NamedMatrix:
    """Efforts on `axes`, one for each degree of freedom, that produce a recorded motion; rows are the samples.

    Between two samples efforts are linear, such that the equations of motion lead from the positions and velocities
    of one to those of the next (multiple shooting); at a sample, the result is the mean of both sides. The first guess
    is inverse dynamics of quintic splines through positions and velocities (`model.splines`), which is the result if
    there are no `shots`. Raises UsageError for axes that do not determine the motion.
    """
    states = run.states()
    times = run.time.tolist()
    places = list(axes)
    position = np.array([state.position[places] for state in states]).reshape(len(states), len(places))
    velocity = np.array([state.velocity[places] for state in states]).reshape(len(states), len(places))
    bends = _accelerations(times, position, velocity)
    found = np.zeros((len(states), len(places)))
    for i, (state, time) in enumerate(zip(states, times, strict=True)):
        found[i] = _needed(balance, state, time, places, bends[i])
    if shots is not None and len(states) > 1 and places:
        found = _led(balance, shots, run, states, places, bends, found)
    names = run.mechanism.axes
    return NamedMatrix(tuple(f"{time:.9g} s" for time in times), tuple(names[axis].name for axis in places), found)


def _accelerations(times: list[float], position: Array, velocity: Array) -> Array:
    """Accelerations of quintic splines at the samples, shape (n, n_axes)."""
    if not times:
        return position
    columns = zip(position.T.tolist(), velocity.T.tolist(), strict=True)
    bends = [Spline(tuple(times), tuple(q), rates=tuple(v)).derivatives[1] for q, v in columns]
    found: Array = np.array(bends).reshape(len(bends), len(times)).T
    return found


def _needed(balance: Balance, state: JointState, time: float, places: list[int], accelerations: Array) -> Array:
    balance.swept.set_time(time)
    wanted = dict(zip(places, accelerations.tolist(), strict=True))
    efforts: Array = balance.efforts_of_motion(state, wanted)[places]
    return efforts


def _led(
    balance: Balance, shots: Shots, run: Run, states: list[JointState], places: list[int], bends: Array, guess: Array
) -> Array:
    """Efforts that lead from sample to sample, starting from a guess, shape (n, n_axes)."""
    sides = np.full((2, *guess.shape), np.nan)
    least = MET * np.abs(bends).max(axis=0)
    inverse: Array | None = None
    for i, (state, goal) in enumerate(pairwise(states)):
        time = float(run.time[i])
        h = float(run.time[i + 1] - run.time[i])
        steps = max(2, math.ceil(h / run.dt * (1.0 - 1e-9)))
        shots.begin(state)

        def missed(
            efforts: Array, goal: JointState = goal, time: float = time, h: float = h, steps: int = steps
        ) -> Array | None:
            """Errors of positions and velocities at the next sample, as accelerations, shape (2 n,)."""
            given = np.zeros((2, len(goal.position)))
            given[:, places] = efforts.reshape(2, -1)
            end = shots.end(time, h, steps, given)
            if end is None:
                return None
            return np.concatenate(((goal.position - end[0])[places] / h**2, (goal.velocity - end[1])[places] / h))

        first = guess[i : i + 2].ravel()
        limits = np.concatenate((least, least))
        found = None
        if inverse is not None:  # that of the interval before may be good enough
            found = _corrected(missed, first, limits, inverse)
        if found is None:
            mass = _mass(balance, state, time, places, bends[i], guess[i])
            # Under a constant mass, efforts a + (b - a) t / h add h (a + b) / 2 to the momentum and
            # h² (a / 3 + b / 6) to its integral.
            inertia: Array = np.kron(np.array([[6.0, -2.0], [-6.0, 4.0]]), mass)
            found = _corrected(missed, first, limits, inertia)
        if found is not None:
            (sides[0, i], sides[1, i + 1]), inverse = found[0].reshape(2, -1), found[1]
    known = np.isfinite(sides)
    mean = np.where(known, sides, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0), mean, guess)


def _corrected(
    missed: Callable[[Array], Array | None], efforts: Array, least: Array, inverse: Array
) -> tuple[Array, Array] | None:
    """Efforts whose error is below `least`, and the inverse of the error's derivative by them, by Broyden's method
    from such an `inverse`; None if it does not converge."""
    lacking = missed(efforts)
    for _ in range(ROUNDS):
        if lacking is None or (np.abs(lacking) < least).all():
            return None if lacking is None else (efforts, inverse)
        step = inverse @ lacking
        after = missed(efforts + step)
        if after is None:
            return None
        gained = inverse @ (lacking - after)
        if (along := step @ gained) == 0.0:
            return None
        inverse = inverse + np.outer(step - gained, step @ inverse) / along
        efforts = efforts + step
        lacking = after
    return None


def _mass(
    balance: Balance, state: JointState, time: float, places: list[int], accelerations: Array, needed: Array
) -> Array:
    """Effort per acceleration of the axes, shape (n, n)."""
    unit = np.eye(len(places)) * (1.0 + np.abs(accelerations))
    columns = [_needed(balance, state, time, places, accelerations + more) - needed for more in unit]
    return np.stack([column / more.max() for column, more in zip(columns, unit, strict=True)], axis=1)
