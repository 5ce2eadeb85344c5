"""One step of Newton's method on the impulses of an island (`solver.newton`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents, leads, rows_of_island
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
from simulator.physics.solver.residual import ACTS, OFF, SLIPS
from simulator.physics.solver.solve import common_weight

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows

FIRM = 1e7
"""How much stiffer a row is in a step of Newton than the velocity that its impulse gives it."""
LEAST_TURN = 1e-9
"""Least part by which the cone is exceeded that counts in how a slip turns."""


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
