"""What acted in the last step: the search for the impulses of an island begins with it (`solver.newton`).

What lies or slides goes on with what it had, and so does a motor that holds something: often nothing is left to be
found. Rows of axes that push and depend on each other begin from none, as motors on coupled axes do, or a motor and a
stop of its axis: what they share is to be the same whatever was before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.axes import has_direction
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import int_of_row, island_column, j_begin, j_entries, of_row

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints


@compiled
def recall_impulses(N: Ints, B: Floats, C: Ints, RF: Floats2, CF: Floats2, axes: bool) -> bool:
    """IMPULSE of every row = what acted in the step before, of `axes` only where it is so; of those that share a
    coordinate, and where the friction of anything has a direction, none. Whether any axis begins with something."""
    alone = axes and RF.shape[0] > 0
    begun = False
    for c in range(CF.shape[0] if alone else 0):
        alone = alone and not has_direction(CF, c)
    if alone:
        _count_pushes(N, C, RF)
    for r in range(C[row_at.COUNT]):
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        line = C[int_of_row(C, row_at.C_LINE, r)]
        before = 0.0
        if B[of_row(C, row_at.B_RESPONSE, r)] > 0.0:
            if row_at.MESH <= kind <= row_at.LOSS:
                # What a coupling carries is no matter of how rows share it.
                pushes = B[of_row(C, row_at.B_LOW, r)] < B[of_row(C, row_at.B_HIGH, r)]
                before = RF[line, row_at.PUSHED] if pushes else 0.0
            elif kind < row_at.NORMAL:
                before = RF[line, row_at.PUSHED] if alone and _pushes_alone(C, r) else 0.0
                begun = begun or before != 0.0
            elif not has_direction(CF, line):
                before = CF[line, row_at.ACTED + kind - row_at.NORMAL]
        B[of_row(C, row_at.B_IMPULSE, r)] = before
    return begun


@compiled
def begin_to_share(B: Floats, C: Ints, RF: Floats2) -> bool:
    """Whether the impulses that were found from those recalled have any row of an axis push that did not, where another
    one began with what it had: then they share what both were to find."""
    pushes = island_column(C, row_at.I_HEAD)
    columns = j_entries(C)[1]
    shared = False
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] >= row_at.NORMAL:
            break
        if row_at.MESH <= C[int_of_row(C, row_at.C_KIND, r)] <= row_at.LOSS:
            continue
        new = RF[C[int_of_row(C, row_at.C_LINE, r)], row_at.PUSHED] == 0.0
        if new and B[of_row(C, row_at.B_IMPULSE, r)] != 0.0:
            for t in range(columns + j_begin(C, r), columns + C[int_of_row(C, row_at.C_JEND, r)]):
                shared = shared or C[pushes + C[t]] == 1
    return shared


@compiled
def remember_impulses(B: Floats, C: Ints, RF: Floats2, CF: Floats2) -> None:
    """ACTED of contacts and PUSHED of axes = the impulses that were found for this step."""
    for line in range(RF.shape[0]):
        RF[line, row_at.PUSHED] = 0.0
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        impulse = B[of_row(C, row_at.B_IMPULSE, r)]
        if kind >= row_at.NORMAL:
            CF[line, row_at.ACTED + kind - row_at.NORMAL] = impulse
        else:
            RF[line, row_at.PUSHED] = impulse


@compiled
def _count_pushes(N: Ints, C: Ints, RF: Floats2) -> None:
    """Of each coordinate, how many rows of axes have it that pushed in the step before; kept in HEAD, which nothing
    needs between two steps."""
    pushes = island_column(C, row_at.I_HEAD)
    columns = j_entries(C)[1]
    for a in range(N[at.INDEPENDENT]):
        C[pushes + a] = 0
    for r in range(C[row_at.COUNT]):
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        of_axis = kind < row_at.NORMAL and not row_at.MESH <= kind <= row_at.LOSS
        if of_axis and RF[C[int_of_row(C, row_at.C_LINE, r)], row_at.PUSHED] != 0.0:
            for t in range(columns + j_begin(C, r), columns + C[int_of_row(C, row_at.C_JEND, r)]):
                C[pushes + C[t]] += 1


@compiled
def _pushes_alone(C: Ints, r: int) -> bool:
    """Whether no other row that pushed has a coordinate of row r, which did."""
    pushes = island_column(C, row_at.I_HEAD)
    columns = j_entries(C)[1]
    alone = True
    for t in range(columns + j_begin(C, r), columns + C[int_of_row(C, row_at.C_JEND, r)]):
        alone = alone and C[pushes + C[t]] <= 1
    return alone
