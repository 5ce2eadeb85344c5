"""What rates bounded rows have for a vector of velocities, and what impulses make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    has_tangents,
    int_of_row,
    j_begin,
    j_entries,
    of_row,
    x_begin,
    x_entries,
)

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector


@compiled
def rate(F: Floats, B: Floats, C: Ints, r: int, vector: int) -> float:
    """J v of a row for the vector in F."""
    jb, jc = j_entries(C)
    total = 0.0
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        total += B[jb + t] * F[vector + C[jc + t]]
    return total


@compiled
def rates(F: Floats, B: Floats, C: Ints, r: int, vector: int) -> Vector:
    """`rate` of the three rows of a contact that begin with r."""
    (jb, jc) = j_entries(C)
    begin = j_begin(C, r)
    x = 0.0
    y = 0.0
    z = 0.0
    count = C[int_of_row(C, row_at.C_JEND, r)] - begin
    J = jb + begin
    places = jc + begin
    # Slices, for of their indices the compiler sees that none is negative.
    first, second, third = three(B, J, count)
    columns = C[places : places + count]
    for t in range(count):
        v = F[vector + columns[t]]
        x = x + first[t] * v
        y = y + second[t] * v
        z = z + third[t] * v
    return x, y, z


@compiled
def three(B: Floats, begin: int, count: int) -> tuple[Floats, Floats, Floats]:
    """Three runs of B that follow each other."""
    end = begin + count
    last = begin + 2 * count
    return B[begin:end], B[end:last], B[last : last + count]


@compiled
def rate_from(F: Floats, B: Floats, C: Ints, r: int, vector: int, column: int) -> int:
    """A column of B = the rate of row r, or of all three rows of the contact that begin with it; returns how many these
    are."""
    if has_tangents(C, r):
        x, y, z = rates(F, B, C, r, vector)
        B[of_row(C, column, r)] = x
        B[of_row(C, column, r + 1)] = y
        B[of_row(C, column, r + 2)] = z
        return 3
    B[of_row(C, column, r)] = rate(F, B, C, r, vector)
    return 1


@compiled
def rate_rows(F: Floats, B: Floats, C: Ints, vector: int, column: int) -> None:
    """A column of B = the rates of all rows."""
    r = 0
    while r < C[row_at.COUNT]:
        r += rate_from(F, B, C, r, vector, column)


@compiled
def push(F: Floats, B: Floats, C: Ints, r: int, vector: int, impulse: float) -> None:
    """v += X impulse."""
    xb, xc = x_entries(C)
    for t in range(x_begin(C, r), C[int_of_row(C, row_at.C_XEND, r)]):
        F[vector + C[xc + t]] += B[xb + t] * impulse


@compiled
def push_all(F: Floats, B: Floats, C: Ints, r: int, vector: int, impulses: Vector) -> None:
    """`push` of the three rows of a contact that begin with r."""
    (xb, xc) = x_entries(C)
    begin = x_begin(C, r)
    (x, y, z) = impulses
    count = C[int_of_row(C, row_at.C_XEND, r)] - begin
    X = xb + begin
    places = xc + begin
    first, second, third = three(B, X, count)
    columns = C[places : places + count]
    for t in range(count):
        F[vector + columns[t]] += x * first[t] + y * second[t] + z * third[t]


@compiled
def add_transposed(F: Floats, B: Floats, C: Ints, r: int, vector: int, factor: float) -> None:
    """f += J^T factor."""
    jb, jc = j_entries(C)
    for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
        F[vector + C[jc + t]] += B[jb + t] * factor
