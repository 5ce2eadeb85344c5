"""Speed limits of axes that motors drive: as long as the motor can, it keeps the axis within its limit.

Both rows have the same direction, so that sweeps leave it open which of them pushes. A speed limit that was passed
while rows had not settled would go on pushing against the motor, and the others that the motor holds would not settle
either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import int_of_row, j_begin, j_entries, of_row

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints


@compiled
def leave_to_motors(B: Floats, C: Ints) -> None:
    """Motors take over what speed limits of their axes push with, as far as they can; nothing moves otherwise."""
    for r in range(C[row_at.COUNT]):
        place = of_row(C, row_at.B_IMPULSE, r)
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.SPEED and B[place] != 0.0:
            motor = _motor_along(B, C, r)
            if motor >= 0:
                low, high = B[of_row(C, row_at.B_LOW, motor)], B[of_row(C, row_at.B_HIGH, motor)]
                given = of_row(C, row_at.B_IMPULSE, motor)
                taken = min(max(B[given] + B[place], low), high) - B[given]
                B[given] += taken
                B[place] -= taken


@compiled
def _motor_along(B: Floats, C: Ints, r: int) -> int:
    """The row of a motor with the direction of row r; -1 where there is none."""
    for q in range(r):
        if C[int_of_row(C, row_at.C_KIND, q)] > row_at.TO_POSITION:
            break
        if _is_along(B, C, q, r):
            return q
    return -1


@compiled
def _is_along(B: Floats, C: Ints, q: int, r: int) -> bool:
    """Whether two rows have the same J."""
    values, columns = j_entries(C)
    first = j_begin(C, q)
    second = j_begin(C, r)
    count = C[int_of_row(C, row_at.C_JEND, q)] - j_begin(C, q)
    same = C[int_of_row(C, row_at.C_JEND, r)] - second == count
    for t in range(count if same else 0):
        same = same and C[columns + first + t] == C[columns + second + t]
        same = same and B[values + first + t] == B[values + second + t]
    return same
