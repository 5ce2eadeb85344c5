"""What acted in the last step is found again by the names of points, in whatever order they come."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.physics.detect.touch import memory_for
from simulator.physics.layout import row_layout as row_at
from simulator.physics.touching.kernels import match_impulses, save_impulses

ACTED = slice(row_at.ACTED, row_at.ACTED + 3)


def tables(names: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Contacts of these names; what acted on each is its name, twice and three times that."""
    ints = np.zeros((len(names), row_at.CONTACT_INTS), dtype=np.int64)
    floats = np.full((len(names), row_at.CONTACT_COLUMNS), np.nan)
    ints[:, row_at.NAME] = names
    floats[:, ACTED] = np.outer(names, (1.0, 2.0, 3.0))
    return ints, floats


BEFORE = [40, 7, 1040, 3, -1, 2**40, 90]


@pytest.mark.parametrize(
    "now",
    [
        BEFORE,
        BEFORE[::-1],
        [7, 1040, 3, 2**40, 90],
        [5, 40, 7, 6, 1040, 3, -1, -1, 2**40, 90, 91],
        [90, 40],
        [],
        [1, 2, 4],
    ],
)
def test_each_point_gets_what_acted_on_the_point_of_its_name(now: list[int]) -> None:
    """Points that stay, go, come, or change places; one without a name gets nothing, nor does one that is new."""
    memory = memory_for(len(BEFORE))
    save_impulses(*tables(BEFORE), memory)
    ints, floats = tables(now)
    match_impulses(ints, floats, memory)
    known = [float(name) if name in BEFORE and name >= 0 else 0.0 for name in now]
    np.testing.assert_array_equal(floats[:, ACTED], np.outer(known, (1.0, 2.0, 3.0)))


def test_names_that_fall_on_one_place_are_told_apart() -> None:
    memory = memory_for(4)
    size = len(memory.places)
    save_impulses(*tables([3, 3 + size, 3 + 2 * size, 1]), memory)
    ints, floats = tables([3 + 2 * size, 3 + 3 * size, 3, 3 + size])
    match_impulses(ints, floats, memory)
    assert floats[:, row_at.ACTED].tolist() == [3 + 2 * size, 0.0, 3.0, 3 + size]
