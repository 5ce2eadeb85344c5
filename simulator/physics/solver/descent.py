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
from simulator.physics.layout.row_layout import (
    allowed_rate,
    bounds_of,
    has_tangents,
    int_of_row,
    is_open,
    island_column,
    leads,
    near_rows,
    of_row,
)
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
    from simulator.kinematics.arrays import Floats, Floats2, Ints

FIRM = 1e5
"""How much stiffer a row is in these steps than the velocity that its impulse gives it."""
OUTER, INNER, SEARCH = 6, 20, 30
"""Times that c is renewed, steps of Newton for each, and tries along a way."""
NEAR_ENOUGH, FLAT = 1e-3, 0.1
"""Steps of one c end when what they lack is this part of what it lacked before; a place along a way is good when so
much of the slope at its start is left."""


@compiled
def descend(F: Floats, B: Floats, C: Ints, CF: Floats2, island: int, vector: int, settled: float) -> None:
    """Better impulses for an island, from those that are there, and the vector in F with them; its mass matrix is
    stored already (`store_mass`)."""
    first, last = near_rows(C, island)
    for i in range(first, last):
        B[of_row(C, row_at.B_CENTRE, C[i])] = B[of_row(C, row_at.B_IMPULSE, C[i])]
    for _ in range(OUTER):
        # The method of multipliers: minimize M for the centre c, then c = x; it ends where c and x are the same.
        lacked = left = _respond(F, B, C, CF, first, last, vector)
        for _ in range(INNER):
            C[row_at.SWEEPS] += 1
            if left <= settled or not _step(F, B, C, CF, island, vector):
                break
            left = _respond(F, B, C, CF, first, last, vector)
            if left <= NEAR_ENOUGH * lacked:
                break
        for i in range(first, last):
            centre = of_row(C, row_at.B_CENTRE, C[i])
            B[centre] += (B[of_row(C, row_at.B_NEW, C[i])] - B[centre]) / (1.0 + _largest_share(B, C, C[i]))
        if lacked <= settled:
            return


@compiled
def _largest_share(B: Floats, C: Ints, r: int) -> float:
    """By which losses follow what mesh r carries; 0 of other rows. Losses take from what they follow: renewed at once
    by all that it lacks, a large share would go round in circles again."""
    share = 0.0
    is_mesh = C[int_of_row(C, row_at.C_KIND, r)] == row_at.MESH and r + 1 < C[row_at.COUNT]
    if is_mesh and C[int_of_row(C, row_at.C_KIND, r + 1)] == row_at.LOSS:
        share = max(B[of_row(C, row_at.B_SHARE, r + 1)], B[of_row(C, row_at.B_SHARE_BACK, r + 1)])
    return share


@compiled
def _change(F: Floats, B: Floats, C: Ints, r: int, vector: int, change: float) -> None:
    if change != 0.0:
        B[of_row(C, row_at.B_IMPULSE, r)] += change
        push(F, B, C, r, vector, change)


# -- what rows answer to a motion --------------------------------------------------------------------------------------


@compiled
def _respond(F: Floats, B: Floats, C: Ints, CF: Floats2, first: int, last: int, vector: int) -> float:
    """NOW = J v, NEW = x(J v) of all rows; returns the largest change of a velocity that is between x and the
    impulses."""
    worst = 0.0
    for i in range(first, last):
        if leads(C[int_of_row(C, row_at.C_KIND, C[i])]):
            rate_from(F, B, C, C[i], vector, row_at.B_NOW)
    for i in range(first, last):
        _answer(B, C, CF, C[i], 0.0)
    for i in range(first, last):
        r = C[i]
        between = abs(B[of_row(C, row_at.B_NEW, r)] - B[of_row(C, row_at.B_IMPULSE, r)])
        worst = max(worst, between * B[of_row(C, row_at.B_RESPONSE, r)])
    return worst


@compiled
def _common_weight(B: Floats, C: Ints, r: int) -> float:
    """Of both tangents that begin with row r: one for both, so that what slips is pushed straight against its slip."""
    return max(B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_RESPONSE, r + 1)])


@compiled
def _firmness(B: Floats, C: Ints, r: int, weight: float) -> float:
    return 1.0 / (weight / FIRM + B[of_row(C, row_at.B_SOFT, r)]) if weight > 0.0 else 0.0


@compiled
def _from_centre(B: Floats, C: Ints, r: int, weight: float, t: float) -> float:
    """c e - J (v + t d)."""
    now = (
        B[of_row(C, row_at.B_NOW, r)] + t * B[of_row(C, row_at.B_AHEAD, r)]
        if t != 0.0
        else B[of_row(C, row_at.B_NOW, r)]
    )
    return B[of_row(C, row_at.B_CENTRE, r)] * weight / FIRM - now


@compiled
def _answer(B: Floats, C: Ints, CF: Floats2, r: int, t: float) -> None:
    """NEW = x(J (v + t d)) of a row, of both tangents at the first; FREE = whether it changes with v, WAY and TURN how
    friction does."""
    kind = C[int_of_row(C, row_at.C_KIND, r)]
    low, high = bounds_of(B, C, CF, r, row_at.B_CENTRE)
    new = of_row(C, row_at.B_NEW, r)
    weight = B[of_row(C, row_at.B_RESPONSE, r)]
    if kind == row_at.TANGENT and low < high:
        _answer_rubbing(B, C, CF, r, t)
    elif kind == row_at.SECOND_TANGENT and low < high:
        return
    elif weight <= 0.0 or low >= high:
        C[int_of_row(C, row_at.C_FREE, r)] = 0
        B[new] = 0.0
    else:
        wanted = _from_centre(B, C, r, weight, t)
        target = allowed_rate(B, C, r, -wanted)
        # x(a) = (c e + target - a) / (e + soft), then its bounds: minus the gradient of phi.
        asked = (wanted + target) * _firmness(B, C, r, weight)
        acts = low < asked < high and not (is_open(B, C, r) and asked == 0.0)
        C[int_of_row(C, row_at.C_FREE, r)] = 1 if acts else 0
        B[new] = min(max(asked, low), high)


@compiled
def _answer_rubbing(B: Floats, C: Ints, CF: Floats2, r: int, t: float) -> None:
    """`_answer` for both tangents: inside the disk of mu times the normal impulse, or on its rim."""
    weight = _common_weight(B, C, r)
    mu = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU]
    most = mu * max(B[of_row(C, row_at.B_CENTRE, r - 1)], 0.0)
    firm = _firmness(B, C, r, weight)
    a = firm * (_from_centre(B, C, r, weight, t) + B[of_row(C, row_at.B_TARGET, r)])
    b = firm * (_from_centre(B, C, r + 1, weight, t) + B[of_row(C, row_at.B_TARGET, r + 1)])
    length = math.sqrt(a * a + b * b)
    state = 1
    share = 1.0
    # The disk has the radius of the centre's normal impulse, not of the present one: so M stays convex.
    if length > most:
        share = most / length
        state = 2 if most > 0.0 else 0
        B[of_row(C, row_at.B_DIRECTION, r)], B[of_row(C, row_at.B_DIRECTION, r + 1)] = a / length, b / length
        B[of_row(C, row_at.B_TURN, r)] = share
    elif weight <= 0.0:
        state = 0
    B[of_row(C, row_at.B_NEW, r)], B[of_row(C, row_at.B_NEW, r + 1)] = share * a, share * b
    C[int_of_row(C, row_at.C_FREE, r)] = C[int_of_row(C, row_at.C_FREE, r + 1)] = state


# -- one step ----------------------------------------------------------------------------------------------------------


@compiled
def _step(F: Floats, B: Floats, C: Ints, CF: Floats2, island: int, vector: int) -> bool:
    """One step of Newton from what `_respond` found, as far as it goes down; False where it leads nowhere."""
    (first, last) = near_rows(C, island)
    places = island_column(C, row_at.I_COORDINATES)
    begin = C[places + island]
    end = C[places + island + 1]
    begin_sums(B, C, island, True)
    for i in range(first, last):
        r = C[i]
        add_to_vector(B, C, r, B[of_row(C, row_at.B_NEW, r)] - B[of_row(C, row_at.B_IMPULSE, r)])
        if leads(C[int_of_row(C, row_at.C_KIND, r)]):
            _stiffen(B, C, r)
    factor(B, C, begin, end, False)
    solve_factored(B, C, begin, end)
    slope, sound = 0.0, True
    for i in range(first, last):
        r = C[i]
        if has_tangents(C, r):
            ahead = of_row(C, row_at.B_AHEAD, r)
            B[ahead], B[ahead + 1], B[ahead + 2] = rates_of_vector(B, C, r)
        elif leads(C[int_of_row(C, row_at.C_KIND, r)]):
            B[of_row(C, row_at.B_AHEAD, r)] = rate_of_vector(B, C, r)
    for i in range(first, last):
        r = C[i]
        left = B[of_row(C, row_at.B_NEW, r)] - B[of_row(C, row_at.B_IMPULSE, r)]
        B[of_row(C, row_at.B_CHANGE, r)] = left - _give_way(B, C, r)
        # Slope of M along d: (v - v*)^T H d - x^T J d = (y - x)^T J d.
        slope -= left * B[of_row(C, row_at.B_AHEAD, r)]
        sound = sound and math.isfinite(B[of_row(C, row_at.B_CHANGE, r)])
    if not sound or not slope < 0.0:
        return False
    share = _search(B, C, CF, first, last, slope)
    for i in range(first, last):
        _change(F, B, C, C[i], vector, share * B[of_row(C, row_at.B_CHANGE, C[i])])
    return True


@compiled
def _stiffen(B: Floats, C: Ints, r: int) -> None:
    """The matrix += J^T D J of a row, or of the three rows of a contact that begin with it."""
    firm = _firmness(B, C, r, B[of_row(C, row_at.B_RESPONSE, r)]) if C[int_of_row(C, row_at.C_FREE, r)] else 0.0
    if not has_tangents(C, r):
        if firm != 0.0:
            add_product(B, C, r, firm)
        return
    state = C[int_of_row(C, row_at.C_FREE, r + 1)]
    b = 0.0
    c = 0.0
    e = 0.0
    if state:
        b = c = _firmness(B, C, r + 1, _common_weight(B, C, r + 1))
    if state > 1:
        # Derivative of a projection onto a disk: bound / |a| across, nothing along.
        across = b * B[of_row(C, row_at.B_TURN, r + 1)]
        d0, d1 = B[of_row(C, row_at.B_DIRECTION, r + 1)], B[of_row(C, row_at.B_DIRECTION, r + 2)]
        b = across * d1 * d1
        c = across * d0 * d0
        e = -across * d0 * d1
    if firm != 0.0 or state:
        add_products(B, C, r, (firm, b, c, e, 0.0, 0.0))


@compiled
def _give_way(B: Floats, C: Ints, r: int) -> float:
    """D J d of a row."""
    state, kind = C[int_of_row(C, row_at.C_FREE, r)], C[int_of_row(C, row_at.C_KIND, r)]
    ahead = of_row(C, row_at.B_AHEAD, r)
    if not state:
        return 0.0
    if leads(kind):
        return _firmness(B, C, r, B[of_row(C, row_at.B_RESPONSE, r)]) * B[ahead]
    begin = r if kind == row_at.TANGENT else r - 1
    firm = _firmness(B, C, begin, _common_weight(B, C, begin))
    if state == 1:
        return firm * B[ahead]
    d0 = B[of_row(C, row_at.B_DIRECTION, begin)]
    d1 = B[of_row(C, row_at.B_DIRECTION, begin + 1)]
    u0 = B[of_row(C, row_at.B_AHEAD, begin)]
    u1 = B[of_row(C, row_at.B_AHEAD, begin + 1)]
    across = firm * B[of_row(C, row_at.B_TURN, begin)] * (d0 * u1 - d1 * u0)
    return -d1 * across if kind == row_at.TANGENT else d0 * across


@compiled
def _slope(B: Floats, C: Ints, CF: Floats2, first: int, last: int, t: float) -> float:
    """Of M along the way, at t."""
    total = 0.0
    for i in range(first, last):
        _answer(B, C, CF, C[i], t)
    for i in range(first, last):
        r = C[i]
        given = B[of_row(C, row_at.B_IMPULSE, r)] + t * B[of_row(C, row_at.B_CHANGE, r)]
        total += B[of_row(C, row_at.B_AHEAD, r)] * (given - B[of_row(C, row_at.B_NEW, r)])
    return total


@compiled
def _search(B: Floats, C: Ints, CF: Floats2, first: int, last: int, slope: float) -> float:
    """How far to go along the way: M is convex, so its slope ascends, and is gone somewhere between where it falls and
    where it rises."""
    low = 0.0
    falls = slope
    high = 1.0
    rises = _slope(B, C, CF, first, last, 1.0)
    if rises <= -FLAT * slope:
        return 1.0
    t = 1.0
    for k in range(SEARCH):
        # Regula falsi, every third try by bisection, so that both ends of the bracket move.
        t = low + (high - low) * (falls / (falls - rises) if k % 3 < 2 else 0.5)
        now = _slope(B, C, CF, first, last, t)
        if abs(now) <= -FLAT * slope:
            break
        if now < 0.0:
            low, falls = t, now
        else:
            high, rises = t, now
    return t
