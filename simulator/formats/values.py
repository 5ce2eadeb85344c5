"""Text → numbers, the way SDFormat reads them (C locale, `std::stod`), and back. Readers raise ValueError with a
readable reason."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = re.compile(r"[+-]?(?:inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE | re.ASCII)
FARTHEST = 1e50
"""Metres, kilograms, kg m^2: the squares of larger ones, times a mass, are not numbers any more."""
INFINITE = 1e16
"""A limit of this size or more means 'no limit' in SDFormat."""


def parse_number(text: str) -> tuple[float, str]:
    """The number at the start of `text`, and the text after it (SDFormat accepts that)."""
    text = text.strip()
    match = _NUMBER.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not a number" if text else "it is empty, a number is needed")
    return float(match.group()), text[match.end() :]


def parse_numbers(text: str, count: int) -> tuple[tuple[float, ...], str]:
    """The first `count` numbers of a list separated by blanks, and what is left over."""
    plain = plain_numbers(text)
    if len(plain) == count:
        return plain, ""
    parts = text.split()
    if len(parts) < count:
        raise ValueError(f"'{text.strip()}' has {len(parts)} of the {count} numbers that are needed")
    numbers, rest = [], []
    for part in parts[:count]:
        number, behind = parse_number(part)
        numbers.append(number)
        if behind:
            rest.append(behind)
    return tuple(numbers), " ".join(rest + parts[count:])


def mended_numbers(text: str, count: int) -> tuple[float, ...] | None:
    """The numbers of a list with blanks behind signs (`- 1.5`) or commas between them; None unless exactly `count` come
    out.

    A decimal comma gives more of them, and is so not mistaken for one that separates.
    """
    joined = re.sub(r"(?<![^\s,])([+-])\s+(?=[\d.])", r"\1", text)
    for candidate in (joined, joined.replace(",", " ")):
        numbers = plain_numbers(candidate)
        if len(numbers) == count:
            return numbers
    return None


def plain_numbers(text: str) -> tuple[float, ...]:
    """All numbers of a list that contains nothing else, otherwise none: the quick way for what most documents hold.

    Python's `float` reads like C, except that it also knows 1_000 and the digits of other scripts.
    """
    if "_" in text or not text.isascii():
        return ()
    try:
        return tuple(map(float, text.split()))
    except ValueError:
        return ()


def parse_bool(text: str) -> bool:
    """true, false (any case), 1 or 0; nothing else."""
    known = {"true": True, "1": True, "false": False, "0": False}
    value = known.get(text.strip().lower())
    if value is None:
        raise ValueError(f"'{text.strip()}' is neither true, false, 1 nor 0")
    return value


def parse_color(text: str) -> tuple[float, float, float, float]:
    """Three or four numbers in [0, 1]; alpha is 1 where it is not given."""
    numbers = plain_numbers(text)
    if len(numbers) not in (3, 4):
        parts = text.split()
        if len(parts) not in (3, 4):
            raise ValueError(f"'{text.strip()}' is not a colour: 3 or 4 numbers from 0 to 1 are needed")
        numbers, _ = parse_numbers(text, len(parts))
    if not all(0.0 <= number <= 1.0 for number in numbers):
        raise ValueError(f"'{text.strip()}' is not a colour: each number must be from 0 to 1")
    red, green, blue = numbers[:3]
    return (red, green, blue, numbers[3] if len(numbers) == 4 else 1.0)


def nearest_color(text: str) -> tuple[float, float, float, float] | None:
    """The colour next to what is none: numbers beyond 0 and 1 are cut, a fifth is not read. None where that gives no
    colour."""
    numbers = mended_numbers(text, len(text.replace(",", " ").split())) or ()
    if len(numbers) < 3 or not all(map(math.isfinite, numbers)):
        return None
    red, green, blue, alpha = (min(1.0, max(0.0, number)) for number in (*numbers, 1.0)[:4])
    return (red, green, blue, alpha)


def as_limit(value: float, *, missing: float) -> float:
    """`value` with SDFormat's ±1e16 and 'not a number' understood as no limit (`missing`, an infinity)."""
    if math.isnan(value):
        return missing
    if abs(value) >= INFINITE:
        return math.copysign(math.inf, value)
    return value


def number_text(value: float) -> str:
    """The shortest text that is read back as the same number; `inf`, `-inf` and `nan` are SDFormat's own words."""
    return repr(float(value)).removesuffix(".0")


def numbers_text(values: Iterable[float]) -> str:
    """Numbers with blanks between them."""
    return " ".join(map(number_text, values))
