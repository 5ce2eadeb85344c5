"""Speed limits of axes that motors drive: as long as the motor can, it keeps the axis within its limit.

Both rows have the same direction, so that sweeps leave it open which of them pushes. A speed limit that was passed
while rows had not settled would continue to push against the motor, and the others that the motor holds would not
settle either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import j_begin

if TYPE_CHECKING:
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def leave_to_motors(bounded: BoundedRows) -> None:
    """Motors take over what speed limits of their axes push with, as far as they can; nothing moves otherwise."""
    for r in range(bounded.sizes[row_at.COUNT]):
        if bounded.kind[r] == row_at.SPEED and bounded.impulse[r] != 0.0:
            motor = _motor_along(bounded, r)
            if motor >= 0:
                low, high = bounded.low[motor], bounded.high[motor]
                taken = min(max(bounded.impulse[motor] + bounded.impulse[r], low), high) - bounded.impulse[motor]
                bounded.impulse[motor] += taken
                bounded.impulse[r] -= taken


@compiled
def _motor_along(bounded: BoundedRows, r: int) -> int:
    """The row of a motor with the direction of row r; -1 where there is none."""
    for q in range(r):
        if bounded.kind[q] > row_at.TO_POSITION:
            break
        if _is_along(bounded, q, r):
            return q
    return -1


@compiled
def _is_along(bounded: BoundedRows, q: int, r: int) -> bool:
    """Whether two rows have the same J."""
    first = j_begin(bounded, q)
    second = j_begin(bounded, r)
    count = bounded.J_end[q] - j_begin(bounded, q)
    same = bounded.J_end[r] - second == count
    for t in range(count if same else 0):
        same = same and bounded.J_column[first + t] == bounded.J_column[second + t]
        same = same and bounded.J[first + t] == bounded.J[second + t]
    return same
