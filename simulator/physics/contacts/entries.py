"""Entries of the rows of a contact: those that are not zero, and what loops make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.midpoint_rows import is_looped
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import enter, response_to
from simulator.physics.loops.solve import closed_entry, make_consistent_within
from simulator.physics.rows.entries import MOVABLE

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Ints2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

    Window = tuple[int, int]
    """Coordinates from the first to before the last."""


@compiled
def hold_loops(
    m: MechanismViews,
    bounded: BoundedRows,
    CI: Ints2,
    c: int,
    places: tuple[int, int],
    shape: tuple[int, int],
    windows: tuple[Window, Window],
) -> int:
    """Of the dense rows (rows, width) of contact c, the next ones, whose weights without loops are known: their weights
    with these, X made consistent with them, and entries for islands; then what `squeeze` does with J. `places`: how
    many entries of J and of X there were before."""
    (J, X) = places
    (count, width) = shape
    first = bounded.gathered[0]
    if bounded.closed[0] != 0 and not (is_looped(m, CI[c, row_at.FIRST]) or is_looped(m, CI[c, row_at.SECOND])):
        columns = squeeze(bounded, (bounded.J, bounded.J_column), J, shape, windows)
        for t in range(J, J + count * columns):
            bounded.J_closed[t] = bounded.J[t]
        return columns
    for k in range(count):
        _hold_row(m, bounded, (J + k * width, X + k * width), windows)
        held = response_to(bounded, J + k * width, X + k * width, width)
        # A row that loops leave no motion has only rounding for a weight.
        bounded.response[first + k] = held if held > MOVABLE * bounded.response[first + k] else 0.0
    if bounded.closed[0] != 0:
        return _squeeze_both(bounded, J, shape, windows)
    return squeeze(bounded, (bounded.J, bounded.J_column), J, shape, windows)


@compiled
def _hold_row(m: MechanismViews, bounded: BoundedRows, places: tuple[int, int], windows: tuple[Window, Window]) -> None:
    """X = (1 - H^-1 K^T A^-1 K) H^-1 J^T: what the unit impulse moves while loops stay closed; and J (1 - P)."""
    (J, X) = places
    place = 0
    rows = m.rows
    x = rows.scratch
    for low, high in windows:
        for a in range(low, high):
            x[a] = bounded.X[X + place + a - low]
        make_consistent_within(rows, rows.rank[0], x, low, high)
        for a in range(low, high):
            bounded.X[X + place + a - low] = x[a]
            if bounded.closed[0] != 0:
                entry = bounded.J[J + place + a - low]
                bounded.J_closed[J + place + a - low] = closed_entry(rows, a, entry)
        place += high - low


@compiled
def squeeze(
    bounded: BoundedRows,
    entries: tuple[Floats, Ints],
    begin: int,
    shape: tuple[int, int],
    windows: tuple[Window, Window],
) -> int:
    """Dense rows from `begin` on become those of their columns in which any of them is not zero, once for each row;
    returns how many these are. `entries`: values and columns of J or X."""
    (values, columns) = entries
    (rows, width) = shape
    count = 0
    t = 0
    for window in windows:
        for a in range(window[0], window[1]):
            here = begin + t
            kept = values[here] != 0.0 or (
                rows > 1 and (values[here + width] != 0.0 or values[here + 2 * width] != 0.0)
            )
            if kept or (rows > 3 and values[here + 3 * width] != 0.0):
                enter(bounded, columns, begin + count, a)
                if count < t:  # to the front of its own row
                    values[begin + count], values[begin + width + count] = (
                        values[here],
                        values[here + width],
                    )
                    values[begin + 2 * width + count] = values[here + 2 * width]
                    if rows > 3:
                        values[begin + 3 * width + count] = values[here + 3 * width]
                count += 1
            t += 1
    for k in range(1, rows):
        # Rows get closer from the front on: of those behind, nothing is overwritten that is still to be moved.
        for t in range(count):
            if count < width:
                values[begin + k * count + t] = values[begin + k * width + t]
            enter(bounded, columns, begin + k * count + t, columns[begin + t])
    return count


@compiled
def _squeeze_both(bounded: BoundedRows, begin: int, shape: tuple[int, int], windows: tuple[Window, Window]) -> int:
    """As `squeeze`, of J and `J_closed` at once, which keep the same columns."""
    values = bounded.J
    beside = bounded.J_closed
    columns = bounded.J_column
    (rows, width) = shape
    count = 0
    t = 0
    for low, high in windows:
        for a in range(low, high):
            kept = False
            for k in range(t, rows * width, width):
                kept = kept or values[begin + k] != 0.0 or beside[begin + k] != 0.0
            if kept:
                enter(bounded, columns, begin + count, a)
                for k in range(0, rows * width, width):
                    values[begin + k + count] = values[begin + k + t]
                    beside[begin + k + count] = beside[begin + k + t]
                count += 1
            t += 1
    for k in range(1, rows):
        for t in range(count):
            values[begin + k * count + t] = values[begin + k * width + t]
            beside[begin + k * count + t] = beside[begin + k * width + t]
            enter(bounded, columns, begin + k * count + t, columns[begin + t])
    return count
