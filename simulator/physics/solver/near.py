"""Rows of an island that need not be solved for.

Most contact points that are looked at are too far apart to touch in the step: only a velocity much larger than any
could bring their sides together. They are set aside, the others are solved for, and if what comes of that would bring
any of them too near, all are solved for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, near_rows
from simulator.physics.solver.rates import rate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.layout.bounded import BoundedRows

ASIDE = 0.5
"""Contacts are set aside whose velocity is above its target by more than this part of the largest on their island."""


@compiled
def set_aside(bounded: BoundedRows, island: int) -> None:
    """NEAR of an island: behind it come the rows of contacts that do not push and are far from their target at the
    rates NOW. All keep their order otherwise; for the next step they have to be in order
    again."""
    first = bounded.rows_begin[island]
    last = bounded.rows_begin[island + 1]
    most = ASIDE * _fastest(bounded, first, last)
    place = first
    aside = 0
    for i in range(first, last):
        r = bounded.row[i]
        kind = bounded.kind[r]
        if _is_far(bounded, r - max(kind - row_at.NORMAL, 0), most):
            bounded.to[aside] = r
            aside += 1
        else:
            bounded.row[place] = r
            place += 1
    for i in range(aside):
        bounded.row[place + i] = bounded.to[i]
    bounded.near_end[island] = place
    if aside > 0:
        bounded.sizes[row_at.ARRANGED] = -1


@compiled
def call_back(bounded: BoundedRows, island: int, vector: Floats, enough: float) -> bool:
    """Whether any row that is set aside is below its target by more than `enough`; then none is any more."""
    _, near = near_rows(bounded, island)
    end = bounded.rows_begin[island + 1]
    missed = False
    for i in range(near, end):
        r = bounded.row[i]
        if bounded.kind[r] == row_at.NORMAL and _can_push(bounded, r):
            missed = missed or rate(bounded, r, vector) < bounded.target[r] - enough
    if missed:
        bounded.near_end[island] = end
    return missed


@compiled
def _can_push(bounded: BoundedRows, r: int) -> bool:
    bounds = bounded.low[r], bounded.high[r]
    return bool(bounds[0] < bounds[1] and bounded.response[r] > 0.0)


@compiled
def _fastest(bounded: BoundedRows, first: int, last: int) -> float:
    """The largest rate that contacts of an island have or ask for."""
    fastest = 0.0
    for i in range(first, last):
        if bounded.kind[bounded.row[i]] == row_at.NORMAL:
            fastest = max(fastest, abs(bounded.now[bounded.row[i]]), bounded.target[bounded.row[i]])
    return fastest


@compiled
def _is_far(bounded: BoundedRows, r: int, most: float) -> bool:
    """Whether row r is the normal of a contact that does not push and is above its target by more than `most`."""
    far = bounded.kind[r] == row_at.NORMAL and bounded.impulse[r] == 0.0
    far = far and bounded.now[r] - bounded.target[r] > most
    if far and has_tangents(bounded, r):
        far = bounded.impulse[r + 1] == 0.0 and bounded.impulse[r + 2] == 0.0
    return bool(far)
