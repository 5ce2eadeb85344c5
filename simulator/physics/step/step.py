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
from simulator.physics.contacts.gather import (
    begin_to_gather,
    gather,
    gather_axes,
    gather_contacts,
    leave_out_far,
)
from simulator.physics.contacts.separation import (
    look_back,
    separate_overlaps,
)
from simulator.physics.impact.impact import accelerate_again, hits_left_out, hits_stop, impact
from simulator.physics.impact.motor_impulses import start_motors
from simulator.physics.impact.motors import are_held, begin_motors, has_motors
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import open_bounded
from simulator.physics.loops.flow import BY_CONTACTS, OUT_OF_NOTHING, TAKEN, WORK
from simulator.physics.loops.solve import LEAST
from simulator.physics.loops.views import open_rows
from simulator.physics.motion.free import accelerate, is_singular, rk4
from simulator.physics.motion.loose import fly
from simulator.physics.motion.projection import SWEEPS, place_rows, project, reach_of_step
from simulator.physics.motion.resting import settle, stay, wake
from simulator.physics.rows.fast import find_fast
from simulator.physics.rows.held_efforts import let_go
from simulator.physics.rows.rows import give_back_held, has_held, take_held
from simulator.physics.rows.soft import all_stored, stiffen
from simulator.physics.rows.stiff import hold_stiff, release
from simulator.physics.rows.work import contact_work, unresolved_energy
from simulator.physics.solver.rates import rate_rows
from simulator.physics.step.efforts import apply_efforts
from simulator.physics.step.looking_ahead import look_ahead
from simulator.physics.step.meshes import close_meshes
from simulator.physics.tree.loads import end_step, set_stage
from simulator.physics.tree.positions import normalize
from simulator.physics.tree.views import open_stages, open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Table, Vector
    from simulator.physics.layout.bounded import BoundedRows

NO_ROOM = -1.0


@compiled
def _forget(lines: Table, contacts: Table) -> None:
    """No row has pushed yet in this step."""
    for line in range(lines[1].shape[0]):
        lines[1][line, row_at.IMPULSE] = 0.0
    for c in range(contacts[1].shape[0]):
        for k in range(row_at.ROWS_OF_CONTACT):
            contacts[1][c, row_at.CONTACT_IMPULSE + k] = 0.0


@compiled
def _keep_near(bounded: BoundedRows, held: bool) -> None:
    """Leaves no contact out where anything holds a motor, which says nothing of how fast it may be let go."""
    if held:
        bounded.sizes[row_at.LEFT_OUT] = 0


@compiled
def _strike(
    F: Floats, N: Ints, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[bool, float, float, float]:
    """Gathers rows, and gives impulses at the start of the step, of motors that begin or are let go and of what hits:
    (whether there is room, work of motors, energy taken by all else, work of contacts [J]). Rows of contacts are those
    of its middle in the end; for the impulses, of its start, for at an instant nothing turns."""
    touches = contacts[0].shape[0] > 0
    held = are_held(lines[0], lines[1])
    begins = begin_motors(lines[0], lines[1])
    work = taken = contact = 0.0
    hit = leave_out_far(F, N, bounded, contacts, dt)
    fits = gather_axes(F, N, bounded, lines, dt)
    strikes = begins or not touches or hit or held or hits_stop(F, N, bounded, lines[1], dt)
    _keep_near(bounded, held)
    fits = fits and gather_contacts(F, N, bounded, contacts, 0.0 if strikes else 0.5 * dt)
    if fits and strikes:
        if begins:
            work, taken, contact = start_motors(F, N, bounded, lines, contacts, dt)
        by_motors, by_stops, by_contacts = impact(F, N, bounded, lines, contacts, dt)
        work = work + by_motors
        taken = taken + by_stops
        contact = contact + by_contacts
        if hits_left_out(F, N, bounded, contacts[0], contacts[1], dt):
            bounded.sizes[row_at.LEFT_OUT] = 0
            fits = gather(F, N, bounded, lines, contacts, dt, 0.0)
            if fits:
                by_motors, by_stops, by_contacts = impact(F, N, bounded, lines, contacts, dt)
                work = work + by_motors
                taken = taken + by_stops
                contact = contact + by_contacts
        leave_out_far(F, N, bounded, contacts, dt)
        _keep_near(bounded, are_held(lines[0], lines[1]))
    if fits and touches:
        fits = not strikes or gather(F, N, bounded, lines, contacts, dt, 0.5 * dt)
        rate_rows(bounded, open_state(F, N).V, bounded.rate)
    return fits, work, taken, contact


@entry("motion")
def advance_bounded(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> float:
    """One step of `dt` [s]; returns the loop residual that the projection met; or NO_ROOM where B and C are too small:
    then F, N and RF are to be put back."""
    return step_rows(F, N, open_bounded(B, C), lines, contacts, dt, False)


@compiled
def step_rows(F: Floats, N: Ints, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, fresh: bool) -> float:
    """As `advance_bounded`; `fresh`: poses, velocities and inertias are those of the present state already."""
    RI, RF = lines
    N[at.WORST] = N[at.RANK]
    bounded.sizes[row_at.BLOCKED] = bounded.sizes[row_at.SWEEPS] = 0
    _forget(lines, contacts)
    if bounded.sizes[row_at.LOOSE] != 0:
        wake(N, bounded, contacts[0], contacts[1])
    begin_to_gather(N, bounded, contacts)
    set_stage(F, N, dt, 0.0)
    accelerate_again(F, N, bounded, fresh)
    stiffen(F, N, bounded, contacts, dt)
    find_fast(F, N, dt)
    fits, work, taken, contact = _strike(F, N, bounded, lines, contacts, dt)
    if not fits:
        return NO_ROOM
    # Dampers and springs that are too stiff: of the tree into the inertia, of loops and between points as rows.
    by_rows = take_held(F, N, bounded, RI, RF)
    held = hold_stiff(F, N, dt, False)
    if held or by_rows:
        _accelerate_held(F, N)
        if not gather(F, N, bounded, lines, contacts, dt, 0.5 * dt):
            return NO_ROOM
        rate_rows(bounded, open_state(F, N).V, bounded.rate)
    ahead = not (held or by_rows) and look_ahead(F, N, bounded, contacts, dt)
    if ahead:
        if not gather(F, N, bounded, lines, contacts, dt, 0.5 * dt):
            return NO_ROOM
        rate_rows(bounded, open_state(F, N).V, bounded.rate)
    if not apply_efforts(F, N, bounded, lines, contacts, dt):
        return NO_ROOM
    if ahead:
        accelerate(F, N)
    _move(F, N, bounded, dt)
    if held:
        release(F, N, dt, False)
    return _end(F, N, bounded, lines, contacts, dt, (work, taken, contact))


@compiled
def _accelerate_held(F: Floats, N: Ints) -> None:
    """`accelerate`; how near a singular position is, is judged by the pivot without the added inertia."""
    pivot = open_rows(F, N).pivot
    clear = pivot[LEAST]
    accelerate(F, N)
    pivot[LEAST] = clear


@compiled
def _end(F: Floats, N: Ints, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, struck: Vector) -> float:
    """What follows the motion of a step: it is brought back onto loops, booked, and moved apart where it overlaps.
    `struck`: work of motors, energy taken and work of contacts by impulses at its start. Returns the loop residual."""
    (RI, RF) = lines
    CF = contacts[1]
    (work, taken, contact) = struck
    flow = open_stages(F, N).flow
    flow[WORK] += work
    flow[TAKEN] += taken
    normalize(open_tree(F, N), open_state(F, N).Q)
    worst = project(F, N, SWEEPS, reach_of_step(F, N))
    if has_held(RI, RF):
        place_rows(F, N)
        give_back_held(F, N, RI, RF)
    # At a singular position other rows have to be chosen before the next step.
    if N[at.PARKED] == 0 and is_singular(F, N, dt):
        N[at.WORST] = min(N[at.WORST], N[at.RANK] - 1)
    look_back(F, N)
    rate_rows(bounded, open_state(F, N).step, bounded.now)
    if CF.shape[0] > 0:
        _book_contacts(F, N, bounded, CF, has_motors(RI), taken, contact)
    separate_overlaps(F, N, bounded, CF, dt)
    if bounded.sizes[row_at.MESHES] > 0:
        close_meshes(F, N, bounded, lines, CF)
    if bounded.sizes[row_at.LOOSE] != 0:
        settle(F, N, bounded)
    let_go(F, N)
    return worst


@compiled
def _book_contacts(
    F: Floats, N: Ints, bounded: BoundedRows, CF: Floats2, driven: bool, taken: float, contact: float
) -> None:
    """Flow: what contacts did, by the rates NOW that rows have at the end, is not counted among what is taken. At the
    start of the step, impulses took `taken`, and contacts did the work `contact` [J]. `driven`: whether there are
    motors, which alone go on pressing what turns round within a step."""
    flow = open_stages(F, N).flow
    done, booked = contact_work(bounded, CF)
    if bounded.sizes[row_at.LOOSE] > 0:  # then nothing else takes energy, and it is known as well as the motion
        done = taken - flow[TAKEN]
        booked = min(done, all_stored(CF) if bounded.sizes[row_at.GIVES] != 0 else 0.0)
    elif driven:
        flow[OUT_OF_NOTHING] = max(0.0, done - booked - unresolved_energy(bounded))
    flow[TAKEN] += done
    flow[BY_CONTACTS] = contact + booked


@compiled
def _move(F: Floats, N: Ints, bounded: BoundedRows, dt: float) -> None:
    """The step itself."""
    if bounded.sizes[row_at.LOOSE] > 0:
        fly(F, N, bounded, dt)
    else:
        rk4(F, N, dt, True)
        if bounded.sizes[row_at.LOOSE] != 0:
            stay(F, N, bounded)
    end_step(F, N, dt)
