"""Projection of positions and velocities onto the loops.

It is done in the metric of the mass matrix, dq = -H^-1 K^T (K H^-1 K^T)^-1 phi, so that closure is at round-off and
only tangential errors go on (Eich 1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.loop_kernels import update_loop_axes, update_loop_frames, update_rows
from simulator.dynamics.compiled.planar_kernels import place_in_plane, rows_in_plane, turn_loop_axes
from simulator.dynamics.compiled.position_kernels import displace
from simulator.dynamics.compiled.solve_kernels import apply_rows, factor_rows, make_consistent
from simulator.dynamics.compiled.tree_kernels import update_poses
from simulator.dynamics.compiled.tree_views import open_couplings, open_state, open_tree
from simulator.dynamics.compiled.views import start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

NEAR = 1e-8
"""Below this residual one Newton step ends at round-off, for its own error is quadratic."""
SWEEPS = 8
"""Newton steps of a projection at most; far from singular positions one or two do."""
CLOSE_BY, CRAWLING = 1e-9, 3e-5
"""A position is close by where the least pivot is that part: round-off over the singular value is no longer small
against the distance, and what moves by no more than that [rad or m] in a step stays there."""
FOLLOWED = 0.25
"""A projection may correct that part of a step's motion: Euler's method, of order one, needs it at steps of half a
radian."""


@compiled
def place_rows(F: Floats, N: Ints) -> float:
    """Poses, loop axes and rows of the positions; returns the largest residual."""
    if N[at.PLANAR]:
        place_in_plane(F, N)
        turn_loop_axes(F, N)
        return rows_in_plane(F, N, False)
    update_poses(F, N)
    update_loop_frames(F, N)
    update_loop_axes(F, N)
    return update_rows(F, N)


@entry("motion")
def project(F: Floats, N: Ints, sweeps: int, reach: float) -> float:
    """Newton on the loops at fixed mass factors, then velocities onto K V = 0; returns the residual that was met last.

    The error that a Newton step leaves is quadratic, over the least singular value: near a singular position it takes
    more of them. Where they are longer than `reach` together, the closed position that they lead to is not the one that
    the motion was after: the loops are left open there, and infinity is returned.
    """
    if N[at.RANK] == 0:
        return 0.0
    pivot = start(N, at.F_PIVOT)
    PHI, LAMBDA, STEP = start(N, at.F_PHI), start(N, at.F_LAMBDA), start(N, at.F_STEP)
    m, n, rank, worst = N[at.INDEPENDENT], N[at.RANK], 0, 0.0
    N[at.DRIFT] = 0
    for _ in range(sweeps):
        worst = place_rows(F, N)
        rank = factor_rows(F, N)
        # dq = -H^-1 K^T A^-1 phi: of all corrections the one that moves the masses least.
        for r in range(n):
            F[LAMBDA + r] = -F[PHI + r]
        for a in range(m):
            F[STEP + a] = 0.0
        apply_rows(F, N, rank, STEP)
        reach -= _longest(F, STEP, m)
        if not reach >= 0.0:
            worst = np.inf
            break
        displace(open_tree(F, N), open_couplings(F, N), open_state(F, N))
        if worst < NEAR * min(1.0, F[pivot] / F[pivot + at.USUAL]):
            break
    N[at.DRIFT] = 1
    make_consistent(F, N, rank, start(N, at.F_V))
    return worst


@compiled
def _longest(F: Floats, o: int, m: int) -> float:
    longest = 0.0
    for a in range(m):
        longest = max(longest, abs(F[o + a]))
    return longest


@compiled
def reach_of_step(F: Floats, N: Ints) -> float:
    """How far a projection may lead after a step from Q0 to Q: what it corrects is an error of order dt^4 and more of a
    motion that it resolves, and round-off of one from beside a singular position."""
    Q, Q0, moved = start(N, at.F_Q), start(N, at.F_Q0), 0.0
    # The longest motion of a coordinate is the measure: what a projection corrects is a small part of it.
    for c in range(N[at.POSITIONS]):
        moved = max(moved, abs(F[Q + c] - F[Q0 + c]))
    return CRAWLING + FOLLOWED * moved
