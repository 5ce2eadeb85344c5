"""Poses, motion columns, bias efforts and the reduced mass matrix of the tree.

Spatial vectors are (angular, linear) in world axes about the world's origin; S_k is the twist per unit of freedom k. With
v_i = v_p + S qd and c_i = v_i x (S qd), the bias of a node is a_i = a_p + c_i (gravity enters as the root's acceleration -g), its force
f_i = I_i a_i + v_i x* I_i v_i; h = S^T (sum of outboard forces) by recursive Newton-Euler, M_kl = S_l^T I^c S_k over ancestors by
composite rigid bodies, H = G^T M G. Featherstone, Rigid Body Dynamics Algorithms, chapters 5 and 6.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import BALL, FREE, ROTATION, TRANSLATION
from simulator.dynamics.compiled.jit import compiled
from simulator.dynamics.compiled.views import floats, ints

_COUNT = (1, 1, 3, 6)


@compiled
def update_poses(F: Any, N: Any) -> None:
    """R, P (rotation and origin of every node in the world) and S (motion columns) from the positions Q."""
    R, P, S = floats(F, N, at.F_R), floats(F, N, at.F_P), floats(F, N, at.F_S)
    X, axis, Q = floats(F, N, at.F_X), floats(F, N, at.F_AXIS), floats(F, N, at.F_Q)
    value, constant = floats(F, N, at.F_GVALUE), floats(F, N, at.F_GCONST)
    kind, parent, first = ints(N, at.I_KIND), ints(N, at.I_PARENT), ints(N, at.I_FIRST)
    ptr, index, ypos, lpos = ints(N, at.I_GPTR), ints(N, at.I_GINDEX), ints(N, at.I_YPOS), ints(N, at.I_LPOS)
    for i in range(N[at.NODES]):
        r, p, x = 9 * i, 3 * i, 12 * i
        if parent[i] < 0:
            for a in range(3):
                for b in range(3):
                    R[r + 3 * a + b] = X[x + 4 * a + b]
                P[p + a] = X[x + 4 * a + 3]
        else:
            rp, pp = 9 * parent[i], 3 * parent[i]
            for a in range(3):
                u, v, w = R[rp + 3 * a], R[rp + 3 * a + 1], R[rp + 3 * a + 2]
                for b in range(3):
                    R[r + 3 * a + b] = u * X[x + b] + v * X[x + 4 + b] + w * X[x + 8 + b]
                P[p + a] = P[pp + a] + u * X[x + 3] + v * X[x + 7] + w * X[x + 11]
        k = first[i]
        if kind[i] == ROTATION or kind[i] == TRANSLATION:
            q = constant[k]
            for t in range(ptr[k], ptr[k + 1]):
                q += value[t] * Q[ypos[index[t]]]
            _move_along_axis(R, P, S, axis, i, k, q, kind[i] == ROTATION)
        else:
            _move_loose(R, P, S, Q, i, k, lpos[i], kind[i] == FREE)


@compiled
def _move_along_axis(R: Any, P: Any, S: Any, axis: Any, i: int, k: int, q: float, turns: bool) -> None:
    r, p, s = 9 * i, 3 * i, 6 * k
    x, y, z = axis[p], axis[p + 1], axis[p + 2]
    ax = R[r] * x + R[r + 1] * y + R[r + 2] * z
    ay = R[r + 3] * x + R[r + 4] * y + R[r + 5] * z
    az = R[r + 6] * x + R[r + 7] * y + R[r + 8] * z
    if not turns:
        P[p] += q * ax
        P[p + 1] += q * ay
        P[p + 2] += q * az
        S[s], S[s + 1], S[s + 2], S[s + 3], S[s + 4], S[s + 5] = 0.0, 0.0, 0.0, ax, ay, az
        return
    c, n = math.cos(q), math.sin(q)
    t = 1.0 - c
    m00, m01, m02 = t * ax * ax + c, t * ax * ay - n * az, t * ax * az + n * ay
    m10, m11, m12 = t * ax * ay + n * az, t * ay * ay + c, t * ay * az - n * ax
    m20, m21, m22 = t * ax * az - n * ay, t * ay * az + n * ax, t * az * az + c
    for b in range(3):
        u, v, w = R[r + b], R[r + 3 + b], R[r + 6 + b]
        R[r + b] = m00 * u + m01 * v + m02 * w
        R[r + 3 + b] = m10 * u + m11 * v + m12 * w
        R[r + 6 + b] = m20 * u + m21 * v + m22 * w
    S[s], S[s + 1], S[s + 2] = ax, ay, az
    S[s + 3] = P[p + 1] * az - P[p + 2] * ay
    S[s + 4] = P[p + 2] * ax - P[p] * az
    S[s + 5] = P[p] * ay - P[p + 1] * ax


@compiled
def _move_loose(R: Any, P: Any, S: Any, Q: Any, i: int, k: int, at_q: int, free: bool) -> None:
    """A ball, or a free joint (place, then quaternion); freedoms are angular velocity, then velocity, in the outboard frame."""
    r, p = 9 * i, 3 * i
    if free:
        x, y, z = Q[at_q], Q[at_q + 1], Q[at_q + 2]
        for a in range(3):
            P[p + a] += R[r + 3 * a] * x + R[r + 3 * a + 1] * y + R[r + 3 * a + 2] * z
        at_q += 3
    x, y, z, w = Q[at_q], Q[at_q + 1], Q[at_q + 2], Q[at_q + 3]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    m00, m01, m02 = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    m10, m11, m12 = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
    m20, m21, m22 = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)
    for a in range(3):
        u, v, w = R[r + 3 * a], R[r + 3 * a + 1], R[r + 3 * a + 2]
        R[r + 3 * a] = u * m00 + v * m10 + w * m20
        R[r + 3 * a + 1] = u * m01 + v * m11 + w * m21
        R[r + 3 * a + 2] = u * m02 + v * m12 + w * m22
    for b in range(3):
        s0 = 6 * (k + b)
        ax, ay, az = R[r + b], R[r + 3 + b], R[r + 6 + b]
        S[s0], S[s0 + 1], S[s0 + 2] = ax, ay, az
        S[s0 + 3] = P[p + 1] * az - P[p + 2] * ay
        S[s0 + 4] = P[p + 2] * ax - P[p] * az
        S[s0 + 5] = P[p] * ay - P[p + 1] * ax
        if free:
            s1 = 6 * (k + 3 + b)
            S[s1], S[s1 + 1], S[s1 + 2], S[s1 + 3], S[s1 + 4], S[s1 + 5] = 0.0, 0.0, 0.0, ax, ay, az


@compiled
def spread_velocities(F: Any, N: Any) -> None:
    """QD = G V: the velocity of every freedom."""
    V, QD, value = floats(F, N, at.F_V), floats(F, N, at.F_QD), floats(F, N, at.F_GVALUE)
    ptr, index = ints(N, at.I_GPTR), ints(N, at.I_GINDEX)
    for k in range(N[at.FREEDOMS]):
        rate = 0.0
        for t in range(ptr[k], ptr[k + 1]):
            rate += value[t] * V[index[t]]
        QD[k] = rate


@compiled
def update_velocities(F: Any, N: Any) -> None:
    """VEL (twist) and ACC (bias acceleration, gravity included) of every node, from V at the poses of `update_poses`."""
    spread_velocities(F, N)
    VEL, ACC, S, QD = floats(F, N, at.F_VEL), floats(F, N, at.F_ACC), floats(F, N, at.F_S), floats(F, N, at.F_QD)
    gravity = floats(F, N, at.F_GRAVITY)
    kind, parent, first = ints(N, at.I_KIND), ints(N, at.I_PARENT), ints(N, at.I_FIRST)
    for i in range(N[at.NODES]):
        v, k = 6 * i, first[i]
        j0 = j1 = j2 = j3 = j4 = j5 = 0.0
        for f in range(k, k + _COUNT[kind[i]]):
            s, rate = 6 * f, QD[f]
            j0 += S[s] * rate
            j1 += S[s + 1] * rate
            j2 += S[s + 2] * rate
            j3 += S[s + 3] * rate
            j4 += S[s + 4] * rate
            j5 += S[s + 5] * rate
        if parent[i] < 0:
            VEL[v], VEL[v + 1], VEL[v + 2], VEL[v + 3], VEL[v + 4], VEL[v + 5] = j0, j1, j2, j3, j4, j5
            for a in range(3):
                ACC[v + a], ACC[v + 3 + a] = 0.0, -gravity[a]
        else:
            u = 6 * parent[i]
            VEL[v], VEL[v + 1], VEL[v + 2] = VEL[u] + j0, VEL[u + 1] + j1, VEL[u + 2] + j2
            VEL[v + 3], VEL[v + 4], VEL[v + 5] = VEL[u + 3] + j3, VEL[u + 4] + j4, VEL[u + 5] + j5
            for a in range(6):
                ACC[v + a] = ACC[u + a]
        w0, w1, w2, l0, l1, l2 = VEL[v], VEL[v + 1], VEL[v + 2], VEL[v + 3], VEL[v + 4], VEL[v + 5]
        ACC[v] += w1 * j2 - w2 * j1
        ACC[v + 1] += w2 * j0 - w0 * j2
        ACC[v + 2] += w0 * j1 - w1 * j0
        ACC[v + 3] += w1 * j5 - w2 * j4 + l1 * j2 - l2 * j1
        ACC[v + 4] += w2 * j3 - w0 * j5 + l2 * j0 - l0 * j2
        ACC[v + 5] += w0 * j4 - w1 * j3 + l0 * j1 - l1 * j0


@compiled
def update_inertias(F: Any, N: Any) -> None:
    """CI: inertia of every node about the world's origin, world axes: m, h = m c, xx yy zz xy xz yz."""
    CI, R, P, inertia = floats(F, N, at.F_CI), floats(F, N, at.F_R), floats(F, N, at.F_P), floats(F, N, at.F_INERTIA)
    for i in range(N[at.NODES]):
        c, r, p = 10 * i, 9 * i, 3 * i
        m = inertia[c]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = (
            R[r], R[r + 1], R[r + 2], R[r + 3], R[r + 4], R[r + 5], R[r + 6], R[r + 7], R[r + 8],
        )  # fmt: skip
        b0, b1, b2 = inertia[c + 1], inertia[c + 2], inertia[c + 3]
        h0, h1, h2 = r00 * b0 + r01 * b1 + r02 * b2, r10 * b0 + r11 * b1 + r12 * b2, r20 * b0 + r21 * b1 + r22 * b2
        xx, yy, zz, xy, xz, yz = (
            inertia[c + 4], inertia[c + 5], inertia[c + 6], inertia[c + 7], inertia[c + 8], inertia[c + 9],
        )  # fmt: skip
        t00, t01, t02 = r00 * xx + r01 * xy + r02 * xz, r00 * xy + r01 * yy + r02 * yz, r00 * xz + r01 * yz + r02 * zz
        t10, t11, t12 = r10 * xx + r11 * xy + r12 * xz, r10 * xy + r11 * yy + r12 * yz, r10 * xz + r11 * yz + r12 * zz
        t20, t21, t22 = r20 * xx + r21 * xy + r22 * xz, r20 * xy + r21 * yy + r22 * yz, r20 * xz + r21 * yz + r22 * zz
        p0, p1, p2 = P[p], P[p + 1], P[p + 2]
        common = 2.0 * (p0 * h0 + p1 * h1 + p2 * h2) + m * (p0 * p0 + p1 * p1 + p2 * p2)
        CI[c] = m
        CI[c + 1], CI[c + 2], CI[c + 3] = h0 + m * p0, h1 + m * p1, h2 + m * p2
        CI[c + 4] = t00 * r00 + t01 * r01 + t02 * r02 + common - 2.0 * p0 * h0 - m * p0 * p0
        CI[c + 5] = t10 * r10 + t11 * r11 + t12 * r12 + common - 2.0 * p1 * h1 - m * p1 * p1
        CI[c + 6] = t20 * r20 + t21 * r21 + t22 * r22 + common - 2.0 * p2 * h2 - m * p2 * p2
        CI[c + 7] = t00 * r10 + t01 * r11 + t02 * r12 - p0 * h1 - h0 * p1 - m * p0 * p1
        CI[c + 8] = t00 * r20 + t01 * r21 + t02 * r22 - p0 * h2 - h0 * p2 - m * p0 * p2
        CI[c + 9] = t10 * r20 + t11 * r21 + t12 * r22 - p1 * h2 - h1 * p2 - m * p1 * p2


@compiled
def _momentum(CI: Any, c: int, v: Any, s: int, out: Any, o: int) -> None:
    """out = I v for the inertia at c and the twist at s: (I0 w + h x v, m v - h x w)."""
    w0, w1, w2, l0, l1, l2 = v[s], v[s + 1], v[s + 2], v[s + 3], v[s + 4], v[s + 5]
    m, h0, h1, h2 = CI[c], CI[c + 1], CI[c + 2], CI[c + 3]
    xx, yy, zz, xy, xz, yz = CI[c + 4], CI[c + 5], CI[c + 6], CI[c + 7], CI[c + 8], CI[c + 9]
    out[o] = xx * w0 + xy * w1 + xz * w2 + h1 * l2 - h2 * l1
    out[o + 1] = xy * w0 + yy * w1 + yz * w2 + h2 * l0 - h0 * l2
    out[o + 2] = xz * w0 + yz * w1 + zz * w2 + h0 * l1 - h1 * l0
    out[o + 3] = m * l0 - h1 * w2 + h2 * w1
    out[o + 4] = m * l1 - h2 * w0 + h0 * w2
    out[o + 5] = m * l2 - h0 * w1 + h1 * w0


@compiled
def update_bias(F: Any, N: Any) -> None:
    """BIAS: h(q, qd) of every freedom; CI becomes composite on the way down."""
    VEL, ACC, FORCE, CI = (
        floats(F, N, at.F_VEL),
        floats(F, N, at.F_ACC),
        floats(F, N, at.F_FORCE),
        floats(F, N, at.F_CI),
    )
    S, BIAS, work = floats(F, N, at.F_S), floats(F, N, at.F_BIAS), floats(F, N, at.F_TWIST)
    kind, parent, first = ints(N, at.I_KIND), ints(N, at.I_PARENT), ints(N, at.I_FIRST)
    n = N[at.NODES]
    for i in range(n):
        v, c = 6 * i, 10 * i
        _momentum(CI, c, ACC, v, FORCE, v)
        _momentum(CI, c, VEL, v, work, 0)
        w0, w1, w2, l0, l1, l2 = VEL[v], VEL[v + 1], VEL[v + 2], VEL[v + 3], VEL[v + 4], VEL[v + 5]
        n0, n1, n2, f0, f1, f2 = work[0], work[1], work[2], work[3], work[4], work[5]
        FORCE[v] += w1 * n2 - w2 * n1 + l1 * f2 - l2 * f1
        FORCE[v + 1] += w2 * n0 - w0 * n2 + l2 * f0 - l0 * f2
        FORCE[v + 2] += w0 * n1 - w1 * n0 + l0 * f1 - l1 * f0
        FORCE[v + 3] += w1 * f2 - w2 * f1
        FORCE[v + 4] += w2 * f0 - w0 * f2
        FORCE[v + 5] += w0 * f1 - w1 * f0
    for i in range(n - 1, -1, -1):
        v = 6 * i
        for k in range(first[i], first[i] + _COUNT[kind[i]]):
            s, total = 6 * k, 0.0
            for a in range(6):
                total += S[s + a] * FORCE[v + a]
            BIAS[k] = total
        if parent[i] >= 0:
            u, c, d = 6 * parent[i], 10 * i, 10 * parent[i]
            for a in range(6):
                FORCE[u + a] += FORCE[v + a]
            for a in range(10):
                CI[d + a] += CI[c + a]


@compiled
def update_mass(F: Any, N: Any) -> None:
    """H = G^T M G, lower triangle of shape (independent, independent), from composite inertias."""
    H, S, CI, work, value = (
        floats(F, N, at.F_H), floats(F, N, at.F_S), floats(F, N, at.F_CI), floats(F, N, at.F_TWIST), floats(F, N, at.F_GVALUE),
    )  # fmt: skip
    kind, parent, first = ints(N, at.I_KIND), ints(N, at.I_PARENT), ints(N, at.I_FIRST)
    ptr, index, lptr, lcol = ints(N, at.I_GPTR), ints(N, at.I_GINDEX), ints(N, at.I_LPTR), ints(N, at.I_LCOL)
    m = N[at.INDEPENDENT]
    for a in range(m):
        H[a * m + a] = 0.0
        for t in range(lptr[a], lptr[a + 1]):
            H[a * m + lcol[t]] = 0.0
    for i in range(N[at.NODES] - 1, -1, -1):
        for k in range(first[i], first[i] + _COUNT[kind[i]]):
            _momentum(CI, 10 * i, S, 6 * k, work, 0)
            j = i
            while j >= 0:
                last = k + 1 if j == i else first[j] + _COUNT[kind[j]]
                for f in range(first[j], last):
                    s = 6 * f
                    entry = (
                        S[s] * work[0] + S[s + 1] * work[1] + S[s + 2] * work[2]
                        + S[s + 3] * work[3] + S[s + 4] * work[4] + S[s + 5] * work[5]
                    )  # fmt: skip
                    for ta in range(ptr[k], ptr[k + 1]):
                        a, part = index[ta], value[ta] * entry
                        for tb in range(ptr[f], ptr[f + 1]):
                            b, amount = index[tb], value[tb] * part
                            if a > b:
                                H[a * m + b] += amount
                            elif a == b:
                                H[a * m + a] += amount if k == f else 2.0 * amount
                            elif k != f:
                                H[b * m + a] += amount
                j = parent[j]


@compiled
def kinetic_energy(F: Any, N: Any) -> float:
    """Sum of v^T I v / 2 over nodes [J]; needs fresh VEL and inertias that are not composite yet."""
    VEL, CI, work = floats(F, N, at.F_VEL), floats(F, N, at.F_CI), floats(F, N, at.F_TWIST)
    total = 0.0
    for i in range(N[at.NODES]):
        _momentum(CI, 10 * i, VEL, 6 * i, work, 0)
        for a in range(6):
            total += 0.5 * VEL[6 * i + a] * work[a]
    return total


@compiled
def potential_energy(F: Any, N: Any) -> float:
    """-g . sum m c over nodes [J], zero at the world's origin; needs inertias that are not composite yet."""
    CI, gravity = floats(F, N, at.F_CI), floats(F, N, at.F_GRAVITY)
    total = 0.0
    for i in range(N[at.NODES]):
        for a in range(3):
            total -= gravity[a] * CI[10 * i + 1 + a]
    return total


__all__ = [
    "BALL",
    "kinetic_energy",
    "potential_energy",
    "spread_velocities",
    "update_bias",
    "update_inertias",
    "update_mass",
    "update_poses",
    "update_velocities",
]
