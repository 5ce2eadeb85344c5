"""Loops in the middle of a step.

Efforts that are constant over a step act through loops that pass them on in another ratio at its end than at its start:
a crank that pushes a load by a rod would end the step faster or slower than the load does. So where something touches
what loops have a part in, the mass matrix, the rows of loops and the accelerations are those of half a step on, as the
rows of contacts are (`midpoint_rows`): the explicit midpoint rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import copy
from simulator.physics.contacts.active_set import is_inactive
from simulator.physics.contacts.midpoint_rows import is_looped
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import BALL, FREEDOMS
from simulator.physics.loops.loops import move_with_loops
from simulator.physics.loops.solve import LEAST
from simulator.physics.motion.free import accelerate_from
from simulator.physics.motion.projection import CRAWLING, FOLLOWED, SWEEPS, project
from simulator.physics.tree.positions import displace
from simulator.physics.tree.tree import move_nodes, place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

STILL = 1e-12
"""Loops that no coordinate [rad or m] changes by more than that in half a step are as they are."""


@compiled
def move_loops_to_middle(m: MechanismViews, bounded: BoundedRows, contacts: Table, dt: float) -> bool:
    """DV, the mass matrix and rows of loops with their factors become those of `dt` / 2 on, at the velocities of now;
    nodes stay where they are. False, and nothing is changed, where nothing touches loops that move, where loops do not
    close near there, and where a body of theirs floats: its coordinates turn with it."""
    if bounded.sizes[row_at.CLOSED] == 0 or not _touches(m, contacts):
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
    closes = math.isfinite(project(m.F, m.N, SWEEPS, CRAWLING + FOLLOWED * way))
    if closes:
        accelerate_from(m, False)
    copy(stages.Q_sum, state.Q)
    copy(stages.V_sum, state.V)
    if closes:
        place_nodes(tree, state, tree.order.shape[0])
        move_nodes(tree, state, tree.order.shape[0])
        move_with_loops(m)
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
