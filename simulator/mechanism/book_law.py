"""Laws of couplings as a book writes them: whole numbers where there are some, each side without minus signs.

sum(a_i q_i) = b is multiplied by the smallest whole number that makes all a_i whole, and terms go to the side where
they are positive. A gear between others is also eliminated: of a bevel differential, right = -2/3 spider + cage and
spider = 3/2 left - 3/2 cage, this gives left + right = 2 cage.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.types import Coupling

LARGEST = 200
"""Fractions with larger denominators are not taken for fractions."""
ROUNDING = 1e-9
"""How near a multiplier has to be to a fraction, relative."""


@dataclass(frozen=True)
class BookLaw:
    """sum of `left` = sum of `right` + `constant`: terms are (axis, factor), factors are positive."""

    left: tuple[tuple[int, float], ...]
    right: tuple[tuple[int, float], ...]
    constant: float = 0.0


def book_law(coupling: Coupling) -> BookLaw:
    """The law of a coupling, its follower on the left."""
    return _sides(dict(coupling.terms), coupling.constant)


def combined_laws(couplings: Sequence[Coupling]) -> tuple[BookLaw, ...]:
    """What couplings of three joints and more say once a gear between is eliminated: one that follows in one law and
    leads in another."""
    couplings = [coupling for coupling in couplings if coupling.curve is None]
    by_follower = {coupling.follower: coupling for coupling in couplings}
    found = []
    for coupling in couplings:
        for axis, factor in coupling.leaders:
            inner = by_follower.get(axis)
            if inner is None or inner is coupling or not (inner.others and coupling.others):
                continue
            row = {key: value for key, value in coupling.terms if key != axis}
            for key, value in inner.leaders:
                row[key] = row.get(key, 0.0) - factor * value
            most = max(map(abs, row.values()))
            row = {key: value for key, value in row.items() if abs(value) > ROUNDING * most}
            found.append(_sides(row, coupling.constant + factor * inner.constant))
    return tuple(found)


def _sides(row: Mapping[int, float], constant: float) -> BookLaw:
    scale = _whole(tuple(row.values())) if len(row) > 2 else 1.0
    scaled = {axis: _rounded(factor * scale) if scale > 1.0 else factor for axis, factor in row.items()}
    left = tuple((axis, factor) for axis, factor in scaled.items() if factor > 0.0)
    right = tuple((axis, -factor) for axis, factor in scaled.items() if factor < 0.0)
    if len(row) == 2 and not right:  # q = -m l rather than q + m l = 0
        (follower, one), (leader, other) = scaled.items()
        return BookLaw(((follower, one),), ((leader, -other),), constant)
    return BookLaw(left, right, constant * scale)


def _whole(factors: Sequence[float]) -> float:
    """The least whole number that makes all factors whole; 1 where there is none below LARGEST."""
    denominators = []
    for factor in factors:
        fraction = Fraction(factor).limit_denominator(LARGEST)
        if not math.isclose(float(fraction), factor, rel_tol=ROUNDING):
            return 1.0
        denominators.append(fraction.denominator)
    least = math.lcm(*denominators)
    return float(least) if least <= LARGEST else 1.0


def _rounded(value: float) -> float:
    return float(round(value)) if math.isclose(value, round(value), rel_tol=ROUNDING) else value
