"""Matrices of islands of bounded rows in their envelopes: assembled, factored, solved.

A = L U without pivoting, for A is the mass matrix and what rows add to it: positive definite, and symmetric but for
friction that slips. Line i holds the entries from FIRST of i to LAST of i, and nothing is filled outside of that
(George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import int_of_row, island_column, island_numbers, j_begin, j_entries
from simulator.dynamics.compiled.views import int_start, start
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def add_mass(F: Floats, N: Ints, B: Floats, C: Ints, begin: int, end: int) -> None:
    """The vector is zero, and the matrix, from the diagonal on, is H = L^T D L, of whose factors F holds the present
    ones (`solve_kernels`)."""
    vector, matrix = island_numbers(C)
    first, last, offset = _lines(C)
    order, position = island_column(C, row_at.I_ORDER), island_column(C, row_at.I_POSITION)
    H, row, lptr, lcol = start(N, at.F_H), int_start(N, at.I_HROW), int_start(N, at.I_LPTR), int_start(N, at.I_LCOL)
    for p in range(begin, end):
        B[vector + p] = 0.0
        for q in range(C[first + p], C[last + p] + 1):
            B[matrix + C[offset + p] + q] = 0.0
    for p in range(begin, end):
        k = C[order + p]
        mine = H + N[row + k]
        weight = F[mine + k]
        B[matrix + C[offset + p] + p] += weight
        # H = L^T D L summed row by row of L: D_k (e_k + l_k)(e_k + l_k)^T.
        for t in range(N[lptr + k], N[lptr + k + 1]):
            i = N[lcol + t]
            part, place = weight * F[mine + i], C[position + i]
            B[matrix + C[offset + min(p, place)] + max(p, place)] += part
            for u in range(N[lptr + k], t + 1):
                other = C[position + N[lcol + u]]
                B[matrix + C[offset + min(place, other)] + max(place, other)] += part * F[mine + N[lcol + u]]


@inlined
def _lines(C: Ints) -> tuple[int, int, int]:
    """Where in C the columns FIRST, LAST and OFFSET begin."""
    return island_column(C, row_at.I_FIRST), island_column(C, row_at.I_LAST), island_column(C, row_at.I_OFFSET)


@compiled
def add_product(B: Floats, C: Ints, r: int, s: int, factor: float) -> None:
    """The matrix from its diagonal on += that part of factor J_r^T J_s: for sums that are symmetric."""
    _add_part(B, C, r, s, factor, False)


@compiled
def add_whole_product(B: Floats, C: Ints, r: int, s: int, factor: float) -> None:
    """The matrix += factor J_r^T J_s."""
    _add_part(B, C, r, s, factor, True)


@inlined
def _add_part(B: Floats, C: Ints, r: int, s: int, factor: float, below: bool) -> None:
    """The matrix += factor J_r^T J_s, also below its diagonal or not."""
    offset, position, (jb, jc) = island_column(C, row_at.I_OFFSET), island_column(C, row_at.I_POSITION), j_entries(C)
    matrix = island_numbers(C)[1]
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        p, entry = C[position + C[jc + t]], factor * B[jb + t]
        line = matrix + C[offset + p]
        for u in range(j_begin(C, s), C[int_of_row(C, row_at.C_JEND, s)]):
            q = C[position + C[jc + u]]
            if q >= p or below:
                B[line + q] += entry * B[jb + u]


@compiled
def mirror(B: Floats, C: Ints, begin: int, end: int) -> None:
    """What is below the diagonal becomes what is above it."""
    matrix, (first, _, offset) = island_numbers(C)[1], _lines(C)
    for p in range(begin, end):
        for q in range(C[first + p], p):
            B[matrix + C[offset + p] + q] = B[matrix + C[offset + q] + p]


@compiled
def factor(B: Floats, C: Ints, begin: int, end: int, general: bool) -> None:
    """L (unit) below the diagonal and U in place; what is below the diagonal is not read unless the matrix is
    `general`."""
    matrix, (first, last, offset) = island_numbers(C)[1], _lines(C)
    for i in range(begin, end):
        mine = matrix + C[offset + i]
        for k in range(C[first + i], i):
            other, end_of_k = matrix + C[offset + k], C[last + k] + 1
            # Line by line (Golub and Van Loan, 3.2.6, the variant ikj): a_i -= l_ik u_k, with l_ik from the line itself
            # or, of a symmetric matrix, from u_ki, of which it is a multiple.
            begins = k + 1 if general else i
            part = (B[mine + k] if general else B[other + i]) / B[other + k]
            B[mine + k] = part
            if part != 0.0:
                _subtract(B[mine + begins : mine + end_of_k], B[other + begins : other + end_of_k], part)


@inlined
def _subtract(x: Floats, y: Floats, part: float) -> None:
    """x -= part y: on slices, whose indices the compiler sees to be positive, it does several at once."""
    for j in range(x.shape[0]):
        x[j] -= part * y[j]


@inlined
def _dot(B: Floats, x: int, y: int, count: int) -> float:
    """Product of two runs of B, in four sums that do not wait for each other."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = count - count % 4
    for k in range(0, whole, 4):
        s0 += B[x + k] * B[y + k]
        s1 += B[x + k + 1] * B[y + k + 1]
        s2 += B[x + k + 2] * B[y + k + 2]
        s3 += B[x + k + 3] * B[y + k + 3]
    for k in range(whole, count):
        s0 += B[x + k] * B[y + k]
    return (s0 + s1) + (s2 + s3)


@compiled
def solve_factored(B: Floats, C: Ints, begin: int, end: int) -> None:
    """The vector becomes A^-1 times it."""
    vector, matrix = island_numbers(C)
    first, last, offset = _lines(C)
    for i in range(begin, end):
        k = C[first + i]
        B[vector + i] -= _dot(B, matrix + C[offset + i] + k, vector + k, i - k)
    for i in range(end - 1, begin - 1, -1):
        mine = matrix + C[offset + i]
        left = B[vector + i] - _dot(B, mine + i + 1, vector + i + 1, C[last + i] - i)
        B[vector + i] = left / B[mine + i]


@compiled
def add_to_vector(B: Floats, C: Ints, r: int, factor: float) -> None:
    """The vector += factor J^T."""
    vector, position, (jb, jc) = island_numbers(C)[0], island_column(C, row_at.I_POSITION), j_entries(C)
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        B[vector + C[position + C[jc + t]]] += factor * B[jb + t]


@compiled
def rate_of_vector(B: Floats, C: Ints, r: int) -> float:
    """J times the vector."""
    vector, position, (jb, jc), total = island_numbers(C)[0], island_column(C, row_at.I_POSITION), j_entries(C), 0.0
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        total += B[jb + t] * B[vector + C[position + C[jc + t]]]
    return total
