"""The motion that impulses of bounded rows give to an island."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, leads, near_rows
from simulator.physics.solver.rates import push, push_all

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def move_island(bounded: BoundedRows, island: int, vector: Floats) -> None:
    """The vector on an island = what it is without impulses, and what they make of it: anew each time, so that what
    large impulses leave by rounding is not kept."""
    for p in range(bounded.coordinates[island], bounded.coordinates[island + 1]):
        a = bounded.order[p]
        vector[a] = bounded.unmoved[a]
    first, last = near_rows(bounded, island)
    for i in range(first, last):
        r = bounded.row[i]
        impulse, kind = bounded.impulse[r], bounded.kind[r]
        if kind < row_at.TANGENT and has_tangents(bounded, r):
            beside = bounded.impulse[r + 1], bounded.impulse[r + 2]
            if impulse != 0.0 or beside[0] != 0.0 or beside[1] != 0.0:
                push_all(bounded, r, vector, (impulse, beside[0], beside[1]))
        elif leads(kind) and impulse != 0.0:
            push(bounded, r, vector, impulse)


@compiled
def size_of_island(bounded: BoundedRows, first: int, last: int, scale: float) -> float:
    """What velocities are sums of: `scale`, or the largest that an impulse makes by itself. Their rounding is in
    proportion to it."""
    size = scale
    for i in range(first, last):
        size = max(size, abs(bounded.response[bounded.row[i]] * bounded.impulse[bounded.row[i]]))
    return size
