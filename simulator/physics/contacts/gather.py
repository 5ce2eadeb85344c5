"""Gather all bounded rows of a step: those of axes, and of contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.far import do_any_hit, leave_out
from simulator.physics.contacts.rows import gather_contact_rows
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import int_of_row
from simulator.physics.rows.rows import gather_axis_rows
from simulator.physics.solver.islands import arrange_islands

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Table

ENTRIES_LATER = 3
"""Rows of a contact have six entries for each free body, and at least two that are not zero at any time."""


@compiled
def begin_to_gather(N: Ints, C: Ints, contacts: Table) -> None:
    """CLOSED = whether there are contacts or real couplings, and loops beside them. Where guides hold a mechanism at a
    singular position, all rows are solved together: the motion that is left to it may change within a step."""
    islands = contacts[0].shape[0] > 0 or C[row_at.MESHES] > 0
    closed = N[at.RANK] > 0 and N[at.PARKED] == 0 and islands
    C[row_at.CLOSED] = 1 if closed else 0
    N[at.AHEAD] = 0


@compiled
def gather(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float, later: float) -> bool:
    """Rows of axes, and of contacts as they are `later` [s] on; False where there is no room for them."""
    return gather_axes(F, N, B, C, lines, dt) and gather_contacts(F, N, B, C, contacts, later)


@compiled
def gather_axes(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, dt: float) -> bool:
    """Rows of axes, and no others; False where there is no room for them."""
    C[row_at.ISLANDS] = C[row_at.COUNT] = 0
    return gather_axis_rows(F, N, B, C, lines[0], lines[1], dt)


@compiled
def gather_contacts(F: Floats, N: Ints, B: Floats, C: Ints, contacts: Table, half: float) -> bool:
    """Beside the rows of axes those of contacts as they are `half` [s] on, and the islands of all; False where there is
    no room for them."""
    fits = gather_contact_rows(F, N, B, C, contacts[0], contacts[1], half)
    if fits and (contacts[0].shape[0] > 0 or C[row_at.MESHES] > 0) and C[row_at.COUNT] > 0:
        # The same rows a little later may have more entries that are not zero.
        last = C[row_at.COUNT] - 1
        used = max(C[int_of_row(C, row_at.C_JEND, last)], C[int_of_row(C, row_at.C_XEND, last)])
        fits = ENTRIES_LATER * used <= C[row_at.ENTRY_ROOM]
        if fits and (N[at.RANK] == 0 or C[row_at.CLOSED] != 0):
            fits = arrange_islands(N, C)
    return fits


@compiled
def leave_out_far(F: Floats, N: Ints, C: Ints, contacts: Table, dt: float) -> bool:
    """Contacts that are far apart get no rows; whether the sides of others hit in a step of dt [s], at
    the velocities of its start."""
    if N[at.ROWS] == 0 or C[row_at.CLOSED] != 0:
        hit = leave_out(F, N, C, contacts, dt)
    else:
        C[row_at.LEFT_OUT], hit = 0, do_any_hit(F, N, contacts, dt)
    return hit
