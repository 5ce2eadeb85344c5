"""Friction of bearings, which is in proportion to the force that they carry.

A pin of radius r that carries the force R across its axis is held back by up to mu r R, a slide by mu R: where the
resultant passes within the friction circle, of radius mu r, the joint stands. R is what the bodies outboard of the
joint take to move as they do, and that depends on all impulses of the step, those of this friction among them. So the
bounds of the rows of friction are wanted at which their impulses lead to the forces that make these bounds, b = T(b),
where T solves for all rows and finds the forces from the accelerations that come of it. Near that, T changes by a
part q ~ mu r / l of what b does, with the arms l of the mechanism; the search relaxes it by what the last two tries
show of q (Irons and Tuck, A version of the Aitken accelerator for computer iteration, 1969), and ends where b is right
to rounding, or where all bearings stand within their bounds, whatever these are. Where friction presses more than it
is pressed for, q > 1, each try raises the bounds until the joint stands: it jams.

R is that of the start of the step with the efforts of its middle, carried on to the middle by how it changed from the
last step, and by no more than a tenth: what efforts of rows contribute to R is of first order, the rest of second.
Blows pass through bearings without friction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, minus, plus, rotation_of, row_of, row_vector, turn
from simulator.physics.contacts.midpoint_rows import contact_axes
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.loops.loops import AXIS, CHILD_TURN, LINE, SLIDE, axis_wrench, loop_row, rate_along
from simulator.physics.motion.free import accelerate_under
from simulator.physics.rows.grips import BEFORE, CARRIED, LACKED, LOAD, SPAN, WEIGHT
from simulator.physics.rows.held_efforts import end_of_line, factor_of_line
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import add_transposed
from simulator.physics.tree.loads import ALONG

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Table, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import LoopViews, MechanismViews
    from simulator.physics.tree.views import StateViews, TreeViews

ROUNDS, PATIENCE = 60, 6
"""Most tries in a step; tries in a row that bring nothing, where little lacks."""
SAME, CLOSE = 1e-13, 1e-9
"""Part of the largest bound that may lack; and of which rounding may leave more."""
LEAST, MOST, FURTHER = 0.1, 4.0, 2.0
"""Least and largest part of what lacks that is added at once, and that where it grows from try to try."""
AHEAD = 0.1
"""Part of a force by which it is taken to change within half a step."""
ANGULAR, LINEAR, FORCE = 0, 3, 6
"""Columns of `carried`: accelerations of a node beside those of its bias, and the force of its joint."""


@compiled
def resolve_bearings(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, vector: Floats, settled: bool, dt: float
) -> bool:
    """Find all impulses again with the bounds of bearings that follow from them; `settled`: whether those at hand did;
    returns that. From the velocities that `keep_unpushed` has kept."""
    if bounded.bearings == 0 or not settled:
        return settled
    DV = m.state.DV
    unpushed = m.stages.V_sum
    for a in range(DV.shape[0]):
        unpushed[a] = DV[a]
    step = 1.0
    best = math.inf
    slow = 0
    for k in range(ROUNDS):
        _find_forces(m, bounded, lines, contacts, dt)
        lacks, step = _raise_bounds(m, bounded, lines, dt, step if k > 0 else 0.0)
        slow = 0 if lacks < 0.5 * best else slow + 1
        best = min(best, lacks)
        if lacks <= SAME or (slow > PATIENCE and best <= CLOSE):
            break
        for a in range(vector.shape[0]):
            vector[a] = bounded.unpushed[a]
        settled = solve_rows(m, bounded, contacts[1], vector, True)
        if not settled:
            break
    for a in range(DV.shape[0]):
        DV[a] = unpushed[a]
    return settled


@compiled
def store_bearing_loads(bounded: BoundedRows, lines: Table, dt: float) -> None:
    """After the search: what bearings carried in this step of `dt` [s], for the next one."""
    RI, RF = lines
    for line in range(RI.shape[0] if bounded.bearings > 0 else 0):
        if RI[line, row_at.KIND] == row_at.FRICTION and RF[line, WEIGHT] > 0.0:
            RF[line, BEFORE], RF[line, SPAN] = RF[line, CARRIED], dt


# -- bounds ------------------------------------------------------------------------------------------------------------


@compiled
def _raise_bounds(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float, step: float) -> tuple[float, float]:
    """Bring the bounds of bearings nearer to what the forces at hand make of them. What lacks, as a part of the largest
    bound, 0 where no impulse is to change; and the part of it that was added, `step` being the last one, 0 at first."""
    RI, RF = lines
    largest = worst = changed = along = 0.0
    for r in range(bounded.gathered[0]):
        line = bounded.line[r]
        if bounded.kind[r] != row_at.FRICTION or RF[line, WEIGHT] <= 0.0:
            continue
        RF[line, CARRIED] = RF[line, WEIGHT] * _across(m, RI[line, row_at.CODE])
        goal = _in_the_middle(RF, line, dt)
        lack = goal - RF[line, LOAD]
        largest = max(largest, goal, RF[line, LOAD])
        if _stands(bounded, r, dt * lack):
            lack = 0.0
            _bound(bounded, RF, r, goal, dt)
        worst = max(worst, abs(lack))
        change = lack - RF[line, LACKED]
        along += RF[line, LACKED] * change
        changed += change * change
        RF[line, LACKED] = lack
    if worst <= SAME * largest:
        return 0.0, step
    step = 1.0 if step == 0.0 or changed == 0.0 else -step * along / changed
    step = FURTHER if step <= 0.0 else min(max(step, LEAST), MOST)
    for r in range(bounded.gathered[0]):
        line = bounded.line[r]
        if bounded.kind[r] == row_at.FRICTION and RF[line, WEIGHT] > 0.0 and RF[line, LACKED] != 0.0:
            _bound(bounded, RF, r, max(RF[line, LOAD] + step * RF[line, LACKED], 0.0), dt)
    return worst / largest, step


@compiled
def _in_the_middle(RF: Floats2, line: int, dt: float) -> float:
    """What the bearing of a line holds half a step later than what it carries now says."""
    carried, before, span = RF[line, CARRIED], RF[line, BEFORE], RF[line, SPAN]
    if span <= 0.0:
        return carried
    most = AHEAD * carried
    return carried + min(max(0.5 * dt / span * (carried - before), -most), most)


@compiled
def _stands(bounded: BoundedRows, r: int, more: float) -> bool:
    """Whether the impulse of a row of friction is within its bounds, and within those that are larger by that."""
    impulse = abs(bounded.impulse[r])
    high = bounded.high[r]
    return impulse < (1.0 - row_at.LOCKED) * min(high, high + more)


@compiled
def _bound(bounded: BoundedRows, RF: Floats2, r: int, load: float, dt: float) -> None:
    """The bearing of a row of friction holds that [N m or N]."""
    line = bounded.line[r]
    high = max(bounded.high[r] + dt * (load - RF[line, LOAD]), 0.0)
    bounded.low[r], bounded.high[r] = -high, high
    RF[line, LOAD] = load


@compiled
def _across(m: MechanismViews, code: int) -> float:
    """Force [N] that the joint of an axis, by its code, carries across it."""
    tree, loops, state = m.tree, m.loops, m.state
    if code >= 0:
        force = row_of_force(state.carried, _node_of(tree.first, code))
        axis = row_vector(state.S, code)
    else:
        j = -1 - code
        side = 2 * loops.axis_loop[j] + (1 if loops.axis_kind[j] == CHILD_TURN else 0)
        force = row_of_force(state.carried, tree.kind.shape[0] + loops.axis_loop[j])
        axis = turn(rotation_of(loops.frame, side), row_of(loops.axis_direction, j, 0))
    across = plus(force, -dot(force, axis), axis)
    return math.sqrt(dot(across, across))


@compiled
def _node_of(first: Ints, k: int) -> int:
    """The node of freedom k; those of nodes follow each other."""
    low = 0
    high = first.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if first[middle] <= k:
            low = middle
        else:
            high = middle
    return low


# -- forces ------------------------------------------------------------------------------------------------------------


@compiled
def _find_forces(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """FORCE of every joint, of the tree and then of loops, that the parent exerts on the child with the impulses at
    hand as efforts over `dt` [s]: mass times acceleration of all that is outboard, less the forces that act on it.
    DV: the accelerations."""
    tree, state, loops = m.tree, m.state, m.loops
    carried = state.carried
    _accelerate_with(m, bounded, dt)
    for n in range(tree.active):
        _find_inertial_force(tree, state, tree.order[n])
    for loop in range(loops.motion.shape[0]):
        _set_force(carried, tree.kind.shape[0] + loop, (0.0, 0.0, 0.0))
    _add_multipliers(m)
    _add_loop_efforts(m, bounded, lines, dt)
    for loop in range(loops.motion.shape[0]):
        force = row_of_force(carried, tree.kind.shape[0] + loop)
        _act(carried, loops.node[2 * loop], -1.0, force)
        _act(carried, loops.node[2 * loop + 1], 1.0, force)
    _add_forces_of_rows(m, bounded, lines, contacts, dt)
    for n in range(tree.active - 1, -1, -1):
        i = tree.order[n]
        if tree.parent[i] >= 0:
            _act(carried, tree.parent[i], -1.0, row_of_force(carried, i))
    for n in range(tree.active):
        i = tree.order[n]
        for c in range(3):
            # What gravity, velocities and loads need has been summed up with the bias.
            carried[i, FORCE + c] += state.force[i, 3 + c]


@compiled
def _accelerate_with(m: MechanismViews, bounded: BoundedRows, dt: float) -> None:
    """DV, and the multipliers of loops, with the impulses of all rows as efforts over `dt` [s]."""
    added = m.stages.Q_sum
    for a in range(m.state.DV.shape[0]):
        added[a] = 0.0
    for r in range(bounded.gathered[0]):
        if bounded.impulse[r] != 0.0:
            add_transposed(bounded, r, added, bounded.impulse[r] / dt)
    accelerate_under(m, added)


@compiled
def _find_inertial_force(tree: TreeViews, state: StateViews, i: int) -> None:
    """Accelerations of node i that come of DV, and the force that they take: m a + alpha x m c."""
    carried = state.carried
    up = tree.parent[i]
    angular = (0.0, 0.0, 0.0)
    linear = (0.0, 0.0, 0.0)
    if up >= 0:
        angular = _three(carried, up, ANGULAR)
        arm = minus(row_vector(state.p, i), row_vector(state.p, up))
        linear = plus(_three(carried, up, LINEAR), 1.0, cross(angular, arm))
    G = tree.G
    for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
        rate = 0.0
        for t in range(G.begin[k], G.begin[k + 1]):
            rate += G.value[t] * state.DV[G.column[t]]
        if tree.turns[k]:
            angular = plus(angular, rate, row_vector(state.S, k))
        else:
            linear = plus(linear, rate, row_vector(state.S, k))
    mass = tree.inertia[i, 0]
    moment = turn(rotation_of(state.R, i), (tree.inertia[i, 1], tree.inertia[i, 2], tree.inertia[i, 3]))
    turning = cross(angular, moment)
    for c in range(3):
        carried[i, ANGULAR + c] = angular[c]
        carried[i, LINEAR + c] = linear[c]
        carried[i, FORCE + c] = mass * linear[c] + turning[c]


@compiled
def _add_multipliers(m: MechanismViews) -> None:
    """FORCE of loop joints += what their rows, and those of couplings of their axes, hold."""
    loops, rows = m.loops, m.rows
    for r in range(rows.solved - rows.guides):
        row = loops.active[r]
        multiplier = rows.multiplier[r]
        if loops.row_kind[row] == LINE:
            T, _, _ = loop_row(loops, loops.row_loop[row], row)
            _push_loop(m, loops.row_loop[row], multiplier, (T[3], T[4], T[5]))
        elif loops.row_kind[row] >= AXIS:
            for t in range(loops.term_begin[row], loops.term_begin[row + 1]):
                if loops.term_axis[t] >= 0:
                    _push_along(m, loops.term_axis[t], multiplier * loops.coefficient[t])


@compiled
def _add_loop_efforts(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> None:
    """FORCE of loop joints += efforts along the axes on which they slide: what acts on these, and the impulses of
    rows."""
    loops = m.loops
    (RI, RF) = lines
    for j in range(loops.axis_kind.shape[0]):
        if loops.axis_kind[j] == SLIDE:
            _push_along(m, j, _effort_on(loops, j))
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.UPPER or bounded.impulse[r] == 0.0:
            continue
        for line in range(bounded.line[r], end_of_line(RI, bounded.line[r])):
            j = -1 - RI[line, row_at.CODE]
            if 0 <= j < loops.axis_kind.shape[0]:
                _push_along(m, j, factor_of_line(RI, RF, line) * bounded.impulse[r] / dt)


@compiled
def _effort_on(loops: LoopViews, j: int) -> float:
    """Effort on a loop axis, of its damper and of its spring."""
    T, _ = axis_wrench(loops, j)
    effort = loops.given[j] - loops.passive[j, 0] * rate_along(loops, loops.axis_loop[j], T)
    return effort - loops.passive[j, 1] * (loops.axis_position[j] - loops.passive[j, 2])


@compiled
def _push_along(m: MechanismViews, j: int, effort: float) -> None:
    """FORCE of a loop joint += an effort along one of its axes, where it slides."""
    if m.loops.axis_kind[j] == SLIDE:
        T, _ = axis_wrench(m.loops, j)
        _push_loop(m, m.loops.axis_loop[j], effort, (T[3], T[4], T[5]))


@compiled
def _push_loop(m: MechanismViews, loop: int, factor: float, force: Vector) -> None:
    carried = m.state.carried
    place = m.tree.kind.shape[0] + loop
    for c in range(3):
        carried[place, FORCE + c] += factor * force[c]


@compiled
def _add_forces_of_rows(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """Take what contacts, and springs between points that rows hold, exert on nodes from what joints have to."""
    CI, CF = contacts
    carried = m.state.carried
    RI = lines[0]
    first = m.loops.axis_kind.shape[0]
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        effort = bounded.impulse[r] / dt
        if row_at.NORMAL <= kind < row_at.TWIST and effort != 0.0:
            n, t, s = contact_axes(CF, line)
            axis = n if kind == row_at.NORMAL else (t if kind == row_at.TANGENT else s)
            _act(carried, CI[line, row_at.FIRST], effort, axis)
            _act(carried, CI[line, row_at.SECOND], -effort, axis)
        elif kind == row_at.HELD and RI[line, row_at.CODE] < -first:
            spring = -1 - RI[line, row_at.CODE] - first
            now = m.loads.springs
            along = now[spring, ALONG], now[spring, ALONG + 1], now[spring, ALONG + 2]
            _act(carried, m.loads.ends[spring, 0], -effort, along)
            _act(carried, m.loads.ends[spring, 1], effort, along)


@compiled
def _act(carried: Floats2, i: int, factor: float, force: Vector) -> None:
    """A force on a node, -1 the world, is none that its joint has to exert."""
    if i >= 0:
        for c in range(3):
            carried[i, FORCE + c] -= factor * force[c]


@compiled
def _set_force(carried: Floats2, place: int, force: Vector) -> None:
    for c in range(3):
        carried[place, FORCE + c] = force[c]


@compiled
def row_of_force(carried: Floats2, place: int) -> Vector:
    """FORCE of a joint."""
    return _three(carried, place, FORCE)


@compiled
def _three(carried: Floats2, place: int, first: int) -> Vector:
    return carried[place, first], carried[place, first + 1], carried[place, first + 2]
