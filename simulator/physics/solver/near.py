"""Rows of an island that need not be solved for.

Most contact points that are looked at are too far apart to touch in the step: only a velocity much larger than any
could bring their sides together. They are set aside, the others are solved for, and if what comes of that would bring
any of them too near, all are solved for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    has_tangents,
    int_of_row,
    island_column,
    near_rows,
    of_row,
    row_list,
)
from simulator.physics.solver.rates import rate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints

ASIDE = 0.5
"""Contacts are set aside whose velocity is above its target by more than this part of the largest on their island."""


@compiled
def set_aside(B: Floats, C: Ints, island: int) -> None:
    """NEAR of an island: behind it come the rows of contacts that do not push and are far from their target at the
    rates NOW. All keep their order otherwise; for the next step they have to be in order
    again."""
    rows, begins = row_list(C, row_at.R_ROW), island_column(C, row_at.I_ROWS)
    first = rows + C[begins + island]
    last = rows + C[begins + island + 1]
    most = ASIDE * _fastest(B, C, first, last)
    place = first
    waiting = row_list(C, row_at.R_TO)
    aside = 0
    for i in range(first, last):
        r = C[i]
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        if _is_far(B, C, r - max(kind - row_at.NORMAL, 0), most):
            C[waiting + aside] = r
            aside += 1
        else:
            C[place] = r
            place += 1
    for i in range(aside):
        C[place + i] = C[waiting + i]
    C[island_column(C, row_at.I_NEAR) + island] = place - rows
    if aside > 0:
        C[row_at.ARRANGED] = -1


@compiled
def call_back(F: Floats, B: Floats, C: Ints, island: int, vector: int, enough: float) -> bool:
    """Whether any row that is set aside is below its target by more than `enough`; then none is any more."""
    _, near = near_rows(C, island)
    end = C[island_column(C, row_at.I_ROWS) + island + 1]
    missed = False
    for i in range(near, row_list(C, row_at.R_ROW) + end):
        r = C[i]
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL and _can_push(B, C, r):
            missed = missed or rate(F, B, C, r, vector) < B[of_row(C, row_at.B_TARGET, r)] - enough
    if missed:
        C[island_column(C, row_at.I_NEAR) + island] = end
    return missed


@compiled
def _can_push(B: Floats, C: Ints, r: int) -> bool:
    bounds = B[of_row(C, row_at.B_LOW, r)], B[of_row(C, row_at.B_HIGH, r)]
    return bool(bounds[0] < bounds[1] and B[of_row(C, row_at.B_RESPONSE, r)] > 0.0)


@compiled
def _fastest(B: Floats, C: Ints, first: int, last: int) -> float:
    """The largest rate that contacts of an island have or ask for."""
    fastest = 0.0
    for i in range(first, last):
        if C[int_of_row(C, row_at.C_KIND, C[i])] == row_at.NORMAL:
            fastest = max(fastest, abs(B[of_row(C, row_at.B_NOW, C[i])]), B[of_row(C, row_at.B_TARGET, C[i])])
    return fastest


@compiled
def _is_far(B: Floats, C: Ints, r: int, most: float) -> bool:
    """Whether row r is the normal of a contact that does not push and is above its target by more than `most`."""
    far = C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL and B[of_row(C, row_at.B_IMPULSE, r)] == 0.0
    far = far and B[of_row(C, row_at.B_NOW, r)] - B[of_row(C, row_at.B_TARGET, r)] > most
    if far and has_tangents(C, r):
        far = B[of_row(C, row_at.B_IMPULSE, r + 1)] == 0.0 and B[of_row(C, row_at.B_IMPULSE, r + 2)] == 0.0
    return bool(far)
