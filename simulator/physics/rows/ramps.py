"""Efforts of motors, which change within a step.

An effort that is constant over a step of h, chosen at its start for the velocity v* at its end, misses both: against a
spring of stiffness k, on a moment of inertia J, the velocity ends at v* / (1 + x) with x = h² k / 2 J, and within the
step it is not that of its ends. What the last step has shown is used in the next:

* JERK [rad/s³ or m/s³]: the velocity ended at that which was EXPECTED and h² JERK / 2. The next step asks for that
  less. Where a motor begins or jumps, the accelerations of half a step on show it (`step.efforts`).
* SLOPE [N m/s or N/s]: by how much the mean effort over a step has changed from LAST_EFFORT, that of the step before,
  or LAST_CHANGE, that of the change before, if that was smaller, and 0 if it had the other sign (minmod, van Leer
  1979): what jumps has no slope. The next step has the mean effort that it would have without, and that slope about it,
  which leaves the velocity at its end but for O(h⁴). RAMP_WORK [J]: the work of the slope alone,
  h² SLOPE (v(h) - v(0)) / 12.

A smooth motion is then followed with errors of velocity and position of O(h³) each, and one at constant velocity
against springs exactly. Both need no further solution, whatever motors feel each other. A disturbance of v, JERK and
SLOPE falls from step to step (eigenvalues of the three numbers and the position): to at most 0.61 of itself on a
spring that is left to the equations, h² k / J <= 1. Springs that are taken into the inertia have up to 4, where JERK
alone would grow; there it changes by half of what a step shows, and a disturbance falls to at most 0.91.

What is not smooth says nothing about the next step. Where a drive comes to the end of what links can reach, its
RESPONSE, by how much an impulse changes its velocity, falls to 0 and efforts grow without bounds: with these numbers
it would be thrown back. So both are 0 where the response has changed by more than a part SMOOTH in a step; h² JERK / 2
is at most half of the velocity that is asked for and of what the effort changes it by in a step, and an effort grows by
its half at most. A step beside loops that misses more than that half is too long for the motion (`are_far`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import minmod
from simulator.physics.layout import row_layout as row_at

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows


INTO_STIFF = 0.5
"""Share of the last step in JERK where springs are taken into the inertia."""
SMOOTH = 0.05
"""Part by which the response may change in a step."""
SLIGHT = 1e-6
"""Velocity [rad/s or m/s] that any motor may miss."""
UNLIMITED = 1e9
"""An effort [N m or N] from which on a motor has no limit."""
HALF = 0.5
"""Part of an effort by which it may grow in a step, and of a velocity that a step may miss."""


@compiled
def holds(bounded: BoundedRows, RF: Floats2, r: int) -> bool:
    """Whether a row is a motor without a limit that can move its axis."""
    is_motor = bounded.kind[r] <= row_at.TO_POSITION
    return is_motor and RF[bounded.line[r], row_at.MOST] >= UNLIMITED and bounded.response[r] > 0.0


@compiled
def reaches(bounded: BoundedRows, r: int) -> bool:
    """Whether the motor of a row reaches what it asks for: neither its effort nor what holds it is in the way."""
    inside = bounded.low[r] < bounded.impulse[r] < bounded.high[r]
    return bool(inside and bounded.target[r] == bounded.asked[r])


@compiled
def may_grow(bounded: BoundedRows) -> bool:
    """Whether efforts may change within the step: not where stops, speed limits or contacts push, whose work is counted
    for velocities that change evenly."""
    r = bounded.gathered[0] - 1
    while r >= 0 and (bounded.kind[r] < row_at.SPEED or bounded.impulse[r] == 0.0):
        r -= 1
    return bool(r < 0)


@compiled
def slope_now(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> float:
    """SLOPE of the effort of a row over this step of `dt` [s], whose impulse is known: what its bounds leave."""
    line = bounded.line[r]
    if bounded.kind[r] > row_at.TO_POSITION or RF[line, row_at.SLOPE] == 0.0 or not reaches(bounded, r):
        return 0.0
    room = min(bounded.high[r] - bounded.impulse[r], bounded.impulse[r] - bounded.low[r])
    most = min(2.0 * room, HALF * abs(bounded.impulse[r])) / (dt * dt)
    return float(min(max(RF[line, row_at.SLOPE], -most), most))


@compiled
def _most_missed(bounded: BoundedRows, r: int) -> float:
    """By how much a motor may miss its velocity in a smooth motion."""
    return SLIGHT + HALF * (abs(bounded.asked[r]) + abs(bounded.response[r] * bounded.impulse[r]))


@compiled
def are_far(bounded: BoundedRows, RF: Floats2) -> bool:
    """Whether a motor without an effort limit has missed its velocity by more than `_most_missed` though nothing is in
    its way: the step is too long."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        if holds(bounded, RF, r) and reaches(bounded, r):
            missed = abs(bounded.now[r] - RF[bounded.line[r], row_at.EXPECTED])
            found = found or missed > _most_missed(bounded, r)
    return found


@compiled
def note_ramps(bounded: BoundedRows, RF: Floats2, dt: float, share: float) -> None:
    """What a step of `dt` [s] has shown, at whose end the rates of rows are NOW; nothing of motors that do not reach
    what they ask for. JERK becomes what it has been but for that `share`."""
    grows = may_grow(bounded)
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        line = bounded.line[r]
        jerk = slope = work = given = change = response = 0.0
        if reaches(bounded, r):
            response = bounded.response[r]
            last = RF[line, row_at.RESPONSE]
            begins = last == 0.0 or RF[line, row_at.JUMP] != 0.0
            given = bounded.impulse[r] / dt
            before = RF[line, row_at.JERK]
            shown = 2.0 * (bounded.now[r] - RF[line, row_at.EXPECTED]) / (dt * dt)
            jerk = before + share * (shown - before)
            most = 2.0 * _most_missed(bounded, r) / (dt * dt)
            is_even = last == 0.0 or abs(response - last) <= SMOOTH * response
            is_smooth = is_even and abs(jerk) <= most
            jerk = min(max(jerk, -most), most) if is_even else 0.0
            if grows:
                work = dt * dt / 12.0 * slope_now(bounded, RF, r, dt) * (bounded.now[r] - bounded.rate[r])
            if is_smooth and not begins:
                change = (given - RF[line, row_at.LAST_EFFORT]) / dt
                slope = minmod(change, RF[line, row_at.LAST_CHANGE])
        RF[line, row_at.JERK] = jerk
        RF[line, row_at.SLOPE] = slope
        RF[line, row_at.LAST_EFFORT] = given
        RF[line, row_at.LAST_CHANGE] = change
        RF[line, row_at.RAMP_WORK] = work
        RF[line, row_at.RESPONSE] = response
