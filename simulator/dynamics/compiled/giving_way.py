"""Motors without an effort limit that something holds: they go on with the velocity that this leaves them.

A motor that may push with anything and a stop in its way ask for what cannot be met together: their impulses would
grow with every sweep and represent no force. What holds the motor prevails; the motor then asks for the velocity that
is left to it, and gives what that takes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import int_of_row, of_row
from simulator.dynamics.compiled.bounded_rates import push, rate
from simulator.dynamics.compiled.bounded_row_entries import spare
from simulator.dynamics.compiled.bounded_separation import solve_rows
from simulator.dynamics.compiled.load_views import open_loads
from simulator.dynamics.compiled.motor_kernels import HELD_AT, HELD_BY, MISSED, holds, misses
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Floats2, Ints, Table

BODIES = 2**20
"""More bodies than there are."""
ROUNDS = 4
"""Most rounds of finding out which motors are held."""
LEFT = 1e-8
"""Sweeps that settle leave less than this part of a target, or of 1e-3 rad/s or m/s."""
FEW = 2
"""Motors without a limit whose sweeps, against each other or against what holds them, end at the mean of what they ask
for; those of more end somewhere."""
SOFT = 1e-6
"""How much motors give way, as a part of what their impulses change them by."""


@compiled
def give_way(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats2, contacts: Table, vector: int) -> bool:
    """Motors without a limit that stops, speed limits or contacts keep from their target ask for the rate that `vector`
    has, which these leave them; whether there are any. HELD_BY, of those that are far from it: 1 + line of what holds
    them most, or -(1 + BODIES times one body + the other)."""
    found = False
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] > row_at.TO_POSITION:
            break
        high = B[of_row(C, row_at.B_HIGH, r)]
        part = LEFT if C[row_at.ISLANDS] == 0 or abs(B[of_row(C, row_at.B_IMPULSE, r)]) >= high else MISSED
        if holds(B, C, RF, r) and high > 0.0 and misses(F, B, C, r, vector, part):
            holder = _find_holder(F, N, B, C, r, vector)
            if holder >= 0:
                if misses(F, B, C, r, vector, MISSED):
                    _note_holder(F, N, C, RF, contacts, r, holder)
                B[of_row(C, row_at.B_TARGET, r)], found = rate(F, B, C, r, vector), True
    return found


@compiled
def ask_what_is_left(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats2, CF: Floats2, vector: int) -> None:
    """Motors without a limit ask for the velocities that what holds them leaves, those nearest to their targets: what
    comes of it where they are a little soft, and all else is not. `vector`: velocities without impulses, which is
    changed. Sweeps over rows that contradict each other would end somewhere, and somewhere else in the next step."""
    for r in range(C[row_at.COUNT]):
        if holds(B, C, RF, r):
            B[of_row(C, row_at.B_SOFT, r)] = SOFT * B[of_row(C, row_at.B_RESPONSE, r)]
    solve_rows(F, N, B, C, CF, vector, False)
    for r in range(C[row_at.COUNT]):
        if holds(B, C, RF, r) and B[of_row(C, row_at.B_HIGH, r)] > 0.0:
            B[of_row(C, row_at.B_TARGET, r)] = rate(F, B, C, r, vector)
            B[of_row(C, row_at.B_SOFT, r)] = 0.0


@compiled
def are_many(B: Floats, C: Ints, RF: Floats2) -> bool:
    """Whether there are more motors without a limit than FEW."""
    count = 0
    for r in range(C[row_at.COUNT]):
        count += 1 if holds(B, C, RF, r) else 0
    return count > FEW


@compiled
def _find_holder(F: Floats, N: Ints, B: Floats, C: Ints, motor: int, vector: int) -> int:
    """The row that pushes a motor most away from its target, of those that may hold it; -1 where none does."""
    scratch, holder, most = spare(N, at.F_XK), -1, 0.0
    missing = B[of_row(C, row_at.B_TARGET, motor)] - rate(F, B, C, motor, vector)
    for r in range(C[row_at.COUNT]):
        impulse = B[of_row(C, row_at.B_IMPULSE, r)]
        if C[int_of_row(C, row_at.C_KIND, r)] < row_at.SPEED or impulse == 0.0:
            continue
        for a in range(N[at.INDEPENDENT]):
            F[scratch + a] = 0.0
        push(F, B, C, r, scratch, impulse)
        against = -math.copysign(1.0, missing) * rate(F, B, C, motor, scratch)
        if against > most:
            holder, most = r, against
    return holder


@compiled
def _note_holder(F: Floats, N: Ints, C: Ints, RF: Floats2, contacts: Table, motor: int, holder: int) -> None:
    line, by = C[int_of_row(C, row_at.C_LINE, motor)], C[int_of_row(C, row_at.C_LINE, holder)]
    if RF[line, HELD_BY] == 0.0:
        RF[line, HELD_AT] = open_loads(F, N).time[1]
        if C[int_of_row(C, row_at.C_KIND, holder)] < row_at.NORMAL:
            RF[line, HELD_BY] = 1.0 + by
        else:
            bodies = contacts[0][by, row_at.BODY] * BODIES + contacts[0][by, row_at.BODY + 1]
            RF[line, HELD_BY] = -1.0 - bodies
