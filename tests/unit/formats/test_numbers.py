"""Numbers as documents in use have them. What may be a decimal comma or a unit is never guessed."""

from __future__ import annotations

import pytest

from simulator.formats.values import mended_numbers, nearest_color


@pytest.mark.parametrize(
    ("text", "count", "numbers"),
    [
        ("- 1.047", 1, (-1.047,)),
        ("+ .5", 1, (0.5,)),
        ("0 - 1 0", 3, (0.0, -1.0, 0.0)),
        ("1, 2, - 3", 3, (1.0, 2.0, -3.0)),
        ("1,2,3", 3, (1.0, 2.0, 3.0)),
        ("1,5", 1, None),
        ("0,5 1 0", 3, None),
        ("1,5 2,5 3,5", 3, None),
        ("1 2", 3, None),
        ("1 2 3 4", 3, None),
        ("5cm", 1, None),
        ("1e - 3", 1, None),
        ("3 -", 1, None),
        ("", 1, None),
    ],
)
def test_blanks_behind_signs_and_commas_between_numbers(
    text: str, count: int, numbers: tuple[float, ...] | None
) -> None:
    assert mended_numbers(text, count) == numbers


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("200 200 0 1", (1.0, 1.0, 0.0, 1.0)),
        ("0.1 0.2 0.3 0.4 0.5", (0.1, 0.2, 0.3, 0.4)),
        ("-1 0.5 2", (0.0, 0.5, 1.0, 1.0)),
        ("0.1, 0.2, 0.3", (0.1, 0.2, 0.3, 1.0)),
        ("0.5", None),
        ("0.5 0.5", None),
        ("red", None),
        ("nan 0 0 1", None),
    ],
)
def test_the_nearest_colour(text: str, color: tuple[float, float, float, float] | None) -> None:
    assert nearest_color(text) == color
