"""How long a compilation takes is said from what is left of it."""

from __future__ import annotations

import pytest

from simulator.dynamics.compile_times import minutes_of, minutes_text
from simulator.dynamics.compiled.announce import Compilation


@pytest.mark.parametrize(
    ("kernels", "text"),
    [
        (215, "2 to 4 minutes"),
        (100, "1 to 2 minutes"),
        (56, "1 to 2 minutes"),
        (9, "less than a minute"),
        (0, "less than a minute"),
    ],
)
def test_minutes_follow_from_how_many_kernels_are_missing(kernels: int, text: str) -> None:
    assert minutes_text(kernels) == text


def test_there_is_never_more_to_go_than_before_and_the_quickest_is_no_slower_than_the_slowest() -> None:
    spans = [minutes_of(kernels) for kernels in range(400)]
    assert all(quick <= slow for quick, slow in spans)
    assert spans == sorted(spans)


def test_the_lines_say_it() -> None:
    assert "(2 to 4 minutes to go)" in str(Compilation(0, 215))
    assert "(less than a minute to go)" in str(Compilation(210, 215))
