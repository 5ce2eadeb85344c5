"""One step of time with bounded rows: motors, friction, stops, speed limits, contacts.

First what hits is stopped by impulses at the start of the step, so that nothing goes through anything by its end (and bounces where the
contact asks for it). Then everything that acts on goes into the equations as an effort that is constant over the step, chosen so that at
its end motors are at their velocity and nothing pulls apart or pushes through; the step itself is the fourth-order one. So the force of a
contact at rest is exact, and smooth motion keeps its order. Where something overlaps all the same, positions are moved apart.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import ask_of_row, int_of_row, of_row, x_begin, x_entries
from simulator.dynamics.compiled.bounded_rows import (
    APPROACH_TIME,
    axis_position,
    gather_axis_rows,
    gather_contact_rows,
    give_back_held,
    spare,
    take_held,
)
from simulator.dynamics.compiled.bounded_solve import UNBOUNDED, add_transposed, book, push, rate, solve
from simulator.dynamics.compiled.position_kernels import displace, normalize, turn_free
from simulator.dynamics.compiled.servo_kernels import ask_servo
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
from simulator.dynamics.compiled.tree_kernels import potential_energy, update_inertias, update_poses
from simulator.dynamics.compiled.views import int_start, start
from simulator.dynamics.jit import compiled, inlined

NO_ROOM = -1.0
BOUNCE = 0.02
"""Contacts bounce from this approaching speed [m/s] on; below, restitution would only make them tremble."""
BRAKING_SHARE = 0.8
"""Part of its effort that a position drive plans to brake with; the rest is for what pulls at it meanwhile."""
CONTACT_SLOP, CONTACT_SHARE = 1e-6, 0.2
"""Contacts as near as this [m], open or overlapping, touch: else the corners of a body at rest, each with its own small error, would ask
for different motions. Of a larger overlap a step removes that part."""
STOP_SLOP = 1e-12
CONTACT_SOFT, STOP_SOFT = 1e-3, 1e-9
"""How much of its way apart a contact or a stop lets go when others stand against it: where all that overlaps cannot come apart, each gets
what is nearest to it, and nothing is thrown away by impulses without a bound."""
FARTHEST = 0.1
"""Most [rad or m] that a coordinate moves in a step to make room for one contact: one that it can hardly move at all (a normal along the
axis of a hinge) would turn it many times round."""


@inlined
def _is_stop(kind: Any) -> Any:
    return row_at.LOWER <= kind <= row_at.NORMAL


@inlined
def _way_left(B: Any, C: Any, r: int) -> Any:
    """How far a stop or contact lets its row move [m or rad]."""
    gap = B[of_row(C, row_at.B_GAP, r)]
    if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL and gap < CONTACT_SLOP:
        return 0.0
    return max(gap, 0.0)


@inlined
def _bend(C: Any, CF: Any, r: int) -> Any:
    """How much faster a gap opens at the end of a step than its row tells, per time [m/s²]."""
    line = C[int_of_row(C, row_at.C_LINE, r)]
    return CF[line, row_at.BENDING] if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL else 0.0


@compiled
def _meet(F: Any, N: Any, B: Any, C: Any, CF: Any, dt: float) -> bool:
    """Bounds of the impact: stops and contacts may push; returns whether anything would go through something in this step."""
    V, hit = start(N, at.F_V), False
    for r in range(C[row_at.COUNT]):
        kind, now = C[int_of_row(C, row_at.C_KIND, r)], rate(F, B, C, r, V)
        B[of_row(C, row_at.B_RATE, r)] = now
        low, high, target = 0.0, 0.0, 0.0
        if _is_stop(kind):
            high, target = UNBOUNDED, -_way_left(B, C, r) / dt
            hit = hit or now < target - 1e-13 * (1.0 - target)
            if kind == row_at.NORMAL and now < -BOUNCE and now < target:
                back = -CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.RESTITUTION] * now
                target = back if back > 0.0 else target
        elif kind >= row_at.TANGENT:
            low, high = -UNBOUNDED, UNBOUNDED
        ask_of_row(B, C, r, low, high, target)
    return hit


@compiled
def _impact(F: Any, N: Any, B: Any, C: Any, RF: Any, CF: Any, dt: float) -> Any:
    """Impulses at the start of the step where something hits; returns the energy they take [J], each times the mean of J v."""
    if not _meet(F, N, B, C, CF, dt):
        return 0.0
    V, taken = start(N, at.F_V), 0.0
    solve(F, B, C, CF, V, spare(N, at.F_XK))
    for r in range(C[row_at.COUNT]):
        now = rate(F, B, C, r, V)
        taken -= 0.5 * B[of_row(C, row_at.B_IMPULSE, r)] * (B[of_row(C, row_at.B_RATE, r)] + now)
        B[of_row(C, row_at.B_RATE, r)] = now
    book(B, C, RF, CF)
    accelerate(F, N)
    return taken


@compiled
def _approach(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, r: int, dt: float) -> Any:
    """Velocity with which a position drive closes its gap: no faster than allowed, nor than its effort can brake in time.

    What pulls the axis towards its target now (the weight of a load that is let down) takes its part of the effort away from braking.
    """
    line = C[int_of_row(C, row_at.C_LINE, r)]
    gap = RF[line, 1] - axis_position(F, N, RI[line, 1])
    pulled = max(math.copysign(1.0, gap) * rate(F, B, C, r, start(N, at.F_DV)), 0.0)
    most = RF[line, 0] * B[of_row(C, row_at.B_WEIGHT, r)]
    brake = max(BRAKING_SHARE * most - pulled, (1.0 - BRAKING_SHARE) * (most - pulled), 0.0)
    top = math.sqrt(2.0 * brake * abs(gap))
    if RF[line, 2] > 0.0:
        top = min(top, RF[line, 2])
    return min(max(gap / max(APPROACH_TIME, dt), -top), top)


@compiled
def _ask(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, CF: Any, dt: float) -> None:
    """Bounds and targets of the efforts: what each row's velocity is to be at the end of the step."""
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        low, high, target = -UNBOUNDED, UNBOUNDED, 0.0
        if row_at.SERVO <= kind <= row_at.HELD:
            ask_servo(B, C, RF, r, dt)
            continue
        if kind <= row_at.FRICTION:
            high = RF[line, 0] * dt
            low = -high
            if kind == row_at.TO_VELOCITY:
                target = RF[line, 1]
            elif kind == row_at.TO_POSITION:
                target = _approach(F, N, B, C, RI, RF, r, dt)
            if kind < row_at.FRICTION and B[of_row(C, row_at.B_WEIGHT, r)] == 0.0:
                asked = target if kind == row_at.TO_VELOCITY else RF[line, 1] - axis_position(F, N, RI[line, 1])
                if abs(asked) > 1e-9:
                    C[row_at.BLOCKED] = 1 + line
        elif kind == row_at.SPEED:
            target = RF[line, 0]
        elif _is_stop(kind):
            low = 0.0
            # Over the step it moves dt times the mean of both velocities: that is not to be more than the gap.
            target = -2.0 * _way_left(B, C, r) / dt - B[of_row(C, row_at.B_RATE, r)] - dt * _bend(C, CF, r)
        ask_of_row(B, C, r, low, high, target)


@compiled
def _foresee(F: Any, N: Any, dt: float) -> None:
    """STEP = velocity at the end of the step without rows, in the axes of its start: a free body's are taken back from its turned ones."""
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
        F[STEP + a0] += dt * (w1 * v2 - w2 * v1)
        F[STEP + a1] += dt * (w2 * v0 - w0 * v2)
        F[STEP + a2] += dt * (w0 * v1 - w1 * v0)


@compiled
def _act(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, CF: Any, dt: float) -> None:
    """Efforts of this step: DRIVE and LOSS are set, DV is what they make of it."""
    DV, STEP, DRIVE, LOSS = start(N, at.F_DV), start(N, at.F_STEP), start(N, at.F_DRIVE), start(N, at.F_LOSS)
    _ask(F, N, B, C, RI, RF, CF, dt)
    _foresee(F, N, dt)
    if not solve(F, B, C, CF, STEP, spare(N, at.F_XK)):
        _find_contradiction(F, N, B, C)
    book(B, C, RF, CF)
    for r in range(C[row_at.COUNT]):
        effort = B[of_row(C, row_at.B_IMPULSE, r)] / dt
        if effort != 0.0:
            driven = C[int_of_row(C, row_at.C_KIND, r)] <= row_at.SERVO
            add_transposed(F, B, C, r, DRIVE if driven else LOSS, effort)
            push(F, B, C, r, DV, effort)


@compiled
def _find_contradiction(F: Any, N: Any, B: Any, C: Any) -> None:
    """BLOCKED = a motor that is far from its target though it has effort left and nothing but other motors stands against it."""
    STEP, motor = start(N, at.F_STEP), -1
    for r in range(C[row_at.COUNT]):
        kind, impulse = C[int_of_row(C, row_at.C_KIND, r)], B[of_row(C, row_at.B_IMPULSE, r)]
        if kind > row_at.SERVO and impulse != 0.0:
            return
        target, left = B[of_row(C, row_at.B_TARGET, r)], B[of_row(C, row_at.B_HIGH, r)] - abs(impulse)
        if kind > row_at.TO_POSITION or B[of_row(C, row_at.B_WEIGHT, r)] <= 0.0 or left <= 0.0:
            continue
        if abs(rate(F, B, C, r, STEP) - target) > 1e-3 * (1e-3 + abs(target)):
            motor = r
    if motor >= 0 and C[row_at.BLOCKED] == 0:
        C[row_at.BLOCKED] = -1 - C[int_of_row(C, row_at.C_LINE, motor)]


@compiled
def _height(F: Any, N: Any) -> float:
    """Potential energy [J] of the present positions."""
    update_poses(F, N)
    update_inertias(F, N)
    return potential_energy(F, N)


@compiled
def _soften(B: Any, C: Any, r: int, way: float) -> None:
    """SOFT of a stop or contact that is to move by `way`: no coordinate is to move further than FARTHEST for it alone."""
    soft = CONTACT_SOFT if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL else STOP_SOFT
    weight, most, values = B[of_row(C, row_at.B_WEIGHT, r)], 0.0, x_entries(C)[0]
    for t in range(x_begin(C, r), C[int_of_row(C, row_at.C_XEND, r)]):
        most = max(most, abs(B[values + t]))
    B[of_row(C, row_at.B_SOFT, r)] = max(soft * weight, most * way / FARTHEST - weight)


@compiled
def _part(F: Any, N: Any, B: Any, C: Any, CF: Any, dt: float) -> None:
    """Move apart what overlaps after the step; what that lifts is booked against the energy taken."""
    V, STEP, FLOW, overlap = start(N, at.F_V), start(N, at.F_STEP), start(N, at.F_FLOW), False
    for a in range(N[at.INDEPENDENT]):
        F[STEP + a] = F[V + a]
    turn_free(F, N, STEP, start(N, at.F_Q), False)
    turn_free(F, N, STEP, start(N, at.F_Q0), True)
    for r in range(C[row_at.COUNT]):
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        low = high = target = 0.0
        if _is_stop(kind):
            moved = 0.5 * dt * (B[of_row(C, row_at.B_RATE, r)] + rate(F, B, C, r, STEP) + dt * _bend(C, CF, r))
            gap, high = B[of_row(C, row_at.B_GAP, r)] + moved, UNBOUNDED
            slop, share = (CONTACT_SLOP, CONTACT_SHARE) if kind == row_at.NORMAL else (STOP_SLOP, 1.0)
            target = -max(gap, 0.0)
            if gap < -slop:
                target, overlap = -share * (gap + slop), True
            _soften(B, C, r, target)
        ask_of_row(B, C, r, low, high, target)
    if not overlap:
        return
    before = _height(F, N)
    for a in range(N[at.INDEPENDENT]):
        F[STEP + a] = 0.0
    solve(F, B, C, CF, STEP, spare(N, at.F_XK))
    turn_free(F, N, STEP, start(N, at.F_Q0), False)
    turn_free(F, N, STEP, start(N, at.F_Q), True)
    displace(F, N, STEP)
    project(F, N, SWEEPS, np.inf)
    F[FLOW + 1] -= _height(F, N) - before


@compiled
def advance_bounded(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, CI: Any, CF: Any, dt: float) -> float:
    """One step of `dt` [s]; returns the loop residual that the projection met; or NO_ROOM, nothing moved, where B and C are too small."""
    N[at.WORST] = N[at.RANK]
    C[row_at.COUNT] = C[row_at.BLOCKED] = C[row_at.SWEEPS] = 0
    accelerate(F, N)
    if not gather_axis_rows(F, N, B, C, RI, RF, dt) or not gather_contact_rows(F, N, B, C, CI, CF):
        return NO_ROOM
    taken = _impact(F, N, B, C, RF, CF, dt)
    by_rows = take_held(F, N, C, RI, RF)
    held = is_passive(F, N) % 2 == 1 and hold_stiff(F, N, dt, False)
    if held or by_rows:
        C[row_at.COUNT], clear = 0, F[start(N, at.F_PIVOT)]
        accelerate(F, N)
        F[start(N, at.F_PIVOT)] = clear
        if not gather_axis_rows(F, N, B, C, RI, RF, dt) or not gather_contact_rows(F, N, B, C, CI, CF):
            return NO_ROOM
        for r in range(C[row_at.COUNT]):
            B[of_row(C, row_at.B_RATE, r)] = rate(F, B, C, r, start(N, at.F_V))
    _act(F, N, B, C, RI, RF, CF, dt)
    rk4(F, N, dt, True)
    if held:
        release(F, N, dt, False)
    F[start(N, at.F_FLOW) + 1] += taken
    normalize(F, N)
    worst = project(F, N, SWEEPS, reach_of_step(F, N))
    if by_rows:
        place_rows(F, N)
        give_back_held(F, N, RI, RF)
    if N[at.GUIDES] == 0 and is_singular(F, N, dt):
        N[at.WORST] = min(N[at.WORST], N[at.RANK] - 1)
    _part(F, N, B, C, CF, dt)
    DRIVE, LOSS = start(N, at.F_DRIVE), start(N, at.F_LOSS)
    for a in range(N[at.INDEPENDENT]):
        F[DRIVE + a] = F[LOSS + a] = 0.0
    return worst
