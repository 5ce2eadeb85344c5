"""Motors without an effort limit where their drives begin or jump, and what they give at an instant.

A motor that may push with anything takes its axis to another velocity at once: by an impulse at the start of the step,
found together with those of all others that hold their axes, of stops and of contacts, as after a blow. Efforts are
finite then, those of the step too.

At an instant such motors give what keeps the velocities of their axes at the rates that are asked for: J (a + X f) =
rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import ask_of_row, int_of_row, of_row
from simulator.dynamics.compiled.bounded_rates import push, rate, rate_rows
from simulator.dynamics.compiled.bounded_row_entries import spare
from simulator.dynamics.compiled.bounded_rows import gather_axis_rows
from simulator.dynamics.compiled.bounded_solve import UNBOUNDED, book, solve
from simulator.dynamics.compiled.bounded_work import contact_work
from simulator.dynamics.compiled.step_kernels import accelerate
from simulator.dynamics.compiled.views import start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Floats2, Ints, Table

UNLIMITED = 1e9
"""An effort [N m or N] from which on a motor has no limit."""
START, KICK, JUMP, RATE = 3, 4, 5, 6
"""Columns of RF of a motor: the velocity to have at the start of the step, whether it begins or jumps there, the
impulse that it took, and for `efforts_now` the rate of its velocity, which is replaced by the effort."""


@compiled
def holds(B: Floats, C: Ints, RF: Floats, r: int) -> bool:
    """Whether a row is a motor without a limit that can move its axis."""
    is_motor = C[int_of_row(C, row_at.C_KIND, r)] <= row_at.TO_POSITION
    return (
        is_motor and RF[C[int_of_row(C, row_at.C_LINE, r)], 0] >= UNLIMITED and B[of_row(C, row_at.B_RESPONSE, r)] > 0.0
    )


@compiled
def begin_motors(RI: Ints, RF: Floats) -> bool:
    """Forget the impulses of the last step; whether a motor begins or jumps in this one."""
    found = False
    for line in range(RI.shape[0]):
        if RI[line, 0] <= row_at.TO_POSITION:
            RF[line, JUMP] = 0.0
            found = found or RF[line, KICK] != 0.0
    return found


@compiled
def jumps(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats, r: int, wanted: float, dt: float) -> bool:
    """Whether `wanted` is further from the velocity of a row than accelerations of the mechanism's own lead in a
    step."""
    # What accelerations lead to anyway is left to the step; 1e-12 is rounding of the rates.
    own = dt * abs(rate(F, B, C, r, start(N, at.F_DV)))
    return abs(wanted - B[of_row(C, row_at.B_RATE, r)]) > own + 1e-12 * (1.0 + abs(wanted))


@compiled
def give_impulses(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats, CF: Floats) -> tuple[float, float, float]:
    """Velocities after the impulses of rows that were asked; returns the work of motors, what all else takes, and the
    work of contacts [J]."""
    V, work, taken = start(N, at.F_V), 0.0, 0.0
    solve(F, B, C, CF, V, spare(N, at.F_XK))
    book(B, C, RF, CF)
    rate_rows(F, B, C, V, row_at.B_NOW)
    for r in range(C[row_at.COUNT]):
        impulse, now = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_NOW, r)]
        # Work of an impulse: its mean rate, (J v0 + J v1) / 2, times it.
        flow = 0.5 * impulse * (B[of_row(C, row_at.B_RATE, r)] + now)
        if C[int_of_row(C, row_at.C_KIND, r)] <= row_at.TO_POSITION:
            line = C[int_of_row(C, row_at.C_LINE, r)]
            RF[line, JUMP], RF[line, row_at.IMPULSE] = impulse, 0.0
            work += flow
        else:
            taken -= flow
    total, contact = contact_work(B, C, CF)
    accelerate(F, N)
    return work, taken + total, contact


@entry("motion")
def efforts_now(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, given: Floats2, CF: Floats2, dt: float) -> bool:
    """RATE of motors without a limit becomes their effort at the present state. `given`: RF as the last step left it;
    whatever else has a row goes on pushing as it did. False where there is no room for the rows."""
    RI, RF = lines
    accelerate(F, N)
    C[row_at.COUNT] = 0
    if not gather_axis_rows(F, N, B, C, RI, RF, dt):
        return False
    DV, STEP = start(N, at.F_DV), start(N, at.F_STEP)
    # STEP takes the part of velocities: J a = rate is solved like J v = target, and impulses are efforts.
    for a in range(N[at.INDEPENDENT]):
        F[STEP + a] = F[DV + a]
    for r in range(C[row_at.COUNT]):
        line, kind = C[int_of_row(C, row_at.C_LINE, r)], C[int_of_row(C, row_at.C_KIND, r)]
        low, high, target = 0.0, 0.0, 0.0
        if holds(B, C, RF, r) and kind == row_at.TO_VELOCITY:
            low, high, target = -UNBOUNDED, UNBOUNDED, RF[line, RATE]
        elif kind != row_at.HELD and given[line, row_at.IMPULSE] != 0.0:
            push(F, B, C, r, STEP, given[line, row_at.IMPULSE] / dt)
        ask_of_row(B, C, r, low, high, target)
    solve(F, B, C, CF, STEP, spare(N, at.F_XK))
    for r in range(C[row_at.COUNT]):
        if holds(B, C, RF, r) and C[int_of_row(C, row_at.C_KIND, r)] == row_at.TO_VELOCITY:
            RF[C[int_of_row(C, row_at.C_LINE, r)], RATE] = B[of_row(C, row_at.B_IMPULSE, r)]
    return True
