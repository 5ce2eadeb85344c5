"""Efforts of drives at the time of a row, how much each drive needs over a run, and its impulses.

A motor's effort is known by its mean over a step, which is that of the middle to second order. At the end of the step
it is that mean and half of its change since the step before; where this change and the one before differ in sign it is
the mean alone, and else at most the smaller of both is added (minmod), so that a jump of the effort never
overshoots. If the effort at an instant is known exactly (at the start, after a jump) the change is counted from there.
No axis is given more than its limit: `physics.tree.efforts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.sampled import Sampled
from simulator.physics.step.block import PEAK, SQUARE, WORK_OF_DRIVE
from simulator.physics.tree.efforts import HALF, extrapolate_rows
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


PREVIOUS, GAP, SLOPE = range(3)
"""Columns of a trend: the effort that is known last, how many steps before the middle of the next step it was (0: none
is known), and its change per step (nan: not known)."""


@dataclass(frozen=True)
class Impulse:
    """An impulse [N m s or N s] of a drive at `time` [s], and the velocity of its `axis` before and after it: what a
    jump of the drive took (`of_drive`), or a blow, through which it kept its velocity where both are the same, or what
    let it go."""

    axis: int
    time: float
    impulse: float
    before: float
    after: float
    of_drive: bool = True


class EffortLog:
    """Books of all axes, then of all actuators: `trend` and `tally`, shape (n, 3) each, run in place. Since the last
    `clear`: `impulses`; in `held` the axes of motors without an effort limit that something held, from when on [s] and
    what; in `written` the least and the greatest number that was written to the drive of an axis; in `asked` the most
    that commanded efforts of actuators asked of each axis, shape (n_axes,), if they were commanded one by one; and in
    `sampled` what was written to efforts of axes, then of actuators.

    `matrix`: of actuators, shape (n_actuators, n_axes); `limit`: the largest effort of each axis, shape (n_axes,) [N m
    or N].
    """

    def __init__(self, matrix: Array, limit: Array) -> None:
        self._matrix: Array = np.array(matrix, dtype=float)
        self._limit: Array = np.array(limit, dtype=float)
        self.trend: Array = np.zeros((sum(self._matrix.shape), 3))
        self.tally: Array = np.zeros((sum(self._matrix.shape), 3))
        self.impulses: list[Impulse] = []
        self.held: dict[int, tuple[float, str]] = {}
        self.written: dict[int, tuple[float, float]] = {}
        self.asked: Array = np.zeros(len(self._limit))
        self.sampled: dict[int, Sampled] = {}
        self.restart()

    def clear(self, efforts: Array) -> None:
        """Count from here on, where drives give `efforts`, shape (n,)."""
        self.tally[:] = 0.0
        self.tally[:, PEAK] = np.abs(efforts)
        self.impulses.clear()
        self.held.clear()
        self.written.clear()
        self.asked[:] = 0.0
        self.sampled.clear()

    def restart(self) -> None:
        """What was before says nothing about what comes."""
        self.trend[:] = 0.0, 0.0, np.nan

    def restart_axis(self, axis: int) -> None:
        """As `restart`, for one axis."""
        self.trend[axis] = 0.0, 0.0, np.nan

    def write(self, axis: int, value: float) -> None:
        """Enter a number that was written to the drive of an axis."""
        bounds = self.written.get(axis)
        if bounds is None:
            self.written[axis] = value, value
        elif not bounds[0] <= value <= bounds[1]:
            self.written[axis] = min(bounds[0], value), max(bounds[1], value)

    def write_effort(self, index: int, time: float, value: float) -> None:
        """Enter an effort that was written at `time` [s] to the drive of an axis, or behind them of an actuator."""
        found = self.sampled.get(index)
        if found is None:
            found = self.sampled[index] = Sampled()
        found.write(time, value)

    def ask(self, efforts: Array) -> None:
        """Enter what actuators ask of the axes, shape (n_axes,)."""
        np.maximum(self.asked, np.abs(efforts), out=self.asked)

    def forget(self, index: int) -> None:
        """Another drive of an axis, or behind them of an actuator, begins: what was written to the last is over."""
        self.written.pop(index, None)
        self.sampled.pop(index, None)

    def know(self, index: int, effort: float) -> None:
        """The effort at this instant, the end of a step or the start."""
        self.trend[index] = effort, HALF, np.nan

    def at_ends(self, means: Array) -> Array:
        """Efforts at the ends of steps from their means over them, shape (steps, n): of axes without what actuators do
        on them, then of actuators."""
        ends: Array = np.empty(means.size)
        if means.size:
            extrapolate_rows(self.trend, np.ascontiguousarray(means).ravel(), self._matrix, self._limit, ends)
        return ends.reshape(means.shape)

    def count(self, means: Array, ends: Array, moved: Array, dt: float) -> None:
        """Enter steps of `dt` [s] in which coordinates moved by `moved` [rad or m], all of shape (steps, n)."""
        self.tally[:, PEAK] = np.maximum(self.tally[:, PEAK], np.abs(ends).max(axis=0, initial=0.0))
        self.tally[:, SQUARE] += (means * means * dt).sum(axis=0)
        self.tally[:, WORK_OF_DRIVE] += (means * moved).sum(axis=0)

    def note(self, impulse: Impulse) -> None:
        """Enter an impulse, whose work is that at the mean of both velocities."""
        self.impulses.append(impulse)
        self.tally[impulse.axis, WORK_OF_DRIVE] += HALF * impulse.impulse * (impulse.before + impulse.after)
