"""Many steps in one call, with all that an engine does around a step: drives over time, loops of axes and actuators, the ledger, residuals,
samples. Python looks in between only where something has to be judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.dynamics.compiled import block as block_at
from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_step import NO_ROOM, advance_bounded
from simulator.dynamics.compiled.step_kernels import RK4, advance
from simulator.dynamics.compiled.views import start
from simulator.dynamics.compiled.watch_kernels import watch
from simulator.dynamics.jit import compiled, inlined

OPEN = 1e-6
"""Residual [m, or 1 for directions] that a projection met, from which on a loop counts as open."""
BEYOND = 1e12
"""Positions and speeds [SI] that nothing has."""


@compiled
def advance_block(
    F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, CI: Any, CF: Any, W: Any, orders: Any, rows: Any, row: Any, worst: Any, ledger: Any,
    report: Any, dt: float, slack: float, count: int, steps: int, stride: int, phase: int,
) -> None:  # fmt: skip
    """At most `steps` steps of `dt` [s] from the state after `count` steps; how many and why is in `report`, see `block`.

    `W`: `Watch`; `orders`: `Orders`. Every `stride` steps, the first after `stride - phase`, a row is written to `rows` (stride 0: none).
    `row` is that of the last step, `worst` holds the largest values so far, `ledger` goes on. Loops that hold by themselves may come open
    by `slack`.
    """
    report[block_at.MADE] = report[block_at.WRITTEN] = report[block_at.WHY] = 0
    watch(F, N, W, row)
    for s in range(steps):
        _order(F, N, RF, W, orders, row, s, dt)
        why = _step(F, N, B, C, RI, RF, CI, CF, dt)
        if why in (block_at.ROOM, block_at.TROUBLE):
            report[block_at.WHY] = why
            return
        watch(F, N, W, row)
        if _is_beyond(N, W, row) or _is_open(N, W, row, slack):
            report[block_at.WHY] = block_at.TROUBLE
            return
        _settle(RF, orders, dt)
        _book_efforts(RI, RF, W, orders, row, s if orders.efforts.shape[0] > 1 else 0, dt)
        _book(F, N, W, row, worst, ledger)
        row[0] = (count + s + 1) * dt
        report[block_at.MADE] = s + 1
        if stride > 0 and (phase + s + 1) % stride == 0:
            for c in range(row.shape[0]):
                rows[report[block_at.WRITTEN], c] = row[c]
            report[block_at.WRITTEN] += 1
        if why == block_at.ROWS:
            report[block_at.WHY] = why
            return


@inlined
def _step(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, CI: Any, CF: Any, dt: float) -> Any:
    """One step; says why the block cannot go on after it, or DONE."""
    why = block_at.DONE
    if RI.shape[0] == 0:
        gap = advance(F, N, dt, 1, RK4)
        if gap < 0.0:
            gap, why = -1.0 - gap, block_at.ROWS
    else:
        gap = advance_bounded(F, N, B, C, RI, RF, CI, CF, dt)
        if N[at.WORST] < N[at.RANK]:
            why = block_at.ROWS
        if gap == NO_ROOM:
            why = block_at.ROOM
        elif C[row_at.BLOCKED] != 0:
            why = block_at.TROUBLE
    if why != block_at.ROOM and not gap <= OPEN:
        why = block_at.TROUBLE
    return why


@inlined
def _is_beyond(N: Any, W: Any, row: Any) -> Any:
    """Whether an axis or the energy has run away; not a number is beyond, too."""
    beyond, energy = False, 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0] + 2 * N[at.LOOPS]
    for axis in range(W.codes.shape[0]):
        beyond = beyond or not (abs(row[1 + 3 * axis]) < BEYOND and abs(row[2 + 3 * axis]) < BEYOND)
    return beyond or not (abs(row[energy]) < BEYOND * BEYOND and abs(row[energy + 1]) < BEYOND * BEYOND)


@inlined
def _is_open(N: Any, W: Any, row: Any, slack: float) -> Any:
    place, is_open = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0], False
    for i in range(2 * N[at.LOOPS]):
        is_open = is_open or row[place + i] > slack
    return is_open


# -- what is told ----------------------------------------------------------------------------------------------------------------------


@inlined
def _order(F: Any, N: Any, RF: Any, W: Any, orders: Any, row: Any, s: int, dt: float) -> None:
    """Efforts, motors and servos of step `s`, whose positions and velocities are in `row`."""
    TAU, k = start(N, at.F_TAU), s if orders.efforts.shape[0] > 1 else 0
    for axis in range(W.codes.shape[0]):
        code = W.codes[axis]
        F[TAU + (code if code >= 0 else N[at.FREEDOMS] - 1 - code)] = orders.efforts[k, axis]
    if orders.motors.shape[0] > 1 or s == 0:
        for j in range(orders.motor_line.shape[0]):
            RF[orders.motor_line[j], 1] = orders.motors[s, j, 0]
            RF[orders.motor_line[j], 2] = orders.motors[s, j, 1]
    pushing = s if orders.pushes.shape[0] > 1 else 0
    for i in range(orders.pushes.shape[1]):
        orders.actuator_effort[i] = orders.pushes[pushing, i]
    if orders.servo_line.shape[0] > 0:
        _ask_servos(RF, orders, row, s if orders.servo_asked.shape[0] > 1 else 0, dt)
        _share(RF, orders, row, pushing)


@compiled
def _ask_servos(RF: Any, orders: Any, row: Any, k: int, dt: float) -> None:
    """The numbers of their lines (`engine.commanded` has the law), each with the whole of its limit."""
    for j in range(orders.servo_line.shape[0]):
        x, rate = orders.servo_constant[j], 0.0
        for t in range(orders.servo_start[j], orders.servo_start[j + 1]):
            x += orders.servo_factor[t] * row[1 + 3 * orders.servo_axis[t]]
            rate += orders.servo_factor[t] * row[2 + 3 * orders.servo_axis[t]]
        line, gains = orders.servo_line[j], orders.servo_gains
        follows = orders.servo_kind[j] == block_at.POSITION
        error = orders.servo_asked[k, j, 0] - (x if follows else rate)
        orders.servo_error[j] = error
        RF[line, 0] = gains[j, block_at.LIMIT]
        RF[line, 1] = gains[j, block_at.INTEGRAL] * (orders.servo_stored[j] + error * dt)
        RF[line, 2], RF[line, 3] = 0.0, gains[j, block_at.PROPORTIONAL]
        if follows:
            RF[line, 1] += gains[j, block_at.PROPORTIONAL] * error
            RF[line, 2], RF[line, 3] = gains[j, block_at.PROPORTIONAL], gains[j, block_at.DERIVATIVE]
        RF[line, 4], RF[line, 5] = orders.servo_asked[k, j, 1], orders.servo_asked[k, j, 2]


@compiled
def _share(RF: Any, orders: Any, row: Any, k: int) -> None:
    """Bound the loops of actuators so that together they stay within the limits of the axes: each gets what it asks for, as far as that
    fits, and an equal part of what is left over."""
    matrix, asked, left, n, limit = (
        orders.matrix,
        orders.asked,
        orders.left,
        orders.matrix.shape[1],
        orders.effort_limit,
    )
    _ask_actuators(RF, orders, row, k)
    if not _is_shared(orders, k):
        return
    for axis in range(n):
        left[axis] = _sum_on(matrix, asked, axis)
    for axis in range(n):
        if left[axis] > limit[axis]:
            fits = limit[axis] / max(_sum_on(matrix, asked, axis), limit[axis])
            for i in range(matrix.shape[0]):
                asked[i] *= fits if matrix[i, axis] != 0.0 else 1.0
    for axis in range(n):
        left[axis] = max(limit[axis] - _sum_on(matrix, asked, axis), 0.0)
    for j in range(orders.servo_line.shape[0]):
        i, more = orders.servo_actuator[j], np.inf
        for axis in range(n if i >= 0 else 0):
            if matrix[i, axis] != 0.0:
                more = min(more, left[axis] / _loops_on(orders, axis) / abs(matrix[i, axis]))
        if i >= 0:
            RF[orders.servo_line[j], 0] = min(orders.most[i], asked[i] + more)


@inlined
def _ask_actuators(RF: Any, orders: Any, row: Any, k: int) -> None:
    """What every actuator asks for, and the most that its loop may use; less than nothing where it has no loop."""
    asked, most = orders.asked, orders.most
    for i in range(orders.matrix.shape[0]):
        asked[i], most[i] = abs(orders.pushes[k, i]), -1.0
    for j in range(orders.servo_line.shape[0]):
        i, line, rate = orders.servo_actuator[j], orders.servo_line[j], 0.0
        if i >= 0:
            for t in range(orders.servo_start[j], orders.servo_start[j + 1]):
                rate += orders.servo_factor[t] * row[2 + 3 * orders.servo_axis[t]]
            most[i] = RF[line, 0]
            asked[i] = min(abs(RF[line, 1] + RF[line, 3] * (RF[line, 4] - rate)), most[i])


@inlined
def _sum_on(matrix: Any, asked: Any, axis: int) -> Any:
    total = 0.0
    for i in range(matrix.shape[0]):
        total += asked[i] * abs(matrix[i, axis])
    return total


@inlined
def _loops_on(orders: Any, axis: int) -> Any:
    """How many actuators with a loop move an axis."""
    count = 0
    for i in range(orders.matrix.shape[0]):
        if orders.most[i] >= 0.0 and orders.matrix[i, axis] != 0.0:
            count += 1
    return count


@inlined
def _is_shared(orders: Any, k: int) -> Any:
    """Whether several actuators that act move one axis."""
    shared = False
    for axis in range(orders.matrix.shape[1]):
        count = _loops_on(orders, axis)
        for i in range(orders.matrix.shape[0]):
            if orders.pushes[k, i] != 0.0 and orders.matrix[i, axis] != 0.0:
                count += 1
        shared = shared or count > 1
    return shared


# -- what came of it -------------------------------------------------------------------------------------------------------------------


@inlined
def _settle(RF: Any, orders: Any, dt: float) -> None:
    """Integrals go on, but for a loop that is cut off and whose error would push it further (`engine.pid`)."""
    for j in range(orders.servo_line.shape[0]):
        effort, error = RF[orders.servo_line[j], row_at.IMPULSE] / dt, orders.servo_error[j]
        if not (abs(effort) >= orders.servo_gains[j, block_at.LIMIT] and effort * error > 0.0):
            orders.servo_stored[j] += error * dt
        if orders.servo_actuator[j] >= 0:
            orders.actuator_effort[orders.servo_actuator[j]] = effort


@inlined
def _book_efforts(RI: Any, RF: Any, W: Any, orders: Any, row: Any, k: int, dt: float) -> None:
    """Efforts of drives: motors and servos by their impulses, and what is commanded."""
    servo, n = 0.0, W.codes.shape[0]
    for axis in range(n):
        row[3 + 3 * axis] = 0.0
    for line in range(RI.shape[0]):
        kind, place = RI[line, 0], 3 + 3 * orders.line_axis[line]
        if kind in (row_at.TO_VELOCITY, row_at.TO_POSITION):
            row[place] += RF[line, row_at.IMPULSE] / dt
        if kind == row_at.SERVO:
            servo = RF[line, row_at.IMPULSE] / dt
        if kind in (row_at.SERVO, row_at.FURTHER):
            row[place] += RF[line, row_at.FACTOR] * servo
    for axis in range(n):
        row[3 + 3 * axis] += orders.efforts[k, axis]
    place = 1 + 3 * n + W.coupling_constant.shape[0] + 2 * W.loop_angle.shape[0] + 5
    for i in range(orders.actuator_effort.shape[0]):
        row[place + 3 * i + 2] = orders.actuator_effort[i]


@inlined
def _book(F: Any, N: Any, W: Any, row: Any, worst: Any, ledger: Any) -> None:
    """The ledger's part of a row, and the largest values so far."""
    FLOW, place = start(N, at.F_FLOW), 1 + 3 * W.codes.shape[0]
    ledger[block_at.WORK] += F[FLOW]
    ledger[block_at.DISSIPATED] += F[FLOW + 1]
    for i in range(W.coupling_constant.shape[0]):
        worst[block_at.COUPLING] = max(worst[block_at.COUPLING], abs(row[place + i]))
    place += W.coupling_constant.shape[0]
    for loop in range(N[at.LOOPS]):
        worst[block_at.DISTANCE] = max(worst[block_at.DISTANCE], row[place + 2 * loop])
        worst[block_at.ANGLE] = max(worst[block_at.ANGLE], row[place + 2 * loop + 1])
    place += 2 * N[at.LOOPS]
    row[place + 2], row[place + 3] = ledger[block_at.WORK], ledger[block_at.DISSIPATED]
    row[place + 4] = row[place] + row[place + 1] - ledger[block_at.START] - row[place + 2] + row[place + 3]
    worst[block_at.ERROR] = max(worst[block_at.ERROR], abs(row[place + 4]))
    worst[block_at.KINETIC] = max(worst[block_at.KINETIC], row[place])
    worst[block_at.POTENTIAL] = max(worst[block_at.POTENTIAL], abs(row[place + 1]))
