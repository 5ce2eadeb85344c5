"""One step of time with bounded rows: motors, friction, stops, speed limits, contacts.

First what hits is stopped by impulses at the start of the step, so that nothing goes through anything by its end (and
bounces where the contact asks for it). Then everything that acts on goes into the equations as an effort that is
constant over the step, chosen so that at its end motors are at their velocity and nothing pulls apart or pushes
through; the step itself is the fourth-order one. So the force of a contact at rest is exact, and smooth motion keeps
its order. Where something overlaps all the same, positions are moved apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.contacts.rows import begin_to_gather, gather_at_middle
from simulator.physics.contacts.separation import look_back, separate_overlaps
from simulator.physics.impact.impact import stop_impacts
from simulator.physics.impact.motors import has_motors
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import open_bounded
from simulator.physics.loops.flow import BY_CONTACTS, OUT_OF_NOTHING, TAKEN, WORK
from simulator.physics.loops.solve import LEAST
from simulator.physics.loops.views import open_mechanism
from simulator.physics.motion.free import accelerate_from, is_singular, rk4
from simulator.physics.motion.loose import accelerate_again, fly, put_to_sleep, stay, wake
from simulator.physics.motion.projection import SWEEPS, place_rows, project, reach_of_step
from simulator.physics.rows.held_efforts import contact_work, let_go, limits_push, unresolved_energy
from simulator.physics.rows.ramps import INTO_STIFF, note_ramps
from simulator.physics.rows.rows import give_back_held, has_held, take_held
from simulator.physics.rows.soft import all_stored, stiffen
from simulator.physics.rows.stiff import find_fast, hold_stiff, release
from simulator.physics.solver.rates import rate_rows
from simulator.physics.step.efforts import solve_efforts
from simulator.physics.step.meshes import close_meshes, hold_rates
from simulator.physics.step.midpoint_loops import move_loops_to_middle
from simulator.physics.tree.loads import end_step, set_stage
from simulator.physics.tree.positions import normalize

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Table, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews, RowViews

NO_ROOM = -1.0
OF_START, STIFFENED, OF_MIDDLE = 0, 1, 2
"""Which inertia efforts act on: that of the start of the step, with what is too stiff for the step, or that of its
middle."""


@entry("motion")
def advance_bounded(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> float:
    """One step of `dt` [s]; returns the loop residual that the projection met; or NO_ROOM where B and C are too small:
    then F, N and RF are to be put back."""
    bounded = open_bounded(B, C)
    gap, bounded.sizes[row_at.BLOCKED] = step_rows(open_mechanism(F, N), bounded, lines, contacts, dt, False)
    return gap


@compiled
def step_rows(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, fresh: bool
) -> tuple[float, int]:
    """The step that docs/design/physics.md describes: as `advance_bounded`, and what is BLOCKED (see `row_layout`).
    `fresh`: poses, velocities and inertias are those of the present state already."""
    begin_step(m.rows, bounded, lines, contacts)
    wake(m, bounded, contacts)
    accelerate_at_start(m, bounded, dt, fresh)
    find_stiff(m, contacts, dt)
    fits, struck = stop_impacts(m, bounded, lines, contacts, dt)
    if not fits:
        return NO_ROOM, 0
    fits, inertia = choose_inertia(m, bounded, lines, contacts, dt)
    if not fits:
        return NO_ROOM, 0
    fits, blocked = solve_efforts(m, bounded, lines, contacts, dt, inertia == OF_MIDDLE)
    if not fits:
        return NO_ROOM, 0
    integrate(m, bounded, dt, inertia)
    gap = project_step(m, lines, dt)
    account(m, bounded, lines, contacts, struck)
    note_ramps(bounded, lines[1], dt, INTO_STIFF if inertia == STIFFENED else 1.0)
    correct_positions(m, bounded, lines, contacts, dt)
    put_to_sleep(m, bounded)
    let_go(m)
    return gap, blocked


@compiled
def begin_step(rows: RowViews, bounded: BoundedRows, lines: Table, contacts: Table) -> None:
    """No row has pushed yet in this step, and all rows of loops are independent as far as is known."""
    RF, CF = lines[1], contacts[1]
    rows.least_rank[0] = rows.solved
    bounded.sizes[row_at.SWEEPS] = 0
    for line in range(RF.shape[0]):
        RF[line, row_at.IMPULSE] = 0.0
    for c in range(CF.shape[0]):
        for k in range(row_at.ROWS_OF_CONTACT):
            CF[c, row_at.CONTACT_IMPULSE + k] = 0.0
    begin_to_gather(rows, bounded, contacts)


@compiled
def accelerate_at_start(m: MechanismViews, bounded: BoundedRows, dt: float, fresh: bool) -> None:
    """Accelerations at the start of the step, without rows; `fresh` as for `step_rows`."""
    set_stage(m.F, m.N, dt, 0.0)
    accelerate_again(m, bounded, fresh)


@compiled
def find_stiff(m: MechanismViews, contacts: Table, dt: float) -> None:
    """Which contacts give way in this step, and which dampers and springs are faster than it."""
    stiffen(m, contacts, dt)
    find_fast(m, dt)


@compiled
def choose_inertia(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[bool, int]:
    """Take dampers and springs that are too stiff for the step into the inertia, those of loops and between points as
    rows; or, where something touches loops, make H and the rows of loops those of the middle of the step. Rows are
    gathered anew then: (whether there is room for them, which inertia it is)."""
    inertia = OF_START
    by_rows = take_held(m, bounded, lines[0], lines[1])
    if hold_stiff(m, dt, False):
        inertia = STIFFENED
    if inertia == STIFFENED or by_rows:
        _accelerate_held(m)
    elif move_loops_to_middle(m, bounded, contacts, dt):
        inertia = OF_MIDDLE
    else:
        return True, OF_START
    return gather_at_middle(m, bounded, lines, contacts, dt, inertia == OF_MIDDLE), inertia


@compiled
def _accelerate_held(m: MechanismViews) -> None:
    """`accelerate`; how near a singular position is, is judged by the pivot without the added inertia."""
    pivot = m.rows.pivot
    clear = pivot[LEAST]
    accelerate_from(m, False)
    pivot[LEAST] = clear


@compiled
def integrate(m: MechanismViews, bounded: BoundedRows, dt: float, inertia: int) -> None:
    """The motion of the step, with efforts that are constant over it."""
    if inertia == OF_MIDDLE:
        accelerate_from(m, False)
    if bounded.sizes[row_at.LOOSE] > 0:
        fly(m, bounded, dt)
    else:
        rk4(m, dt, True)
        if bounded.sizes[row_at.LOOSE] != 0:
            stay(m, bounded)
    end_step(m.F, m.N, dt)
    if inertia == STIFFENED:
        release(m, dt, False)


@compiled
def project_step(m: MechanismViews, lines: Table, dt: float) -> float:
    """Bring positions and velocities back onto the loops; returns the residual that was met. STEP = velocities at the
    end of the step in the axes of its start."""
    RI, RF = lines
    normalize(m.tree, m.state.Q)
    worst = project(m.F, m.N, SWEEPS, reach_of_step(m))
    if has_held(RI, RF):
        place_rows(m)
        give_back_held(m, RI, RF)
    # At a singular position other rows have to be chosen before the next step.
    if not m.rows.is_parked and is_singular(m.F, m.N, dt):
        m.rows.least_rank[0] = min(m.rows.least_rank[0], m.rows.solved - 1)
    look_back(m)
    return worst


@compiled
def account(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, struck: Vector) -> None:
    """Flow: what impulses at the start of the step did, `struck` as `stop_impacts` returns it, and what contacts did,
    by the rates NOW that rows have at its end, which is not counted among what is taken. What only takes energy gives
    some where efforts that are constant over the step act on what turns round within it. Friction alone gives no more
    than the order of the step allows; halves there would make motions jump with the numbers of a mechanism."""
    flow = m.stages.flow
    work, taken, contact = struck
    lost = flow[TAKEN]
    flow[WORK] += work
    flow[TAKEN] += taken
    rate_rows(bounded, m.state.step, bounded.now)
    CF = contacts[1]
    done, booked = contact_work(bounded, CF)
    loose = bounded.sizes[row_at.LOOSE] > 0
    if loose and CF.shape[0] > 0:  # then nothing else takes energy, and it is known as well as the motion
        done = taken - flow[TAKEN]
        booked = min(done, all_stored(CF))
    elif done == 0.0 and lost < 0.0 and not loose and bounded.sizes[row_at.MESHES] == 0:  # meshes give back
        if limits_push(bounded):
            flow[OUT_OF_NOTHING] = max(0.0, -lost - unresolved_energy(bounded))
    elif done != 0.0 and has_motors(lines[0]):  # which alone continue to press what turns round within a step
        flow[OUT_OF_NOTHING] = max(0.0, done - booked - unresolved_energy(bounded))
    flow[TAKEN] += done
    flow[BY_CONTACTS] = contact + booked


@compiled
def correct_positions(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """Bring the teeth of couplings to one rate, move apart what overlaps, and close teeth that are to be closed."""
    if bounded.sizes[row_at.MESHES] > 0:
        hold_rates(m, bounded, lines, contacts[1])
    separate_overlaps(m, bounded, contacts[1], dt)
    if bounded.sizes[row_at.MESHES] > 0:
        close_meshes(m, bounded, lines, contacts[1])
