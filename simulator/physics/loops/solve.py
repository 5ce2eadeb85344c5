"""Factor the reduced mass matrix in its own sparsity, and solve for accelerations and multipliers.

H = L^T D L with the leaves eliminated first (Featherstone, Rigid Body Dynamics Algorithms, 6.5). Loops: A = K H^-1 K^T,
factored with diagonal pivoting, so that rows which others imply drop out at round-off: A lambda = rhs - K a_0, a = a_0
+ H^-1 K^T lambda.

Forming A squares the singular values of K, so that near a singular position, where the least of them goes to zero,
round-off hides it too early. There the factor comes from the rows themselves, made perpendicular to each other in the
metric of H^-1 one after the other (modified Gram-Schmidt; Golub and Van Loan, Matrix Computations, 5.2.8), which
resolves singular values down to 1e-10 of the largest.

Of each row of H only its envelope is stored, from the first column that is not zero to the diagonal: element (i, j) is
at HROW[i] + j.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.loops.views import RowViews
    from simulator.physics.tree.views import MassViews

LEAST = 0
"""Place of the least pivot among `Rows.pivot`."""
CLOSE = 1e-8
"""Where a pivot of A falls below this part of the largest, rows are nearly dependent and are made perpendicular
instead."""
DEPENDENT = 1e-20
"""A row of which no more than this part (of the square of the longest) is perpendicular to the others is implied by
them."""


@compiled
def factor_inertia(mass: MassViews) -> None:
    """H becomes L (strict lower triangle) and D (diagonal)."""
    H = mass.H
    row = mass.row
    begin = mass.begin
    column = mass.column
    # From the leaves inwards no entry is filled that was zero: L has the sparsity of the tree (Featherstone, 6.5).
    for k in range(row.shape[0] - 1, -1, -1):
        mine = row[k]
        diagonal = H[mine + k]
        for t in range(begin[k + 1] - 1, begin[k] - 1, -1):
            i = column[t]
            above = row[i]
            part = H[mine + i] / diagonal
            for u in range(begin[k], t + 1):
                H[above + column[u]] -= part * H[mine + column[u]]
            H[mine + i] = part


@compiled
def solve_mass(mass: MassViews, x: Floats) -> None:
    """x = H^-1 x, in place."""
    solve_mass_within(mass, x, 0, mass.row.shape[0])


@compiled
def solve_mass_within(mass: MassViews, x: Floats, low: int, high: int) -> None:
    """As `solve_mass`, where all that is not zero is among the coordinates from `low` to before `high`, whole blocks of
    them."""
    H = mass.H
    row = mass.row
    begin = mass.begin
    column = mass.column
    # L^T y = b from the leaves inwards; then D, and L x = y from the root outwards.
    for i in range(high - 1, low - 1, -1):
        mine = row[i]
        for t in range(begin[i], begin[i + 1]):
            x[column[t]] -= H[mine + column[t]] * x[i]
    for i in range(low, high):
        mine = row[i]
        x[i] /= H[mine + i]
        for t in range(begin[i], begin[i + 1]):
            x[i] -= H[mine + column[t]] * x[column[t]]


@compiled
def solve_mass_for_three(
    mass: MassViews, rows: tuple[Floats, Floats, Floats], place: int, window: tuple[int, int]
) -> None:
    """As `solve_mass_within`, for three rows that have the coordinates of a window (first, before last) from `place`
    on: one pass over the factors for all."""
    H = mass.H
    row = mass.row
    begin = mass.begin
    column = mass.column
    (first, second, third), (low, high) = rows, window
    shift = place - low
    for i in range(high - 1, low - 1, -1):
        mine = row[i]
        here = shift + i
        x = first[here]
        y = second[here]
        z = third[here]
        for t in range(begin[i], begin[i + 1]):
            c = shift + column[t]
            part = H[mine + column[t]]
            if part == 0.0:  # as most are of a body that is alike along its axes
                continue
            first[c] -= part * x
            second[c] -= part * y
            third[c] -= part * z
    for i in range(low, high):
        mine = row[i]
        here = shift + i
        diagonal = H[mine + i]
        x = first[here] / diagonal
        y = second[here] / diagonal
        z = third[here] / diagonal
        for t in range(begin[i], begin[i + 1]):
            c = shift + column[t]
            part = H[mine + column[t]]
            if part == 0.0:
                continue
            x = x - part * first[c]
            y = y - part * second[c]
            z = z - part * third[c]
        first[here] = x
        second[here] = y
        third[here] = z


@compiled
def solve_mass_for_one(mass: MassViews, entries: Floats, place: int, window: tuple[int, int]) -> None:
    """As `solve_mass_for_three`, for one row."""
    H = mass.H
    row = mass.row
    begin = mass.begin
    column = mass.column
    low, high = window
    shift = place - low
    for i in range(high - 1, low - 1, -1):
        mine = row[i]
        x = entries[shift + i]
        for t in range(begin[i], begin[i + 1]):
            entries[shift + column[t]] -= H[mine + column[t]] * x
    for i in range(low, high):
        mine = row[i]
        x = entries[shift + i] / H[mine + i]
        for t in range(begin[i], begin[i + 1]):
            x = x - H[mine + column[t]] * entries[shift + column[t]]
        entries[shift + i] = x


# -- rows of loops -----------------------------------------------------------------------------------------------------


@compiled
def factor_loops(mass: MassViews, rows: RowViews) -> int:
    """XK = H^-1 K^T by row, A = K XK as pivoted Cholesky; returns the rank."""
    n = rows.solved
    for r in range(n):
        rows.order[r] = r
    if n == 2:
        _solve_two(mass, rows.K, rows.XK)
        rank = _two_rows(rows)
        return rank if rank == 2 else _orthogonalised(rows)
    for r in range(n):
        for a in range(rows.K.shape[1]):
            rows.XK[r, a] = rows.K[r, a]
        solve_mass(mass, rows.XK[r, :])
    for r in range(n):
        for s in range(r + 1):
            rows.A[r, s] = rows.A[s, r] = _product(rows.K, r, rows.XK, s)
    # Pivots fall in size, so that what is left when one is too small is the rows that others imply.
    rank = _pivoted_cholesky(rows)
    return rank if rank == n else _orthogonalised(rows)


@compiled
def _product(K: Floats2, r: int, XK: Floats2, s: int) -> float:
    """K_r . XK_s."""
    total = 0.0
    for a in range(K.shape[1]):
        total += K[r, a] * XK[s, a]
    return total


@compiled
def _solve_two(mass: MassViews, K: Floats2, XK: Floats2) -> None:
    """XK = H^-1 K^T of two rows in one go."""
    H = mass.H
    row = mass.row
    begin = mass.begin
    column = mass.column
    m = row.shape[0]
    for a in range(m):
        XK[0, a], XK[1, a] = K[0, a], K[1, a]
    # As `solve_mass_within`: one pass over the factors for both, for loading them is what it costs.
    for i in range(m - 1, -1, -1):
        x, y = XK[0, i], XK[1, i]
        for t in range(begin[i], begin[i + 1]):
            c = column[t]
            part = H[row[i] + c]
            XK[0, c] -= part * x
            XK[1, c] -= part * y
    for i in range(m):
        diagonal = H[row[i] + i]
        x, y = XK[0, i] / diagonal, XK[1, i] / diagonal
        for t in range(begin[i], begin[i + 1]):
            c = column[t]
            part = H[row[i] + c]
            x -= part * XK[0, c]
            y -= part * XK[1, c]
        XK[0, i], XK[1, i] = x, y


@compiled
def _two_rows(rows: RowViews) -> int:
    """The pivoted factor of two rows, which a loop in a plane has, written out."""
    K = rows.K
    XK = rows.XK
    A = rows.A
    first = both = second = 0.0
    for a in range(K.shape[1]):
        first += K[0, a] * XK[0, a]
        both += K[1, a] * XK[0, a]
        second += K[1, a] * XK[1, a]
    if second > first:
        first, second = second, first
        rows.order[0], rows.order[1] = 1, 0
    if first <= CLOSE * rows.pivot[at.GREATEST]:
        return 0
    # Cholesky of [[a, b], [b, c]]: l11 = sqrt a, l21 = b / l11, l22 = sqrt(c - l21^2).
    root = math.sqrt(first)
    beside = both / root
    rest = second - beside * beside
    A[0, 0], A[1, 0] = root, beside
    if rest <= CLOSE * first:
        return 1
    A[1, 1] = math.sqrt(rest)
    rows.pivot[LEAST] = rest
    return 2


@compiled
def _orthogonalised(rows: RowViews) -> int:
    """The factor of `factor_loops` from the rows themselves, with K and XK at hand; returns the rank.

    `near` holds what is left of the rows after those before it, `near_solved` H^-1 times that; <r, s> = K_r XK_s.
    """
    A = rows.A
    order = rows.order
    n = rows.solved
    _copy_rows(rows)
    largest = rows.pivot[at.GREATEST]
    for k in range(n):
        best = k
        longest = -1.0
        for r in range(k, n):
            # The length of what is left is summed anew for each pivot: updating it would cancel where rows nearly
            # depend.
            square = _product(rows.near, order[r], rows.near_solved, order[r])
            if square > longest:
                best, longest = r, square
        largest = max(largest, longest)
        rows.pivot[LEAST] = longest
        if longest <= DEPENDENT * largest:
            return k
        if best != k:
            order[k], order[best] = order[best], order[k]
            for c in range(k):
                A[k, c], A[best, c] = A[best, c], A[k, c]
        A[k, k] = math.sqrt(longest)
        for r in range(k + 1, n):
            A[r, k] = _subtract_row(rows, order[k], order[r], math.sqrt(longest))
    return n


@compiled
def _copy_rows(rows: RowViews) -> None:
    """K and XK copied to `near` and `near_solved`, rows in their own order again."""
    for r in range(rows.solved):
        rows.order[r] = r
        for a in range(rows.K.shape[1]):
            rows.near[r, a], rows.near_solved[r, a] = rows.K[r, a], rows.XK[r, a]


@compiled
def _subtract_row(rows: RowViews, unit: int, row: int, length: float) -> float:
    """Take its part along row `unit`, which is that long, out of a row; returns the part."""
    left, solved = rows.near, rows.near_solved
    # <r, unit> / |unit| is the entry of the factor; r -= part * unit / |unit| leaves r perpendicular to it.
    part = _product(left, row, solved, unit) / length
    for a in range(left.shape[1]):
        left[row, a] -= part * left[unit, a] / length
        solved[row, a] -= part * solved[unit, a] / length
    return part


@compiled
def _pivoted_cholesky(rows: RowViews) -> int:
    """Factor A in place; stops at a pivot that is too small for it, and returns how many it found."""
    A = rows.A
    n = rows.solved
    largest = rows.pivot[at.GREATEST]
    for r in range(n):
        largest = max(largest, A[r, r])
    for k in range(n):
        # Diagonal pivoting: the row with the longest part that is perpendicular to those before it (Higham, Accuracy
        # and Stability of Numerical Algorithms, 10.3).
        best = k
        for r in range(k + 1, n):
            if A[r, r] > A[best, best]:
                best = r
        rows.pivot[LEAST] = A[best, best]
        if A[best, best] <= CLOSE * largest:
            return k
        if best != k:
            _swap(rows, k, best)
        root = math.sqrt(A[k, k])
        A[k, k] = root
        for r in range(k + 1, n):
            A[r, k] /= root
        for r in range(k + 1, n):
            for s in range(k + 1, r + 1):
                A[r, s] -= A[r, k] * A[s, k]
                A[s, r] = A[r, s]
    return n


@compiled
def _swap(rows: RowViews, k: int, best: int) -> None:
    """Exchange two rows and columns of A, and their places in the order."""
    A, order = rows.A, rows.order
    order[k], order[best] = order[best], order[k]
    for c in range(rows.solved):
        A[k, c], A[best, c] = A[best, c], A[k, c]
    for r in range(rows.solved):
        A[r, k], A[r, best] = A[r, best], A[r, k]


@compiled
def _apply_two_rows(rows: RowViews, x: Floats, low: int, high: int) -> None:
    """`apply_rows_within` for the two rows of `_two_rows`."""
    first, second = rows.order[0], rows.order[1]
    root = rows.A[0, 0]
    beside = rows.A[1, 0]
    last = rows.A[1, 1]
    p = rows.multiplier[first] / root
    q = (rows.multiplier[second] - beside * p) / (last * last)
    p = (p - beside * q) / root
    rows.multiplier[first], rows.multiplier[second] = p, q
    for a in range(low, high):
        x[a] += rows.XK[first, a] * p + rows.XK[second, a] * q


@compiled
def apply_rows(rows: RowViews, rank: int, x: Floats) -> None:
    """x += XK lambda with A lambda = `multiplier`, which comes in as the right-hand side and goes out as the
    multipliers."""
    apply_rows_within(rows, rank, x, 0, rows.K.shape[1])


@compiled
def apply_rows_within(rows: RowViews, rank: int, x: Floats, low: int, high: int) -> None:
    """As `apply_rows`, for the coordinates from `low` to before `high`."""
    A = rows.A
    order = rows.order
    multiplier = rows.multiplier
    n = rows.solved
    if n == 2 and rank == 2:
        _apply_two_rows(rows, x, low, high)
        return
    # Behind the multipliers there is room for as many, in the order of the pivots.
    for r in range(n):
        multiplier[n + r] = multiplier[order[r]]
        multiplier[order[r]] = multiplier[order[r]] if r < rank else 0.0
    # Forward and back substitution with the factor, rows in the order of their pivots.
    # Multipliers of dependent rows are zero: one choice of many, all of which give the same motion.
    for r in range(rank):
        for s in range(r):
            multiplier[n + r] -= A[r, s] * multiplier[n + s]
        multiplier[n + r] /= A[r, r]
    for r in range(rank - 1, -1, -1):
        for s in range(r + 1, rank):
            multiplier[n + r] -= A[s, r] * multiplier[n + s]
        multiplier[n + r] /= A[r, r]
    for r in range(n):
        multiplier[order[r]] = multiplier[n + r] if r < rank else 0.0
    for r in range(rank):
        row = order[r]
        one = multiplier[n + r]
        for a in range(low, high):
            x[a] += rows.XK[row, a] * one


@compiled
def make_consistent(rows: RowViews, rank: int, x: Floats) -> None:
    """x onto K x = 0 with the rows and factors that there are, in the metric of the mass matrix."""
    make_consistent_within(rows, rank, x, 0, rows.K.shape[1])


@compiled
def make_consistent_within(rows: RowViews, rank: int, x: Floats, low: int, high: int) -> None:
    """As `make_consistent`, where x is zero before the coordinate `low` and from `high` on, and loops leave it so."""
    for r in range(rows.solved):
        total = 0.0
        for a in range(low, high):
            total -= rows.K[r, a] * x[a]
        rows.multiplier[r] = total
    apply_rows_within(rows, rank, x, low, high)


@compiled
def closed_entry(rows: RowViews, a: int, entry: float) -> float:
    """Entry a of a row J of which `make_consistent` got H^-1 J^T last: of J - J H^-1 K^T A^-1 K, which says the same of
    all motions that keep loops closed, and nothing of others."""
    for r in range(rows.solved):
        entry += rows.multiplier[r] * rows.K[r, a]
    return entry
