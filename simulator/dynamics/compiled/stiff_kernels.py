"""Dampers and springs that are faster than the step (`fast_kernels` says which) are held implicitly.

Those of loop joints are rows of their own where there are bounded rows (`bounded_rows`); what is said here of them is
for steps without.

A damper alone obeys h v' = f - d v. Over a step t in which f is constant that ends at v1 = v0 + t a with

    (h + t d s(z)) a = f - d v0,    z = t d / h,    s(z) = 1 / (1 - exp(-z)) - 1 / z,

which is the exponential itself (the first exponential Rosenbrock method: Hochbruck and Ostermann, Acta Numerica 19,
2010, 2.3): s is 1/2 where the step resolves the damper and goes to 1, implicit Euler, where it does not. So the damping
effort is held at what it is at the start of the step, and t d s is added to the inertia. The position moves by t v0 +
t^2 s a instead of t v0 + t^2 a / 2. In several coordinates 1 / h is
the mobility that the coordinate shows with couplings and loops closed: then s is nowhere below what a combined motion
needs (s >= 1/2 is enough for stability), and the sparsity of H stays. Dampers on loop joints, J^T d J, are bounded by
the diagonal |J_a| sum |J_b| d, which is not less.

A spring that is held has t^2 k / 4 added to its inertia, before dampers are judged: it swings at two radians a
step, which the Runge-Kutta method damps. One freedom is stable with any damper and spring (the largest eigenvalue of
the step is never above 1). What is added is no inertia of the mechanism: the energy in it is given back to what dampers
take.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.axis_rows import add_axis_row
from simulator.dynamics.compiled.bounded_row_entries import clear_row
from simulator.dynamics.compiled.coupling_kernels import position_of
from simulator.dynamics.compiled.fast_kernels import DAMPERS, SPRINGS, is_fast, mobility_of_coordinate
from simulator.dynamics.compiled.loop_kernels import loop_axis_rate
from simulator.dynamics.compiled.loop_views import open_loops
from simulator.dynamics.compiled.position_kernels import displace
from simulator.dynamics.compiled.tree_kernels import potential_energy, update_inertias, update_poses
from simulator.dynamics.compiled.tree_views import open_couplings, open_state, open_tree
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

SPRING_SHARE = 0.25


@compiled
def hold_stiff(F: Floats, N: Ints, dt: float, loops: bool) -> bool:
    """Hold dampers and springs for a step if `find_fast` has found some too fast for it; needs a fresh `accelerate`,
    and makes it stale then. `loops`: also those of joints that close loops.

    ADDED is what the inertia grows by, SHIFT how much later than half of the step the velocity counts; `release` takes
    all back.
    """
    if F[start(N, at.F_FASTER)] == 0.0 and F[start(N, at.F_FASTER) + 1] == 0.0:
        return False
    if not _gather_held(F, N, dt, loops):
        return False
    ADDED, SHIFT = start(N, at.F_ADDED), start(N, at.F_SHIFT)
    for a in range(N[at.INDEPENDENT]):
        damper, spring = F[ADDED + a], F[SHIFT + a]
        F[ADDED + a] = F[SHIFT + a] = 0.0
        if damper == 0.0 and spring == 0.0:
            continue
        mobility = mobility_of_coordinate(F, N, a)
        F[ADDED + a] = SPRING_SHARE * dt * dt * spring
        # The damper is judged with the inertia that the spring has added: 1 / (h + t^2 k / 4).
        mobility /= 1.0 + SPRING_SHARE * dt * dt * spring * mobility
        if damper > 0.0:
            share = _implicit_share(dt * damper * mobility)
            F[ADDED + a] += dt * damper * share
            F[SHIFT + a] = share - 0.5
    _exchange(F, N, dt, loops)
    return True


@compiled
def _implicit_share(z: float) -> float:
    """s(z); its series where the difference would lose digits."""
    if z < 1e-2:
        return 0.5 + z / 12.0
    return 1.0 / (1.0 - math.exp(-z)) - 1.0 / z


@compiled
def _is_held(F: Floats, N: Ints, dt: float, kind: int, k: int) -> bool:
    """Whether the damper or spring of freedom k is, or of the loop axis that is counted behind them."""
    place = start(N, at.F_DAMPING if kind == DAMPERS else at.F_STIFFNESS) + k
    if k >= N[at.FREEDOMS]:
        place = start(N, at.F_LPASSIVE) + 3 * (k - N[at.FREEDOMS]) + kind
    return is_fast(F, N, dt, kind, F[place], F[start(N, at.F_SHOWN) + k])


@compiled
def _gather_held(F: Floats, N: Ints, dt: float, loops: bool) -> bool:
    """ADDED = damping and SHIFT = stiffness of every independent coordinate, at least what G^T d G and J^T d J have, of
    all that is held; whether anything is."""
    ADDED, SHIFT, m, found = start(N, at.F_ADDED), start(N, at.F_SHIFT), N[at.INDEPENDENT], False
    damping, stiffness, passive = start(N, at.F_DAMPING), start(N, at.F_STIFFNESS), start(N, at.F_LPASSIVE)
    for a in range(m):
        F[ADDED + a] = F[SHIFT + a] = 0.0
    for k in range(N[at.FREEDOMS] + (N[at.LOOP_AXES] if loops else 0)):
        damped, sprung = _is_held(F, N, dt, DAMPERS, k), _is_held(F, N, dt, SPRINGS, k)
        if not damped and not sprung:
            continue
        d, s, j, found = damping + k, stiffness + k, k - N[at.FREEDOMS], True
        if j >= 0:
            d, s = passive + 3 * j, passive + 3 * j + 1
        row, total = _dense_row(F, N, k if j < 0 else -1 - j), 0.0
        for a in range(N[at.LOW], N[at.HIGH]):
            total += abs(F[row + a])
        for a in range(N[at.LOW], N[at.HIGH]):
            # Gershgorin: G^T d G <= diag(|G_a| sum_b |G_b| d), for the difference is diagonally dominant.
            part = abs(F[row + a]) * total
            F[ADDED + a] += part * F[d] if damped else 0.0
            F[SHIFT + a] += part * F[s] if sprung else 0.0
    return found


@compiled
def _dense_row(F: Floats, N: Ints, code: int) -> int:
    """Spare row of K = J of an axis over the independent coordinates; returns where it begins."""
    row = clear_row(F, N)
    add_axis_row(F, N, row, code, 1.0)
    return row


@compiled
def _exchange(F: Floats, N: Ints, dt: float, loops: bool) -> None:
    """The effort of dampers that are held goes into LOSS, stays as it is, and ADDED goes into the inertia."""
    LOSS, QD, KEPT = start(N, at.F_LOSS), start(N, at.F_QD), start(N, at.F_KEPT)
    damping, passive = start(N, at.F_DAMPING), start(N, at.F_LPASSIVE)
    for k in range(N[at.FREEDOMS] + (N[at.LOOP_AXES] if loops else 0)):
        j = k - N[at.FREEDOMS]
        own = damping + k if j < 0 else passive + 3 * j
        F[KEPT + k] = F[own]
        if not _is_held(F, N, dt, DAMPERS, k):
            continue
        effort = -F[own] * (F[QD + k] if j < 0 else loop_axis_rate(open_loops(F, N), j))
        row = _dense_row(F, N, k if j < 0 else -1 - j)
        for a in range(N[at.LOW], N[at.HIGH]):
            F[LOSS + a] += F[row + a] * effort
        F[own] = 0.0
    _grow(F, N, 1.0)


@compiled
def _grow(F: Floats, N: Ints, sign: float) -> None:
    base, row, ADDED = start(N, at.F_HBASE), int_start(N, at.I_HROW), start(N, at.F_ADDED)
    for a in range(N[at.INDEPENDENT]):
        F[base + N[row + a] + a] += sign * F[ADDED + a]


@compiled
def release(F: Floats, N: Ints, dt: float, loops: bool) -> None:
    """After the step, before projection: positions get what dampers did within the step, everything is as it was before
    `hold_stiff`.

    What the added inertia holds is booked, and what weights and springs do while positions get it: FLOW[1] += ½ ADDED
    (v1^2 - v0^2) - dU.
    """
    V, V0, STEP, FLOW = start(N, at.F_V), start(N, at.F_V0), start(N, at.F_STEP), start(N, at.F_FLOW)
    ADDED, SHIFT, KEPT = start(N, at.F_ADDED), start(N, at.F_SHIFT), start(N, at.F_KEPT)
    damping, passive = start(N, at.F_DAMPING), start(N, at.F_LPASSIVE)
    _grow(F, N, -1.0)
    for k in range(N[at.FREEDOMS]):
        F[damping + k] = F[KEPT + k]
    for j in range(N[at.LOOP_AXES] if loops else 0):
        F[passive + 3 * j] = F[KEPT + N[at.FREEDOMS] + j]
    for a in range(N[at.INDEPENDENT]):
        before, after = F[V0 + a], F[V + a]
        # t^2 s a instead of t^2 a / 2, with t a = v1 - v0.
        F[STEP + a] = dt * F[SHIFT + a] * (after - before)
        F[FLOW + 1] += 0.5 * F[ADDED + a] * (after * after - before * before)
    before = stored_by_bodies(F, N)
    displace(open_tree(F, N), open_state(F, N))
    F[FLOW + 1] += before - stored_by_bodies(F, N)


@compiled
def stored_by_bodies(F: Floats, N: Ints) -> float:
    """Potential energy of weights and of springs in the tree [J] at the present positions."""
    stiffness, reference = start(N, at.F_STIFFNESS), start(N, at.F_REFERENCE)
    G, Q = open_couplings(F, N), open_state(F, N).Q
    update_poses(F, N)
    update_inertias(F, N)
    total = potential_energy(F, N)
    for k in range(N[at.FREEDOMS]):
        if F[stiffness + k] != 0.0:
            total += 0.5 * F[stiffness + k] * (position_of(G, Q, k) - F[reference + k]) ** 2
    return total
