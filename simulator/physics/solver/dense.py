"""Many rows at no bound, solved by the factor of their own matrix.

Conjugate gradients take some two passes over all rows for each of them, and more where fingertips of a gram hang on
arms of ten kilograms. From about `DENSE` rows on the matrix A = J X + soft, whose entries cost as much as one pass, and
its factor cost less.

Rows that depend on each other share, as conjugate gradients from none have them do: with D the diagonal of A, the
solution of (A + EPSILON D) x = error is near that of least xᵀ D x (Tikhonov), and steps of the proximal point algorithm
with it, x += (A + EPSILON D)⁻¹ (error - A x), lead there. Where rows contradict each other they lead along the impulses
that move nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, view
from simulator.physics.algebra.linear import factor_positive, solve_factored
from simulator.physics.algebra.vectors import clear
from simulator.physics.solver.rates import push, rate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

DENSE, MOST = 16, 128
"""Rows from which on a factor costs less than conjugate gradients, and to which it does, where many feel few others."""
EPSILON, STEPS = 1e-10, 3
"""How much less a row gives by itself, as a part, and how many steps take that back."""
UNSUITED, AGREE, DISAGREE = 0, 1, 2
"""What comes of it: there is no room for A, in the place of the matrices of islands, or nothing finite; all rows reach
their targets; they contradict."""


@compiled
def solve_densely(bounded: BoundedRows, scratch: Floats, n: int, most: float) -> int:
    """CHANGE = A⁻¹ ERROR of the n free rows; whether they AGREE: lack less than `most` [m/s or rad/s] with it. Where
    they do not, DIRECTION is along impulses that move nothing. `scratch`: room for a velocity."""
    if not DENSE <= n <= MOST or n * n > bounded.matrix.shape[0]:
        return UNSUITED
    A = view(bounded.matrix, 0, (n, n))
    _form(bounded, A, scratch)
    if not factor_positive(A, n, 0.0):
        return UNSUITED
    worst = most
    for k in range(STEPS):
        _gather(bounded)
        solve_factored(A, bounded.best, n)
        worst = _take(bounded, scratch)
        if k > 0 and worst <= most:
            break
    return AGREE if worst <= most else DISAGREE


@compiled
def _form(bounded: BoundedRows, A: Floats2, scratch: Floats) -> None:
    """The lower triangle of A + EPSILON D. CHANGE = 0."""
    j = 0
    for s in range(bounded.gathered[0]):
        bounded.change[s] = 0.0
        if not bounded.free[s]:
            continue
        clear(scratch)
        push(bounded, s, scratch, 1.0)
        i = j
        for r in range(s, bounded.gathered[0]):
            if bounded.free[r]:
                A[i, j] = rate(bounded, r, scratch)
                i += 1
        A[j, j] = (1.0 + EPSILON) * (A[j, j] + bounded.soft[s])
        j += 1


@compiled
def _gather(bounded: BoundedRows) -> None:
    """BEST = ERROR of the free rows, one after the other."""
    i = 0
    for r in range(bounded.gathered[0]):
        if bounded.free[r]:
            bounded.best[i] = bounded.error[r]
            i += 1


@compiled
def _take(bounded: BoundedRows, scratch: Floats) -> float:
    """CHANGE grows by BEST, DIRECTION = BEST, and ERROR is what is left; returns the largest part of it that a row's
    own impulse can give."""
    i = 0
    clear(scratch)
    for r in range(bounded.gathered[0]):
        if bounded.free[r]:
            bounded.direction[r] = bounded.best[i]
            bounded.change[r] += bounded.best[i]
            push(bounded, r, scratch, bounded.best[i])
            i += 1
    worst = 0.0
    for r in range(bounded.gathered[0]):
        if bounded.free[r]:
            response, soft = bounded.response[r], bounded.soft[r]
            bounded.error[r] -= rate(bounded, r, scratch) + soft * bounded.direction[r]
            worst = max(worst, abs(bounded.error[r]) * response / (response + soft))
    return worst
