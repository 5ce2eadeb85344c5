"""Contacts of bodies that are too far apart to touch in a step get no rows.

Of the points of a heap that are looked at, few can touch in the step at hand: most are there because something fast is
in their neighbourhood. A gap g whose sides part at the rate a now, and at b at the end, is g + dt (a + b) / 2 then, but
for what turns meanwhile, at most dt² w v with the fastest rotation w and the fastest motion v of points that face each
other. What the step's impulses change is not known before they are found; so points are left out whose gap stays larger
than dt times a good part of the fastest rate at which any sides come together or part, and if b, once it is known, says
otherwise, the step is made with all of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import clear, dot, vector_at
from simulator.physics.contacts.midpoint_rows import motion_of, normal_rate
from simulator.physics.contacts.separation import CONTACT_SLOP
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import normal_of
from simulator.physics.motion.loose import is_contact_asleep
from simulator.physics.tree.tree import twists_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

MARGIN, LEFT = 0.5, 0.25
"""Parts of the fastest rate by which a gap is to close too slowly, to be left out and to stay so."""


@compiled
def choose_active(m: MechanismViews, bounded: BoundedRows, contacts: Table, dt: float) -> bool:
    """Deactivate contacts that are too far apart to need rows, except where loops make all rows one island; whether
    the sides of any active contact hit in a step of dt [s], at the velocities of its start."""
    if m.loops.row_kind.shape[0] == 0 or bounded.closed[0] != 0:
        hit = deactivate_far(m, bounded, contacts, dt)
    else:
        activate_all(contacts[1])
        hit = any_hits(m, contacts, dt)
    return hit


@compiled
def deactivate_far(m: MechanismViews, bounded: BoundedRows, contacts: Table, dt: float) -> bool:
    """LEAST of contacts that need no rows in a step of dt [s] = the rate at its end [m/s] below which they do; nan for
    active ones. Whether the sides of any of these would penetrate in the step, at the velocities of its start, which
    have to be fresh."""
    (CI, CF) = contacts
    hit = False
    fastest, bend = _fastest(m, bounded, contacts, dt)
    for c in range(CI.shape[0]):
        gap, now = CF[c, row_at.GAP], CF[c, row_at.LEAST]
        # A compliant contact continues to push while it is released.
        pressed = gap < 0.0 and CF[c, row_at.STIFF] > 0.0
        if gap / dt + now > MARGIN * fastest + bend and not pressed:
            CF[c, row_at.LEAST] = 2.0 * (LEFT * fastest + bend - gap / dt) - now
            for k in range(row_at.ROWS_OF_CONTACT):
                CF[c, row_at.ACTED + k] = 0.0
        else:
            # What rests has no rate here, and does not; nor does what gives way.
            hit = hit or (CF[c, row_at.STIFF] == 0.0 and closes(now, -open_gap(gap) / dt))
            CF[c, row_at.LEAST] = math.nan
    return hit


@compiled
def any_hits(m: MechanismViews, contacts: Table, dt: float) -> bool:
    """Whether the sides of any contact would go through each other in a step of dt [s]. Needs fresh velocities of
    nodes."""
    hit = False
    for c in range(contacts[0].shape[0]):
        hit = hit or is_hit(m, contacts[0], contacts[1], c, dt)
    return hit


@compiled
def is_hit(m: MechanismViews, CI: Ints2, CF: Floats2, c: int, dt: float) -> bool:
    """Whether the sides of contact c would go through each other in a step of dt [s]; what gives way is not hit."""
    if CF[c, row_at.STIFF] > 0.0:
        return False
    state = m.state
    now = normal_rate(state, CI, CF, c, state.velocity)
    return closes(now, -open_gap(CF[c, row_at.GAP]) / dt)


@compiled
def open_gap(gap: float) -> float:
    """A gap [m] by which a contact may close: 0 where its sides touch, which slop allows for."""
    return gap if gap >= CONTACT_SLOP else 0.0


@compiled
def open_gap_of_row(bounded: BoundedRows, r: int) -> float:
    """The gap [m or rad] by which a stop or contact may close."""
    gap = bounded.gap[r]
    return open_gap(gap) if bounded.kind[r] == row_at.NORMAL else max(gap, 0.0)


@compiled
def closes(now: float, target: float) -> bool:
    """Whether a rate is below its target by more than rounding."""
    return now < target - 1e-13 * (1.0 - target)


@compiled
def _fastest(m: MechanismViews, bounded: BoundedRows, contacts: Table, dt: float) -> tuple[float, float]:
    """The fastest rate of any contact, or that of what falls for a step, and what turning makes of rates in it; LEAST =
    the rate of each now, nan of those that rest."""
    (CI, CF) = contacts
    state = m.state
    turning = 0.0
    moving = 0.0
    tree = m.tree
    g = vector_at(tree.gravity, 0)
    fastest = dt * math.sqrt(dot(g, g))
    for c in range(CI.shape[0]):
        if is_contact_asleep(m, bounded, CI, c):
            CF[c, row_at.LEAST] = math.nan
            continue
        slip, turned = motion_of(state, CI, CF, c)
        now = dot(normal_of(CF, c), slip)
        CF[c, row_at.LEAST] = now
        fastest = max(fastest, abs(now))
        turning = max(turning, turned)
        moving = max(moving, dot(slip, slip))
    return fastest, dt * math.sqrt(turning * moving)


@compiled
def is_inactive(CF: Floats2, c: int) -> bool:
    """Whether contact c needs no rows, as far as is known."""
    return not math.isnan(CF[c, row_at.LEAST])


@compiled
def activate_all(CF: Floats2) -> None:
    """All contacts get rows."""
    for c in range(CF.shape[0]):
        CF[c, row_at.LEAST] = math.nan


@compiled
def activate_missed(m: MechanismViews, contacts: Table, vector: Floats) -> bool:
    """Whether any contact that is left out needs rows after all, with what velocities are at the end of the step, in F
    from `vector` on; then none is left out any more."""
    (CI, CF) = contacts
    state = m.state
    known = False
    near = False
    for c in range(CI.shape[0]):
        if not is_inactive(CF, c):
            continue
        if not known:
            # Forces and biases are free between steps, but those of axes without a node, as of a coupling, stay as
            # they are left.
            twists_of(m.tree, state, vector, state.bias, state.force)
            clear(state.bias)
            known = True
        near = near or normal_rate(state, CI, CF, c, state.force) < CF[c, row_at.LEAST]
    if near:
        activate_all(CF)
    return near
