"""Work of the impulses of bounded rows, by the rates that rows have before and after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.soft import stored
from simulator.physics.solver.solve import DEPENDENT

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def energy_taken(bounded: BoundedRows) -> float:
    """Energy [J] that the impulses of all but motors took, from RATE of the rows to their rates NOW: each impulse times
    the mean of both, exact where H stays; 0 where it is rounding."""
    taken = size = 0.0
    for r in range(bounded.sizes[row_at.COUNT]):
        if bounded.kind[r] <= row_at.TO_POSITION:
            continue
        impulse, before = bounded.impulse[r], bounded.rate[r]
        now = bounded.now[r]
        taken -= 0.5 * impulse * (before + now)
        size += abs(impulse) * (abs(before) + abs(now))
    return taken if abs(taken) > DEPENDENT * size else 0.0


UNRESOLVED = 1e-6
"""Part of the energy of a step's impulses that is rounding of them."""


@compiled
def unresolved_energy(bounded: BoundedRows) -> float:
    """What is small beside the energies of a step [J]: a part of what the impulse x of each row that only takes energy
    would give bodies at rest by itself, x² w / 2 with w = J H⁻¹ Jᵀ. Where bodies lie still, that is what gravity gives
    them in a step."""
    energy = 0.0
    for r in range(bounded.sizes[row_at.COUNT]):
        if bounded.kind[r] > row_at.SERVO:
            impulse = bounded.impulse[r]
            energy += 0.5 * impulse * impulse * bounded.response[r]
    return UNRESOLVED * energy


@compiled
def limits_push(bounded: BoundedRows) -> bool:
    """Whether a stop or a speed limit acted in the step."""
    pushes = False
    for r in range(bounded.sizes[row_at.COUNT]):
        pushes = pushes or (row_at.SPEED <= bounded.kind[r] <= row_at.UPPER and bounded.impulse[r] != 0.0)
    return pushes


@compiled
def contact_work(bounded: BoundedRows, CF: Floats2) -> tuple[float, float]:
    """Work [J] of the impulses of contacts, likewise, and that part of it in which each point takes energy, or gives
    back what it stored as it was pressed in: one that gave more did so by an error of the step, which the balance is to
    show."""
    total = taken = mine = most = 0.0
    for r in range(bounded.sizes[row_at.COUNT]):
        kind = bounded.kind[r]
        if kind >= row_at.NORMAL:
            if kind == row_at.NORMAL:
                taken = taken + min(mine, most)
                mine = 0.0
                most = stored(CF, bounded.line[r])
            rates = bounded.rate[r] + bounded.now[r]
            work = 0.5 * bounded.impulse[r] * rates
            total, mine = total + work, mine + work
    return total, taken + min(mine, most)
