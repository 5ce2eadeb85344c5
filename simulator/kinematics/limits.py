"""The limits of all axes as arrays, and the positions that couplings leave within them.

Axes that couplings of two connect move with one of them, q_i = m_i y + c_i: every limit becomes one of y, and their
intersection is an interval. It is empty if two limits exclude each other; these two are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import LimitsError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from simulator.kinematics.coupled_axes import CoupledAxes
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.spatial.arrays import Array

    Ints = NDArray[np.intp]

WITHIN = 1e-9
"""Distance [rad or m] from a limit that counts as none: assembly leaves as much."""


NOWHERE = 1e16
"""Positions [rad or m] as far as this stand for infinity in SDFormat documents: a lower limit there leaves no
position."""


@dataclass(frozen=True)
class Limits:
    """Lowest and highest position of every axis, shape (n_axes,) [rad or m]; infinite where there is no limit."""

    lower: Array
    upper: Array

    def clipped(self, position: Array) -> Array:
        """The nearest positions that every axis by itself could have, shape (n_axes,)."""
        result: Array = np.clip(position, self.lower, self.upper)
        return result

    def excess(self, position: Array) -> Array:
        """How far each axis is outside, shape (n_axes,)."""
        result: Array = np.maximum(np.maximum(self.lower - position, position - self.upper), 0.0)
        return result

    def eased(self, start: Array, part: float) -> Limits:
        """Limits on the way from where `start` is within them (0) to these (1)."""
        rest = 1.0 - part
        with np.errstate(invalid="ignore"):
            lower = np.where(start < self.lower, rest * start + part * self.lower, self.lower)
            upper = np.where(start > self.upper, rest * start + part * self.upper, self.upper)
        return Limits(lower, upper)


def limits_of(mechanism: Mechanism) -> Limits:
    """The document's limits; an axis whose limits leave no position has none here (see `require_in_order`)."""
    lower = np.array([info.axis.lower for info in mechanism.axes], dtype=float)
    upper = np.array([info.axis.upper for info in mechanism.axes], dtype=float)
    nowhere = (lower > upper) | (lower >= NOWHERE) | (upper <= -NOWHERE)
    return Limits(np.where(nowhere, -np.inf, lower), np.where(nowhere, np.inf, upper))


def limit_faults(mechanism: Mechanism) -> list[tuple[int, str]]:
    """Axes whose limits leave no position, with the reason: the lower one is above the upper one, or one of them leaves
    none."""
    faults = []
    for axis, info in enumerate(mechanism.axes):
        lower = info.axis.lower
        upper = info.axis.upper
        text = f"'{info.name}' is limited to {range_text(info)}"
        if lower > upper:
            faults.append((axis, f"no position is allowed: {text}, the wrong way round"))
        elif lower >= NOWHERE or upper <= -NOWHERE:
            faults.append((axis, f"no position is allowed: {text}, where nothing can be"))
    return faults


def require_in_order(mechanism: Mechanism) -> None:
    """Raise LimitsError if the limits of an axis leave no position."""
    faults = limit_faults(mechanism)
    if faults:
        raise LimitsError("; ".join(text for _, text in faults), faults)


def range_text(info: AxisInfo) -> str:
    """`0.2 to 1 rad`; a side without a limit is `-inf` or `inf`."""
    return f"{info.axis.lower:.6g} to {info.axis.upper:.6g} {info.unit}"


def speed_text(info: AxisInfo, value: float) -> str:
    """`2 rad/s`."""
    return f"{value:.6g} {info.unit}/s"


def clamped(
    mechanism: Mechanism, coupled: CoupledAxes, limits: Limits, position: Array, elsewhere: Collection[int]
) -> Array:
    """Positions, shape (n_axes,), with every free axis at the nearest place that its own limits and those of what moves
    with it allow.

    Free axes in `elsewhere`, and those that are tied to each other, are left alone. Raises LimitsError where limits
    exclude each other.
    """
    moving = np.zeros(len(position), dtype=bool)
    moving[list(_alone(coupled, elsewhere))] = True
    lowest, highest, rows, columns, low, high = _intervals(coupled, limits, moving)
    gap = lowest - highest
    # Decimal figures in documents leave gaps of a rounding where limits were meant to meet.
    empty = np.flatnonzero(gap > WITHIN * (1.0 + np.abs(np.where(np.isfinite(lowest), lowest, 0.0))))
    sets = [columns == root for root in empty]
    faults = [_contradicting_limits(mechanism, rows[here], low[here], high[here], coupled) for here in sets]
    faults += _held_outside(mechanism, coupled, limits, np.bincount(coupled.rows, minlength=len(position)))
    if faults:
        raise LimitsError("; ".join(text for _, text in faults), faults)
    asked = position.copy()
    asked[moving] = np.clip(position, lowest, np.maximum(lowest, highest))[moving]
    return coupled.positions(asked)


def held_by_limits(mechanism: Mechanism, coupled: CoupledAxes, elsewhere: Collection[int]) -> list[tuple[int, str]]:
    """Axes that may move by their own limits, and have one position by those of what moves with them, with a sentence
    that names both; those in `elsewhere` are left alone."""
    limits = limits_of(mechanism)
    moving = np.zeros(len(mechanism.axes), dtype=bool)
    moving[list(_alone(coupled, elsewhere))] = True
    lowest, highest, rows, columns, low, high = _intervals(coupled, limits, moving)
    held = np.isfinite(lowest) & (np.abs(highest - lowest) <= WITHIN * (1.0 + np.abs(lowest)))
    found = []
    for root in np.flatnonzero(held).tolist():
        here = columns == root
        first, second = int(rows[here][np.argmax(low[here])]), int(rows[here][np.argmin(high[here])])
        one, other = (mechanism.axes[axis] for axis in sorted((first, second)))
        if first == second or any(info.axis.upper - info.axis.lower <= WITHIN for info in (one, other)):
            continue
        place = float(coupled.positions(np.where(moving, lowest, 0.0))[min(first, second)])
        text = (
            f"'{one.name}' cannot leave {place:.6g} {one.unit}: it is limited to {range_text(one)}, and "
            f"'{other.name}', which moves with it, to {range_text(other)}; they allow no other position"
        )
        found.append((max(first, second), text))
    return found


def _alone(coupled: CoupledAxes, elsewhere: Collection[int]) -> Iterator[int]:
    """The free axes that are not tied to each other, but for those in `elsewhere`."""
    entries = np.bincount(coupled.rows, minlength=len(coupled.constants))
    mixed = set(coupled.columns[entries[coupled.rows] > 1].tolist())
    return (axis for axis in coupled.free if axis not in mixed and axis not in elsewhere)


def _intervals(
    coupled: CoupledAxes, limits: Limits, moving: NDArray[np.bool_]
) -> tuple[Array, Array, Ints, Ints, Array, Array]:
    """The lowest and highest position of each `moving` axis, shape (n_axes,) each, and what they come of: axes with
    limits, the moving one of each, and its lowest and highest position by these."""
    chosen = moving[coupled.columns] & (coupled.values != 0.0)
    rows = coupled.rows[chosen]
    columns = coupled.columns[chosen]
    slopes = coupled.values[chosen]
    # lower <= m y + c <= upper becomes an interval of y; a negative m swaps its ends, hence min and max.
    ends = np.stack(((limits.lower[rows] - coupled.constants[rows]) / slopes,
                     (limits.upper[rows] - coupled.constants[rows]) / slopes))  # fmt: skip
    low, high = ends.min(axis=0), ends.max(axis=0)
    lowest = np.full(len(moving), -np.inf)
    highest = np.full(len(moving), np.inf)
    np.maximum.at(lowest, columns, low)
    np.minimum.at(highest, columns, high)
    return lowest, highest, rows, columns, low, high


def _contradicting_limits(
    mechanism: Mechanism, rows: Ints, low: Array, high: Array, coupled: CoupledAxes
) -> tuple[int, str]:
    """The two axes of a coupled set whose limits leave no position, and a sentence that names them."""
    first, second = sorted({int(rows[np.argmax(low)]), int(rows[np.argmin(high)])})
    slope = dict(zip(coupled.rows.tolist(), coupled.values.tolist(), strict=True))
    ratio = slope[second] / slope[first]
    leader, follower = mechanism.axes[first], mechanism.axes[second]
    ends = [ratio * (end - coupled.constants[first]) + coupled.constants[second] for end in
            (leader.axis.lower, leader.axis.upper)]  # fmt: skip
    return second, (
        f"no position is allowed: '{leader.name}' is limited to {range_text(leader)}, with which '{follower.name}' is "
        f"from {min(ends):.6g} to {max(ends):.6g} {follower.unit} by their coupling, and that one is limited to "
        f"{range_text(follower)}"
    )


def _held_outside(mechanism: Mechanism, coupled: CoupledAxes, limits: Limits, entries: Ints) -> list[tuple[int, str]]:
    """Axes that couplings hold at one place, outside of their limits."""
    held = np.flatnonzero((entries == 0) & (limits.excess(coupled.constants) > WITHIN))
    return [
        (
            axis,
            f"no position is allowed: couplings hold '{mechanism.axes[axis].name}' at {coupled.constants[axis]:.6g}, "
            f"and it is limited to {range_text(mechanism.axes[axis])}",
        )
        for axis in held.tolist()
    ]
