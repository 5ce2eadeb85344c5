"""Efforts of drives at the end of a step from their means over it, see `engine.effort_log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import minmod

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2

HALF = 0.5


@compiled
def extrapolate(trend: Floats, means: Floats, matrix: Floats, limit: Floats, ends: Floats) -> None:
    """Write into `ends` the efforts at the end of a step in which their means are `means`: of n axes by their own
    motors, then of m actuators, shape (n + m,) each; `trend` (n + m, 3) is updated. What an axis is given in all, its
    own and `matrix.T` (n, m) times that of the actuators, stays within its `limit` (n,) where the means do.

    The means are within the limits, and so is every point between two points that are: the change of all that is
    coupled by actuators is taken by the largest share for which no axis leaves its limit.
    """
    n = limit.shape[0]
    share = 1.0
    for i in range(means.shape[0]):
        ends[i] = _change(trend, i, means[i])
    for axis in range(n):
        if _is_actuated(matrix, axis):
            mean = means[axis] + _by_actuators(matrix, means, axis)
            share = min(share, _share_of(mean, ends[axis] + _by_actuators(matrix, ends, axis), limit[axis]))
        else:
            ends[axis] = min(max(means[axis] + ends[axis], -limit[axis]), limit[axis]) - means[axis]
    for i in range(means.shape[0]):
        ends[i] = means[i] + (share if i >= n or _is_actuated(matrix, i) else 1.0) * ends[i]


@compiled
def _change(trend: Floats, i: int, mean: float) -> float:
    """From the mean over a step to its end: half of the change per step, by minmod of this and the one before."""
    change = 0.0
    slope = np.nan
    gap = trend[i, 1]
    if gap > 0.0:
        slope = (mean - trend[i, 0]) / gap
        used = slope
        before = trend[i, 2]
        if before == before:  # noqa: PLR0124 - it is not nan
            used = minmod(slope, before)
        change = HALF * used
    trend[i, 0] = mean
    trend[i, 1] = 1.0
    trend[i, 2] = slope
    return change


@compiled
def _is_actuated(matrix: Floats, axis: int) -> bool:
    found = False
    for i in range(matrix.shape[0]):
        found = found or matrix[i, axis] != 0.0
    return found


@compiled
def _by_actuators(matrix: Floats, efforts: Floats, axis: int) -> float:
    """Effort [N m or N] on an axis: tau = A^T times the efforts of actuators, the last of `efforts`."""
    total = 0.0
    n = matrix.shape[1]
    for i in range(matrix.shape[0]):
        total += matrix[i, axis] * efforts[n + i]
    return total


@compiled
def _share_of(mean: float, change: float, limit: float) -> float:
    """The largest share in [0, 1] of a change from `mean` that stays within +-`limit`; 0 from a mean that is beyond
    it."""
    share = 1.0
    outward = mean + change
    if abs(outward) > limit:
        share = max(limit - (mean if change > 0.0 else -mean), 0.0) / abs(change)
    return min(share, 1.0)


@entry("motion")
def extrapolate_rows(trend: Floats2, means: Floats, matrix: Floats2, limit: Floats, ends: Floats) -> None:
    """As `extrapolate`, for one step after the other: `means` and `ends` are those of all steps in a row, shape (steps
    (n + m),)."""
    size = trend.shape[0]
    for first in range(0, means.shape[0], size):
        extrapolate(trend, means[first : first + size], matrix, limit, ends[first : first + size])
