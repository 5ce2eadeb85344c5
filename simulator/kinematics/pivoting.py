"""Rank-revealing QR (Golub and Van Loan, Matrix Computations, 5.4.2), and linear rows that repeat or contradict each
other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


RANK_TOLERANCE = 1e-9
"""A column whose remainder is below this part of the largest column depends on the others."""

WORTH_CHANGING = 0.05
"""Other coordinates are taken where σ_min(K_d) is below this part of the best choice's."""


def pivoted_qr(matrix: Array) -> tuple[Array, tuple[int, ...]]:
    """Sizes |R_ii| and the column order of a Householder QR with column pivoting; at every step the largest remainder
    comes next."""
    R = np.array(matrix, dtype=float)
    rows, columns = R.shape
    order = list(range(columns))
    sizes = np.zeros(min(rows, columns))
    for step in range(len(sizes)):
        remainders = np.sum(R[step:, step:] ** 2, axis=0)
        # Columns of equal length are taken in their order: the result must not hang on round-off.
        pivot = step + int(np.argmax(remainders * (1.0 - 1e-12 * np.arange(columns - step))))
        R[:, [step, pivot]] = R[:, [pivot, step]]
        order[step], order[pivot] = order[pivot], order[step]
        x = R[step:, step].copy()
        length = float(np.linalg.norm(x))
        sizes[step] = length
        if length == 0.0:
            break
        # Householder's vector x ± |x| e1, the sign that does not cancel (Golub and Van Loan, 5.1.3).
        x[0] += length if x[0] >= 0.0 else -length
        x /= np.linalg.norm(x)
        # H = E - 2 x xᵀ maps the column onto e1 and is applied to the rest; Q itself is never needed.
        R[step:, step:] -= 2.0 * np.outer(x, x @ R[step:, step:])
    return sizes, tuple(order)


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
