"""One step of time with bounded rows: motors, friction, stops, speed limits, contacts.

First what hits is stopped by impulses at the start of the step, so that nothing goes through anything by its end (and
bounces where the contact asks for it). Then everything that acts on goes into the equations as an effort that is
constant over the step (that of a motor grows, see `rows.ramps`), chosen so that at its end motors are at their velocity
and nothing pulls apart or pushes through; the step itself is the fourth-order one. So the force of a contact at rest is
exact, and smooth motion keeps its order. Where something overlaps all the same, positions are moved apart.

Efforts that are constant over a step act through loops that pass them on in another ratio at its end than at its start:
a crank that pushes a load by a rod would end the step faster or slower than the load does. So where something touches
what loops have a part in, the mass matrix, the rows of loops and the accelerations are those of half a step on, as the
rows of contacts are (`midpoint_rows`): the explicit midpoint rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import copy
from simulator.physics.contacts.active_set import is_inactive
from simulator.physics.contacts.midpoint_rows import is_looped
from simulator.physics.contacts.rows import gather_at_middle, has_islands
from simulator.physics.contacts.separation import separate_overlaps, store_end_velocity
from simulator.physics.impact.impact import stop_impacts
from simulator.physics.impact.motors import has_motors
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import BALL, FREEDOMS
from simulator.physics.loops.flow import BY_CONTACTS, OUT_OF_NOTHING, TAKEN, WORK
from simulator.physics.loops.loops import follow_curves, move_with_loops
from simulator.physics.loops.solve import LEAST
from simulator.physics.motion.free import accelerate_from, rk4
from simulator.physics.motion.loose import accelerate_awake, put_to_sleep, restore_sleeping, rk4_loose, wake
from simulator.physics.motion.projection import (
    CRAWLING,
    FOLLOWED,
    SWEEPS,
    is_singular,
    place_rows,
    project,
    reach_of_step,
)
from simulator.physics.rows.cables import follow_cables
from simulator.physics.rows.held_efforts import clear_efforts, contact_work, limits_push, unresolved_energy
from simulator.physics.rows.ramps import INTO_STIFF, are_far, note_ramps
from simulator.physics.rows.rows import give_back_held, has_held, take_held
from simulator.physics.rows.soft import all_stored, make_unresolved_rigid
from simulator.physics.rows.stiff import find_fast, hold_stiff, release
from simulator.physics.solver.rates import rate_rows
from simulator.physics.step.efforts import solve_efforts
from simulator.physics.step.meshes import close_meshes, hold_rates
from simulator.physics.tree.loads import end_step, set_stage
from simulator.physics.tree.positions import displace, normalize
from simulator.physics.tree.tree import move_nodes, place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Table, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

NO_ROOM = -1.0
FAR = 1.0
"""A residual as of a loop that has come open, after a step in which a motor has missed its velocity by far."""
OF_START, STIFFENED, OF_MIDDLE = 0, 1, 2
"""Which inertia efforts act on: that of the start of the step, with what is too stiff for the step, or that of its
middle."""


@entry("motion")
def advance_bounded(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> float:
    """One step of `dt` [s]; returns the loop residual that the projection met; or NO_ROOM where B and C are too small:
    then F, N and RF are to be put back."""
    gap, bounded.blocked[0] = step_rows(m, bounded, lines, contacts, dt, False)
    return gap


@compiled
def step_rows(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, fresh: bool
) -> tuple[float, int]:
    """The step that docs/design/physics.md describes: as `advance_bounded`, and what is BLOCKED (see `row_layout`).
    `fresh`: poses, velocities and inertias are those of the present state already."""
    reset_step(m, bounded, lines, contacts, dt)
    wake(m, bounded, contacts)
    accelerate_awake(m, bounded, fresh)
    make_unresolved_rigid(m, contacts, dt)
    find_fast(m, dt)
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
    if account(m, bounded, lines, contacts, struck, dt, inertia):
        gap = FAR
    correct_positions(m, bounded, lines, contacts, dt)
    put_to_sleep(m, bounded)
    clear_efforts(m)
    return gap, blocked


@compiled
def reset_step(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """No row has pushed yet in this step, all rows of loops are independent as far as is known, and loads are those of
    its start. CLOSED = whether rows are solved by islands, and there are loops beside them. Where guides hold a
    mechanism at a singular position, all rows are solved together: the motion that is left to it may change within a
    step."""
    RF, CF = lines[1], contacts[1]
    rows = m.rows
    set_stage(m.loads, dt, 0.0)
    rows.least_rank[0] = rows.solved
    bounded.sweeps[0] = 0
    for line in range(RF.shape[0]):
        RF[line, row_at.IMPULSE] = 0.0
    for c in range(CF.shape[0]):
        for k in range(row_at.ROWS_OF_CONTACT):
            CF[c, row_at.CONTACT_IMPULSE + k] = 0.0
    closed = rows.solved > 0 and not rows.is_parked and has_islands(bounded, contacts)
    bounded.closed[0] = 1 if closed else 0


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
    return gather_at_middle(m, bounded, lines, contacts, dt), inertia


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
    if bounded.loose[0] > 0:
        rk4_loose(m, bounded, dt)
    else:
        rk4(m, dt, True)
        if bounded.loose[0] != 0:
            restore_sleeping(m, bounded)
    end_step(m.loads, dt)
    if inertia == STIFFENED:
        release(m, dt, False)


@compiled
def project_step(m: MechanismViews, lines: Table, dt: float) -> float:
    """Bring positions and velocities back onto the loops; returns the residual that was met. STEP = velocities at the
    end of the step in the axes of its start."""
    RI, RF = lines
    normalize(m.tree, m.state.Q)
    worst = project(m, SWEEPS, reach_of_step(m))
    if has_held(RI, RF):
        place_rows(m)
        give_back_held(m, RI, RF)
    # At a singular position other rows have to be chosen before the next step.
    if not m.rows.is_parked and is_singular(m.state, m.rows, dt):
        m.rows.least_rank[0] = min(m.rows.least_rank[0], m.rows.solved - 1)
    store_end_velocity(m)
    return worst


@compiled
def account(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, struck: Vector, dt: float, inertia: int
) -> bool:
    """Flow: what impulses at the start of the step did, `struck` as `stop_impacts` returns it, and what contacts did,
    by the rates NOW that rows have at its end, which is not counted among what is taken. What only takes energy gives
    some where efforts that are constant over the step act on what turns round within it. Friction alone gives no more
    than the order of the step allows; halves there would make motions jump with the numbers of a mechanism. Returns
    whether the step was too long for a motor beside loops; what motors have missed is noted for the next one."""
    flow = m.stages.flow
    work, taken, contact = struck
    lost = flow[TAKEN]
    flow[WORK] += work
    flow[TAKEN] += taken
    rate_rows(bounded, m.state.step, bounded.now)
    CF = contacts[1]
    done, booked = contact_work(bounded, CF)
    loose = bounded.loose[0] > 0
    if loose and CF.shape[0] > 0:  # then nothing else takes energy, and it is known as well as the motion
        done = taken - flow[TAKEN]
        booked = min(done, all_stored(CF))
    elif done == 0.0 and lost < 0.0 and not loose and bounded.meshes == 0:  # meshes give back
        if limits_push(bounded):
            flow[OUT_OF_NOTHING] = max(0.0, -lost - unresolved_energy(bounded))
    elif done != 0.0 and has_motors(lines[0]):  # which alone continue to press what turns round within a step
        flow[OUT_OF_NOTHING] = max(0.0, done - booked - unresolved_energy(bounded))
    flow[TAKEN] += done
    flow[BY_CONTACTS] = contact + booked
    is_stiff = inertia == STIFFENED
    is_too_long = m.rows.solved > 0 and not is_stiff and are_far(bounded, lines[1])
    note_ramps(bounded, lines[1], dt, INTO_STIFF if is_stiff else 1.0)
    return is_too_long


@compiled
def correct_positions(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """Bring the teeth of couplings to one rate, move apart what overlaps, and close teeth that are to be closed."""
    if bounded.meshes > 0:
        hold_rates(m, bounded, lines, contacts[1])
    separate_overlaps(m, bounded, contacts[1], dt)
    if bounded.meshes > 0:
        close_meshes(m, bounded, lines, contacts[1])
        if m.loops.play.shape[0] > 0:  # whose slopes are others where teeth are closed
            hold_rates(m, bounded, lines, contacts[1])


STILL = 1e-12
"""Loops that no coordinate [rad or m] changes by more than that in half a step are as they are."""


@compiled
def move_loops_to_middle(m: MechanismViews, bounded: BoundedRows, contacts: Table, dt: float) -> bool:
    """DV, the mass matrix and rows of loops with their factors become those of `dt` / 2 on, at the velocities of now;
    nodes stay where they are. False, and nothing is changed, where nothing touches loops that move, where loops do not
    close near there, and where a body of theirs floats: its coordinates turn with it."""
    if bounded.closed[0] == 0 or not _touches(m, contacts):
        return False
    way = _way(m, 0.5 * dt)
    if not way > STILL:
        return False
    tree = m.tree
    state = m.state
    stages = m.stages
    pivot = m.rows.pivot
    clear = pivot[LEAST]
    least = m.rows.least_rank[0]
    copy(state.Q, stages.Q_sum)
    copy(state.V, stages.V_sum)
    displace(tree, state)
    closes = math.isfinite(project(m, SWEEPS, CRAWLING + FOLLOWED * way))
    if closes:
        accelerate_from(m, False)
    copy(stages.Q_sum, state.Q)
    copy(stages.V_sum, state.V)
    if closes:
        place_nodes(tree, state, tree.order.shape[0])
        move_nodes(tree, state, tree.order.shape[0])
        move_with_loops(m)
        follow_curves(m)
        if m.cables.begin.shape[0] > 1:
            follow_cables(m)
    else:
        accelerate_from(m, False)
    pivot[LEAST], m.rows.least_rank[0] = clear, least
    return closes


@compiled
def _touches(m: MechanismViews, contacts: Table) -> bool:
    """Whether any contact with rows is one of what loops have a part in, and none of their bodies floats."""
    (CI, CF) = contacts
    found = False
    for c in range(CI.shape[0]):
        looped = is_looped(m, CI[c, row_at.FIRST]) or is_looped(m, CI[c, row_at.SECOND])
        found = found or (looped and not is_inactive(CF, c))
    for i in range(m.tree.kind.shape[0]):
        found = found and not (m.tree.kind[i] >= BALL and is_looped(m, i))
    return found


@compiled
def _way(m: MechanismViews, time: float) -> float:
    """Step = how far what loops have a part in goes in that time; returns the longest [rad or m]."""
    tree, state = m.tree, m.state
    longest = 0.0
    for a in range(state.step.shape[0]):
        state.step[a] = 0.0
    for i in range(tree.kind.shape[0]):
        if is_looped(m, i):
            k = tree.first[i]
            for t in range(tree.G.begin[k], tree.G.begin[k + FREEDOMS[tree.kind[i]]]):
                a = tree.G.column[t]
                state.step[a] = time * state.V[a]
                longest = max(longest, abs(state.step[a]))
    return longest
