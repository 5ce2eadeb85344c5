"""Motors without an effort limit where their drives begin or jump.

A motor that may push with anything takes its axis to another velocity at once: by an impulse at the start of the step,
found together with those of all others that hold their axes, of stops and of contacts, as after a blow. Efforts are
finite then, those of the step too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.active_set import open_gap_of_row
from simulator.physics.impact.giving_way import give_way, keep_unpushed, note_lacks
from simulator.physics.impact.motors import KICK, LACKS, START, approach, note_impulse
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, stops
from simulator.physics.motion.loose import accelerate_awake
from simulator.physics.rows.held_efforts import contact_work
from simulator.physics.rows.meshes import ask_coupling_of_impact
from simulator.physics.rows.ramps import holds
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import rate, rate_rows
from simulator.physics.solver.solve import UNBOUNDED, add_impulses, solve

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews


@compiled
def start_motors(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[float, float, float]:
    """Impulses where drives of motors without a limit begin or jump; returns the work of motors, what all else takes,
    and the work of contacts [J]."""
    (RI, RF) = lines
    CF = contacts[1]
    found = False
    rate_rows(bounded, m.state.V, bounded.rate)
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        now = bounded.rate[r]
        low = 0.0
        high = 0.0
        target = 0.0
        if row_at.MESH <= kind <= row_at.LOSS:
            ask_coupling_of_impact(bounded, RF, r, dt)
            continue
        if holds(bounded, RF, r):
            low = -UNBOUNDED
            high = UNBOUNDED
            bounded.most[r] = UNBOUNDED
            target = now + RF[line, LACKS]
            if RF[line, KICK] != 0.0:
                target = now
                RF[line, LACKS] = 0.0
                wanted = RF[line, START] if kind == row_at.TO_VELOCITY else approach(m, bounded, RI, RF, r, dt)
                if _jumps(m, bounded, RF, r, wanted, dt):
                    target = wanted
                    found = True
        elif stops(bounded, CF, r):
            high = UNBOUNDED
            target = -open_gap_of_row(bounded, r) / dt
        elif kind >= row_at.TANGENT:
            low = -UNBOUNDED
            high = UNBOUNDED
        ask_of_row(bounded, r, low, high, target)
        bounded.asked[r] = target
    for line in range(RI.shape[0]):
        if RI[line, row_at.KIND] <= row_at.TO_POSITION:
            RF[line, KICK] = 0.0
    return _give_impulses(m, bounded, RF, contacts) if found else (0.0, 0.0, 0.0)


@compiled
def _jumps(m: MechanismViews, bounded: BoundedRows, RF: Floats2, r: int, wanted: float, dt: float) -> bool:
    """Whether `wanted` is further from the velocity of a row than accelerations of the mechanism's own lead in a
    step."""
    # What accelerations lead to anyway is left to the step; 1e-12 is rounding of the rates.
    own = dt * abs(rate(bounded, r, m.state.DV))
    return abs(wanted - bounded.rate[r]) > own + 1e-12 * (1.0 + abs(wanted))


@compiled
def _give_impulses(m: MechanismViews, bounded: BoundedRows, RF: Floats2, contacts: Table) -> tuple[float, float, float]:
    """Velocities after the impulses of rows that were asked; returns the work of motors, what all else takes, and the
    work of contacts [J]."""
    V = m.state.V
    work = 0.0
    taken = 0.0
    CF = contacts[1]
    keep_unpushed(bounded, V)
    meshed = bounded.meshes > 0
    settled = solve_rows(m, bounded, CF, V, False) if meshed else solve(bounded, CF, V, m.rows.scratch)
    give_way(m, bounded, RF, contacts, V, settled, False)
    note_lacks(bounded, RF)
    add_impulses(bounded, RF, CF)
    rate_rows(bounded, V, bounded.now)
    for r in range(bounded.gathered[0]):
        impulse, now = bounded.impulse[r], bounded.now[r]
        # Work of an impulse: its mean rate, (J v0 + J v1) / 2, times it.
        flow = 0.5 * impulse * (bounded.rate[r] + now)
        if bounded.kind[r] <= row_at.TO_POSITION:
            target = bounded.target[r]
            note_impulse(RF, bounded.line[r], impulse, bounded.rate[r], target)
            work += flow
        else:
            taken -= flow
    total, contact = contact_work(bounded, CF)
    accelerate_awake(m, bounded, False)
    return work, taken + total, contact
