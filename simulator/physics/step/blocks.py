"""Many steps in one call, with all that an engine does around a step: drives over time, loops of axes and actuators,
the ledger, residuals, samples. Python looks in between only where something has to be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import copy
from simulator.physics.impact.motors import has_jumped, has_news
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.watched_row import CABLED, ENERGIES
from simulator.physics.loops.flow import BY_CONTACTS, BY_LOADS, BY_SEPARATION, TAKEN, WORK
from simulator.physics.motion.free import RK4, advance
from simulator.physics.step import block as block_at
from simulator.physics.step.step import NO_ROOM, step_rows
from simulator.physics.step.watch import cable_place, energy_place, is_trouble, is_unbalanced, watch
from simulator.physics.tree.efforts import extrapolate
from simulator.physics.tree.loads import start_step

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.step.block import Journal, Orders, Span
    from simulator.physics.step.watch import Watch

OPEN = 1e-6
"""Residual [m, or 1 for directions] that a projection met, from which on a loop counts as open."""


@entry("motion", long=True)
def advance_block(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    contacts: Table,
    journal: Journal,
    span: Span,
    dt: float,
    slack: float,
) -> None:
    """At most `span.steps` steps of `dt` [s] from the state after `span.first`; how many and why is in
    `journal.report`, see `block`.

    Every `span.stride` steps, the first after `span.stride - span.phase`, a row is written to `journal.rows`, as far
    as its `columns` go (stride 0: none). Loops that hold by themselves may come open by `slack` [m or 1]. What the
    first step began with is in `journal.kept`, for steps that are made again.
    """
    report = journal.report
    report[block_at.MADE] = report[block_at.WRITTEN] = 0
    keep(m, lines[1], journal)
    watch(m, journal.watch, journal.row)
    mark_positions(journal.watch, journal.orders, journal.row)
    report[block_at.WHY] = make_steps(m, bounded, lines, contacts, journal, span, dt, slack, 0, span.steps)
    report[block_at.NEWS] = has_news(lines[0], lines[1])


@entry("motion")
def begin_step(m: MechanismViews, RF: Floats2, journal: Journal, step: int, dt: float) -> None:
    """Order what `advance_block` orders at the start of a step after so many, for one that the caller makes; the state
    was read into the journal's row."""
    orders = journal.orders
    mark_positions(journal.watch, orders, journal.row)
    start_step(m.loads, step * dt)
    order_step(m, RF, journal.watch, orders, journal.row, step - orders.begin[0], dt)


@entry("motion")
def end_step(m: MechanismViews, lines: Table, journal: Journal, step: int, dt: float) -> None:
    """Book what came of that step, whose state was read into the journal's row."""
    journal.row[0] = (step + 1) * dt
    book_step(m, lines, journal, step - journal.orders.begin[0], dt)


@compiled
def make_steps(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    contacts: Table,
    journal: Journal,
    span: Span,
    dt: float,
    slack: float,
    first: int,
    end: int,
) -> int:
    """Steps `first` to before `end` of a span, from a state that was read; says why they end. (Whatever calls the steps
    calls this: each of the functions behind it has one caller, and is part of it.)"""
    W = journal.watch
    orders = journal.orders
    row = journal.row
    is_bound = lines[0].shape[0] > 0 or m.rows.solved > 0
    can_be_halved = is_bound and journal.report[block_at.SHORT] == 0
    energy = energy_place(W)
    for s in range(first, end):
        start_step(m.loads, (span.first + s) * dt)
        told = span.first + s - orders.begin[0]
        order_step(m, lines[1], W, orders, row, told, dt)
        before = error_of(row[energy] + row[energy + 1], journal.ledger)
        why = _step(m, bounded, lines, contacts, dt)
        if why in (block_at.ROOM, block_at.TROUBLE):
            return why
        watch(m, W, row)
        if is_trouble(m, W, row, slack):
            return block_at.TROUBLE
        book_step(m, lines, journal, told, dt)
        change = row[energy + 4] - before
        if can_be_halved and is_unbalanced(m.stages, m.stiff, lines, row[energy], row[energy + 1], change):
            return block_at.TROUBLE
        record(journal, span, s, dt)
        if why == block_at.ROWS or has_jumped(lines[0], lines[1]):
            return why
    return block_at.DONE


@compiled
def book_step(m: MechanismViews, lines: Table, journal: Journal, s: int, dt: float) -> None:
    """What came of a step, the `s`th of the orders: integrals of loops, efforts, the ledger, the largest values."""
    (RI, RF) = lines
    orders = journal.orders
    row = journal.row
    if orders.servo_line.shape[0] > 0:
        _settle(RF, orders, row, s if orders.servo_asked.shape[0] > 1 else 0, dt)
    _book_efforts(RI, RF, journal.watch, orders, row, s, dt)
    if journal.watch.cables.shape[0] > 0:
        _book_tensions(RI, RF, journal.watch, row, dt)
    _book(m.stages.flow, journal.watch, row, journal.worst, journal.ledger)


@compiled
def record(journal: Journal, span: Span, s: int, dt: float) -> None:
    """Count step `s`, and keep its row where it is one of those that are recorded."""
    rows = journal.rows
    row = journal.row
    columns = journal.columns
    report = journal.report
    row[0] = (span.first + s + 1) * dt
    report[block_at.MADE] = s + 1
    if span.stride > 0 and (span.phase + s + 1) % span.stride == 0:
        for c in range(columns.shape[0]):
            rows[report[block_at.WRITTEN], c] = row[columns[c]]
        report[block_at.WRITTEN] += 1


@compiled
def mark_positions(W: Watch, orders: Orders, row: Floats) -> None:
    """Where axes and actuators are before the first step."""
    n = W.codes.shape[0]
    place = energy_place(W) + ENERGIES
    for axis in range(n):
        orders.moved[axis] = row[1 + 3 * axis]
    for i in range(orders.actuator_effort.shape[0]):
        orders.moved[n + i] = row[place + 3 * i]


@compiled
def _step(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> int:
    """One step; returns why the block ends after it, or DONE."""
    why = block_at.DONE
    if lines[0].shape[0] == 0:
        gap = advance(m, dt, 1, RK4)
        if gap < 0.0:
            gap = -1.0 - gap
            why = block_at.ROWS
    else:
        gap, why = step_bounded(m, bounded, lines, contacts, dt)
    if why != block_at.ROOM and not gap <= OPEN:
        why = block_at.TROUBLE
    return why


@compiled
def step_bounded(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[float, int]:
    """(loop residual that was met, why the block ends after the step, or DONE), of one step with bounded rows,
    after `watch`."""
    why = block_at.DONE
    gap, blocked = step_rows(m, bounded, lines, contacts, dt, True)
    bounded.blocked[0] = blocked
    if m.rows.least_rank[0] < m.rows.solved:
        why = block_at.ROWS
    if gap == NO_ROOM:
        why = block_at.ROOM
    elif blocked != 0:
        why = block_at.TROUBLE
    return gap, why


# -- commands ----------------------------------------------------------------------------------------------------------


@compiled
def order_step(m: MechanismViews, RF: Floats2, W: Watch, orders: Orders, row: Floats, s: int, dt: float) -> None:
    """Efforts, motors and servos of a step, the `s`th of the orders, whose positions and velocities are in `row`."""
    give_efforts(m, W.codes, orders.efforts[s if orders.efforts.shape[0] > 1 else 0, :])
    moving = s if orders.motors.shape[0] > 1 else 0
    for j in range(orders.motor_line.shape[0]):
        RF[orders.motor_line[j], row_at.GOAL] = orders.motors[moving, j, 0]
        RF[orders.motor_line[j], row_at.TOP_SPEED] = orders.motors[moving, j, 1]
    pushing = s if orders.pushes.shape[0] > 1 else 0
    for i in range(orders.pushes.shape[1]):
        orders.actuator_effort[i] = orders.pushes[pushing, i]
    if orders.servo_line.shape[0] > 0:
        ask_servos(RF, orders, row, s if orders.servo_asked.shape[0] > 1 else 0, dt)
        _share(RF, orders, row, pushing)


@compiled
def give_efforts(m: MechanismViews, codes: Ints, efforts: Floats) -> None:
    """Efforts on axes, (n_axes,), from now on."""
    given, of_loops = m.efforts.given, m.loops.given
    for axis in range(codes.shape[0]):
        code = codes[axis]
        if code >= 0:
            given[code] = efforts[axis]
        else:
            of_loops[-1 - code] = efforts[axis]


@compiled
def ask_servos(RF: Floats2, orders: Orders, row: Floats, k: int, dt: float) -> None:
    """The numbers of their lines (`engine.commanded` has the law), each with the whole of its limit."""
    for j in range(orders.servo_line.shape[0]):
        line = orders.servo_line[j]
        gains = orders.servo_gains
        begun = orders.servo_begun
        begun[j, 0], begun[j, 1] = _error(orders, row, j, orders.servo_asked[k, j, 0], orders.servo_asked[k, j, 1])
        RF[line, row_at.MOST] = gains[j, block_at.LIMIT]
        # What the loop asks for without the motion within the step: integral, and proportional part of the error.
        RF[line, row_at.EFFORT] = gains[j, block_at.INTEGRAL] * orders.servo_stored[j]
        if orders.servo_kind[j] == block_at.POSITION:
            RF[line, row_at.EFFORT] += gains[j, block_at.PROPORTIONAL] * begun[j, 0]
            RF[line, row_at.STIFFNESS], RF[line, row_at.DAMPING] = (
                gains[j, block_at.PROPORTIONAL],
                gains[j, block_at.DERIVATIVE],
            )
            RF[line, row_at.INTEGRAL], RF[line, row_at.ERROR] = gains[j, block_at.INTEGRAL], begun[j, 0]
        else:
            RF[line, row_at.STIFFNESS], RF[line, row_at.DAMPING] = (
                gains[j, block_at.INTEGRAL],
                gains[j, block_at.PROPORTIONAL],
            )
            RF[line, row_at.INTEGRAL] = RF[line, row_at.ERROR] = 0.0
        RF[line, row_at.RATE_NOW], RF[line, row_at.RATE_THEN] = orders.servo_asked[k, j, 1], orders.servo_asked[k, j, 2]


@compiled
def _error(orders: Orders, row: Floats, j: int, value: float, rate: float) -> tuple[float, float]:
    """Error of a servo and its rate against what it follows, as `engine.pid` has them."""
    x = orders.servo_constant[j]
    moving = 0.0
    for t in range(orders.servo_start[j], orders.servo_start[j + 1]):
        x += orders.servo_factor[t] * row[1 + 3 * orders.servo_axis[t]]
        moving += orders.servo_factor[t] * row[2 + 3 * orders.servo_axis[t]]
    error = value - moving
    change = 0.0
    if orders.servo_kind[j] == block_at.POSITION:
        error, change = value - x, rate - moving
    return error, change


@compiled
def _share(RF: Floats2, orders: Orders, row: Floats, k: int) -> None:
    """Bound the loops of actuators so that together they stay within the limits of the axes: each gets what it asks
    for, as far as that fits, and an equal part of what is left over."""
    matrix = orders.matrix
    asked = orders.asked
    left = orders.left
    n = orders.matrix.shape[1]
    limit = orders.effort_limit
    _ask_actuators(RF, orders, row, k)
    if not _is_shared(orders, k):
        return
    for axis in range(n):
        left[axis] = _sum_on(matrix, asked, axis)
    for axis in range(n):
        if left[axis] > limit[axis]:
            # Scaled by how much all actuators together are above the limit of the axis.
            fits = limit[axis] / max(_sum_on(matrix, asked, axis), limit[axis])
            for i in range(matrix.shape[0]):
                asked[i] *= fits if matrix[i, axis] != 0.0 else 1.0
    for axis in range(n):
        left[axis] = max(limit[axis] - _sum_on(matrix, asked, axis), 0.0)
    for j in range(orders.servo_line.shape[0]):
        i = orders.servo_actuator[j]
        more = np.inf
        for axis in range(n if i >= 0 else 0):
            if matrix[i, axis] != 0.0:
                more = min(more, left[axis] / _loops_on(orders, axis) / abs(matrix[i, axis]))
        if i >= 0:
            RF[orders.servo_line[j], row_at.MOST] = min(orders.most[i], asked[i] + more)


@compiled
def _ask_actuators(RF: Floats2, orders: Orders, row: Floats, k: int) -> None:
    """What every actuator asks for, and the most that its loop may use; less than nothing where it has no loop."""
    asked, most = orders.asked, orders.most
    for i in range(orders.matrix.shape[0]):
        asked[i] = abs(orders.pushes[k, i])
        most[i] = -1.0
    for j in range(orders.servo_line.shape[0]):
        i = orders.servo_actuator[j]
        line = orders.servo_line[j]
        rate = 0.0
        if i >= 0:
            for t in range(orders.servo_start[j], orders.servo_start[j + 1]):
                rate += orders.servo_factor[t] * row[2 + 3 * orders.servo_axis[t]]
            most[i] = RF[line, row_at.MOST]
            asked[i] = min(
                abs(RF[line, row_at.EFFORT] + RF[line, row_at.DAMPING] * (RF[line, row_at.RATE_NOW] - rate)), most[i]
            )


@compiled
def _sum_on(matrix: Floats, asked: Floats, axis: int) -> float:
    total = 0.0
    for i in range(matrix.shape[0]):
        total += asked[i] * abs(matrix[i, axis])
    return total


@compiled
def _loops_on(orders: Orders, axis: int) -> int:
    """How many actuators with a loop move an axis."""
    count = 0
    for i in range(orders.matrix.shape[0]):
        if orders.most[i] >= 0.0 and orders.matrix[i, axis] != 0.0:
            count += 1
    return count


@compiled
def _is_shared(orders: Orders, k: int) -> bool:
    """Whether several actuators that act move one axis."""
    shared = False
    for axis in range(orders.matrix.shape[1]):
        count = _loops_on(orders, axis)
        for i in range(orders.matrix.shape[0]):
            if orders.pushes[k, i] != 0.0 and orders.matrix[i, axis] != 0.0:
                count += 1
        shared = shared or count > 1
    return shared


# -- what came of it ---------------------------------------------------------------------------------------------------


@compiled
def _settle(RF: Floats2, orders: Orders, row: Floats, k: int, dt: float) -> None:
    """Integrals grow, but for a loop that is cut off and whose error would push it further (`engine.pid`)."""
    for j in range(orders.servo_line.shape[0]):
        effort = RF[orders.servo_line[j], row_at.IMPULSE] / dt
        begun = orders.servo_begun
        error, change = _error(orders, row, j, orders.servo_asked[k, j, 3], orders.servo_asked[k, j, 2])
        # Integral of the cubic through both errors and both rates, dt (e0 + e1) / 2 + dt^2 (e0' - e1') / 12.
        gained = dt * (0.5 * (begun[j, 0] + error) + dt / 12.0 * (begun[j, 1] - change))
        if not (abs(effort) >= orders.servo_gains[j, block_at.LIMIT] and effort * gained > 0.0):
            orders.servo_stored[j] += gained
        if orders.servo_actuator[j] >= 0:
            orders.actuator_effort[orders.servo_actuator[j]] = effort


@compiled
def _book_efforts(RI: Ints2, RF: Floats2, W: Watch, orders: Orders, row: Floats, s: int, dt: float) -> None:
    """Efforts of drives at the end of the step: those of motors and servos by their impulses, which are means over
    steps, carried on to the end, and what is commanded then."""
    servo = 0.0
    n = W.codes.shape[0]
    for axis in range(n):
        row[3 + 3 * axis] = 0.0
    for line in range(RI.shape[0]):
        kind = RI[line, row_at.KIND]
        place = 3 + 3 * orders.line_axis[line]
        if kind in (row_at.TO_VELOCITY, row_at.TO_POSITION):
            row[place] += RF[line, row_at.IMPULSE] / dt
            orders.tally[orders.line_axis[line], block_at.WORK_OF_DRIVE] += RF[line, row_at.RAMP_WORK]
        if kind == row_at.SERVO:
            servo = RF[line, row_at.IMPULSE] / dt
        if kind in (row_at.SERVO, row_at.FURTHER):
            row[place] += RF[line, row_at.FACTOR] * servo
    place = energy_place(W) + ENERGIES + 2
    _extrapolate(orders, row, s)
    p_after = s if orders.pushes_after.shape[0] > 1 else 0
    for i in range(orders.actuator_effort.shape[0]):
        row[place + 3 * i] = orders.ends[n + i] + orders.pushes_after[p_after, i]
        _count(orders, n + i, orders.actuator_effort[i], row[place + 3 * i], row[place + 3 * i - 2], dt)
    k, after = s if orders.efforts.shape[0] > 1 else 0, s if orders.efforts_after.shape[0] > 1 else 0
    for axis in range(n):
        mean = row[3 + 3 * axis]
        then = orders.ends[axis]
        for i in range(orders.actuator_effort.shape[0]):
            then += orders.ends[n + i] * orders.matrix[i, axis]
        row[3 + 3 * axis] = then + orders.efforts_after[after, axis]
        _count(orders, axis, mean + orders.efforts[k, axis], row[3 + 3 * axis], row[1 + 3 * axis], dt)


@compiled
def _book_tensions(RI: Ints2, RF: Floats2, W: Watch, row: Floats, dt: float) -> None:
    """Mean tensions of cables over the step: their lines are the last of what couplings carry."""
    c = W.cables.shape[0] - 1
    line = RI.shape[0] - 1
    while c >= 0 and line >= 0:
        if RI[line, row_at.KIND] == row_at.MESH:
            row[cable_place(W) + CABLED * c + 1] = 0.0 - RF[line, row_at.IMPULSE] / dt
            c -= 1
        line -= 1


@compiled
def _extrapolate(orders: Orders, row: Floats, s: int) -> None:
    """Efforts at the end of a step but for what is commanded: `row` has their means on axes, those of actuators
    included."""
    n = orders.effort_limit.shape[0]
    p = s if orders.pushes.shape[0] > 1 else 0
    for axis in range(n):
        orders.means[axis] = row[3 + 3 * axis]
    for i in range(orders.actuator_effort.shape[0]):
        orders.means[n + i] = orders.actuator_effort[i] - orders.pushes[p, i]
        for axis in range(n):
            orders.means[axis] -= orders.means[n + i] * orders.matrix[i, axis]
    extrapolate(orders.trend, orders.means, orders.matrix, orders.effort_limit, orders.ends)


@compiled
def _count(orders: Orders, i: int, mean: float, at_end: float, position: float, dt: float) -> None:
    """Peak, integral of the square and work of a drive, of its mean effort over the step."""
    tally = orders.tally
    tally[i, block_at.PEAK] = max(tally[i, block_at.PEAK], abs(at_end))
    tally[i, block_at.SQUARE] += mean * mean * dt
    tally[i, block_at.WORK_OF_DRIVE] += mean * (position - orders.moved[i])
    orders.moved[i] = position


@compiled
def _book(flow: Floats, W: Watch, row: Floats, worst: Floats, ledger: Floats) -> None:
    """The ledger's part of a row, and the largest values so far."""
    place = 1 + 3 * W.codes.shape[0]
    ledger[block_at.WORK] += flow[WORK]
    ledger[block_at.DISSIPATED] += flow[TAKEN]
    ledger[block_at.LOADS] += flow[BY_LOADS]
    ledger[block_at.CONTACT] += flow[BY_CONTACTS]
    ledger[block_at.OVERLAP] += flow[BY_SEPARATION]
    for i in range(W.coupling_constant.shape[0]):
        if W.coupling_stiffness[i] == 0.0:
            worst[block_at.COUPLING] = max(worst[block_at.COUPLING], abs(row[place + i]) - W.coupling_half[i])
    place += W.coupling_constant.shape[0]
    for loop in range(W.loop_angle.shape[0]):
        worst[block_at.DISTANCE] = max(worst[block_at.DISTANCE], row[place + 2 * loop])
        worst[block_at.ANGLE] = max(worst[block_at.ANGLE], row[place + 2 * loop + 1])
    place += 2 * W.loop_angle.shape[0]
    row[place + 2], row[place + 3] = ledger[block_at.WORK], ledger[block_at.DISSIPATED]
    row[place + 5], row[place + 6] = ledger[block_at.LOADS], ledger[block_at.CONTACT]
    row[place + 7] = ledger[block_at.OVERLAP]
    row[place + 4] = error_of(row[place] + row[place + 1], ledger)
    worst[block_at.ERROR] = max(worst[block_at.ERROR], abs(row[place + 4]))
    worst[block_at.KINETIC] = max(worst[block_at.KINETIC], row[place])
    worst[block_at.POTENTIAL] = max(worst[block_at.POTENTIAL], abs(row[place + 1]))


@compiled
def error_of(energy: float, ledger: Floats) -> float:
    """Error of the balance, as `engine.energy` has it: E - E0 - work + dissipated - what flew."""
    flown = ledger[block_at.LOADS] + ledger[block_at.CONTACT] + ledger[block_at.OVERLAP]
    return float(energy - ledger[block_at.START] - ledger[block_at.WORK] + ledger[block_at.DISSIPATED] - flown)


# -- steps that are made again -----------------------------------------------------------------------------------------


@compiled
def keep(m: MechanismViews, RF: Floats2, journal: Journal) -> None:
    """Copy what the next step needs; see `block.carried`."""
    kept, orders = journal.kept, journal.orders
    copy(m.N, kept.ints)
    copy(m.F, kept.floats)
    copy(orders.servo_stored, kept.stored)
    copy(journal.ledger, kept.ledger)
    copy(journal.worst, kept.worst)
    copy_lines(RF, kept.lines)
    copy_lines(orders.trend, kept.trend)
    copy_lines(orders.tally, kept.tally)


@compiled
def copy_lines(source: Floats2, to: Floats2) -> None:
    """to = source, of any number of lines."""
    for line in range(source.shape[0]):
        for c in range(source.shape[1]):
            to[line, c] = source[line, c]
