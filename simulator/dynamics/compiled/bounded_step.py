"""One step of time with bounded rows: motors, friction, stops, speed limits, contacts.

First what hits is stopped by impulses at the start of the step, so that nothing goes through anything by its end (and
bounces where the contact asks for it). Then everything that acts on goes into the equations as an effort that is
constant over the step, chosen so that at its end motors are at their velocity and nothing pulls apart or pushes
through; the step itself is the fourth-order one. So the force of a contact at rest is exact, and smooth motion keeps
its order. Where something overlaps all the same, positions are moved apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_gather import (
    begin_to_gather,
    gather,
    gather_axes,
    gather_contacts,
    leave_out_far,
)
from simulator.dynamics.compiled.bounded_impact import accelerate_again, hits_left_out, hits_stop, impact, way_left
from simulator.dynamics.compiled.bounded_layout import ask_of_row, int_of_row, of_row
from simulator.dynamics.compiled.bounded_memory import begin_to_share, recall_impulses, remember_impulses
from simulator.dynamics.compiled.bounded_rates import rate, rate_rows
from simulator.dynamics.compiled.bounded_rows import APPROACH_TIME, axis_position, give_back_held, has_held, take_held
from simulator.dynamics.compiled.bounded_separation import (
    curvature_of,
    is_stop,
    look_back,
    separate_overlaps,
    solve_rows,
    stops,
)
from simulator.dynamics.compiled.bounded_solve import UNBOUNDED, book
from simulator.dynamics.compiled.bounded_work import contact_work
from simulator.dynamics.compiled.contact_axes import softness
from simulator.dynamics.compiled.far_contacts import come_near
from simulator.dynamics.compiled.held_efforts import hold_efforts, let_go
from simulator.dynamics.compiled.load_kernels import end_step, set_stage
from simulator.dynamics.compiled.looking_ahead import look_ahead
from simulator.dynamics.compiled.loose_kernels import fly
from simulator.dynamics.compiled.motor_kernels import KICK, START, begin_motors, give_impulses, holds, jumps
from simulator.dynamics.compiled.position_kernels import normalize
from simulator.dynamics.compiled.resting_kernels import settle, stay, wake
from simulator.dynamics.compiled.servo_kernels import ask_servo
from simulator.dynamics.compiled.soft_contacts import all_stored, ask_soft, stiffen
from simulator.dynamics.compiled.step_kernels import (
    SWEEPS,
    accelerate,
    is_singular,
    place_rows,
    project,
    reach_of_step,
    rk4,
)
from simulator.dynamics.compiled.stiff_kernels import hold_stiff, is_passive, release
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Table, Vector

NO_ROOM = -1.0
ROUNDED = 1e-13
"""What touches moves apart this fast [m/s or rad/s] by rounding, which is left out: it would come back in the next step
with the other sign, and so on. Loose bodies come to rest (`resting_kernels`)."""
BRAKING_SHARE = 0.8
"""Part of its effort that a position drive plans to brake with; the rest is for what pulls at it meanwhile."""


@compiled
def _approach(F: Floats, N: Ints, B: Floats, C: Ints, RI: Ints, RF: Floats, r: int, dt: float) -> float:
    """Velocity with which a position drive closes its gap: no faster than allowed, nor than its effort can brake in
    time.

    What pulls the axis towards its target now (the weight of a load that is let down) takes its part of the effort away
    from braking.
    """
    line = C[int_of_row(C, row_at.C_LINE, r)]
    gap = RF[line, 1] - axis_position(F, N, RI[line, 1])
    pulled = max(math.copysign(1.0, gap) * rate(F, B, C, r, start(N, at.F_DV)), 0.0)
    most = RF[line, 0] * B[of_row(C, row_at.B_RESPONSE, r)]
    # v^2 = 2 a s: the speed from which the gap is just enough to brake. What pulls towards the target has to be
    # braked, too; some of the effort is left for it in any case.
    brake = max(BRAKING_SHARE * most - pulled, (1.0 - BRAKING_SHARE) * (most - pulled), 0.0)
    top = math.sqrt(2.0 * brake * abs(gap))
    if RF[line, 2] > 0.0:
        top = min(top, RF[line, 2])
    return min(max(gap / max(APPROACH_TIME, dt), -top), top)


@compiled
def _start_motors(
    F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, CF: Floats, dt: float
) -> tuple[float, float, float]:
    """Impulses where drives of motors without a limit begin or jump; returns the work of motors, what all else takes,
    and the work of contacts [J]."""
    RI, RF = lines
    found = False
    rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        now = B[of_row(C, row_at.B_RATE, r)]
        low, high, target = 0.0, 0.0, 0.0
        if holds(B, C, RF, r):
            low, high, target = -UNBOUNDED, UNBOUNDED, now
            if RF[line, KICK] != 0.0:
                wanted = RF[line, START] if kind == row_at.TO_VELOCITY else _approach(F, N, B, C, RI, RF, r, dt)
                if jumps(F, N, B, C, RF, r, wanted, dt):
                    target, found = wanted, True
        elif stops(C, CF, r):
            high, target = UNBOUNDED, -way_left(B, C, r) / dt
        elif kind >= row_at.TANGENT:
            low, high = -UNBOUNDED, UNBOUNDED
        ask_of_row(B, C, r, low, high, target)
    for line in range(RI.shape[0]):
        if RI[line, 0] <= row_at.TO_POSITION:
            RF[line, KICK] = 0.0
    return give_impulses(F, N, B, C, RF, CF) if found else (0.0, 0.0, 0.0)


@compiled
def _goes_along(B: Floats, C: Ints, RF: Floats, CF: Floats, r: int, dt: float) -> bool:
    """Whether row r goes along with the motion, a servo or a contact that gives way: then it has been asked."""
    kind = C[int_of_row(C, row_at.C_KIND, r)]
    if row_at.SERVO <= kind <= row_at.HELD:
        ask_servo(B, C, RF, r, dt)
        return True
    if kind == row_at.NORMAL and not stops(C, CF, r):
        ask_soft(B, C, CF, r, dt)
        return True
    return False


@compiled
def _set_effort_targets(F: Floats, N: Ints, B: Floats, C: Ints, RI: Ints, RF: Floats, CF: Floats, dt: float) -> None:
    """Bounds and targets of the efforts: what each row's velocity is to be at the end of the step."""
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        low, high, target = -UNBOUNDED, UNBOUNDED, 0.0
        if _goes_along(B, C, RF, CF, r, dt):
            continue
        if kind <= row_at.FRICTION:
            # Motors and dry friction are alike: a bound on the effort, and a rate to reach with it (0 for friction).
            high = RF[line, 0] * dt
            low = -high
            if kind == row_at.TO_VELOCITY:
                target = RF[line, 1]
            elif kind == row_at.TO_POSITION:
                target = _approach(F, N, B, C, RI, RF, r, dt)
            target -= dt * B[of_row(C, row_at.B_DRIFT, r)]
            if kind < row_at.FRICTION and B[of_row(C, row_at.B_RESPONSE, r)] == 0.0:
                asked = RF[line, 1] if kind == row_at.TO_VELOCITY else RF[line, 1] - axis_position(F, N, RI[line, 1])
                if abs(asked) > 1e-9:
                    C[row_at.BLOCKED] = 1 + line
        elif kind == row_at.SPEED:
            target = RF[line, 0]
        elif is_stop(kind):
            low = 0.0
            # Over the step it moves dt times the mean of both velocities: that is not to be more than the gap.
            before = B[of_row(C, row_at.B_RATE, r)]
            if C[row_at.LOOSE] <= 0 and abs(before) <= ROUNDED:
                before = 0.0
            target = -2.0 * way_left(B, C, r) / dt - before - dt * curvature_of(B, C, CF, r)
        elif not math.isnan(CF[line, row_at.MOTION]):
            # At the end nothing is to slip. In rows of the middle, what turns goes there half of its way from now.
            target = CF[line, row_at.MOTION + kind - row_at.NORMAL] - B[of_row(C, row_at.B_RATE, r)]
        if kind >= row_at.TANGENT and C[row_at.YIELDS] != 0:
            B[of_row(C, row_at.B_SOFT, r)] = softness(CF, line, kind - row_at.TANGENT, dt)
        ask_of_row(B, C, r, low, high, target)


@compiled
def _predict_velocity(F: Floats, N: Ints, dt: float) -> None:
    """STEP = velocity at the end of the step without rows, in the axes of its start: a free body's are taken back from
    its turned ones."""
    V, DV, STEP = start(N, at.F_V), start(N, at.F_DV), start(N, at.F_STEP)
    kind, first = int_start(N, at.I_KIND), int_start(N, at.I_FIRST)
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for a in range(N[at.INDEPENDENT]):
        F[STEP + a] = F[V + a] + dt * F[DV + a]
    for i in range(N[at.NODES]):
        if N[kind + i] != 3:
            continue
        k = ptr + N[first + i]
        w0, w1, w2 = F[V + N[index + N[k]]], F[V + N[index + N[k + 1]]], F[V + N[index + N[k + 2]]]
        a0, a1, a2 = N[index + N[k + 3]], N[index + N[k + 4]], N[index + N[k + 5]]
        v0, v1, v2 = F[V + a0], F[V + a1], F[V + a2]
        # v is in the body's axes, which turn by dt w: the change that this alone makes, -w x v, is given back.
        F[STEP + a0] += dt * (w1 * v2 - w2 * v1)
        F[STEP + a1] += dt * (w2 * v0 - w0 * v2)
        F[STEP + a2] += dt * (w0 * v1 - w1 * v0)


@compiled
def _find_efforts(F: Floats, N: Ints, B: Floats, C: Ints, RI: Ints, RF: Floats, CF: Floats, dt: float) -> None:
    """Impulses of all rows over this step, and STEP = velocity at its end."""
    STEP = start(N, at.F_STEP)
    _set_effort_targets(F, N, B, C, RI, RF, CF, dt)
    _predict_velocity(F, N, dt)
    begun = recall_impulses(N, B, C, RF, CF, True)
    settled = solve_rows(F, N, B, C, CF, STEP, True)
    if begun and C[row_at.ISLANDS] > 0 and begin_to_share(B, C, RF):
        _predict_velocity(F, N, dt)
        recall_impulses(N, B, C, RF, CF, False)
        settled = solve_rows(F, N, B, C, CF, STEP, True)
    if not settled:
        _find_contradiction(F, N, B, C)


@compiled
def _push_what_is_rigid(B: Floats, C: Ints) -> None:
    """Servos whose axes nothing can move push all the same: their targets are impulses, see `ask_servo`."""
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.SERVO and B[of_row(C, row_at.B_RESPONSE, r)] <= 0.0:
            low, high = B[of_row(C, row_at.B_LOW, r)], B[of_row(C, row_at.B_HIGH, r)]
            B[of_row(C, row_at.B_IMPULSE, r)] = min(max(B[of_row(C, row_at.B_TARGET, r)], low), high)


@compiled
def _apply_efforts(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> bool:
    """Efforts of this step, see `hold_efforts`; False where there is no room for the rows of all contacts that come
    near in it."""
    (RI, RF), CF = lines, contacts[1]
    _find_efforts(F, N, B, C, RI, RF, CF, dt)
    if come_near(F, N, C, contacts, start(N, at.F_STEP)):
        if not gather(F, N, B, C, lines, contacts, dt, 0.5 * dt):
            return False
        rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
        _find_efforts(F, N, B, C, RI, RF, CF, dt)
    _push_what_is_rigid(B, C)
    book(B, C, RF, CF)
    remember_impulses(B, C, RF, CF)
    # An impulse over the step is an effort that is constant on it.
    hold_efforts(F, N, B, C, lines, dt)
    return True


@compiled
def _find_contradiction(F: Floats, N: Ints, B: Floats, C: Ints) -> None:
    """BLOCKED = a motor that is far from its target though it has effort left and nothing but other motors stands
    against it."""
    STEP, motor = start(N, at.F_STEP), -1
    for r in range(C[row_at.COUNT]):
        kind, impulse = C[int_of_row(C, row_at.C_KIND, r)], B[of_row(C, row_at.B_IMPULSE, r)]
        if kind > row_at.SERVO and impulse != 0.0:
            return
        target, left = B[of_row(C, row_at.B_TARGET, r)], B[of_row(C, row_at.B_HIGH, r)] - abs(impulse)
        if kind > row_at.TO_POSITION or B[of_row(C, row_at.B_RESPONSE, r)] <= 0.0 or left <= 0.0:
            continue
        # A rate that is off by a thousandth though effort is left: rows that cannot be met together.
        if abs(rate(F, B, C, r, STEP) - target) > 1e-3 * (1e-3 + abs(target)):
            motor = r
    if motor >= 0 and C[row_at.BLOCKED] == 0:
        C[row_at.BLOCKED] = -1 - C[int_of_row(C, row_at.C_LINE, motor)]


@compiled
def _forget(lines: Table, contacts: Table) -> None:
    """No row has pushed yet in this step."""
    for line in range(lines[1].shape[0]):
        lines[1][line, row_at.IMPULSE] = 0.0
    for c in range(contacts[1].shape[0]):
        for k in range(row_at.ROWS_OF_CONTACT):
            contacts[1][c, row_at.CONTACT_IMPULSE + k] = 0.0


@compiled
def _strike(
    F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float
) -> tuple[bool, float, float, float]:
    """Gathers rows, and gives impulses at the start of the step, of motors that begin and of what hits: (whether there
    is room, work of motors, energy taken by all else, work of contacts [J]). Rows of contacts are those of its middle
    in the end; for the impulses, of its start, for at an instant nothing turns."""
    touches = contacts[0].shape[0] > 0
    begins = begin_motors(lines[0], lines[1])
    work = taken = contact = 0.0
    hit = leave_out_far(F, N, C, contacts, dt)
    fits = gather_axes(F, N, B, C, lines, dt)
    strikes = begins or not touches or hit or hits_stop(F, N, B, C, dt)
    fits = fits and gather_contacts(F, N, B, C, contacts, 0.0 if strikes else 0.5 * dt)
    if fits and strikes:
        if begins:
            work, taken, contact = _start_motors(F, N, B, C, lines, contacts[1], dt)
        by_stops, by_contacts = impact(F, N, B, C, lines[1], contacts[1], dt)
        taken, contact = taken + by_stops, contact + by_contacts
        if hits_left_out(F, N, C, contacts[0], contacts[1], dt):
            C[row_at.LEFT_OUT] = 0
            fits = gather(F, N, B, C, lines, contacts, dt, 0.0)
            if fits:
                by_stops, by_contacts = impact(F, N, B, C, lines[1], contacts[1], dt)
                taken, contact = taken + by_stops, contact + by_contacts
        leave_out_far(F, N, C, contacts, dt)
    if fits and touches:
        fits = not strikes or gather(F, N, B, C, lines, contacts, dt, 0.5 * dt)
        rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
    return fits, work, taken, contact


@entry("motion")
def advance_bounded(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> float:
    """One step of `dt` [s]; returns the loop residual that the projection met; or NO_ROOM, nothing moved, where B and C
    are too small."""
    RI, RF = lines
    N[at.WORST] = N[at.RANK]
    C[row_at.BLOCKED] = C[row_at.SWEEPS] = 0
    _forget(lines, contacts)
    if C[row_at.LOOSE] != 0:
        wake(N, C, contacts[0], contacts[1])
    begin_to_gather(N, C, contacts)
    set_stage(F, N, dt, 0.0)
    accelerate_again(F, N, C)
    stiffen(F, N, C, contacts, dt)
    N[at.FRESH] = 0
    fits, work, taken, contact = _strike(F, N, B, C, lines, contacts, dt)
    if not fits:
        return NO_ROOM
    # Dampers and springs that are too stiff: of the tree into the inertia, of loops and between points as rows.
    by_rows = take_held(F, N, C, RI, RF)
    held = is_passive(F, N) % 2 == 1 and hold_stiff(F, N, dt, False)
    if held or by_rows:
        clear = F[start(N, at.F_PIVOT)]
        accelerate(F, N)
        F[start(N, at.F_PIVOT)] = clear
        if not gather(F, N, B, C, lines, contacts, dt, 0.5 * dt):
            return NO_ROOM
        rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
    ahead = not (held or by_rows) and look_ahead(F, N, C, contacts, dt)
    if ahead:
        if not gather(F, N, B, C, lines, contacts, dt, 0.5 * dt):
            return NO_ROOM
        rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
    if not _apply_efforts(F, N, B, C, lines, contacts, dt):
        return NO_ROOM
    if ahead:
        accelerate(F, N)
    _move(F, N, C, dt)
    if held:
        release(F, N, dt, False)
    return _end(F, N, B, C, lines, contacts, dt, (work, taken, contact))


@compiled
def _end(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float, struck: Vector) -> float:
    """What follows the motion of a step: it is brought back onto loops, booked, and moved apart where it overlaps.
    `struck`: work of motors, energy taken and work of contacts by impulses at its start. Returns the loop residual."""
    (RI, RF), CF, (work, taken, contact) = lines, contacts[1], struck
    F[start(N, at.F_FLOW)] += work
    F[start(N, at.F_FLOW) + 1] += taken
    normalize(F, N)
    worst = project(F, N, SWEEPS, reach_of_step(F, N))
    if has_held(RI, RF):
        place_rows(F, N)
        give_back_held(F, N, RI, RF)
    # At a singular position other rows have to be chosen before the next step.
    if N[at.GUIDES] == 0 and is_singular(F, N, dt):
        N[at.WORST] = min(N[at.WORST], N[at.RANK] - 1)
    look_back(F, N)
    rate_rows(F, B, C, start(N, at.F_STEP), row_at.B_NOW)
    if CF.shape[0] > 0:
        _book_contacts(F, N, B, C, CF, taken, contact)
    separate_overlaps(F, N, B, C, CF, dt)
    if C[row_at.LOOSE] != 0:
        settle(F, N, C)
    let_go(F, N)
    return worst


@compiled
def _book_contacts(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats, taken: float, contact: float) -> None:
    """FLOW: what contacts did, by the rates NOW that rows have at the end, is not counted among what is taken. At the
    start of the step, impulses took `taken`, and contacts did the work `contact` [J]."""
    FLOW = start(N, at.F_FLOW)
    done, booked = contact_work(B, C, CF)
    if C[row_at.LOOSE] > 0:  # then nothing else takes energy, and it is known as well as the motion
        done = taken - F[FLOW + 1]
        booked = min(done, all_stored(CF) if C[row_at.GIVES] != 0 else 0.0)
    F[FLOW + 1] += done
    F[FLOW + 3] = contact + booked


@compiled
def _move(F: Floats, N: Ints, C: Ints, dt: float) -> None:
    """The step itself."""
    if C[row_at.LOOSE] > 0:
        fly(F, N, C, dt)
    else:
        rk4(F, N, dt, True)
        if C[row_at.LOOSE] != 0:
            stay(F, N, C)
    end_step(F, N, dt)
