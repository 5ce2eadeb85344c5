"""Gather the bounded rows of a step: J in independent coordinates and X, the velocity that a unit of impulse gives.

Everything here needs a fresh `accelerate`: poses, motion columns, factors of H and of the loop rows.
"""

from __future__ import annotations

from typing import Any

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bending import bending
from simulator.dynamics.compiled.bounded_layout import int_of_row, j_begin, j_entries, of_row, x_begin, x_entries
from simulator.dynamics.compiled.bounded_solve import UNBOUNDED
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.loop_kernels import add_wrench, axis_wrench, enter_freedoms, freedoms_at
from simulator.dynamics.compiled.servo_kernels import ask_servo
from simulator.dynamics.compiled.solve_kernels import make_consistent, solve_mass_within
from simulator.dynamics.compiled.stiff_kernels import FAST, STIFF
from simulator.dynamics.compiled.views import freedom_position, int_start, positions_at, start
from simulator.dynamics.jit import compiled, inlined

MOVABLE = 1e-12
"""A row whose axis the loops leave less than this part of its mobility cannot be moved by any impulse."""
ROUNDING = 1e-13
"""Levers of contacts that are shorter than this part of a metre, or of the way to the joint where that is longer, are rounding: a body that
slides in a plane would be thrown out of its mechanism by impulses that try to move it across."""
APPROACH_TIME = 0.02
"""Time constant [s] with which a position drive closes a gap where effort allows."""
REACH_STEPS = 8.0
"""A stop takes part in a step when the axis could get there within so many steps at its present speed and acceleration, or at the speed
that an impact may pass on to it from whatever moves fastest."""
REACH_DRIVEN = 0.05
"""… or when it is as near as this [rad or m] while motors, which can do anything, are on."""


@inlined
def spare(N: Any, block: int) -> Any:
    """Where the spare row of K or XK begins: dense room for one row."""
    return start(N, block) + N[at.SPARE] * N[at.INDEPENDENT]


@compiled
def _clear(F: Any, N: Any) -> Any:
    """The spare row of K is zero outside of its window, the coordinates from LOW to before HIGH; now there is none."""
    row = spare(N, at.F_K)
    for a in range(N[at.LOW], N[at.HIGH]):
        F[row + a] = 0.0
    N[at.LOW], N[at.HIGH] = N[at.INDEPENDENT], 0
    if N[at.LOOPS] > 0:  # they may pass on to any coordinate what any other gets
        N[at.LOW], N[at.HIGH] = 0, N[at.INDEPENDENT]
    return row


@compiled
def _widen(N: Any, first: int, end: int) -> None:
    """Take into the window all that moves with these freedoms."""
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for t in range(N[ptr + first], N[ptr + end]):
        N[at.LOW] = min(N[at.LOW], N[int_start(N, at.I_BEGIN) + N[index + t]])
        N[at.HIGH] = max(N[at.HIGH], N[int_start(N, at.I_END) + N[index + t]])


@compiled
def _close(F: Any, N: Any, B: Any, C: Any, kind: int, line: int) -> Any:
    """Append the dense row in the spare row of K; returns its index, or -1 where there is no room for it."""
    row, x, low, high = spare(N, at.F_K), spare(N, at.F_XK), N[at.LOW], N[at.HIGH]
    r, width = C[row_at.COUNT], max(high - low, 0)
    if r >= C[row_at.ROW_ROOM]:
        return -1
    j_end, x_end = j_begin(C, r), x_begin(C, r)
    if j_end + width > C[row_at.ENTRY_ROOM] or x_end + width > C[row_at.ENTRY_ROOM]:
        return -1
    (jb, jc), (xb, xc) = j_entries(C), x_entries(C)
    for a in range(low, high):
        F[x + a] = F[row + a]
        if F[row + a] != 0.0:
            B[jb + j_end], C[jc + j_end] = F[row + a], a
            j_end += 1
    alone = _respond(F, N, x, row)
    weight = 0.0
    for a in range(low, high):
        if F[x + a] != 0.0:
            weight += F[row + a] * F[x + a]
            B[xb + x_end], C[xc + x_end] = F[x + a], a
            x_end += 1
    C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)] = kind, line
    C[int_of_row(C, row_at.C_JEND, r)], C[int_of_row(C, row_at.C_XEND, r)] = j_end, x_end
    B[of_row(C, row_at.B_WEIGHT, r)] = weight if weight > MOVABLE * alone else 0.0
    B[of_row(C, row_at.B_SOFT, r)] = 0.0
    C[row_at.COUNT] = r + 1
    return r


@compiled
def _respond(F: Any, N: Any, x: int, row: int) -> float:
    """F[x:] = J^T becomes the velocity of a unit impulse, consistent with the loops; returns J H^-1 J^T as if there were none."""
    solve_mass_within(F, N, x, N[at.LOW], N[at.HIGH])
    alone = _dense_product(F, N, row, x)
    if N[at.RANK] > 0:
        make_consistent(F, N, N[at.FACTORED], x)
    return alone


@compiled
def _axis_row(F: Any, N: Any, row: int, code: int, factor: float) -> None:
    """Spare row of K += factor times how an axis' rate follows from the independent ones."""
    if code < 0:
        place, T = -1 - code, start(N, at.F_TWIST) + 12
        axis_wrench(F, N, place, T)
        add_wrench(F, N, N[at.SPARE], N[int_start(N, at.I_LAXIS_LOOP) + place], T, factor)
        return
    _widen(N, code, code + 1)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for t in range(N[ptr + code], N[ptr + code + 1]):
        F[row + N[index + t]] += factor * F[value + t]


@compiled
def _line_row(F: Any, N: Any, RI: Any, RF: Any, line: int) -> None:
    """Spare row of K = the rate that a line is about: of its axis, or of all axes of a servo."""
    row = _clear(F, N)
    if RI[line, 0] != row_at.SERVO:
        _axis_row(F, N, row, RI[line, 1], 1.0)
        return
    _axis_row(F, N, row, RI[line, 1], RF[line, row_at.FACTOR])
    line += 1
    while line < RI.shape[0] and RI[line, 0] == row_at.FURTHER:
        _axis_row(F, N, row, RI[line, 1], RF[line, row_at.FACTOR])
        line += 1


@compiled
def axis_position(F: Any, N: Any, code: int) -> Any:
    """Position of an axis by its code [rad or m]."""
    if code < 0:
        return F[start(N, at.F_LAXIS_Q) - 1 - code]
    return freedom_position(F, N, positions_at(N), code)


@compiled
def _dense_product(F: Any, N: Any, row: int, vector: int) -> float:
    total = 0.0
    for a in range(N[at.LOW], N[at.HIGH]):
        total += F[row + a] * F[vector + a]
    return total


@compiled
def _fastest(F: Any, N: Any, RI: Any, RF: Any) -> float:
    """Largest rate of any independent coordinate, now or as motors ask for it [rad/s or m/s]."""
    V, fastest = start(N, at.F_V), 0.0
    for a in range(N[at.INDEPENDENT]):
        fastest = max(fastest, abs(F[V + a]))
    for line in range(RI.shape[0]):
        if RI[line, 0] == row_at.TO_VELOCITY:
            fastest = max(fastest, abs(RF[line, 1]))
        elif RI[line, 0] == row_at.TO_POSITION:
            wanted = abs(RF[line, 1] - axis_position(F, N, RI[line, 1])) / APPROACH_TIME
            fastest = max(fastest, min(wanted, RF[line, 2]) if RF[line, 2] > 0.0 else wanted)
    return fastest


@compiled
def _breadth(F: Any, N: Any, row: int) -> float:
    """Largest rate of the dense row while no independent coordinate moves faster than 1."""
    total = 0.0
    for a in range(N[at.LOW], N[at.HIGH]):
        total += abs(F[row + a])
    return total


@compiled
def _is_held(F: Any, N: Any, B: Any, C: Any, RF: Any, r: int, code: int, dt: float) -> bool:
    """Whether the damper and spring of a loop axis are too stiff for the step, or are held already; asks then what they ask for."""
    line = C[int_of_row(C, row_at.C_LINE, r)]
    felt = dt * B[of_row(C, row_at.B_WEIGHT, r)]
    damping, stiffness = RF[line, row_at.DAMPING], RF[line, row_at.STIFFNESS]
    if RF[line, row_at.MOST] == 0.0 and felt * damping <= STIFF and felt * dt * stiffness <= FAST * FAST:
        return False
    RF[line, row_at.EFFORT] = stiffness * (RF[line, row_at.REFERENCE] - axis_position(F, N, code))
    B[of_row(C, row_at.B_RATE, r)] = _dense_product(F, N, spare(N, at.F_K), start(N, at.F_V))
    ask_servo(B, C, RF, r, dt)
    return True


@compiled
def take_held(F: Any, N: Any, C: Any, RI: Any, RF: Any) -> bool:
    """Efforts of dampers and springs that have rows are left to these; whether there are any."""
    found = False
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.HELD:
            line = C[int_of_row(C, row_at.C_LINE, r)]
            own = start(N, at.F_LPASSIVE) + 3 * (-1 - RI[line, 1])
            F[own] = F[own + 1] = 0.0
            RF[line, row_at.MOST] = UNBOUNDED
            found = True
    return found


@compiled
def give_back_held(F: Any, N: Any, RI: Any, RF: Any) -> None:
    """After the step, at fresh loop axes: undoes `take_held`; what springs keep was not lost."""
    FLOW, passive = start(N, at.F_FLOW), start(N, at.F_LPASSIVE)
    for line in range(RI.shape[0]):
        if RI[line, 0] != row_at.HELD or RF[line, row_at.MOST] == 0.0:
            continue
        own, RF[line, row_at.MOST] = passive + 3 * (-1 - RI[line, 1]), 0.0
        F[own], F[own + 1] = RF[line, row_at.DAMPING], RF[line, row_at.STIFFNESS]
        if F[own + 1] != 0.0:
            before = RF[line, row_at.EFFORT]
            after = F[own + 1] * (RF[line, row_at.REFERENCE] - axis_position(F, N, RI[line, 1]))
            F[FLOW + 1] -= 0.5 * (after - before) * (after + before) / F[own + 1]


@compiled
def gather_axis_rows(F: Any, N: Any, B: Any, C: Any, RI: Any, RF: Any, dt: float) -> bool:
    """Rows of motors, dampers and springs to be held, friction, speed limits and of those stops that are near; False where there is no
    room for them."""
    V, DV, driven = start(N, at.F_V), start(N, at.F_DV), False
    fastest = _fastest(F, N, RI, RF)
    for line in range(RI.shape[0]):
        RF[line, row_at.IMPULSE] = 0.0
        kind, code = RI[line, 0], RI[line, 1]
        if kind == row_at.FURTHER:
            continue
        driven = driven or kind <= row_at.SERVO
        _line_row(F, N, RI, RF, line)
        gap = 0.0
        if kind >= row_at.SPEED:
            row = spare(N, at.F_K)
            rate = _dense_product(F, N, row, V)
            ahead = abs(rate) + dt * abs(_dense_product(F, N, row, DV))
            if kind == row_at.SPEED:
                if ahead < 0.5 * RF[line, 0] and not driven:
                    continue
            else:
                gap = axis_position(F, N, code) - RF[line, 0]
                if kind == row_at.UPPER:
                    gap = -gap
                    for a in range(N[at.LOW], N[at.HIGH]):
                        F[row + a] = -F[row + a]
                reach = REACH_STEPS * dt * max(ahead, fastest * _breadth(F, N, row))
                if gap > max(reach, REACH_DRIVEN if driven else 0.0):
                    continue
        r = _close(F, N, B, C, kind, line)
        if r < 0:
            return False
        B[of_row(C, row_at.B_GAP, r)] = gap
        if kind == row_at.HELD and not _is_held(F, N, B, C, RF, r, code, dt):
            C[row_at.COUNT] = r
        if kind == row_at.SERVO:
            B[of_row(C, row_at.B_RATE, r)] = _dense_product(F, N, spare(N, at.F_K), V)
            fastest = max(fastest, ask_servo(B, C, RF, r, dt))
    return True


@compiled
def _point_row(F: Any, N: Any, CI: Any, CF: Any, c: int, d0: float, d1: float, d2: float) -> None:
    """Spare row of K = velocity along d of the first body's point of contact c against the second's."""
    row = _clear(F, N)
    P, parent, places = start(N, at.F_P), int_start(N, at.I_PARENT), freedoms_at(N)
    kind, first = int_start(N, at.I_KIND), int_start(N, at.I_FIRST)
    longest = 1.0
    for side in range(2):
        sign, i = 1.0 - 2.0 * side, CI[c, side]
        while i >= 0:
            r0, r1, r2 = CF[c, 0] - F[P + 3 * i], CF[c, 1] - F[P + 3 * i + 1], CF[c, 2] - F[P + 3 * i + 2]
            longest = max(longest, abs(r0), abs(r1), abs(r2))
            m0, m1, m2 = r1 * d2 - r2 * d1, r2 * d0 - r0 * d2, r0 * d1 - r1 * d0
            _widen(N, N[first + i], N[first + i] + FREEDOMS[N[kind + i]])
            enter_freedoms(F, N, places, row, i, sign, m0, m1, m2, d0, d1, d2)
            i = N[parent + i]
    for a in range(N[at.LOW], N[at.HIGH]):
        if abs(F[row + a]) < ROUNDING * longest:
            F[row + a] = 0.0


@compiled
def gather_contact_rows(F: Any, N: Any, B: Any, C: Any, CI: Any, CF: Any) -> bool:
    """Three rows for every contact point: its normal, and two tangents where there is friction; False where there is no room."""
    for c in range(CI.shape[0]):
        for k in range(3):
            CF[c, row_at.CONTACT_IMPULSE + k] = 0.0
        CF[c, row_at.BENDING] = bending(F, N, CI, CF, c)
        n0, n1, n2 = CF[c, 3], CF[c, 4], CF[c, 5]
        _point_row(F, N, CI, CF, c, n0, n1, n2)
        r = _close(F, N, B, C, row_at.NORMAL, c)
        if r < 0:
            return False
        B[of_row(C, row_at.B_GAP, r)] = CF[c, row_at.GAP]
        if CF[c, row_at.MU] <= 0.0:
            continue
        # Two tangents: across the normal and the world axis that it is least along.
        if abs(n0) <= abs(n1) and abs(n0) <= abs(n2):
            t0, t1, t2 = 0.0, n2, -n1
        elif abs(n1) <= abs(n2):
            t0, t1, t2 = -n2, 0.0, n0
        else:
            t0, t1, t2 = n1, -n0, 0.0
        length = (t0 * t0 + t1 * t1 + t2 * t2) ** 0.5
        t0, t1, t2 = t0 / length, t1 / length, t2 / length
        _point_row(F, N, CI, CF, c, t0, t1, t2)
        if _close(F, N, B, C, row_at.TANGENT, c) < 0:
            return False
        _point_row(F, N, CI, CF, c, n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0)
        if _close(F, N, B, C, row_at.SECOND_TANGENT, c) < 0:
            return False
    return True
