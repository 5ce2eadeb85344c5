"""Rows of loop joints and of couplings that loop joints' axes take part in.

For a loop joint between frames Jp (on node a) and Jc (on node b), x the origin of Jc and dv the twist of b against a:
  LINE   u . (x - x_p) = 0, u fixed in Jp:              row T = (x × u, u)
  TURN   u . w = target, u fixed in Jp, w fixed in Jc:   row T = (w × u, 0)
  AXIS   sum over freedoms and loop axes = constant:     a loop axis along d counts T = (d, 0) or (x × d, d)
Each row is T . dv = 0 with T . (a_b - a_a) + dT/dt . dv = 0 one derivative on; both follow exactly from the left-hand sides.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.jit import compiled
from simulator.dynamics.compiled.views import floats, ints

LINE, TURN, AXIS = 0, 1, 2
_COUNT = (1, 1, 3, 6)


@compiled
def update_loop_frames(F: Any, N: Any) -> None:
    """LFRAME: rotation (9) and origin (3) of Jp, then of Jc, in the world, for every loop joint."""
    LF, LX, R, P = floats(F, N, at.F_LFRAME), floats(F, N, at.F_LOOP_X), floats(F, N, at.F_R), floats(F, N, at.F_P)
    node = ints(N, at.I_LOOP_NODE)
    for loop in range(N[at.LOOPS]):
        for side in range(2):
            o, x, i = 24 * loop + 12 * side, 24 * loop + 12 * side, node[2 * loop + side]
            for a in range(3):
                if i < 0:
                    for b in range(3):
                        LF[o + 3 * a + b] = LX[x + 4 * a + b]
                    LF[o + 9 + a] = LX[x + 4 * a + 3]
                else:
                    u, v, w = R[9 * i + 3 * a], R[9 * i + 3 * a + 1], R[9 * i + 3 * a + 2]
                    for b in range(3):
                        LF[o + 3 * a + b] = u * LX[x + b] + v * LX[x + 4 + b] + w * LX[x + 8 + b]
                    LF[o + 9 + a] = P[3 * i + a] + u * LX[x + 3] + v * LX[x + 7] + w * LX[x + 11]


@compiled
def _turned(LF: Any, o: int, v: Any, i: int) -> tuple[float, float, float]:
    x, y, z = v[i], v[i + 1], v[i + 2]
    return (
        LF[o] * x + LF[o + 1] * y + LF[o + 2] * z,
        LF[o + 3] * x + LF[o + 4] * y + LF[o + 5] * z,
        LF[o + 6] * x + LF[o + 7] * y + LF[o + 8] * z,
    )


@compiled
def update_loop_axes(F: Any, N: Any) -> None:
    """LAXIS_Q: position of every loop axis; angles go on from the value that stands there (they know their turns)."""
    LF, LD, LQ = floats(F, N, at.F_LFRAME), floats(F, N, at.F_LAXIS_DIR), floats(F, N, at.F_LAXIS_Q)
    kind, loop_of = ints(N, at.I_LAXIS_KIND), ints(N, at.I_LAXIS_LOOP)
    for j in range(N[at.LOOP_AXES]):
        p = 24 * loop_of[j]
        c = p + 12
        d0, d1, d2 = _turned(LF, c if kind[j] == 2 else p, LD, 6 * j)
        if kind[j] == 1:
            LQ[j] = d0 * (LF[c + 9] - LF[p + 9]) + d1 * (LF[c + 10] - LF[p + 10]) + d2 * (LF[c + 11] - LF[p + 11])
            continue
        # Any unit vector across the axis serves as a hand: it is stored with the direction.
        e0, e1, e2 = _turned(LF, p, LD, 6 * j + 3)
        f0, f1, f2 = _turned(LF, c, LD, 6 * j + 3)
        cosine = e0 * f0 + e1 * f1 + e2 * f2
        sine = d0 * (e1 * f2 - e2 * f1) + d1 * (e2 * f0 - e0 * f2) + d2 * (e0 * f1 - e1 * f0)
        angle = math.atan2(sine, cosine)
        LQ[j] = angle + 2.0 * math.pi * round((LQ[j] - angle) / (2.0 * math.pi))


@compiled
def _add_wrench(F: Any, N: Any, row: int, loop: int, T: Any, factor: float) -> None:
    """K row += factor * T . (twist of b against a), along the loop's path through the tree."""
    K, S, value = floats(F, N, at.F_K), floats(F, N, at.F_S), floats(F, N, at.F_GVALUE)
    kind, first = ints(N, at.I_KIND), ints(N, at.I_FIRST)
    ptr, index = ints(N, at.I_GPTR), ints(N, at.I_GINDEX)
    path, node, sign = ints(N, at.I_PATH_PTR), ints(N, at.I_PATH_NODE), ints(N, at.I_PATH_SIGN)
    base = row * N[at.INDEPENDENT]
    for t in range(path[loop], path[loop + 1]):
        i, scale = node[t], factor * sign[t]
        for k in range(first[i], first[i] + _COUNT[kind[i]]):
            s = 6 * k
            entry = scale * (
                S[s] * T[0] + S[s + 1] * T[1] + S[s + 2] * T[2] + S[s + 3] * T[3] + S[s + 4] * T[4] + S[s + 5] * T[5]
            )
            for u in range(ptr[k], ptr[k + 1]):
                K[base + index[u]] += value[u] * entry


@compiled
def _relative(F: Any, N: Any, block: int, loop: int, out: Any, o: int) -> None:
    """out = (twist or bias acceleration of b) - (of a); the world moves with nothing but minus gravity."""
    V, gravity, node = floats(F, N, block), floats(F, N, at.F_GRAVITY), ints(N, at.I_LOOP_NODE)
    a, b = node[2 * loop], node[2 * loop + 1]
    for c in range(6):
        root = -gravity[c - 3] if block == at.F_ACC and c >= 3 else 0.0
        out[o + c] = (V[6 * b + c] if b >= 0 else root) - (V[6 * a + c] if a >= 0 else root)


@compiled
def _node_angular(F: Any, N: Any, loop: int, side: int) -> tuple[float, float, float]:
    V, i = floats(F, N, at.F_VEL), ints(N, at.I_LOOP_NODE)[2 * loop + side]
    if i < 0:
        return 0.0, 0.0, 0.0
    return V[6 * i], V[6 * i + 1], V[6 * i + 2]


@compiled
def _origin_velocity(F: Any, N: Any, loop: int, x0: float, x1: float, x2: float) -> tuple[float, float, float]:
    """Velocity of Jc's origin in the world."""
    V, i = floats(F, N, at.F_VEL), ints(N, at.I_LOOP_NODE)[2 * loop + 1]
    if i < 0:
        return 0.0, 0.0, 0.0
    v = 6 * i
    return (
        V[v + 3] + V[v + 1] * x2 - V[v + 2] * x1,
        V[v + 4] + V[v + 2] * x0 - V[v] * x2,
        V[v + 5] + V[v] * x1 - V[v + 1] * x0,
    )


@compiled
def _line(F: Any, N: Any, loop: int, side: int, vectors: Any, i: int, T: Any) -> None:
    """T[0:6] = (x × u, u); T[6:12] = its time derivative for u fixed in Jp (side 0) or Jc and x in Jc (needs fresh velocities)."""
    LF = floats(F, N, at.F_LFRAME)
    c = 24 * loop + 12
    u0, u1, u2 = _turned(LF, 24 * loop + 12 * side, vectors, i)
    x0, x1, x2 = LF[c + 9], LF[c + 10], LF[c + 11]
    T[0], T[1], T[2], T[3], T[4], T[5] = x1 * u2 - x2 * u1, x2 * u0 - x0 * u2, x0 * u1 - x1 * u0, u0, u1, u2
    w0, w1, w2 = _node_angular(F, N, loop, side)
    d0, d1, d2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    y0, y1, y2 = _origin_velocity(F, N, loop, x0, x1, x2)
    T[6] = y1 * u2 - y2 * u1 + x1 * d2 - x2 * d1
    T[7] = y2 * u0 - y0 * u2 + x2 * d0 - x0 * d2
    T[8] = y0 * u1 - y1 * u0 + x0 * d1 - x1 * d0
    T[9], T[10], T[11] = d0, d1, d2


@compiled
def _turn(F: Any, N: Any, loop: int, U: Any, W: Any, i: int, T: Any) -> float:
    """T[0:6] = (w × u, 0), T[6:12] its derivative; returns u . w."""
    LF = floats(F, N, at.F_LFRAME)
    p = 24 * loop
    u0, u1, u2 = _turned(LF, p, U, i)
    w0, w1, w2 = _turned(LF, p + 12, W, i)
    T[0], T[1], T[2] = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    T[3] = T[4] = T[5] = T[9] = T[10] = T[11] = 0.0
    a0, a1, a2 = _node_angular(F, N, loop, 0)
    b0, b1, b2 = _node_angular(F, N, loop, 1)
    du0, du1, du2 = a1 * u2 - a2 * u1, a2 * u0 - a0 * u2, a0 * u1 - a1 * u0
    dw0, dw1, dw2 = b1 * w2 - b2 * w1, b2 * w0 - b0 * w2, b0 * w1 - b1 * w0
    T[6] = dw1 * u2 - dw2 * u1 + w1 * du2 - w2 * du1
    T[7] = dw2 * u0 - dw0 * u2 + w2 * du0 - w0 * du2
    T[8] = dw0 * u1 - dw1 * u0 + w0 * du1 - w1 * du0
    return u0 * w0 + u1 * w1 + u2 * w2


@compiled
def _axis_wrench(F: Any, N: Any, j: int, T: Any) -> None:
    """T of a loop axis' rate, and its derivative."""
    LD, kind, loop_of = floats(F, N, at.F_LAXIS_DIR), ints(N, at.I_LAXIS_KIND), ints(N, at.I_LAXIS_LOOP)
    _line(F, N, loop_of[j], 1 if kind[j] == 2 else 0, LD, 6 * j, T)
    if kind[j] != 1:
        for a in range(3):
            T[a], T[6 + a] = T[3 + a], T[9 + a]
            T[3 + a] = T[9 + a] = 0.0


@compiled
def update_rows(F: Any, N: Any) -> float:
    """K (rows, independent), PHI (residuals) and RHS (minus the velocity terms) of all active rows; returns the largest |PHI|.

    Needs fresh poses, loop frames, loop axes, velocities and bias accelerations.
    """
    K, PHI, RHS, work = floats(F, N, at.F_K), floats(F, N, at.F_PHI), floats(F, N, at.F_RHS), floats(F, N, at.F_TWIST)
    U, W, target, LF = (
        floats(F, N, at.F_ROW_U),
        floats(F, N, at.F_ROW_W),
        floats(F, N, at.F_ROW_TARGET),
        floats(F, N, at.F_LFRAME),
    )
    kind, loop_of, active = ints(N, at.I_ROW_KIND), ints(N, at.I_ROW_LOOP), ints(N, at.I_ROW_ACTIVE)
    T = work[12:24]
    m, worst = N[at.INDEPENDENT], 0.0
    for r in range(N[at.RANK]):
        row = active[r]
        for a in range(m):
            K[r * m + a] = 0.0
        RHS[r] = 0.0
        if kind[row] == AXIS:
            PHI[r] = _axis_row(F, N, r, row) - target[row]
        else:
            loop = loop_of[row]
            if kind[row] == LINE:
                _line(F, N, loop, 0, U, 3 * row, T)
                p = 24 * loop
                PHI[r] = (
                    T[3] * (LF[p + 21] - LF[p + 9])
                    + T[4] * (LF[p + 22] - LF[p + 10])
                    + T[5] * (LF[p + 23] - LF[p + 11])
                )
            else:
                PHI[r] = _turn(F, N, loop, U, W, 3 * row, T) - target[row]
            _add_wrench(F, N, r, loop, T, 1.0)
            _subtract_drift(F, N, r, loop, T, 1.0)
        worst = max(worst, abs(PHI[r]))
    return worst


@compiled
def _subtract_drift(F: Any, N: Any, r: int, loop: int, T: Any, factor: float) -> None:
    """RHS -= factor (T . (a_b - a_a) + dT/dt . (v_b - v_a))."""
    RHS, work = floats(F, N, at.F_RHS), floats(F, N, at.F_TWIST)
    _relative(F, N, at.F_ACC, loop, work, 0)
    _relative(F, N, at.F_VEL, loop, work, 6)
    total = 0.0
    for c in range(6):
        total += T[c] * work[c] + T[6 + c] * work[6 + c]
    RHS[r] -= factor * total


@compiled
def _axis_row(F: Any, N: Any, r: int, row: int) -> float:
    """Row of a coupling with loop axes; returns its left-hand side."""
    K, Q, work = floats(F, N, at.F_K), floats(F, N, at.F_Q), floats(F, N, at.F_TWIST)
    coefficient, LQ, constant = floats(F, N, at.F_LCOEF), floats(F, N, at.F_LAXIS_Q), floats(F, N, at.F_GCONST)
    value, ptr, index = floats(F, N, at.F_GVALUE), ints(N, at.I_GPTR), ints(N, at.I_GINDEX)
    ypos, loop_of = ints(N, at.I_YPOS), ints(N, at.I_LAXIS_LOOP)
    start, axis, freedom = ints(N, at.I_TERM_PTR), ints(N, at.I_TERM_AXIS), ints(N, at.I_TERM_DOF)
    T = work[12:24]
    total, base = 0.0, r * N[at.INDEPENDENT]
    for t in range(start[row], start[row + 1]):
        if axis[t] >= 0:
            j = axis[t]
            total += coefficient[t] * LQ[j]
            _axis_wrench(F, N, j, T)
            _add_wrench(F, N, r, loop_of[j], T, coefficient[t])
            _subtract_drift(F, N, r, loop_of[j], T, coefficient[t])
        else:
            k = freedom[t]
            total += coefficient[t] * constant[k]
            for u in range(ptr[k], ptr[k + 1]):
                K[base + index[u]] += coefficient[t] * value[u]
                total += coefficient[t] * value[u] * Q[ypos[index[u]]]
    return total


@compiled
def add_loop_axis_efforts(F: Any, N: Any) -> None:
    """DV += G^T T of every loop axis times its effort: efforts stand behind those of the freedoms in TAU."""
    TAU, DV, K, work = floats(F, N, at.F_TAU), floats(F, N, at.F_DV), floats(F, N, at.F_K), floats(F, N, at.F_TWIST)
    loop_of = ints(N, at.I_LAXIS_LOOP)
    m, T = N[at.INDEPENDENT], work[12:24]
    for j in range(N[at.LOOP_AXES]):
        effort = TAU[N[at.FREEDOMS] + j]
        if effort == 0.0:
            continue
        spare = N[at.ROWS]
        for a in range(m):
            K[spare * m + a] = 0.0
        _axis_wrench(F, N, j, T)
        _add_wrench(F, N, spare, loop_of[j], T, effort)
        for a in range(m):
            DV[a] += K[spare * m + a]
