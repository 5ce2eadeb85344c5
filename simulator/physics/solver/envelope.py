"""Matrices of islands of bounded rows in their envelopes: assembled, factored, solved.

A = L U without pivoting, for A is the mass matrix and what rows add to it: positive definite, and symmetric but for
friction that slips. Line i holds the entries from FIRST of i to LAST of i if all rows act; rows that do fill those from
NOW_FIRST to NOW_LAST, and nothing is filled outside of that (George and Liu, Computer Solution of Large Sparse Positive
Definite Systems, 1981, chapter 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    closed_entries,
    has_tangents,
    int_of_row,
    island_column,
    island_masses,
    island_numbers,
    j_begin,
    j_positions,
    near_rows,
)
from simulator.physics.layout.views import int_start, start
from simulator.physics.solver.rates import three

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector

    Weights = tuple[float, float, float, float, float, float]
    """Of the rows n, t, s of a contact: W_nn, W_tt, W_ss, W_ts = W_st, and what friction follows of the normal, W_tn
    and W_sn."""


@compiled
def store_mass(F: Floats, N: Ints, B: Floats, C: Ints, begin: int, end: int) -> None:
    """The mass matrix of an island's lines is H = L^T D L, of whose factors F holds the present ones
    (`loops.solve`)."""
    matrix = island_masses(C)
    offset = island_column(C, row_at.I_OFFSET)
    order, position = island_column(C, row_at.I_ORDER), island_column(C, row_at.I_POSITION)
    H = start(N, at.F_H)
    row = int_start(N, at.I_HROW)
    lptr = int_start(N, at.I_LPTR)
    lcol = int_start(N, at.I_LCOL)
    p = begin
    while p < end:
        stop = _end_of_block(C, p, end)
        for i in range(p, stop):
            for j in range(p, stop):
                B[matrix + C[offset + i] + j] = 0.0
        p = stop
    for p in range(begin, end):
        k = C[order + p]
        mine = H + N[row + k]
        weight = F[mine + k]
        B[matrix + C[offset + p] + p] += weight
        # H = L^T D L summed row by row of L: D_k (e_k + l_k)(e_k + l_k)^T.
        for t in range(N[lptr + k], N[lptr + k + 1]):
            q = C[position + N[lcol + t]]
            part = weight * F[mine + N[lcol + t]]
            B[matrix + C[offset + p] + q] += part
            B[matrix + C[offset + q] + p] += part
            for u in range(N[lptr + k], N[lptr + k + 1]):
                B[matrix + C[offset + q] + C[position + N[lcol + u]]] += part * F[mine + N[lcol + u]]


@compiled
def _end_of_block(C: Ints, p: int, end: int) -> int:
    """The line behind those of the block that begins with line p; `end`: that behind the island's."""
    begins = island_column(C, row_at.I_BEGIN)
    stop = p + 1
    while stop < end and C[begins + stop] == p:
        stop += 1
    return stop


@compiled
def begin_sums(B: Floats, C: Ints, island: int, anew: bool) -> None:
    """The vector is zero, and the matrix is the mass matrix (`store_mass`) where it is summed `anew`."""
    (vector, matrix) = island_numbers(C)
    masses = island_masses(C)
    places = island_column(C, row_at.I_COORDINATES)
    begin = C[places + island]
    end = C[places + island + 1]
    for p in range(begin, end):
        B[vector + p] = 0.0
    if not anew:
        return
    _narrow(C, island, begin, end)
    (first, last, offset) = _lines(C)
    p = begin
    while p < end:
        stop = _end_of_block(C, p, end)
        for i in range(p, stop):
            line = C[offset + i]
            _clear(B[matrix + line + C[first + i] : matrix + line + C[last + i] + 1])
            _copy(B[matrix + line + p : matrix + line + stop], B[masses + line + p : masses + line + stop])
        p = stop


@compiled
def _narrow(C: Ints, island: int, begin: int, end: int) -> None:
    """NOW_FIRST, NOW_LAST: what rows that act fill of the lines of an island. Of all points that are near each other
    few push, so that this is much less than what they could fill."""
    first = island_column(C, row_at.I_NOW_FIRST)
    last = island_column(C, row_at.I_NOW_LAST)
    begins = island_column(C, row_at.I_BEGIN)
    rows, end_of_rows = near_rows(C, island)
    for p in range(begin, end):
        C[first + p] = C[begins + p]
    for i in range(rows, end_of_rows):
        r = C[i]
        free = int_of_row(C, row_at.C_FREE, C[i])
        acts = C[free] != 0 or (has_tangents(C, r) and C[free + 1] != 0)
        if acts and C[int_of_row(C, row_at.C_KIND, r)] < row_at.TANGENT:
            widen(C, r, first)
    find_ends(C, first, last, begin, end)


@compiled
def widen(C: Ints, r: int, first: int) -> None:
    """A row couples all of its coordinates: each line begins where the block of the first of them does, or before; what
    comes of all rows does not depend on their order. `first`: the column of C in which lines begin."""
    positions = j_positions(C)
    begins = island_column(C, row_at.I_BEGIN)
    least = C[row_at.WIDTH]
    for t in range(positions + j_begin(C, r), positions + C[int_of_row(C, row_at.C_JEND, r)]):
        least = min(least, C[begins + C[t]])
    for t in range(positions + j_begin(C, r), positions + C[int_of_row(C, row_at.C_JEND, r)]):
        C[first + C[t]] = min(C[first + C[t]], least)


@compiled
def find_ends(C: Ints, first: int, last: int, begin: int, end: int) -> None:
    """Above the diagonal a line reaches as far as the last that begins at it or before."""
    lowest = end
    for p in range(end - 1, begin - 1, -1):
        lowest = min(lowest, p + 1)
        for q in range(C[first + p], lowest):
            C[last + q] = p
        lowest = min(lowest, C[first + p])


@compiled
def _clear(x: Floats) -> None:
    for j in range(x.shape[0]):
        x[j] = 0.0


@compiled
def _copy(x: Floats, y: Floats) -> None:
    for j in range(x.shape[0]):
        x[j] = y[j]


@compiled
def _lines(C: Ints) -> tuple[int, int, int]:
    """Where in C the columns NOW_FIRST, NOW_LAST and OFFSET begin."""
    return island_column(C, row_at.I_NOW_FIRST), island_column(C, row_at.I_NOW_LAST), island_column(C, row_at.I_OFFSET)


@compiled
def add_product(B: Floats, C: Ints, r: int, factor: float) -> None:
    """The matrix += factor J_r^T J_r."""
    offset = island_column(C, row_at.I_OFFSET)
    J = closed_entries(C)
    positions = j_positions(C)
    begin = j_begin(C, r)
    matrix = island_numbers(C)[1]
    end = C[int_of_row(C, row_at.C_JEND, r)]
    for t in range(begin, end):
        line = matrix + C[offset + C[positions + t]]
        x = factor * B[J + t]
        for u in range(begin, end):
            B[line + C[positions + u]] += x * B[J + u]


@compiled
def add_cross_product(B: Floats, C: Ints, r: int, s: int, factor: float) -> None:
    """The matrix += factor J_r^T J_s of two rows, the columns of r being among those of s."""
    offset = island_column(C, row_at.I_OFFSET)
    J = closed_entries(C)
    positions = j_positions(C)
    matrix = island_numbers(C)[1]
    begin = j_begin(C, s)
    end = C[int_of_row(C, row_at.C_JEND, s)]
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        line = matrix + C[offset + C[positions + t]]
        x = factor * B[J + t]
        for u in range(begin, end):
            B[line + C[positions + u]] += x * B[J + u]


@compiled
def add_products(B: Floats, C: Ints, r: int, weights: Weights) -> None:
    """The matrix += J^T W J of the three rows of a contact that begin with r."""
    (a, b, c, e, along, aside) = weights
    offset = island_column(C, row_at.I_OFFSET)
    matrix = island_numbers(C)[1]
    positions, (first, second, third) = _contact(B, C, r)
    for t in range(positions.shape[0]):
        f = first[t]
        s = second[t]
        h = third[t]
        line = matrix + C[offset + positions[t]]
        x = a * f + along * s + aside * h
        y = b * s + e * h
        z = e * s + c * h
        for u in range(positions.shape[0]):
            B[line + positions[u]] += x * first[u] + y * second[u] + z * third[u]


@compiled
def _contact(B: Floats, C: Ints, r: int) -> tuple[Ints, tuple[Floats, Floats, Floats]]:
    """Of the three rows of a contact that begin with r: positions of the entries of J, and these. Slices, for of their
    indices the compiler sees that none is negative."""
    begin = j_begin(C, r)
    count = C[int_of_row(C, row_at.C_JEND, r)] - begin
    places = j_positions(C) + begin
    return C[places : places + count], three(B, closed_entries(C) + begin, count)


@compiled
def factor(B: Floats, C: Ints, begin: int, end: int, general: bool) -> None:
    """In place, L (unit) below the diagonal and U, with the inverse of its diagonal; what is below the diagonal is not
    read unless the matrix is `general`."""
    matrix = island_numbers(C)[1]
    (first, last, offset) = _lines(C)
    for i in range(begin, end):
        mine = matrix + C[offset + i]
        # Line by line (Golub and Van Loan, 3.2.6, the variant ikj): a_i -= l_ik u_k, with l_ik from the line itself
        # or, of a symmetric matrix, from u_ki, of which it is a multiple. Two at a time, for loading them is what it
        # costs.
        for k in range(C[first + i], i - 1, 2):
            other = matrix + C[offset + k]
            beside = matrix + C[offset + k + 1]
            part = (B[mine + k] if general else B[other + i]) * B[other + k]
            below = (B[mine + k + 1] - part * B[other + k + 1] if general else B[beside + i]) * B[beside + k + 1]
            B[mine + k], B[mine + k + 1] = part, below
            if part != 0.0 or below != 0.0:
                # Lines end where those before them do, or later.
                begins = k + 2 if general else i
                ends = C[last + k] + 1
                reach = C[last + k + 1] + 1
                x, y = B[mine + begins : mine + ends], B[other + begins : other + ends]
                _subtract_both(x, y, B[beside + begins : beside + ends], part, below)
                _subtract(B[mine + ends : mine + reach], B[beside + ends : beside + reach], below)
        if (i - C[first + i]) % 2 == 1:
            other = matrix + C[offset + i - 1]
            reach = C[last + i - 1] + 1
            part = (B[mine + i - 1] if general else B[other + i]) * B[other + i - 1]
            B[mine + i - 1] = part
            _subtract(B[mine + i : mine + reach], B[other + i : other + reach], part)
        B[mine + i] = 1.0 / B[mine + i]


@compiled
def _subtract_both(x: Floats, y: Floats, z: Floats, part: float, other: float) -> None:
    """x -= part y + other z, one after the other."""
    for j in range(x.shape[0]):
        x[j] = (x[j] - part * y[j]) - other * z[j]


@compiled
def _subtract(x: Floats, y: Floats, part: float) -> None:
    """x -= part y: on slices, whose indices the compiler sees to be positive, it does several at once."""
    for j in range(x.shape[0]):
        x[j] -= part * y[j]


@compiled
def _dot(x: Floats, y: Floats) -> float:
    """Product of two slices, in four sums that do not wait for each other."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    whole = x.shape[0] - x.shape[0] % 4
    for k in range(0, whole, 4):
        s0 += x[k] * y[k]
        s1 += x[k + 1] * y[k + 1]
        s2 += x[k + 2] * y[k + 2]
        s3 += x[k + 3] * y[k + 3]
    for k in range(whole, x.shape[0]):
        s0 += x[k] * y[k]
    return (s0 + s1) + (s2 + s3)


@compiled
def solve_factored(B: Floats, C: Ints, begin: int, end: int) -> None:
    """The vector becomes A^-1 times it."""
    vector, matrix = island_numbers(C)
    first, last, offset = _lines(C)
    for i in range(begin, end):
        k = C[first + i]
        mine = matrix + C[offset + i]
        B[vector + i] -= _dot(B[mine + k : mine + i], B[vector + k : vector + i])
    for i in range(end - 1, begin - 1, -1):
        mine = matrix + C[offset + i]
        beyond = C[last + i] + 1
        left = B[vector + i] - _dot(B[mine + i + 1 : mine + beyond], B[vector + i + 1 : vector + beyond])
        B[vector + i] = left * B[mine + i]


@compiled
def add_to_vector(B: Floats, C: Ints, r: int, factor: float) -> None:
    """The vector += factor J^T."""
    vector = island_numbers(C)[0]
    J = closed_entries(C)
    positions = j_positions(C)
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        B[vector + C[positions + t]] += factor * B[J + t]


@compiled
def add_all_to_vector(B: Floats, C: Ints, r: int, factors: Vector) -> None:
    """The vector += J^T factors, of the three rows of a contact that begin with r."""
    vector = island_numbers(C)[0]
    (x, y, z) = factors
    (positions, (first, second, third)) = _contact(B, C, r)
    for t in range(positions.shape[0]):
        B[vector + positions[t]] += x * first[t] + y * second[t] + z * third[t]


@compiled
def rate_of_vector(B: Floats, C: Ints, r: int) -> float:
    """J times the vector."""
    vector = island_numbers(C)[0]
    J = closed_entries(C)
    positions = j_positions(C)
    total = 0.0
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        total += B[J + t] * B[vector + C[positions + t]]
    return total


@compiled
def rates_of_vector(B: Floats, C: Ints, r: int) -> Vector:
    """J times the vector, of the three rows of a contact that begin with r."""
    vector = island_numbers(C)[0]
    (positions, (first, second, third)) = _contact(B, C, r)
    x = 0.0
    y = 0.0
    z = 0.0
    for t in range(positions.shape[0]):
        v = B[vector + positions[t]]
        x = x + first[t] * v
        y = y + second[t] * v
        z = z + third[t] * v
    return x, y, z
