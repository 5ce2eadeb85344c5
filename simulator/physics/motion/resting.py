"""Islands of loose bodies that rest are left alone until something touches them.

A loose body that begins a step at rest, and is at rest where it was at the end of it, does the same in the next one as
long as what presses on it is the same: the contacts of its island, which rest as well, and its weight. So it gets no
rows and is not moved; its contacts give what they gave before. Another body whose contact points come among those
that are looked at, some steps before it is there, wakes the whole island.
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
"""What moves more slowly than this [m/s or rad/s] before and after a step rests: a hundred times what a row of contacts
may lack (`solver.solve.STALLED`), which levers make larger; in steps of 1 ms, a push of less than 1e-8 of a weight."""
IN_PLACE = 1e-13
"""… and what moves by less [m, or parts of a quaternion]: not what is moved apart."""
NEVER = -1
"""RESTS of what is no loose body, or one that more than contacts and its weight act on; else 1 of what rests, 0 of what
does not."""


@compiled
def resting_place(m: MechanismViews, bounded: BoundedRows, i: int) -> int:
    """The coordinate of node i that says whether it rests, in RESTS: its first; less than 0 of what never does."""
    if m.tree.kind[i] != FREE:
        return -1
    a = m.tree.G.column[m.tree.G.begin[m.tree.first[i]]]
    return a if bounded.rests[a] != NEVER else -1


@compiled
def is_resting(m: MechanismViews, bounded: BoundedRows, i: int) -> bool:
    """Whether node i is left alone; the world always is."""
    if i < 0:
        return True
    a = resting_place(m, bounded, i)
    return a >= 0 and bounded.rests[a] > 0


@compiled
def do_all_rest(m: MechanismViews, bounded: BoundedRows) -> bool:
    """Whether everything is left alone."""
    rest = bounded.sizes[row_at.LOOSE] > 0
    for i in range(m.tree.kind.shape[0] if rest else 0):
        rest = rest and is_resting(m, bounded, i)
    return rest


@compiled
def wake(m: MechanismViews, bounded: BoundedRows, contacts: Table) -> None:
    """Wake what something touches that does not rest, and what that touches; contacts of all else give what they
    gave."""
    (CI, CF) = contacts
    changed = bounded.sizes[row_at.LOOSE] != 0
    while changed:
        changed = False
        for c in range(CI.shape[0]):
            a, b = CI[c, row_at.FIRST], CI[c, row_at.SECOND]
            if a >= 0 and b >= 0 and is_resting(m, bounded, a) != is_resting(m, bounded, b):
                bounded.rests[resting_place(m, bounded, a if is_resting(m, bounded, a) else b)] = 0
                changed = True
    for c in range(CI.shape[0] if bounded.sizes[row_at.LOOSE] != 0 else 0):
        if is_resting(m, bounded, CI[c, row_at.FIRST]) and is_resting(m, bounded, CI[c, row_at.SECOND]):
            for k in range(row_at.ROWS_OF_CONTACT):
                CF[c, row_at.CONTACT_IMPULSE + k] = CF[c, row_at.ACTED + k]


@compiled
def stay(m: MechanismViews, bounded: BoundedRows) -> None:
    """Beside joints all nodes are moved: those that are left alone go back to where they were."""
    for i in range(m.tree.kind.shape[0]):
        if is_resting(m, bounded, i):
            _stop(m, resting_place(m, bounded, i), i)


@compiled
def settle(m: MechanismViews, bounded: BoundedRows) -> None:
    """After a step: islands all of whose bodies were still before and after it rest, where they were."""
    if bounded.sizes[row_at.LOOSE] == 0:
        return
    for s in range(bounded.sizes[row_at.ISLANDS]):
        bounded.head[s] = 0
    for a in range(m.state.V.shape[0]):
        s = _island_of(bounded, a)
        if s >= 0 and bounded.rests[a] == NEVER:
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = resting_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and not _is_still(m, a, i):
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = resting_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and bounded.head[s] == 0:
            bounded.rests[a] = 1
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
