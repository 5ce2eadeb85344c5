"""Efforts of bounded rows over a step: constant on it, and such that at its end motors have their velocities, gaps are
not passed, and friction holds or slips."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import copy, cross
from simulator.physics.contacts.active_set import activate_missed, open_gap_of_row
from simulator.physics.contacts.midpoint_rows import softness
from simulator.physics.contacts.rows import gather_at_middle
from simulator.physics.contacts.warm_start import (
    aim_friction,
    begin_with_carried,
    share_with_new,
    store_impulses,
    warm_start,
)
from simulator.physics.impact.giving_way import give_way, keep_unpushed, note_lacks
from simulator.physics.impact.motors import MISSED, approach, are_held, misses
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, is_stop, stops
from simulator.physics.layout.flatten import FREE
from simulator.physics.loops.solve import LEAST
from simulator.physics.motion.free import accelerate_from
from simulator.physics.rows.grips import friction_at
from simulator.physics.rows.held_efforts import clear_efforts, hold_efforts
from simulator.physics.rows.meshes import ask_loss, ask_mesh, push_cycles
from simulator.physics.rows.ramps import holds, reaches
from simulator.physics.rows.rows import axis_position
from simulator.physics.rows.servos import ask_servo
from simulator.physics.rows.soft import ask_soft
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import rate
from simulator.physics.solver.solve import UNBOUNDED, add_impulses, contradict, leave_to_motors
from simulator.physics.step.bearings import resolve_bearings, store_bearing_loads
from simulator.physics.step.resolve import resolve_friction_bounds, resolve_reversals, resolve_tooth_stiffness
from simulator.physics.tree.loads import set_stage
from simulator.physics.tree.positions import displace, three_coordinates

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

SPENT = 0.5
"""A motor without a limit that gives more than this part of what bounds its row has nothing left."""
ROUNDED = 1e-13
"""What touches moves apart this fast [m/s or rad/s] by rounding, which is left out: it would come back in the next step
with the other sign, and so on. Loose bodies come to rest (`motion.loose`)."""


@compiled
def solve_efforts(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, ahead: bool
) -> tuple[bool, int]:
    """Efforts of this step, see `hold_efforts`; (whether there is room for the rows of all contacts that come near in
    it, what is BLOCKED, see `row_layout`). `ahead`: whether H and rows of loops are those of its middle."""
    RF, CF = lines[1], contacts[1]
    blocked = _find_efforts(m, bounded, lines, contacts, dt)
    if activate_missed(m, contacts, m.state.step):
        if not gather_at_middle(m, bounded, lines, contacts, dt):
            return False, blocked
        again = _find_efforts(m, bounded, lines, contacts, dt)
        blocked = again if again != 0 else blocked
    if not ahead and estimate_jerk(m, bounded, lines, dt):
        begin_with_carried(bounded, RF)
        again = _find_efforts(m, bounded, lines, contacts, dt)
        blocked = again if again != 0 else blocked
    _push_immovable(bounded)
    store_bearing_loads(bounded, lines, dt)
    add_impulses(bounded, RF, CF)
    store_impulses(bounded, RF, CF)
    # An impulse over the step is an effort that is constant on it.
    hold_efforts(m, bounded, lines, dt)
    return True, blocked


@compiled
def _find_efforts(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> int:
    """Impulses of all rows over this step, and STEP = velocity at its end; returns what is BLOCKED."""
    STEP = m.state.step
    (RI, RF) = lines
    CF = contacts[1]
    blocked = _set_effort_targets(m, bounded, RI, RF, CF, dt)
    _predict_velocity(m, bounded, RF, dt)
    keep_unpushed(bounded, STEP)
    begun = warm_start(bounded, RF, CF, True)
    aim_friction(m, bounded, CF, STEP)
    held = are_held(RI, RF)
    settled = held or solve_rows(m, bounded, CF, STEP, True)
    if begun and not held and bounded.islands[0] > 0 and share_with_new(bounded, RF):
        _predict_velocity(m, bounded, RF, dt)
        warm_start(bounded, RF, CF, False)
        settled = solve_rows(m, bounded, CF, STEP, True)
    settled = resolve_reversals(m, bounded, CF, STEP, settled)
    settled = resolve_tooth_stiffness(m, bounded, lines, CF, STEP, settled, dt)
    settled = resolve_friction_bounds(m, bounded, RF, CF, STEP, settled, dt)
    settled = give_way(m, bounded, RF, contacts, STEP, settled, held)
    settled = resolve_bearings(m, bounded, lines, contacts, STEP, settled, dt)
    leave_to_motors(bounded)
    note_lacks(bounded, RF)
    if blocked == 0 and not settled:
        blocked = _find_contradiction(m, bounded, CF)
    return blocked if blocked != 0 else _find_spent(m, bounded, RF)


@compiled
def _ask_compliant(bounded: BoundedRows, RF: Floats2, CF: Floats2, r: int, dt: float) -> bool:
    """Set bounds, target and softness of a row that yields with the motion: of a servo, a compliant contact or a real
    coupling. Returns whether it is one."""
    kind = bounded.kind[r]
    if kind == row_at.MESH:
        ask_mesh(bounded, RF, r, dt)
        return True
    if kind == row_at.LOSS:
        ask_loss(bounded, RF, r, dt)
        return True
    if row_at.SERVO <= kind <= row_at.HELD:
        ask_servo(bounded, RF, r, dt)
        return True
    if kind == row_at.NORMAL and not stops(bounded, CF, r):
        ask_soft(bounded, CF, r, dt)
        return True
    return False


@compiled
def _closing_rate(bounded: BoundedRows, r: int, dt: float) -> float:
    """The least rate of a stop or contact at the end of the step: it moves dt times the mean of both rates, and
    that is not to be more than its gap."""
    before = bounded.rate[r]
    if bounded.loose[0] <= 0 and abs(before) <= ROUNDED:
        before = 0.0
    return -2.0 * open_gap_of_row(bounded, r) / dt - before - dt * bounded.drift[r]


@compiled
def _set_effort_targets(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2, CF: Floats2, dt: float) -> int:
    """Bounds and targets of the efforts: what each row's velocity is to be at the end of the step; returns 1 + line of
    a motor whose axis cannot move, or 0."""
    blocked = 0
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        low = -UNBOUNDED
        high = UNBOUNDED
        target = 0.0
        if _ask_compliant(bounded, RF, CF, r, dt):
            continue
        if kind <= row_at.FRICTION:
            # Motors and dry friction are alike: a bound on the effort, and a rate to reach with it (0 for friction).
            most = friction_at(RF, line, bounded.rate[r]) if kind == row_at.FRICTION else RF[line, row_at.MOST]
            high = most * dt
            low = -high
            bounded.most[r] = UNBOUNDED if holds(bounded, RF, r) else most
            if kind == row_at.TO_VELOCITY:
                target = RF[line, row_at.GOAL]
            elif kind == row_at.TO_POSITION:
                target = approach(m, bounded, RI, RF, r, dt)
            target -= dt * (bounded.drift[r] + 0.5 * dt * RF[line, row_at.JERK])
            if kind < row_at.FRICTION and bounded.response[r] == 0.0:
                asked = (
                    RF[line, row_at.GOAL]
                    if kind == row_at.TO_VELOCITY
                    else RF[line, row_at.GOAL] - axis_position(m, RI[line, row_at.CODE])
                )
                if abs(asked) > 1e-9:
                    blocked = 1 + line
        elif kind == row_at.SPEED:
            target = RF[line, row_at.LIMIT]
        elif is_stop(kind):
            low = 0.0
            target = _closing_rate(bounded, r, dt)
        elif not math.isnan(CF[line, row_at.MOTION]):
            # At the end nothing is to slip. In rows of the middle, what turns goes there half of its way from now.
            target = CF[line, row_at.MOTION + kind - row_at.NORMAL] - bounded.rate[r]
        if kind >= row_at.TANGENT:
            bounded.soft[r] = softness(CF, line, kind - row_at.TANGENT, dt)
        ask_of_row(bounded, r, low, high, target)
        bounded.asked[r] = target
    return blocked


@compiled
def _predict_velocity(m: MechanismViews, bounded: BoundedRows, RF: Floats2, dt: float) -> None:
    """STEP = velocity at the end of the step without what rows have to find, in the axes of its start: a free body's
    are taken back from its turned ones."""
    tree, state = m.tree, m.state
    G = tree.G
    V = state.V
    step = state.step
    for a in range(step.shape[0]):
        step[a] = V[a] + dt * state.DV[a]
    for i in range(tree.kind.shape[0]):
        if tree.kind[i] != FREE:
            continue
        w = three_coordinates(G, V, tree.first[i])
        v = three_coordinates(G, V, tree.first[i] + 3)
        # v is in the body's axes, which turn by dt w: the change that this alone makes, -w x v, is given back.
        change = cross(w, v)
        k = tree.first[i] + 3
        step[G.column[G.begin[k]]] += dt * change[0]
        step[G.column[G.begin[k + 1]]] += dt * change[1]
        step[G.column[G.begin[k + 2]]] += dt * change[2]
    if bounded.meshes > 0:
        push_cycles(bounded, RF, step, dt)


@compiled
def _push_immovable(bounded: BoundedRows) -> None:
    """Impulses of servos on axes that nothing can move: their targets are impulses, see `ask_servo`."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.SERVO and bounded.response[r] <= 0.0:
            low, high = bounded.low[r], bounded.high[r]
            bounded.impulse[r] = min(max(bounded.target[r], low), high)


@compiled
def _find_contradiction(m: MechanismViews, bounded: BoundedRows, CF: Floats2) -> int:
    """-1 - line of a motor that is far from its target though it has effort left and no stop, speed limit, contact or
    real coupling is in its way, but other motors, which loops or couplings tie to it; 0 where there is none."""
    STEP = m.state.step
    motor = -1
    motors = 0
    for r in range(bounded.gathered[0]):
        kind, impulse = bounded.kind[r], bounded.impulse[r]
        if (kind >= row_at.SPEED or row_at.MESH <= kind <= row_at.LOSS) and impulse != 0.0:
            return 0
        left = bounded.high[r] - abs(impulse)
        if kind > row_at.TO_POSITION or bounded.response[r] <= 0.0 or left <= 0.0:
            continue
        motors += 1
        if misses(bounded, r, STEP, MISSED):
            motor = r
    if motor >= 0 and motors > 1 and contradict(bounded, CF, STEP, m.rows.scratch):
        return -1 - bounded.line[motor]
    return 0


@compiled
def _find_spent(m: MechanismViews, bounded: BoundedRows, RF: Floats2) -> int:
    """1 + line of a motor without a limit that gives all that there is and is not at its velocity all the same, where
    nothing holds it: no motion is left to it. Less than 0, -1 - line, where another such motor pushes as hard."""
    found = 0
    others = 0
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        if holds(bounded, RF, r) and abs(bounded.impulse[r]) > SPENT * bounded.high[r]:
            others += 1
            if misses(bounded, r, m.state.step, MISSED):
                found = 1 + bounded.line[r]
    return -found if others > 1 else found


# -- motors that begin: how accelerations change, by those of half a step on under the efforts of its start ------------


@compiled
def estimate_jerk(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> bool:
    """JERK of motors that begin in this step, from accelerations half a step later under the impulses at hand; whether
    there are any. DV, poses and factors are those of the start of the step afterwards."""
    RF = lines[1]
    found = False
    for r in range(bounded.gathered[0]):
        found = found or _begins(bounded, RF, r)
    if not found:
        return False
    state, stages, rows = m.state, m.stages, m.rows
    clear = rows.pivot[LEAST]
    least = rows.least_rank[0]
    copy(state.Q, stages.Q_sum)
    copy(state.V, stages.V_sum)
    hold_efforts(m, bounded, lines, dt)
    _add_rates(m, bounded, RF, -2.0 / dt)
    half = 0.5 * dt
    for a in range(state.V.shape[0]):
        state.step[a] = half * (state.V[a] + 0.5 * half * state.DV[a])
    displace(m.tree, state)
    for a in range(state.V.shape[0]):
        state.V[a] += half * state.DV[a]
    set_stage(m.loads, dt, 0.5)
    accelerate_from(m, False)
    _add_rates(m, bounded, RF, 2.0 / dt)
    clear_efforts(m)
    copy(stages.Q_sum, state.Q)
    copy(stages.V_sum, state.V)
    set_stage(m.loads, dt, 0.0)
    accelerate_from(m, False)
    rows.pivot[LEAST], rows.least_rank[0] = clear, least
    return True


@compiled
def _begins(bounded: BoundedRows, RF: Floats2, r: int) -> bool:
    """Whether a row is a motor of which the last step says nothing, and that reaches what it asks for in this one."""
    line = bounded.line[r]
    if bounded.kind[r] > row_at.TO_POSITION or not reaches(bounded, r):
        return False
    return bool(RF[line, row_at.RESPONSE] == 0.0 or RF[line, row_at.JUMP] != 0.0)


@compiled
def _add_rates(m: MechanismViews, bounded: BoundedRows, RF: Floats2, factor: float) -> None:
    """JERK of motors that begin becomes `factor` times their accelerations, or, above 0, grows by that."""
    for r in range(bounded.gathered[0]):
        if _begins(bounded, RF, r):
            before = RF[bounded.line[r], row_at.JERK] if factor > 0.0 else 0.0
            RF[bounded.line[r], row_at.JERK] = before + factor * rate(bounded, r, m.state.DV)
