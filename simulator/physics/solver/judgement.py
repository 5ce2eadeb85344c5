"""Which bounded rows of an island act, and what they lack, at the impulses and the motion at hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    bounds_of,
    has_tangents,
    int_of_row,
    is_open,
    leads,
    loss_bounds,
    lost_on_piece,
    of_row,
    piece_of,
)
from simulator.physics.solver.rates import rate, rates
from simulator.physics.solver.solve import common_weight, wanted_at

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints

OFF, ACTS, SLIPS = 0, 1, 2
"""What a row does: keeps to a bound; reaches its target; slips (the first tangent of a contact, for both, or its
twist)."""


@compiled
def judge(F: Floats, B: Floats, C: Ints, CF: Floats2, first: int, last: int, vector: int, weak: float) -> float:
    """FREE = what each row does; ERROR = what it lacks to its target, or what its impulse lacks to its bound; returns
    the largest change of a velocity that a row would make by itself. Normals that are as near to their target as `weak`
    [m/s] act. CHANGED = whether any does something else than it did, or slips, which is never twice the same."""
    worst = 0.0
    C[row_at.CHANGED] = 0
    for i in range(first, last):
        r = C[i]
        if not leads(C[int_of_row(C, row_at.C_KIND, r)]):
            continue
        if has_tangents(C, r):
            worst = max(worst, _judge_contact(F, B, C, CF, r, vector, weak))
        elif C[int_of_row(C, row_at.C_KIND, r)] == row_at.TWIST:
            worst = max(worst, _judge_twist(B, C, CF, r, rate(F, B, C, r, vector)))
        elif C[int_of_row(C, row_at.C_KIND, r)] == row_at.LOSS:
            worst = max(worst, _judge_loss(B, C, r, rate(F, B, C, r, vector)))
        else:
            worst = max(worst, _judge_row(B, C, r, rate(F, B, C, r, vector), weak))
    return worst


@compiled
def _do(C: Ints, r: int, state: int) -> None:
    """FREE of a row = what it does."""
    free = int_of_row(C, row_at.C_FREE, r)
    if C[free] != state or state == SLIPS:
        C[row_at.CHANGED] = 1
    C[free] = state


@compiled
def _judge_contact(F: Floats, B: Floats, C: Ints, CF: Floats2, r: int, vector: int, weak: float) -> float:
    """As `judge`, of the three rows of a contact that begin with r."""
    now, along, aside = rates(F, B, C, r, vector)
    worst = _judge_row(B, C, r, now, weak)
    if B[of_row(C, row_at.B_LOW, r + 1)] >= B[of_row(C, row_at.B_HIGH, r + 1)]:
        # Where positions are moved, friction takes no part.
        _do(C, r + 1, OFF)
        _do(C, r + 2, OFF)
        B[of_row(C, row_at.B_ERROR, r + 1)] = B[of_row(C, row_at.B_ERROR, r + 2)] = 0.0
        return worst
    along, aside = along - B[of_row(C, row_at.B_TARGET, r + 1)], aside - B[of_row(C, row_at.B_TARGET, r + 2)]
    if C[row_at.YIELDS] != 0:
        along += B[of_row(C, row_at.B_SOFT, r + 1)] * B[of_row(C, row_at.B_IMPULSE, r + 1)]
        aside += B[of_row(C, row_at.B_SOFT, r + 2)] * B[of_row(C, row_at.B_IMPULSE, r + 2)]
    return max(worst, _judge_friction(B, C, CF, r + 1, along, aside))


@compiled
def _judge_row(B: Floats, C: Ints, r: int, now: float, weak: float) -> float:
    """As `judge`, of a row whose rate is known, but for tangents."""
    low = B[of_row(C, row_at.B_LOW, r)]
    high = B[of_row(C, row_at.B_HIGH, r)]
    worst = 0.0
    given, weight = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_RESPONSE, r)]
    kind = C[int_of_row(C, row_at.C_KIND, r)]
    state = OFF
    error = 0.0
    if low < high and weight > 0.0:
        asked = wanted_at(B, C, r, now)
        # The natural map of a complementarity: x = clip(x + (target - J v) / w) (Alart and Curnier 1991).
        new = min(max(asked, low), high)
        worst = weight * abs(new - given)
        error = new - given
        acts = low < asked < high or (kind == row_at.NORMAL and weight * abs(asked - given) <= weak)
        if is_open(B, C, r):
            acts = acts and asked != 0.0
        if acts:
            state = ACTS
            error = (asked - given) * (weight + B[of_row(C, row_at.B_SOFT, r)])
    B[of_row(C, row_at.B_ERROR, r)] = error
    lacks = error / (weight + B[of_row(C, row_at.B_SOFT, r)]) if state == ACTS else error
    B[of_row(C, row_at.B_NEW, r)] = given + lacks
    _do(C, r, state)
    return worst


@compiled
def _judge_twist(B: Floats, C: Ints, CF: Floats2, r: int, now: float) -> float:
    """As `judge`, for the twist of a contact, whose normal is judged already: dry friction of one coordinate, bounded
    in proportion to the normal's impulse; DIRECTION = the sign of what slips."""
    low, high = bounds_of(B, C, CF, r, row_at.B_NEW)
    given, weight = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_RESPONSE, r)]
    state = OFF
    error = -given
    change = weight * abs(given)
    if low < high and weight > 0.0:
        asked = wanted_at(B, C, r, now)
        change = weight * abs(min(max(asked, low), high) - given)
        if low < asked < high:
            state = ACTS
            error = (asked - given) * (weight + B[of_row(C, row_at.B_SOFT, r)])
        else:
            state = SLIPS
            B[of_row(C, row_at.B_DIRECTION, r)] = math.copysign(1.0, asked)
    B[of_row(C, row_at.B_ERROR, r)] = error
    _do(C, r, state)
    return change


@compiled
def _judge_loss(B: Floats, C: Ints, r: int, now: float) -> float:
    """As `judge`, for losses, whose mesh is judged already. What slips gives DIRECTION times what the mesh carries, and
    TURN beside it, against the motion ASKED.

    What slips goes on with it while it moves that way, whatever becomes of the load, and sticks where it would move the
    other way; what sticks slips where that takes more than it can. The map of other rows would take a gear that goes on
    under another load for one that sticks, and round in a circle.
    """
    given, weight = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_RESPONSE, r)]
    if B[of_row(C, row_at.B_LOW, r)] >= B[of_row(C, row_at.B_HIGH, r)] or weight <= 0.0:
        B[of_row(C, row_at.B_ERROR, r)] = -given
        _do(C, r, OFF)
        return weight * abs(given)
    carried = B[of_row(C, row_at.B_NEW, r - 1)]
    asked = wanted_at(B, C, r, now)
    low, high = loss_bounds(B, C, r, carried)
    motion = 0.0
    before = 0.0
    if C[int_of_row(C, row_at.C_FREE, r)] == SLIPS:
        before = B[of_row(C, row_at.B_ASKED, r)]
        motion = before if before * now > 0.0 else 0.0
    elif not low <= asked <= high:
        motion = -math.copysign(1.0, asked)  # losses push against the motion
    if B[of_row(C, row_at.B_TURNS, r)] > 0.0:
        motion = -math.copysign(1.0, B[of_row(C, row_at.B_RATE, r)])
    lacks = max(abs(now), weight * abs(min(max(given, low), high) - given))
    piece = 0
    if motion != 0.0:
        piece = piece_of(B, C, r, motion * carried)
        beside, share = _slipping(B, C, r, motion, carried, piece)
        lacks = weight * abs(beside + share * carried - given)
    if C[row_at.ONE_AT_A_TIME] != 0:
        motion, piece = _one_at_a_time(B, C, r, (motion, before), piece)
    B[of_row(C, row_at.B_NEW, r)] = piece
    if motion == 0.0:
        B[of_row(C, row_at.B_ERROR, r)] = -now
        _do(C, r, ACTS)
        return lacks
    beside, share = _slipping(B, C, r, motion, carried, piece)
    follows = C[int_of_row(C, row_at.C_FREE, r - 1)] == ACTS
    B[of_row(C, row_at.B_DIRECTION, r)] = share if follows else 0.0
    B[of_row(C, row_at.B_TURN, r)] = beside if follows else beside + share * carried
    B[of_row(C, row_at.B_ASKED, r)] = motion
    B[of_row(C, row_at.B_ERROR, r)] = -given
    _do(C, r, SLIPS)
    return lacks


@compiled
def _slipping(B: Floats, C: Ints, r: int, motion: float, carried: float, piece: int) -> tuple[float, float]:
    """Impulse of losses against a motion, on that piece of them: what is beside what the mesh carries, and how much of
    it they take. Where the motion turns within the step, they are against the other motion first."""
    beside, share = lost_on_piece(B, C, r, piece)
    turns = B[of_row(C, row_at.B_TURNS, r)]
    beside, share = -motion * (1.0 - turns) * beside, -(1.0 - turns) * share
    if turns > 0.0:
        other, follows = lost_on_piece(B, C, r, piece_of(B, C, r, -motion * carried))
        beside += motion * turns * other
        share -= turns * follows
    return beside, share


@compiled
def _one_at_a_time(B: Floats, C: Ints, r: int, motions: tuple[float, float], piece: int) -> tuple[float, int]:
    """What losses do, (motion, piece), where only one row is to do something else than before: the first that has to
    (Murty 1974: with the first of those that are not right, principal pivoting does not go round in circles).
    `motions`: that which it is to have, and had."""
    motion, before = motions
    known = int(B[of_row(C, row_at.B_NEW, r)])
    if motion == before and piece == known:
        return motion, piece
    if C[row_at.ONE_AT_A_TIME] == 1:
        C[row_at.ONE_AT_A_TIME] = 2
        return motion, piece
    return before, known


@compiled
def _judge_friction(B: Floats, C: Ints, CF: Floats2, r: int, u0: float, u1: float) -> float:
    """As `judge`, for both tangents of the normal in the row before, whose rates are off by u; DIRECTION in which
    friction pushes where they slip."""
    x = of_row(C, row_at.B_IMPULSE, r)
    y = of_row(C, row_at.B_IMPULSE, r + 1)
    weight = common_weight(B, C, r)
    normal = max(B[of_row(C, row_at.B_NEW, r - 1)], 0.0)
    bound = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU] * normal
    state = OFF
    e0 = -B[x]
    e1 = -B[y]
    change = 0.0
    if weight > 0.0:
        # The tangential part of the same map, x_t - u / w, projected onto the disk; outside of it the row slips. Where
        # friction yields, u + S x has the place of u.
        a, b = B[x] - u0 / weight, B[y] - u1 / weight
        length = math.sqrt(a * a + b * b)
        if length <= bound and bound > 0.0:
            state = ACTS
            e0 = -u0
            e1 = -u1
            change = max(abs(u0), abs(u1))
        elif bound > 0.0:
            a, b = a / length, b / length
            state = SLIPS
            B[of_row(C, row_at.B_DIRECTION, r)], B[of_row(C, row_at.B_DIRECTION, r + 1)] = a, b
            B[of_row(C, row_at.B_TURN, r)] = bound / length
            change = weight * max(abs(bound * a - B[x]), abs(bound * b - B[y]))
        else:
            change = weight * max(abs(B[x]), abs(B[y]))
    B[of_row(C, row_at.B_ERROR, r)], B[of_row(C, row_at.B_ERROR, r + 1)] = e0, e1
    _do(C, r, state)
    _do(C, r + 1, state)
    return change
