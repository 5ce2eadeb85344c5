"""What acted in the last step: the search for the impulses of an island begins with it (`solver.newton`).

What lies or slides needs nearly the impulses of the last step, and so does a motor that holds something: often
nothing is left to be found. Rows of axes that push and depend on each other begin from none, as motors on coupled axes
do, or a motor and a stop of its axis: what they share is to be the same whatever was before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.axes import has_direction
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import j_begin

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows


@compiled
def warm_start(bounded: BoundedRows, RF: Floats2, CF: Floats2, axes: bool) -> bool:
    """IMPULSE of every row = what acted in the step before, of `axes` only where it is so; of those that share a
    coordinate, and where the friction of anything has a direction, none. Whether any axis begins with something."""
    alone = axes and RF.shape[0] > 0
    begun = False
    for c in range(CF.shape[0] if alone else 0):
        alone = alone and not has_direction(CF, c)
    if alone:
        _count_pushes(bounded, RF)
    for r in range(bounded.sizes[row_at.COUNT]):
        kind = bounded.kind[r]
        line = bounded.line[r]
        before = 0.0
        if bounded.response[r] > 0.0:
            if row_at.MESH <= kind <= row_at.LOSS:
                # What a coupling carries is no matter of how rows share it.
                pushes = bounded.low[r] < bounded.high[r]
                before = RF[line, row_at.PUSHED] if pushes else 0.0
            elif kind < row_at.NORMAL:
                before = RF[line, row_at.PUSHED] if alone and _pushes_alone(bounded, r) else 0.0
                begun = begun or before != 0.0
            elif not has_direction(CF, line):
                before = CF[line, row_at.ACTED + kind - row_at.NORMAL]
        bounded.impulse[r] = before
    return begun


@compiled
def share_with_new(bounded: BoundedRows, RF: Floats2) -> bool:
    """Whether the impulses that were found from those recalled have any row of an axis push that did not, where another
    one began with what it had: then they share what both were to find."""
    shared = False
    for r in range(bounded.sizes[row_at.COUNT]):
        if bounded.kind[r] >= row_at.NORMAL:
            break
        if row_at.MESH <= bounded.kind[r] <= row_at.LOSS:
            continue
        new = RF[bounded.line[r], row_at.PUSHED] == 0.0
        if new and bounded.impulse[r] != 0.0:
            for t in range(j_begin(bounded, r), bounded.J_end[r]):
                shared = shared or bounded.head[bounded.J_column[t]] == 1
    return shared


@compiled
def store_impulses(bounded: BoundedRows, RF: Floats2, CF: Floats2) -> None:
    """ACTED of contacts and PUSHED of axes = the impulses that were found for this step."""
    for line in range(RF.shape[0]):
        RF[line, row_at.PUSHED] = 0.0
    for r in range(bounded.sizes[row_at.COUNT]):
        kind, line = bounded.kind[r], bounded.line[r]
        impulse = bounded.impulse[r]
        if kind >= row_at.NORMAL:
            CF[line, row_at.ACTED + kind - row_at.NORMAL] = impulse
        else:
            RF[line, row_at.PUSHED] = impulse


@compiled
def _count_pushes(bounded: BoundedRows, RF: Floats2) -> None:
    """Of each coordinate, how many rows of axes have it that pushed in the step before; kept in HEAD, which nothing
    needs between two steps."""
    for a in range(bounded.sizes[row_at.WIDTH]):
        bounded.head[a] = 0
    for r in range(bounded.sizes[row_at.COUNT]):
        kind = bounded.kind[r]
        of_axis = kind < row_at.NORMAL and not row_at.MESH <= kind <= row_at.LOSS
        if of_axis and RF[bounded.line[r], row_at.PUSHED] != 0.0:
            for t in range(j_begin(bounded, r), bounded.J_end[r]):
                bounded.head[bounded.J_column[t]] += 1


@compiled
def _pushes_alone(bounded: BoundedRows, r: int) -> bool:
    """Whether no other row that pushed has a coordinate of row r, which did."""
    alone = True
    for t in range(j_begin(bounded, r), bounded.J_end[r]):
        alone = alone and bounded.head[bounded.J_column[t]] <= 1
    return alone
