"""Matrices of islands of bounded rows in their envelopes: assembled, factored, solved.

A = L U without pivoting, for A is the mass matrix and what rows add to it: positive definite, and symmetric but for
friction that slips.
 Line i holds the lower entries from FIRST of i to the diagonal, and the upper entries of column i above it; nothing is
 filled outside
of that (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4).
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
    """The vector is zero, and the lower part of the matrix is H = L^T D L, of whose factors F holds the present ones
    (`solve_kernels`)."""
    vector, lower, _ = island_numbers(C)
    first, offset = island_column(C, row_at.I_FIRST), island_column(C, row_at.I_OFFSET)
    order, position = island_column(C, row_at.I_ORDER), island_column(C, row_at.I_POSITION)
    H, row, lptr, lcol = start(N, at.F_H), int_start(N, at.I_HROW), int_start(N, at.I_LPTR), int_start(N, at.I_LCOL)
    for p in range(begin, end):
        B[vector + p] = 0.0
        for q in range(C[first + p], p + 1):
            B[lower + C[offset + p] + q] = 0.0
    for p in range(begin, end):
        k = C[order + p]
        mine = H + N[row + k]
        weight = F[mine + k]
        B[lower + C[offset + p] + p] += weight
        # H = L^T D L summed row by row of L: D_k (e_k + l_k)(e_k + l_k)^T.
        for t in range(N[lptr + k], N[lptr + k + 1]):
            i = N[lcol + t]
            part, place = weight * F[mine + i], C[position + i]
            B[lower + C[offset + max(p, place)] + min(p, place)] += part
            for u in range(N[lptr + k], t + 1):
                other = C[position + N[lcol + u]]
                B[lower + C[offset + max(place, other)] + min(place, other)] += part * F[mine + N[lcol + u]]


@compiled
def add_product(B: Floats, C: Ints, r: int, s: int, factor: float) -> None:
    """Lower part += that of factor J_r^T J_s."""
    _add_part(B, C, r, s, factor, island_numbers(C)[1], False)


@compiled
def add_upper_product(B: Floats, C: Ints, r: int, s: int, factor: float) -> None:
    """Strictly upper part += that of factor J_r^T J_s."""
    _add_part(B, C, r, s, factor, island_numbers(C)[2], True)


@inlined
def _add_part(B: Floats, C: Ints, r: int, s: int, factor: float, part: int, above: bool) -> None:
    """The part of the matrix that begins at `part`, above the diagonal or not, += that of factor J_r^T J_s."""
    offset, position, (jb, jc) = island_column(C, row_at.I_OFFSET), island_column(C, row_at.I_POSITION), j_entries(C)
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        p, entry = C[position + C[jc + t]], factor * B[jb + t]
        for u in range(j_begin(C, s), C[int_of_row(C, row_at.C_JEND, s)]):
            q = C[position + C[jc + u]]
            # Both parts are stored by lines of the larger index: (p, q) of the upper one at line q.
            if (q > p) == above:
                B[part + C[offset + max(p, q)] + min(p, q)] += entry * B[jb + u]


@compiled
def copy_upper(B: Floats, C: Ints, begin: int, end: int) -> None:
    """The upper part becomes the transpose of the lower."""
    _, lower, upper = island_numbers(C)
    first, offset = island_column(C, row_at.I_FIRST), island_column(C, row_at.I_OFFSET)
    for p in range(begin, end):
        for q in range(C[first + p], p + 1):
            B[upper + C[offset + p] + q] = B[lower + C[offset + p] + q]


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
def factor(B: Floats, C: Ints, begin: int, end: int, general: bool) -> None:
    """L (unit) and U in place, U's diagonal on that of the lower part; the upper part is not read unless it is
    `general`."""
    _, lower, upper = island_numbers(C)
    first, offset = island_column(C, row_at.I_FIRST), island_column(C, row_at.I_OFFSET)
    for i in range(begin, end):
        mine, fi = C[offset + i], C[first + i]
        for j in range(fi, i):
            other, k = C[offset + j], max(fi, C[first + j])
            # u_ji = a_ji - sum l_jk u_ki,  l_ij = (a_ij - sum l_ik u_kj) / u_jj: Doolittle within the envelope.
            above = B[(upper if general else lower) + mine + j] - _dot(B, lower + other + k, upper + mine + k, j - k)
            left = above
            if general:
                left = B[lower + mine + j] - _dot(B, lower + mine + k, upper + other + k, j - k)
            B[upper + mine + j] = above
            B[lower + mine + j] = left / B[lower + other + j]
        B[lower + mine + i] -= _dot(B, lower + mine + fi, upper + mine + fi, i - fi)


@compiled
def solve_factored(B: Floats, C: Ints, begin: int, end: int) -> None:
    """The vector becomes A^-1 times it."""
    vector, lower, upper = island_numbers(C)
    first, offset = island_column(C, row_at.I_FIRST), island_column(C, row_at.I_OFFSET)
    for i in range(begin, end):
        k = C[first + i]
        B[vector + i] -= _dot(B, lower + C[offset + i] + k, vector + k, i - k)
    # Columns of U from the right: each unknown is taken out of those above it.
    for i in range(end - 1, begin - 1, -1):
        mine = C[offset + i]
        x = B[vector + i] / B[lower + mine + i]
        B[vector + i] = x
        for j in range(C[first + i], i):
            B[vector + j] -= B[upper + mine + j] * x


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
