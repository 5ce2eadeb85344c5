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
from simulator.physics.contacts.active_set import is_inactive
from simulator.physics.contacts.midpoint_rows import is_looped
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import BALL, FREEDOMS
from simulator.physics.loops.loops import update_loops
from simulator.physics.loops.solve import LEAST
from simulator.physics.loops.views import open_rows
from simulator.physics.motion.free import accelerate
from simulator.physics.motion.projection import CRAWLING, FOLLOWED, SWEEPS, project
from simulator.physics.tree.positions import displace
from simulator.physics.tree.tree import place_nodes
from simulator.physics.tree.velocities import move_nodes
from simulator.physics.tree.views import open_stages, open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.tree.views import StateViews, TreeViews

STILL = 1e-12
"""Loops that no coordinate [rad or m] changes by more than that in half a step are as they are."""


@compiled
def move_loops_to_middle(F: Floats, N: Ints, bounded: BoundedRows, contacts: Table, dt: float) -> bool:
    """DV, the mass matrix and rows of loops with their factors become those of `dt` / 2 on, at the velocities of now;
    nodes stay where they are. False, and nothing is changed, where nothing touches loops that move, where loops do not
    close near there, and where a body of theirs floats: its coordinates turn with it."""
    if bounded.sizes[row_at.CLOSED] == 0 or not _touches(open_tree(F, N), contacts):
        return False
    way = _way(open_tree(F, N), open_state(F, N), 0.5 * dt)
    if not way > STILL:
        return False
    tree = open_tree(F, N)
    state = open_state(F, N)
    stages = open_stages(F, N)
    pivot = open_rows(F, N).pivot
    clear = pivot[LEAST]
    worst = N[at.WORST]
    _copy(state.Q, stages.Q_sum)
    _copy(state.V, stages.V_sum)
    displace(tree, state)
    closes = math.isfinite(project(F, N, SWEEPS, CRAWLING + FOLLOWED * way))
    if closes:
        accelerate(F, N)
    _copy(stages.Q_sum, state.Q)
    _copy(stages.V_sum, state.V)
    if closes:
        place_nodes(tree, state, tree.order.shape[0])
        move_nodes(tree, state, tree.order.shape[0])
        update_loops(F, N)
    else:
        accelerate(F, N)
    pivot[LEAST], N[at.WORST] = clear, worst
    return closes


@compiled
def _copy(source: Floats, target: Floats) -> None:
    for k in range(source.shape[0]):
        target[k] = source[k]


@compiled
def _touches(tree: TreeViews, contacts: Table) -> bool:
    """Whether any contact with rows is one of what loops have a part in, and none of their bodies floats."""
    (CI, CF) = contacts
    found = False
    for c in range(CI.shape[0]):
        looped = is_looped(tree, CI[c, row_at.FIRST]) or is_looped(tree, CI[c, row_at.SECOND])
        found = found or (looped and not is_inactive(CF, c))
    for i in range(tree.kind.shape[0]):
        found = found and not (tree.kind[i] >= BALL and is_looped(tree, i))
    return found


@compiled
def _way(tree: TreeViews, state: StateViews, time: float) -> float:
    """Step = how far what loops have a part in goes in that time; returns the longest [rad or m]."""
    longest = 0.0
    for a in range(state.step.shape[0]):
        state.step[a] = 0.0
    for i in range(tree.kind.shape[0]):
        if is_looped(tree, i):
            k = tree.first[i]
            for t in range(tree.G.begin[k], tree.G.begin[k + FREEDOMS[tree.kind[i]]]):
                a = tree.G.column[t]
                state.step[a] = time * state.V[a]
                longest = max(longest, abs(state.step[a]))
    return longest
