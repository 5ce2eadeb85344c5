"""Where bounded rows stand: two buffers beside those of the mechanism, B (float64) and C (int64), and four tables.

A bounded row asks the velocity J v of something to reach a target by an impulse between bounds: a motor, joint friction, a stop, a speed
limit, a contact and its friction. Rows are gathered anew each step, sparse, in the independent coordinates.

Tables: `RI` (n, 2) and `RF` (n, 8) hold what axes ask for, one line each: kind and axis code (a freedom of the tree, or -1 - place of
a loop axis), then the kind's numbers and, in the last column, the impulse that came of it. A servo of several axes has further lines.
`CI` (n, 2) and `CF` (n, 16) hold contact points: the nodes of both bodies (-1: the world); point (3), normal (3) towards the first body,
gap, friction coefficient, restitution, centre of the rounding (3) or nan; and what comes of it: the impulses (normal, two tangents), and
how the gap bends (`bending`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.dynamics.jit import inlined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Kinds of rows; numbers in RF.
TO_VELOCITY = 0
"""(most effort, velocity)."""
TO_POSITION = 1
"""(most effort, position, top speed)."""
SERVO = 2
"""(most effort, effort without rates, stiffness, damping, rate to have at the start, and at the end, factor of the axis)."""
HELD = 3
"""Damper and spring of a loop joint's axis in a step that is too long for them: as a servo of one axis whose rates are 0, its reference in
the place of the factor. The most effort is 0 as long as they are left to the equations."""
FRICTION = 4
"""(most effort)."""
SPEED = 5
"""(top speed)."""
LOWER = 6
"""(position)."""
UPPER = 7
"""(position)."""
NORMAL, TANGENT, SECOND_TANGENT = 8, 9, 10
FURTHER = 11
"""One more axis of the servo in the line before: no row of its own; only its factor counts."""

MOST, EFFORT, STIFFNESS, DAMPING = 0, 1, 2, 3
FACTOR, REFERENCE, IMPULSE, AXIS_COLUMNS = 6, 6, 7, 8
"""Columns of RF: numbers of a servo; factor of its axis, or reference of what is held; the impulse [N s or N m s] that a row gave over the
last step."""
POINT, NORMAL_AT, GAP, MU, RESTITUTION, CENTRE, CONTACT_IMPULSE, BENDING, CONTACT_COLUMNS = 0, 3, 6, 7, 8, 9, 12, 15, 16

# The head of C.
COUNT, ROW_ROOM, ENTRY_ROOM, SWEEPS, BLOCKED = range(5)
"""Rows; room for rows and for entries of J; sweeps of the last solve; 1 + line in RI of a motor that loops and couplings leave no motion,
or minus that of one which others contradict."""
C_HEAD = 8
B_COLUMNS = 11
C_COLUMNS = 5
# Columns of B and C, each as long as there is room for rows.
B_LOW, B_HIGH, B_TARGET, B_WEIGHT, B_IMPULSE, B_RATE, B_GAP, B_ERROR, B_WAY, B_CHANGE, B_SOFT = range(B_COLUMNS)
C_KIND, C_LINE, C_JEND, C_XEND, C_FREE = range(C_COLUMNS)
# SOFT: a row asks for J v + SOFT times its impulse = target; 0 for all but servos.


def make_room(rows: int, entries: int) -> tuple[Array, Ints]:
    """B and C for that many rows and entries of J (as many of X)."""
    B = np.zeros(B_COLUMNS * rows + 2 * entries)
    C = np.zeros(C_HEAD + C_COLUMNS * rows + 2 * entries, dtype=np.int64)
    C[ROW_ROOM], C[ENTRY_ROOM] = rows, entries
    return B, C


@inlined
def of_row(C: Any, column: int, row: int) -> Any:
    """Index in B of a row's number."""
    return column * C[ROW_ROOM] + row


@inlined
def int_of_row(C: Any, column: int, row: int) -> Any:
    """Index in C of a row's integer."""
    return C_HEAD + column * C[ROW_ROOM] + row


@inlined
def j_entries(C: Any) -> Any:
    """(index in B, index in C) of the first entry of J: values and columns."""
    return B_COLUMNS * C[ROW_ROOM], C_HEAD + C_COLUMNS * C[ROW_ROOM]


@inlined
def x_entries(C: Any) -> Any:
    """(index in B, index in C) of the first entry of X = H^-1 J^T, made consistent with the loops."""
    return B_COLUMNS * C[ROW_ROOM] + C[ENTRY_ROOM], C_HEAD + C_COLUMNS * C[ROW_ROOM] + C[ENTRY_ROOM]


@inlined
def j_begin(C: Any, row: int) -> Any:
    """Which entry of J is a row's first; C_JEND says where it ends."""
    return C[int_of_row(C, C_JEND, row - 1)] if row else 0


@inlined
def x_begin(C: Any, row: int) -> Any:
    """As `j_begin`, of X and C_XEND."""
    return C[int_of_row(C, C_XEND, row - 1)] if row else 0


@inlined
def ask_of_row(B: Any, C: Any, row: int, low: float, high: float, target: float) -> None:
    """Bounds and target of a row."""
    B[of_row(C, B_LOW, row)], B[of_row(C, B_HIGH, row)], B[of_row(C, B_TARGET, row)] = low, high, target


def dense_rows(B: Array, C: Ints, rows: Sequence[int], width: int) -> tuple[Array, Array]:
    """J and X of some rows in full, shape (len(rows), width) each."""
    J, X = np.zeros((len(rows), width)), np.zeros((len(rows), width))
    for full, (values, columns), begin, end in ((J, j_entries(C), j_begin, C_JEND), (X, x_entries(C), x_begin, C_XEND)):
        for place, row in enumerate(rows):
            first, last = int(begin(C, row)), int(C[int_of_row(C, end, row)])
            full[place, C[columns + first : columns + last]] = B[values + first : values + last]
    return J, X
