"""Accelerations, projection onto the loops, and whole steps.

Integrators: semi-implicit Euler; the classical Runge-Kutta of order four on positions and velocities; the implicit midpoint rule by
fixed-point iteration. After each step positions and velocities are projected onto the loops in the metric of the mass matrix,
dq = -H^-1 K^T (K H^-1 K^T)^-1 phi, so that closure is at round-off and only tangential errors go on (Eich 1993).
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.loop_kernels import (
    add_loop_axis_efforts,
    update_loop_axes,
    update_loop_frames,
    update_loop_motion,
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
from simulator.dynamics.compiled.views import int_start, start
from simulator.dynamics.jit import compiled

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
    DV = start(N, at.F_DV)
    if N[at.LOOPS] > 0:
        update_loop_frames(F, N)
        update_loop_axes(F, N)
        update_loop_motion(F, N)
    _reduced_efforts(F, N)
    if N[at.LOOPS] > 0:
        add_loop_axis_efforts(F, N)
    solve_mass(F, N, DV)
    if N[at.RANK] > 0:
        update_rows(F, N)
        rank = factor_rows(F, N)
        N[at.WORST] = min(N[at.WORST], rank)
        K, RHS, LAMBDA = start(N, at.F_K), start(N, at.F_RHS), start(N, at.F_LAMBDA)
        m = N[at.INDEPENDENT]
        for r in range(N[at.RANK]):
            total = F[RHS + r]
            for a in range(m):
                total -= F[K + r * m + a] * F[DV + a]
            F[LAMBDA + r] = total
        apply_rows(F, N, rank, DV)


@compiled
def _reduced_efforts(F: Any, N: Any) -> None:
    """DV = G^T (TAU + passive - BIAS)."""
    DV, TAU, BIAS, QD, Q = (
        start(N, at.F_DV),
        start(N, at.F_TAU),
        start(N, at.F_BIAS),
        start(N, at.F_QD),
        start(N, at.F_Q),
    )
    damping, stiffness, reference = (
        start(N, at.F_DAMPING),
        start(N, at.F_STIFFNESS),
        start(N, at.F_REFERENCE),
    )
    value, constant = start(N, at.F_GVALUE), start(N, at.F_GCONST)
    ptr, index, ypos = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX), int_start(N, at.I_YPOS)
    for a in range(N[at.INDEPENDENT]):
        F[DV + a] = 0.0
    for k in range(N[at.FREEDOMS]):
        effort = F[TAU + k] - F[BIAS + k] - F[damping + k] * F[QD + k]
        if F[stiffness + k] != 0.0:
            q = F[constant + k]
            for t in range(N[ptr + k], N[ptr + k + 1]):
                q += F[value + t] * F[Q + N[ypos + N[index + t]]]
            effort -= F[stiffness + k] * (q - F[reference + k])
        for t in range(N[ptr + k], N[ptr + k + 1]):
            F[DV + N[index + t]] += F[value + t] * effort


@compiled
def position_rates(F: Any, N: Any) -> None:
    """DQ: time derivative of Q for V (quaternions: q̇ = q (w, 0) / 2 with w in the outboard frame)."""
    Q, V, DQ = start(N, at.F_Q), start(N, at.F_V), start(N, at.F_DQ)
    ypos, kind, lpos, first = (
        int_start(N, at.I_YPOS),
        int_start(N, at.I_KIND),
        int_start(N, at.I_LPOS),
        int_start(N, at.I_FIRST),
    )
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for a in range(N[at.INDEPENDENT]):
        if N[ypos + a] >= 0:
            F[DQ + N[ypos + a]] = F[V + a]
    for i in range(N[at.NODES]):
        if N[kind + i] < 2:
            continue
        k, o = N[first + i], N[lpos + i]
        if N[kind + i] == 3:
            x, y, z, w = F[Q + o + 3], F[Q + o + 4], F[Q + o + 5], F[Q + o + 6]
            l0, l1, l2 = (
                F[V + N[index + N[ptr + k + 3]]],
                F[V + N[index + N[ptr + k + 4]]],
                F[V + N[index + N[ptr + k + 5]]],
            )
            t0, t1, t2 = 2.0 * (y * l2 - z * l1), 2.0 * (z * l0 - x * l2), 2.0 * (x * l1 - y * l0)
            F[DQ + o] = l0 + w * t0 + y * t2 - z * t1
            F[DQ + o + 1] = l1 + w * t1 + z * t0 - x * t2
            F[DQ + o + 2] = l2 + w * t2 + x * t1 - y * t0
            o += 3
        x, y, z, w = F[Q + o], F[Q + o + 1], F[Q + o + 2], F[Q + o + 3]
        w0, w1, w2 = F[V + N[index + N[ptr + k]]], F[V + N[index + N[ptr + k + 1]]], F[V + N[index + N[ptr + k + 2]]]
        F[DQ + o] = 0.5 * (w * w0 + y * w2 - z * w1)
        F[DQ + o + 1] = 0.5 * (w * w1 + z * w0 - x * w2)
        F[DQ + o + 2] = 0.5 * (w * w2 + x * w1 - y * w0)
        F[DQ + o + 3] = -0.5 * (x * w0 + y * w1 + z * w2)


@compiled
def normalize(F: Any, N: Any) -> None:
    """Quaternions back to length one."""
    Q, kind, lpos = start(N, at.F_Q), int_start(N, at.I_KIND), int_start(N, at.I_LPOS)
    for i in range(N[at.NODES]):
        if N[kind + i] >= 2:
            o = N[lpos + i] + 3 * (N[kind + i] - 2)
            length = math.sqrt(
                F[Q + o] * F[Q + o]
                + F[Q + o + 1] * F[Q + o + 1]
                + F[Q + o + 2] * F[Q + o + 2]
                + F[Q + o + 3] * F[Q + o + 3]
            )
            for a in range(4):
                F[Q + o + a] /= length


@compiled
def displace(F: Any, N: Any, step: int) -> None:
    """Q moved by a small displacement of the independent coordinates, shape (independent,)."""
    V, Q, DQ, save = start(N, at.F_V), start(N, at.F_Q), start(N, at.F_DQ), start(N, at.F_VSUM)
    m = N[at.INDEPENDENT]
    for a in range(m):
        F[save + a] = F[V + a]
        F[V + a] = F[step + a]
    position_rates(F, N)
    for a in range(m):
        F[V + a] = F[save + a]
    for c in range(N[at.POSITIONS]):
        F[Q + c] += F[DQ + c]
    normalize(F, N)


@compiled
def project(F: Any, N: Any, sweeps: int) -> float:
    """Newton on the loops at fixed mass factors, then velocities onto K V = 0; returns the residual that was met last."""
    if N[at.RANK] == 0:
        return 0.0
    K, PHI, LAMBDA, STEP, V = (
        start(N, at.F_K),
        start(N, at.F_PHI),
        start(N, at.F_LAMBDA),
        start(N, at.F_STEP),
        start(N, at.F_V),
    )
    m, n, worst = N[at.INDEPENDENT], N[at.RANK], 0.0
    rank = 0
    N[at.DRIFT] = 0
    for _ in range(sweeps):
        update_poses(F, N)
        update_loop_frames(F, N)
        update_loop_axes(F, N)
        worst = update_rows(F, N)
        rank = factor_rows(F, N)
        for r in range(n):
            F[LAMBDA + r] = -F[PHI + r]
        for a in range(m):
            F[STEP + a] = 0.0
        apply_rows(F, N, rank, STEP)
        displace(F, N, STEP)
        if worst < NEAR:
            break
    N[at.DRIFT] = 1
    for r in range(n):
        total = 0.0
        for a in range(m):
            total -= F[K + r * m + a] * F[V + a]
        F[LAMBDA + r] = total
    apply_rows(F, N, rank, V)
    return worst


@compiled
def _euler(F: Any, N: Any, dt: float) -> None:
    Q, V, DQ, DV = start(N, at.F_Q), start(N, at.F_V), start(N, at.F_DQ), start(N, at.F_DV)
    accelerate(F, N)
    for a in range(N[at.INDEPENDENT]):
        F[V + a] += dt * F[DV + a]
    position_rates(F, N)
    for c in range(N[at.POSITIONS]):
        F[Q + c] += dt * F[DQ + c]


@compiled
def _rk4(F: Any, N: Any, dt: float) -> None:
    Q, V, DQ, DV = start(N, at.F_Q), start(N, at.F_V), start(N, at.F_DQ), start(N, at.F_DV)
    Q0, V0, QS, VS = start(N, at.F_Q0), start(N, at.F_V0), start(N, at.F_QSUM), start(N, at.F_VSUM)
    m, p = N[at.INDEPENDENT], N[at.POSITIONS]
    for c in range(p):
        F[Q0 + c], F[QS + c] = F[Q + c], 0.0
    for a in range(m):
        F[V0 + a], F[VS + a] = F[V + a], 0.0
    for stage in range(4):
        accelerate(F, N)
        position_rates(F, N)
        weight = 2.0 if stage in (1, 2) else 1.0
        ahead = 0.5 * dt if stage < 2 else dt
        for c in range(p):
            F[QS + c] += weight * F[DQ + c]
            F[Q + c] = F[Q0 + c] + ahead * F[DQ + c]
        for a in range(m):
            F[VS + a] += weight * F[DV + a]
            F[V + a] = F[V0 + a] + ahead * F[DV + a]
    for c in range(p):
        F[Q + c] = F[Q0 + c] + dt / 6.0 * F[QS + c]
    for a in range(m):
        F[V + a] = F[V0 + a] + dt / 6.0 * F[VS + a]


@compiled
def _midpoint(F: Any, N: Any, dt: float) -> None:
    """q1 = q0 + dt N(q_m) v_m, v1 = v0 + dt a(q_m, v_m) at the midpoint, found by fixed-point sweeps."""
    Q, V, DQ, DV = start(N, at.F_Q), start(N, at.F_V), start(N, at.F_DQ), start(N, at.F_DV)
    Q0, V0 = start(N, at.F_Q0), start(N, at.F_V0)
    m, p = N[at.INDEPENDENT], N[at.POSITIONS]
    for c in range(p):
        F[Q0 + c] = F[Q + c]
    for a in range(m):
        F[V0 + a] = F[V + a]
    for _ in range(MIDPOINT_SWEEPS):
        accelerate(F, N)
        position_rates(F, N)
        change = 0.0
        for c in range(p):
            new = F[Q0 + c] + 0.5 * dt * F[DQ + c]
            change = max(change, abs(new - F[Q + c]) / (1.0 + abs(new)))
            F[Q + c] = new
        for a in range(m):
            new = F[V0 + a] + 0.5 * dt * F[DV + a]
            change = max(change, abs(new - F[V + a]) / (1.0 + abs(new)))
            F[V + a] = new
        if change < MIDPOINT_DONE:
            break
    for c in range(p):
        F[Q + c] = F[Q0 + c] + dt * F[DQ + c]
    for a in range(m):
        F[V + a] = F[V0 + a] + dt * F[DV + a]


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
