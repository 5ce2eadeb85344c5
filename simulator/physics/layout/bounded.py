"""Bounded rows as named arrays: views of B and C (see `row_layout`), as `tree.views` has them of F and N."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.native.kernels import compiled, opener, view
from simulator.physics.layout import row_layout as at
from simulator.physics.layout.row_layout import (
    closed_entries,
    int_of_row,
    island_column,
    island_masses,
    island_numbers,
    j_entries,
    j_positions,
    of_row,
    row_list,
    unmoved,
    unpushed,
    x_entries,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.arrays import Floats, Floats2, Ints
    from simulator.spatial.arrays import Array


class BoundedRows(NamedTuple):
    """Rows J v = target of a step, with impulses between bounds.

    What kernels count, (1,) each: rows that are `gathered`; their `islands`, 0 where all are solved together; for how
    many rows islands were found last, `arranged`, less than 0 where any has another kind or other columns since, and
    `islands_then`. Of a step: whether rows have entries for islands of their own, in which loops are `closed`, and
    whether all that moves are `loose` bodies (see `motion.loose`). For Python and tests: `sweeps` of the last solve;
    what the last step reports of motors that cannot have their velocities, `blocked` (see `row_layout`); how many
    entries of the matrices of islands are wanted, `matrix_wanted`. `meshes`, `bearings`: lines of meshes, and of
    friction that follows from what a joint carries.

    Of a row: bounds `low` and `high` of its `impulse`, `target`, `response` J X, `soft` (compliance), the `gap` of a
    stop or contact, the `drift` of its rate, `asked` for, and room of the solver: `rate`, `error`, `direction`,
    `change`, `new`, `turn`, `centre`, `now`, `ahead`, `bounce`, `best`. The `most` that a mesh may have, of which
    `target` is the least; of losses `share`, `share_back`, `drag`, `drag_back`, `turns` and `passes` (see
    `row_layout`). `kind`; `line` in the table that it is of; `free`, whether it is at no bound. Its entries in `J` and
    `X` = H^-1 J^T end at `J_end` and `X_end`, with the columns `J_column` and `X_column`; `J_position`: places of those
    of J in its island; `J_closed`: J made consistent with the loops, see `island_entries`.

    Of coordinates: `position` in the `order` by islands, `block`, `island` of a block. Of positions: `first` and `last`
    of an envelope, `offset` of its line in `matrix` and `mass`, `now_first`, `now_last`; `begin` of a block; `vector`,
    `unmoved`, `unpushed`. Of islands: `coordinates`, and `rows_begin`, where their rows are in `row`;
    `asleep`, `stored`. `head`, `link`, `next` and `to`: lists of edges.
    """

    B: Floats
    C: Ints
    gathered: Ints
    islands: Ints
    arranged: Ints
    islands_then: Ints
    closed: Ints
    loose: Ints
    sweeps: Ints
    blocked: Ints
    matrix_wanted: Ints
    meshes: int
    bearings: int
    low: Floats
    high: Floats
    target: Floats
    response: Floats
    impulse: Floats
    rate: Floats
    gap: Floats
    error: Floats
    direction: Floats
    change: Floats
    soft: Floats
    new: Floats
    turn: Floats
    centre: Floats
    now: Floats
    ahead: Floats
    bounce: Floats
    best: Floats
    drift: Floats
    asked: Floats
    most: Floats
    share: Floats
    share_back: Floats
    drag: Floats
    drag_back: Floats
    turns: Floats
    passes: Floats
    kind: Ints
    line: Ints
    J_end: Ints
    X_end: Ints
    free: Ints
    J: Floats
    J_column: Ints
    J_position: Ints
    J_closed: Floats
    X: Floats
    X_column: Ints
    vector: Floats
    matrix: Floats
    unmoved: Floats
    mass: Floats
    unpushed: Floats
    position: Ints
    order: Ints
    first: Ints
    last: Ints
    offset: Ints
    block: Ints
    island: Ints
    head: Ints
    link: Ints
    coordinates: Ints
    rows_begin: Ints
    asleep: Ints
    stored: Ints
    begin: Ints
    now_first: Ints
    now_last: Ints
    row: Ints
    next: Ints
    to: Ints


@opener
def open_bounded(B: Floats, C: Ints) -> BoundedRows:
    """Views of the bounded rows."""
    room = C[at.ROW_ROOM]
    entries = C[at.ENTRY_ROOM]
    width = C[at.WIDTH]
    area = C[at.MATRIX_ROOM]
    return BoundedRows(
        B=B,
        C=C,
        gathered=view(C, at.COUNT, (1,)),
        islands=view(C, at.ISLANDS, (1,)),
        arranged=view(C, at.ARRANGED, (1,)),
        islands_then=view(C, at.ISLANDS_THEN, (1,)),
        closed=view(C, at.CLOSED, (1,)),
        loose=view(C, at.LOOSE, (1,)),
        sweeps=view(C, at.SWEEPS, (1,)),
        blocked=view(C, at.BLOCKED, (1,)),
        matrix_wanted=view(C, at.MATRIX_WANTED, (1,)),
        meshes=C[at.MESHES],
        bearings=C[at.BEARINGS],
        low=view(B, of_row(C, at.B_LOW, 0), (room,)),
        high=view(B, of_row(C, at.B_HIGH, 0), (room,)),
        target=view(B, of_row(C, at.B_TARGET, 0), (room,)),
        response=view(B, of_row(C, at.B_RESPONSE, 0), (room,)),
        impulse=view(B, of_row(C, at.B_IMPULSE, 0), (room,)),
        rate=view(B, of_row(C, at.B_RATE, 0), (room,)),
        gap=view(B, of_row(C, at.B_GAP, 0), (room,)),
        error=view(B, of_row(C, at.B_ERROR, 0), (room,)),
        direction=view(B, of_row(C, at.B_DIRECTION, 0), (room,)),
        change=view(B, of_row(C, at.B_CHANGE, 0), (room,)),
        soft=view(B, of_row(C, at.B_SOFT, 0), (room,)),
        new=view(B, of_row(C, at.B_NEW, 0), (room,)),
        turn=view(B, of_row(C, at.B_TURN, 0), (room,)),
        centre=view(B, of_row(C, at.B_CENTRE, 0), (room,)),
        now=view(B, of_row(C, at.B_NOW, 0), (room,)),
        ahead=view(B, of_row(C, at.B_AHEAD, 0), (room,)),
        bounce=view(B, of_row(C, at.B_BOUNCE, 0), (room,)),
        best=view(B, of_row(C, at.B_BEST, 0), (room,)),
        drift=view(B, of_row(C, at.B_DRIFT, 0), (room,)),
        asked=view(B, of_row(C, at.B_ASKED, 0), (room,)),
        most=view(B, of_row(C, at.B_MOST, 0), (room,)),
        share=view(B, of_row(C, at.B_SHARE, 0), (room,)),
        share_back=view(B, of_row(C, at.B_SHARE_BACK, 0), (room,)),
        drag=view(B, of_row(C, at.B_DRAG, 0), (room,)),
        drag_back=view(B, of_row(C, at.B_DRAG_BACK, 0), (room,)),
        turns=view(B, of_row(C, at.B_TURNS, 0), (room,)),
        passes=view(B, of_row(C, at.B_PASSES, 0), (room,)),
        kind=view(C, int_of_row(C, at.C_KIND, 0), (room,)),
        line=view(C, int_of_row(C, at.C_LINE, 0), (room,)),
        J_end=view(C, int_of_row(C, at.C_JEND, 0), (room,)),
        X_end=view(C, int_of_row(C, at.C_XEND, 0), (room,)),
        free=view(C, int_of_row(C, at.C_FREE, 0), (room,)),
        J=view(B, j_entries(C)[0], (entries,)),
        J_column=view(C, j_entries(C)[1], (entries,)),
        J_position=view(C, j_positions(C), (entries,)),
        J_closed=view(B, closed_entries(C), (entries,)),
        X=view(B, x_entries(C)[0], (entries,)),
        X_column=view(C, x_entries(C)[1], (entries,)),
        vector=view(B, island_numbers(C)[0], (width,)),
        matrix=view(B, island_numbers(C)[1], (area,)),
        unmoved=view(B, unmoved(C), (width,)),
        mass=view(B, island_masses(C), (area,)),
        unpushed=view(B, unpushed(C), (width,)),
        position=view(C, island_column(C, at.I_POSITION), (width + 1,)),
        order=view(C, island_column(C, at.I_ORDER), (width + 1,)),
        first=view(C, island_column(C, at.I_FIRST), (width + 1,)),
        last=view(C, island_column(C, at.I_LAST), (width + 1,)),
        offset=view(C, island_column(C, at.I_OFFSET), (width + 1,)),
        block=view(C, island_column(C, at.I_BLOCK), (width + 1,)),
        island=view(C, island_column(C, at.I_ISLAND), (width + 1,)),
        head=view(C, island_column(C, at.I_HEAD), (width + 1,)),
        link=view(C, island_column(C, at.I_LINK), (width + 1,)),
        coordinates=view(C, island_column(C, at.I_COORDINATES), (width + 1,)),
        rows_begin=view(C, island_column(C, at.I_ROWS), (width + 1,)),
        asleep=view(C, island_column(C, at.I_ASLEEP), (width + 1,)),
        stored=view(C, island_column(C, at.I_STORED), (width + 1,)),
        begin=view(C, island_column(C, at.I_BEGIN), (width + 1,)),
        now_first=view(C, island_column(C, at.I_NOW_FIRST), (width + 1,)),
        now_last=view(C, island_column(C, at.I_NOW_LAST), (width + 1,)),
        row=view(C, row_list(C, at.R_ROW), (room,)),
        next=view(C, row_list(C, at.R_NEXT), (2 * room,)),
        to=view(C, row_list(C, at.R_TO), (2 * room,)),
    )


@compiled
def rows_of_island(bounded: BoundedRows, island: int) -> tuple[int, int]:
    """Where in `row` the rows of an island begin, and end."""
    return bounded.rows_begin[island], bounded.rows_begin[island + 1]


@compiled
def island_entries(bounded: BoundedRows) -> tuple[Floats]:
    """Entries of J as islands take them: J itself, or where loops are CLOSED J made consistent with them. Both say the
    same of motions that keep loops closed; with the second, H alone knows what impulses make of these: X = H^-1 J^T."""
    if bounded.closed[0] != 0:
        return (bounded.J_closed,)
    return (bounded.J,)


@compiled
def three(values: Floats, begin: int, count: int) -> tuple[Floats, Floats, Floats]:
    """Three runs of entries that follow each other."""
    end = begin + count
    last = begin + 2 * count
    return values[begin:end], values[end:last], values[last : last + count]


@compiled
def has_tangents(bounded: BoundedRows, row: int) -> bool:
    """Whether a row is the normal of a contact with friction: then the next two are its tangents, with the same columns
    of J, and of X."""
    found = bounded.kind[row] == at.NORMAL and row + 2 < bounded.gathered[0]
    return found and bounded.kind[row + 1] == at.TANGENT


@compiled
def leads(kind: int) -> bool:
    """Whether a row is looked at by itself; both tangents of a contact are looked at with its normal."""
    return kind < at.TANGENT or kind == at.TWIST


@compiled
def is_stop(kind: int) -> bool:
    """Whether a row keeps something from going further: a stop or the normal of a contact."""
    return at.LOWER <= kind <= at.NORMAL


@compiled
def stops(bounded: BoundedRows, CF: Floats2, r: int) -> bool:
    """Whether a row stops at once what comes too far: a stop or the normal of a rigid contact."""
    kind = bounded.kind[r]
    return is_stop(kind) and not (kind == at.NORMAL and CF[bounded.line[r], at.STIFF] > 0.0)


@compiled
def bounds_of(bounded: BoundedRows, CF: Floats2, r: int, normal: Floats) -> tuple[float, float]:
    """Least and largest impulse of a row that is no tangent; of a twist in proportion to that of its normal, which is
    `normal` has three rows before; of losses to that of their mesh, the row before."""
    low, high = bounded.low[r], bounded.high[r]
    kind = bounded.kind[r]
    if kind == at.TWIST and low < high:
        high = CF[bounded.line[r], at.TWISTING] * max(normal[r - 3], 0.0)
        low = -high
    elif kind == at.LOSS and low < high:
        low, high = loss_bounds(bounded, r, normal[r - 1])
    return low, high


@compiled
def loss_bounds(bounded: BoundedRows, r: int, carried: float) -> tuple[float, float]:
    """Least and largest impulse of losses where their mesh carries that one: against a motion forwards, and
    backwards."""
    return -(1.0 + at.LOCKED) * lost(bounded, r, carried)[0], (1.0 + at.LOCKED) * lost(bounded, r, -carried)[0]


@compiled
def lost(bounded: BoundedRows, r: int, against: float) -> tuple[float, float]:
    """Impulse that losses take of a motion against which the mesh carries `against`, and its derivative by that. Where
    power flows backwards that is less than 0. While the mesh carries less than both drags differ by, the drag is
    between them: it does not jump where the load does not."""
    beside, share = lost_on_piece(bounded, r, piece_of(bounded, r, against))
    return beside + share * against, share


@compiled
def piece_of(bounded: BoundedRows, r: int, against: float) -> int:
    """Which piece of the losses, straight lines, holds for what the mesh carries: power flows forwards (> 0) or
    backwards, and the drag is that of the flow (2) or between both (1)."""
    width = abs(bounded.drag[r] - bounded.drag_back[r])
    size = 1 if bounded.passes[r] * abs(against) < width else 2
    return size if against >= 0.0 else -size


@compiled
def lost_on_piece(bounded: BoundedRows, r: int, piece: int) -> tuple[float, float]:
    """Of a piece: what losses take beside what follows the load, and their derivative by it."""
    drag = bounded.drag[r]
    back = bounded.drag_back[r]
    share = bounded.share[r] if piece > 0 else -bounded.share_back[r]
    beside = drag if piece > 0 else back
    if abs(piece) == 1:
        beside = 0.5 * (drag + back)
        share += math.copysign(0.5 * bounded.passes[r], drag - back)
    return beside, share


@compiled
def allowed_rate(bounded: BoundedRows, r: int, without: float) -> float:
    """The rate that a row asks for which would have the rate `without` if it did not push: of a mesh or a speed limit
    the nearest that it allows."""
    target = bounded.target[r]
    kind = bounded.kind[r]
    if kind == at.SPEED:
        target = min(max(without, -target), target)
    elif kind == at.MESH:
        target = min(max(without, target), bounded.most[r])
    return target


@compiled
def is_open(bounded: BoundedRows, r: int) -> bool:
    """Whether a row allows more than one rate: a speed limit, a mesh with play."""
    kind = bounded.kind[r]
    open_mesh = kind == at.MESH and bounded.target[r] < bounded.most[r]
    return bool(kind == at.SPEED or open_mesh)


@compiled
def j_begin(bounded: BoundedRows, row: int) -> int:
    """Which entry of J is a row's first; `J_end` says where it ends."""
    return bounded.J_end[row - 1] if row else 0


@compiled
def x_begin(bounded: BoundedRows, row: int) -> int:
    """As `j_begin`, of X and `X_end`."""
    return bounded.X_end[row - 1] if row else 0


@compiled
def enter(bounded: BoundedRows, numbers: Ints, place: int, value: int) -> None:
    """A kind, a column of J or where a row ends gets a value; islands are known no more where that is another."""
    if numbers[place] != value:
        numbers[place] = value
        bounded.arranged[0] = -1


@compiled
def enter_row(bounded: BoundedRows, kind: int, line: int, j_end: int, x_end: int, weight: float) -> int:
    """Count the row whose entries end there; returns its index."""
    r = bounded.gathered[0]
    enter(bounded, bounded.kind, r, kind)
    enter(bounded, bounded.J_end, r, j_end)
    bounded.line[r], bounded.X_end[r] = line, x_end
    bounded.response[r] = weight
    bounded.soft[r] = 0.0
    bounded.gathered[0] = r + 1
    return r


@compiled
def response_to(bounded: BoundedRows, J: int, X: int, width: int) -> float:
    """J X of a row whose entries begin there, dense: the change of its rate by a unit impulse."""
    total = 0.0
    for t in range(width):
        total += bounded.J[J + t] * bounded.X[X + t]
    return total


@compiled
def ask_of_row(bounded: BoundedRows, row: int, low: float, high: float, target: float) -> None:
    """Bounds and target of a row."""
    bounded.low[row] = low
    bounded.high[row] = high
    bounded.target[row] = target


def dense_rows(bounded: BoundedRows, rows: Sequence[int], width: int) -> tuple[Array, Array]:
    """J and X of some rows in full, shape (len(rows), width) each."""
    J, X = np.zeros((len(rows), width)), np.zeros((len(rows), width))
    for place, row in enumerate(rows):
        for t in range(j_begin(bounded, row), bounded.J_end[row]):
            J[place, bounded.J_column[t]] = bounded.J[t]
        for t in range(x_begin(bounded, row), bounded.X_end[row]):
            X[place, bounded.X_column[t]] = bounded.X[t]
    return J, X
