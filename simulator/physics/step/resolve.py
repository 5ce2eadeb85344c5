"""Impulses of a step that are found again, for what they were found with is another in its middle: losses of couplings
in which the motion turns, dry friction that falls with the speed (its bound, `rows.grips`), and teeth whose stiffness
varies with the position.

Asked for the rate at the end of the step alone, a coupling whose load turns it round would stop within the step and
stand for the rest of it. With the rate l0 before, and dt a1 what the losses R1 against that motion lead to, it turns
after the part θ = -l0 / (dt a1) of the step, and if the load is more than it can hold, it turns the other way against
R2. The impulse of the losses is that of both parts, θ R1 and (1 - θ) R2: the rate at the end is right to second order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.impact.giving_way import solve_again
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.grips import STATIC, friction_at
from simulator.physics.rows.meshes import cycle_of, follow_cycle
from simulator.physics.rows.rows import axis_position
from simulator.physics.solver.rates import rate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

STANDS = 1e-9
"""A coupling that is slower [rad/s or m/s] at the start stands: it may begin to move, but does not turn."""


@compiled
def resolve_reversals(m: MechanismViews, bounded: BoundedRows, CF: Floats2, vector: Floats, settled: bool) -> bool:
    """Find all impulses again where losses bring a coupling to rest, or end against another motion than they began;
    `settled`: whether those at hand did; returns that. RATE: of all rows at the start."""
    if bounded.meshes == 0 or not settled or not _begin(bounded, vector):
        return settled
    solve_again(m, bounded, CF, vector)
    _place(bounded, vector)
    settled = solve_again(m, bounded, CF, vector)
    if _give_up(bounded, vector, not settled):
        settled = solve_again(m, bounded, CF, vector)
    return settled


@compiled
def _begin(bounded: BoundedRows, vector: Floats) -> bool:
    """TURNS = 1 of losses that may turn: all of the step against the motion before. Whether there are any."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] != row_at.LOSS:
            continue
        before, after = bounded.rate[r], rate(bounded, r, vector)
        if abs(before) > STANDS and (before * after < 0.0 or abs(after) <= STANDS):
            bounded.turns[r] = 1.0
            found = True
    return found


@compiled
def _place(bounded: BoundedRows, vector: Floats) -> None:
    """TURNS = the part of the step after which the rate is gone; 0 where that is none."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] != row_at.LOSS or bounded.turns[r] <= 0.0:
            continue
        before, after = bounded.rate[r], rate(bounded, r, vector)
        bounded.turns[r] = before / (before - after) if before * after < 0.0 else 0.0


@compiled
def _give_up(bounded: BoundedRows, vector: Floats, all_of_them: bool) -> bool:
    """TURNS = 0 where nothing moves the other way, and what stops stays at rest; or of all. Whether there is any
    such."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] != row_at.LOSS:
            continue
        stops = bounded.rate[r] * rate(bounded, r, vector) >= 0.0
        if bounded.turns[r] > 0.0 and (stops or all_of_them):
            bounded.turns[r] = 0.0
            found = True
    return found


TRIES = 12
"""Most times that impulses are found for stiffness that varies; each gains a factor of what a step changes it by."""


@compiled
def resolve_tooth_stiffness(
    m: MechanismViews, bounded: BoundedRows, lines: Table, CF: Floats2, vector: Floats, settled: bool, dt: float
) -> bool:
    """Find all impulses again until the stiffness of teeth that varies is that of the motion which they lead to;
    `settled`: whether those at hand did; returns that. RATE: of all rows at the start."""
    RI, RF = lines
    for _ in range(TRIES if bounded.meshes > 0 else 0):
        found = False
        for r in range(bounded.gathered[0]):
            if bounded.kind[r] == row_at.LOSS and cycle_of(RI, bounded.line[r - 1]) >= 0:
                place = axis_position(m, RI[bounded.line[r], row_at.CODE])
                found = follow_cycle(RI, RF, bounded, r, place, vector, dt) or found
        if not (settled and found):
            break
        settled = solve_again(m, bounded, CF, vector)
    return settled


SAME = 1e-12
"""Part of a bound by which it may change without another solve."""


@compiled
def resolve_friction_bounds(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, vector: Floats, settled: bool, dt: float
) -> bool:
    """Find all impulses again with the bounds of friction at the mean of the rates before and after the step, where
    that is another one; `settled`: whether those at hand did; returns that. RATE: of all rows at the start."""
    if not settled:
        return settled
    found = False
    for r in range(bounded.gathered[0]):
        line = bounded.line[r]
        if bounded.kind[r] != row_at.FRICTION or RF[line, STATIC] <= 0.0:
            continue
        high = dt * friction_at(RF, line, 0.5 * (bounded.rate[r] + rate(bounded, r, vector)))
        found = found or abs(high - bounded.high[r]) > SAME * high
        bounded.low[r], bounded.high[r] = -high, high
    return solve_again(m, bounded, CF, vector) if found else settled
