"""Dampers and springs that are too stiff for the step are held implicitly.

Those of loop joints are rows of their own where there are bounded rows (`bounded_rows`); what is said here of them is
for steps without.

A damper alone obeys h v' = f - d v. Over a step t in which f is constant that ends at v1 = v0 + t a with

    (h + t d s(z)) a = f - d v0,    z = t d / h,    s(z) = 1 / (1 - exp(-z)) - 1 / z,

which is the exponential itself (the first exponential Rosenbrock method: Hochbruck and Ostermann, Acta Numerica 19,
2010, 2.3): s is 1/2 where the step resolves the damper and goes to 1, implicit Euler, where it does not. So the damping
effort is held at what it is at the start of the step, and t d s is added to the inertia. The position moves by t v0 +
t^2 s a instead of t v0 + t^2 a / 2. In several coordinates h is 1 / (H^-1)_aa, the least inertia that the coordinate
can show: then s is nowhere below what a combined motion needs (s >= 1/2 is enough for stability), and the sparsity of H
stays. Dampers on loop joints, J^T d J, are bounded by the diagonal
|J_a| sum |J_b| d, which is not less.

A spring faster than the step has t^2 k / 4 added to its inertia, before dampers are judged: it swings at two radians a
step, which the Runge-Kutta method damps. One freedom is stable with any damper and spring (the largest eigenvalue of
the step is never above 1). What is added is no inertia of the mechanism: the energy in it is given back to what dampers
take.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.loop_kernels import add_wrench, loop_axis_rate
from simulator.dynamics.compiled.position_kernels import displace
from simulator.dynamics.compiled.tree_kernels import potential_energy, update_inertias, update_poses
from simulator.dynamics.compiled.views import freedom_position, int_start, positions_at, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

STIFF = 0.1
"""Part of its speed that a damper may take in a step before it is held; below, the error of the Runge-Kutta method is
z^5 / 120."""
FAST = 1.0
"""Radians that a spring may swing in a step before it is held; the Runge-Kutta method is stable up to 2.8."""
SPRING_SHARE = 0.25


@compiled
def is_passive(F: Floats, N: Ints) -> int:
    """Whether anything is damped or sprung at all: bit 1 for joints of the tree, bit 2 for those that close loops."""
    damping, stiffness, passive = start(N, at.F_DAMPING), start(N, at.F_STIFFNESS), start(N, at.F_LPASSIVE)
    found = 0
    for k in range(N[at.FREEDOMS]):
        if F[damping + k] != 0.0 or F[stiffness + k] != 0.0:
            found = 1
    for j in range(N[at.LOOP_AXES]):
        if F[passive + 3 * j] != 0.0 or F[passive + 3 * j + 1] != 0.0:
            return found + 2
    return found


@compiled
def hold_stiff(F: Floats, N: Ints, dt: float, loops: bool) -> bool:
    """Hold dampers and springs for a step if some are too stiff for it; needs a fresh `accelerate`, and makes it stale
    then. `loops`: also those of joints that close loops.

    ADDED is what the inertia grows by, SHIFT how much later than half of the step the velocity counts; `release` takes
    all back.
    """
    _gather_passive(F, N, loops)
    ADDED, SHIFT, m = start(N, at.F_ADDED), start(N, at.F_SHIFT), N[at.INDEPENDENT]
    stiff = False
    for a in range(m):
        damper, spring = F[ADDED + a], F[SHIFT + a]
        F[ADDED + a] = F[SHIFT + a] = 0.0
        if damper == 0.0 and spring == 0.0:
            continue
        mobility = _mobility(F, N, a)
        # swing = (omega t)^2 of the spring by itself, for omega^2 = k / h.
        swing = dt * dt * spring * mobility
        stiff = stiff or dt * damper * mobility > STIFF or swing > FAST * FAST
        if swing > FAST * FAST:
            F[ADDED + a] = SPRING_SHARE * dt * dt * spring
            # The damper is judged with the inertia that the spring has added: 1 / (h + t^2 k / 4).
            mobility /= 1.0 + SPRING_SHARE * swing
        if damper > 0.0:
            share = _implicit_share(dt * damper * mobility)
            F[ADDED + a] += dt * damper * share
            F[SHIFT + a] = share - 0.5
    if stiff:
        _exchange(F, N, loops)
    return stiff


@compiled
def _implicit_share(z: float) -> float:
    """s(z); its series where the difference would lose digits."""
    if z < 1e-2:
        return 0.5 + z / 12.0
    return 1.0 / (1.0 - math.exp(-z)) - 1.0 / z


@compiled
def _gather_passive(F: Floats, N: Ints, loops: bool) -> None:
    """ADDED = damping and SHIFT = stiffness of every independent coordinate, at least what G^T d G and J^T d J have."""
    ADDED, SHIFT, m = start(N, at.F_ADDED), start(N, at.F_SHIFT), N[at.INDEPENDENT]
    damping, stiffness, passive = start(N, at.F_DAMPING), start(N, at.F_STIFFNESS), start(N, at.F_LPASSIVE)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for a in range(m):
        F[ADDED + a] = F[SHIFT + a] = 0.0
    for k in range(N[at.FREEDOMS]):
        if F[damping + k] == 0.0 and F[stiffness + k] == 0.0:
            continue
        total = 0.0
        for t in range(N[ptr + k], N[ptr + k + 1]):
            total += abs(F[value + t])
        for t in range(N[ptr + k], N[ptr + k + 1]):
            # Gershgorin: G^T d G <= diag(|G_a| sum_b |G_b| d), for the difference is diagonally dominant.
            part = abs(F[value + t]) * total
            F[ADDED + N[index + t]] += part * F[damping + k]
            F[SHIFT + N[index + t]] += part * F[stiffness + k]
    for j in range(N[at.LOOP_AXES] if loops else 0):
        if F[passive + 3 * j] == 0.0 and F[passive + 3 * j + 1] == 0.0:
            continue
        row, total = _loop_axis_row(F, N, j), 0.0
        for a in range(m):
            total += abs(F[row + a])
        for a in range(m):
            part = abs(F[row + a]) * total
            F[ADDED + a] += part * F[passive + 3 * j]
            F[SHIFT + a] += part * F[passive + 3 * j + 1]


@compiled
def _loop_axis_row(F: Floats, N: Ints, j: int) -> int:
    """Spare row of K = J of a loop axis over the independent coordinates; returns where it begins."""
    row = start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT]
    loop_axis_rate(F, N, j)
    for a in range(N[at.INDEPENDENT]):
        F[row + a] = 0.0
    add_wrench(F, N, N[at.SPARE], N[int_start(N, at.I_LAXIS_LOOP) + j], start(N, at.F_TWIST) + 12, 1.0)
    return row


@compiled
def _mobility(F: Floats, N: Ints, a: int) -> float:
    """(H^-1)_aa = |D^-1/2 L^-T e_a|^2, with H = L^T D L; only the coordinates to the left of a in its row take part."""
    H, row, ptr, col = start(N, at.F_H), int_start(N, at.I_HROW), int_start(N, at.I_LPTR), int_start(N, at.I_LCOL)
    o = start(N, at.F_STEP)
    # L^-T e_a from row a to the left: x_i = -sum of L_ji x_j over what has been found, each over its own D_i.
    mine = H + N[row + a]
    total = 1.0 / F[mine + a]
    for t in range(N[ptr + a], N[ptr + a + 1]):
        F[o + N[col + t]] = -F[mine + N[col + t]]
    for t in range(N[ptr + a + 1] - 1, N[ptr + a] - 1, -1):
        i = N[col + t]
        there, x = H + N[row + i], F[o + i]
        total += x * x / F[there + i]
        for u in range(N[ptr + i], N[ptr + i + 1]):
            F[o + N[col + u]] -= F[there + N[col + u]] * x
    return total


@compiled
def _exchange(F: Floats, N: Ints, loops: bool) -> None:
    """Damping becomes an effort in LOSS that stays as it is, and ADDED goes into the inertia."""
    LOSS, QD, KEPT, m = start(N, at.F_LOSS), start(N, at.F_QD), start(N, at.F_KEPT), N[at.INDEPENDENT]
    damping, passive = start(N, at.F_DAMPING), start(N, at.F_LPASSIVE)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for k in range(N[at.FREEDOMS]):
        F[KEPT + k], effort = F[damping + k], -F[damping + k] * F[QD + k]
        F[damping + k] = 0.0
        for t in range(N[ptr + k], N[ptr + k + 1]):
            F[LOSS + N[index + t]] += F[value + t] * effort
    for j in range(N[at.LOOP_AXES] if loops else 0):
        coefficient = F[passive + 3 * j]
        F[KEPT + N[at.FREEDOMS] + j] = coefficient
        if coefficient != 0.0:
            effort = -coefficient * loop_axis_rate(F, N, j)
            row = _loop_axis_row(F, N, j)
            for a in range(m):
                F[LOSS + a] += F[row + a] * effort
            F[passive + 3 * j] = 0.0
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
    displace(F, N, STEP)
    F[FLOW + 1] += before - stored_by_bodies(F, N)


@compiled
def stored_by_bodies(F: Floats, N: Ints) -> float:
    """Potential energy of weights and of springs in the tree [J] at the present positions."""
    stiffness, reference, places = start(N, at.F_STIFFNESS), start(N, at.F_REFERENCE), positions_at(N)
    update_poses(F, N)
    update_inertias(F, N)
    total = potential_energy(F, N)
    for k in range(N[at.FREEDOMS]):
        if F[stiffness + k] != 0.0:
            total += 0.5 * F[stiffness + k] * (freedom_position(F, N, places, k) - F[reference + k]) ** 2
    return total
