"""Gather all bounded rows of a step: those of axes, and of contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.rows import gather_contact_rows
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.rows import add_axis_rows
from simulator.physics.solver.islands import arrange_islands
from simulator.physics.solver.rates import rate_rows
from simulator.physics.tree.views import open_mass, open_state

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Table
    from simulator.physics.layout.bounded import BoundedRows

ENTRIES_LATER = 3
"""Rows of a contact have six entries for each free body, and at least two that are not zero at any time."""


@compiled
def begin_to_gather(N: Ints, bounded: BoundedRows, contacts: Table) -> None:
    """CLOSED = whether there are contacts or real couplings, and loops beside them. Where guides hold a mechanism at a
    singular position, all rows are solved together: the motion that is left to it may change within a step."""
    islands = contacts[0].shape[0] > 0 or bounded.sizes[row_at.MESHES] > 0
    closed = N[at.RANK] > 0 and N[at.PARKED] == 0 and islands
    bounded.sizes[row_at.CLOSED] = 1 if closed else 0


@compiled
def gather_at_middle(
    F: Floats, N: Ints, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, ahead: bool
) -> bool:
    """Rows of axes, and of contacts as they are in the middle of the step, and RATE of all; False where there is no
    room for them. `ahead`: whether H and rows of loops are those of the middle, too."""
    fits = gather_axes(F, N, bounded, lines, dt) and gather_contacts(F, N, bounded, contacts, 0.5 * dt, ahead)
    if fits:
        rate_rows(bounded, open_state(F, N).V, bounded.rate)
    return fits


@compiled
def gather_axes(F: Floats, N: Ints, bounded: BoundedRows, lines: Table, dt: float) -> bool:
    """Rows of axes, and no others; False where there is no room for them."""
    bounded.sizes[row_at.ISLANDS] = bounded.sizes[row_at.COUNT] = 0
    return add_axis_rows(F, N, bounded, lines[0], lines[1], dt)


@compiled
def gather_contacts(F: Floats, N: Ints, bounded: BoundedRows, contacts: Table, half: float, ahead: bool) -> bool:
    """Beside the rows of axes those of contacts as they are `half` [s] on, and the islands of all; False where there is
    no room for them. `ahead`: whether H and rows of loops are those of then."""
    fits = gather_contact_rows(F, N, bounded, contacts[0], contacts[1], half, ahead)
    if fits and (contacts[0].shape[0] > 0 or bounded.sizes[row_at.MESHES] > 0) and bounded.sizes[row_at.COUNT] > 0:
        # The same rows a little later may have more entries that are not zero.
        last = bounded.sizes[row_at.COUNT] - 1
        used = max(bounded.J_end[last], bounded.X_end[last])
        fits = ENTRIES_LATER * used <= bounded.sizes[row_at.ENTRY_ROOM]
        if fits and (N[at.RANK] == 0 or bounded.sizes[row_at.CLOSED] != 0):
            fits = arrange_islands(open_mass(F, N), bounded)
    return fits
