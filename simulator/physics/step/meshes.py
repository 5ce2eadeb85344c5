"""Real couplings after a step: rigid teeth come back together, and what elastic ones store is booked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.separation import move_apart
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row
from simulator.physics.loops.flow import TAKEN
from simulator.physics.rows.meshes import (
    BACKWARD_IN,
    BACKWARD_OUT,
    FORWARD_IN,
    FORWARD_OUT,
    HALF,
    gives,
    stored_by_mesh,
)
from simulator.physics.rows.rows import axis_position
from simulator.physics.solver.solve import UNBOUNDED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

CLOSED = 1e-15
"""Teeth [rad or m, as a part of one above 1] that are apart by that are together but for rounding."""


@compiled
def close_meshes(m: MechanismViews, bounded: BoundedRows, lines: Table, CF: Floats2) -> None:
    """Move rigid teeth back to where a step of constant efforts has left a play that is none, by the displacement that
    moves the masses least. What that brings of energy is booked against the energy taken, as that of elastic teeth
    is. B still has the rows of the step."""
    RI, RF = lines
    _book_stored(m, bounded, RI, RF)
    _book_power(bounded, RF)
    if _ask_back(m, bounded, RI, RF):
        m.stages.flow[TAKEN] -= move_apart(m, bounded, CF)


@compiled
def _ask_back(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2) -> bool:
    """Every mesh is asked to go back where it may be; whether any has to. All else takes no part."""
    found = False
    for r in range(bounded.sizes[row_at.COUNT]):
        kind, line = bounded.kind[r], bounded.line[r]
        least = most = bound = 0.0
        if kind == row_at.MESH and not gives(RF, line):
            z = axis_position(m, RI[line, row_at.CODE])
            least = -RF[line, HALF] - z
            most = RF[line, HALF] - z
            bound = UNBOUNDED
            found = found or max(least, -most) > CLOSED * (1.0 + abs(z))
        ask_of_row(bounded, r, -bound, bound, least)
        bounded.most[r] = most
        bounded.soft[r] = 0.0
    return found


@compiled
def _book_power(bounded: BoundedRows, RF: Floats2) -> None:
    """Energy that passed couplings with losses in this step, by the mean of their rates before and after: the follower
    gets Λ l of it, and the leader gives (Λ - y) l, where y is the effort of the losses."""
    for r in range(bounded.sizes[row_at.COUNT]):
        if bounded.kind[r] != row_at.LOSS:
            continue
        line = bounded.line[r]
        way = 0.5 * (bounded.rate[r] + bounded.now[r])
        out = RF[line - 1, row_at.PUSHED] * way
        given = out - RF[line, row_at.PUSHED] * way
        if out > 0.0 or (out == 0.0 and given > 0.0):
            RF[line, FORWARD_IN] += given
            RF[line, FORWARD_OUT] += out
        else:
            RF[line, BACKWARD_IN] -= out
            RF[line, BACKWARD_OUT] -= given


@compiled
def _book_stored(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2) -> None:
    """What elastic teeth store more than at the start of the step is not taken."""
    flow = m.stages.flow
    for r in range(bounded.sizes[row_at.COUNT]):
        line = bounded.line[r]
        if bounded.kind[r] == row_at.MESH and gives(RF, line):
            before = stored_by_mesh(RF, line, bounded.gap[r])
            flow[TAKEN] -= stored_by_mesh(RF, line, axis_position(m, RI[line, row_at.CODE])) - before
