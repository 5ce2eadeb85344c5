"""Couplings sum(a_i * q_i) = b solved for some axes over the others, one row after the other.

Gaussian elimination over sparse rows whose numbers were rounded in documents: a coefficient is zero where it is below a
small part of the terms that it is the sum of. Each row is solved for one axis, its pivot, and stored with the rows that
reduced it, so that a row that others imply can name them. Along a chain of couplings of two axes every row is left with
two: its ratio is the product of theirs, and a chain takes time proportional to its length.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.mechanism.types import Coupling

ROUNDED = 1e-9
"""Relative size below which a sum counts as zero: ratios are written with some ten digits."""
_ABSOLUTE = 1e-12
"""The same for a row's constant [rad or m], which may be a difference of positions."""


@dataclass(frozen=True)
class Reduced:
    """What is left of a row, sum(terms) = constant, and by which multiple of which kept rows it was reduced.

    `size` is the largest number that the constant is a sum of.
    """

    terms: dict[int, float]
    constant: float
    by: tuple[tuple[int, float], ...] = ()
    size: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether the row says 0 = 0."""
        return not self.terms and abs(self.constant) <= ROUNDED * self.size + _ABSOLUTE


@dataclass
class Elimination:
    """Kept rows, and by axis the number of the row that is solved for it. A row is free of the pivots of rows before
    it."""

    rows: list[Reduced] = field(default_factory=list)
    pivots: dict[int, int] = field(default_factory=dict)
    pivot_of: list[int] = field(default_factory=list)

    def reduce(self, terms: Iterable[tuple[int, float]], constant: float) -> Reduced:
        """The row with every pivot replaced by what its own row says; sums that are zero to rounding are gone."""
        row: dict[int, float] = {}
        for axis, coefficient in terms:
            row[axis] = row.get(axis, 0.0) + coefficient
        row = {axis: coefficient for axis, coefficient in row.items() if coefficient != 0.0}
        sizes = {axis: abs(coefficient) for axis, coefficient in row.items()}
        size = abs(constant)
        by = []
        # The earliest row first: what it brings in are pivots of later rows alone, so each row is used once.
        while (number := min((self.pivots[axis] for axis in row if axis in self.pivots), default=None)) is not None:
            solved, pivot = self.rows[number], self.pivot_of[number]
            # row - factor · kept: the pivot's column vanishes by definition, not by subtraction.
            factor = row.pop(pivot) / solved.terms[pivot]
            by.append((number, factor))
            constant -= factor * solved.constant
            size = max(size, abs(factor * solved.constant))
            for axis, coefficient in solved.terms.items():
                if axis != pivot:
                    _add(row, sizes, axis, -factor * coefficient)
        return Reduced(row, constant, tuple(by), size)

    def keep(self, reduced: Reduced, preferred: int) -> None:
        """Solve a reduced row, which has a term, for the preferred axis or, where that is gone, for the one that it
        says most about."""
        terms = reduced.terms
        pivot = preferred if preferred in terms else max(terms, key=lambda axis: abs(terms[axis]))
        self.pivots[pivot] = len(self.rows)
        self.pivot_of.append(pivot)
        self.rows.append(reduced)

    def solved(self) -> dict[int, tuple[dict[int, float], float]]:
        """(coefficients, constant) of every pivot over the axes that no row is solved for.

        A row has pivots of later rows alone, so the last one comes first.
        """
        found: dict[int, tuple[dict[int, float], float]] = {}
        for pivot, row in zip(reversed(self.pivot_of), reversed(self.rows), strict=True):
            scale = row.terms[pivot]
            sums: dict[int, float] = {}
            sizes: dict[int, float] = {}
            constant = row.constant / scale
            for axis, coefficient in row.terms.items():
                if axis != pivot:
                    terms, known = found.get(axis, ({axis: 1.0}, 0.0))
                    constant -= coefficient / scale * known
                    for other, value in terms.items():
                        _add(sums, sizes, other, -coefficient / scale * value)
            found[pivot] = (sums, constant)
        return found

    def witnesses(self, reduced: Reduced) -> tuple[int, ...]:
        """Numbers of the kept rows that a row was reduced by, in the end: those whose multiples do not cancel."""
        weights: dict[int, float] = {}
        sizes: dict[int, float] = {}
        for number, factor in reduced.by:
            _add(weights, sizes, number, factor)
        for number in range(len(self.rows) - 1, -1, -1):
            weight = weights.get(number)
            if weight is not None:
                for other, factor in self.rows[number].by:
                    _add(weights, sizes, other, -weight * factor)
        return tuple(sorted(weights))


def eliminated(
    couplings: Iterable[Coupling], rank: Callable[[int], tuple[bool, bool, int]] | None = None
) -> Elimination:
    """The elimination of couplings, each solved for its follower or, with `rank`, for the axis that has the highest.
    What others imply is left out.

    Raises UsageError for couplings that contradict each other (`build_mechanism` reports them before).
    """
    elimination = Elimination()
    for coupling in couplings:
        left = elimination.reduce(coupling.terms, coupling.constant)
        if left.terms:
            elimination.keep(left, max(left.terms, key=rank) if rank else coupling.follower)
        elif not left.is_empty:
            raise UsageError(f"coupling {coupling.source} contradicts others")
    return elimination


def _add(sums: dict[int, float], sizes: dict[int, float], key: int, value: float) -> None:
    """Add to a sum, and forget it where nothing but rounding is left of it."""
    total = sums.get(key, 0.0) + value
    sizes[key] = max(sizes.get(key, 0.0), abs(value), abs(total))
    sums[key] = total
    if abs(total) <= ROUNDED * sizes[key]:
        del sums[key]
