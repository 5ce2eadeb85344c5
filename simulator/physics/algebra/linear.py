"""Dense linear equations with as many unknowns as rows: J x = b and Jᵀ x = b from one factorization.

P J = L U by Gaussian elimination with partial pivoting (Golub and Van Loan, Matrix Computations, 3.4), in place: L
below the diagonal with ones on it, U on and above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints

NONE = 1e-14
"""A pivot that is this part of the greatest is none: what it stands for is left as it is."""


@compiled
def factor(J: Floats, pivot: Ints) -> float:
    """Factor J (n, n) in place; `pivot` (n,) holds the rows that were exchanged. Returns the least pivot over the
    greatest, with the sign of the determinant: along a path it goes through zero where J becomes singular."""
    n = J.shape[0]
    sign = 1.0
    least = 1.0e300
    greatest = 0.0
    for k in range(n):
        # The largest entry of the column as the pivot: no multiplier in L is above one.
        best = k
        for i in range(k + 1, n):
            if abs(J[i, k]) > abs(J[best, k]):
                best = i
        pivot[k] = best
        if best != k:
            sign = -sign
            for j in range(n):
                J[k, j], J[best, j] = J[best, j], J[k, j]
        size = abs(J[k, k])
        greatest = max(greatest, size)
        least = min(least, size)
        if J[k, k] < 0.0:
            sign = -sign
        if size <= NONE * greatest:
            J[k, k] = 0.0
            continue
        for i in range(k + 1, n):
            J[i, k] /= J[k, k]
            if J[i, k] != 0.0:
                for j in range(k + 1, n):
                    J[i, j] -= J[i, k] * J[k, j]
    return sign * least / greatest if greatest > 0.0 else 1.0


@compiled
def solve(J: Floats, pivot: Ints, x: Floats) -> None:
    """x = J⁻¹ x, in place; what belongs to a pivot that is none becomes zero."""
    n = J.shape[0]
    for k in range(n):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= J[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= J[i, j] * x[j]
        x[i] = x[i] / J[i, i] if J[i, i] != 0.0 else 0.0


@compiled
def solve_transposed(J: Floats, pivot: Ints, x: Floats) -> None:
    """x = J⁻ᵀ x, in place; what belongs to a pivot that is none becomes zero."""
    n = J.shape[0]
    # J^T = U^T L^T P: first U^T, then L^T, the exchanges last and in reverse.
    for i in range(n):
        for j in range(i):
            x[i] -= J[j, i] * x[j]
        x[i] = x[i] / J[i, i] if J[i, i] != 0.0 else 0.0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= J[j, i] * x[j]
    for k in range(n - 1, -1, -1):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]


@compiled
def solve_positive(A: Floats, b: Floats, n: int) -> None:
    """b = A⁻¹ b for a symmetric positive semidefinite A (n, n), which is overwritten: Cholesky's method; b (n,) in
    place. Unknowns whose pivot is none are zero."""
    greatest = 0.0
    for i in range(n):
        greatest = max(greatest, A[i, i])
    factor_positive(A, n, NONE * greatest)
    solve_factored(A, b, n)


@compiled
def factor_positive(A: Floats, n: int, least: float) -> bool:
    """The lower triangle of a symmetric A (n, n) = its Cholesky factor (Golub and Van Loan, 4.2); whether all pivots
    are above `least`. The columns of the others are zero."""
    is_positive = True
    for k in range(n):
        for j in range(k):
            A[k, k] -= A[k, j] * A[k, j]
        is_positive = is_positive and A[k, k] > least
        A[k, k] = A[k, k] ** 0.5 if A[k, k] > least else 0.0
        for i in range(k + 1, n):
            for j in range(k):
                A[i, k] -= A[i, j] * A[k, j]
            A[i, k] = A[i, k] / A[k, k] if A[k, k] > 0.0 else 0.0
    return is_positive


@compiled
def solve_factored(A: Floats, b: Floats, n: int) -> None:
    """b = (L Lᵀ)⁻¹ b, in place, with the factor L that `factor_positive` has left in A."""
    for i in range(n):
        for j in range(i):
            b[i] -= A[i, j] * b[j]
        b[i] = b[i] / A[i, i] if A[i, i] > 0.0 else 0.0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= A[j, i] * b[j]
        b[i] = b[i] / A[i, i] if A[i, i] > 0.0 else 0.0
