"""Work of the impulses of bounded rows, by the rates that rows have before and after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import int_of_row, of_row
from simulator.physics.rows.soft import stored
from simulator.physics.solver.solve import DEPENDENT

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints


@compiled
def energy_taken(B: Floats, C: Ints) -> float:
    """Energy [J] that the impulses of all but motors took, from RATE of the rows to their rates NOW: each impulse times
    the mean of both, exact where H stays; 0 where it is rounding."""
    taken = size = 0.0
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] <= row_at.TO_POSITION:
            continue
        impulse, before = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_RATE, r)]
        now = B[of_row(C, row_at.B_NOW, r)]
        taken -= 0.5 * impulse * (before + now)
        size += abs(impulse) * (abs(before) + abs(now))
    return taken if abs(taken) > DEPENDENT * size else 0.0


UNRESOLVED = 1e-4
"""Part of the energy of a step's impulses that its contacts may give out of nothing without being looked at."""


@compiled
def unresolved_energy(B: Floats, C: Ints) -> float:
    """What is small beside the energies of a step [J]: a part of what the impulse x of each row of a contact would give
    bodies at rest by itself, x² w / 2 with w = J H⁻¹ Jᵀ. Where bodies lie still, that is what gravity gives them in a
    step, and rounding of the impulses is small beside it."""
    energy = 0.0
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] >= row_at.NORMAL:
            impulse = B[of_row(C, row_at.B_IMPULSE, r)]
            energy += 0.5 * impulse * impulse * B[of_row(C, row_at.B_RESPONSE, r)]
    return UNRESOLVED * energy


@compiled
def contact_work(B: Floats, C: Ints, CF: Floats2) -> tuple[float, float]:
    """Work [J] of the impulses of contacts, likewise, and that part of it in which each point takes energy, or gives
    back what it stored as it was pressed in: one that gave more did so by an error of the step, which the balance is to
    show."""
    total = taken = mine = most = 0.0
    for r in range(C[row_at.COUNT]):
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        if kind >= row_at.NORMAL:
            if kind == row_at.NORMAL:
                taken = taken + min(mine, most)
                mine = 0.0
                if C[row_at.GIVES] != 0:
                    most = stored(CF, C[int_of_row(C, row_at.C_LINE, r)])
            rates = B[of_row(C, row_at.B_RATE, r)] + B[of_row(C, row_at.B_NOW, r)]
            work = 0.5 * B[of_row(C, row_at.B_IMPULSE, r)] * rates
            total, mine = total + work, mine + work
    return total, taken + min(mine, most)
