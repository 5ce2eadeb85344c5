"""Layout of bounded rows: two buffers beside those of the mechanism, B (float64) and C (int64), and four tables.

A bounded row brings a velocity J v to a target by an impulse between bounds: a motor, joint
friction, a stop, a speed limit, a contact and its friction. Rows are gathered anew each step, sparse, in the
independent coordinates.

Tables: `RI` (n, 2) and `RF` (n, 21) have one line for what an axis asks for: its kind and the code of the axis (a
freedom of the tree, or -1 - place of a loop axis), and the numbers of that kind. A servo of several axes has further
lines. `CI` (n, 7) and `CF` (n, 44) have one line for each contact point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Floats2, Ints, Vector
    from simulator.spatial.arrays import Array


# Kinds of rows; numbers in RF.
TO_VELOCITY = 0
"""(most effort, velocity)."""
TO_POSITION = 1
"""(most effort, position, top speed)."""
SERVO = 2
"""(most effort, effort without rates, stiffness, damping, rate to have at the start, and at the end, integral gain,
error at the start, factor of the axis)."""
HELD = 3
"""Damper and spring of a loop joint's axis in a step that is too long for them: as a servo of one axis whose rates are
0, its reference in the place of the factor. The most effort is 0 as long as they are left to the equations."""
MESH = 4
"""What a real coupling carries, along its play (half width, stiffness, damping, restitution), see `rows.meshes`."""
LOSS = 5
"""Its losses, along the rate of its input, and bounded by what the mesh in the line before carries (how fast the leader
is for a unit of that rate; then what `TABLE` lines say of the present speed: shares and efforts, see
`rows.meshes`)."""
FRICTION = 6
"""(most effort, that at rest, speed and exponent by which it falls to the first, what a brake adds now, and how many
times that while it sticks; what a bearing adds for each newton that it carries, see `rows.grips`); the second is 0
where it does not depend on the speed."""
SPEED = 7
"""(top speed)."""
LOWER = 8
"""(position)."""
UPPER = 9
"""(position)."""
NORMAL, TANGENT, SECOND_TANGENT, TWIST = 10, 11, 12, 13
FURTHER = 14
"""One more axis of the servo in the line before: no row of its own; only its factor counts."""
TABLE = 15
"""One more point of the losses before, no row either (speed of the leader, efficiency forward, backward, efforts at the
leader forward, backward)."""

GRIP = 16
"""What presses the faces of the clutch or brake of the line before, no row either (most effort for each unit of its
input, number of the profile of that)."""

CYCLE = 17
"""How the stiffness of the mesh before depends on the position of its input, behind the losses and their table, no row
either (period, 0 without; how far the leader is for a unit of that position; the stiffness now, see `rows.meshes`)."""
POINT_OF_CYCLE = 18
"""One point of that (position of the leader, stiffness)."""

KIND, CODE = 0, 1
"""Columns of RI."""
LIMIT, GOAL, TOP_SPEED = range(3)
"""Columns of RF: top speed of a speed limit, or position of a stop; velocity or position of a motor, and how fast it
may approach the position."""
MOST, EFFORT, STIFFNESS, DAMPING, RATE_NOW, RATE_THEN = range(6)
INTEGRAL, ERROR, FACTOR, REFERENCE, IMPULSE, PUSHED = 6, 7, 8, 8, 9, 10
JUMP = 5
JERK, SLOPE, LAST_EFFORT, LAST_CHANGE, RAMP_WORK, EXPECTED, RESPONSE, AXIS_COLUMNS = range(14, 22)
"""Columns of RF: numbers of a servo; factor of its axis, or reference of what is held; the impulse [N s or N m s] that
a row gave over the last step, and that part of it which is no impact; of motors, the impulse
that they took at the start of the step, and what `rows.ramps` knows."""

# Columns of CF.
POINT = 0
"""Contact point (3) [m], in the world."""
NORMAL_AT = 3
"""Normal (3), a unit vector towards the first body."""
GAP = 6
"""Gap [m], less than 0 where bodies overlap."""
MU = 7
"""Coefficient of friction; where friction has a direction, the larger of both."""
RESTITUTION = 8
TWISTING = 9
"""Moment about the normal that friction holds for each newton of the normal force [m]; 0 for none."""
SPIN = 10
"""How fast the sides spin for each newton metre of that moment [rad/s/(N m)]."""
THRESHOLD = 11
"""Approaching speed from which on the sides bounce [m/s]."""
STIFF = 12
"""Stiffness [N/m]; 0 where the contact is rigid."""
DAMPED = 13
"""Damping [N s/m]."""
CENTRE = 14
"""Centre of the rounding that touches (3) [m], or nan."""
CONTACT_IMPULSE = 17
"""Impulses of the last step (4): along the normal and both tangents of `midpoint_rows` [N s], and twist [N m s]."""
ACTED = 21
"""What of these (4) acted over the step, without impacts: the next step begins with it."""
AXIS = 25
"""Axis of the rim whose lowest point touches (3), or zeros. Where CENTRE is nan, both sides are points or straight
lines: direction of the first body's line (3), zeros for a point."""
OTHER_AXIS = 28
"""That of the second body (3)."""
ROUNDINGS = 31
"""Radii by which both sides are rounded (2) [m]; nan where unknown, or CURVED in the first."""
MOTION = 33
"""Velocity of the first body's point relative to the second's at the start of the step, along the normal and tangents
[m/s], and of its spin about the normal [rad/s] (4), where rows are those of the midpoint; else nan in the first."""
SLIP = 37
"""How fast the sides slip for each newton of friction along its direction, and across it (2) [m/s/N]."""
RATIO = 39
"""Friction across its direction, as a part of that along it: 0 to inf."""
DIRECTION = 40
"""Direction of friction (3), where it matters: a unit vector in the world; what is across the normal counts."""
LEAST = 43
"""Rate [m/s] below which an inactive contact needs rows; nan of an active one (`contacts.active_set`)."""
CONTACT_COLUMNS = 44
LOCKED = 1e-12
"""Part by which losses may be more than they are: what locks itself without a margin stands in spite of rounding."""
ROWS_OF_CONTACT = 4
"""Most rows, and impulses, of a contact."""
GIVEN = slice(TWISTING, DAMPED + 1)
"""Of CF: what few surfaces have."""
FEATURES = slice(AXIS, ROUNDINGS + 2)
"""Of CF: what touches, both axes and the roundings."""
CURVED = -1.0
"""As the first rounding: in the place of both axes there is how the point moves over its body, a symmetric matrix (xx,
yy, zz, xy, xz, yz) [m], when the normal turns."""

# Columns of CI.
FIRST = 0
"""Node of the first body; -1 for the world."""
SECOND = 1
"""Node of the second body."""
BODY = 2
"""Both bodies (2)."""
NAME = 4
"""Feature id, which the point keeps from step to step; -1 without one."""
OF_DIRECTION = 5
"""Node and body that carry the direction of friction (2)."""
CONTACT_INTS = 7

# The head of C.
COUNT = 0
"""Number of rows."""
ROW_ROOM = 1
"""Room for rows."""
ENTRY_ROOM = 2
"""Room for entries of J, and as many of X."""
SWEEPS = 3
"""Sweeps, or steps of Newton's method, of the last solve."""
BLOCKED = 4
"""A motor that cannot have its velocity: 1 + its line in RI where loops and couplings leave it no motion, or minus that
where others contradict it; 0 without one."""
WIDTH = 5
"""Number of independent coordinates."""
MATRIX_ROOM = 6
"""Room for entries of the matrices of islands."""
MATRIX_WANTED = 7
"""How much they want."""
ISLANDS = 8
"""Number of islands; 0 where all rows are solved together."""
LOOSE = 9
"""Whether all that moves are loose bodies, or some (`motion.loose`)."""
ARRANGED = 10
"""Number of rows when islands were found last; less than 0 where any has another kind or other columns since."""
ISLANDS_THEN = 11
"""Number of islands then."""
CLOSED = 12
"""Whether islands have entries of J of their own, made consistent with the loops (`closed_entries`)."""
MESHES = 13
"""Number of lines of real couplings."""
BEARINGS = 14
"""Number of lines of friction that follows from what a joint carries."""
C_HEAD = 15
B_COLUMNS = 27
C_COLUMNS = 5
# Columns of B and C, each as long as there is room for rows.
(
    B_LOW, B_HIGH, B_TARGET, B_RESPONSE, B_IMPULSE, B_RATE, B_GAP, B_ERROR, B_DIRECTION, B_CHANGE, B_SOFT, B_NEW,
    B_TURN, B_CENTRE, B_NOW, B_AHEAD, B_BOUNCE, B_BEST, B_DRIFT, B_ASKED,
    B_MOST, B_SHARE, B_SHARE_BACK, B_DRAG, B_DRAG_BACK, B_TURNS, B_PASSES,
) = range(B_COLUMNS)  # fmt: skip
C_KIND, C_LINE, C_JEND, C_XEND, C_FREE = range(C_COLUMNS)
# Of islands, behind all entries: columns of C as long as there are coordinates, and one more …
(
    I_POSITION, I_ORDER, I_FIRST, I_LAST, I_OFFSET, I_BLOCK, I_ISLAND, I_HEAD, I_LINK, I_COORDINATES, I_ROWS, I_ASLEEP,
    I_STORED, I_BEGIN, I_NOW_FIRST, I_NOW_LAST,
) = range(16)  # fmt: skip
ISLAND_COLUMNS = 16
# … and as long as there is room for rows: rows by island, and edges between blocks (two each row).
R_ROW, R_NEXT, R_TO = 0, 1, 3
ROW_LISTS = 5
# SOFT: a row asks for J v + SOFT times its impulse = target; 0 for all but servos, friction that yields, and contacts
# that do. ASKED: the target of a motor without an effort limit before it gives way, and of a contact that does not
# bounce (`giving_way`). MOST: the largest rate that a mesh may have, of which TARGET is the least; the
# most effort of a motor or of friction, inf of a motor without a limit.
# Of losses, SHARE and SHARE_BACK: how much of what the mesh carries they take where power flows forward or backward,
# DRAG and DRAG_BACK: impulse that they take beside it, TURNS: the part of the step after which the motion is the other
# way, where it turns in it, PASSES: how much of what the mesh carries is there at their input.


def make_room(rows: int, entries: int, width: int = 0, matrix: int = 0) -> tuple[Array, NDArray[np.int64]]:
    """B and C for that many rows and entries of J (as many of X, and of J in which loops are closed); for islands
    of `width` coordinates, with `matrix` entries in all."""
    B = np.zeros(B_COLUMNS * rows + 3 * entries + 3 * width + 2 * matrix)
    lists = ISLAND_COLUMNS * (width + 1) + ROW_LISTS * rows
    C = np.zeros(C_HEAD + C_COLUMNS * rows + 3 * entries + lists, dtype=np.int64)
    C[ROW_ROOM] = rows
    C[ENTRY_ROOM] = entries
    C[WIDTH] = width
    C[MATRIX_ROOM] = matrix
    return B, C


@compiled
def island_column(C: Ints, column: int) -> int:
    """Where in C a column over coordinates begins."""
    return C_HEAD + C_COLUMNS * C[ROW_ROOM] + 3 * C[ENTRY_ROOM] + column * (C[WIDTH] + 1)


@compiled
def row_list(C: Ints, column: int) -> int:
    """Where in C a list over rows begins."""
    return island_column(C, ISLAND_COLUMNS) + column * C[ROW_ROOM]


@compiled
def island_numbers(C: Ints) -> tuple[int, int]:
    """Where in B the vector over positions begins, and the matrices."""
    vector = B_COLUMNS * C[ROW_ROOM] + 2 * C[ENTRY_ROOM]
    return vector, vector + C[WIDTH]


@compiled
def unmoved(C: Ints) -> int:
    """Where in B the vector over coordinates begins that is what F's was without impulses."""
    return B_COLUMNS * C[ROW_ROOM] + 2 * C[ENTRY_ROOM] + C[WIDTH] + C[MATRIX_ROOM]


@compiled
def island_masses(C: Ints) -> int:
    """Where in B the mass matrices of islands begin, laid out as the matrices are."""
    return unmoved(C) + C[WIDTH]


@compiled
def closed_entries(C: Ints) -> int:
    """Index in B of the first entry of J made consistent with the loops, of as many as J has."""
    return island_masses(C) + C[MATRIX_ROOM]


@compiled
def unpushed(C: Ints) -> int:
    """Where in B the vector over coordinates begins that `giving_way` keeps."""
    return B_COLUMNS * C[ROW_ROOM] + 3 * C[ENTRY_ROOM] + 2 * C[WIDTH] + 2 * C[MATRIX_ROOM]


@compiled
def of_row(C: Ints, column: int, row: int) -> int:
    """Index in B of a row's number."""
    return column * C[ROW_ROOM] + row


@compiled
def int_of_row(C: Ints, column: int, row: int) -> int:
    """Index in C of a row's integer."""
    return C_HEAD + column * C[ROW_ROOM] + row


@compiled
def j_entries(C: Ints) -> tuple[int, int]:
    """(index in B, index in C) of the first entry of J: values and columns."""
    return B_COLUMNS * C[ROW_ROOM], C_HEAD + C_COLUMNS * C[ROW_ROOM]


@compiled
def x_entries(C: Ints) -> tuple[int, int]:
    """(index in B, index in C) of the first entry of X = H^-1 J^T, made consistent with the loops."""
    return B_COLUMNS * C[ROW_ROOM] + C[ENTRY_ROOM], C_HEAD + C_COLUMNS * C[ROW_ROOM] + C[ENTRY_ROOM]


@compiled
def j_positions(C: Ints) -> int:
    """Index in C of the first position of an entry of J in its island; they are as many as entries of J."""
    return C_HEAD + C_COLUMNS * C[ROW_ROOM] + 2 * C[ENTRY_ROOM]


@compiled
def point_of(CF: Floats2, c: int) -> Vector:
    """The point of contact c, in the world."""
    return CF[c, POINT], CF[c, POINT + 1], CF[c, POINT + 2]


@compiled
def normal_of(CF: Floats2, c: int) -> Vector:
    """The normal of contact c, towards the first body."""
    return CF[c, NORMAL_AT], CF[c, NORMAL_AT + 1], CF[c, NORMAL_AT + 2]
