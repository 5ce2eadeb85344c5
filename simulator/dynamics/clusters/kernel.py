"""C-ABA over flat arrays, compiled (GRBDA, arXiv 2311.13732, algorithm 4); the arrays are described in `flat`.

Plain loops over numbers: the compiler's matrix products would need SciPy. No array is allocated in a sweep.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.jit import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


@compiled
def joint_transform(kind: int, axis: Array, q: float, Xtree: Array, out: Array, E: Array) -> None:
    """XJ(q) Xtree of a unit axis, shape (6, 6); `E` (6, 6) is room to work in."""
    x, y, z = axis[0], axis[1], axis[2]
    if kind == 0:
        c, s = math.cos(q), math.sin(q)
        d = 1.0 - c
        E[0, 0], E[0, 1], E[0, 2] = c + d * x * x, d * x * y + s * z, d * x * z - s * y
        E[1, 0], E[1, 1], E[1, 2] = d * x * y - s * z, c + d * y * y, d * y * z + s * x
        E[2, 0], E[2, 1], E[2, 2] = d * x * z + s * y, d * y * z - s * x, c + d * z * z
        for i in range(3):
            for j in range(6):
                top, bottom = 0.0, 0.0
                for k in range(3):
                    top += E[i, k] * Xtree[k, j]
                    bottom += E[i, k] * Xtree[3 + k, j]
                out[i, j], out[3 + i, j] = top, bottom
    else:
        for j in range(6):
            w0, w1, w2 = Xtree[0, j], Xtree[1, j], Xtree[2, j]
            out[0, j], out[1, j], out[2, j] = w0, w1, w2
            out[3, j] = Xtree[3, j] - q * (y * w2 - z * w1)
            out[4, j] = Xtree[4, j] - q * (z * w0 - x * w2)
            out[5, j] = Xtree[5, j] - q * (x * w1 - y * w0)


@compiled
def apply(X: Array, m: Array, out: Array) -> None:
    """out += X m."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += X[i, j] * m[j]
        out[i] += total


@compiled
def apply_transposed(X: Array, f: Array, out: Array) -> None:
    """out += Xᵀ f."""
    for j in range(6):
        total = 0.0
        for i in range(6):
            total += X[i, j] * f[i]
        out[j] += total


@compiled
def add_cross_motion(v: Array, m: Array, out: Array) -> None:
    """out += v x m."""
    out[0] += v[1] * m[2] - v[2] * m[1]
    out[1] += v[2] * m[0] - v[0] * m[2]
    out[2] += v[0] * m[1] - v[1] * m[0]
    out[3] += v[1] * m[5] - v[2] * m[4] + v[4] * m[2] - v[5] * m[1]
    out[4] += v[2] * m[3] - v[0] * m[5] + v[5] * m[0] - v[3] * m[2]
    out[5] += v[0] * m[4] - v[1] * m[3] + v[3] * m[1] - v[4] * m[0]


@compiled
def add_cross_force(v: Array, f: Array, out: Array) -> None:
    """out += v x* f."""
    out[0] += v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4]
    out[1] += v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5]
    out[2] += v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3]
    out[3] += v[1] * f[5] - v[2] * f[4]
    out[4] += v[2] * f[3] - v[0] * f[5]
    out[5] += v[0] * f[4] - v[1] * f[3]


@compiled
def cholesky_solve(D: Array, b: Array, n: int) -> None:
    """b := D⁻¹ b, D holding its Cholesky factor below and on the diagonal."""
    for i in range(n):
        for k in range(i):
            b[i] -= D[i, k] * b[k]
        b[i] /= D[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= D[k, i] * b[k]
        b[i] /= D[i, i]


@compiled
def cholesky(D: Array, n: int) -> bool:
    """D := its lower Cholesky factor; False where D is not positive definite."""
    for j in range(n):
        for i in range(j, n):
            total = D[i, j]
            for k in range(j):
                total -= D[i, k] * D[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                D[j, j] = math.sqrt(total)
            else:
                D[i, j] = total / D[j, j]
    return True


@compiled
def carried_by(parent: int, b: int, n: int, up: Array, X: Array, J: Array, rel: Array, a: Array) -> None:
    """Body b of a cluster of n moves with its inner parent: X, J, relative velocity and bias are carried over."""
    for i in range(6):
        for j in range(6):
            X[b, i, j] = 0.0
            for k in range(6):
                X[b, i, j] += up[b, i, k] * X[parent, k, j]
        for j in range(n):
            for k in range(6):
                J[b, i, j] += up[b, i, k] * J[parent, k, j]
    apply(up[b], rel[parent], rel[b])
    apply(up[b], a[parent], a[b])


@compiled
def across_joint(
    b: int, f: int, n: int, kind: Ints, inner: Ints, axis: Array, Xtree: Array, q: Array, rate: float,
    up: Array, X: Array, J: Array, rel: Array, a: Array, room: Array,
) -> None:  # fmt: skip
    """Body b of the cluster f … f + n − 1 against the parent cluster: X, Jacobian J, velocity rel = J q̇ and bias a = J̊ q̇."""
    joint_transform(kind[b], axis[b], q[b], Xtree[b], up[b], room)
    row = 0 if kind[b] == 0 else 3
    J[b], rel[b], a[b], X[b] = 0.0, 0.0, 0.0, up[b]
    if inner[b] >= 0:
        carried_by(inner[b], b, n, up, X, J, rel, a)
    across = room[0]
    across[:] = 0.0
    for i in range(3):
        across[row + i] = axis[b, i] * rate
        J[b, row + i, b - f] += axis[b, i]
    for i in range(6):
        rel[b, i] += across[i]
    add_cross_motion(rel[b], across, a[b])


@compiled
def embed(
    b: int, f: int, n: int, width: int, outer: Ints, G: Array, g: Array, X: Array, J: Array, S: Array, rel: Array, v: Array, c: Array,
    a: Array,
) -> None:  # fmt: skip
    """S = J G, v = X v_outer + rel and c = a + J g + v x rel of body b."""
    for i in range(6):
        v[b, i], c[b, i] = rel[b, i], a[b, i]
        for k in range(width):
            S[b, i, k] = 0.0
        for j in range(n):
            c[b, i] += J[b, i, j] * g[f + j]
            for k in range(width):
                S[b, i, k] += J[b, i, j] * G[f + j, k]
    if outer[b] >= 0:
        apply(X[b], v[outer[b]], v[b])
    add_cross_motion(v[b], rel[b], c[b])


@compiled
def start_force(b: int, inertia: Array, v: Array, f_ext: Array, p: Array, momentum: Array) -> None:
    """p = v x* I v − f_ext of body b; `momentum` (6,) is room to work in."""
    momentum[:] = 0.0
    apply(inertia[b], v[b], momentum)
    for k in range(6):
        p[b, k] = -f_ext[b, k]
    add_cross_force(v[b], momentum, p[b])


@compiled
def articulate(
    f: int, n: int, width: int, IA: Array, S: Array, U: Array, D: Array, p: Array, tau: Array, u: Array
) -> bool:
    """U = IA S, D[f] = SᵀU factored, u = τ − Sᵀp; False where D is not positive definite."""
    for k in range(width):
        u[k] = tau[k]
        for m in range(width):
            D[f, k, m] = 0.0
    for r in range(6 * n):
        b, i = f + r // 6, r % 6
        for k in range(width):
            U[b, i, k] = 0.0
            u[k] -= S[b, i, k] * p[b, i]
            for j in range(6 * n):
                U[b, i, k] += IA[r, j] * S[f + j // 6, j % 6, k]
        for k in range(width):
            for m in range(width):
                D[f, k, m] += S[b, i, k] * U[b, i, m]
    return bool(cholesky(D[f], width))


@compiled
def condense(
    f: int, n: int, width: int, IA: Array, U: Array, D: Array, c: Array, p: Array, u: Array, small: Array
) -> None:
    """IA := Ia = IA − U D⁻¹ Uᵀ, p := p + Ia c + U D⁻¹ u."""
    for r in range(6 * n):
        b, i = f + r // 6, r % 6
        for k in range(width):
            small[k] = U[b, i, k]
        cholesky_solve(D[f], small, width)
        for k in range(width):
            p[b, i] += small[k] * u[k]
        for s in range(6 * n):
            for k in range(width):
                IA[r, s] -= small[k] * U[f + s // 6, s % 6, k]
            p[b, i] += IA[r, s] * c[f + s // 6, s % 6]


@compiled
def load_parent(
    f: int, n: int, above: int, outer: Ints, X: Array, IA: Array, IA_parent: Array, p: Array, half: Array
) -> None:
    """IA_p += XUᵀ IA XU, p_p += XUᵀ p, block by block; `above` is the first body of the parent cluster, `half` (6, 6) room."""
    for b in range(n):
        apply_transposed(X[f + b], p[f + b], p[outer[f + b]])
        row = 6 * (outer[f + b] - above)
        for e in range(n):
            column = 6 * (outer[f + e] - above)
            for i in range(6):
                for j in range(6):
                    total = 0.0
                    for k in range(6):
                        total += IA[6 * b + i, 6 * e + k] * X[f + e, k, j]
                    half[i, j] = total
            for i in range(6):
                for j in range(6):
                    for k in range(6):
                        IA_parent[row + i, column + j] += X[f + b, k, i] * half[k, j]


@compiled
def accelerate(
    f: int, n: int, width: int, outer: Ints, gravity: Array, X: Array, S: Array, U: Array, D: Array, c: Array, u: Array, a: Array,
    ydd: Array,
) -> None:  # fmt: skip
    """ÿ = D⁻¹ (u − Uᵀ a'), a = a' + S ÿ with a' = XU a_p + c."""
    for k in range(width):
        ydd[k] = u[k]
    for b in range(f, f + n):
        for i in range(6):
            a[b, i] = c[b, i]
        if outer[b] >= 0:
            apply(X[b], a[outer[b]], a[b])
        else:
            for i in range(6):
                for j in range(6):
                    a[b, i] -= X[b, i, j] * gravity[j]
        for i in range(6):
            for k in range(width):
                ydd[k] -= U[b, i, k] * a[b, i]
    cholesky_solve(D[f], ydd, width)
    for b in range(f, f + n):
        for i in range(6):
            for k in range(width):
                a[b, i] += S[b, i, k] * ydd[k]


@compiled
def forward_sweep(
    kind: Ints, inner: Ints, outer: Ints, axis: Array, Xtree: Array, inertia: Array, first: Ints, first_y: Ints, start: Ints,
    parent: Ints, G: Array, g: Array, gravity: Array, q: Array, yd: Array, tau: Array, f_ext: Array, ydd: Array,
    up: Array, X: Array, J: Array, S: Array, U: Array, rel: Array, v: Array, c: Array, p: Array, a: Array, IA: Array, D: Array,
    u: Array, small: Array, room: Array,
) -> bool:  # fmt: skip
    """ÿ into `ydd`; False where a cluster's D is not positive definite."""
    clusters = len(parent)
    IA[:] = 0.0
    for i in range(clusters):
        f, n, y = first[i], first[i + 1] - first[i], first_y[i]
        width = first_y[i + 1] - y
        block = IA[start[i] : start[i + 1]].reshape(6 * n, 6 * n)
        for b in range(f, f + n):
            rate = 0.0
            for k in range(width):
                rate += G[b, k] * yd[y + k]
            across_joint(b, f, n, kind, inner, axis, Xtree, q, rate, up, X, J, rel, a, room)
            embed(b, f, n, width, outer, G, g, X, J, S, rel, v, c, a)
            place = 6 * (b - f)
            block[place : place + 6, place : place + 6] = inertia[b]
            start_force(b, inertia, v, f_ext, p, room[0])
    for i in range(clusters - 1, -1, -1):
        f, n, y, above = first[i], first[i + 1] - first[i], first_y[i], parent[i]
        width = first_y[i + 1] - y
        block = IA[start[i] : start[i + 1]].reshape(6 * n, 6 * n)
        if not articulate(f, n, width, block, S, U, D, p, tau[y:], u[y:]):
            return False
        if above >= 0:
            condense(f, n, width, block, U, D, c, p, u[y:], small)
            m = first[above + 1] - first[above]
            over = IA[start[above] : start[above + 1]].reshape(6 * m, 6 * m)
            load_parent(f, n, first[above], outer, X, block, over, p, room)
    for i in range(clusters):
        f, n, y = first[i], first[i + 1] - first[i], first_y[i]
        accelerate(f, n, first_y[i + 1] - y, outer, gravity, X, S, U, D, c, u[y:], a, ydd[y:])
    return True
