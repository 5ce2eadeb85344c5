"""Matrices of islands of bounded rows in their envelopes: assembled, factored, solved.

A = L U without pivoting, for A is the mass matrix and what rows add to it: positive definite, and symmetric but for
friction that slips. Line i holds the entries from FIRST of i to LAST of i if all rows act; rows that do fill those from
NOW_FIRST to NOW_LAST, and nothing is filled outside of that (George and Liu, Computer Solution of Large Sparse Positive
Definite Systems, 1981, chapter 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import clear, copy
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, island_entries, j_begin, rows_of_island, three

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.tree.views import MassViews

    Weights = tuple[float, float, float, float, float, float]
    """Of the rows n, t, s of a contact: W_nn, W_tt, W_ss, W_ts = W_st, and what friction follows of the normal, W_tn
    and W_sn."""


@compiled
def store_mass(mass: MassViews, bounded: BoundedRows, begin: int, end: int) -> None:
    """The mass matrix of an island's lines is H = L^T D L, whose factors `mass` has
    (`loops.solve`)."""
    p = begin
    while p < end:
        stop = _end_of_block(bounded, p, end)
        for i in range(p, stop):
            for j in range(p, stop):
                bounded.mass[bounded.offset[i] + j] = 0.0
        p = stop
    for p in range(begin, end):
        k = bounded.order[p]
        mine = mass.row[k]
        weight = mass.H[mine + k]
        bounded.mass[bounded.offset[p] + p] += weight
        # H = L^T D L summed row by row of L: D_k (e_k + l_k)(e_k + l_k)^T.
        for t in range(mass.begin[k], mass.begin[k + 1]):
            q = bounded.position[mass.column[t]]
            part = weight * mass.H[mine + mass.column[t]]
            bounded.mass[bounded.offset[p] + q] += part
            bounded.mass[bounded.offset[q] + p] += part
            for u in range(mass.begin[k], mass.begin[k + 1]):
                bounded.mass[bounded.offset[q] + bounded.position[mass.column[u]]] += (
                    part * mass.H[mine + mass.column[u]]
                )


@compiled
def _end_of_block(bounded: BoundedRows, p: int, end: int) -> int:
    """The line behind those of the block that begins with line p; `end`: that behind the island's."""
    stop = p + 1
    while stop < end and bounded.begin[stop] == p:
        stop += 1
    return stop


@compiled
def begin_sums(bounded: BoundedRows, island: int, anew: bool) -> None:
    """The vector is zero, and the matrix is the mass matrix (`store_mass`) where it is summed `anew`."""
    begin = bounded.coordinates[island]
    end = bounded.coordinates[island + 1]
    for p in range(begin, end):
        bounded.vector[p] = 0.0
    if not anew:
        return
    _narrow(bounded, island, begin, end)
    first, last = bounded.now_first, bounded.now_last
    p = begin
    while p < end:
        stop = _end_of_block(bounded, p, end)
        for i in range(p, stop):
            line = bounded.offset[i]
            clear(bounded.matrix[line + first[i] : line + last[i] + 1])
            copy(bounded.mass[line + p : line + stop], bounded.matrix[line + p : line + stop])
        p = stop


@compiled
def _narrow(bounded: BoundedRows, island: int, begin: int, end: int) -> None:
    """NOW_FIRST, NOW_LAST: what rows that act fill of the lines of an island. Of all points that are near each other
    few push, so that this is much less than what they could fill."""
    first = bounded.now_first
    rows, end_of_rows = rows_of_island(bounded, island)
    if rows < end_of_rows and bounded.kind[bounded.row[end_of_rows - 1]] < row_at.NORMAL:
        # Of rows of axes, which come first, nearly all act.
        copy(bounded.first[begin:end], first[begin:end])
        copy(bounded.last[begin:end], bounded.now_last[begin:end])
        return
    for p in range(begin, end):
        first[p] = bounded.begin[p]
    for i in range(rows, end_of_rows):
        r = bounded.row[i]
        acts = bounded.free[r] != 0 or (has_tangents(bounded, r) and bounded.free[r + 1] != 0)
        if acts and bounded.kind[r] < row_at.TANGENT:
            widen(bounded, r, first)
    find_ends(first, bounded.now_last, begin, end)


@compiled
def widen(bounded: BoundedRows, r: int, first: Ints) -> None:
    """A row couples all of its coordinates: each line begins where the block of the first of them does, or before; what
    comes of all rows does not depend on their order. `first`: where lines begin."""
    positions = bounded.J_position
    least = bounded.vector.shape[0]
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        least = min(least, bounded.begin[positions[t]])
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        first[positions[t]] = min(first[positions[t]], least)


@compiled
def find_ends(first: Ints, last: Ints, begin: int, end: int) -> None:
    """Above the diagonal a line reaches as far as the last that begins at it or before."""
    lowest = end
    for p in range(end - 1, begin - 1, -1):
        lowest = min(lowest, p + 1)
        for q in range(first[p], lowest):
            last[q] = p
        lowest = min(lowest, first[p])


@compiled
def add_product(bounded: BoundedRows, r: int, factor: float) -> None:
    """The matrix += factor J_r^T J_r."""
    begin = j_begin(bounded, r)
    (J,) = island_entries(bounded)
    matrix = bounded.matrix
    end = bounded.J_end[r]
    for t in range(begin, end):
        line = bounded.offset[bounded.J_position[t]]
        x = factor * J[t]
        for u in range(begin, end):
            matrix[line + bounded.J_position[u]] += x * J[u]


@compiled
def add_cross_product(bounded: BoundedRows, r: int, s: int, factor: float) -> None:
    """The matrix += factor J_r^T J_s of two rows, the columns of r being among those of s."""
    (J,) = island_entries(bounded)
    positions = bounded.J_position
    matrix = bounded.matrix
    begin = j_begin(bounded, s)
    end = bounded.J_end[s]
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        line = bounded.offset[positions[t]]
        x = factor * J[t]
        for u in range(begin, end):
            matrix[line + positions[u]] += x * J[u]


@compiled
def add_products(bounded: BoundedRows, r: int, weights: Weights) -> None:
    """The matrix += J^T W J of the three rows of a contact that begin with r."""
    (a, b, c, e, along, aside) = weights
    matrix = bounded.matrix
    positions, (first, second, third) = _contact(bounded, r)
    for t in range(positions.shape[0]):
        f = first[t]
        s = second[t]
        h = third[t]
        line = bounded.offset[positions[t]]
        x = a * f + along * s + aside * h
        y = b * s + e * h
        z = e * s + c * h
        for u in range(positions.shape[0]):
            matrix[line + positions[u]] += x * first[u] + y * second[u] + z * third[u]


@compiled
def _contact(bounded: BoundedRows, r: int) -> tuple[Ints, tuple[Floats, Floats, Floats]]:
    """Of the three rows of a contact that begin with r: positions of the entries of J, and these. Slices, for of their
    indices the compiler sees that none is negative."""
    begin = j_begin(bounded, r)
    count = bounded.J_end[r] - begin
    (J,) = island_entries(bounded)
    return bounded.J_position[begin : begin + count], three(J, begin, count)


@compiled
def factor(bounded: BoundedRows, begin: int, end: int, general: bool) -> None:
    """In place, L (unit) below the diagonal and U, with the inverse of its diagonal; what is below the diagonal is not
    read unless the matrix is `general`."""
    matrix = bounded.matrix
    first = bounded.now_first
    last = bounded.now_last
    offset = bounded.offset
    for i in range(begin, end):
        mine = offset[i]
        # Line by line (Golub and Van Loan, 3.2.6, the variant ikj): a_i -= l_ik u_k, with l_ik from the line itself
        # or, of a symmetric matrix, from u_ki, of which it is a multiple. Two at a time, for loading them is what it
        # costs.
        for k in range(first[i], i - 1, 2):
            other = offset[k]
            beside = offset[k + 1]
            part = (matrix[mine + k] if general else matrix[other + i]) * matrix[other + k]
            below = (matrix[mine + k + 1] - part * matrix[other + k + 1] if general else matrix[beside + i]) * matrix[
                beside + k + 1
            ]
            matrix[mine + k], matrix[mine + k + 1] = part, below
            if part != 0.0 or below != 0.0:
                # Lines end where those before them do, or later.
                begins = k + 2 if general else i
                ends = last[k] + 1
                reach = last[k + 1] + 1
                x, y = matrix[mine + begins : mine + ends], matrix[other + begins : other + ends]
                _subtract_both(x, y, matrix[beside + begins : beside + ends], part, below)
                _subtract(matrix[mine + ends : mine + reach], matrix[beside + ends : beside + reach], below)
        if (i - first[i]) % 2 == 1:
            other = offset[i - 1]
            reach = last[i - 1] + 1
            part = (matrix[mine + i - 1] if general else matrix[other + i]) * matrix[other + i - 1]
            matrix[mine + i - 1] = part
            _subtract(matrix[mine + i : mine + reach], matrix[other + i : other + reach], part)
        matrix[mine + i] = 1.0 / matrix[mine + i]


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
def solve_factored(bounded: BoundedRows, begin: int, end: int) -> None:
    """The vector becomes A^-1 times it."""
    vector = bounded.vector
    matrix = bounded.matrix
    first = bounded.now_first
    offset = bounded.offset
    for i in range(begin, end):
        k = first[i]
        mine = offset[i]
        vector[i] -= _dot(matrix[mine + k : mine + i], vector[k:i])
    for i in range(end - 1, begin - 1, -1):
        mine = offset[i]
        beyond = bounded.now_last[i] + 1
        left = vector[i] - _dot(matrix[mine + i + 1 : mine + beyond], vector[i + 1 : beyond])
        vector[i] = left * matrix[mine + i]


@compiled
def add_to_vector(bounded: BoundedRows, r: int, factor: float) -> None:
    """The vector += factor J^T."""
    (J,) = island_entries(bounded)
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        bounded.vector[bounded.J_position[t]] += factor * J[t]


@compiled
def add_all_to_vector(bounded: BoundedRows, r: int, factors: Vector) -> None:
    """The vector += J^T factors, of the three rows of a contact that begin with r."""
    (x, y, z) = factors
    (positions, (first, second, third)) = _contact(bounded, r)
    for t in range(positions.shape[0]):
        bounded.vector[positions[t]] += x * first[t] + y * second[t] + z * third[t]


@compiled
def rate_of_vector(bounded: BoundedRows, r: int) -> float:
    """J times the vector."""
    (J,) = island_entries(bounded)
    total = 0.0
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        total += J[t] * bounded.vector[bounded.J_position[t]]
    return total


@compiled
def rates_of_vector(bounded: BoundedRows, r: int) -> Vector:
    """J times the vector, of the three rows of a contact that begin with r."""
    (positions, (first, second, third)) = _contact(bounded, r)
    x = 0.0
    y = 0.0
    z = 0.0
    for t in range(positions.shape[0]):
        v = bounded.vector[positions[t]]
        x = x + first[t] * v
        y = y + second[t] * v
        z = z + third[t] * v
    return x, y, z
