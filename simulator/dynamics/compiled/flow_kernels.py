"""Work and losses of a step: powers at every stage, integrated by the method that integrates the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.load_kernels import load_powers
from simulator.dynamics.compiled.load_views import open_loads
from simulator.dynamics.compiled.loop_kernels import loop_axis_rate
from simulator.dynamics.compiled.loop_views import open_loops
from simulator.dynamics.compiled.tree_views import open_state
from simulator.dynamics.compiled.views import start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def does_work(F: Floats, N: Ints) -> bool:
    """Whether efforts, drives, damping or LOSS can do work in this step at all."""
    TAU, drive, loss = start(N, at.F_TAU), start(N, at.F_DRIVE), start(N, at.F_LOSS)
    damping, passive = start(N, at.F_DAMPING), start(N, at.F_LPASSIVE)
    if N[at.FORCES] > 0 or N[at.SPRINGS] > 0:
        return True
    for k in range(N[at.FREEDOMS]):
        if F[TAU + k] != 0.0 or F[damping + k] != 0.0:
            return True
    for a in range(N[at.INDEPENDENT]):
        if F[drive + a] != 0.0 or F[loss + a] != 0.0:
            return True
    does = False
    for j in range(N[at.LOOP_AXES]):
        given, taken = _given(F, N, j)
        does = does or given != 0.0 or taken != 0.0 or F[passive + 3 * j] != 0.0
    return does


@compiled
def _given(F: Floats, N: Ints, j: int) -> tuple[float, float]:
    """Efforts on a loop axis: of what does work, and of what only takes energy."""
    return (
        F[start(N, at.F_TAU) + N[at.FREEDOMS] + j] + F[start(N, at.F_LDRIVE) + j],
        F[start(N, at.F_LLOSS) + j],
    )


@compiled
def add_powers(F: Floats, N: Ints, weight: float) -> None:
    """FLOW += weight * (power of efforts and drives, power that damping and LOSS take, power of loads); needs a fresh
    `accelerate`."""
    FLOW, TAU, QD, V = start(N, at.F_FLOW), start(N, at.F_TAU), start(N, at.F_QD), start(N, at.F_V)
    drive, loss = start(N, at.F_DRIVE), start(N, at.F_LOSS)
    damping, passive = start(N, at.F_DAMPING), start(N, at.F_LPASSIVE)
    work = taken = 0.0
    # Efforts do work on QD, what acts on the coordinates on V; dampers take d qd^2. Most are zero: passing them by is
    # quicker than a sum in which each addition waits for the one before.
    for k in range(N[at.FREEDOMS]):
        if F[TAU + k] != 0.0:
            work += F[TAU + k] * F[QD + k]
        if F[damping + k] != 0.0:
            taken += F[damping + k] * F[QD + k] * F[QD + k]
    for a in range(N[at.INDEPENDENT]):
        if F[drive + a] != 0.0:
            work += F[drive + a] * F[V + a]
        if F[loss + a] != 0.0:
            taken -= F[loss + a] * F[V + a]
    for j in range(N[at.LOOP_AXES]):
        given, lost = _given(F, N, j)
        if given != 0.0 or lost != 0.0 or F[passive + 3 * j] != 0.0:
            rate = loop_axis_rate(open_loops(F, N), j)
            work += given * rate
            taken += (F[passive + 3 * j] * rate - lost) * rate
    by_loads, by_springs = load_powers(open_loads(F, N), open_state(F, N))
    # The same weights as those of the motion: energies are of its order, and balance to it.
    F[FLOW] += weight * work
    F[FLOW + 1] += weight * (taken + by_springs)
    F[FLOW + 2] += weight * by_loads
