"""Which losses of couplings stick and which slip, one after the other: where Newton's method on all at once goes round
in circles.

With the losses on straight pieces, those of a chain of gears are a linear complementarity. Of all that are not right
only the first changes in a step, by which principal pivoting ends where the solution is unique (Murty, Note on a Bard-
type scheme for solving the complementarity problem, 1974).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import near_rows
from simulator.physics.solver.newton_step import newton_step
from simulator.physics.solver.rates import move_island, rate, size_of_island
from simulator.physics.solver.residual import ACTS, find_residual
from simulator.physics.solver.solve import SETTLED, STALLED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

PIVOTS = 400
"""Most steps; a chain of ten gears takes a few dozen."""


@compiled
def pivot(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float) -> bool:
    """Impulses of an island from those that are there, whose mass matrix is stored; whether they are right. Where what
    moves has no solution (`rows.meshes`), what jams has: then all losses begin by sticking."""
    first, last = near_rows(bounded, island)
    found = _pivot(bounded, CF, island, vector, scale)
    if not found:
        find_residual(bounded, CF, first, last, vector, 0.0, False)
        for i in range(first, last):
            if bounded.kind[bounded.row[i]] == row_at.LOSS:
                bounded.free[bounded.row[i]] = ACTS
                bounded.error[bounded.row[i]] = -rate(bounded, bounded.row[i], vector)
        if newton_step(bounded, CF, island, True):
            move_island(bounded, island, vector)
            found = _pivot(bounded, CF, island, vector, scale)
    return found


@compiled
def _pivot(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float) -> bool:
    """As `pivot`, from what losses do."""
    first, last = near_rows(bounded, island)
    worst = SETTLED
    least = 1.0 + scale
    size = scale
    slow = 0
    for _ in range(PIVOTS):
        worst, _, turned = find_residual(bounded, CF, first, last, vector, 0.0, True)
        size = size_of_island(bounded, first, last, scale)
        slow = 0 if turned or worst < 0.5 * least else slow + 1
        least = min(least, worst)
        bounded.sizes[row_at.SWEEPS] += 1
        if worst <= SETTLED * size or slow > 2 or not newton_step(bounded, CF, island, True):
            break
        move_island(bounded, island, vector)
    return bool(worst <= STALLED * size)
