"""C-ABA over flat arrays (GRBDA, arXiv 2311.13732, algorithm 4); the arrays are described in `clusters/flat.py`.

Plain loops over numbers: the compiler's matrix products would need SciPy. No array is allocated in a sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.jit import compiled, compiled_with_arrays
from simulator.dynamics.kernels.algebra import (
    add_cross_motion,
    add_force_back,
    compose,
    cross_force,
    factor,
    multiply,
    transform_motion,
)
from simulator.dynamics.kernels.joint_stage import turn_about, unturned, write_transform

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


@compiled
def joint_transform(kind: int, axis: Array, q: float, Xtree: Array, out: Array, room: Array) -> None:
    """XJ(q) Xtree of a unit axis, shape (6, 6); `room` (6, 6) is overwritten."""
    if kind == 0:
        write_transform(room, turn_about(axis[0], axis[1], axis[2], q), 0.0, 0.0, 0.0)
    else:
        write_transform(room, unturned(), q * axis[0], q * axis[1], q * axis[2])
    compose(room, Xtree, out)


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
def carried_by(parent: int, b: int, n: int, up: Array, X: Array, J: Array, rel: Array, a: Array) -> None:
    """Body b of a cluster of n moves with its inner parent: X, J, relative velocity and bias are carried over."""
    compose(up[b], X[parent], X[b])
    for i in range(6):
        for j in range(n):
            for k in range(6):
                J[b, i, j] += up[b, i, k] * J[parent, k, j]
    transform_motion(up[b], rel[parent], rel[b])
    transform_motion(up[b], a[parent], a[b])


@compiled_with_arrays
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
    if outer[b] >= 0:
        transform_motion(X[b], v[outer[b]], v[b])
    else:
        v[b] = 0.0
    for i in range(6):
        v[b, i] += rel[b, i]
        c[b, i] = a[b, i]
        for k in range(width):
            S[b, i, k] = 0.0
        for j in range(n):
            c[b, i] += J[b, i, j] * g[f + j]
            for k in range(width):
                S[b, i, k] += J[b, i, j] * G[f + j, k]
    add_cross_motion(v[b], rel[b], c[b])


@compiled
def start_force(b: int, inertia: Array, v: Array, f_ext: Array, p: Array, momentum: Array) -> None:
    """p = v x* I v − f_ext of body b; `momentum` (6,) is room to work in."""
    multiply(inertia[b], v[b], momentum)
    cross_force(v[b], momentum, p[b])
    for k in range(6):
        p[b, k] -= f_ext[b, k]


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
    return bool(factor(D[f], width))


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
        add_force_back(X[f + b], p[f + b], p[outer[f + b]])
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
        if outer[b] >= 0:
            transform_motion(X[b], a[outer[b]], a[b])
        else:
            transform_motion(X[b], gravity, a[b])
            for i in range(6):
                a[b, i] = -a[b, i]
        for i in range(6):
            a[b, i] += c[b, i]
            for k in range(width):
                ydd[k] -= U[b, i, k] * a[b, i]
    cholesky_solve(D[f], ydd, width)
    for b in range(f, f + n):
        for i in range(6):
            for k in range(width):
                a[b, i] += S[b, i, k] * ydd[k]


@compiled_with_arrays
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
