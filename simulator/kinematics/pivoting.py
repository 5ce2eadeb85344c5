"""Rank-revealing QR (Golub and Van Loan, Matrix Computations, 5.4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


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
