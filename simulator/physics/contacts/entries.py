"""Entries of the rows of a contact: those that are not zero, and what loops make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.midway import is_looped
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import closed_entries, enter, j_entries, of_row
from simulator.physics.loops.solve import closed_entry, make_consistent_within
from simulator.physics.loops.views import open_rows
from simulator.physics.rows.entries import MOVABLE

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Buffers, Floats, Ints, Ints2

    Window = tuple[int, int]
    """Coordinates from the first to before the last."""


@compiled
def weight(B: Floats, J: int, X: int, width: int) -> float:
    """What a unit impulse of the dense row at J changes its rate by, with what it gives at X."""
    total = 0.0
    for t in range(width):
        total += B[J + t] * B[X + t]
    return total


@compiled
def hold_loops(
    buffers: Buffers,
    CI: Ints2,
    c: int,
    places: tuple[int, int, int],
    shape: tuple[int, int],
    windows: tuple[Window, Window],
) -> int:
    """Of the dense rows (rows, width) of contact c, the next ones, whose weights without loops are known: their weights
    with these, X made consistent with them, and entries for islands; then what `squeeze` does with J. `places`: of J
    and X in B, and how many entries of J were there before."""
    (F, N, B, C) = buffers
    (J, X, j_end) = places
    (rows, width) = shape
    closed = closed_entries(C) + j_end
    columns = j_entries(C)[1] + j_end
    first = C[row_at.COUNT]
    if C[row_at.CLOSED] != 0 and not (is_looped(N, CI[c, 0]) or is_looped(N, CI[c, 1])):
        count = squeeze(B, C, (J, columns), shape, windows)
        for t in range(rows * count):
            B[closed + t] = B[J + t]
        return count
    for k in range(rows):
        _hold_row((F, N, B, C), (J + k * width, X + k * width, closed + k * width), windows)
        held = weight(B, J + k * width, X + k * width, width)
        # A row that loops leave no motion has only rounding for a weight.
        place = of_row(C, row_at.B_RESPONSE, first + k)
        B[place] = held if held > MOVABLE * B[place] else 0.0
    if C[row_at.CLOSED] != 0:
        return _squeeze_both(B, C, (J, closed, columns), shape, windows)
    return squeeze(B, C, (J, columns), shape, windows)


@compiled
def _hold_row(buffers: Buffers, places: tuple[int, int, int], windows: tuple[Window, Window]) -> None:
    """X = (1 - H^-1 K^T A^-1 K) H^-1 J^T: what the unit impulse moves while loops stay closed; and J (1 - P)."""
    (F, N, B, C) = buffers
    (J, X, closed) = places
    place = 0
    loop_rows = open_rows(F, N)
    x = loop_rows.XK[loop_rows.spare, :]
    for low, high in windows:
        for a in range(low, high):
            x[a] = B[X + place + a - low]
        make_consistent_within(loop_rows, N[at.FACTORED], x, low, high)
        for a in range(low, high):
            B[X + place + a - low] = x[a]
            if C[row_at.CLOSED] != 0:
                B[closed + place + a - low] = closed_entry(loop_rows, a, B[J + place + a - low])
        place += high - low


@compiled
def squeeze(B: Floats, C: Ints, places: tuple[int, int], shape: tuple[int, int], windows: tuple[Window, Window]) -> int:
    """Dense rows at `places` in B become those of their columns in which any of them is not zero, which C gets at its
    place, once for each row; returns how many these are."""
    (values, columns) = places
    (rows, width) = shape
    count = 0
    t = 0
    for window in windows:
        for a in range(window[0], window[1]):
            here = values + t
            kept = B[here] != 0.0 or (rows > 1 and (B[here + width] != 0.0 or B[here + 2 * width] != 0.0))
            if kept or (rows > 3 and B[here + 3 * width] != 0.0):
                enter(C, columns + count, a)
                if count < t:  # to the front of its own row
                    B[values + count], B[values + width + count] = B[here], B[here + width]
                    B[values + 2 * width + count] = B[here + 2 * width]
                    if rows > 3:
                        B[values + 3 * width + count] = B[here + 3 * width]
                count += 1
            t += 1
    for k in range(1, rows):
        # Rows get closer from the front on: of those behind, nothing is overwritten that is still to be moved.
        for t in range(count):
            if count < width:
                B[values + k * count + t] = B[values + k * width + t]
            enter(C, columns + k * count + t, C[columns + t])
    return count


@compiled
def _squeeze_both(
    B: Floats, C: Ints, places: tuple[int, int, int], shape: tuple[int, int], windows: tuple[Window, Window]
) -> int:
    """As `squeeze`, of two blocks at once (values, values, columns), which keep the same columns."""
    (values, beside, columns) = places
    (rows, width) = shape
    count = 0
    t = 0
    for low, high in windows:
        for a in range(low, high):
            kept = False
            for k in range(t, rows * width, width):
                kept = kept or B[values + k] != 0.0 or B[beside + k] != 0.0
            if kept:
                enter(C, columns + count, a)
                for k in range(0, rows * width, width):
                    B[values + k + count] = B[values + k + t]
                    B[beside + k + count] = B[beside + k + t]
                count += 1
            t += 1
    for k in range(1, rows):
        for t in range(count):
            B[values + k * count + t] = B[values + k * width + t]
            B[beside + k * count + t] = B[beside + k * width + t]
            enter(C, columns + k * count + t, C[columns + t])
    return count
