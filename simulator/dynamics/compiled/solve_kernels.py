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

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.tree_views import open_mass
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, entry, view

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints
    from simulator.dynamics.compiled.tree_views import Mass

CLOSE = 1e-8
"""Where a pivot of A falls below this part of the largest, rows are nearly dependent and are made perpendicular
instead."""
DEPENDENT = 1e-20
"""A row of which no more than this part (of the square of the longest) is perpendicular to the others is implied by
them."""


@entry("motion")
def factor_mass(F: Floats, N: Ints) -> None:
    """As `factor_inertia`."""
    factor_inertia(open_mass(F, N))


@compiled
def factor_inertia(mass: Mass) -> None:
    """H becomes L (strict lower triangle) and D (diagonal)."""
    H, row, begin, column = mass.H, mass.row, mass.begin, mass.column
    # From the leaves inwards no entry is filled that was zero: L has the sparsity of the tree (Featherstone, 6.5).
    for k in range(row.shape[0] - 1, -1, -1):
        mine = row[k]
        diagonal = H[mine + k]
        for t in range(begin[k + 1] - 1, begin[k] - 1, -1):
            i = column[t]
            above, part = row[i], H[mine + i] / diagonal
            for u in range(begin[k], t + 1):
                H[above + column[u]] -= part * H[mine + column[u]]
            H[mine + i] = part


@compiled
def solve_mass(mass: Mass, x: Floats) -> None:
    """x = H^-1 x, in place."""
    solve_mass_within(mass, x, 0, mass.row.shape[0])


@compiled
def solve_mass_within(mass: Mass, x: Floats, low: int, high: int) -> None:
    """As `solve_mass`, where all that is not zero is among the coordinates from `low` to before `high`, whole blocks of
    them."""
    H, row, begin, column = mass.H, mass.row, mass.begin, mass.column
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
def solve_mass_for_three(mass: Mass, rows: tuple[Floats, Floats, Floats], place: int, window: tuple[int, int]) -> None:
    """As `solve_mass_within`, for three rows that have the coordinates of a window (first, before last) from `place`
    on: one pass over the factors for all."""
    H, row, begin, column = mass.H, mass.row, mass.begin, mass.column
    (first, second, third), (low, high) = rows, window
    shift = place - low
    for i in range(high - 1, low - 1, -1):
        mine, here = row[i], shift + i
        x, y, z = first[here], second[here], third[here]
        for t in range(begin[i], begin[i + 1]):
            c, part = shift + column[t], H[mine + column[t]]
            if part == 0.0:  # as most are of a body that is alike along its axes
                continue
            first[c] -= part * x
            second[c] -= part * y
            third[c] -= part * z
    for i in range(low, high):
        mine, here = row[i], shift + i
        diagonal = H[mine + i]
        x, y, z = first[here] / diagonal, second[here] / diagonal, third[here] / diagonal
        for t in range(begin[i], begin[i + 1]):
            c, part = shift + column[t], H[mine + column[t]]
            if part == 0.0:
                continue
            x, y, z = x - part * first[c], y - part * second[c], z - part * third[c]
        first[here], second[here], third[here] = x, y, z


@compiled
def solve_mass_for_one(mass: Mass, entries: Floats, place: int, window: tuple[int, int]) -> None:
    """As `solve_mass_for_three`, for one row."""
    H, row, begin, column = mass.H, mass.row, mass.begin, mass.column
    low, high = window
    shift = place - low
    for i in range(high - 1, low - 1, -1):
        mine, x = row[i], entries[shift + i]
        for t in range(begin[i], begin[i + 1]):
            entries[shift + column[t]] -= H[mine + column[t]] * x
    for i in range(low, high):
        mine = row[i]
        x = entries[shift + i] / H[mine + i]
        for t in range(begin[i], begin[i + 1]):
            x = x - H[mine + column[t]] * entries[shift + column[t]]
        entries[shift + i] = x


@entry("motion")
def factor_rows(F: Floats, N: Ints) -> int:
    """XK = H^-1 K^T by row, A = K XK as pivoted Cholesky; returns the rank."""
    K, XK, A, pivot = start(N, at.F_K), start(N, at.F_XK), start(N, at.F_A), int_start(N, at.I_PIVOT)
    m, n, mass = N[at.INDEPENDENT], N[at.RANK], open_mass(F, N)
    for r in range(n):
        N[pivot + r] = r
    if n == 2:
        _solve_two(F, N, K, XK)
        rank = _two_rows(F, N, K, XK, A, pivot)
        return rank if rank == 2 else _orthogonalised(F, N)
    for r in range(n):
        for a in range(m):
            F[XK + r * m + a] = F[K + r * m + a]
        solve_mass(mass, view(F, XK + r * m, (m,)))
    for r in range(n):
        for s in range(r + 1):
            total = 0.0
            for a in range(m):
                total += F[K + r * m + a] * F[XK + s * m + a]
            F[A + r * n + s] = total
            F[A + s * n + r] = total
    # Pivots fall in size, so that what is left when one is too small is the rows that others imply.
    rank = _pivoted_cholesky(F, N, A, pivot, n)
    return rank if rank == n else _orthogonalised(F, N)


@compiled
def _solve_two(F: Floats, N: Ints, K: int, XK: int) -> None:
    """XK = H^-1 K^T of two rows in one go."""
    H, row, lptr, lcol = start(N, at.F_H), int_start(N, at.I_HROW), int_start(N, at.I_LPTR), int_start(N, at.I_LCOL)
    m = N[at.INDEPENDENT]
    for a in range(2 * m):
        F[XK + a] = F[K + a]
    # As `solve_mass_within`: one pass over the factors for both, for loading them is what it costs.
    for i in range(m - 1, -1, -1):
        x, y = F[XK + i], F[XK + m + i]
        for t in range(N[lptr + i], N[lptr + i + 1]):
            c = N[lcol + t]
            part = F[H + N[row + i] + c]
            F[XK + c] -= part * x
            F[XK + m + c] -= part * y
    for i in range(m):
        diagonal = F[H + N[row + i] + i]
        x, y = F[XK + i] / diagonal, F[XK + m + i] / diagonal
        for t in range(N[lptr + i], N[lptr + i + 1]):
            c = N[lcol + t]
            part = F[H + N[row + i] + c]
            x -= part * F[XK + c]
            y -= part * F[XK + m + c]
        F[XK + i], F[XK + m + i] = x, y


@compiled
def _two_rows(F: Floats, N: Ints, K: int, XK: int, A: int, pivot: int) -> int:
    """The pivoted factor of two rows, which a loop in a plane has, written out."""
    m, first, both, second = N[at.INDEPENDENT], 0.0, 0.0, 0.0
    for a in range(m):
        first += F[K + a] * F[XK + a]
        both += F[K + m + a] * F[XK + a]
        second += F[K + m + a] * F[XK + m + a]
    if second > first:
        first, second = second, first
        N[pivot], N[pivot + 1] = 1, 0
    if first <= CLOSE * F[start(N, at.F_PIVOT) + at.GREATEST]:
        return 0
    # Cholesky of [[a, b], [b, c]]: l11 = sqrt a, l21 = b / l11, l22 = sqrt(c - l21^2).
    root = math.sqrt(first)
    beside = both / root
    rest = second - beside * beside
    F[A], F[A + 2] = root, beside
    if rest <= CLOSE * first:
        return 1
    F[A + 3], F[start(N, at.F_PIVOT)] = math.sqrt(rest), rest
    return 2


@compiled
def _orthogonalised(F: Floats, N: Ints) -> int:
    """The factor of `factor_rows` from the rows themselves, with K and XK at hand; returns the rank.

    NEAR_K holds what is left of the rows after those before it, NEAR_XK = H^-1 NEAR_K^T beside it; <r, s> = K_r XK_s.
    """
    A, pivot, m, n = start(N, at.F_A), int_start(N, at.I_PIVOT), N[at.INDEPENDENT], N[at.RANK]
    left, solved = _copied_rows(F, N)
    largest = F[start(N, at.F_PIVOT) + at.GREATEST]
    for k in range(n):
        best, longest = k, -1.0
        for r in range(k, n):
            # The length of what is left is summed anew for each pivot: updating it would cancel where rows nearly
            # depend.
            row, square = N[pivot + r] * m, 0.0
            for a in range(m):
                square += F[left + row + a] * F[solved + row + a]
            if square > longest:
                best, longest = r, square
        largest = max(largest, longest)
        F[start(N, at.F_PIVOT)] = longest
        if longest <= DEPENDENT * largest:
            return k
        if best != k:
            N[pivot + k], N[pivot + best] = N[pivot + best], N[pivot + k]
            for c in range(k):
                F[A + k * n + c], F[A + best * n + c] = F[A + best * n + c], F[A + k * n + c]
        F[A + k * n + k] = math.sqrt(longest)
        for r in range(k + 1, n):
            F[A + r * n + k] = _subtract_row(F, left, solved, N[pivot + k] * m, N[pivot + r] * m, m, math.sqrt(longest))
    return n


@compiled
def _copied_rows(F: Floats, N: Ints) -> tuple[int, int]:
    """K and XK copied to NEAR_K and NEAR_XK, rows in their own order again; where these begin."""
    K, XK, left, solved = start(N, at.F_K), start(N, at.F_XK), start(N, at.F_NEAR_K), start(N, at.F_NEAR_XK)
    pivot = int_start(N, at.I_PIVOT)
    for r in range(N[at.RANK]):
        N[pivot + r] = r
    for a in range(N[at.RANK] * N[at.INDEPENDENT]):
        F[left + a], F[solved + a] = F[K + a], F[XK + a]
    return left, solved


@compiled
def _subtract_row(F: Floats, left: int, solved: int, unit: int, row: int, m: int, length: float) -> float:
    """Take its part along row `unit`, which is that long, out of a row; returns the part."""
    part = 0.0
    for a in range(m):
        part += F[left + row + a] * F[solved + unit + a]
    # <r, unit> / |unit| is the entry of the factor; r -= part * unit / |unit| leaves r perpendicular to it.
    part /= length
    for a in range(m):
        F[left + row + a] -= part * F[left + unit + a] / length
        F[solved + row + a] -= part * F[solved + unit + a] / length
    return part


@compiled
def _pivoted_cholesky(F: Floats, N: Ints, A: int, pivot: int, n: int) -> int:
    """Factor A in place; stops at a pivot that is too small for it, and returns how many it found."""
    largest = F[start(N, at.F_PIVOT) + at.GREATEST]
    for r in range(n):
        largest = max(largest, F[A + r * n + r])
    for k in range(n):
        # Diagonal pivoting: the row with the longest part that is perpendicular to those before it (Higham, Accuracy
        # and Stability of Numerical Algorithms, 10.3).
        best = k
        for r in range(k + 1, n):
            if F[A + r * n + r] > F[A + best * n + best]:
                best = r
        F[start(N, at.F_PIVOT)] = F[A + best * n + best]
        if F[A + best * n + best] <= CLOSE * largest:
            return k
        if best != k:
            _swap(F, N, A, pivot, n, k, best)
        root = math.sqrt(F[A + k * n + k])
        F[A + k * n + k] = root
        for r in range(k + 1, n):
            F[A + r * n + k] /= root
        for r in range(k + 1, n):
            for s in range(k + 1, r + 1):
                F[A + r * n + s] -= F[A + r * n + k] * F[A + s * n + k]
                F[A + s * n + r] = F[A + r * n + s]
    return n


@compiled
def _swap(F: Floats, N: Ints, A: int, pivot: int, n: int, k: int, best: int) -> None:
    N[pivot + k], N[pivot + best] = N[pivot + best], N[pivot + k]
    for c in range(n):
        F[A + k * n + c], F[A + best * n + c] = F[A + best * n + c], F[A + k * n + c]
    for r in range(n):
        F[A + r * n + k], F[A + r * n + best] = F[A + r * n + best], F[A + r * n + k]


@compiled
def _apply_two_rows(F: Floats, N: Ints, o: int, low: int, high: int) -> None:
    """`apply_rows_within` for the two rows of `_two_rows`."""
    XK, A, LAMBDA, pivot = start(N, at.F_XK), start(N, at.F_A), start(N, at.F_LAMBDA), int_start(N, at.I_PIVOT)
    m, p, q = N[at.INDEPENDENT], N[pivot], N[pivot + 1]
    root, beside, last = F[A], F[A + 2], F[A + 3]
    x = F[LAMBDA + p] / root
    y = (F[LAMBDA + q] - beside * x) / (last * last)
    x = (x - beside * y) / root
    F[LAMBDA + p], F[LAMBDA + q] = x, y
    p, q = XK + p * m, XK + q * m
    for a in range(low, high):
        F[o + a] += F[p + a] * x + F[q + a] * y


@compiled
def apply_rows(F: Floats, N: Ints, rank: int, o: int) -> None:
    """x += XK lambda with A lambda = LAMBDA; LAMBDA comes in as the right-hand side and goes out as the multipliers."""
    apply_rows_within(F, N, rank, o, 0, N[at.INDEPENDENT])


@compiled
def apply_rows_within(F: Floats, N: Ints, rank: int, o: int, low: int, high: int) -> None:
    """As `apply_rows`, for the coordinates from `low` to before `high`."""
    XK, A, LAMBDA, pivot = start(N, at.F_XK), start(N, at.F_A), start(N, at.F_LAMBDA), int_start(N, at.I_PIVOT)
    m, n = N[at.INDEPENDENT], N[at.RANK]
    if n == 2 and rank == 2:
        _apply_two_rows(F, N, o, low, high)
        return
    room = LAMBDA + n
    for r in range(n):
        F[room + r] = F[LAMBDA + N[pivot + r]]
        F[LAMBDA + N[pivot + r]] = F[LAMBDA + N[pivot + r]] if r < rank else 0.0
    # Forward and back substitution with the factor, rows in the order of their pivots.
    # Multipliers of dependent rows are zero: one choice of many, all of which give the same motion.
    for r in range(rank):
        for s in range(r):
            F[room + r] -= F[A + r * n + s] * F[room + s]
        F[room + r] /= F[A + r * n + r]
    for r in range(rank - 1, -1, -1):
        for s in range(r + 1, rank):
            F[room + r] -= F[A + s * n + r] * F[room + s]
        F[room + r] /= F[A + r * n + r]
    for r in range(n):
        F[LAMBDA + N[pivot + r]] = F[room + r] if r < rank else 0.0
    for r in range(rank):
        row, multiplier = N[pivot + r], F[room + r]
        for a in range(low, high):
            F[o + a] += F[XK + row * m + a] * multiplier


@compiled
def make_consistent(F: Floats, N: Ints, rank: int, o: int) -> None:
    """F[o:] onto K x = 0 with the rows and factors that stand, in the metric of the mass matrix."""
    make_consistent_within(F, N, rank, o, 0, N[at.INDEPENDENT])


@compiled
def make_consistent_within(F: Floats, N: Ints, rank: int, o: int, low: int, high: int) -> None:
    """As `make_consistent`, where x is zero before the coordinate `low` and from `high` on, and loops leave it so."""
    K, LAMBDA, m = start(N, at.F_K), start(N, at.F_LAMBDA), N[at.INDEPENDENT]
    for r in range(N[at.RANK]):
        total = 0.0
        for a in range(low, high):
            total -= F[K + r * m + a] * F[o + a]
        F[LAMBDA + r] = total
    apply_rows_within(F, N, rank, o, low, high)


@compiled
def closed_entry(F: Floats, N: Ints, a: int, entry: float) -> float:
    """Entry a of a row J of which `make_consistent` got H^-1 J^T last: of J - J H^-1 K^T A^-1 K, which says the same of
    all motions that keep loops closed, and nothing of others."""
    K, LAMBDA, m = start(N, at.F_K), start(N, at.F_LAMBDA), N[at.INDEPENDENT]
    for r in range(N[at.RANK]):
        entry += F[LAMBDA + r] * F[K + r * m + a]
    return entry
