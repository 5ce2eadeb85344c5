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
from simulator.physics.layout.row_layout import int_of_row, near_rows, of_row
from simulator.physics.solver.judgement import ACTS, judge
from simulator.physics.solver.moves import move_island, size_of_island
from simulator.physics.solver.newton_step import newton_step
from simulator.physics.solver.rates import rate
from simulator.physics.solver.solve import SETTLED, STALLED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints

PIVOTS = 400
"""Most steps; a chain of ten gears takes a few dozen."""


@compiled
def pivot(F: Floats, B: Floats, C: Ints, CF: Floats2, island: int, vector: int, scale: float) -> bool:
    """Impulses of an island from those that are there, whose mass matrix is stored; whether they are right. Where what
    moves has no solution (`rows.meshes`), what jams has: then all losses begin by sticking."""
    first, last = near_rows(C, island)
    found = _pivot(F, B, C, CF, island, vector, scale)
    if not found:
        judge(F, B, C, CF, first, last, vector, 0.0)
        for i in range(first, last):
            if C[int_of_row(C, row_at.C_KIND, C[i])] == row_at.LOSS:
                C[int_of_row(C, row_at.C_FREE, C[i])] = ACTS
                B[of_row(C, row_at.B_ERROR, C[i])] = -rate(F, B, C, C[i], vector)
        if newton_step(B, C, CF, island, True):
            move_island(F, B, C, island, vector)
            found = _pivot(F, B, C, CF, island, vector, scale)
    return found


@compiled
def _pivot(F: Floats, B: Floats, C: Ints, CF: Floats2, island: int, vector: int, scale: float) -> bool:
    """As `pivot`, from what losses do."""
    first, last = near_rows(C, island)
    worst = SETTLED
    least = 1.0 + scale
    size = scale
    slow = 0
    for _ in range(PIVOTS):
        C[row_at.ONE_AT_A_TIME] = 1
        worst = judge(F, B, C, CF, first, last, vector, 0.0)
        size = size_of_island(B, C, first, last, scale)
        changes = C[row_at.ONE_AT_A_TIME] == 2
        slow = 0 if changes or worst < 0.5 * least else slow + 1
        least = min(least, worst)
        C[row_at.SWEEPS] += 1
        if worst <= SETTLED * size or slow > 2 or not newton_step(B, C, CF, island, True):
            break
        move_island(F, B, C, island, vector)
    C[row_at.ONE_AT_A_TIME] = 0
    return bool(worst <= STALLED * size)
