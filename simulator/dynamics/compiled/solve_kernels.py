"""Factor the reduced mass matrix in its own sparsity, and solve for accelerations and multipliers.

H = L^T D L with the leaves eliminated first (Featherstone, Rigid Body Dynamics Algorithms, 6.5). Loops: A = K H^-1 K^T, factored with
diagonal pivoting, so that rows which others imply drop out at round-off: A lambda = rhs - K a_0, a = a_0 + H^-1 K^T lambda.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.jit import compiled
from simulator.dynamics.compiled.views import floats, ints

DEPENDENT = 1e-11
"""A pivot of A below this part of the largest belongs to a row that others imply."""


@compiled
def factor_mass(F: Any, N: Any) -> None:
    """H becomes L (strict lower triangle) and D (diagonal)."""
    H, lptr, lcol = floats(F, N, at.F_H), ints(N, at.I_LPTR), ints(N, at.I_LCOL)
    m = N[at.INDEPENDENT]
    for k in range(m - 1, -1, -1):
        diagonal = H[k * m + k]
        for t in range(lptr[k + 1] - 1, lptr[k] - 1, -1):
            i = lcol[t]
            part = H[k * m + i] / diagonal
            for u in range(lptr[k], t + 1):
                H[i * m + lcol[u]] -= part * H[k * m + lcol[u]]
            H[k * m + i] = part


@compiled
def solve_mass(F: Any, N: Any, x: Any, o: int) -> None:
    """x[o:] = H^-1 x[o:], in place."""
    H, lptr, lcol = floats(F, N, at.F_H), ints(N, at.I_LPTR), ints(N, at.I_LCOL)
    m = N[at.INDEPENDENT]
    for i in range(m - 1, -1, -1):
        for t in range(lptr[i], lptr[i + 1]):
            x[o + lcol[t]] -= H[i * m + lcol[t]] * x[o + i]
    for i in range(m):
        x[o + i] /= H[i * m + i]
        for t in range(lptr[i], lptr[i + 1]):
            x[o + i] -= H[i * m + lcol[t]] * x[o + lcol[t]]


@compiled
def factor_rows(F: Any, N: Any) -> int:
    """XK = H^-1 K^T by row, A = K XK as pivoted Cholesky; returns the rank."""
    K, XK, A, pivot = floats(F, N, at.F_K), floats(F, N, at.F_XK), floats(F, N, at.F_A), ints(N, at.I_PIVOT)
    m, n = N[at.INDEPENDENT], N[at.RANK]
    for r in range(n):
        for a in range(m):
            XK[r * m + a] = K[r * m + a]
        solve_mass(F, N, XK, r * m)
        pivot[r] = r
    for r in range(n):
        for s in range(r + 1):
            total = 0.0
            for a in range(m):
                total += K[r * m + a] * XK[s * m + a]
            A[r * n + s] = total
            A[s * n + r] = total
    return _pivoted_cholesky(A, pivot, n)


@compiled
def _pivoted_cholesky(A: Any, pivot: Any, n: int) -> int:
    largest = 0.0
    for r in range(n):
        largest = max(largest, A[r * n + r])
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if A[r * n + r] > A[best * n + best]:
                best = r
        if A[best * n + best] <= DEPENDENT * largest:
            return k
        if best != k:
            _swap(A, pivot, n, k, best)
        root = math.sqrt(A[k * n + k])
        A[k * n + k] = root
        for r in range(k + 1, n):
            A[r * n + k] /= root
        for r in range(k + 1, n):
            for s in range(k + 1, r + 1):
                A[r * n + s] -= A[r * n + k] * A[s * n + k]
                A[s * n + r] = A[r * n + s]
    return n


@compiled
def _swap(A: Any, pivot: Any, n: int, k: int, best: int) -> None:
    pivot[k], pivot[best] = pivot[best], pivot[k]
    for c in range(n):
        A[k * n + c], A[best * n + c] = A[best * n + c], A[k * n + c]
    for r in range(n):
        A[r * n + k], A[r * n + best] = A[r * n + best], A[r * n + k]


@compiled
def apply_rows(F: Any, N: Any, rank: int, x: Any, o: int) -> None:
    """x += XK lambda with A lambda = LAMBDA; LAMBDA comes in as the right-hand side and goes out as the multipliers."""
    XK, A, LAMBDA, pivot = floats(F, N, at.F_XK), floats(F, N, at.F_A), floats(F, N, at.F_LAMBDA), ints(N, at.I_PIVOT)
    m, n = N[at.INDEPENDENT], N[at.RANK]
    room = LAMBDA[n : 2 * n]
    for r in range(n):
        room[r] = LAMBDA[pivot[r]]
        LAMBDA[pivot[r]] = LAMBDA[pivot[r]] if r < rank else 0.0
    for r in range(rank):
        for s in range(r):
            room[r] -= A[r * n + s] * room[s]
        room[r] /= A[r * n + r]
    for r in range(rank - 1, -1, -1):
        for s in range(r + 1, rank):
            room[r] -= A[s * n + r] * room[s]
        room[r] /= A[r * n + r]
    for r in range(n):
        LAMBDA[pivot[r]] = room[r] if r < rank else 0.0
    for r in range(rank):
        row, multiplier = pivot[r], room[r]
        for a in range(m):
            x[o + a] += XK[row * m + a] * multiplier
