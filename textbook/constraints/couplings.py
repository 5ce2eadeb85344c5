"""Couplings Σ aᵢ qᵢ = b, among them rolling contacts and belts, become one Static constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from textbook.constraints.partition import choose, maps_of, with_independent
from textbook.constraints.ranks import RowReport, sort_rows
from textbook.constraints.static import Static

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinearRow:
    """Σ aᵢ qᵢ = constant; `terms` are (coordinate, aᵢ) pairs, a coordinate may come several times."""

    name: str
    terms: tuple[tuple[int, float], ...]
    constant: float = 0.0

    def coefficients(self, size: int) -> Array:
        """The row of A, shape (size,)."""
        row = np.zeros(size)
        for coordinate, coefficient in self.terms:
            row[coordinate] += coefficient
        return row


@dataclass(frozen=True)
class LinearResult:
    """The constraint and what was found out about its rows."""

    constraint: Static
    report: RowReport


def rolling(name: str, predecessor: Sequence[int], successor: Sequence[int], ratio: float = 1.0) -> LinearRow:
    """Two bodies that roll on one another, or a belt: Σ successor path q = ratio · Σ predecessor path q.

    The paths are the joints from the nearest common ancestor to either body, all turning about parallel axes; `ratio`
    is the successor's speed over the predecessor's. A joint on both paths counts on both sides.
    """
    return LinearRow(name, (*((joint, ratio) for joint in predecessor), *((joint, -1.0) for joint in successor)))


def linear_constraint(
    size: int, rows: Sequence[LinearRow], independent: Sequence[int] | None = None, *, names: Sequence[str] = ()
) -> LinearResult:
    """q = G y + offset from rows over `size` coordinates; the independent ones are chosen by pivoted QR where none are
    given.

    Redundant rows are dropped and reported. Raises AssemblyError, with the rows by name, where rows contradict each
    other.
    """
    A = np.array([row.coefficients(size) for row in rows]).reshape(-1, size)
    b = np.array([row.constant for row in rows])
    report = sort_rows(A, b, [row.name for row in rows])
    if report.contradictory:
        name, witnesses = report.contradictory[0]
        others = ", ".join(f"'{other}'" for other in witnesses) or "nothing: all its coefficients are zero"
        raise AssemblyError(
            f"coupling '{name}' contradicts {others}: the same combination of joints would need two values"
        )
    K, constants = A[list(report.kept)], b[list(report.kept)]
    partition = choose(K) if independent is None else with_independent(K, independent)
    rows_kept = list(partition.rows)
    G, offset = maps_of(K[rows_kept], constants[rows_kept], partition, names)
    return LinearResult(Static(G, K[rows_kept], offset), report)
