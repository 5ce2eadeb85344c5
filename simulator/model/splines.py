"""Smooth curves through samples, as profiles.

A recorded motion has accelerations: a curve for it has a continuous second derivative, which straight lines between
samples lack. Between two samples the curve is the polynomial of fifth degree that has there the values, first and
second derivatives of both. Where samples have rates, second derivatives are those with which the third is continuous as
well (a quintic spline with the rates given; at both ends that of the polynomial through three samples with their rates,
de Boor 2001, *A Practical Guide to Splines*, chapter IV). Where they have values only, the curve is the cubic spline
with the end condition *not-a-knot*, `scipy.interpolate.CubicSpline`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.model.profiles import Table
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


ENDS = 3
"""Samples whose polynomial gives the second derivative at an end."""


@dataclass(frozen=True)
class Spline(Table):
    """A curve with a continuous second derivative through samples; the first value before them, the last one after.

    `rates`: first derivatives at the samples [unit / s], as many as values, or empty where none are known.
    """

    rates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is not a function of time."""
        super().__post_init__()
        if self.rates and len(self.rates) != len(self.times):
            raise UsageError(f"a spline needs as many rates as values, not {len(self.rates)} and {len(self.values)}")
        if not all(map(math.isfinite, self.rates)):
            raise UsageError("a spline holds finite numbers only")

    def value(self, time: float) -> float:
        """On the curve."""
        i = bisect_right(self.times, time)
        if i in (0, len(self.times)):
            return self.values[0 if i == 0 else -1]
        _, a, b, c, d, e, f = self.pieces[i - 1]
        s = time - self.times[i - 1]
        return a + s * (b + s * (c + s * (d + s * (e + s * f))))

    def rate(self, time: float) -> float:
        """The slope of the curve; zero before it, and from its end on."""
        i = bisect_right(self.times, time)
        if i in (0, len(self.times)):
            return 0.0
        _, _, b, c, d, e, f = self.pieces[i - 1]
        s = time - self.times[i - 1]
        return b + s * (2.0 * c + s * (3.0 * d + s * (4.0 * e + s * 5.0 * f)))

    @property
    def last_rate(self) -> float:
        """The slope with which the curve arrives at its last sample."""
        return float(self.derivatives[0][-1])

    @cached_property
    def derivatives(self) -> tuple[Array, Array]:
        """First and second derivatives at the samples, shape (n,) each."""
        times, values = np.array(self.times), np.array(self.values)
        if len(times) == 1:
            return np.zeros(1), np.zeros(1)
        if self.rates:
            return np.array(self.rates), _second_derivatives(times, values, np.array(self.rates))
        from scipy.interpolate import CubicSpline

        curve = CubicSpline(times, values, bc_type="not-a-knot")
        return curve(times, 1), curve(times, 2)

    @cached_property
    def pieces(self) -> list[tuple[float, ...]]:
        """The beginning of every piece [s] and its six coefficients, the constant first; the last row holds the last
        value."""
        x = np.array(self.values)
        (v, m) = self.derivatives
        h = np.diff(self.times)
        gap = np.diff(x) - h * (v[:-1] + 0.5 * h * m[:-1])
        turn = h * (np.diff(v) - h * m[:-1])
        bend = 0.5 * h * h * np.diff(m)
        higher = (
            (10.0 * gap - 4.0 * turn + bend) / h**3,
            (-15.0 * gap + 7.0 * turn - 2.0 * bend) / h**4,
            (6.0 * gap - 3.0 * turn + bend) / h**5,
        )
        rows = np.array([self.times[:-1], x[:-1], v[:-1], 0.5 * m[:-1], *higher]).T.tolist()
        return [*map(tuple, rows), (self.times[-1], self.values[-1], 0.0, 0.0, 0.0, 0.0, 0.0)]


def _second_derivatives(t: Array, x: Array, v: Array) -> Array:
    """With which the third derivatives of neighbouring pieces agree; shapes (n,), n at least 2."""
    from scipy.interpolate import KroghInterpolator
    from scipy.linalg import solve_banded

    h = np.diff(t)
    begin = (60.0 * np.diff(x) / h - 36.0 * v[:-1] - 24.0 * v[1:]) / h**2
    end = (60.0 * np.diff(x) / h - 24.0 * v[:-1] - 36.0 * v[1:]) / h**2
    bands = np.zeros((3, len(t)))
    right = np.zeros(len(t))
    bands[1] = 1.0
    bands[0, 2:], bands[1, 1:-1], bands[2, :-2] = -3.0 / h[1:], 9.0 / h[:-1] + 9.0 / h[1:], -3.0 / h[:-1]
    right[1:-1] = begin[1:] - end[:-1]
    for place, some in ((0, slice(None, ENDS)), (-1, slice(-ENDS, None))):
        nodes = np.repeat(t[some], 2)
        given = np.stack((x[some], v[some]), axis=1).ravel()
        right[place] = KroghInterpolator(nodes, given).derivative(t[place], 2)
    found: Array = solve_banded((1, 1), bands, right)
    return found
