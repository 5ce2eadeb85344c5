"""Impulses of an island by steps that always go down: where Newton's method on its own goes round in circles.

Friction is bounded by mu times the normal impulse at hand, which leaves a convex problem: the least change of motion in
the norm of H with which every row has an impulse within its bounds. In its augmented Lagrangian (Hestenes 1969, Powell
1969, Rockafellar 1976), with impulses c to begin with and e = w / FIRM the softness of a row whose impulse alone
changes its rate by w,

    M(v) = |v - v*|^2_H / 2 + sum of phi(J v),   -phi'(a) = x(a) = bounds applied to (c e + target - a) / (e + soft),

is convex with a continuous gradient H (v - v*) - J^T x(J v), and piecewise quadratic but for friction. Newton's method
on it with a search along its way for the place where the slope is gone ends after finitely many steps wherever it
begins (Li, Sun and Toh, A highly efficient semismooth Newton augmented Lagrangian method, SIAM J. Optim. 28, 2018).
Then c becomes x, and friction follows the normal impulses.

v is never written as such: it is v* + X y with impulses y that are not yet within bounds, so that the slope along a way
d = X z is the sum of J d (y + t z - x) over rows, and a step is z = x - y - D J d with (H + J^T D J) d = J^T (x - y)
and D = -x'.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import allowed_rate, bounds_of, has_tangents, is_open, leads, rows_of_island
from simulator.physics.solver.envelope import (
    add_product,
    add_products,
    add_to_vector,
    begin_sums,
    factor,
    rate_of_vector,
    rates_of_vector,
    solve_factored,
)
from simulator.physics.solver.rates import push, rate_from

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

FIRM = 1e5
"""How much stiffer a row is in these steps than the velocity that its impulse gives it."""
OUTER, INNER, SEARCH = 6, 20, 30
"""Times that c is renewed, steps of Newton for each, and tries along a way."""
NEAR_ENOUGH, FLAT = 1e-3, 0.1
"""Steps of one c end when what they lack is this part of what it lacked before; a place along a way is good when so
much of the slope at its start is left."""


@compiled
def descend(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, settled: float) -> None:
    """Better impulses for an island, from those that are there, and the vector in F with them; its mass matrix is
    stored already (`store_mass`)."""
    first, last = rows_of_island(bounded, island)
    for i in range(first, last):
        bounded.centre[bounded.row[i]] = bounded.impulse[bounded.row[i]]
    for _ in range(OUTER):
        # The method of multipliers: minimize M for the centre c, then c = x; it ends where c and x are the same.
        lacked = left = _respond(bounded, CF, first, last, vector)
        for _ in range(INNER):
            bounded.sweeps[0] += 1
            if left <= settled or not _step(bounded, CF, island, vector):
                break
            left = _respond(bounded, CF, first, last, vector)
            if left <= NEAR_ENOUGH * lacked:
                break
        for i in range(first, last):
            r = bounded.row[i]
            bounded.centre[r] += (bounded.new[r] - bounded.centre[r]) / (1.0 + _largest_share(bounded, r))
        if lacked <= settled:
            return


@compiled
def _largest_share(bounded: BoundedRows, r: int) -> float:
    """By which losses follow what mesh r carries; 0 of other rows. Losses take from what they follow: renewed at once
    by all that it lacks, a large share would go round in circles again."""
    share = 0.0
    is_mesh = bounded.kind[r] == row_at.MESH and r + 1 < bounded.gathered[0]
    if is_mesh and bounded.kind[r + 1] == row_at.LOSS:
        share = max(bounded.share[r + 1], bounded.share_back[r + 1])
    return share


@compiled
def _change(bounded: BoundedRows, r: int, vector: Floats, change: float) -> None:
    if change != 0.0:
        bounded.impulse[r] += change
        push(bounded, r, vector, change)


# -- what rows answer to a motion --------------------------------------------------------------------------------------


@compiled
def _respond(bounded: BoundedRows, CF: Floats2, first: int, last: int, vector: Floats) -> float:
    """NOW = J v, NEW = x(J v) of all rows; returns the largest change of a velocity that is between x and the
    impulses."""
    worst = 0.0
    for i in range(first, last):
        if leads(bounded.kind[bounded.row[i]]):
            rate_from(bounded, bounded.row[i], vector, bounded.now)
    for i in range(first, last):
        _answer(bounded, CF, bounded.row[i], 0.0)
    for i in range(first, last):
        r = bounded.row[i]
        between = abs(bounded.new[r] - bounded.impulse[r])
        worst = max(worst, between * bounded.response[r])
    return worst


@compiled
def _common_weight(bounded: BoundedRows, r: int) -> float:
    """Of both tangents that begin with row r: one for both, so that what slips is pushed straight against its slip."""
    return max(bounded.response[r], bounded.response[r + 1])


@compiled
def _firmness(bounded: BoundedRows, r: int, weight: float) -> float:
    return 1.0 / (weight / FIRM + bounded.soft[r]) if weight > 0.0 else 0.0


@compiled
def _from_centre(bounded: BoundedRows, r: int, weight: float, t: float) -> float:
    """c e - J (v + t d)."""
    now = bounded.now[r] + t * bounded.ahead[r] if t != 0.0 else bounded.now[r]
    return bounded.centre[r] * weight / FIRM - now


@compiled
def _answer(bounded: BoundedRows, CF: Floats2, r: int, t: float) -> None:
    """NEW = x(J (v + t d)) of a row, of both tangents at the first; FREE = whether it changes with v, DIRECTION and
    TURN how friction does."""
    kind = bounded.kind[r]
    low, high = bounds_of(bounded, CF, r, bounded.centre)
    weight = bounded.response[r]
    if kind == row_at.TANGENT and low < high:
        _answer_friction(bounded, CF, r, t)
    elif kind == row_at.SECOND_TANGENT and low < high:
        return
    elif weight <= 0.0 or low >= high:
        bounded.free[r] = 0
        bounded.new[r] = 0.0
    else:
        wanted = _from_centre(bounded, r, weight, t)
        target = allowed_rate(bounded, r, -wanted)
        # x(a) = (c e + target - a) / (e + soft), then its bounds: minus the gradient of phi.
        asked = (wanted + target) * _firmness(bounded, r, weight)
        acts = low < asked < high and not (is_open(bounded, r) and asked == 0.0)
        bounded.free[r] = 1 if acts else 0
        bounded.new[r] = min(max(asked, low), high)


@compiled
def _answer_friction(bounded: BoundedRows, CF: Floats2, r: int, t: float) -> None:
    """`_answer` for both tangents: inside the disk of mu times the normal impulse, or on its rim."""
    weight = _common_weight(bounded, r)
    mu = CF[bounded.line[r], row_at.MU]
    most = mu * max(bounded.centre[r - 1], 0.0)
    firm = _firmness(bounded, r, weight)
    a = firm * (_from_centre(bounded, r, weight, t) + bounded.target[r])
    b = firm * (_from_centre(bounded, r + 1, weight, t) + bounded.target[r + 1])
    length = math.sqrt(a * a + b * b)
    state = 1
    share = 1.0
    # The disk has the radius of the centre's normal impulse, not of the present one: so M stays convex.
    if length > most:
        share = most / length
        state = 2 if most > 0.0 else 0
        bounded.direction[r], bounded.direction[r + 1] = a / length, b / length
        bounded.turn[r] = share
    elif weight <= 0.0:
        state = 0
    bounded.new[r], bounded.new[r + 1] = share * a, share * b
    bounded.free[r] = bounded.free[r + 1] = state


# -- one step ----------------------------------------------------------------------------------------------------------


@compiled
def _step(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats) -> bool:
    """One step of Newton from what `_respond` found, as far as it goes down; False where it leads nowhere."""
    (first, last) = rows_of_island(bounded, island)
    begin = bounded.coordinates[island]
    end = bounded.coordinates[island + 1]
    begin_sums(bounded, island, True)
    for i in range(first, last):
        r = bounded.row[i]
        add_to_vector(bounded, r, bounded.new[r] - bounded.impulse[r])
        if leads(bounded.kind[r]):
            _stiffen(bounded, r)
    factor(bounded, begin, end, False)
    solve_factored(bounded, begin, end)
    slope, sound = 0.0, True
    for i in range(first, last):
        r = bounded.row[i]
        if has_tangents(bounded, r):
            bounded.ahead[r], bounded.ahead[r + 1], bounded.ahead[r + 2] = rates_of_vector(bounded, r)
        elif leads(bounded.kind[r]):
            bounded.ahead[r] = rate_of_vector(bounded, r)
    for i in range(first, last):
        r = bounded.row[i]
        left = bounded.new[r] - bounded.impulse[r]
        bounded.change[r] = left - _give_way(bounded, r)
        # Slope of M along d: (v - v*)^T H d - x^T J d = (y - x)^T J d.
        slope -= left * bounded.ahead[r]
        sound = sound and math.isfinite(bounded.change[r])
    if not sound or not slope < 0.0:
        return False
    share = _search(bounded, CF, first, last, slope)
    for i in range(first, last):
        _change(bounded, bounded.row[i], vector, share * bounded.change[bounded.row[i]])
    return True


@compiled
def _stiffen(bounded: BoundedRows, r: int) -> None:
    """The matrix += J^T D J of a row, or of the three rows of a contact that begin with it."""
    firm = _firmness(bounded, r, bounded.response[r]) if bounded.free[r] else 0.0
    if not has_tangents(bounded, r):
        if firm != 0.0:
            add_product(bounded, r, firm)
        return
    state = bounded.free[r + 1]
    b = 0.0
    c = 0.0
    e = 0.0
    if state:
        b = c = _firmness(bounded, r + 1, _common_weight(bounded, r + 1))
    if state > 1:
        # Derivative of a projection onto a disk: bound / |a| across, nothing along.
        across = b * bounded.turn[r + 1]
        d0, d1 = bounded.direction[r + 1], bounded.direction[r + 2]
        b = across * d1 * d1
        c = across * d0 * d0
        e = -across * d0 * d1
    if firm != 0.0 or state:
        add_products(bounded, r, (firm, b, c, e, 0.0, 0.0))


@compiled
def _give_way(bounded: BoundedRows, r: int) -> float:
    """D J d of a row."""
    state, kind = bounded.free[r], bounded.kind[r]
    if not state:
        return 0.0
    if leads(kind):
        return _firmness(bounded, r, bounded.response[r]) * bounded.ahead[r]
    begin = r if kind == row_at.TANGENT else r - 1
    firm = _firmness(bounded, begin, _common_weight(bounded, begin))
    if state == 1:
        return firm * bounded.ahead[r]
    d0 = bounded.direction[begin]
    d1 = bounded.direction[begin + 1]
    u0 = bounded.ahead[begin]
    u1 = bounded.ahead[begin + 1]
    across = firm * bounded.turn[begin] * (d0 * u1 - d1 * u0)
    return -d1 * across if kind == row_at.TANGENT else d0 * across


@compiled
def _slope(bounded: BoundedRows, CF: Floats2, first: int, last: int, t: float) -> float:
    """Of M along the way, at t."""
    total = 0.0
    for i in range(first, last):
        _answer(bounded, CF, bounded.row[i], t)
    for i in range(first, last):
        r = bounded.row[i]
        given = bounded.impulse[r] + t * bounded.change[r]
        total += bounded.ahead[r] * (given - bounded.new[r])
    return total


@compiled
def _search(bounded: BoundedRows, CF: Floats2, first: int, last: int, slope: float) -> float:
    """How far to go along the way: M is convex, so its slope ascends, and is gone somewhere between where it falls and
    where it rises."""
    low = 0.0
    falls = slope
    high = 1.0
    rises = _slope(bounded, CF, first, last, 1.0)
    if rises <= -FLAT * slope:
        return 1.0
    t = 1.0
    for k in range(SEARCH):
        # Regula falsi, every third try by bisection, so that both ends of the bracket move.
        t = low + (high - low) * (falls / (falls - rises) if k % 3 < 2 else 0.5)
        now = _slope(bounded, CF, first, last, t)
        if abs(now) <= -FLAT * slope:
            break
        if now < 0.0:
            low, falls = t, now
        else:
            high, rises = t, now
    return t
