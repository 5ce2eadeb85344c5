"""Find the impulses of an island at once: Newton's method on which rows act, and how.

Wanted are impulses x and velocities v with H (v - v*) = J^T x, and for every row x = its bounds applied to x + (target
- J v) / w, where w is what its own impulse changes it by: the complementarity of contacts and motors, and Coulomb's
cone with the friction along the slip (Alart and Curnier, A mixed formulation for frictional contact problems prone to
Newton-like solution methods, 1991). What is inside its bounds asks for J v = target. What slips pushes with mu times
its normal impulse against the slip, whose direction turns with v.

Rows of contacts depend on each other, so each step of Newton solves them a little soft, w / FIRM, which makes it a step
of the proximal point algorithm (Rockafellar 1976) and with H + J^T (FIRM / w) J a system that is as sparse as H: its
cost grows with the bodies of a pile, not with the third power of its points. The residual is taken from the rows
themselves each time, so nothing soft is left at the end.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_descent import descend
from simulator.dynamics.compiled.bounded_envelope import (
    add_mass,
    add_product,
    add_to_vector,
    add_whole_product,
    factor,
    mirror,
    rate_of_vector,
    solve_factored,
)
from simulator.dynamics.compiled.bounded_layout import (
    int_of_row,
    island_column,
    of_row,
    row_list,
    unmoved,
)
from simulator.dynamics.compiled.bounded_solve import SETTLED, STALLED, UNBOUNDED, push, rate, relax, scale_of, wanted
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

FIRM = 1e7
"""How much stiffer a row is in a step of Newton than the velocity that its impulse gives it."""
STEPS, PATIENCE, TRIES = 20, 3, 4
"""Steps of Newton before they are helped on (`bounded_descent`), steps in a row that bring nothing, and how often they
are helped. What the step before makes them begin with is given up first: it may be worse than nothing, where other
points than before touch."""
ENOUGH = 1e-7
"""Where bodies tumble, contacts take turns within a step, and no choice of who sticks holds to the last digit: what
lacks less than this part of the motion is good enough, once Newton's method brings no more."""
SWEEPS, TRIES_MOVING = 40, 1
"""Sweeps that end the search on a moving island, and how often it begins from nothing."""
WEAK = 1e-9
"""Contacts without an impulse that are as near to their target as this [m/s] are taken to push at first: those of a
pile all do."""
OFF, ACTS, SLIPS = 0, 1, 2
"""What a row does: keeps to a bound; reaches its target; slips (the first tangent of a contact, for both)."""
LEAST_TURN = 1e-9
"""Least part by which the cone is exceeded that counts in how a slip turns."""


@compiled
def solve_islands(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats, vector: int) -> bool:
    """Impulses of all rows, from those that are there, and with them the vector in F, which is without them at first.
    False where an island does not settle: then the vector is what it was, and all impulses are gone."""
    start, settled = unmoved(C), True
    for a in range(N[at.INDEPENDENT]):
        B[start + a] = F[vector + a]
    scale = scale_of(F, B, C, vector)
    C[row_at.SWEEPS] = 0
    for island in range(C[row_at.ISLANDS]):
        settled = settled and _solve_island(F, N, B, C, CF, island, vector, scale)
    if not settled:
        for r in range(C[row_at.COUNT]):
            B[of_row(C, row_at.B_IMPULSE, r)] = 0.0
        for a in range(N[at.INDEPENDENT]):
            F[vector + a] = B[start + a]
    return settled


@compiled
def _solve_island(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats, island: int, vector: int, scale: float) -> bool:
    begins, rows = island_column(C, row_at.I_ROWS), row_list(C, row_at.R_ROW)
    first, last = rows + C[begins + island], rows + C[begins + island + 1]
    _move(F, B, C, island, vector)
    enough = ENOUGH * _fastest(F, C, island, vector)
    least = _newton(F, N, B, C, CF, island, vector, scale, enough)
    if least == 0.0:
        return True
    alone = _is_of_contacts(C, first, last)
    moves = alone and enough > STALLED
    _copy(B, C, first, last, row_at.B_IMPULSE, row_at.B_BEST)
    # What the last step left may be far from this one: once more from nothing, helped on by descents or sweeps.
    for i in range(first, last):
        B[of_row(C, row_at.B_IMPULSE, C[i])] = 0.0
    for _ in range(TRIES_MOVING if moves else TRIES):
        _move(F, B, C, island, vector)
        lacks = _newton(F, N, B, C, CF, island, vector, scale, enough)
        if lacks == 0.0:
            return True
        if lacks < least:
            least = lacks
            _copy(B, C, first, last, row_at.B_IMPULSE, row_at.B_BEST)
        if moves:
            _copy(B, C, first, last, row_at.B_BEST, row_at.B_IMPULSE)
            _sweep(F, B, C, CF, island, vector, enough)
        else:
            descend(F, N, B, C, CF, island, vector, SETTLED * scale)
    if alone:
        _copy(B, C, first, last, row_at.B_BEST, row_at.B_IMPULSE)
        _sweep(F, B, C, CF, island, vector, enough)
    _move(F, B, C, island, vector)
    worst = _judge(F, B, C, CF, first, last, vector, 0.0)
    return bool(alone or worst <= STALLED * _size(B, C, first, last, scale))


@compiled
def _fastest(F: Floats, C: Ints, island: int, vector: int) -> float:
    """The largest number of the vector on an island."""
    places, order, fastest = island_column(C, row_at.I_COORDINATES), island_column(C, row_at.I_ORDER), 0.0
    for p in range(C[places + island], C[places + island + 1]):
        fastest = max(fastest, abs(F[vector + C[order + p]]))
    return fastest


@compiled
def _is_of_contacts(C: Ints, first: int, last: int) -> bool:
    """Whether nothing but contacts acts on an island: motors may contradict each other, which has to be found."""
    alone = True
    for i in range(first, last):
        alone = alone and C[int_of_row(C, row_at.C_KIND, C[i])] >= row_at.NORMAL
    return alone


@compiled
def _sweep(F: Floats, B: Floats, C: Ints, CF: Floats, island: int, vector: int, enough: float) -> None:
    """Better impulses by sweeps over an island's rows, from those that are there."""
    begins, rows = island_column(C, row_at.I_ROWS), row_list(C, row_at.R_ROW)
    _move(F, B, C, island, vector)
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(rows + C[begins + island], rows + C[begins + island + 1]):
            change = max(change, relax(F, B, C, CF, C[i], vector, True))
        if change <= enough:
            break


@inlined
def _copy(B: Floats, C: Ints, first: int, last: int, source: int, target: int) -> None:
    """A column of an island's rows into another."""
    for i in range(first, last):
        B[of_row(C, target, C[i])] = B[of_row(C, source, C[i])]


@compiled
def _newton(
    F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats, island: int, vector: int, scale: float, enough: float
) -> float:
    """Newton's method from the impulses that are there; leaves the best that it found, and returns what that lacks, 0
    where it is good enough: `enough` where it brings no more."""
    begins, rows = island_column(C, row_at.I_ROWS), row_list(C, row_at.R_ROW)
    first, last = rows + C[begins + island], rows + C[begins + island + 1]
    best, slow, size = UNBOUNDED, 0, scale
    for step in range(STEPS):
        worst = _judge(F, B, C, CF, first, last, vector, WEAK * scale if step == 0 else 0.0)
        size = _size(B, C, first, last, scale)
        if worst <= SETTLED * size:
            return 0.0
        # Good enough, and halved no more: rows that depend on each other leave rounding.
        if best <= max(STALLED * size, enough) and worst > 0.5 * best:
            break
        slow = 0 if worst < 0.5 * best else slow + 1
        if slow > PATIENCE:
            break
        if worst < best:
            best = worst
            _copy(B, C, first, last, row_at.B_IMPULSE, row_at.B_CENTRE)
        C[row_at.SWEEPS] += 1
        if not _newton_step(F, N, B, C, CF, island):
            break
        _move(F, B, C, island, vector)
    _copy(B, C, first, last, row_at.B_CENTRE, row_at.B_IMPULSE)
    _move(F, B, C, island, vector)
    return 0.0 if best <= max(STALLED * size, enough) else best


@compiled
def _move(F: Floats, B: Floats, C: Ints, island: int, vector: int) -> None:
    """The vector on an island = what it is without impulses, and what they make of it: anew each time, so that what
    large impulses leave by rounding is not kept."""
    begins, places = island_column(C, row_at.I_ROWS), island_column(C, row_at.I_COORDINATES)
    order, start = island_column(C, row_at.I_ORDER), unmoved(C)
    for p in range(C[places + island], C[places + island + 1]):
        F[vector + C[order + p]] = B[start + C[order + p]]
    rows = row_list(C, row_at.R_ROW)
    for i in range(rows + C[begins + island], rows + C[begins + island + 1]):
        impulse = B[of_row(C, row_at.B_IMPULSE, C[i])]
        if impulse != 0.0:
            push(F, B, C, C[i], vector, impulse)


@compiled
def _size(B: Floats, C: Ints, first: int, last: int, scale: float) -> float:
    """What velocities are sums of: `scale`, or the largest that an impulse makes by itself. Their rounding is in
    proportion to it."""
    size = scale
    for i in range(first, last):
        size = max(size, abs(B[of_row(C, row_at.B_RESPONSE, C[i])] * B[of_row(C, row_at.B_IMPULSE, C[i])]))
    return size


# -- which rows act ----------------------------------------------------------------------------------------------------


@compiled
def _judge(F: Floats, B: Floats, C: Ints, CF: Floats, first: int, last: int, vector: int, weak: float) -> float:
    """FREE = what each row does; ERROR = what it lacks to its target, or what its impulse lacks to its bound; returns
    the largest change of a velocity that a row would make by itself."""
    worst = 0.0
    for i in range(first, last):
        r = C[i]
        kind, state = C[int_of_row(C, row_at.C_KIND, r)], OFF
        error = 0.0
        low, high = B[of_row(C, row_at.B_LOW, r)], B[of_row(C, row_at.B_HIGH, r)]
        if kind >= row_at.TANGENT and low >= high:  # where positions are moved, friction takes no part
            C[int_of_row(C, row_at.C_FREE, r)], B[of_row(C, row_at.B_ERROR, r)] = OFF, 0.0
        elif kind == row_at.TANGENT:
            worst = max(worst, _judge_friction(F, B, C, CF, r, vector))
        elif kind != row_at.SECOND_TANGENT:
            given, weight = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_RESPONSE, r)]
            if low < high and weight > 0.0:
                asked = wanted(F, B, C, r, vector)
                # The natural map of a complementarity: x = clip(x + (target - J v) / w) (Alart and Curnier 1991).
                new = min(max(asked, low), high)
                worst, error = max(worst, weight * abs(new - given)), new - given
                acts = low < asked < high or (kind == row_at.NORMAL and weight * abs(asked - given) <= weak)
                if kind == row_at.SPEED:
                    acts = acts and asked != 0.0
                if acts:
                    soft = B[of_row(C, row_at.B_SOFT, r)]
                    state, error = ACTS, (asked - given) * (weight + soft)
            B[of_row(C, row_at.B_ERROR, r)] = error
            B[of_row(C, row_at.B_NEW, r)] = given + error / weight if state == ACTS else given + error
            C[int_of_row(C, row_at.C_FREE, r)] = state
    return worst


@compiled
def _judge_friction(F: Floats, B: Floats, C: Ints, CF: Floats, r: int, vector: int) -> float:
    """As `_judge`, for both tangents of the normal in the row before; WAY = direction in which friction pushes where
    they slip."""
    x, y = of_row(C, row_at.B_IMPULSE, r), of_row(C, row_at.B_IMPULSE, r + 1)
    u0 = rate(F, B, C, r, vector) - B[of_row(C, row_at.B_TARGET, r)]
    u1 = rate(F, B, C, r + 1, vector) - B[of_row(C, row_at.B_TARGET, r + 1)]
    weight = max(B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_RESPONSE, r + 1)])
    normal = max(B[of_row(C, row_at.B_NEW, r - 1)], 0.0)
    bound = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU] * normal
    state, e0, e1 = OFF, -B[x], -B[y]
    change = 0.0
    if weight > 0.0:
        # The tangential part of the same map, x_t - u / w, projected onto the disk; outside of it the row slips.
        a, b = B[x] - u0 / weight, B[y] - u1 / weight
        length = math.sqrt(a * a + b * b)
        if length <= bound and bound > 0.0:
            state, e0, e1 = ACTS, -u0, -u1
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
    C[int_of_row(C, row_at.C_FREE, r)] = C[int_of_row(C, row_at.C_FREE, r + 1)] = state
    return change


# -- one step of Newton ------------------------------------------------------------------------------------------------


@inlined
def _firmness(B: Floats, C: Ints, r: int) -> float:
    """What a row that acts gives per rate that it lacks."""
    weight = B[of_row(C, row_at.B_RESPONSE, r)]
    return 1.0 / (weight / FIRM + B[of_row(C, row_at.B_SOFT, r)]) if weight > 0.0 else 0.0


@inlined
def _slip(B: Floats, C: Ints, CF: Floats, r: int) -> tuple[float, float, float, float, float, float]:
    """Of a contact that slips, whose tangents are rows r and r + 1: (direction of friction (2), mu, what the impulse
    lacks along it without a change of the normal's, and across it; stiffness across it)."""
    d0, d1 = B[of_row(C, row_at.B_DIRECTION, r)], B[of_row(C, row_at.B_DIRECTION, r + 1)]
    x, y = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_IMPULSE, r + 1)]
    mu = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU]
    weight = max(B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_RESPONSE, r + 1)])
    turn = B[of_row(C, row_at.B_TURN, r)]
    # d(a / |a|) = (E - d d^T) da / |a|: across the slip only bound / |a| of a change is followed.
    free = max(1.0 - turn, LEAST_TURN)
    along = mu * B[of_row(C, row_at.B_IMPULSE, r - 1)] - d0 * x - d1 * y
    return d0, d1, mu, along, (d1 * x - d0 * y) / free, turn / (free * weight)


@compiled
def _newton_step(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats, island: int) -> bool:
    """One step of all impulses from what `_judge` found; False where it leads nowhere."""
    begins, places = island_column(C, row_at.I_ROWS), island_column(C, row_at.I_COORDINATES)
    first, last = row_list(C, row_at.R_ROW) + C[begins + island], row_list(C, row_at.R_ROW) + C[begins + island + 1]
    begin, end, slips = C[places + island], C[places + island + 1], False
    add_mass(F, N, B, C, begin, end)
    for i in range(first, last):
        slips = _add_row(B, C, CF, C[i]) or slips
    if slips:
        mirror(B, C, begin, end)
        for i in range(first, last):
            if (
                C[int_of_row(C, row_at.C_KIND, C[i])] == row_at.TANGENT
                and C[int_of_row(C, row_at.C_FREE, C[i])] == SLIPS
            ):
                _couple(B, C, CF, C[i])
    # H + sum J^T k J, and mu k d J_n of what slips, which makes it unsymmetric: LU, not Cholesky.
    factor(B, C, begin, end, slips)
    solve_factored(B, C, begin, end)
    for i in range(first, last):
        _change(B, C, CF, C[i])
    sound = True
    for i in range(first, last):
        sound = sound and math.isfinite(B[of_row(C, row_at.B_CHANGE, C[i])])
    for i in range(first, last if sound else first):
        B[of_row(C, row_at.B_IMPULSE, C[i])] += B[of_row(C, row_at.B_CHANGE, C[i])]
    return sound


@compiled
def _add_row(B: Floats, C: Ints, CF: Floats, r: int) -> bool:
    """What a row adds to the matrix, symmetric, and to the right-hand side; returns whether it slips."""
    state, kind = C[int_of_row(C, row_at.C_FREE, r)], C[int_of_row(C, row_at.C_KIND, r)]
    if state == ACTS:
        firm = _firmness(B, C, r)
        add_product(B, C, r, r, firm)
        add_to_vector(B, C, r, firm * B[of_row(C, row_at.B_ERROR, r)])
    elif state == OFF:
        add_to_vector(B, C, r, B[of_row(C, row_at.B_ERROR, r)])
    elif kind == row_at.TANGENT:
        d0, d1, mu, along, across, stiffness = _slip(B, C, CF, r)
        # k (E - d d^T) = k t t^T with t = (-d1, d0): stiffness across the slip alone.
        add_product(B, C, r, r, stiffness * d1 * d1)
        add_product(B, C, r + 1, r + 1, stiffness * d0 * d0)
        add_product(B, C, r, r + 1, -stiffness * d0 * d1)
        add_product(B, C, r + 1, r, -stiffness * d0 * d1)
        along += mu * _firmness(B, C, r - 1) * B[of_row(C, row_at.B_ERROR, r - 1)]
        add_to_vector(B, C, r, along * d0 - across * d1)
        add_to_vector(B, C, r + 1, along * d1 + across * d0)
    return bool(state == SLIPS)


@compiled
def _couple(B: Floats, C: Ints, CF: Floats, r: int) -> None:
    """What a slip adds to the matrix: its friction follows the normal's impulse."""
    d0, d1, mu, _, _, _ = _slip(B, C, CF, r)
    firm = mu * _firmness(B, C, r - 1)
    for k in range(2):
        add_whole_product(B, C, r + k, r - 1, firm * (d1 if k else d0))


@compiled
def _change(B: Floats, C: Ints, CF: Floats, r: int) -> None:
    """CHANGE of a row's impulse, of both tangents where they slip."""
    state, kind = C[int_of_row(C, row_at.C_FREE, r)], C[int_of_row(C, row_at.C_KIND, r)]
    if state == ACTS:
        # x+ - x = k (what it lacks - J dv), the row of the system that was eliminated.
        left = B[of_row(C, row_at.B_ERROR, r)] - rate_of_vector(B, C, r)
        B[of_row(C, row_at.B_CHANGE, r)] = _firmness(B, C, r) * left
    elif state == OFF:
        B[of_row(C, row_at.B_CHANGE, r)] = B[of_row(C, row_at.B_ERROR, r)]
    elif kind == row_at.TANGENT:
        d0, d1, mu, along, across, stiffness = _slip(B, C, CF, r)
        along += mu * B[of_row(C, row_at.B_CHANGE, r - 1)]
        across -= stiffness * (d0 * rate_of_vector(B, C, r + 1) - d1 * rate_of_vector(B, C, r))
        B[of_row(C, row_at.B_CHANGE, r)] = along * d0 - across * d1
        B[of_row(C, row_at.B_CHANGE, r + 1)] = along * d1 + across * d0
