"""Motors without an effort limit where their drives begin or jump.

A motor that may push with anything takes its axis to another velocity at once: by an impulse at the start of the step,
found together with those of all others that hold their axes, of stops and of contacts, as after a blow. Efforts are
finite then, those of the step too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.separation import solve_rows, stops
from simulator.physics.impact.giving_way import give_way, keep_unpushed, note_lacks
from simulator.physics.impact.impact import accelerate_again, way_left
from simulator.physics.impact.motors import KICK, LACKS, START, approach, holds, note_impulse
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import ask_of_row, int_of_row, of_row
from simulator.physics.layout.views import start
from simulator.physics.rows.entries import spare
from simulator.physics.rows.meshes import ask_loss, ask_mesh_of_impact
from simulator.physics.rows.work import contact_work
from simulator.physics.solver.rates import rate, rate_rows
from simulator.physics.solver.solve import UNBOUNDED, book, solve

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Table


@compiled
def start_motors(
    F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float
) -> tuple[float, float, float]:
    """Impulses where drives of motors without a limit begin or jump; returns the work of motors, what all else takes,
    and the work of contacts [J]."""
    (RI, RF) = lines
    CF = contacts[1]
    found = False
    rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        now = B[of_row(C, row_at.B_RATE, r)]
        low = 0.0
        high = 0.0
        target = 0.0
        if kind == row_at.MESH:
            ask_mesh_of_impact(B, C, RF, r, dt)
            continue
        if kind == row_at.LOSS:
            ask_loss(B, C, RF, r, 0.0)
            continue
        if holds(B, C, RF, r):
            low = -UNBOUNDED
            high = UNBOUNDED
            target = now + RF[line, LACKS]
            if RF[line, KICK] != 0.0:
                target = now
                RF[line, LACKS] = 0.0
                wanted = RF[line, START] if kind == row_at.TO_VELOCITY else approach(F, N, B, C, RI, RF, r, dt)
                if _jumps(F, N, B, C, RF, r, wanted, dt):
                    target = wanted
                    found = True
        elif stops(C, CF, r):
            high = UNBOUNDED
            target = -way_left(B, C, r) / dt
        elif kind >= row_at.TANGENT:
            low = -UNBOUNDED
            high = UNBOUNDED
        ask_of_row(B, C, r, low, high, target)
        B[of_row(C, row_at.B_ASKED, r)] = target
    for line in range(RI.shape[0]):
        if RI[line, 0] <= row_at.TO_POSITION:
            RF[line, KICK] = 0.0
    return _give_impulses(F, N, B, C, RF, contacts) if found else (0.0, 0.0, 0.0)


@compiled
def _jumps(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats2, r: int, wanted: float, dt: float) -> bool:
    """Whether `wanted` is further from the velocity of a row than accelerations of the mechanism's own lead in a
    step."""
    # What accelerations lead to anyway is left to the step; 1e-12 is rounding of the rates.
    own = dt * abs(rate(F, B, C, r, start(N, at.F_DV)))
    return abs(wanted - B[of_row(C, row_at.B_RATE, r)]) > own + 1e-12 * (1.0 + abs(wanted))


@compiled
def _give_impulses(F: Floats, N: Ints, B: Floats, C: Ints, RF: Floats2, contacts: Table) -> tuple[float, float, float]:
    """Velocities after the impulses of rows that were asked; returns the work of motors, what all else takes, and the
    work of contacts [J]."""
    V = start(N, at.F_V)
    work = 0.0
    taken = 0.0
    CF = contacts[1]
    keep_unpushed(F, N, B, C, V)
    meshed = C[row_at.MESHES] > 0
    settled = solve_rows(F, N, B, C, CF, V, False) if meshed else solve(F, B, C, CF, V, spare(N, at.F_XK))
    give_way(F, N, B, C, RF, contacts, V, settled, False)
    note_lacks(B, C, RF)
    book(B, C, RF, CF)
    rate_rows(F, B, C, V, row_at.B_NOW)
    for r in range(C[row_at.COUNT]):
        impulse, now = B[of_row(C, row_at.B_IMPULSE, r)], B[of_row(C, row_at.B_NOW, r)]
        # Work of an impulse: its mean rate, (J v0 + J v1) / 2, times it.
        flow = 0.5 * impulse * (B[of_row(C, row_at.B_RATE, r)] + now)
        if C[int_of_row(C, row_at.C_KIND, r)] <= row_at.TO_POSITION:
            target = B[of_row(C, row_at.B_TARGET, r)]
            note_impulse(RF, C[int_of_row(C, row_at.C_LINE, r)], impulse, B[of_row(C, row_at.B_RATE, r)], target)
            work += flow
        else:
            taken -= flow
    total, contact = contact_work(B, C, CF)
    accelerate_again(F, N, C)
    return work, taken + total, contact
