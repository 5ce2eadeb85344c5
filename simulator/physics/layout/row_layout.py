"""Where bounded rows stand: two buffers beside those of the mechanism, B (float64) and C (int64), and four tables.

A bounded row asks the velocity J v of something to reach a target by an impulse between bounds: a motor, joint
friction, a stop, a speed limit, a contact and its friction. Rows are gathered anew each step, sparse, in the
independent coordinates.

Tables: `RI` (n, 2) and `RF` (n, 14) hold what axes ask for, one line each: kind and axis code (a freedom of the tree,
or -1 - place of a loop axis), then the kind's numbers and, in the last columns, the impulse that came of it, and what
of it acted over the step. A servo of several axes has further lines. `CI` (n, 7) and `CF` (n, 45) hold contact points:
the nodes of both bodies (-1: the world), the bodies, and a name that the point keeps from step to step (-1: none);
point (3), normal (3) towards the first body, gap, friction coefficient, restitution; what few surfaces have (`GIVEN`):
the moment about the normal that friction holds for each newton of the normal force [m], 0 for none, how fast the sides
spin for each newton metre of it [rad/s/(N m)], the velocity from which on they bounce [m/s], stiffness [N/m], 0 where
the contact is rigid, and damping [N s/m]; centre of the rounding (3) or nan; and what comes of it: the impulses
(normal, two tangents: of rows, see `contacts.axes`; twist), the second derivative of the gap (`gap_curvature`), and
what of the impulses acted over the step, without impacts: with it the next step begins. Then the axis (3) of a rim
whose lowest point it is, or zeros. Where the centre is nan, either side is a point or a straight line, and rounded:
directions of the lines (3 and 3), zeros for points, and the two roundings, nan where nobody knows. Then the velocity
of the first body's point against the second's at the start of the step, along normal and tangents, and of its spin
about the normal, where rows are those of its middle (`midway`), else nan in the first. Then how fast the sides slip
for each newton of friction along its direction and across it [m/s/N], and what friction has across, as a part of what
it has along (0 to inf). Where these are not the same, the direction (3, a unit vector in the world, of which counts
what is across the normal); the friction coefficient is the larger of both, and CI ends with the node and the body that
carry the direction. At last the rate below which a contact that is left out needs rows (`contacts.far`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Floats, Floats2, Ints

    Array = NDArray[np.float64]

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
"""(most effort)."""
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

MOST, EFFORT, STIFFNESS, DAMPING, RATE_NOW, RATE_THEN = range(6)
INTEGRAL, ERROR, FACTOR, REFERENCE, IMPULSE, PUSHED, AXIS_COLUMNS = 6, 7, 8, 8, 9, 10, 14
"""Columns of RF: numbers of a servo; factor of its axis, or reference of what is held; the impulse [N s or N m s] that
a row gave over the last step, and that part of it which is no impact."""
(
    POINT, NORMAL_AT, GAP, MU, RESTITUTION, TWISTING, SPIN, THRESHOLD, STIFF, DAMPED, CENTRE, CONTACT_IMPULSE,
    CURVATURE, ACTED, AXIS, OTHER_AXIS, ROUNDINGS, MOTION, SLIP, RATIO, DIRECTION, LEAST, CONTACT_COLUMNS,
) = (0, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 21, 22, 26, 29, 32, 34, 38, 40, 41, 44, 45)  # fmt: skip
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
BODY, NAME, OF_DIRECTION, CONTACT_INTS = 2, 4, 5, 7
"""Columns of CI behind the nodes."""

# The head of C.
(
    COUNT, ROW_ROOM, ENTRY_ROOM, SWEEPS, BLOCKED, WIDTH, MATRIX_ROOM, MATRIX_WANTED, ISLANDS, LOOSE, CHANGED, BLOCKS,
    YIELDS, LEFT_OUT, ARRANGED, ISLANDS_THEN, GIVES, CLOSED, MESHES,
    ONE_AT_A_TIME,
) = range(20)  # fmt: skip
"""Rows; room for rows and for entries of J; sweeps of the last solve; 1 + line in RI of a motor that loops and
couplings leave no motion, or minus that of one which others contradict; independent coordinates; room for entries of
the matrices of islands, and how much they want; how many islands there are; whether all that moves are loose bodies
(`motion.loose`); whether a step of Newton's method finds another matrix than the one before; whether blocks of
coordinates are known; whether friction of any contact lets it slip in proportion to its force; how many contacts have
no rows for they are too far apart (`contacts.far`); how many rows there were when islands were found last, less than 0
where any has another kind or other columns since, and how many islands they were; whether any
contact gives way (`rows.soft`); whether rows have entries for islands of their own, in which loops are closed
(`closed_entries`); how many lines of meshes there are; of losses that are to do something else than they did, how many
do so: all (0), or one (1), and 2 when it has (`solver.pivots`)."""
C_HEAD = 20
B_COLUMNS = 26
C_COLUMNS = 5
# Columns of B and C, each as long as there is room for rows.
(
    B_LOW, B_HIGH, B_TARGET, B_RESPONSE, B_IMPULSE, B_RATE, B_GAP, B_ERROR, B_DIRECTION, B_CHANGE, B_SOFT, B_NEW,
    B_TURN, B_CENTRE, B_NOW, B_AHEAD, B_BOUNCE, B_BEST, B_DRIFT, B_ASKED,
    B_MOST, B_SHARE, B_SHARE_BACK, B_DRAG, B_DRAG_BACK, B_TURNS,
) = range(B_COLUMNS)  # fmt: skip
C_KIND, C_LINE, C_JEND, C_XEND, C_FREE = range(C_COLUMNS)
# Of islands, behind all entries: columns of C as long as there are coordinates, and one more …
(
    I_POSITION, I_ORDER, I_FIRST, I_LAST, I_OFFSET, I_BLOCK, I_ISLAND, I_HEAD, I_LINK, I_COORDINATES, I_ROWS, I_RESTS,
    I_STORED, I_BEGIN, I_NOW_FIRST, I_NOW_LAST, I_NEAR,
) = range(17)  # fmt: skip
ISLAND_COLUMNS = 17
# … and as long as there is room for rows: rows by island, and edges between blocks (two each row).
R_ROW, R_NEXT, R_TO = 0, 1, 3
ROW_LISTS = 5
# SOFT: a row asks for J v + SOFT times its impulse = target; 0 for all but servos, friction that yields, and contacts
# that do. ASKED: the target of a motor without an effort limit before it gives way, and of a contact that does not
# bounce (`giving_way`). MOST: the largest rate that a mesh may have, of which TARGET is the least.
# Of losses, SHARE and SHARE_BACK: how much of what the mesh carries they take where power flows forward or backward,
# DRAG and DRAG_BACK: impulse that they take beside it, TURNS: the part of the step after which the motion is the other
# way, where it turns in it.


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
def near_rows(C: Ints, island: int) -> tuple[int, int]:
    """Where in C the numbers of the rows begin that an island is solved for, and end; those that are set aside
    (`solver.near`) follow them."""
    rows = row_list(C, R_ROW)
    place = C[island_column(C, I_ROWS) + island]
    return rows + place, rows + C[island_column(C, I_NEAR) + island]


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
    """Index in B of the first entry of J as islands take it, of as many as J has, with its columns: J itself, or where
    loops are CLOSED what is behind all else, J made consistent with them. Both say the same of motions that keep loops
    closed; with the second, H alone knows what impulses make of these: X = H^-1 J^T."""
    J = j_entries(C)[0]
    return J + C[CLOSED] * (island_masses(C) + C[MATRIX_ROOM] - J)


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
def has_tangents(C: Ints, row: int) -> bool:
    """Whether a row is the normal of a contact with friction: then the next two are its tangents, with the same columns
    of J, and of X."""
    found = C[int_of_row(C, C_KIND, row)] == NORMAL and row + 2 < C[COUNT]
    return found and C[int_of_row(C, C_KIND, row + 1)] == TANGENT


@compiled
def leads(kind: int) -> bool:
    """Whether a row is looked at by itself; both tangents of a contact are looked at with its normal."""
    return kind < TANGENT or kind == TWIST


@compiled
def bounds_of(B: Floats, C: Ints, CF: Floats2, r: int, normal: int) -> tuple[float, float]:
    """Least and largest impulse of a row that is no tangent; of a twist in proportion to that of its normal, which is
    in the column `normal` of B, three rows before; of losses to that of their mesh, the row before."""
    low, high = B[of_row(C, B_LOW, r)], B[of_row(C, B_HIGH, r)]
    kind = C[int_of_row(C, C_KIND, r)]
    if kind == TWIST and low < high:
        high = CF[C[int_of_row(C, C_LINE, r)], TWISTING] * max(B[of_row(C, normal, r - 3)], 0.0)
        low = -high
    elif kind == LOSS and low < high:
        low, high = loss_bounds(B, C, r, B[of_row(C, normal, r - 1)])
    return low, high


@compiled
def loss_bounds(B: Floats, C: Ints, r: int, carried: float) -> tuple[float, float]:
    """Least and largest impulse of losses where their mesh carries that one: against a motion forwards, and
    backwards."""
    return -(1.0 + LOCKED) * lost(B, C, r, carried)[0], (1.0 + LOCKED) * lost(B, C, r, -carried)[0]


@compiled
def lost(B: Floats, C: Ints, r: int, against: float) -> tuple[float, float]:
    """Impulse that losses take of a motion against which the mesh carries `against`, and its derivative by that. Where
    power flows backwards that is less than 0. While the mesh carries less than both drags differ by, the drag is
    between them: it does not jump where the load does not."""
    beside, share = lost_on_piece(B, C, r, piece_of(B, C, r, against))
    return beside + share * against, share


@compiled
def piece_of(B: Floats, C: Ints, r: int, against: float) -> int:
    """Which piece of the losses, straight lines, holds for what the mesh carries: power flows forwards (> 0) or
    backwards, and the drag is that of the flow (2) or between both (1)."""
    width = abs(B[of_row(C, B_DRAG, r)] - B[of_row(C, B_DRAG_BACK, r)])
    size = 1 if abs(against) < width else 2
    return size if against >= 0.0 else -size


@compiled
def lost_on_piece(B: Floats, C: Ints, r: int, piece: int) -> tuple[float, float]:
    """Of a piece: what losses take beside what follows the load, and their derivative by it."""
    drag = B[of_row(C, B_DRAG, r)]
    back = B[of_row(C, B_DRAG_BACK, r)]
    share = B[of_row(C, B_SHARE, r)] if piece > 0 else -B[of_row(C, B_SHARE_BACK, r)]
    beside = drag if piece > 0 else back
    if abs(piece) == 1:
        beside = 0.5 * (drag + back)
        share += math.copysign(0.5, drag - back)
    return beside, share


@compiled
def allowed_rate(B: Floats, C: Ints, r: int, without: float) -> float:
    """The rate that a row asks for which would have the rate `without` if it did not push: of a mesh or a speed limit
    the nearest that it allows."""
    target = B[of_row(C, B_TARGET, r)]
    kind = C[int_of_row(C, C_KIND, r)]
    if kind == SPEED:
        target = min(max(without, -target), target)
    elif kind == MESH:
        target = min(max(without, target), B[of_row(C, B_MOST, r)])
    return target


@compiled
def is_open(B: Floats, C: Ints, r: int) -> bool:
    """Whether a row allows more than one rate: a speed limit, a mesh with play."""
    kind = C[int_of_row(C, C_KIND, r)]
    open_mesh = kind == MESH and B[of_row(C, B_TARGET, r)] < B[of_row(C, B_MOST, r)]
    return bool(kind == SPEED or open_mesh)


@compiled
def j_begin(C: Ints, row: int) -> int:
    """Which entry of J is a row's first; C_JEND says where it ends."""
    return C[int_of_row(C, C_JEND, row - 1)] if row else 0


@compiled
def x_begin(C: Ints, row: int) -> int:
    """As `j_begin`, of X and C_XEND."""
    return C[int_of_row(C, C_XEND, row - 1)] if row else 0


@compiled
def enter(C: Ints, place: int, value: int) -> None:
    """C gets a kind, a column of J or where the row ends there; islands are known no more where that is another."""
    if C[place] != value:
        C[place] = value
        C[ARRANGED] = -1


@compiled
def ask_of_row(B: Floats, C: Ints, row: int, low: float, high: float, target: float) -> None:
    """Bounds and target of a row."""
    B[of_row(C, B_LOW, row)] = low
    B[of_row(C, B_HIGH, row)] = high
    B[of_row(C, B_TARGET, row)] = target


def dense_rows(B: Array, C: NDArray[np.int64], rows: Sequence[int], width: int) -> tuple[Array, Array]:
    """J and X of some rows in full, shape (len(rows), width) each."""
    J, X = np.zeros((len(rows), width)), np.zeros((len(rows), width))
    for full, (values, columns), begin, end in ((J, j_entries(C), j_begin, C_JEND), (X, x_entries(C), x_begin, C_XEND)):
        for place, row in enumerate(rows):
            first = int(begin(C, row))
            last = int(C[int_of_row(C, end, row)])
            full[place, C[columns + first : columns + last]] = B[values + first : values + last]
    return J, X
