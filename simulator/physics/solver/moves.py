"""The motion that impulses of bounded rows give to an island."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    has_tangents,
    int_of_row,
    island_column,
    leads,
    near_rows,
    of_row,
    unmoved,
)
from simulator.physics.solver.rates import push, push_all

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints


@compiled
def move_island(F: Floats, B: Floats, C: Ints, island: int, vector: int) -> None:
    """The vector on an island = what it is without impulses, and what they make of it: anew each time, so that what
    large impulses leave by rounding is not kept."""
    order = island_column(C, row_at.I_ORDER)
    start = unmoved(C)
    places = island_column(C, row_at.I_COORDINATES)
    for p in range(C[places + island], C[places + island + 1]):
        F[vector + C[order + p]] = B[start + C[order + p]]
    first, last = near_rows(C, island)
    for i in range(first, last):
        r = C[i]
        impulse, kind = B[of_row(C, row_at.B_IMPULSE, r)], C[int_of_row(C, row_at.C_KIND, r)]
        if kind < row_at.TANGENT and has_tangents(C, r):
            beside = B[of_row(C, row_at.B_IMPULSE, r + 1)], B[of_row(C, row_at.B_IMPULSE, r + 2)]
            if impulse != 0.0 or beside[0] != 0.0 or beside[1] != 0.0:
                push_all(F, B, C, r, vector, (impulse, beside[0], beside[1]))
        elif leads(kind) and impulse != 0.0:
            push(F, B, C, r, vector, impulse)


@compiled
def size_of_island(B: Floats, C: Ints, first: int, last: int, scale: float) -> float:
    """What velocities are sums of: `scale`, or the largest that an impulse makes by itself. Their rounding is in
    proportion to it."""
    size = scale
    for i in range(first, last):
        size = max(size, abs(B[of_row(C, row_at.B_RESPONSE, C[i])] * B[of_row(C, row_at.B_IMPULSE, C[i])]))
    return size
