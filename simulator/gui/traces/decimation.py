"""Thin out curves to about one bin per pixel column, keeping every peak. Pure numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.spatial.arrays import Array

UNEVEN = 3.0
"""Bins are filled unevenly where the fullest has more than this many times the samples of the mean."""
ROUND_OFF = 1e-9
"""A curve that varies by less than this part of its values is a constant."""


def min_max(times: Array, values: Array, span: float, bins: int) -> tuple[Array, Array]:
    """Smallest and largest value of every time bin of width span / bins.

    `times` (n,) rising, `values` (n, k). Gives times (2 m,) and values (2 m, k), minimum before maximum; up to two
    samples a bin come back as they are. Bins begin at multiples of their width, so a scrolling curve does not flicker.
    """
    if bins < 1 or span <= 0.0 or len(times) <= 2 * bins:
        return times, values
    starts = bin_starts(times, span / bins)
    ends = np.append(starts[1:], len(times)) - 1
    lowest, highest = _extremes(values, starts, ends)
    thin_times = np.stack((times[starts], times[ends]), axis=1).ravel()
    thin_values = np.stack((lowest, highest), axis=1).reshape(2 * len(starts), values.shape[1])
    return thin_times, thin_values


def _extremes(values: Array, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> tuple[Array, Array]:
    """Smallest and largest value of every bin, by the first and last sample of each. One sample of all bins at a time
    takes a quarter of what one bin after the other does."""
    most = int((ends - starts).max()) + 1
    if most * len(starts) > UNEVEN * len(values):
        return np.fmin.reduceat(values, starts, axis=0), np.fmax.reduceat(values, starts, axis=0)
    lowest = values[starts]
    highest = lowest.copy()
    for place in range(1, most):
        there = values[np.minimum(starts + place, ends)]
        np.fmin(lowest, there, out=lowest)
        np.fmax(highest, there, out=highest)
    return lowest, highest


def bin_starts(times: Array, width: float) -> NDArray[np.intp]:
    """Index of the first sample of every bin that has one."""
    number = np.floor(times / width)
    return np.flatnonzero(np.concatenate(([True], number[1:] != number[:-1])))


def latest_run(times: Array, values: Array) -> tuple[Array, Array]:
    """The part after the last jump back in time (a reset), so that curves never fold over."""
    back = np.flatnonzero(np.diff(times) < 0.0)
    if len(back) == 0:
        return times, values
    first = int(back[-1]) + 1
    return times[first:], values[first:]


def nice_range(values: Array, least: float = 1e-12) -> tuple[float, float] | None:
    """Lowest and highest finite value with a margin, `least` to either side at the least, and a tenth of the value of a
    constant; None without finite values."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return None
    low, high = float(finite.min()), float(finite.max())
    height = high - low
    size = max(abs(low), abs(high))
    floor = size * (1e-3 if height > ROUND_OFF * size else 0.1)
    margin = max(0.08 * height if height > floor else floor, least - height / 2.0)
    return low - margin, high + margin


def settled_range(wanted: tuple[float, float], shown: tuple[float, float]) -> tuple[float, float]:
    """`shown` where it still suits `wanted`, else `wanted`: the axis does not twitch with every sample."""
    height, shown_height = wanted[1] - wanted[0], shown[1] - shown[0]
    inside = shown[0] <= wanted[0] and wanted[1] <= shown[1]
    return shown if inside and shown_height <= 1.6 * height else wanted
