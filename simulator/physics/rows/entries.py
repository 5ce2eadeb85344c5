"""Entries of a bounded row: dense in the spare row of K, then those of J and X that are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import enter, island_entries, j_begin, x_begin
from simulator.physics.loops.solve import closed_entry, make_consistent, solve_mass_within

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews, RowViews
    from simulator.physics.tree.views import CouplingViews, MassViews

MOVABLE = 1e-12
"""A row whose axis the loops leave less than this part of its mobility cannot be moved by any impulse."""
ROUNDING = 1e-13
"""Levers of contacts that are shorter than this part of a metre, or of the way to the joint where that is longer, are
rounding: a body that slides in a plane would be thrown out of its mechanism by impulses that try to move it across."""


@compiled
def clear_row(rows: RowViews, has_loops: bool) -> None:
    """The spare row of K is zero outside of its window; now the window is empty.

    With loops the window is all of it: they may pass on to any coordinate what any other gets, and efforts of their
    axes are found in the same room.
    """
    row = rows.K[rows.spare, :]
    window = rows.window
    if has_loops:
        window[0], window[1] = 0, row.shape[0]
    for a in range(window[0], window[1]):
        row[a] = 0.0
    if not has_loops:
        window[0] = row.shape[0]
        window[1] = 0


@compiled
def widen(G: CouplingViews, mass: MassViews, window: Ints, first: int, end: int) -> None:
    """Take into the window all that moves with the freedoms `first` to before `end`."""
    for t in range(G.begin[first], G.begin[end]):
        window[0] = min(window[0], mass.block_begin[G.column[t]])
        window[1] = max(window[1], mass.block_end[G.column[t]])


@compiled
def close_row(m: MechanismViews, bounded: BoundedRows, kind: int, line: int) -> int:
    """Append the dense row in the spare row of K; returns its index, or -1 where there is no room for it."""
    r = bounded.sizes[row_at.COUNT]
    if r >= bounded.sizes[row_at.ROW_ROOM]:
        return -1
    rows = m.rows
    row = rows.K[rows.spare, :]
    x = rows.scratch
    low = rows.window[0]
    high = rows.window[1]
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    (closed,) = island_entries(bounded)
    width = max(high - low, 0)
    if j_end + width > bounded.sizes[row_at.ENTRY_ROOM] or x_end + width > bounded.sizes[row_at.ENTRY_ROOM]:
        return -1
    for a in range(low, high):
        x[a] = row[a]
    alone = respond(m.mass, rows, x)
    for a in range(low, high):
        kept = closed_entry(rows, a, row[a]) if bounded.sizes[row_at.CLOSED] != 0 else row[a]
        if row[a] != 0.0 or kept != 0.0:
            closed[j_end] = kept
            bounded.J[j_end] = row[a]
            enter(bounded, bounded.J_column, j_end, a)
            j_end += 1
    weight = 0.0
    for a in range(low, high):
        if x[a] != 0.0:
            weight += row[a] * x[a]
            bounded.X[x_end] = x[a]
            bounded.X_column[x_end] = a
            x_end += 1
    # A row that loops leave no motion has only rounding for a weight: it counts as immovable.
    return enter_row(bounded, kind, line, j_end, x_end, weight if weight > MOVABLE * alone else 0.0)


@compiled
def enter_row(bounded: BoundedRows, kind: int, line: int, j_end: int, x_end: int, weight: float) -> int:
    """Count the row whose entries end there; returns its index."""
    r = bounded.sizes[row_at.COUNT]
    enter(bounded, bounded.kind, r, kind)
    enter(bounded, bounded.J_end, r, j_end)
    bounded.line[r], bounded.X_end[r] = line, x_end
    bounded.response[r] = weight
    bounded.soft[r] = 0.0
    bounded.sizes[row_at.COUNT] = r + 1
    return r


@compiled
def respond(mass: MassViews, rows: RowViews, x: Floats) -> float:
    """x = J^T, of the dense row J, becomes the velocity of a unit impulse, consistent with the loops; returns J H^-1
    J^T as if there were none."""
    # X = (1 - H^-1 K^T A^-1 K) H^-1 J^T: what the unit impulse moves while loops stay closed.
    solve_mass_within(mass, x, rows.window[0], rows.window[1])
    alone = dense_product(rows, x)
    if rows.solved > 0:
        make_consistent(rows, rows.rank[0], x)
    return alone


@compiled
def dense_product(rows: RowViews, vector: Floats) -> float:
    """Product of the dense row in its window and a vector over coordinates."""
    row = rows.K[rows.spare, :]
    total = 0.0
    for a in range(rows.window[0], rows.window[1]):
        total += row[a] * vector[a]
    return total
