"""Curves through samples y(x), as cubic pieces: what a law of a coupling is where it is written as a table."""

from __future__ import annotations

import math
from bisect import bisect_right
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


LARGEST = 1e60
"""Of numbers in a table; from row to row x rises by its inverse at least. So cubics, whose last coefficients have the
size of y / x³, are finite."""
CLOSES = 1e-9
"""Slopes at both ends of a period that differ by less than this part of the greatest are one."""


class Interpolation(str, Enum):
    """How a curve goes from sample to sample: with given slopes, or with those that let it overshoot none; with a
    continuous second derivative; or straight."""

    HERMITE = "hermite"
    CUBIC = "cubic"
    LINEAR = "linear"


@dataclass(frozen=True)
class CubicCurve:
    """Piece i, behind `knots[i - 1]`, is c0 + c1 s + c2 s² + c3 s³ with s = x - `anchor(i)`; the first piece is before
    all knots. With a `period` above 0, y(x + period) = y(x) + `advance`."""

    knots: tuple[float, ...]
    pieces: tuple[tuple[float, float, float, float], ...]
    period: float = 0.0
    advance: float = 0.0

    def anchor(self, piece: int) -> float:
        """Where a piece counts from."""
        return self.knots[max(piece - 1, 0)]

    def value(self, x: float) -> float:
        """On the curve."""
        turns = math.floor((x - self.knots[0]) / self.period) if self.period else 0
        x -= turns * self.period
        piece = bisect_right(self.knots, x)
        s = x - self.anchor(piece)
        c0, c1, c2, c3 = self.pieces[piece]
        return c0 + s * (c1 + s * (c2 + s * c3)) + turns * self.advance


def curve_through(
    samples: Sequence[Sequence[float]], interpolation: Interpolation = Interpolation.HERMITE, *, periodic: bool = False
) -> CubicCurve:
    """The curve through rows (x, y) or (x, y, dy/dx), two at least, x rising.

    Hermite: piecewise cubics with the slopes given; without slopes those of Fritsch and Carlson (Monotone piecewise
    cubic interpolation, 1980), which overshoot no sample. Cubic: the spline with the end condition not-a-knot. Beyond
    the samples a curve continues straight; a periodic one repeats, its last sample being the first of the next period.
    Raises UsageError.
    """
    rows = _checked(samples, interpolation)
    x, y = rows[:, 0], rows[:, 1]
    period = float(x[-1] - x[0]) if periodic else 0.0
    advance = float(y[-1] - y[0]) if periodic else 0.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if interpolation is Interpolation.LINEAR:
            cubics = np.stack((y[:-1], np.diff(y) / np.diff(x), 0.0 * y[:-1], 0.0 * y[:-1]), axis=1)
        else:
            cubics = _hermite(x, y, _slopes(rows, interpolation, period, advance))
        last = _end(cubics[-1], float(x[-1] - x[-2]))
    if not (np.isfinite(cubics).all() and math.isfinite(last)):
        raise UsageError("the numbers of a table are too large or too near to each other for a curve")
    ends = [(float(y[0]), float(cubics[0][1]), 0.0, 0.0), (float(y[-1]), last, 0.0, 0.0)]
    inner = [(float(a), float(b), float(c), float(d)) for a, b, c, d in cubics]
    return CubicCurve(tuple(x.tolist()), (ends[0], *inner, ends[1]), period, advance)


def _checked(samples: Sequence[Sequence[float]], interpolation: Interpolation) -> Array:
    widths = {len(row) for row in samples}
    if len(samples) < 2 or not widths <= {2, 3} or len(widths) > 1:
        raise UsageError("a table has two rows or more, each x y, or each x y dy/dx")
    if widths == {3} and interpolation is not Interpolation.HERMITE:
        raise UsageError(f"{interpolation.value} interpolation takes rows x y; slopes belong to hermite")
    rows = np.array(samples, dtype=float)
    if not np.isfinite(rows).all():
        raise UsageError("a table holds finite numbers only")
    if np.abs(rows).max() > LARGEST:
        raise UsageError(f"a table holds numbers up to {LARGEST:g}, not {np.abs(rows).max():g}")
    for before, after in pairwise(rows[:, 0].tolist()):
        if after <= before:
            raise UsageError(f"the first numbers of the rows rise, {after:g} comes behind {before:g}")
        if after - before < 1.0 / LARGEST:
            raise UsageError(f"the first numbers of the rows rise by {1.0 / LARGEST:g} or more, not {after - before:g}")
    return rows


def _slopes(rows: Array, interpolation: Interpolation, period: float, advance: float) -> Array:
    """dy/dx at the samples."""
    from scipy.interpolate import CubicSpline, PchipInterpolator

    x, y = rows[:, 0], rows[:, 1]
    if rows.shape[1] == 3:
        slopes = rows[:, 2]
        if period and abs(slopes[0] - slopes[-1]) > CLOSES * np.abs(slopes).max():
            raise UsageError(f"a period ends with the slope it begins with, not {slopes[0]:g} and {slopes[-1]:g}")
        return np.asarray(slopes, dtype=float)
    if interpolation is Interpolation.CUBIC:
        if not period:
            return np.asarray(CubicSpline(x, y, bc_type="not-a-knot")(x, 1), dtype=float)
        # What repeats is the curve without its advance.
        level = y - advance * (x - x[0]) / period
        level[-1] = level[0]
        return np.asarray(CubicSpline(x, level, bc_type="periodic")(x, 1) + advance / period, dtype=float)
    if not period:
        return np.asarray(PchipInterpolator(x, y).derivative()(x), dtype=float)
    # Three periods side by side: the middle one has neighbours on both sides.
    long_x = np.concatenate((x[:-1] - period, x[:-1], x + period))
    long_y = np.concatenate((y[:-1] - advance, y[:-1], y + advance))
    n = len(x) - 1
    return np.asarray(PchipInterpolator(long_x, long_y).derivative()(long_x[n : 2 * n + 1]), dtype=float)


def _hermite(x: Array, y: Array, slopes: Array) -> Array:
    """Cubics with values and slopes at both ends, shape (n - 1, 4)."""
    h = np.diff(x)
    rise = np.diff(y) / h
    square = (3.0 * rise - 2.0 * slopes[:-1] - slopes[1:]) / h
    cube = (slopes[:-1] + slopes[1:] - 2.0 * rise) / h**2
    return np.stack((y[:-1], slopes[:-1], square, cube), axis=1)


def _end(cubic: Array, h: float) -> float:
    """The slope at the end of a piece."""
    return float(cubic[1] + h * (2.0 * cubic[2] + h * 3.0 * cubic[3]))
