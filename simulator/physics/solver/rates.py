"""What rates bounded rows have for a vector of velocities, and what impulses make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, j_begin, leads, rows_of_island, three, x_begin

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def rate(bounded: BoundedRows, r: int, vector: Floats) -> float:
    """J v of a row for a vector."""
    total = 0.0
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        total += bounded.J[t] * vector[bounded.J_column[t]]
    return total


@compiled
def size_of_rate(bounded: BoundedRows, r: int, vector: Floats) -> float:
    """Sum of the magnitudes of all terms of `rate`: what its rounding is a part of."""
    size = 0.0
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        size += abs(bounded.J[t] * vector[bounded.J_column[t]])
    return size


@compiled
def rates(bounded: BoundedRows, r: int, vector: Floats) -> Vector:
    """`rate` of the three rows of a contact that begin with r."""
    begin = j_begin(bounded, r)
    x = 0.0
    y = 0.0
    z = 0.0
    count = bounded.J_end[r] - begin
    # Slices, for of their indices the compiler sees that none is negative.
    first, second, third = three(bounded.J, begin, count)
    columns = bounded.J_column[begin : begin + count]
    for t in range(count):
        v = vector[columns[t]]
        x = x + first[t] * v
        y = y + second[t] * v
        z = z + third[t] * v
    return x, y, z


@compiled
def rate_from(bounded: BoundedRows, r: int, vector: Floats, column: Floats) -> int:
    """Of a column, the rate of row r, or of all three rows of the contact that begin with it; returns how many these
    are."""
    if has_tangents(bounded, r):
        x, y, z = rates(bounded, r, vector)
        column[r] = x
        column[r + 1] = y
        column[r + 2] = z
        return 3
    column[r] = rate(bounded, r, vector)
    return 1


@compiled
def rate_rows(bounded: BoundedRows, vector: Floats, column: Floats) -> None:
    """Of a column, the rates of all rows."""
    r = begin = 0
    while r < bounded.gathered[0] and bounded.kind[r] < row_at.NORMAL:
        total = 0.0
        for t in range(begin, bounded.J_end[r]):
            total += bounded.J[t] * vector[bounded.J_column[t]]
        column[r] = total
        begin = bounded.J_end[r]
        r += 1
    while r < bounded.gathered[0]:
        r += rate_from(bounded, r, vector, column)


@compiled
def push(bounded: BoundedRows, r: int, vector: Floats, impulse: float) -> None:
    """v += X impulse."""
    for t in range(x_begin(bounded, r), bounded.X_end[r]):
        vector[bounded.X_column[t]] += bounded.X[t] * impulse


@compiled
def push_all(bounded: BoundedRows, r: int, vector: Floats, impulses: Vector) -> None:
    """`push` of the three rows of a contact that begin with r."""
    begin = x_begin(bounded, r)
    (x, y, z) = impulses
    count = bounded.X_end[r] - begin
    first, second, third = three(bounded.X, begin, count)
    columns = bounded.X_column[begin : begin + count]
    for t in range(count):
        vector[columns[t]] += x * first[t] + y * second[t] + z * third[t]


@compiled
def add_transposed(bounded: BoundedRows, r: int, vector: Floats, factor: float) -> None:
    """f += J^T factor."""
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        vector[bounded.J_column[t]] += bounded.J[t] * factor


# -- of islands --------------------------------------------------------------------------------------------------------


@compiled
def move_island(bounded: BoundedRows, island: int, vector: Floats) -> None:
    """The vector on an island = what it is without impulses, and what they make of it: anew each time, so that what
    large impulses leave by rounding is not kept."""
    for p in range(bounded.coordinates[island], bounded.coordinates[island + 1]):
        a = bounded.order[p]
        vector[a] = bounded.unmoved[a]
    first, last = rows_of_island(bounded, island)
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
