"""Find impulses between bounds by projected Gauss-Seidel sweeps over the rows, in the space of velocities.

Each row asks J v = target and may give an impulse between low and high; v changes by X times it. Friction of a contact
is bounded by the cone of its normal's impulse (Moreau's sweeping process in Jean's contact-dynamics form; Catto,
Iterative Dynamics with Temporal Coherence, 2005, for the sweeps).

Speed limits of axes that motors drive: as long as the motor can, it keeps the axis within its limit. Both rows have the
same direction, so that sweeps leave it open which of them pushes. A speed limit that was passed while rows had not
settled would continue to push against the motor, and the others that the motor holds would not settle either.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import allowed_rate, bounds_of, is_open, j_begin
from simulator.physics.solver.dense import AGREE, UNSUITED, solve_densely
from simulator.physics.solver.rates import push, rate, rate_rows

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows

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
def wanted(bounded: BoundedRows, r: int, vector: Floats) -> float:
    """Impulse with which the row alone would be at its target; speed limits and meshes want none inside their band."""
    return wanted_at(bounded, r, rate(bounded, r, vector))


@compiled
def wanted_at(bounded: BoundedRows, r: int, now: float) -> float:
    """`wanted` at that rate."""
    given, soft = bounded.impulse[r], bounded.soft[r]
    response, target = bounded.response[r], bounded.target[r]
    if is_open(bounded, r):
        without = now - response * given
        target = allowed_rate(bounded, r, without)
        # A motor that moves at just this speed is not beyond it by rounding: two rows would share what it gives.
        if abs(without - target) <= STALLED * (1.0 + abs(target)):
            return 0.0
    # (response + soft) change = target - J v - soft given: the row with its own impulse as the only unknown.
    return given + (target - now - soft * given) / (response + soft)


@compiled
def common_weight(bounded: BoundedRows, r: int) -> float:
    """Of both tangents that begin with row r, with their softness: one for both, else what slips would not be pushed
    straight against its slip."""
    return max(bounded.response[r] + bounded.soft[r], bounded.response[r + 1] + bounded.soft[r + 1])


@compiled
def _share(bounded: BoundedRows, r: int) -> float:
    """How much of what a row lacks its own impulse can give to the velocity: all, but for soft rows."""
    response, soft = bounded.response[r], bounded.soft[r]
    return response / (response + soft) if soft > 0.0 else 1.0


@compiled
def _stiffness(bounded: BoundedRows, r: int) -> float:
    """What a unit of its impulse changes a row by."""
    return bounded.response[r] + bounded.soft[r]


@compiled
def _sweep(bounded: BoundedRows, CF: Floats2, vector: Floats, friction: bool) -> float:
    """One sweep over all rows, with friction of contacts or without; returns the largest change of a velocity."""
    largest = 0.0
    for r in range(bounded.gathered[0]):
        largest = max(largest, relax(bounded, CF, r, vector, friction))
    return largest


@compiled
def relax(bounded: BoundedRows, CF: Floats2, r: int, vector: Floats, friction: bool) -> float:
    """Bring one row to its target, as far as its bounds allow, both tangents of a contact at once; returns the change
    of its velocity."""
    response, kind = bounded.response[r], bounded.kind[r]
    low, high = bounded.low[r], bounded.high[r]
    if low >= high or kind == row_at.SECOND_TANGENT:
        return 0.0
    if kind == row_at.TANGENT:
        return _relax_friction(bounded, CF, r, vector) if friction else 0.0
    if response <= 0.0 or (kind == row_at.TWIST and not friction):
        return 0.0
    low, high = bounds_of(bounded, CF, r, bounded.impulse)
    # One step of Gauss and Seidel, clipped to the bounds (projected: Cottle, Pang and Stone, The Linear Complementarity
    # Problem, 5.2).
    change = min(max(wanted(bounded, r, vector), low), high) - bounded.impulse[r]
    if change != 0.0:
        bounded.impulse[r] += change
        push(bounded, r, vector, change)
    return abs(response * change)


@compiled
def _relax_friction(bounded: BoundedRows, CF: Floats2, r: int, vector: Floats) -> float:
    """Both tangents of a contact at once: towards rest, within the cone of the normal's impulse (the row before)."""
    bound = CF[bounded.line[r], row_at.MU] * bounded.impulse[r - 1]
    first_response = bounded.response[r]
    second_response = bounded.response[r + 1]
    most = common_weight(bounded, r)
    slip = rate(bounded, r, vector) + bounded.soft[r] * bounded.impulse[r]
    aside = rate(bounded, r + 1, vector) + bounded.soft[r + 1] * bounded.impulse[r + 1]
    a = bounded.impulse[r] - ((slip - bounded.target[r]) / most if first_response > 0.0 else 0.0)
    b = bounded.impulse[r + 1] - ((aside - bounded.target[r + 1]) / most if second_response > 0.0 else 0.0)
    # The nearest point of the disk mu times the normal's impulse: projection onto Coulomb's cone.
    length = math.sqrt(a * a + b * b)
    if length > bound:
        scale = bound / length
        a, b = scale * a, scale * b
    da, db = a - bounded.impulse[r], b - bounded.impulse[r + 1]
    bounded.impulse[r], bounded.impulse[r + 1] = a, b
    if da != 0.0:
        push(bounded, r, vector, da)
    if db != 0.0:
        push(bounded, r + 1, vector, db)
    return max(abs(first_response * da), abs(second_response * db))


@compiled
def solve(bounded: BoundedRows, CF: Floats2, vector: Floats, scratch: Floats) -> bool:
    """Impulses of all rows with low < high, from none; the vector ends as what they make of it. True where the
    sweeps settled.

    Where there is friction of contacts, the first sweeps leave it out, so that the points of a body which stands do not
    begin with forces against each other. That fails where nearly all friction there is is needed; then all rows begin
    together.
    """
    has_friction = False
    for r in range(bounded.gathered[0]):
        bounded.impulse[r] = 0.0
        has_friction = has_friction or bounded.kind[r] == row_at.TANGENT
    scale = scale_of(bounded, vector, True)
    bounded.sweeps[0] = 0
    if has_friction:
        for _ in range(SWEEPS):
            bounded.sweeps[0] += 1
            _sweep(bounded, CF, vector, False)
        if _solve_together(bounded, CF, vector, scratch, scale) and _settle(
            bounded, CF, vector, scratch, FEW_ROUNDS, scale
        ):
            return True
        for r in range(bounded.gathered[0]):
            push(bounded, r, vector, -bounded.impulse[r])
            bounded.impulse[r] = 0.0
    return _settle(bounded, CF, vector, scratch, ROUNDS, scale)


@compiled
def scale_of(bounded: BoundedRows, vector: Floats, stops: bool) -> float:
    """The largest rate that a row has or asks for, at least one; without `stops`, of these only where they are passed,
    for others ask for nothing."""
    scale = 1.0
    rate_rows(bounded, vector, bounded.now)
    for r in range(bounded.gathered[0]):
        is_stop = row_at.LOWER <= bounded.kind[r] <= row_at.UPPER
        if is_stop and not stops and bounded.target[r] < 0.0:
            continue
        if bounded.kind[r] == row_at.MESH and is_open(bounded, r):
            scale = max(scale, abs(bounded.now[r]))
            continue
        # What a soft row asks for is not a velocity that it can reach: its share of it counts.
        asked = abs(bounded.target[r] * _share(bounded, r))
        scale = max(scale, abs(bounded.now[r]), asked)
    return scale


@compiled
def _settle(bounded: BoundedRows, CF: Floats2, vector: Floats, scratch: Floats, rounds: int, scale: float) -> bool:
    """Sweep until nothing changes any more; False where that is not so after so many rounds.

    Sweeps alone would creep where rows pull at each other, as the motors of an arm do; so between rounds of them the
    rows that are at no bound are solved at once (as Silcowitz, Niebe and Erleben 2010 do for contacts).
    """
    change = UNBOUNDED
    for _ in range(rounds):
        before = change
        for _ in range(SWEEPS):
            bounded.sweeps[0] += 1
            change = _sweep(bounded, CF, vector, True)
            if change <= SETTLED * scale:
                return True
        # Less than halved by a round, and tiny: rounding of rows that depend on each other.
        if 0.5 * before < change <= STALLED * scale:
            return True
        leave_to_motors(bounded)
        # Rows that contradict each other now may be at their bounds after the next sweeps.
        _solve_together(bounded, CF, vector, scratch, scale)
    for _ in range(SWEEPS):
        bounded.sweeps[0] += 1
        _sweep(bounded, CF, vector, True)
    return False


@compiled
def _solve_together(bounded: BoundedRows, CF: Floats2, vector: Floats, scratch: Floats, scale: float) -> bool:
    """Solve rows that are at no bound at once, as far as their bounds allow, without those that come to a bound by it,
    and so on (Polyak 1969: each face of the bounds once); False where they contradict each other."""
    for _ in range(bounded.gathered[0]):
        free = _find_free(bounded, CF)
        if free < 2:
            return True
        agree = _solve_free(bounded, vector, scratch, 2 * free + 8, SETTLED * scale)
        if not agree and not _outlast(bounded, CF):
            return False
        if not _step_to_bounds(bounded, CF, vector):
            return agree
    return True


@compiled
def _outlast(bounded: BoundedRows, CF: Floats2) -> bool:
    """CHANGE = impulses that move nothing, along which rows that contradict each other push harder and harder, as far
    as the first has nothing left: friction against a motor on its axis, a motor against a stop. False where that would
    be a motor without a limit."""
    first = -1
    share = UNBOUNDED
    largest = 0.0
    for r in range(bounded.gathered[0]):
        bounded.change[r] = bounded.direction[r] if bounded.free[r] else 0.0
        largest = max(largest, _stiffness(bounded, r) * abs(bounded.change[r]))
    for r in range(bounded.gathered[0]):
        way = bounded.change[r]
        if _stiffness(bounded, r) * abs(way) <= SLIGHT * largest:
            bounded.change[r] = 0.0
            continue
        low, high = bounds_of(bounded, CF, r, bounded.impulse)
        room = (high if way > 0.0 else low) - bounded.impulse[r]
        if room / way < share:
            first, share = r, room / way
    if first < 0 or (bounded.kind[first] <= row_at.TO_POSITION and bounded.most[first] == UNBOUNDED):
        return False
    for r in range(bounded.gathered[0]):
        bounded.change[r] *= BEYOND * share
    return True


SLIGHT = 1e-6
"""Rows with less than this part of the largest share in such impulses have none but by rounding."""
BEYOND = 2.0
"""Of the way to a bound: so that it ends there whatever rounding."""


@compiled
def contradict(bounded: BoundedRows, CF: Floats2, vector: Floats, scratch: Floats) -> bool:
    """Whether rows that are at no bound cannot reach their targets together. Sweeps that do not settle do not say
    so."""
    free = _find_free(bounded, CF)
    scale = scale_of(bounded, vector, True)
    return free > 1 and not _solve_free(bounded, vector, scratch, 2 * free + 8, SETTLED * scale)


@compiled
def _find_free(bounded: BoundedRows, CF: Floats2) -> int:
    """FREE = 1 for rows whose impulse is between its bounds, tangents inside their cone; returns how many."""
    free = 0
    for r in range(bounded.gathered[0]):
        kind, impulse = bounded.kind[r], bounded.impulse[r]
        low, high = bounds_of(bounded, CF, r, bounded.impulse)
        inside = bounded.response[r] > 0.0 and low < impulse < high
        if is_open(bounded, r):
            inside = inside and impulse != 0.0
        elif row_at.TANGENT <= kind <= row_at.SECOND_TANGENT:
            normal = r - 1 if kind == row_at.TANGENT else r - 2
            bound = CF[bounded.line[r], row_at.MU] * bounded.impulse[normal]
            inside = (
                inside
                and bounded.impulse[normal + 1] * bounded.impulse[normal + 1]
                + bounded.impulse[normal + 1 + 1] * bounded.impulse[normal + 1 + 1]
                < (1.0 - 1e-12) * bound * bound
            )
        bounded.free[r] = 1 if inside else 0
        free += 1 if inside else 0
    return free


@compiled
def _solve_free(bounded: BoundedRows, vector: Floats, scratch: Floats, most: int, enough: float) -> bool:
    """CHANGE = what free rows' impulses lack to reach their targets together: conjugate gradients, scaled by the
    weights. Rows that depend on each other share. False where rows contradict each other: a motor that presses on a
    stop."""
    power = worst = 0.0
    free = 0
    for r in range(bounded.gathered[0]):
        bounded.change[r] = bounded.direction[r] = 0.0
        if bounded.free[r]:
            free += 1
            impulse, target = bounded.impulse[r], bounded.target[r]
            if is_open(bounded, r):  # what pushes up is at the least rate
                target = allowed_rate(bounded, r, -math.copysign(UNBOUNDED, impulse))
            error = target - rate(bounded, r, vector) - bounded.soft[r] * impulse
            worst = max(worst, abs(error) * _share(bounded, r))
            bounded.error[r] = error
            bounded.direction[r] = error / _stiffness(bounded, r)
            power += error * error / _stiffness(bounded, r)
    outcome = solve_densely(bounded, scratch, free, CONTRADICTED * enough)
    if outcome != UNSUITED:
        return outcome == AGREE
    # Conjugate gradients on A = J X + soft, with its diagonal as preconditioner (Golub and Van Loan, 11.5). Of
    # the search DIRECTION is the direction, ERROR the residual.
    for _ in range(most):
        along = _power_of_direction(bounded, scratch)
        # A direction that moves nothing: rows depend on each other. What they still lack is rounding, or a
        # contradiction.
        if not along > DEPENDENT * _power_if_uncoupled(bounded) or not power > 0.0:
            return worst <= CONTRADICTED * enough
        step = power / along
        before = power
        power = 0.0
        worst = 0.0
        for r in range(bounded.gathered[0]):
            if bounded.free[r]:
                way, soft = bounded.direction[r], bounded.soft[r]
                bounded.change[r] += step * way
                error = bounded.error[r] - step * (rate(bounded, r, scratch) + soft * way)
                bounded.error[r] = error
                power += error * error / _stiffness(bounded, r)
                worst = max(worst, abs(error) * _share(bounded, r))
        if worst <= enough:
            return True
        for r in range(bounded.gathered[0]):
            if bounded.free[r]:
                # Fletcher and Reeves: the next direction is conjugate to all before it.
                way = bounded.error[r] / _stiffness(bounded, r) + power / before * bounded.direction[r]
                bounded.direction[r] = way
    return True


@compiled
def _power_of_direction(bounded: BoundedRows, scratch: Floats) -> float:
    """`scratch`: velocities that the impulses DIRECTION give; returns their power."""
    begin, total = 0, 0.0
    for r in range(bounded.gathered[0]):
        end = bounded.X_end[r]
        # Of the rows that are at a bound there are many, and none is looked at.
        for t in range(begin, end if bounded.free[r] else begin):
            scratch[bounded.X_column[t]] = 0.0
        begin = end
    for r in range(bounded.gathered[0]):
        if bounded.direction[r] != 0.0:
            push(bounded, r, scratch, bounded.direction[r])
    for r in range(bounded.gathered[0]):
        way = bounded.direction[r]
        if way != 0.0:
            total += way * (rate(bounded, r, scratch) + bounded.soft[r] * way)
    return total


@compiled
def _power_if_uncoupled(bounded: BoundedRows) -> float:
    """The power of DIRECTION if no row felt another."""
    total = 0.0
    for r in range(bounded.gathered[0]):
        total += _stiffness(bounded, r) * bounded.direction[r] ** 2
    return total


@compiled
def _step_to_bounds(bounded: BoundedRows, CF: Floats2, vector: Floats) -> bool:
    """Add CHANGE to the impulses, as much of it as bounds and cones allow; whether the bound of a row ended it, where
    that row is now."""
    share = 1.0
    last = -1
    for r in range(bounded.gathered[0]):
        if bounded.free[r]:
            impulse, change = bounded.impulse[r], bounded.change[r]
            if not math.isfinite(change):
                return False
            # All free rows go the same part of their way, so that they stay together on it (active-set step).
            low, high = bounds_of(bounded, CF, r, bounded.impulse)
            bound = high if change > 0.0 else low
            if abs(share * change) > abs(bound - impulse):
                share = abs(bound - impulse) / abs(change)
                last = r
    by_bounds = share
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.TANGENT and bounded.free[r]:
            share = _share_in_cone(bounded, CF, r, share)
    for r in range(bounded.gathered[0]):
        change = share * bounded.change[r]
        if bounded.free[r] and change != 0.0:
            bounded.impulse[r] += change
            push(bounded, r, vector, change)
    if last < 0 or share < by_bounds:
        return False
    low, high = bounds_of(bounded, CF, last, bounded.impulse)
    rest = (high if bounded.change[last] > 0.0 else low) - bounded.impulse[last]
    bounded.impulse[last] += rest
    push(bounded, last, vector, rest)
    return True


@compiled
def _share_in_cone(bounded: BoundedRows, CF: Floats2, r: int, share: float) -> float:
    """Part of `share` with which the pair of tangents that begins with row r stays in its cone."""
    mu = CF[bounded.line[r], row_at.MU]
    for _ in range(20):
        a = bounded.impulse[r] + share * bounded.change[r]
        b = bounded.impulse[r + 1] + share * bounded.change[r + 1]
        bound = mu * (bounded.impulse[r - 1] + share * bounded.change[r - 1])
        if a * a + b * b <= bound * bound:
            break
        share *= 0.7
    return share


@compiled
def add_impulses(bounded: BoundedRows, RF: Floats2, CF: Floats2) -> None:
    """Add the impulses of the last solve to those of axes and contacts."""
    for r in range(bounded.gathered[0]):
        impulse = bounded.impulse[r]
        kind = bounded.kind[r]
        line = bounded.line[r]
        if kind < row_at.NORMAL:
            RF[line, row_at.IMPULSE] += impulse
        else:
            CF[line, row_at.CONTACT_IMPULSE + kind - row_at.NORMAL] += impulse


@compiled
def leave_to_motors(bounded: BoundedRows) -> None:
    """Motors take over what speed limits of their axes push with, as far as they can; nothing moves otherwise."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.SPEED and bounded.impulse[r] != 0.0:
            motor = _motor_along(bounded, r)
            if motor >= 0:
                low, high = bounded.low[motor], bounded.high[motor]
                taken = min(max(bounded.impulse[motor] + bounded.impulse[r], low), high) - bounded.impulse[motor]
                bounded.impulse[motor] += taken
                bounded.impulse[r] -= taken


@compiled
def _motor_along(bounded: BoundedRows, r: int) -> int:
    """The row of a motor with the direction of row r; -1 where there is none."""
    for q in range(r):
        if bounded.kind[q] > row_at.TO_POSITION:
            break
        if _is_along(bounded, q, r):
            return q
    return -1


@compiled
def _is_along(bounded: BoundedRows, q: int, r: int) -> bool:
    """Whether two rows have the same J."""
    first = j_begin(bounded, q)
    second = j_begin(bounded, r)
    count = bounded.J_end[q] - j_begin(bounded, q)
    same = bounded.J_end[r] - second == count
    for t in range(count if same else 0):
        same = same and bounded.J_column[first + t] == bounded.J_column[second + t]
        same = same and bounded.J[first + t] == bounded.J[second + t]
    return same
