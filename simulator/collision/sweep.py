"""Intervals on a line that overlap, without looking at all pairs (sweep and prune, Baraff 1992, in one dimension)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


def overlaps(low: Array, high: Array, count: int) -> tuple[Ints, Ints]:
    """Which of the first `count` intervals [low, high] (n,) have a point in common with which of the others: places of
    both, sorted."""
    first, second = _beginnings(low[count:], low[:count], high[:count], "left")
    later, earlier = _beginnings(low[:count], low[count:], high[count:], "right")
    mine, other = np.concatenate((first, earlier)), np.concatenate((second, later)) + count
    order = np.lexsort((other, mine))
    return mine[order], other[order]


def _beginnings(starts: Array, low: Array, high: Array, side: Literal["left", "right"]) -> tuple[Ints, Ints]:
    """Which starts lie in which intervals: (interval, start). Those on `low` count on the "left", and do not on the
    "right"."""
    order = np.argsort(starts)
    begin = np.searchsorted(starts, low, side, sorter=order)
    counts = np.searchsorted(starts, high, "right", sorter=order) - begin
    interval = np.repeat(np.arange(len(low)), counts)
    within = np.arange(len(interval)) - np.repeat(np.cumsum(counts) - counts, counts)
    return interval, order[begin[interval] + within]
