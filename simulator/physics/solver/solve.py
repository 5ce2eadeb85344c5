"""Find impulses between bounds by projected Gauss-Seidel sweeps over the rows, in the space of velocities.

Each row asks J v = target and may give an impulse between low and high; v changes by X times it. Friction of a contact
is bounded by the cone of its normal's impulse (Moreau's sweeping process in Jean's contact-dynamics form; Catto,
Iterative Dynamics with Temporal Coherence, 2005, for the sweeps).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import allowed_rate, bounds_of, int_of_row, is_open, of_row, x_entries
from simulator.physics.solver.rates import push, rate, rate_rows
from simulator.physics.solver.speed_limits import leave_to_motors

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints

SWEEPS, ROUNDS, FEW_ROUNDS = 6, 40, 4
"""Sweeps of a round, which find out who pushes at a bound, and most rounds; between them all who do not are solved
together."""
SETTLED = 1e-14
"""Sweeps end when no row changes its velocity [rad/s or m/s] by more than this, times the largest rate where that is
above one."""
STALLED = 1e-12
"""… or when a round brought no more and they change less than this: rows that depend on each other differ by so much
rounding."""
DEPENDENT = 1e-13
"""Impulses that move nothing by more than this part of what each would alone depend on each other: what they lack is
rounding."""
CONTRADICTED = 1e6
"""Rows that depend on each other and lack more than so many times what counts as settled ask for what cannot be."""
UNBOUNDED = math.inf


@compiled
def wanted(F: Floats, B: Floats, C: Ints, r: int, vector: int) -> float:
    """Impulse with which the row alone would be at its target; speed limits and meshes want none inside their band."""
    return wanted_at(B, C, r, rate(F, B, C, r, vector))


@compiled
def wanted_at(B: Floats, C: Ints, r: int, now: float) -> float:
    """`wanted` at that rate."""
    given, soft = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_SOFT, r)]
    response, target = B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_TARGET, r)]
    if is_open(B, C, r):
        without = now - response * given
        target = allowed_rate(B, C, r, without)
        # A motor that moves at just this speed is not beyond it by rounding: two rows would share what it gives.
        if abs(without - target) <= STALLED * (1.0 + abs(target)):
            return 0.0
    # (response + soft) change = target - J v - soft given: the row with its own impulse as the only unknown.
    return given + (target - now - soft * given) / (response + soft)


@compiled
def common_weight(B: Floats, C: Ints, r: int) -> float:
    """Of both tangents that begin with row r, with their softness: one for both, else what slips would not be pushed
    straight against its slip."""
    first = of_row(C, row_at.B_RESPONSE, r)
    second = of_row(C, row_at.B_RESPONSE, r + 1)
    if C[row_at.YIELDS] == 0:
        return max(B[first], B[second])
    soft = of_row(C, row_at.B_SOFT, r)
    return max(B[first] + B[soft], B[second] + B[soft + 1])


@compiled
def _share(B: Floats, C: Ints, r: int) -> float:
    """How much of what a row lacks its own impulse can give to the velocity: all, but for soft rows."""
    response, soft = B[of_row(C, row_at.B_RESPONSE, r)], B[of_row(C, row_at.B_SOFT, r)]
    return response / (response + soft) if soft > 0.0 else 1.0


@compiled
def _stiffness(B: Floats, C: Ints, r: int) -> float:
    """What a unit of its impulse changes a row by."""
    return B[of_row(C, row_at.B_RESPONSE, r)] + B[of_row(C, row_at.B_SOFT, r)]


@compiled
def _sweep(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int, friction: bool) -> float:
    """One sweep over all rows, with friction of contacts or without; returns the largest change of a velocity."""
    largest = 0.0
    for r in range(C[row_at.COUNT]):
        largest = max(largest, relax(F, B, C, CF, r, vector, friction))
    return largest


@compiled
def relax(F: Floats, B: Floats, C: Ints, CF: Floats2, r: int, vector: int, friction: bool) -> float:
    """Bring one row to its target, as far as its bounds allow, both tangents of a contact at once; returns the change
    of its velocity."""
    response, kind = B[of_row(C, row_at.B_RESPONSE, r)], C[int_of_row(C, row_at.C_KIND, r)]
    low, high = B[of_row(C, row_at.B_LOW, r)], B[of_row(C, row_at.B_HIGH, r)]
    if low >= high or kind == row_at.SECOND_TANGENT:
        return 0.0
    if kind == row_at.TANGENT:
        return _relax_friction(F, B, C, CF, r, vector) if friction else 0.0
    if response <= 0.0 or (kind == row_at.TWIST and not friction):
        return 0.0
    low, high = bounds_of(B, C, CF, r, row_at.B_IMPULSE)
    place = of_row(C, row_at.B_IMPULSE, r)
    # One step of Gauss and Seidel, clipped to the bounds (projected: Cottle, Pang and Stone, The Linear Complementarity
    # Problem, 5.2).
    change = min(max(wanted(F, B, C, r, vector), low), high) - B[place]
    if change != 0.0:
        B[place] += change
        push(F, B, C, r, vector, change)
    return abs(response * change)


@compiled
def _relax_friction(F: Floats, B: Floats, C: Ints, CF: Floats2, r: int, vector: int) -> float:
    """Both tangents of a contact at once: towards rest, within the cone of the normal's impulse (the row before)."""
    first = of_row(C, row_at.B_IMPULSE, r)
    second = of_row(C, row_at.B_IMPULSE, r + 1)
    bound = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU] * B[first - 1]
    first_response = B[of_row(C, row_at.B_RESPONSE, r)]
    second_response = B[of_row(C, row_at.B_RESPONSE, r + 1)]
    most = common_weight(B, C, r)
    slip = rate(F, B, C, r, vector)
    aside = rate(F, B, C, r + 1, vector)
    if C[row_at.YIELDS] != 0:
        slip += B[of_row(C, row_at.B_SOFT, r)] * B[first]
        aside += B[of_row(C, row_at.B_SOFT, r + 1)] * B[second]
    a = B[first] - ((slip - B[of_row(C, row_at.B_TARGET, r)]) / most if first_response > 0.0 else 0.0)
    b = B[second] - ((aside - B[of_row(C, row_at.B_TARGET, r + 1)]) / most if second_response > 0.0 else 0.0)
    # The nearest point of the disk mu times the normal's impulse: projection onto Coulomb's cone.
    length = math.sqrt(a * a + b * b)
    if length > bound:
        scale = bound / length
        a, b = scale * a, scale * b
    da, db = a - B[first], b - B[second]
    B[first], B[second] = a, b
    if da != 0.0:
        push(F, B, C, r, vector, da)
    if db != 0.0:
        push(F, B, C, r + 1, vector, db)
    return max(abs(first_response * da), abs(second_response * db))


@compiled
def solve(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int, scratch: int) -> bool:
    """Impulses of all rows with low < high, from none; the vector in F ends as what they make of it. True where the
    sweeps settled.

    Where there is friction of contacts, the first sweeps leave it out, so that the points of a body which stands do not
    begin with forces against each other. That fails where nearly all friction there is is needed; then all rows begin
    together.
    """
    has_friction = False
    for r in range(C[row_at.COUNT]):
        B[of_row(C, row_at.B_IMPULSE, r)] = 0.0
        has_friction = has_friction or C[int_of_row(C, row_at.C_KIND, r)] == row_at.TANGENT
    scale = scale_of(F, B, C, vector, True)
    C[row_at.SWEEPS] = 0
    if has_friction:
        for _ in range(SWEEPS):
            C[row_at.SWEEPS] += 1
            _sweep(F, B, C, CF, vector, False)
        if _solve_together(F, B, C, CF, vector, scratch, scale) and _settle(
            F, B, C, CF, vector, scratch, FEW_ROUNDS, scale
        ):
            return True
        for r in range(C[row_at.COUNT]):
            push(F, B, C, r, vector, -B[of_row(C, row_at.B_IMPULSE, r)])
            B[of_row(C, row_at.B_IMPULSE, r)] = 0.0
    return _settle(F, B, C, CF, vector, scratch, ROUNDS, scale)


@compiled
def scale_of(F: Floats, B: Floats, C: Ints, vector: int, stops: bool) -> float:
    """The largest rate that a row has or asks for, at least one; without `stops`, of these only where they are passed,
    for others ask for nothing."""
    scale = 1.0
    rate_rows(F, B, C, vector, row_at.B_NOW)
    for r in range(C[row_at.COUNT]):
        is_stop = row_at.LOWER <= C[int_of_row(C, row_at.C_KIND, r)] <= row_at.UPPER
        if is_stop and not stops and B[of_row(C, row_at.B_TARGET, r)] < 0.0:
            continue
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.MESH and is_open(B, C, r):
            scale = max(scale, abs(B[of_row(C, row_at.B_NOW, r)]))
            continue
        # What a soft row asks for is not a velocity that it can reach: its share of it counts.
        asked = abs(B[of_row(C, row_at.B_TARGET, r)] * _share(B, C, r))
        scale = max(scale, abs(B[of_row(C, row_at.B_NOW, r)]), asked)
    return scale


@compiled
def _settle(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int, scratch: int, rounds: int, scale: float) -> bool:
    """Sweep until nothing changes any more; False where that is not so after so many rounds.

    Sweeps alone would creep where rows pull at each other, as the motors of an arm do; so between rounds of them the
    rows that are at no bound are solved at once (as Silcowitz, Niebe and Erleben 2010 do for contacts).
    """
    change = UNBOUNDED
    for _ in range(rounds):
        before = change
        for _ in range(SWEEPS):
            C[row_at.SWEEPS] += 1
            change = _sweep(F, B, C, CF, vector, True)
            if change <= SETTLED * scale:
                return True
        # Less than halved by a round, and tiny: rounding of rows that depend on each other.
        if 0.5 * before < change <= STALLED * scale:
            return True
        leave_to_motors(B, C)
        # Rows that contradict each other now may be at their bounds after the next sweeps.
        _solve_together(F, B, C, CF, vector, scratch, scale)
    for _ in range(SWEEPS):
        C[row_at.SWEEPS] += 1
        _sweep(F, B, C, CF, vector, True)
    return False


@compiled
def _solve_together(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int, scratch: int, scale: float) -> bool:
    """Solve rows that are at no bound at once, as far as their bounds allow, without those that come to a bound by it,
    and so on (Polyak 1969: each face of the bounds once); False where they contradict each other."""
    for _ in range(C[row_at.COUNT]):
        free = _find_free(B, C, CF)
        if free < 2:
            return True
        if not _solve_free(F, B, C, vector, scratch, 2 * free + 8, SETTLED * scale):
            return False
        if not _step_to_bounds(F, B, C, CF, vector):
            return True
    return True


@compiled
def contradict(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int, scratch: int) -> bool:
    """Whether rows that are at no bound cannot reach their targets together. Sweeps that do not settle do not say
    so."""
    free = _find_free(B, C, CF)
    scale = scale_of(F, B, C, vector, True)
    return free > 1 and not _solve_free(F, B, C, vector, scratch, 2 * free + 8, SETTLED * scale)


@compiled
def _find_free(B: Floats, C: Ints, CF: Floats2) -> int:
    """FREE = 1 for rows whose impulse is between its bounds, tangents inside their cone; returns how many."""
    free = 0
    for r in range(C[row_at.COUNT]):
        kind, impulse = C[int_of_row(C, row_at.C_KIND, r)], B[of_row(C, row_at.B_IMPULSE, r)]
        low, high = bounds_of(B, C, CF, r, row_at.B_IMPULSE)
        inside = B[of_row(C, row_at.B_RESPONSE, r)] > 0.0 and low < impulse < high
        if is_open(B, C, r):
            inside = inside and impulse != 0.0
        elif row_at.TANGENT <= kind <= row_at.SECOND_TANGENT:
            normal = r - 1 if kind == row_at.TANGENT else r - 2
            pair = of_row(C, row_at.B_IMPULSE, normal + 1)
            bound = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU] * B[of_row(C, row_at.B_IMPULSE, normal)]
            inside = inside and B[pair] * B[pair] + B[pair + 1] * B[pair + 1] < (1.0 - 1e-12) * bound * bound
        C[int_of_row(C, row_at.C_FREE, r)] = 1 if inside else 0
        free += 1 if inside else 0
    return free


@compiled
def _solve_free(F: Floats, B: Floats, C: Ints, vector: int, scratch: int, most: int, enough: float) -> bool:
    """CHANGE = what free rows' impulses lack to reach their targets together: conjugate gradients, scaled by the
    weights. Rows that depend on each other share. False where rows contradict each other: a motor that presses on a
    stop."""
    power = worst = 0.0
    for r in range(C[row_at.COUNT]):
        B[of_row(C, row_at.B_CHANGE, r)] = B[of_row(C, row_at.B_DIRECTION, r)] = 0.0
        if C[int_of_row(C, row_at.C_FREE, r)]:
            impulse, target = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_TARGET, r)]
            if is_open(B, C, r):  # what pushes up is at the least rate
                target = allowed_rate(B, C, r, -math.copysign(UNBOUNDED, impulse))
            error = target - rate(F, B, C, r, vector) - B[of_row(C, row_at.B_SOFT, r)] * impulse
            worst = max(worst, abs(error) * _share(B, C, r))
            B[of_row(C, row_at.B_ERROR, r)] = error
            B[of_row(C, row_at.B_DIRECTION, r)] = error / _stiffness(B, C, r)
            power += error * error / _stiffness(B, C, r)
    # Conjugate gradients on A = J X + soft, with its diagonal as preconditioner (Golub and Van Loan, 11.5). WAY is the
    # direction of the search, ERROR the residual.
    for _ in range(most):
        along = _power_of_direction(F, B, C, scratch)
        # A direction that moves nothing: rows depend on each other. What they still lack is rounding, or a
        # contradiction.
        if not along > DEPENDENT * _power_if_uncoupled(B, C) or not power > 0.0:
            return worst <= CONTRADICTED * enough
        step = power / along
        before = power
        power = 0.0
        worst = 0.0
        for r in range(C[row_at.COUNT]):
            if C[int_of_row(C, row_at.C_FREE, r)]:
                way, soft = B[of_row(C, row_at.B_DIRECTION, r)], B[of_row(C, row_at.B_SOFT, r)]
                B[of_row(C, row_at.B_CHANGE, r)] += step * way
                error = B[of_row(C, row_at.B_ERROR, r)] - step * (rate(F, B, C, r, scratch) + soft * way)
                B[of_row(C, row_at.B_ERROR, r)] = error
                power += error * error / _stiffness(B, C, r)
                worst = max(worst, abs(error) * _share(B, C, r))
        if worst <= enough:
            return True
        for r in range(C[row_at.COUNT]):
            if C[int_of_row(C, row_at.C_FREE, r)]:
                # Fletcher and Reeves: the next direction is conjugate to all before it.
                way_at = of_row(C, row_at.B_DIRECTION, r)
                B[way_at] = B[of_row(C, row_at.B_ERROR, r)] / _stiffness(B, C, r) + power / before * B[way_at]
    return True


@compiled
def _power_of_direction(F: Floats, B: Floats, C: Ints, scratch: int) -> float:
    """F[scratch:] = velocities that the impulses WAY give; returns their power."""
    xc = x_entries(C)[1]
    begin, total = 0, 0.0
    for r in range(C[row_at.COUNT]):
        end = C[int_of_row(C, row_at.C_XEND, r)]
        for t in range(begin, end):
            F[scratch + C[xc + t]] = 0.0
        begin = end
    for r in range(C[row_at.COUNT]):
        if B[of_row(C, row_at.B_DIRECTION, r)] != 0.0:
            push(F, B, C, r, scratch, B[of_row(C, row_at.B_DIRECTION, r)])
    for r in range(C[row_at.COUNT]):
        way = B[of_row(C, row_at.B_DIRECTION, r)]
        if way != 0.0:
            total += way * (rate(F, B, C, r, scratch) + B[of_row(C, row_at.B_SOFT, r)] * way)
    return total


@compiled
def _power_if_uncoupled(B: Floats, C: Ints) -> float:
    """The power of WAY if no row felt another."""
    total = 0.0
    for r in range(C[row_at.COUNT]):
        total += _stiffness(B, C, r) * B[of_row(C, row_at.B_DIRECTION, r)] ** 2
    return total


@compiled
def _step_to_bounds(F: Floats, B: Floats, C: Ints, CF: Floats2, vector: int) -> bool:
    """Add CHANGE to the impulses, as much of it as bounds and cones allow; whether the bound of a row ended it, where
    that row is now."""
    share = 1.0
    last = -1
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_FREE, r)]:
            impulse, change = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_CHANGE, r)]
            if not math.isfinite(change):
                return False
            # All free rows go the same part of their way, so that they stay together on it (active-set step).
            low, high = bounds_of(B, C, CF, r, row_at.B_IMPULSE)
            bound = high if change > 0.0 else low
            if abs(share * change) > abs(bound - impulse):
                share = abs(bound - impulse) / abs(change)
                last = r
    by_bounds = share
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.TANGENT and C[int_of_row(C, row_at.C_FREE, r)]:
            share = _share_in_cone(B, C, CF, r, share)
    for r in range(C[row_at.COUNT]):
        change = share * B[of_row(C, row_at.B_CHANGE, r)]
        if C[int_of_row(C, row_at.C_FREE, r)] and change != 0.0:
            B[of_row(C, row_at.B_IMPULSE, r)] += change
            push(F, B, C, r, vector, change)
    if last < 0 or share < by_bounds:
        return False
    low, high = bounds_of(B, C, CF, last, row_at.B_IMPULSE)
    place = of_row(C, row_at.B_IMPULSE, last)
    rest = (high if B[of_row(C, row_at.B_CHANGE, last)] > 0.0 else low) - B[place]
    B[place] += rest
    push(F, B, C, last, vector, rest)
    return True


@compiled
def _share_in_cone(B: Floats, C: Ints, CF: Floats2, r: int, share: float) -> float:
    """Part of `share` with which the pair of tangents that begins with row r stays in its cone."""
    mu = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU]
    at, by = of_row(C, row_at.B_IMPULSE, r), of_row(C, row_at.B_CHANGE, r)
    for _ in range(20):
        a = B[at] + share * B[by]
        b = B[at + 1] + share * B[by + 1]
        bound = mu * (B[at - 1] + share * B[by - 1])
        if a * a + b * b <= bound * bound:
            break
        share *= 0.7
    return share


@compiled
def book(B: Floats, C: Ints, RF: Floats2, CF: Floats2) -> None:
    """Add the impulses of the last solve to what axes and contacts are told."""
    for r in range(C[row_at.COUNT]):
        impulse = B[of_row(C, row_at.B_IMPULSE, r)]
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        line = C[int_of_row(C, row_at.C_LINE, r)]
        if kind < row_at.NORMAL:
            RF[line, row_at.IMPULSE] += impulse
        else:
            CF[line, row_at.CONTACT_IMPULSE + kind - row_at.NORMAL] += impulse
