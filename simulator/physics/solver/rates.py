"""What rates bounded rows have for a vector of velocities, and what impulses make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, j_begin, three, x_begin

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def rate(F: Floats, bounded: BoundedRows, r: int, vector: int) -> float:
    """J v of a row for the vector in F."""
    total = 0.0
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        total += bounded.J[t] * F[vector + bounded.J_column[t]]
    return total


@compiled
def rates(F: Floats, bounded: BoundedRows, r: int, vector: int) -> Vector:
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
        v = F[vector + columns[t]]
        x = x + first[t] * v
        y = y + second[t] * v
        z = z + third[t] * v
    return x, y, z


@compiled
def rate_from(F: Floats, bounded: BoundedRows, r: int, vector: int, column: Floats) -> int:
    """Of a column, the rate of row r, or of all three rows of the contact that begin with it; returns how many these
    are."""
    if has_tangents(bounded, r):
        x, y, z = rates(F, bounded, r, vector)
        column[r] = x
        column[r + 1] = y
        column[r + 2] = z
        return 3
    column[r] = rate(F, bounded, r, vector)
    return 1


@compiled
def rate_rows(F: Floats, bounded: BoundedRows, vector: int, column: Floats) -> None:
    """Of a column, the rates of all rows."""
    r = 0
    while r < bounded.sizes[row_at.COUNT]:
        r += rate_from(F, bounded, r, vector, column)


@compiled
def push(F: Floats, bounded: BoundedRows, r: int, vector: int, impulse: float) -> None:
    """v += X impulse."""
    for t in range(x_begin(bounded, r), bounded.X_end[r]):
        F[vector + bounded.X_column[t]] += bounded.X[t] * impulse


@compiled
def push_all(F: Floats, bounded: BoundedRows, r: int, vector: int, impulses: Vector) -> None:
    """`push` of the three rows of a contact that begin with r."""
    begin = x_begin(bounded, r)
    (x, y, z) = impulses
    count = bounded.X_end[r] - begin
    first, second, third = three(bounded.X, begin, count)
    columns = bounded.X_column[begin : begin + count]
    for t in range(count):
        F[vector + columns[t]] += x * first[t] + y * second[t] + z * third[t]


@compiled
def add_transposed(F: Floats, bounded: BoundedRows, r: int, vector: int, factor: float) -> None:
    """f += J^T factor."""
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        F[vector + bounded.J_column[t]] += bounded.J[t] * factor
