"""Which parameters a measure depends on, and how much.

Sobol indices are of a study with `sampling = "saltelli"`; standardised regression coefficients of any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


RESAMPLED = 200
"""Number of bootstrap samples for confidence intervals."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class SobolIndices:
    """Shares of the variance of a measure, shape (d,) each: `first`, explained by a parameter alone, `total`, what
    remains while all others are fixed; `first_error` and `total_error`: half of the 95 % confidence interval. `count`:
    number of base points."""

    first: Array
    total: Array
    first_error: Array
    total_error: Array
    count: int


def sobol_indices(values: Array, d: int, seed: int = 0) -> SobolIndices:
    """Sobol indices from the measures of all samples of a design, shape (n (d + 2),), for d parameters.

    S_i = mean(f_B (f_ABi - f_A)) / V of centred values (Saltelli et al., Comput. Phys. Commun. 181, 2010, 259, Table 2
    b) and S_Ti = mean((f_A - f_ABi)²) / 2 V (Jansen 1999). Base points with a failed sample are left out, which
    scipy's function, made for powers of two, does not allow; of SALib 1.6, whose indices are these to 1e-9, one failed
    sample makes all indices 0. Confidence intervals by bootstrap over base points.
    """
    rows = values[: len(values) // (d + 2) * (d + 2)].reshape(-1, d + 2)
    rows = rows[np.isfinite(rows).all(axis=1)]
    first, total = _indices(rows)
    random = np.random.default_rng(seed)
    again = [_indices(rows[random.integers(0, len(rows), len(rows))]) for _ in range(RESAMPLED if len(rows) else 0)]
    tail = 50.0 * (1.0 - CONFIDENCE)
    if not again:
        return SobolIndices(first, total, np.full(d, np.nan), np.full(d, np.nan), 0)
    ends = np.percentile(np.array(again), (tail, 100.0 - tail), axis=0)
    half = 0.5 * (ends[1] - ends[0])
    return SobolIndices(first, total, half[0], half[1], len(rows))


def _indices(rows: Array) -> tuple[Array, Array]:
    both = rows[:, :2]
    variance = float(np.var(both)) if len(rows) else 0.0
    if variance == 0.0:
        nothing = np.full(rows.shape[1] - 2, np.nan)
        return nothing, nothing
    a = (rows - both.mean())[:, 0, None]
    b = (rows - both.mean())[:, 1, None]
    mixed = (rows - both.mean())[:, 2:]
    return (b * (mixed - a)).mean(axis=0) / variance, 0.5 * ((a - mixed) ** 2).mean(axis=0) / variance


@dataclass(frozen=True)
class Regression:
    """A measure as a linear function of its parameters, all in units of their standard deviation: `coefficients` (d,),
    and `explained`, the share of the variance that this is, R²."""

    coefficients: Array
    explained: float


def regression(parameters: Array, values: Array) -> Regression:
    """Standardised regression coefficients of parameters, shape (n, d), and a measure, shape (n,); 0 for those that do
    not vary."""
    kept = np.isfinite(values)
    x, y = parameters[kept], values[kept]
    coefficients = np.zeros(parameters.shape[1])
    if len(y) < 2 or np.ptp(y) == 0.0:
        return Regression(coefficients, float("nan"))
    varies = np.ptp(x, axis=0) > 0.0
    x = (x[:, varies] - x[:, varies].mean(axis=0)) / x[:, varies].std(axis=0)
    y = (y - y.mean()) / y.std()
    found, *_ = np.linalg.lstsq(x, y, rcond=None)
    coefficients[varies] = found
    return Regression(coefficients, 1.0 - float(np.mean((y - x @ found) ** 2)))


def yield_interval(good: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (Brown, Cai and DasGupta, Statist. Sci. 16, 2001, 101)."""
    if count == 0:
        return 0.0, 1.0
    z = 1.959963984540054
    p = good / count
    middle = p + z * z / (2.0 * count)
    half = z * float(np.sqrt(p * (1.0 - p) / count + z * z / (4.0 * count * count)))
    scale = 1.0 + z * z / count
    return (middle - half) / scale, (middle + half) / scale
