"""One step of Newton's method on the impulses of an island (`solver.newton`): the residual of its rows at the impulses
and the motion at hand, and which rows act; then the system that all of them make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import (
    bounds_of,
    has_tangents,
    is_open,
    leads,
    loss_bounds,
    lost_on_piece,
    piece_of,
    rows_of_island,
)
from simulator.physics.solver.envelope import (
    add_all_to_vector,
    add_cross_product,
    add_product,
    add_products,
    add_to_vector,
    begin_sums,
    factor,
    rate_of_vector,
    rates_of_vector,
    solve_factored,
)
from simulator.physics.solver.rates import rate, rates
from simulator.physics.solver.solve import SETTLED, common_weight, wanted_at

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

OFF, ACTS, SLIPS = 0, 1, 2
"""What a row does: keeps to a bound; reaches its target; slips (the first tangent of a contact, for both, or its
twist)."""
FIRM = 1e7
"""How much stiffer a row is in a step of Newton than the velocity that its impulse gives it."""
LEAST_TURN = 1e-9
"""Least part by which the cone is exceeded that counts in how a slip turns."""


@compiled
def find_residual(
    bounded: BoundedRows, CF: Floats2, first: int, last: int, vector: Floats, weak: float, one_by_one: bool
) -> tuple[float, bool, bool]:
    """FREE = what each row does; ERROR = what it lacks to its target, or what its impulse lacks to its bound; returns
    the largest change of a velocity that a row would make by itself, whether any row does something else than it did,
    or slips, which is never twice the same, and whether any losses or flanks are to do something else. Normals that are
    as near to their target as `weak` [m/s] act. `one_by_one`: of the losses and flanks that are to do something else
    only the first does (Murty 1974: with the first of those that are not right, principal pivoting does not go round in
    circles)."""
    worst = 0.0
    changed = False
    found = False
    for i in range(first, last):
        r = bounded.row[i]
        if not leads(bounded.kind[r]):
            continue
        if has_tangents(bounded, r):
            lacks, differs = _contact_residual(bounded, CF, r, vector, weak)
        elif bounded.kind[r] == row_at.TWIST:
            lacks, differs = _twist_residual(bounded, CF, r, rate(bounded, r, vector))
        elif bounded.kind[r] == row_at.LOSS:
            lacks, differs, turned = _loss_residual(bounded, r, rate(bounded, r, vector), not (one_by_one and found))
            found = found or turned
        elif one_by_one and bounded.kind[r] == row_at.MESH and is_open(bounded, r):
            lacks, differs, turned = _play_residual(bounded, r, rate(bounded, r, vector), not found)
            found = found or turned
        else:
            lacks, differs = _row_residual(bounded, r, rate(bounded, r, vector), weak)
        worst = max(worst, lacks)
        changed = changed or differs
    return worst, changed, found


@compiled
def _do(bounded: BoundedRows, r: int, state: int) -> bool:
    """FREE of a row = what it does; whether that is something else than before."""
    differs = bounded.free[r] != state or state == SLIPS
    bounded.free[r] = state
    return differs


@compiled
def _contact_residual(bounded: BoundedRows, CF: Floats2, r: int, vector: Floats, weak: float) -> tuple[float, bool]:
    """As `find_residual`, of the three rows of a contact that begin with r."""
    now, along, aside = rates(bounded, r, vector)
    worst, changed = _row_residual(bounded, r, now, weak)
    if bounded.low[r + 1] >= bounded.high[r + 1]:
        # Where positions are moved, friction takes no part.
        first = _do(bounded, r + 1, OFF)
        second = _do(bounded, r + 2, OFF)
        bounded.error[r + 1] = bounded.error[r + 2] = 0.0
        return worst, changed or first or second
    along = along - bounded.target[r + 1] + bounded.soft[r + 1] * bounded.impulse[r + 1]
    aside = aside - bounded.target[r + 2] + bounded.soft[r + 2] * bounded.impulse[r + 2]
    slipping, differs = _friction_residual(bounded, CF, r + 1, along, aside)
    return max(worst, slipping), changed or differs


@compiled
def _row_residual(bounded: BoundedRows, r: int, now: float, weak: float) -> tuple[float, bool]:
    """As `find_residual`, of a row whose rate is known, but for tangents."""
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
        if is_open(bounded, r):
            acts = acts and asked != 0.0
            bounded.direction[r] = -math.copysign(
                1.0, asked
            )  # which bound of the rates it is at: pushed up at the least
        if acts:
            state = ACTS
            error = (asked - given) * (weight + bounded.soft[r])
    bounded.error[r] = error
    lacks = error / (weight + bounded.soft[r]) if state == ACTS else error
    if kind == row_at.MESH and given == 0.0 and abs(error) <= SETTLED * (1.0 + abs(now)):
        lacks = 0.0  # whether power flows forwards or backwards is not for rounding to say
    bounded.new[r] = given + lacks
    return worst, _do(bounded, r, state)


@compiled
def _play_residual(bounded: BoundedRows, r: int, now: float, may_turn: bool) -> tuple[float, bool, bool]:
    """As `find_residual`, for a mesh with play between rigid flanks, and whether it is to leave its flank or to meet
    one, which it only does where it `may_turn`. A flank that pulls is left, and one that is passed is met."""
    given, weight = bounded.impulse[r], bounded.response[r]
    least, most = bounded.target[r], bounded.most[r]
    if weight <= 0.0:
        bounded.error[r] = -given
        return 0.0, _do(bounded, r, OFF), False
    acts = bounded.free[r] == ACTS
    upper = bounded.direction[r] > 0.0
    flank = most if upper else least
    pulls = max(given if upper else -given, 0.0)
    passed = max(least - now, now - most, 0.0)
    turned = pulls > 0.0 if acts else passed > SETTLED * (1.0 + abs(now))
    lacks = max(abs(flank - now), weight * pulls) if acts else max(passed, weight * abs(given))
    if turned and may_turn:
        acts = not acts
        if acts:
            bounded.direction[r] = 1.0 if now > most else -1.0
            flank = most if now > most else least
    bounded.error[r] = flank - now if acts else -given
    bounded.new[r] = given
    return lacks, _do(bounded, r, ACTS if acts else OFF), turned


@compiled
def _twist_residual(bounded: BoundedRows, CF: Floats2, r: int, now: float) -> tuple[float, bool]:
    """As `find_residual`, for the twist of a contact, whose normal has its residual already: dry friction of one
    coordinate, bounded in proportion to the normal's impulse; DIRECTION = the sign of what slips."""
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
    return change, _do(bounded, r, state)


@compiled
def _loss_residual(bounded: BoundedRows, r: int, now: float, may_turn: bool) -> tuple[float, bool, bool]:
    """As `find_residual`, for losses, whose mesh has its residual already; and whether they are to move another way, or
    on another piece, than they did, which they only do where they `may_turn`. What slips gives DIRECTION times what the
    mesh carries, and TURN beside it, against the motion ASKED.

    What slips continues to slip while it moves that way, whatever becomes of the load, and sticks where it would move
    the other way; what sticks slips where that takes more than it can. The map of other rows would take a gear that
    turns on under another load for one that sticks, and round in a circle.
    """
    given, weight = bounded.impulse[r], bounded.response[r]
    if bounded.low[r] >= bounded.high[r] or weight <= 0.0:
        bounded.error[r] = -given
        return weight * abs(given), _do(bounded, r, OFF), False
    carried = bounded.new[r - 1]
    asked = wanted_at(bounded, r, now)
    low, high = loss_bounds(bounded, r, carried)
    motion = 0.0
    before = 0.0
    if bounded.free[r] == SLIPS:
        before = bounded.asked[r]
        motion = before if before * now > 0.0 else 0.0
    elif not low <= asked <= high:
        motion = -math.copysign(1.0, asked)  # losses push against the motion
    if bounded.turns[r] > 0.0:
        motion = -math.copysign(1.0, bounded.rate[r])
    lacks = max(abs(now), weight * abs(min(max(given, low), high) - given))
    piece = 0
    if motion != 0.0:
        piece = piece_of(bounded, r, motion * carried)
        beside, share = _slipping(bounded, r, motion, carried, piece)
        lacks = weight * abs(beside + share * carried - given)
    turned = motion != before or piece != bounded.new[r]
    if turned and not may_turn:
        motion, piece = before, int(bounded.new[r])
    bounded.new[r] = piece
    if motion == 0.0:
        bounded.error[r] = -now
        return lacks, _do(bounded, r, ACTS), turned
    beside, share = _slipping(bounded, r, motion, carried, piece)
    follows = bounded.free[r - 1] == ACTS
    # Losses that slip as they did add the same to the matrix of a step.
    differs = bounded.free[r] != SLIPS or bounded.direction[r] != (share if follows else 0.0)
    bounded.free[r] = SLIPS
    bounded.direction[r] = share if follows else 0.0
    bounded.turn[r] = beside if follows else beside + share * carried
    bounded.asked[r] = motion
    bounded.error[r] = -given
    return lacks, differs, turned


@compiled
def _slipping(bounded: BoundedRows, r: int, motion: float, carried: float, piece: int) -> tuple[float, float]:
    """Impulse of losses against a motion, on that piece of them: what is beside what the mesh carries, and how much of
    it they take. Where the motion turns within the step, they are against the other motion first."""
    beside, share = lost_on_piece(bounded, r, piece)
    turns = bounded.turns[r]
    beside, share = -motion * (1.0 - turns) * beside, -(1.0 - turns) * share
    if turns > 0.0:
        other, follows = lost_on_piece(bounded, r, piece_of(bounded, r, -motion * carried))
        beside += motion * turns * other
        share -= turns * follows
    return beside, share


@compiled
def _friction_residual(bounded: BoundedRows, CF: Floats2, r: int, u0: float, u1: float) -> tuple[float, bool]:
    """As `find_residual`, for both tangents of the normal in the row before, whose rates are off by u; DIRECTION in
    which friction pushes where they slip."""
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
    first = _do(bounded, r, state)
    second = _do(bounded, r + 1, state)
    return change, first or second


# -- the step ----------------------------------------------------------------------------------------------------------


@compiled
def newton_step(bounded: BoundedRows, CF: Floats2, island: int, anew: bool) -> bool:
    """One step of all impulses from what `find_residual` found, with the mass matrix that is stored (`store_mass`);
    False where it leads nowhere. Factors are found `anew`, or are still those of the step before."""
    (first, last) = rows_of_island(bounded, island)
    begin = bounded.coordinates[island]
    end = bounded.coordinates[island + 1]
    slips = False
    begin_sums(bounded, island, anew)
    for i in range(first, last):
        if not leads(bounded.kind[bounded.row[i]]):
            continue
        if has_tangents(bounded, bounded.row[i]):
            slips = _add_contact(bounded, CF, bounded.row[i], anew) or slips
        elif bounded.free[bounded.row[i]] == SLIPS:
            _add_follower(bounded, CF, bounded.row[i], anew)
            slips = True
        else:
            _add_row(bounded, bounded.row[i], anew)
    # H + sum J^T k J, and mu k d J_n of what slips, which makes it unsymmetric: LU, not Cholesky.
    if anew:
        factor(bounded, begin, end, slips)
    solve_factored(bounded, begin, end)
    sound = True
    for i in range(first, last):
        if leads(bounded.kind[bounded.row[i]]):
            sound = (
                _change_contact(bounded, CF, bounded.row[i])
                if has_tangents(bounded, bounded.row[i])
                else _change_row(bounded, CF, bounded.row[i])
            ) and sound
    for i in range(first, last if sound else first):
        bounded.impulse[bounded.row[i]] += bounded.change[bounded.row[i]]
    return sound


@compiled
def _firmness(bounded: BoundedRows, r: int) -> float:
    """What a row that acts gives per rate that it lacks."""
    weight = bounded.response[r]
    return 1.0 / (weight / FIRM + bounded.soft[r]) if weight > 0.0 else 0.0


@compiled
def _slip(
    bounded: BoundedRows, CF: Floats2, r: int
) -> tuple[float, float, float, float, float, float, tuple[float, float]]:
    """Of a contact that slips, whose tangents are rows r and r + 1: (direction of friction (2), mu, what the impulse
    lacks along it without a change of the normal's, and across it; stiffness across it; which way (2) a change along
    it goes)."""
    d0 = bounded.direction[r]
    d1 = bounded.direction[r + 1]
    x = bounded.impulse[r]
    y = bounded.impulse[r + 1]
    mu = CF[bounded.line[r], row_at.MU]
    weight = common_weight(bounded, r)
    turn = bounded.turn[r]
    # d(a / |a|) = (E - d d^T) da / |a|: across the slip only bound / |a| of a change is followed.
    free = max(1.0 - turn, LEAST_TURN)
    # da = dx - (J dv + S dx) / w: of a change across the slip S takes a part, and one along it turns it.
    first = bounded.soft[r]
    second = bounded.soft[r + 1]
    free += turn * (first * d1 * d1 + second * d0 * d0) / weight
    aside = turn * (second - first) * d0 * d1 / (free * weight)
    along = mu * bounded.impulse[r - 1] - d0 * x - d1 * y
    way = (d0 + aside * d1, d1 - aside * d0)
    return d0, d1, mu, along, (d1 * x - d0 * y) / free, turn / (free * weight), way


@compiled
def _add_row(bounded: BoundedRows, r: int, anew: bool) -> None:
    """What a row adds to the matrix, which is made `anew` or not, and to the right-hand side."""
    error = bounded.error[r]
    if bounded.free[r] == ACTS:
        firm = _firmness(bounded, r)
        if anew:
            add_product(bounded, r, firm)
        error *= firm
    if error != 0.0:
        add_to_vector(bounded, r, error)


@compiled
def _follow(bounded: BoundedRows, CF: Floats2, r: int) -> tuple[int, float, float]:
    """Of a twist or of losses that slip: the row whose impulse they follow, what they get of it, and what they lack
    without a change of that."""
    given = bounded.impulse[r]
    if bounded.kind[r] == row_at.TWIST:
        leader = r - 3
        share = bounded.direction[r] * CF[bounded.line[r], row_at.TWISTING]
        beside = 0.0
    else:
        leader = r - 1
        share, beside = bounded.direction[r], bounded.turn[r]
    return leader, share, beside + share * bounded.impulse[leader] - given


@compiled
def _add_follower(bounded: BoundedRows, CF: Floats2, r: int, anew: bool) -> None:
    """As `_add_row`, for a twist or losses that slip."""
    leader, share, lacks = _follow(bounded, CF, r)
    firm = share * _firmness(bounded, leader)
    if anew and firm != 0.0:
        add_cross_product(bounded, r, leader, firm)
    add_to_vector(bounded, r, lacks + firm * bounded.error[leader])


@compiled
def _add_contact(bounded: BoundedRows, CF: Floats2, r: int, anew: bool) -> bool:
    """As `_add_row`, for the three rows of a contact that begin with r; returns whether it slips: then friction follows
    the normal's impulse, and what is added is not symmetric."""
    state = bounded.free[r + 1]
    acts = bounded.free[r] == ACTS
    normal, along, aside = (
        bounded.error[r], bounded.error[r + 1], bounded.error[r + 2],
    )  # fmt: skip
    a = _firmness(bounded, r) if acts else 0.0
    b = 0.0
    c = 0.0
    e = 0.0
    follows = 0.0
    sideways = 0.0
    if state == ACTS:
        b, c = _firmness(bounded, r + 1), _firmness(bounded, r + 2)
        along, aside = b * along, c * aside
    elif state == SLIPS:
        d0, d1, mu, lacks, across, stiffness, way = _slip(bounded, CF, r + 1)
        # k (E - d d^T) = k t t^T with t = (-d1, d0): stiffness across the slip alone.
        b = stiffness * d1 * d1
        c = stiffness * d0 * d0
        e = -stiffness * d0 * d1
        firm = mu * _firmness(bounded, r)
        lacks = lacks + firm * normal
        follows = firm * way[0]
        sideways = firm * way[1]
        along = lacks * way[0] - across * d1
        aside = lacks * way[1] + across * d0
    if anew and (acts or state != OFF):
        add_products(bounded, r, (a, b, c, e, follows, sideways))
    normal = a * normal if acts else normal
    if normal != 0.0 or along != 0.0 or aside != 0.0:
        add_all_to_vector(bounded, r, (normal, along, aside))
    return bool(state == SLIPS)


@compiled
def _change_row(bounded: BoundedRows, CF: Floats2, r: int) -> bool:
    """CHANGE of a row's impulse; whether it is finite."""
    change, state = bounded.error[r], bounded.free[r]
    if state == ACTS:
        # x+ - x = k (what it lacks - J dv), the row of the system that was eliminated.
        change = _firmness(bounded, r) * (change - rate_of_vector(bounded, r))
    elif state == SLIPS:
        leader, share, lacks = _follow(bounded, CF, r)
        change = lacks + share * bounded.change[leader]
    bounded.change[r] = change
    return math.isfinite(change)


@compiled
def _change_contact(bounded: BoundedRows, CF: Floats2, r: int) -> bool:
    """CHANGE of the impulses of the three rows of a contact that begin with r; whether they are finite."""
    state = bounded.free[r + 1]
    acts = bounded.free[r] == ACTS
    change, x, y = (
        bounded.error[r], bounded.error[r + 1], bounded.error[r + 2],
    )  # fmt: skip
    if acts or state != OFF:
        u, v, w = rates_of_vector(bounded, r)
        change = _firmness(bounded, r) * (change - u) if acts else change
        if state == ACTS:
            x, y = _firmness(bounded, r + 1) * (x - v), _firmness(bounded, r + 2) * (y - w)
        elif state == SLIPS:
            d0, d1, mu, along, across, stiffness, way = _slip(bounded, CF, r + 1)
            along += mu * change
            across -= stiffness * (d0 * w - d1 * v)
            x = along * way[0] - across * d1
            y = along * way[1] + across * d0
    bounded.change[r] = change
    bounded.change[r + 1], bounded.change[r + 2] = x, y
    return math.isfinite(change) and math.isfinite(x) and math.isfinite(y)
