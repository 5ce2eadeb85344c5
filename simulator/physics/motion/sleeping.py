"""Islands of loose bodies at rest sleep until something touches them.

A loose body that is at rest at both ends of a step, and has not moved in it, does the same in the next step as long as
what presses on it is the same: its weight and the contacts of its island, which is at rest, too. So it gets no rows and
is not moved; its contacts give what they gave before. Another body whose contact points come among those that are
looked at, some steps before it is there, wakes the whole island.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

STILL = 1e-10
"""What moves more slowly than this [m/s or rad/s] before and after a step is at rest: a hundred times what a row of
contacts may lack (`solver.solve.STALLED`), which levers make larger; in steps of 1 ms, less than 1e-8 of a weight."""
IN_PLACE = 1e-13
"""… and what moves by less [m, or parts of a quaternion]: not what is moved apart."""
NEVER = -1
"""ASLEEP of what is no loose body, or one that more than contacts and its weight act on; else 1 of what sleeps, 0 of
what is awake."""


@compiled
def sleep_place(m: MechanismViews, bounded: BoundedRows, i: int) -> int:
    """The coordinate of node i that says in ASLEEP whether it sleeps: its first; less than 0 of what never sleeps."""
    if m.tree.kind[i] != FREE:
        return -1
    a = m.tree.G.column[m.tree.G.begin[m.tree.first[i]]]
    return a if bounded.asleep[a] != NEVER else -1


@compiled
def is_asleep(m: MechanismViews, bounded: BoundedRows, i: int) -> bool:
    """Whether node i sleeps; the world always does."""
    if i < 0:
        return True
    a = sleep_place(m, bounded, i)
    return a >= 0 and bounded.asleep[a] > 0


@compiled
def all_asleep(m: MechanismViews, bounded: BoundedRows) -> bool:
    """Whether everything sleeps."""
    sleep = bounded.sizes[row_at.LOOSE] > 0
    for i in range(m.tree.kind.shape[0] if sleep else 0):
        sleep = sleep and is_asleep(m, bounded, i)
    return sleep


@compiled
def wake(m: MechanismViews, bounded: BoundedRows, contacts: Table) -> None:
    """Wake what touches something awake, and what that touches; contacts of all else give what they gave."""
    (CI, CF) = contacts
    changed = bounded.sizes[row_at.LOOSE] != 0
    while changed:
        changed = False
        for c in range(CI.shape[0]):
            a, b = CI[c, row_at.FIRST], CI[c, row_at.SECOND]
            if a >= 0 and b >= 0 and is_asleep(m, bounded, a) != is_asleep(m, bounded, b):
                bounded.asleep[sleep_place(m, bounded, a if is_asleep(m, bounded, a) else b)] = 0
                changed = True
    for c in range(CI.shape[0] if bounded.sizes[row_at.LOOSE] != 0 else 0):
        if is_asleep(m, bounded, CI[c, row_at.FIRST]) and is_asleep(m, bounded, CI[c, row_at.SECOND]):
            for k in range(row_at.ROWS_OF_CONTACT):
                CF[c, row_at.CONTACT_IMPULSE + k] = CF[c, row_at.ACTED + k]


@compiled
def stay(m: MechanismViews, bounded: BoundedRows) -> None:
    """Beside joints all nodes are moved: those that sleep go back to where they were."""
    for i in range(m.tree.kind.shape[0]):
        if is_asleep(m, bounded, i):
            _stop(m, sleep_place(m, bounded, i), i)


@compiled
def put_to_sleep(m: MechanismViews, bounded: BoundedRows) -> None:
    """After a step: islands all of whose bodies were still before and after it sleep, where they were."""
    if bounded.sizes[row_at.LOOSE] == 0:
        return
    for s in range(bounded.sizes[row_at.ISLANDS]):
        bounded.head[s] = 0
    for a in range(m.state.V.shape[0]):
        s = _island_of(bounded, a)
        if s >= 0 and bounded.asleep[a] == NEVER:
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = sleep_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and not _is_still(m, a, i):
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = sleep_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and bounded.head[s] == 0:
            bounded.asleep[a] = 1
            _stop(m, a, i)


@compiled
def _island_of(bounded: BoundedRows, a: int) -> int:
    """Of the rows of the last step; less than 0 where none is about coordinate a."""
    block = bounded.block[a]
    return bounded.island[block] if bounded.sizes[row_at.ISLANDS] > 0 else -1


@compiled
def _is_still(m: MechanismViews, k: int, i: int) -> bool:
    state, stages = m.state, m.stages
    o = m.tree.place[i]
    still = True
    for a in range(k, k + 6):
        still = still and abs(state.V[a]) <= STILL and abs(stages.V0[a]) <= STILL
    for c in range(o, o + 7):
        still = still and abs(state.Q[c] - stages.Q0[c]) <= IN_PLACE
    return still


@compiled
def _stop(m: MechanismViews, k: int, i: int) -> None:
    state, stages = m.state, m.stages
    o = m.tree.place[i]
    for a in range(k, k + 6):
        state.V[a] = 0.0
    for c in range(o, o + 7):
        state.Q[c] = stages.Q0[c]
