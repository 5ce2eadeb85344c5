"""Ranks of linear rows, and rows that repeat or contradict each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.pivoting import pivoted_qr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array

RANK_TOLERANCE = 1e-9
"""A column whose remainder is below this part of the largest column depends on the others."""


def numeric_rank(matrix: Array, tolerance: float = RANK_TOLERANCE) -> int:
    """Rank by pivoted QR, relative to the largest column."""
    if matrix.size == 0:
        return 0
    sizes, _ = pivoted_qr(matrix)
    return int(np.sum(sizes > tolerance * sizes[0])) if sizes[0] > 0.0 else 0


def independent_rows(matrix: Array, tolerance: float = RANK_TOLERANCE) -> tuple[int, ...]:
    """Rows of the matrix, in their order, that all others depend on: pivoted QR of the transpose with rows scaled to
    length 1."""
    if matrix.size == 0:
        return ()
    lengths = np.linalg.norm(matrix, axis=1)
    alive = lengths > tolerance * max(float(lengths.max()), 1e-300)
    scaled = matrix / np.where(alive, lengths, 1.0)[:, None] * alive[:, None]
    sizes, order = pivoted_qr(scaled.T)
    rank = int(np.sum(sizes > tolerance * sizes[0])) if sizes[0] > 0.0 else 0
    return tuple(sorted(order[:rank]))


@dataclass(frozen=True)
class RowReport:
    """Rows of A q = b by name: `kept` (indices), `redundant` and `contradictory` (name, the names of the rows that
    imply or refute it)."""

    kept: tuple[int, ...]
    redundant: tuple[tuple[str, tuple[str, ...]], ...]
    contradictory: tuple[tuple[str, tuple[str, ...]], ...]


def sort_rows(A: Array, b: Array, names: Sequence[str], tolerance: float = RANK_TOLERANCE) -> RowReport:
    """Go through rows of A (m, n) and b (m,) in their order: one that is a combination of kept rows is redundant where
    its constant is the same combination of theirs, else contradictory."""
    kept: list[int] = []
    redundant: list[tuple[str, tuple[str, ...]]] = []
    contradictory: list[tuple[str, tuple[str, ...]]] = []
    for i in range(len(names)):
        length = float(np.linalg.norm(A[i]))
        weights = np.linalg.lstsq(A[kept].T, A[i], rcond=None)[0] if kept else np.zeros(0)
        left = A[i] - weights @ A[kept] if kept else A[i]
        if float(np.linalg.norm(left)) > tolerance * max(length, 1e-300) and length > 0.0:
            kept.append(i)
            continue
        implied = float(weights @ b[kept]) if kept else 0.0
        scale = max(1.0, abs(float(b[i])), float(np.abs(weights * b[kept]).max(initial=0.0)) if kept else 0.0)
        witnesses = tuple(names[k] for k, w in zip(kept, weights, strict=True) if abs(w) > tolerance)
        target = redundant if abs(implied - float(b[i])) <= 1e-9 * scale else contradictory
        target.append((names[i], witnesses))
    return RowReport(tuple(kept), tuple(redundant), tuple(contradictory))
