"""scripts/same_bits: what it says of rows that differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from simulator.errors import UsageError
from tests.benchmarks.same_bits import bits_of, difference


def rows(*values: float) -> Iterator[np.ndarray]:
    yield np.array(values)[:, None]


def test_the_same_rows_have_the_same_bits() -> None:
    assert difference(bits_of(rows(1.0, 2.0)), bits_of(rows(1.0, 2.0))) == ""


@pytest.mark.parametrize("other", [np.nextafter(2.0, 3.0), -2.0, np.nan])
def test_the_first_row_that_differs_is_named(other: float) -> None:
    said = difference(bits_of(rows(1.0, 2.0, 3.0)), bits_of(rows(1.0, other, 3.0)))
    assert said == "differs from row 2 of 3 on, in 1 of them"


def test_the_sign_of_zero_is_a_difference() -> None:
    assert difference(bits_of(rows(0.0)), bits_of(rows(-0.0)))


def test_a_run_that_ends_earlier_differs() -> None:
    assert difference(bits_of(rows(1.0, 2.0)), bits_of(rows(1.0))) == "has 1 rows instead of 2"
    assert difference(None, bits_of(rows(1.0))) == "was not recorded"


def test_a_run_that_fails_has_one_more_row() -> None:
    def failing() -> Iterator[np.ndarray]:
        yield np.ones((1, 1))
        raise UsageError("no")

    assert len(bits_of(failing())) == 2
