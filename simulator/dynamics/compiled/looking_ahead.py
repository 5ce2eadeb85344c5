"""Loops in the middle of a step.

Efforts that are constant over a step act through loops that pass them on in another ratio at its end than at its start:
a crank that pushes a load by a rod would end the step faster or slower than the load does. So where something touches
what loops have a part in, the mass matrix, the rows of loops and the accelerations are those of half a step on, as the
rows of contacts are (`midway`): the explicit midpoint rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.far_contacts import is_left_out
from simulator.dynamics.compiled.flatten import BALL, FREEDOMS
from simulator.dynamics.compiled.loop_kernels import update_loops
from simulator.dynamics.compiled.midway import is_looped
from simulator.dynamics.compiled.position_kernels import displace
from simulator.dynamics.compiled.projection_kernels import CRAWLING, FOLLOWED, SWEEPS, project
from simulator.dynamics.compiled.step_kernels import accelerate
from simulator.dynamics.compiled.tree_kernels import update_poses
from simulator.dynamics.compiled.tree_views import open_state, open_tree
from simulator.dynamics.compiled.velocity_kernels import update_velocities
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Table

STILL = 1e-12
"""Loops that no coordinate [rad or m] changes by more than that in half a step are as they are."""


@compiled
def look_ahead(F: Floats, N: Ints, C: Ints, contacts: Table, dt: float) -> bool:
    """DV, the mass matrix and rows of loops with their factors become those of `dt` / 2 on, at the velocities of now;
    nodes stay where they are. False, and nothing is changed, where nothing touches loops that move, where loops do not
    close near there, and where a body of theirs floats: its coordinates turn with it."""
    if C[row_at.CLOSED] == 0 or not _touches(N, C, contacts):
        return False
    way = _way(F, N, 0.5 * dt)
    if not way > STILL:
        return False
    pivot, clear, worst = start(N, at.F_PIVOT), F[start(N, at.F_PIVOT)], N[at.WORST]
    _copy(F, start(N, at.F_QSUM), start(N, at.F_Q), N[at.POSITIONS])
    _copy(F, start(N, at.F_VSUM), start(N, at.F_V), N[at.INDEPENDENT])
    displace(open_tree(F, N), open_state(F, N))
    closes = math.isfinite(project(F, N, SWEEPS, CRAWLING + FOLLOWED * way))
    if closes:
        accelerate(F, N)
    _copy(F, start(N, at.F_Q), start(N, at.F_QSUM), N[at.POSITIONS])
    _copy(F, start(N, at.F_V), start(N, at.F_VSUM), N[at.INDEPENDENT])
    if closes:
        update_poses(F, N)
        update_velocities(F, N)
        update_loops(F, N)
        N[at.AHEAD] = 1
    else:
        accelerate(F, N)
    F[pivot], N[at.WORST] = clear, worst
    return closes


@compiled
def _copy(F: Floats, target: int, source: int, count: int) -> None:
    for k in range(count):
        F[target + k] = F[source + k]


@compiled
def _touches(N: Ints, C: Ints, contacts: Table) -> bool:
    """Whether any contact with rows is one of what loops have a part in, and none of their bodies floats."""
    (CI, CF), found = contacts, False
    for c in range(CI.shape[0]):
        looped = is_looped(N, CI[c, 0]) or is_looped(N, CI[c, 1])
        found = found or (looped and not is_left_out(C, CF, c))
    for i in range(N[at.NODES]):
        found = found and not (N[int_start(N, at.I_KIND) + i] >= BALL and is_looped(N, i))
    return found


@compiled
def _way(F: Floats, N: Ints, time: float) -> float:
    """STEP = how far what loops have a part in goes in that time; returns the longest [rad or m]."""
    V, STEP, longest = start(N, at.F_V), start(N, at.F_STEP), 0.0
    kind, first = int_start(N, at.I_KIND), int_start(N, at.I_FIRST)
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for a in range(N[at.INDEPENDENT]):
        F[STEP + a] = 0.0
    for i in range(N[at.NODES]):
        if is_looped(N, i):
            for t in range(N[ptr + N[first + i]], N[ptr + N[first + i] + FREEDOMS[N[kind + i]]]):
                a = N[index + t]
                F[STEP + a] = time * F[V + a]
                longest = max(longest, abs(F[STEP + a]))
    return longest
