"""Motors without an effort limit that something holds: they take the velocity that this leaves them.

A motor that may push with anything and a stop in its way ask for what cannot be met together: their impulses would
grow with every sweep and represent no force. What holds the motor prevails; the motor then asks for the velocity that
is left to it, and gives what that takes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import clear
from simulator.physics.impact.motors import HELD_AT, HELD_BY, LACKS, MISSED, misses
from simulator.physics.layout import row_layout as row_at
from simulator.physics.loops.solve import make_consistent
from simulator.physics.rows.ramps import holds
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import push, rate
from simulator.physics.solver.solve import UNBOUNDED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

BODIES = 2**20
"""More bodies than there are."""
ROUNDS = 4
"""Most rounds of finding out which motors are held."""
MOST_MESHES = 64
"""Most real couplings one behind the other between a motor and what holds it."""
LEFT = 1e-8
"""Sweeps that settle leave less than this part of a target, or of 1e-3 rad/s or m/s."""
SPARED = 1e-6
"""Part of a target, or of 1e-3 rad/s or m/s, that impulses may leave in which motors take no part."""
SOFT, ABSENT = 1e-6, 1e30
"""How much motors give way, as a part of what their impulses change them by; and so much that they give nothing."""


@compiled
def keep_unpushed(bounded: BoundedRows, vector: Floats) -> None:
    """Keep the velocities without impulses, for `solve_again`."""
    for a in range(vector.shape[0]):
        bounded.unpushed[a] = vector[a]


@compiled
def solve_again(m: MechanismViews, bounded: BoundedRows, CF: Floats2, vector: Floats) -> bool:
    """`solve_rows` from the stored velocities without impulses."""
    for a in range(vector.shape[0]):
        vector[a] = bounded.unpushed[a]
    return solve_rows(m, bounded, CF, vector, False)


@compiled
def give_way(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, contacts: Table, vector: Floats, settled: bool, held: bool
) -> bool:
    """Let motors without a limit that stops, speed limits or contacts keep from their targets ask for the velocities
    that these leave them, and find all impulses with that, from the velocities that `keep_unpushed` has kept; where
    there are none, nothing changes. `settled`: whether the impulses at hand did; returns that. They are not looked at
    where it is known that some are `held`."""
    for k in range(ROUNDS):
        if not ((held and k == 0) or _are_held(m, bounded, RF, vector, settled, k > 0)):
            break
        if k == 0:
            _ask_what_is_left(m, bounded, RF, contacts, vector)
        settled = solve_again(m, bounded, contacts[1], vector)
    return settled


@compiled
def spare_motors(m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, vector: Floats) -> None:
    """Find all impulses again, none of them of motors, where some have given way and this leads to the same velocities:
    what holds them takes the blow."""
    gives_way = False
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r):
            gives_way = gives_way or bounded.target[r] != bounded.asked[r]
    if not gives_way:
        return
    _soften(bounded, RF, ABSENT, 1.0)
    solve_again(m, bounded, CF, vector)
    missed = False
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r):
            missed = missed or misses(bounded, r, vector, SPARED)
            bounded.impulse[r] = 0.0
    _soften(bounded, RF, 0.0, 1.0)
    if missed:
        solve_again(m, bounded, CF, vector)


@compiled
def note_lacks(bounded: BoundedRows, RF: Floats2) -> None:
    """LACKS of motors = by how much they ask for less than they were to have."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        line = bounded.line[r]
        is_held = holds(bounded, RF, r)
        RF[line, LACKS] = bounded.asked[r] - bounded.target[r] if is_held else 0.0


@compiled
def _are_held(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, vector: Floats, settled: bool, yields: bool
) -> bool:
    """Whether stops, speed limits or contacts keep any motor without a limit from its target; where it `yields`, it
    then asks for the rate that `vector` has."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        high = bounded.high[r]
        part = MISSED if settled and abs(bounded.impulse[r]) < high else LEFT
        is_off = holds(bounded, RF, r) and high > 0.0 and misses(bounded, r, vector, part)
        if is_off and _find_holder(m, bounded, r, vector) >= 0:
            found = True
            if yields:
                bounded.target[r] = rate(bounded, r, vector)
    return found


@compiled
def _ask_what_is_left(m: MechanismViews, bounded: BoundedRows, RF: Floats2, contacts: Table, vector: Floats) -> None:
    """Motors without a limit ask for the velocities that what holds them leaves, those nearest to their targets: what
    comes of it where they are a little soft, and all else is not. Rows that contradict each other would end somewhere,
    and somewhere else in the next step."""
    _soften(bounded, RF, SOFT, 1.0 / SOFT)
    _bound_friction(bounded, 0.0)
    solve_again(m, bounded, contacts[1], vector)
    if _stop_bouncing(bounded):
        solve_again(m, bounded, contacts[1], vector)
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r) and bounded.high[r] > 0.0 and misses(bounded, r, vector, MISSED):
            _note_holder(m, bounded, RF, contacts, r, vector)
    # These impulses are so large that their rounding would contradict again: loops and what else acts take it back.
    _close_again(m, bounded, vector)
    _soften(bounded, RF, ABSENT, 1.0)
    solve_rows(m, bounded, contacts[1], vector, False)
    _soften(bounded, RF, 0.0, SOFT)
    _bound_friction(bounded, UNBOUNDED)
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r) and bounded.high[r] > 0.0 and misses(bounded, r, vector, LEFT):
            bounded.target[r] = rate(bounded, r, vector)


@compiled
def _close_again(m: MechanismViews, bounded: BoundedRows, vector: Floats) -> None:
    """What impulses have added to velocities, onto what loops allow."""
    added = m.rows.scratch
    if m.rows.solved == 0:
        return
    for a in range(vector.shape[0]):
        added[a] = vector[a] - bounded.unpushed[a]
    make_consistent(m.rows, m.rows.rank[0], added)
    for a in range(vector.shape[0]):
        vector[a] = bounded.unpushed[a] + added[a]


@compiled
def _stop_bouncing(bounded: BoundedRows) -> bool:
    """What motors press together, which would bring it back at once, does not bounce; whether any contact was to."""
    found = False
    for r in range(bounded.gathered[0]):
        pressed = SOFT * bounded.response[r] * bounded.impulse[r]
        asked = bounded.asked[r]
        if bounded.kind[r] == row_at.NORMAL and pressed > MISSED:
            found = found or bounded.target[r] > asked
            bounded.target[r] = asked
    return found


@compiled
def _soften(bounded: BoundedRows, RF: Floats2, soft: float, more: float) -> None:
    """Motors without a limit are `soft`, as a part of what their impulses change them by, and may give so many times
    `more`."""
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r):
            bounded.soft[r] = soft * bounded.response[r]
            bounded.low[r] *= more
            bounded.high[r] *= more


@compiled
def _bound_friction(bounded: BoundedRows, most: float) -> None:
    """Bounds of the friction of contacts beside mu times their normal impulses. Where motors without a limit press, the
    latter are of no size: friction would lock what is pressed together, though no force is left, and let go at a
    jump."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] >= row_at.TANGENT:
            bounded.low[r] = -most
            bounded.high[r] = most


@compiled
def _find_holder(m: MechanismViews, bounded: BoundedRows, motor: int, vector: Floats) -> int:
    """The row that pushes a motor most away from its target, of those that may hold it; -1 where none does. Where that
    is a real coupling, which is no part of G, what pushes most against it on its other side."""
    missing = bounded.target[motor] - rate(bounded, motor, vector)
    holder = _strongest_against(m, bounded, motor, missing, -1)
    last = motor
    for _ in range(MOST_MESHES):
        if holder < 0 or bounded.kind[holder] >= row_at.SPEED:
            break
        beyond = _strongest_against(m, bounded, holder, bounded.impulse[holder], last)
        last = holder
        holder = beyond
    return holder if holder >= 0 and bounded.kind[holder] >= row_at.SPEED else -1


@compiled
def _strongest_against(m: MechanismViews, bounded: BoundedRows, row: int, sense: float, but: int) -> int:
    """The row whose impulse changes the rate of `row` most against that sense, but for one: a stop, speed limit or
    contact, or else the teeth of a real coupling; -1 where there is none."""
    scratch = m.rows.scratch
    found = -1
    most = 0.0
    for r in range(bounded.gathered[0]):
        impulse = bounded.impulse[r]
        holds_it = bounded.kind[r] >= row_at.SPEED
        is_held = found >= 0 and bounded.kind[found] >= row_at.SPEED
        may_count = holds_it or (bounded.kind[r] == row_at.MESH and not is_held)
        if impulse == 0.0 or r in (row, but) or not may_count:
            continue
        clear(scratch)
        push(bounded, r, scratch, impulse)
        against = -math.copysign(1.0, sense) * rate(bounded, row, scratch)
        if against > (most if holds_it == is_held else 0.0):
            found, most = r, against
    return found


@compiled
def _note_holder(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, contacts: Table, motor: int, vector: Floats
) -> None:
    """HELD_BY of a motor, where it is not known yet: 1 + line of what holds it most, or -(1 + BODIES times one body +
    the other)."""
    line = bounded.line[motor]
    holder = _find_holder(m, bounded, motor, vector) if RF[line, HELD_BY] == 0.0 else -1
    if holder < 0:
        return
    by = bounded.line[holder]
    RF[line, HELD_AT] = m.loads.time[1]
    if bounded.kind[holder] < row_at.NORMAL:
        RF[line, HELD_BY] = 1.0 + by
    else:
        bodies = contacts[0][by, row_at.BODY] * BODIES + contacts[0][by, row_at.BODY + 1]
        RF[line, HELD_BY] = -1.0 - bodies
