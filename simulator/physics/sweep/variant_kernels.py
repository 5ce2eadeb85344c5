"""Runs of many variants of one mechanism, one after the other, without a word from Python between them.

Each is what an engine does that is made for the variant: its state is assembled, the loops are closed, motors begin and
jump, and all steps are made and booked. A variant for which anything is to be decided (rows of loops that
depend on each other, limits, a state that has run away) is left to Python, which begins it anew.

The steps are those of `step.blocks`, in a library of their own: with two callers in one, LLVM would no longer make
them part of the loop, and every step would take 5 % longer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import clear, copy
from simulator.physics.impact.motors import KICK, LAG, NEAR, RATE, START, approaches_now, efforts_now
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.watched_row import ENERGIES
from simulator.physics.loops.views import open_mechanism
from simulator.physics.motion.closing import close_loops, factor_active_rows, use_plane
from simulator.physics.motion.projection import is_singular
from simulator.physics.rows.ramps import UNLIMITED
from simulator.physics.rows.rows import APPROACH_TIME
from simulator.physics.step import block as block_at
from simulator.physics.step.blocks import ask_servos, copy_lines, give_efforts, make_steps, mark_positions, record
from simulator.physics.step.watch import energy_place, watch
from simulator.physics.sweep.poses import transfer
from simulator.physics.sweep.variants import AHEAD, AT_END, CONTINUES, CURVATURE, KNOWN, NEXT_TARGET, TARGET, TOP
from simulator.physics.tree.efforts import HALF

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.step.block import Journal, Span
    from simulator.physics.step.watch import Watch
    from simulator.physics.sweep.variants import Variants

WITHIN = 1e-9
"""Distance [rad or m] from a limit that counts as none: assembly leaves as much."""
AT_START = 0
"""The first instant of `Variants`."""
START_OF_ALL = -1
"""The step after which the first row is."""


@entry("sweeps", long=True)
def run_variants(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    contacts: Table,
    journal: Journal,
    span: Span,
    dt: float,
    variants: Variants,
    numbers: Floats2,
    made: Ints,
) -> None:
    """Run variants with `numbers` (n, n_numbers), `span.steps` steps of `dt` [s] each; `made` (n,): 1 for those that
    are done, 0 for those that need a decision.

    `journal.rows` takes the start of each and every `span.stride`th step, the same number of rows for every variant.
    """
    rows = journal.rows.shape[0] // max(numbers.shape[0], 1)
    for k in range(numbers.shape[0]):
        journal.report[block_at.WRITTEN] = k * rows
        _begin(m, bounded, lines[1], journal, variants, numbers, k)
        made[k] = 0
        if variants.moved.shape[0] > 0 and not _assemble(open_mechanism(m.F, m.N), variants):
            continue
        copy(variants.ints, m.N)
        now = open_mechanism(m.F, m.N)
        if _close(now, variants):
            made[k] = _run(now, bounded, lines, contacts, journal, span, dt, variants)


@compiled
def _run(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    contacts: Table,
    journal: Journal,
    span: Span,
    dt: float,
    variants: Variants,
) -> int:
    """All steps from an assembled state; 1 where they are made."""
    slack = variants.scales[0]
    _start_log(m, lines[1], variants, journal)
    _know(m, bounded, lines, contacts, journal, variants, AT_START, 1.0)
    record(journal, span, START_OF_ALL, dt)
    mark_positions(journal.watch, journal.orders, journal.row)
    jump = 0
    made = 0
    jumps = variants.jumps
    while made < span.steps:
        coming = jumps[jump] if jump < jumps.shape[0] else span.steps
        end = coming
        if made == coming:
            _start_motors(lines[1], journal, variants, jump + 1)
            end = made + 1
        if make_steps(m, bounded, lines, contacts, journal, span, dt, slack, made, end) != block_at.DONE:
            return 0
        made = journal.report[block_at.MADE]
        if made > coming:
            jump += 1
            _know(m, bounded, lines, contacts, journal, variants, jump, dt)
            if span.stride > 0 and (span.phase + made) % span.stride == 0:  # the row is recorded already
                journal.report[block_at.WRITTEN] -= 1
                record(journal, span, made - 1, dt)
    return 1


@compiled
def _start_motors(RF: Floats2, journal: Journal, variants: Variants, when: int) -> None:
    """Motors begin or jump in the next step, which ends at the instant `when`."""
    for j in range(variants.motor_axis.shape[0]):
        if variants.jumping[when, j] != CONTINUES:
            line = variants.motor_line[j]
            RF[line, START] = variants.speeds[when, j]
            RF[line, KICK] = 1.0
            _forget(journal.orders.trend, variants.motor_axis[j])


# -- where it begins ---------------------------------------------------------------------------------------------------


@compiled
def _begin(
    m: MechanismViews,
    bounded: BoundedRows,
    RF: Floats2,
    journal: Journal,
    variants: Variants,
    numbers: Floats2,
    k: int,
) -> None:
    """All buffers as they are before a variant, with its numbers."""
    W = journal.watch
    clear(journal.orders.servo_stored)
    copy(variants.floats, m.F)
    copy(variants.placing, m.N)
    copy(variants.bounds, bounded.B)
    copy(variants.counts, bounded.C)
    copy_lines(variants.lines, RF)
    for c in range(variants.tables.shape[0]):
        _put(W, variants, c, variants.tables[c])
    columns = RF.shape[1]
    of_tables = m.F.shape[0] + RF.shape[0] * columns
    for c in range(variants.places.shape[0]):
        place = variants.places[c]
        if place < m.F.shape[0]:
            m.F[place] = numbers[k, c]
        elif place < of_tables:
            RF[(place - m.F.shape[0]) // columns, (place - m.F.shape[0]) % columns] = numbers[k, c]
        else:
            _put(W, variants, place - of_tables, numbers[k, c])


@compiled
def _put(W: Watch, variants: Variants, place: int, number: float) -> None:
    """Write a number to its place in `tables`."""
    n = W.stiffness.shape[0]
    factors = 2 * n + W.coupling_factor.shape[0]
    constants = factors + W.coupling_constant.shape[0]
    if place < n:
        W.stiffness[place] = number
    elif place < 2 * n:
        W.reference[place - n] = number
    elif place < factors:
        W.coupling_factor[place - 2 * n] = number
    elif place < constants:
        W.coupling_constant[place - factors] = number
    elif place < constants + n:
        variants.lower[place - constants] = number
    else:
        variants.upper[place - constants - n] = number


@compiled
def _close(m: MechanismViews, variants: Variants) -> bool:
    """Close the loops of an assembled state; whether the rows of loops that counted count here, too."""
    if m.loops.row_kind.shape[0] > 0 and (factor_active_rows(m) != m.rows.solved or is_singular(m.state, m.rows, 0.0)):
        return False
    if m.tree.is_planar:
        use_plane(m, variants.position)
    close_loops(m)
    clear(m.stages.flow)
    clear(m.stages.peak)
    return True


@compiled
def _assemble(m: MechanismViews, variants: Variants) -> bool:
    """The moved axes where they are to be, all others around them; whether that is within the limits."""
    position = variants.position
    velocity = variants.velocity
    S = variants.sweep
    S.regular[1] = variants.scales[1]
    if not transfer(m, S, variants.states, position, velocity, variants.scales[0]):
        return False
    for d in range(variants.moved.shape[0]):
        position[variants.moved[d]], velocity[variants.moved[d]] = variants.states[0, d], variants.states[1, d]
    for axis in range(position.shape[0]):
        beyond = max(variants.lower[axis] - position[axis], position[axis] - variants.upper[axis])
        if beyond > WITHIN or abs(velocity[axis]) > variants.fastest[axis]:
            return False
    state, of_loops = m.state, m.loops.axis_position
    for c in range(variants.q_place.shape[0]):
        value, place = position[variants.q_axis[c]], variants.q_place[c]
        value = value if math.isfinite(value) else 0.0
        if place >= 0:
            state.Q[place] = value
        else:
            of_loops[-1 - place] = value
    for c in range(variants.v_place.shape[0]):
        state.V[variants.v_place[c]] = velocity[variants.v_axis[c]]
    return True


# -- what drives give in the beginning ---------------------------------------------------------------------------------


@compiled
def _start_log(m: MechanismViews, RF: Floats2, variants: Variants, journal: Journal) -> None:
    """The row of the start, where motors give nothing yet; ledger and log begin."""
    row = journal.row
    ledger = journal.ledger
    trend = journal.orders.trend
    n = variants.position.shape[0]
    watch(m, journal.watch, row)
    energy = energy_place(journal.watch)
    clear(ledger)
    ledger[block_at.START] = row[energy] + row[energy + 1]
    m.stages.peak[0] = row[energy]
    for c in range(2, ENERGIES):
        row[energy + c] = 0.0
    for axis in range(n):
        row[3 + 3 * axis] = variants.told[AT_START, axis]
    _show_loops(RF, variants, journal)
    for i in range(journal.orders.actuator_effort.shape[0]):
        row[energy + ENERGIES + 3 * i + 2] = variants.told[AT_START, n + i]
    for i in range(trend.shape[0]):
        _forget(trend, i)


@compiled
def _show_loops(RF: Floats2, variants: Variants, journal: Journal) -> None:
    """What loops of axes give at the start, in the row."""
    row = journal.row
    orders = journal.orders
    if orders.servo_line.shape[0] > 0:
        ask_servos(RF, orders, row, 0, variants.scales[2])
    for line in orders.servo_line:
        axis = orders.line_axis[line]
        effort = RF[line, row_at.EFFORT] + RF[line, row_at.DAMPING] * (RF[line, row_at.RATE_NOW] - row[2 + 3 * axis])
        row[3 + 3 * axis] += min(max(effort, -RF[line, row_at.MOST]), RF[line, row_at.MOST])


@compiled
def _forget(trend: Floats2, i: int) -> None:
    """What was before says nothing about what comes."""
    trend[i, 0] = 0.0
    trend[i, 1] = 0.0
    trend[i, 2] = np.nan


@compiled
def _know(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    contacts: Table,
    journal: Journal,
    variants: Variants,
    when: int,
    dt: float,
) -> None:
    """Efforts of motors that can be known exactly now, in the row and in the log: see `DriveEfforts.know`."""
    step = variants.jumps[when - 1] + 1 if when > AT_START else 0
    time = m.loads.time
    time[0] = time[1] = step * variants.scales[2]
    for axis in range(variants.pushed.shape[0]):
        variants.pushed[axis] = variants.told[when, axis]
    give_efforts(m, journal.watch.codes, variants.pushed)
    for j in range(variants.motor_axis.shape[0]):
        variants.rates[j] = math.inf
        if _may_brake(lines, journal, variants, j):
            braking = _ask_approach(lines, variants, when, j)
            can = approaches_now(m, bounded, braking, variants.scales[2])
            variants.rates[j] = braking[1][variants.motor_line[j], RATE] if can else np.nan
    known = _find_rates(lines, journal, variants, when) > 0 and not _stops_push(lines)
    while known:
        _ask_rates(lines, variants)
        give_efforts(m, journal.watch.codes, variants.pushed)
        asked = variants.kinds, variants.told_lines
        known = efforts_now(m, bounded, asked, variants.given, contacts[1], dt)
        known = known and _enter_known(journal, variants, when)
    watch(m, journal.watch, journal.row)  # inertias are those of the nodes alone again


@compiled
def _find_rates(lines: Table, journal: Journal, variants: Variants, when: int) -> int:
    """Rates of the velocities that motors keep, nan of those that cannot be known; returns how many can. `rates` hold
    the velocities of approaches that brake before: infinite where nothing bounds them, nan of those that cannot be
    known."""
    row = journal.row
    limit = journal.orders.effort_limit
    dt = variants.scales[2]
    found = 0
    for j in range(variants.motor_axis.shape[0]):
        axis = variants.motor_axis[j]
        speed, rate = variants.asked[when, j, 0], variants.asked[when, j, 1]
        if lines[0][variants.motor_line[j], row_at.KIND] == row_at.TO_POSITION:
            speed, rate = _approach(journal, variants, when, j)
        missing = speed - row[2 + 3 * axis]
        if abs(missing) > NEAR * (1.0 + abs(speed)) + LAG * dt * abs(rate):
            continues = variants.jumping[when, j] == CONTINUES
            rate = np.nan if continues or limit[axis] >= UNLIMITED else missing / dt
        variants.rates[j] = rate
    for j in range(variants.motor_axis.shape[0]):
        axis = variants.motor_axis[j]
        if math.isnan(variants.rates[j]):
            variants.pushed[axis] = row[3 + 3 * axis]
        else:
            found += 1
    return found


@compiled
def _may_brake(lines: Table, journal: Journal, variants: Variants, j: int) -> bool:
    """Whether the motor of a position may be too weak for its approach."""
    axis = variants.motor_axis[j]
    to_position = lines[0][variants.motor_line[j], row_at.KIND] == row_at.TO_POSITION
    moves = abs(journal.row[2 + 3 * axis]) > NEAR
    return bool(to_position and moves and journal.orders.effort_limit[axis] < UNLIMITED)


@compiled
def _ask_approach(lines: Table, variants: Variants, when: int, j: int) -> Table:
    """Lines with the position that the motor of a position holds in a step that begins now."""
    RF = lines[1]
    told = variants.told_lines
    line = variants.motor_line[j]
    copy_lines(RF, told)
    told[line, row_at.GOAL], told[line, row_at.TOP_SPEED] = (
        variants.asked[when, j, NEXT_TARGET],
        variants.asked[when, j, TOP],
    )
    return lines[0], told


@compiled
def _approach(journal: Journal, variants: Variants, when: int, j: int) -> tuple[float, float]:
    """The velocity with which the motor of a position approaches it, and its rate, as `engine.motors.Motors.lack` has
    them."""
    axis = variants.motor_axis[j]
    position, velocity = journal.row[1 + 3 * axis], journal.row[2 + 3 * axis]
    asked = variants.asked[when, j]
    braked = variants.rates[j]
    lag = max(APPROACH_TIME, variants.scales[2])
    speed = (asked[TARGET] - position) / lag
    rate = -velocity / lag if asked[AT_END] != 0.0 else (asked[AHEAD] - velocity) / lag + asked[CURVATURE]
    if 0.0 < asked[TOP] < abs(speed):
        speed, rate = math.copysign(asked[TOP], speed), 0.0
    if math.isnan(braked):
        return speed, np.nan
    if abs(braked) >= (1.0 - NEAR) * abs(speed) or asked[NEXT_TARGET] == position:
        return speed, rate
    # v = √(2 a s), whence v' = -a s' / v with a = v² / (2 s).
    return braked, -0.5 * braked * velocity / (asked[NEXT_TARGET] - position)


@compiled
def _stops_push(lines: Table) -> bool:
    """Whether a stop pushed in the last step."""
    (RI, RF) = lines
    found = False
    for line in range(RI.shape[0]):
        is_stop = RI[line, row_at.KIND] in (row_at.LOWER, row_at.UPPER)
        found = found or (is_stop and RF[line, row_at.IMPULSE] != 0.0)
    return found


@compiled
def _ask_rates(lines: Table, variants: Variants) -> None:
    """Lines of motors that keep rates, without limits; what else has bounds pushes as in the last step."""
    (RI, RF) = lines
    kinds = variants.kinds
    asked = variants.told_lines
    given = variants.given
    for line in range(RI.shape[0]):
        for c in range(RI.shape[1]):
            kinds[line, c] = RI[line, c]
        for c in range(RF.shape[1]):
            asked[line, c] = given[line, c] = RF[line, c]
    for j in range(variants.motor_line.shape[0]):
        line = variants.motor_line[j]
        given[line, row_at.PUSHED] = asked[line, row_at.MOST] = 0.0
        if not math.isnan(variants.rates[j]):
            kinds[line, 0], asked[line, row_at.MOST], asked[line, RATE] = (
                row_at.TO_VELOCITY,
                UNLIMITED,
                variants.rates[j],
            )


@compiled
def _enter_known(journal: Journal, variants: Variants, when: int) -> bool:
    """Enter efforts of motors that jump within their limits, or at first those that are cut to them; whether others are
    to be found anew beside these."""
    limit = journal.orders.effort_limit
    asked = variants.told_lines
    beyond = False
    left = 0
    for j in range(variants.motor_axis.shape[0]):
        if not math.isnan(variants.rates[j]):
            beyond = beyond or abs(asked[variants.motor_line[j], RATE]) > limit[variants.motor_axis[j]]
    for j in range(variants.motor_axis.shape[0]):
        axis = variants.motor_axis[j]
        effort = asked[variants.motor_line[j], RATE]
        if math.isnan(variants.rates[j]):
            continue
        if beyond and abs(effort) <= limit[axis]:
            left += 1
            continue
        effort = min(max(effort, -limit[axis]), limit[axis])
        variants.pushed[axis] += effort
        variants.rates[j] = np.nan
        if variants.jumping[when, j] == KNOWN:
            journal.row[3 + 3 * axis] = variants.told[when, axis] + effort
            trend = journal.orders.trend
            trend[axis, 0] = effort
            trend[axis, 1] = HALF
            trend[axis, 2] = np.nan
    return left > 0
