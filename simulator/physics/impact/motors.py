"""Motors: which velocity they are to have, and what they give at an instant.

There, those without an effort limit give what keeps the velocities of their axes at the rates that are asked for:
J (a + X f) = rate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row
from simulator.physics.motion.free import accelerate
from simulator.physics.rows.meshes import holds_now
from simulator.physics.rows.ramps import UNLIMITED, holds
from simulator.physics.rows.rows import APPROACH_TIME, add_axis_rows, axis_position
from simulator.physics.solver.rates import push, rate
from simulator.physics.solver.solve import UNBOUNDED, solve

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

NEAR = 1e-3
"""Difference of velocities [rad/s or m/s], as a part of one above 1, up to which a motor is at its velocity."""
LAG = 1.5
"""Steps by which a motor may be behind its velocity, and be at it."""
START, KICK, RATE, HELD_BY, HELD_AT, BEFORE, AFTER, LACKS = 3, 4, 6, 7, 8, 11, 12, 13
"""Columns of RF of a motor: the velocity to have at the start of the step, whether it begins or jumps there, for
`efforts_now` the rate of its velocity, which is replaced by the effort, or for
`approaches_now` that velocity, what held it first, see `giving_way`, and when [s]; its velocity before
and after that impulse; and the velocity that it lacks because something holds it."""
MISSED = 1e-3
"""A rate that is off by this part though nothing bounds the effort: rows that cannot be met together."""
BRAKING_SHARE = 0.8
"""Part of its effort that a position drive plans to brake with; the rest is for what pulls at it meanwhile."""


@compiled
def begin_motors(RI: Ints2, RF: Floats2) -> bool:
    """Forget the impulses of the last step; whether a motor begins or jumps in this one."""
    found = False
    for line in range(RI.shape[0]):
        if RI[line, row_at.KIND] <= row_at.TO_POSITION:
            RF[line, row_at.JUMP] = 0.0
            found = found or RF[line, KICK] != 0.0
    return found


@compiled
def has_motors(RI: Ints2) -> bool:
    """Whether any line is a motor's."""
    found = False
    for line in range(RI.shape[0]):
        found = found or RI[line, row_at.KIND] <= row_at.TO_POSITION
    return found


@compiled
def has_unlimited(RI: Ints2, RF: Floats2) -> bool:
    """Whether any motor or servo has no effort limit."""
    found = False
    for line in range(RI.shape[0]):
        kind = RI[line, row_at.KIND]
        drives = kind <= row_at.TO_POSITION or kind == row_at.SERVO
        found = found or (drives and RF[line, row_at.MOST] >= UNLIMITED)
    return found


@compiled
def are_held(RI: Ints2, RF: Floats2) -> bool:
    """Whether something held any motor in the last step far from the velocity that it asks for."""
    found = False
    for line in range(RI.shape[0]):
        found = found or (RI[line, row_at.KIND] <= row_at.TO_POSITION and abs(RF[line, LACKS]) > MISSED)
    return found


@compiled
def note_impulse(RF: Floats2, line: int, impulse: float, before: float, after: float) -> None:
    """Enter an impulse that a motor took, which is in none of its efforts, and its velocities before and after it."""
    if impulse != 0.0:
        if RF[line, row_at.JUMP] == 0.0:
            RF[line, BEFORE] = before
        RF[line, row_at.JUMP] += impulse
        RF[line, row_at.IMPULSE] -= impulse
        RF[line, AFTER] = after


@compiled
def has_jumped(RI: Ints2, RF: Floats2) -> bool:
    """Whether any motor took an impulse in the last step."""
    found = False
    for line in range(RI.shape[0]):
        found = found or (RI[line, row_at.KIND] <= row_at.TO_POSITION and RF[line, row_at.JUMP] != 0.0)
    return found


@compiled
def has_news(RI: Ints2, RF: Floats2) -> bool:
    """Whether any motor took an impulse in the last step, or is marked as held."""
    found = False
    for line in range(RI.shape[0]):
        is_news = RF[line, row_at.JUMP] != 0.0 or RF[line, HELD_BY] != 0.0
        found = found or (RI[line, row_at.KIND] <= row_at.TO_POSITION and is_news)
    return found


@compiled
def misses(bounded: BoundedRows, r: int, vector: Floats, part: float) -> bool:
    """Whether the rate that velocities in `vector` give a row is off its target by more than this part of it, or of a
    thousandth [rad/s or m/s]."""
    target = bounded.target[r]
    return abs(rate(bounded, r, vector) - target) > part * (1e-3 + abs(target))


@compiled
def approach(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2, r: int, dt: float) -> float:
    """Velocity with which a position drive closes its gap: no faster than allowed, nor than its effort can brake in
    time.

    What pulls the axis towards its target now (the weight of a load that is let down) takes its part of the effort away
    from braking.
    """
    line = bounded.line[r]
    gap = RF[line, row_at.GOAL] - axis_position(m, RI[line, row_at.CODE])
    pulled = max(math.copysign(1.0, gap) * rate(bounded, r, m.state.DV), 0.0)
    most = RF[line, row_at.MOST] * bounded.response[r]
    # v^2 = 2 a s: the speed from which the gap is just enough to brake. What pulls towards the target has to be
    # braked, too; some of the effort is left for it in any case.
    brake = max(BRAKING_SHARE * most - pulled, (1.0 - BRAKING_SHARE) * (most - pulled), 0.0)
    top = math.sqrt(2.0 * brake * abs(gap))
    if RF[line, row_at.TOP_SPEED] > 0.0:
        top = min(top, RF[line, row_at.TOP_SPEED])
    return min(max(gap / max(APPROACH_TIME, dt), -top), top)


@entry("motion")
def approaches_now(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> bool:
    """RATE of motors of positions becomes the velocity of their approach at the present state. False where there is no
    room for the rows."""
    RI, RF = lines
    accelerate(m)
    bounded.gathered[0] = 0
    if not add_axis_rows(m, bounded, RI, RF, dt):
        return False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.TO_POSITION:
            RF[bounded.line[r], RATE] = approach(m, bounded, RI, RF, r, dt)
    return True


@entry("motion")
def efforts_now(m: MechanismViews, bounded: BoundedRows, lines: Table, given: Floats2, CF: Floats2, dt: float) -> bool:
    """RATE of motors without a limit becomes their effort at the present state. `given`: RF as the last step left it;
    all other rows push as they did over that step, its impacts apart. False where there is no room for the rows."""
    RI, RF = lines
    accelerate(m)
    bounded.gathered[0] = 0
    if not add_axis_rows(m, bounded, RI, RF, dt):
        return False
    DV = m.state.DV
    STEP = m.state.step
    # STEP takes the part of velocities: J a = rate is solved like J v = target, and impulses are efforts.
    for a in range(DV.shape[0]):
        STEP[a] = DV[a]
    for r in range(bounded.gathered[0]):
        line, kind = bounded.line[r], bounded.kind[r]
        low = 0.0
        high = 0.0
        target = 0.0
        if holds(bounded, RF, r) and kind == row_at.TO_VELOCITY:
            low = -UNBOUNDED
            high = UNBOUNDED
            target = RF[line, RATE]
        elif kind == row_at.MESH and holds_now(RF, line):
            low = -UNBOUNDED
            high = UNBOUNDED
        elif kind != row_at.HELD and given[line, row_at.PUSHED] != 0.0:
            push(bounded, r, STEP, given[line, row_at.PUSHED] / dt)
        ask_of_row(bounded, r, low, high, target)
        bounded.most[r] = target
    solve(bounded, CF, STEP, m.rows.scratch)
    for r in range(bounded.gathered[0]):
        if holds(bounded, RF, r) and bounded.kind[r] == row_at.TO_VELOCITY:
            RF[bounded.line[r], RATE] = bounded.impulse[r]
    return True
