"""Entries of a bounded row: dense in the spare row of K, then those of J and X that are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import (
    closed_entries,
    enter,
    int_of_row,
    j_begin,
    j_entries,
    of_row,
    x_begin,
    x_entries,
)
from simulator.dynamics.compiled.loop_views import open_rows
from simulator.dynamics.compiled.solve_kernels import closed_entry, make_consistent, solve_mass_within
from simulator.dynamics.compiled.tree_views import open_mass
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, view

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

MOVABLE = 1e-12
"""A row whose axis the loops leave less than this part of its mobility cannot be moved by any impulse."""
ROUNDING = 1e-13
"""Levers of contacts that are shorter than this part of a metre, or of the way to the joint where that is longer, are
rounding: a body that slides in a plane would be thrown out of its mechanism by impulses that try to move it across."""


@compiled
def spare(N: Ints, block: int) -> int:
    """Where the spare row of K or XK begins: dense room for one row."""
    return start(N, block) + N[at.SPARE] * N[at.INDEPENDENT]


@compiled
def clear_row(F: Floats, N: Ints) -> int:
    """The spare row of K is zero outside of its window, the coordinates from LOW to before HIGH; now there is none.

    With loops the window is all of it: they may pass on to any coordinate what any other gets, and efforts of their
    axes are found in the same room.
    """
    row = spare(N, at.F_K)
    if N[at.LOOPS] > 0:
        N[at.LOW], N[at.HIGH] = 0, N[at.INDEPENDENT]
    for a in range(N[at.LOW], N[at.HIGH]):
        F[row + a] = 0.0
    if N[at.LOOPS] == 0:
        N[at.LOW], N[at.HIGH] = N[at.INDEPENDENT], 0
    return row


@compiled
def widen(N: Ints, first: int, end: int) -> None:
    """Take into the window all that moves with these freedoms."""
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for t in range(N[ptr + first], N[ptr + end]):
        N[at.LOW] = min(N[at.LOW], N[int_start(N, at.I_BEGIN) + N[index + t]])
        N[at.HIGH] = max(N[at.HIGH], N[int_start(N, at.I_END) + N[index + t]])


@compiled
def close_row(F: Floats, N: Ints, B: Floats, C: Ints, kind: int, line: int) -> int:
    """Append the dense row in the spare row of K; returns its index, or -1 where there is no room for it."""
    r = C[row_at.COUNT]
    if r >= C[row_at.ROW_ROOM]:
        return -1
    j_end, x_end, row, x = j_begin(C, r), x_begin(C, r), spare(N, at.F_K), spare(N, at.F_XK)
    low, high, (jb, jc), (xb, xc) = N[at.LOW], N[at.HIGH], j_entries(C), x_entries(C)
    width = max(high - low, 0)
    if j_end + width > C[row_at.ENTRY_ROOM] or x_end + width > C[row_at.ENTRY_ROOM]:
        return -1
    for a in range(low, high):
        F[x + a] = F[row + a]
    alone, closed, loop_rows = respond(F, N, x, row), closed_entries(C), open_rows(F, N)
    for a in range(low, high):
        kept = closed_entry(loop_rows, a, F[row + a]) if C[row_at.CLOSED] != 0 else F[row + a]
        if F[row + a] != 0.0 or kept != 0.0:
            B[closed + j_end] = kept
            B[jb + j_end] = F[row + a]
            enter(C, jc + j_end, a)
            j_end += 1
    weight = 0.0
    for a in range(low, high):
        if F[x + a] != 0.0:
            weight += F[row + a] * F[x + a]
            B[xb + x_end], C[xc + x_end] = F[x + a], a
            x_end += 1
    # A row that loops leave no motion has only rounding for a weight: it counts as immovable.
    return enter_row(B, C, kind, line, j_end, x_end, weight if weight > MOVABLE * alone else 0.0)


@compiled
def enter_row(B: Floats, C: Ints, kind: int, line: int, j_end: int, x_end: int, weight: float) -> int:
    """Count the row whose entries end there; returns its index."""
    r = C[row_at.COUNT]
    enter(C, int_of_row(C, row_at.C_KIND, r), kind)
    enter(C, int_of_row(C, row_at.C_JEND, r), j_end)
    C[int_of_row(C, row_at.C_LINE, r)], C[int_of_row(C, row_at.C_XEND, r)] = line, x_end
    B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_SOFT, r)] = weight, 0.0
    C[row_at.COUNT] = r + 1
    return r


@compiled
def respond(F: Floats, N: Ints, x: int, row: int) -> float:
    """F[x:] = J^T becomes the velocity of a unit impulse, consistent with the loops; returns J H^-1 J^T as if there
    were none."""
    # X = (1 - H^-1 K^T A^-1 K) H^-1 J^T: what the unit impulse moves while loops stay closed.
    solve_mass_within(open_mass(F, N), view(F, x, (N[at.INDEPENDENT],)), N[at.LOW], N[at.HIGH])
    alone = dense_product(F, N, row, x)
    if N[at.RANK] > 0:
        make_consistent(open_rows(F, N), N[at.FACTORED], view(F, x, (N[at.INDEPENDENT],)))
    return alone


@compiled
def dense_product(F: Floats, N: Ints, row: int, vector: int) -> float:
    """Product of the dense row in its window and a vector over coordinates."""
    total = 0.0
    for a in range(N[at.LOW], N[at.HIGH]):
        total += F[row + a] * F[vector + a]
    return total
