"""Projection of positions and velocities onto the loops.

It is done in the metric of the mass matrix, dq = -H^-1 K^T (K H^-1 K^T)^-1 phi, so that closure is at round-off and
only tangential errors remain (Eich 1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled, entry
from simulator.physics.layout import buffers as at
from simulator.physics.loops.loops import find_rows, follow_axes, place_loops
from simulator.physics.loops.solve import LEAST, apply_rows, factor_loops, make_consistent
from simulator.physics.motion.planar import place_nodes_in_plane, rows_in_plane, turn_loop_axes
from simulator.physics.tree.positions import displace
from simulator.physics.tree.tree import place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.loops.views import MechanismViews, RowViews
    from simulator.physics.tree.views import StateViews

NEAR = 1e-8
"""Below this residual one Newton step ends at round-off, for its own error is quadratic."""
SWEEPS = 8
"""Newton steps of a projection at most; far from singular positions one or two do."""
CLOSE_BY, CRAWLING = 1e-9, 3e-5
"""A position is close by where the least pivot is that part: round-off over the singular value is no longer small
against the distance, and what moves by no more than that [rad or m] in a step stays there."""
SINGULAR = 1e-14
"""A position is as good as singular where the least pivot is this part of the greatest along the motion: 1e-7 of a
singular value."""
FOLLOWED = 0.25
"""A projection may correct that part of a step's motion: Euler's method, of order one, needs it at steps of half a
radian."""


@compiled
def place_rows(m: MechanismViews) -> float:
    """Poses, loop axes and rows of the positions; returns the largest residual."""
    tree = m.tree
    state = m.state
    loops = m.loops
    rows = m.rows
    if tree.is_planar:
        plane = m.plane
        place_nodes_in_plane(tree, state, plane)
        turn_loop_axes(plane, loops)
        return rows_in_plane(tree, plane, loops, rows, False)
    place_nodes(tree, state, tree.order.shape[0])
    place_loops(state, loops)
    follow_axes(loops)
    return find_rows(tree, state, loops, rows, False)


@entry("motion")
def project(m: MechanismViews, sweeps: int, reach: float) -> float:
    """Newton on the loops at fixed mass factors, then velocities onto K V = 0; returns the residual that was met last.

    The error that a Newton step leaves is quadratic, over the least singular value: near a singular position it takes
    more of them. Where they are longer than `reach` together, the closed position that they lead to is not the one that
    the motion was after: the loops are left open there, and infinity is returned.
    """
    tree, state, rows = m.tree, m.state, m.rows
    rank = 0
    worst = 0.0
    step = state.step
    if rows.solved == 0:
        return 0.0
    for _ in range(sweeps):
        worst = place_rows(m)
        rank = factor_loops(m.mass, rows)
        # dq = -H^-1 K^T A^-1 phi: of all corrections the one that moves the masses least.
        for r in range(rows.solved):
            rows.multiplier[r] = -rows.residual[r]
        for a in range(step.shape[0]):
            step[a] = 0.0
        apply_rows(rows, rank, step)
        reach -= _longest(step)
        if not reach >= 0.0:
            worst = np.inf
            break
        displace(tree, state)
        if worst < NEAR * min(1.0, rows.pivot[LEAST] / rows.pivot[at.USUAL]):
            break
    make_consistent(rows, rank, state.V)
    return worst


@compiled
def _longest(x: Floats) -> float:
    longest = 0.0
    for a in range(x.shape[0]):
        longest = max(longest, abs(x[a]))
    return longest


@compiled
def reach_of_step(m: MechanismViews) -> float:
    """How far a projection may lead after a step from Q0 to Q: what it corrects is an error of order dt^4 and more of a
    motion that it resolves, and round-off of one from beside a singular position."""
    Q = m.state.Q
    Q0 = m.stages.Q0
    moved = 0.0
    # The longest motion of a coordinate is the measure: what a projection corrects is a small part of it.
    for c in range(Q.shape[0]):
        moved = max(moved, abs(Q[c] - Q0[c]))
    return CRAWLING + FOLLOWED * moved


@entry("motion")
def is_singular(state: StateViews, rows: RowViews, dt: float) -> bool:
    """Whether the position that was projected last is as good as singular, or so near that the next step crawls about
    within round-off of it: nothing to step from with all rows."""
    V = state.V
    fastest = 0.0
    least = rows.pivot[LEAST]
    greatest = rows.pivot[at.GREATEST]
    if rows.solved == 0 or least >= CLOSE_BY * greatest:
        return False
    for a in range(V.shape[0]):
        fastest = max(fastest, abs(V[a]))
    # Two ways to be there: at it by round-off, or so slow that the next step ends within round-off of it.
    return least < SINGULAR * greatest or dt * fastest < CRAWLING
