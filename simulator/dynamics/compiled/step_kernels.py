"""Accelerations, projection onto the loops, and whole steps.

Integrators: semi-implicit Euler; the classical Runge-Kutta of order four on positions and velocities; the implicit midpoint rule by
fixed-point iteration. After each step positions and velocities are projected onto the loops in the metric of the mass matrix,
dq = -H^-1 K^T (K H^-1 K^T)^-1 phi, so that closure is at round-off and only tangential errors go on (Eich 1993).
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.jit import compiled
from simulator.dynamics.compiled.loop_kernels import (
    add_loop_axis_efforts,
    update_loop_axes,
    update_loop_frames,
    update_rows,
)
from simulator.dynamics.compiled.solve_kernels import apply_rows, factor_mass, factor_rows, solve_mass
from simulator.dynamics.compiled.tree_kernels import (
    update_bias,
    update_inertias,
    update_mass,
    update_poses,
    update_velocities,
)
from simulator.dynamics.compiled.views import floats, ints

EULER, RK4, MIDPOINT = 0, 1, 2
NEAR = 1e-8
"""Below this residual one Newton step ends at round-off, for its own error is quadratic."""
MIDPOINT_SWEEPS = 60
MIDPOINT_DONE = 1e-14
_LOOSE = (2, 3)


@compiled
def accelerate(F: Any, N: Any) -> None:
    """DV: acceleration of the independent coordinates at Q, V under TAU, damping, springs, gravity and loops."""
    update_poses(F, N)
    update_velocities(F, N)
    update_inertias(F, N)
    update_bias(F, N)
    update_mass(F, N)
    factor_mass(F, N)
    DV = floats(F, N, at.F_DV)
    if N[at.LOOPS] > 0:
        update_loop_frames(F, N)
        update_loop_axes(F, N)
    _reduced_efforts(F, N)
    if N[at.LOOPS] > 0:
        add_loop_axis_efforts(F, N)
    solve_mass(F, N, DV, 0)
    if N[at.RANK] > 0:
        update_rows(F, N)
        rank = factor_rows(F, N)
        N[at.WORST] = min(N[at.WORST], rank)
        K, RHS, LAMBDA = floats(F, N, at.F_K), floats(F, N, at.F_RHS), floats(F, N, at.F_LAMBDA)
        m = N[at.INDEPENDENT]
        for r in range(N[at.RANK]):
            total = RHS[r]
            for a in range(m):
                total -= K[r * m + a] * DV[a]
            LAMBDA[r] = total
        apply_rows(F, N, rank, DV, 0)


@compiled
def _reduced_efforts(F: Any, N: Any) -> None:
    """DV = G^T (TAU + passive - BIAS)."""
    DV, TAU, BIAS, QD, Q = (
        floats(F, N, at.F_DV),
        floats(F, N, at.F_TAU),
        floats(F, N, at.F_BIAS),
        floats(F, N, at.F_QD),
        floats(F, N, at.F_Q),
    )
    damping, stiffness, reference = (
        floats(F, N, at.F_DAMPING),
        floats(F, N, at.F_STIFFNESS),
        floats(F, N, at.F_REFERENCE),
    )
    value, constant = floats(F, N, at.F_GVALUE), floats(F, N, at.F_GCONST)
    ptr, index, ypos = ints(N, at.I_GPTR), ints(N, at.I_GINDEX), ints(N, at.I_YPOS)
    for a in range(N[at.INDEPENDENT]):
        DV[a] = 0.0
    for k in range(N[at.FREEDOMS]):
        effort = TAU[k] - BIAS[k] - damping[k] * QD[k]
        if stiffness[k] != 0.0:
            q = constant[k]
            for t in range(ptr[k], ptr[k + 1]):
                q += value[t] * Q[ypos[index[t]]]
            effort -= stiffness[k] * (q - reference[k])
        for t in range(ptr[k], ptr[k + 1]):
            DV[index[t]] += value[t] * effort


@compiled
def position_rates(F: Any, N: Any) -> None:
    """DQ: time derivative of Q for V (quaternions: q̇ = q (w, 0) / 2 with w in the outboard frame)."""
    Q, V, DQ = floats(F, N, at.F_Q), floats(F, N, at.F_V), floats(F, N, at.F_DQ)
    ypos, kind, lpos, first = ints(N, at.I_YPOS), ints(N, at.I_KIND), ints(N, at.I_LPOS), ints(N, at.I_FIRST)
    ptr, index = ints(N, at.I_GPTR), ints(N, at.I_GINDEX)
    for a in range(N[at.INDEPENDENT]):
        if ypos[a] >= 0:
            DQ[ypos[a]] = V[a]
    for i in range(N[at.NODES]):
        if kind[i] < 2:
            continue
        k, o = first[i], lpos[i]
        if kind[i] == 3:
            x, y, z, w = Q[o + 3], Q[o + 4], Q[o + 5], Q[o + 6]
            l0, l1, l2 = V[index[ptr[k + 3]]], V[index[ptr[k + 4]]], V[index[ptr[k + 5]]]
            t0, t1, t2 = 2.0 * (y * l2 - z * l1), 2.0 * (z * l0 - x * l2), 2.0 * (x * l1 - y * l0)
            DQ[o] = l0 + w * t0 + y * t2 - z * t1
            DQ[o + 1] = l1 + w * t1 + z * t0 - x * t2
            DQ[o + 2] = l2 + w * t2 + x * t1 - y * t0
            o += 3
        x, y, z, w = Q[o], Q[o + 1], Q[o + 2], Q[o + 3]
        w0, w1, w2 = V[index[ptr[k]]], V[index[ptr[k + 1]]], V[index[ptr[k + 2]]]
        DQ[o] = 0.5 * (w * w0 + y * w2 - z * w1)
        DQ[o + 1] = 0.5 * (w * w1 + z * w0 - x * w2)
        DQ[o + 2] = 0.5 * (w * w2 + x * w1 - y * w0)
        DQ[o + 3] = -0.5 * (x * w0 + y * w1 + z * w2)


@compiled
def normalize(F: Any, N: Any) -> None:
    """Quaternions back to length one."""
    Q, kind, lpos = floats(F, N, at.F_Q), ints(N, at.I_KIND), ints(N, at.I_LPOS)
    for i in range(N[at.NODES]):
        if kind[i] >= 2:
            o = lpos[i] + 3 * (kind[i] - 2)
            length = math.sqrt(Q[o] * Q[o] + Q[o + 1] * Q[o + 1] + Q[o + 2] * Q[o + 2] + Q[o + 3] * Q[o + 3])
            for a in range(4):
                Q[o + a] /= length


@compiled
def displace(F: Any, N: Any, step: Any) -> None:
    """Q moved by a small displacement of the independent coordinates, shape (independent,)."""
    V, Q, DQ, save = floats(F, N, at.F_V), floats(F, N, at.F_Q), floats(F, N, at.F_DQ), floats(F, N, at.F_VSUM)
    m = N[at.INDEPENDENT]
    for a in range(m):
        save[a] = V[a]
        V[a] = step[a]
    position_rates(F, N)
    for a in range(m):
        V[a] = save[a]
    for c in range(N[at.POSITIONS]):
        Q[c] += DQ[c]
    normalize(F, N)


@compiled
def project(F: Any, N: Any, sweeps: int) -> float:
    """Newton on the loops at fixed mass factors, then velocities onto K V = 0; returns the residual that was met last."""
    if N[at.RANK] == 0:
        return 0.0
    K, PHI, LAMBDA, STEP, V = (
        floats(F, N, at.F_K),
        floats(F, N, at.F_PHI),
        floats(F, N, at.F_LAMBDA),
        floats(F, N, at.F_STEP),
        floats(F, N, at.F_V),
    )
    m, n, worst = N[at.INDEPENDENT], N[at.RANK], 0.0
    rank = 0
    for _ in range(sweeps):
        update_poses(F, N)
        update_velocities(F, N)
        update_loop_frames(F, N)
        update_loop_axes(F, N)
        worst = update_rows(F, N)
        rank = factor_rows(F, N)
        for r in range(n):
            LAMBDA[r] = -PHI[r]
        for a in range(m):
            STEP[a] = 0.0
        apply_rows(F, N, rank, STEP, 0)
        displace(F, N, STEP)
        if worst < NEAR:
            break
    for r in range(n):
        total = 0.0
        for a in range(m):
            total -= K[r * m + a] * V[a]
        LAMBDA[r] = total
    apply_rows(F, N, rank, V, 0)
    return worst


@compiled
def _euler(F: Any, N: Any, dt: float) -> None:
    Q, V, DQ, DV = floats(F, N, at.F_Q), floats(F, N, at.F_V), floats(F, N, at.F_DQ), floats(F, N, at.F_DV)
    accelerate(F, N)
    for a in range(N[at.INDEPENDENT]):
        V[a] += dt * DV[a]
    position_rates(F, N)
    for c in range(N[at.POSITIONS]):
        Q[c] += dt * DQ[c]


@compiled
def _rk4(F: Any, N: Any, dt: float) -> None:
    Q, V, DQ, DV = floats(F, N, at.F_Q), floats(F, N, at.F_V), floats(F, N, at.F_DQ), floats(F, N, at.F_DV)
    Q0, V0, QS, VS = floats(F, N, at.F_Q0), floats(F, N, at.F_V0), floats(F, N, at.F_QSUM), floats(F, N, at.F_VSUM)
    m, p = N[at.INDEPENDENT], N[at.POSITIONS]
    for c in range(p):
        Q0[c], QS[c] = Q[c], 0.0
    for a in range(m):
        V0[a], VS[a] = V[a], 0.0
    for stage in range(4):
        accelerate(F, N)
        position_rates(F, N)
        weight = 2.0 if stage in (1, 2) else 1.0
        ahead = 0.5 * dt if stage < 2 else dt
        for c in range(p):
            QS[c] += weight * DQ[c]
            Q[c] = Q0[c] + ahead * DQ[c]
        for a in range(m):
            VS[a] += weight * DV[a]
            V[a] = V0[a] + ahead * DV[a]
    for c in range(p):
        Q[c] = Q0[c] + dt / 6.0 * QS[c]
    for a in range(m):
        V[a] = V0[a] + dt / 6.0 * VS[a]


@compiled
def _midpoint(F: Any, N: Any, dt: float) -> None:
    """q1 = q0 + dt N(q_m) v_m, v1 = v0 + dt a(q_m, v_m) at the midpoint, found by fixed-point sweeps."""
    Q, V, DQ, DV = floats(F, N, at.F_Q), floats(F, N, at.F_V), floats(F, N, at.F_DQ), floats(F, N, at.F_DV)
    Q0, V0 = floats(F, N, at.F_Q0), floats(F, N, at.F_V0)
    m, p = N[at.INDEPENDENT], N[at.POSITIONS]
    for c in range(p):
        Q0[c] = Q[c]
    for a in range(m):
        V0[a] = V[a]
    for _ in range(MIDPOINT_SWEEPS):
        accelerate(F, N)
        position_rates(F, N)
        change = 0.0
        for c in range(p):
            new = Q0[c] + 0.5 * dt * DQ[c]
            change = max(change, abs(new - Q[c]) / (1.0 + abs(new)))
            Q[c] = new
        for a in range(m):
            new = V0[a] + 0.5 * dt * DV[a]
            change = max(change, abs(new - V[a]) / (1.0 + abs(new)))
            V[a] = new
        if change < MIDPOINT_DONE:
            break
    for c in range(p):
        Q[c] = Q0[c] + dt * DQ[c]
    for a in range(m):
        V[a] = V0[a] + dt * DV[a]


@compiled
def advance(F: Any, N: Any, dt: float, steps: int, method: int) -> float:
    """`steps` steps of `dt` [s] with TAU held; returns the largest loop residual that a projection met."""
    worst = 0.0
    N[at.WORST] = N[at.RANK]
    for _ in range(steps):
        if method == RK4:
            _rk4(F, N, dt)
        elif method == EULER:
            _euler(F, N, dt)
        else:
            _midpoint(F, N, dt)
        normalize(F, N)
        worst = max(worst, project(F, N, 3))
    return worst
