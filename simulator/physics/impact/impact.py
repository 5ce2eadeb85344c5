"""Impacts: impulses at the start of a step, where something would go through something in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.contacts.active_set import (
    activate_all,
    choose_active,
    closes,
    is_hit,
    is_inactive,
    open_gap_of_row,
)
from simulator.physics.contacts.rows import gather_at_middle, gather_axes, gather_contacts
from simulator.physics.impact.giving_way import give_way, keep_unpushed, spare_motors
from simulator.physics.impact.motor_impulses import start_motors
from simulator.physics.impact.motors import LACKS, MISSED, are_held, begin_motors, note_impulse
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, is_stop, stops
from simulator.physics.motion.loose import accelerate_awake
from simulator.physics.rows.held_efforts import contact_work, energy_taken
from simulator.physics.rows.meshes import RESTITUTION, ask_coupling_of_impact, closes_mesh, closing_rate
from simulator.physics.rows.ramps import holds
from simulator.physics.solver.islands import island_of
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import push, rate, rate_rows
from simulator.physics.solver.solve import UNBOUNDED, add_impulses

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

NOTHING, STOPS, BOUNCES = 0, 1, 2
BLOWS = 100
"""Most blows in a step that pass on from contact to contact."""
BOUNCE = 0.02
"""Contacts bounce from this approaching speed [m/s] on; below, restitution would only make them tremble."""
LET_GO = 0.05
"""A motor whose velocity jumps by more than this part of what any on its island lacks is let go. While it is held, its
velocity changes as far as what holds it turns in a step."""
ROUNDED = 1e-6
"""Approaching speed [m/s or rad/s], as a part of one above 1, that is rounding of gaps and no blow."""


@compiled
def stop_impacts(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[bool, tuple[float, float, float]]:
    """Leave out contacts that are too far apart, gather the rows of the others, and give impulses at the start of the
    step, of motors that begin or are let go and of what hits: (whether there is room, (work of motors, energy taken by
    all else, work of contacts [J])). Rows of contacts are those of the middle of the step in the end; for the impulses,
    of its start, for at an instant nothing turns."""
    touches = contacts[0].shape[0] > 0
    held = are_held(lines[0], lines[1])
    begins = begin_motors(lines[0], lines[1])
    struck = (0.0, 0.0, 0.0)
    hit = choose_active(m, bounded, contacts, dt)
    fits = gather_axes(m, bounded, lines, dt)
    strikes = begins or not touches or hit or held or hits_stop(m, bounded, lines[1], dt)
    if held:
        activate_all(contacts[1])  # what holds a motor says nothing of how fast that may be let go
    fits = fits and gather_contacts(m, bounded, contacts, 0.0 if strikes else 0.5 * dt)
    if fits and strikes:
        if begins:
            struck = start_motors(m, bounded, lines, contacts, dt)
        struck = _sum(struck, impact(m, bounded, lines, contacts, dt))
        if hits_inactive(m, contacts[0], contacts[1], dt):
            activate_all(contacts[1])
            fits = gather_axes(m, bounded, lines, dt) and gather_contacts(m, bounded, contacts, 0.0)
            if fits:
                struck = _sum(struck, impact(m, bounded, lines, contacts, dt))
        choose_active(m, bounded, contacts, dt)
        if are_held(lines[0], lines[1]):
            activate_all(contacts[1])
    if fits and strikes and touches:
        fits = gather_at_middle(m, bounded, lines, contacts, dt)
    elif fits and touches:
        rate_rows(bounded, m.state.V, bounded.rate)
    return fits, struck


@compiled
def _sum(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def _rebound(m: MechanismViews, bounded: BoundedRows, CF: Floats2, r: int, now: float) -> float:
    """Velocity at this place of a contact that bounces: it is on its way back from where bodies touch, with e times the
    velocity that it gets there with (Newton's restitution); what acts on it on both ways is that of now."""
    e = CF[bounded.line[r], row_at.RESTITUTION]
    way = open_gap_of_row(bounded, r)
    # v_c^2 = v^2 - 2 a s at the place of the contact, and v+^2 = e^2 v_c^2 + 2 a s back here.
    lift = 2.0 * rate(bounded, r, m.state.DV) * way
    square = e * e * max(now * now - lift, 0.0) + lift
    return math.sqrt(square) if e > 0.0 and square > 0.0 else -UNBOUNDED


@compiled
def hits_stop(m: MechanismViews, bounded: BoundedRows, RF: Floats2, dt: float) -> bool:
    """Whether anything would go beyond a stop, or teeth through each other, in this step, with the velocities of its
    start."""
    hit = False
    V = m.state.V
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.MESH:
            hit = hit or closes_mesh(bounded, RF, r, dt)
        elif is_stop(bounded.kind[r]):
            hit = hit or closes(rate(bounded, r, V), -open_gap_of_row(bounded, r) / dt)
    return hit


@compiled
def hits_inactive(m: MechanismViews, CI: Ints2, CF: Floats2, dt: float) -> bool:
    """Whether the sides of contacts that are left out would go through each other: blows may bring them into it."""
    hit = False
    for c in range(CI.shape[0]):
        hit = hit or (is_inactive(CF, c) and is_hit(m, CI, CF, c, dt))
    return hit


@compiled
def _how(m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, dt: float) -> int:
    """What happens: NOTHING, something STOPS, or something BOUNCES; RATE of all rows."""
    how = NOTHING
    rate_rows(bounded, m.state.V, bounded.rate)
    for r in range(bounded.gathered[0]):
        kind, now = bounded.kind[r], bounded.rate[r]
        if stops(bounded, CF, r) and closes(now, -open_gap_of_row(bounded, r) / dt):
            how = max(how, STOPS)
            if (
                kind == row_at.NORMAL
                and _is_fast(bounded, CF, r, now)
                and CF[bounded.line[r], row_at.RESTITUTION] > 0.0
            ):
                how = BOUNCES
        elif kind == row_at.MESH and closes_mesh(bounded, RF, r, dt):
            thrown = RF[bounded.line[r], RESTITUTION] > 0.0 and abs(now) > BOUNCE
            how = max(how, BOUNCES if thrown else STOPS)
    return how


@compiled
def _is_fast(bounded: BoundedRows, CF: Floats2, r: int, now: float) -> bool:
    """Whether a contact approaches fast enough to bounce."""
    return bool(now < -max(BOUNCE, CF[bounded.line[r], row_at.THRESHOLD]))


@compiled
def _is_blow(m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, dt: float) -> bool:
    """Whether anything closes faster than accelerations of a step lead to: what it takes then is proportional to no
    time. RATE of the rows is known."""
    found = False
    for r in range(bounded.gathered[0]):
        if stops(bounded, CF, r):
            now = bounded.rate[r]
            own = dt * abs(rate(bounded, r, m.state.DV))
            found = found or -now - open_gap_of_row(bounded, r) / dt > own + ROUNDED * (1.0 + abs(now))
        elif bounded.kind[r] == row_at.MESH:
            own = dt * abs(rate(bounded, r, m.state.DV))
            found = found or closing_rate(bounded, RF, r, dt) > own + ROUNDED
    return found


@compiled
def _set_impact_bounds(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, dt: float, how: tuple[bool, bool]
) -> None:
    """Bounds of the impact: stops and contacts may push, and speed limits hold; in a blow motors without a limit hold
    their axes at the velocities that they have, or would have if nothing held them. Where something bounces, contacts
    that could bounce and are not hit wait for their turn, and held motors retain their velocities."""
    blow, bounces = how
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        low = high = target = asked = 0.0
        now = bounded.rate[r]
        if row_at.MESH <= kind <= row_at.LOSS:
            ask_coupling_of_impact(bounded, RF, r, dt)
            continue
        if holds(bounded, RF, r):
            asked = now + RF[line, LACKS]
            target = now if bounces else asked
            high = RF[line, row_at.MOST] * dt if blow else 0.0
            low = -high
            bounded.most[r] = UNBOUNDED
        elif stops(bounded, CF, r):
            # v >= -gap / dt: nothing is beyond its stop by the end of the step (the linearized gap of Stewart
            # and Trinkle 1996).
            high = UNBOUNDED
            asked = -open_gap_of_row(bounded, r) / dt
            target = asked
            if bounces and kind == row_at.NORMAL and CF[line, row_at.RESTITUTION] > 0.0:
                if not closes(now, asked):
                    high = 0.0
                elif _is_fast(bounded, CF, r, now):
                    target = max(asked, _rebound(m, bounded, CF, r, now))
        elif kind >= row_at.TANGENT or kind == row_at.SPEED:
            low = -UNBOUNDED
            high = UNBOUNDED
            target = RF[line, row_at.LIMIT] if kind == row_at.SPEED else 0.0
        ask_of_row(bounded, r, low, high, target)
        bounded.asked[r] = asked


@compiled
def _find_impulses(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float, how: tuple[bool, bool]
) -> None:
    """Impulses of all rows, and V after them."""
    V = m.state.V
    (RI, RF) = lines
    CF = contacts[1]
    _set_impact_bounds(m, bounded, RF, CF, dt, how)
    keep_unpushed(bounded, V)
    held = how[0] and not how[1] and are_held(RI, RF)
    settled = held or solve_rows(m, bounded, CF, V, False)
    give_way(m, bounded, RF, contacts, V, settled, held)


@compiled
def _lets_go(bounded: BoundedRows, RF: Floats2) -> bool:
    """Whether what held any motor is gone, by the velocities that motors now ask for: those of motors that are held
    follow what holds them, little by little."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        if holds(bounded, RF, r):
            change = abs(bounded.target[r] - bounded.rate[r])
            found = found or change > max(LET_GO * _most_lacking(bounded, RF, r), MISSED)
    return found


@compiled
def _most_lacking(bounded: BoundedRows, RF: Floats2, r: int) -> float:
    """The largest velocity that any motor on the island of row r lacks."""
    most = 0.0
    island = island_of(bounded, r) if bounded.islands[0] > 0 else 0
    for q in range(bounded.gathered[0]):
        if bounded.kind[q] > row_at.TO_POSITION:
            break
        if holds(bounded, RF, q) and (bounded.islands[0] == 0 or island_of(bounded, q) == island):
            most = max(most, abs(RF[bounded.line[q], LACKS]))
    return most


@compiled
def _book(m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2) -> tuple[float, float, float]:
    """Books the impulses at hand, from the RATE of rows to V: work of motors without a limit, energy that all else
    takes, and work of contacts [J]. LACKS of motors that give way."""
    rate_rows(bounded, m.state.V, bounded.now)
    # In a blow that acts in many points at once, some of them may give what others take: their sum counts. So it does
    # where friction holds what the blow of a stop would throw back: what contacts give, the stop takes.
    contact = contact_work(bounded, CF)[0]
    lost = energy_taken(bounded)
    by_contacts = min(contact, 0.0)
    taken = lost + (by_contacts if lost >= 0.0 else contact)
    add_impulses(bounded, RF, CF)
    work = 0.0
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.TO_POSITION:
            break
        line, impulse = bounded.line[r], bounded.impulse[r]
        before, now = bounded.rate[r], bounded.now[r]
        work += 0.5 * impulse * (before + now)
        target, asked = bounded.target[r], bounded.asked[r]
        note_impulse(RF, line, impulse, before, target)
        if holds(bounded, RF, r) and (target != asked or RF[line, LACKS] != 0.0):
            RF[line, LACKS] = asked - now
    return work, taken, by_contacts


@compiled
def _let_go(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[float, float, float]:
    """Motors without a limit take the velocities that they ask for where what held them is gone, by impulses; returns
    what `_book` does."""
    V = m.state.V
    _find_impulses(m, bounded, lines, contacts, dt, (True, False))
    if _lets_go(bounded, lines[1]):
        return _book(m, bounded, lines[1], contacts[1])
    for a in range(V.shape[0]):
        V[a] = bounded.unpushed[a]
    return 0.0, 0.0, 0.0


@compiled
def impact(
    m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float
) -> tuple[float, float, float]:
    """Impulses at the start of the step where something hits, or lets a motor go; returns the work of motors without a
    limit, which hold their axes meanwhile, the energy that stops and couplings take, and the work of contacts [J].

    What bounces passes its blow on: contacts are hit one after the other, as bodies that are a little apart would be
    (all at once, Newton's restitution would throw three balls of a cradle apart that only one may leave). Where that
    does not end, as in a heap that swallows a blow, what is left is stopped all at once.
    """
    (RI, RF) = lines
    CF = contacts[1]
    blow = False
    given = taken = booked = 0.0
    how = _how(m, bounded, RF, CF, dt)
    held = are_held(RI, RF)
    if how == NOTHING and not held:
        return 0.0, 0.0, 0.0
    if held and how != BOUNCES:
        given, taken, booked = _let_go(m, bounded, lines, contacts, dt)
    for k in range(BLOWS + 1):
        how = _how(m, bounded, RF, CF, dt)
        if how == NOTHING:
            break
        bounces = how == BOUNCES and k < BLOWS
        blow = blow or bounces or _is_blow(m, bounded, RF, CF, dt)
        _find_impulses(m, bounded, lines, contacts, dt, (blow, bounces))
        if blow:
            spare_motors(m, bounded, RF, CF, m.state.V)
        rate_rows(bounded, m.state.V, bounded.now)
        if bounces and energy_taken(bounded) < 0.0:
            _bounce_less(m, bounded, lines, contacts, dt)
        work, by_rest, by_contacts = _book(m, bounded, RF, CF)
        given = given + work
        taken = taken + by_rest
        booked = booked + by_contacts
        if not bounces:
            break
    rate_rows(bounded, m.state.V, bounded.rate)
    accelerate_awake(m, bounded, False)
    return given, taken, booked


@compiled
def _bounce_less(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> None:
    """Newton's restitution and friction together can make energy (Kane and Levinson, Dynamics: Theory and Applications,
    1985): then as much of it as takes none, between the impact without restitution, which always takes, and this one.
    What is between two motions that keep apart and two impulses that are in their cones, does and is so, too."""
    V = m.state.V
    made = energy_taken(bounded)
    for r in range(bounded.gathered[0]):
        bounded.bounce[r] = bounded.impulse[r]
        push(bounded, r, V, -bounded.impulse[r])
    _find_impulses(m, bounded, lines, contacts, dt, (True, False))
    rate_rows(bounded, V, bounded.now)
    taken = energy_taken(bounded)
    _go_between(m, bounded, 0.5)
    rate_rows(bounded, V, bounded.now)
    half = energy_taken(bounded)
    # The energy is a parabola of the share s: taken + b s + c s^2, known at 0, 1/2 and 1; its root.
    c = 2.0 * (taken + made - 2.0 * half)
    b = made - taken - c
    root = math.sqrt(max(b * b - 4.0 * c * taken, 0.0))
    share = 2.0 * taken / (root - b) if root > b and taken > 0.0 else 0.0
    # The impulses are half way now: from there to the share.
    for r in range(bounded.gathered[0]):
        whole = 2.0 * bounded.change[r]
        change = (min(share, 1.0) - 0.5) * whole
        bounded.impulse[r] += change
        push(bounded, r, V, change)


@compiled
def _go_between(m: MechanismViews, bounded: BoundedRows, share: float) -> None:
    """Impulses go that part of the way to BOUNCE; CHANGE = by how much each."""
    for r in range(bounded.gathered[0]):
        change = share * (bounded.bounce[r] - bounded.impulse[r])
        bounded.change[r] = change
        bounded.impulse[r] += change
        push(bounded, r, m.state.V, change)
