"""Figures of recorded curves: between two cursors, and the slope of one channel over another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class Stretch:
    """A curve between two times: `first` and `last` are its values there, `mean` and `rms` are over time. Units of the
    curve."""

    first: float
    last: float
    mean: float
    rms: float

    @property
    def delta(self) -> float:
        """By how much it rises."""
        return self.last - self.first


def stretch(times: Array, values: Array, start: float, stop: float) -> Stretch | None:
    """The samples from `start` to `stop` [s], in either order; None where the recording has none. Between samples the
    curve is straight: the mean is the trapezoidal rule's, the mean square that of the straight pieces, (a² + ab +
    b²)/3."""
    start, stop = min(start, stop), max(start, stop)
    inside = (times >= start) & (times <= stop)
    if not inside.any():
        return None
    t, v = times[inside], values[inside]
    span = float(t[-1] - t[0])
    if span <= 0.0:
        return Stretch(float(v[0]), float(v[-1]), float(v.mean()), float(np.sqrt(np.mean(v * v))))
    steps = np.diff(t)
    a = v[:-1]
    b = v[1:]
    mean = float(np.sum(steps * (a + b)) / (2.0 * span))
    square = float(np.sum(steps * (a * a + a * b + b * b)) / (3.0 * span))
    return Stretch(float(v[0]), float(v[-1]), mean, float(np.sqrt(square)))


@dataclass(frozen=True)
class Line:
    """y = slope · x + intercept."""

    slope: float
    intercept: float


def fitted_line(x: Array, y: Array) -> Line | None:
    """The line of least squares through points, shape (n,) each, about their means; None where x does not vary."""
    if len(x) < 2:
        return None
    across = x - x.mean()
    spread = float(across @ across)
    if spread <= 1e-24 * len(x) * max(1.0, float(np.abs(x).max()) ** 2):
        return None
    slope = float(across @ (y - y.mean())) / spread
    return Line(slope, float(y.mean() - slope * x.mean()))
