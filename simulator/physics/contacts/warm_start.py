"""What acted in the last step: the search for the impulses of an island begins with it (`solver.newton`).

What lies or slides needs nearly the impulses of the last step, and so does a motor that holds something: often
nothing is left to be found. Rows of axes that push and depend on each other begin from none, as motors on coupled axes
do, or a motor and a stop of its axis: what they share is to be the same whatever was before.

Where friction points while a contact slips on a curve is foreseen by those impulses, too. Rows of friction alone have
it against the slip at the end of a step, as the implicit Euler method does: of first order where the slip turns. Here
it is against the direction half way between the slips u_0 at the start and u_1 at the end. Coulomb's law of a row with
the target t has friction against u_1 - t; where the target becomes what of u_1 is across that direction, this is u_1
along it. u_1 is foreseen with the impulses of the step before, which err by O(h^2), as the directions do then. Most
that a target comes to is |u_1| sin(phi / 2) for a slip that turns by phi: what stops after all is left with no more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.midpoint_rows import has_direction
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, j_begin
from simulator.physics.solver.rates import push, rates

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews


@compiled
def warm_start(bounded: BoundedRows, RF: Floats2, CF: Floats2, axes: bool) -> bool:
    """IMPULSE of every row = what acted in the step before, of `axes` only where it is so; of those that share a
    coordinate, and where the friction of anything has a direction, none. Whether any axis begins with something."""
    alone = axes and RF.shape[0] > 0
    begun = False
    pressed = True
    for c in range(CF.shape[0] if alone else 0):
        alone = alone and not has_direction(CF, c)
    if alone:
        _count_pushes(bounded, RF)
    for r in range(bounded.gathered[0]):
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
                # A contact that gives way and is open now has no room for what it pushed with, nor for its friction.
                pressed = bounded.low[r] < bounded.high[r] if kind == row_at.NORMAL else pressed
                before = CF[line, row_at.ACTED + kind - row_at.NORMAL] if pressed else 0.0
        bounded.impulse[r] = before
    return begun


@compiled
def share_with_new(bounded: BoundedRows, RF: Floats2) -> bool:
    """Whether the impulses that were found from those recalled have any row of an axis push that did not, where another
    one began with what it had: then they share what both were to find."""
    shared = False
    for r in range(bounded.gathered[0]):
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
def begin_with_carried(bounded: BoundedRows, RF: Floats2) -> None:
    """A search of this step that follows begins with what couplings carry by the one before."""
    for r in range(bounded.gathered[0] if bounded.meshes > 0 else 0):
        if row_at.MESH <= bounded.kind[r] <= row_at.LOSS:
            RF[bounded.line[r], row_at.PUSHED] = bounded.impulse[r]


@compiled
def store_impulses(bounded: BoundedRows, RF: Floats2, CF: Floats2) -> None:
    """ACTED of contacts and PUSHED of axes = the impulses that were found for this step."""
    for line in range(RF.shape[0]):
        RF[line, row_at.PUSHED] = 0.0
    for r in range(bounded.gathered[0]):
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
    for a in range(bounded.vector.shape[0]):
        bounded.head[a] = 0
    for r in range(bounded.gathered[0]):
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


RESOLVED = 0.5
"""Least cosine of the angle by which the slip turns in a step: what turns further is not resolved by it."""
ON_RIM = 1.0 - 1e-6
"""Friction of more than this part of its bound slips."""


@compiled
def aim_friction(m: MechanismViews, bounded: BoundedRows, CF: Floats2, vector: Floats) -> None:
    """TARGET of tangents that slip, for velocities of `vector` without impulses, and IMPULSE that of the step before.
    Needs RATE, and targets for which nothing slips."""
    ahead = m.rows.scratch
    foreseen = False
    for r in range(bounded.gathered[0]):
        if not (has_tangents(bounded, r) and _slipped(bounded, CF, r)):
            continue
        if not foreseen:
            _foresee(bounded, vector, ahead)
            foreseen = True
        x, y = _slip_now(bounded, CF, r)
        _, u, v = rates(bounded, r, ahead)
        u, v = u - bounded.target[r + 1], v - bounded.target[r + 2]
        now, then = math.sqrt(x * x + y * y), math.sqrt(u * u + v * v)
        if now * then > 0.0 and x * u + y * v > RESOLVED * now * then:
            s, t = x + u, y + v
            across = (s * v - t * u) / (s * s + t * t)
            bounded.target[r + 1], bounded.target[r + 2] = (
                bounded.target[r + 1] - across * t,
                bounded.target[r + 2] + across * s,
            )


@compiled
def _slipped(bounded: BoundedRows, CF: Floats2, r: int) -> bool:
    """Whether friction of the contact whose rows begin with r was at its bound in the step before."""
    x, y = bounded.impulse[r + 1], bounded.impulse[r + 2]
    most = ON_RIM * CF[bounded.line[r], row_at.MU] * bounded.impulse[r]
    return bool(most > 0.0 and x * x + y * y >= most * most)


@compiled
def _slip_now(bounded: BoundedRows, CF: Floats2, r: int) -> tuple[float, float]:
    """Slip [m/s] at the start of the step, along both tangents."""
    c = bounded.line[r]
    if math.isnan(CF[c, row_at.MOTION]):
        return bounded.rate[r + 1], bounded.rate[r + 2]
    return CF[c, row_at.MOTION + 1], CF[c, row_at.MOTION + 2]


@compiled
def _foresee(bounded: BoundedRows, vector: Floats, ahead: Floats) -> None:
    """`ahead`: velocities that the impulses at hand make of those of `vector`."""
    for a in range(vector.shape[0]):
        ahead[a] = vector[a]
    for r in range(bounded.gathered[0]):
        impulse = bounded.impulse[r]
        if impulse != 0.0:
            push(bounded, r, ahead, impulse)
