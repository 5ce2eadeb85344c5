"""Which bounded rows of an island act, and what they lack, at the impulses and the motion at hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import bounds_of, has_tangents, leads
from simulator.physics.solver.rates import rate, rates
from simulator.physics.solver.solve import common_weight, wanted_at

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

OFF, ACTS, SLIPS = 0, 1, 2
"""What a row does: keeps to a bound; reaches its target; slips (the first tangent of a contact, for both, or its
twist)."""


@compiled
def judge(bounded: BoundedRows, CF: Floats2, first: int, last: int, vector: Floats, weak: float) -> float:
    """FREE = what each row does; ERROR = what it lacks to its target, or what its impulse lacks to its bound; returns
    the largest change of a velocity that a row would make by itself. Normals that are as near to their target as `weak`
    [m/s] act. CHANGED = whether any does something else than it did, or slips, which is never twice the same."""
    worst = 0.0
    bounded.sizes[row_at.CHANGED] = 0
    for i in range(first, last):
        r = bounded.row[i]
        if not leads(bounded.kind[r]):
            continue
        if has_tangents(bounded, r):
            worst = max(worst, _judge_contact(bounded, CF, r, vector, weak))
        elif bounded.kind[r] == row_at.TWIST:
            worst = max(worst, _judge_twist(bounded, CF, r, rate(bounded, r, vector)))
        else:
            worst = max(worst, _judge_row(bounded, r, rate(bounded, r, vector), weak))
    return worst


@compiled
def _do(bounded: BoundedRows, r: int, state: int) -> None:
    """FREE of a row = what it does."""
    if bounded.free[r] != state or state == SLIPS:
        bounded.sizes[row_at.CHANGED] = 1
    bounded.free[r] = state


@compiled
def _judge_contact(bounded: BoundedRows, CF: Floats2, r: int, vector: Floats, weak: float) -> float:
    """As `judge`, of the three rows of a contact that begin with r."""
    now, along, aside = rates(bounded, r, vector)
    worst = _judge_row(bounded, r, now, weak)
    if bounded.low[r + 1] >= bounded.high[r + 1]:
        # Where positions are moved, friction takes no part.
        _do(bounded, r + 1, OFF)
        _do(bounded, r + 2, OFF)
        bounded.error[r + 1] = bounded.error[r + 2] = 0.0
        return worst
    along, aside = along - bounded.target[r + 1], aside - bounded.target[r + 2]
    if bounded.sizes[row_at.YIELDS] != 0:
        along += bounded.soft[r + 1] * bounded.impulse[r + 1]
        aside += bounded.soft[r + 2] * bounded.impulse[r + 2]
    return max(worst, _judge_friction(bounded, CF, r + 1, along, aside))


@compiled
def _judge_row(bounded: BoundedRows, r: int, now: float, weak: float) -> float:
    """As `judge`, of a row whose rate is known, but for tangents."""
    low = bounded.low[r]
    high = bounded.high[r]
    worst = 0.0
    given, weight = bounded.impulse[r], bounded.response[r]
    kind = bounded.kind[r]
    state = OFF
    error = 0.0
    if low < high and weight > 0.0:
        asked = wanted_at(bounded, r, now)
        # The natural map of a complementarity: x = clip(x + (target - J v) / w) (Alart and Curnier 1991).
        new = min(max(asked, low), high)
        worst = weight * abs(new - given)
        error = new - given
        acts = low < asked < high or (kind == row_at.NORMAL and weight * abs(asked - given) <= weak)
        if kind == row_at.SPEED:
            acts = acts and asked != 0.0
        if acts:
            state = ACTS
            error = (asked - given) * (weight + bounded.soft[r])
    bounded.error[r] = error
    lacks = error / (weight + bounded.soft[r]) if state == ACTS else error
    bounded.new[r] = given + lacks
    _do(bounded, r, state)
    return worst


@compiled
def _judge_twist(bounded: BoundedRows, CF: Floats2, r: int, now: float) -> float:
    """As `judge`, for the twist of a contact, whose normal is judged already: dry friction of one coordinate, bounded
    in proportion to the normal's impulse; DIRECTION = the sign of what slips."""
    low, high = bounds_of(bounded, CF, r, bounded.new)
    given, weight = bounded.impulse[r], bounded.response[r]
    state = OFF
    error = -given
    change = weight * abs(given)
    if low < high and weight > 0.0:
        asked = wanted_at(bounded, r, now)
        change = weight * abs(min(max(asked, low), high) - given)
        if low < asked < high:
            state = ACTS
            error = (asked - given) * (weight + bounded.soft[r])
        else:
            state = SLIPS
            bounded.direction[r] = math.copysign(1.0, asked)
    bounded.error[r] = error
    _do(bounded, r, state)
    return change


@compiled
def _judge_friction(bounded: BoundedRows, CF: Floats2, r: int, u0: float, u1: float) -> float:
    """As `judge`, for both tangents of the normal in the row before, whose rates are off by u; DIRECTION in which
    friction pushes where they slip."""
    weight = common_weight(bounded, r)
    normal = max(bounded.new[r - 1], 0.0)
    bound = CF[bounded.line[r], row_at.MU] * normal
    state = OFF
    e0 = -bounded.impulse[r]
    e1 = -bounded.impulse[r + 1]
    change = 0.0
    if weight > 0.0:
        # The tangential part of the same map, x_t - u / w, projected onto the disk; outside of it the row slips. Where
        # friction yields, u + S x has the place of u.
        a, b = bounded.impulse[r] - u0 / weight, bounded.impulse[r + 1] - u1 / weight
        length = math.sqrt(a * a + b * b)
        if length <= bound and bound > 0.0:
            state = ACTS
            e0 = -u0
            e1 = -u1
            change = max(abs(u0), abs(u1))
        elif bound > 0.0:
            a, b = a / length, b / length
            state = SLIPS
            bounded.direction[r], bounded.direction[r + 1] = a, b
            bounded.turn[r] = bound / length
            change = weight * max(abs(bound * a - bounded.impulse[r]), abs(bound * b - bounded.impulse[r + 1]))
        else:
            change = weight * max(abs(bounded.impulse[r]), abs(bounded.impulse[r + 1]))
    bounded.error[r], bounded.error[r + 1] = e0, e1
    _do(bounded, r, state)
    _do(bounded, r + 1, state)
    return change
