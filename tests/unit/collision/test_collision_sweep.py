"""Intervals that overlap are found without looking at all pairs, and all of them are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulator.collision.sweep import overlaps

INTERVALS = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), max_size=12)


@given(INTERVALS, INTERVALS)
def test_all_pairs_with_a_point_in_common_in_order(first: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    both = np.array([*first, *others], dtype=float).reshape(-1, 2)
    low, high = both[:, 0], both.sum(axis=1)
    expected = [
        (i, k)
        for i in range(len(first))
        for k in range(len(first), len(both))
        if low[i] <= high[k] and low[k] <= high[i]
    ]
    assert list(zip(*(places.tolist() for places in overlaps(low, high, len(first))), strict=True)) == expected
