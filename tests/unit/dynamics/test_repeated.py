"""Kernels that are called again and again: what counts as values of the same types, and that others are seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from simulator.dynamics.repeated import Repeated, have_same_types


class Pair(NamedTuple):
    """Two arrays, as kernels take them."""

    one: Any
    other: Any


FLOATS, INTS = np.zeros(3), np.zeros(3, dtype=np.int64)
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FLOATS, np.ones(5)),
        (np.zeros((0, 4)), np.ones((2, 4))),
        ((FLOATS, INTS), (np.ones(3), INTS)),
        (Pair(FLOATS, (INTS, 1)), Pair(np.ones(1), (np.ones(2, dtype=np.int64), 2))),
        (1, 2),
        (1.0, 2.0),
    ],
)
def test_values_of_the_same_types_run_the_same_code(one: Any, other: Any) -> None:
    """numba says the same of them."""
    assert have_same_types(one, other)
    assert numba.typeof(one) == numba.typeof(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FLOATS, INTS),
        (FLOATS, FLOATS.astype(np.float32)),
        (FLOATS, np.zeros((3, 1))),
        (np.zeros((3, 2)), np.zeros((2, 3)).T),
        (FLOATS, np.zeros(6)[::2]),
        (FLOATS, READ_ONLY),
        (1, 1.0),
        (1, True),
        ((FLOATS, INTS), (FLOATS, INTS, INTS)),
        ((FLOATS, INTS), Pair(FLOATS, INTS)),
        (Pair(FLOATS, INTS), Pair(FLOATS, FLOATS)),
    ],
)
def test_values_of_other_types_do_not(one: Any, other: Any) -> None:
    assert not have_same_types(one, other)
    assert not have_same_types(other, one)
    assert numba.typeof(one) != numba.typeof(other)


def test_what_is_called_again_sees_new_values_and_other_types() -> None:
    """Arrays of other lengths, then of another type, and of the first again: each is added up as what it is."""

    @numba.njit
    def add(pair: Pair, out: Any) -> None:
        total = 0.0
        for k in range(pair.one.shape[0]):
            total += pair.one[k] * pair.other[k]
        out[0] = total

    repeated, out = Repeated(add), np.zeros(1)
    for kind in (np.float64, np.float64, np.int64, np.int64, np.float64):
        for size in (2, 3):
            values = np.arange(size).astype(kind)
            repeated(Pair(values, 2 * values), out)
            assert out[0] == 2.0 * sum(k * k for k in range(size))


def test_plain_python_is_called_as_it_is() -> None:
    seen: list[int] = []
    repeated = Repeated(seen.append)
    repeated(1)
    repeated(2)
    assert seen == [1, 2]
