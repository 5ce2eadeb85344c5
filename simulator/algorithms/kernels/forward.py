"""Forward dynamics by articulated bodies (Featherstone, RBDA table 7.1), with D = L L.T factored once per joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.algorithms.kernels import layout as at
from simulator.algorithms.kernels.algebra import (
    add_force_back,
    add_inertia_back,
    copy_inertias,
    cross_force,
    dot,
    factor,
    multiply,
    transform_motion,
)
from simulator.algorithms.kernels.motion import move
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.algorithms.kernels.layout import Tree
    from simulator.kinematics.arrays import Array, Array2, IntArray


@compiled
def _project(i: int, table: IntArray, tau: Array, mats: Array, vecs: Array) -> bool:
    """D = S.T IA S = L L.T; rows of Y = L^-1 (IA S).T; z = L^-1 (tau - S.T pA)."""
    S = mats[at.S, i]
    Y = mats[at.Y, i]
    L = mats[at.CHOLESKY, i]
    z = vecs[at.Z, i]
    count, first = table[i, at.COUNT], table[i, at.FIRST]
    for k in range(count):
        multiply(mats[at.INERTIA, i], S[k], Y[k])
        z[k] = tau[first + k] - dot(S[k], vecs[at.F, i])
        for m in range(k + 1):
            L[k, m] = dot(S[m], Y[k])
    if not factor(L, count):
        return False
    for k in range(count):
        for m in range(k):
            # Forward substitution with L, for z and for all rows of Y: U D^-1 Uᵀ becomes Yᵀ Y, symmetric to the last
            # bit.
            z[k] -= L[k, m] * z[m]
            for j in range(6):
                Y[k, j] -= L[k, m] * Y[m, j]
        z[k] /= L[k, k]
        for j in range(6):
            Y[k, j] /= L[k, k]
    return True


@compiled
def _hand_to_parent(i: int, table: IntArray, mats: Array, vecs: Array) -> None:
    """Ia = IA - Y.T Y and pa = pA + Ia c + Y.T z, added to the parent's."""
    inertia = mats[at.INERTIA, i]
    pA = vecs[at.F, i]
    Y = mats[at.Y, i]
    z = vecs[at.Z, i]
    for k in range(table[i, at.COUNT]):
        for m in range(6):
            for j in range(6):
                # What the joint gives way to is not felt by the parent (RBDA 7.2).
                inertia[m, j] -= Y[k, m] * Y[k, j]
    for m in range(6):
        pA[m] += dot(inertia[m], vecs[at.C, i])
        for k in range(table[i, at.COUNT]):
            pA[m] += Y[k, m] * z[k]
    parent = table[i, at.PARENT]
    add_inertia_back(mats[at.XUP, i], inertia, mats[at.SCRATCH, i], mats[at.INERTIA, parent])
    add_force_back(mats[at.XUP, i], pA, vecs[at.F, parent])


@compiled
def _solve_outward(table: IntArray, gravity: Array, mats: Array, vecs: Array, qdd: Array) -> None:
    """a' = X a_parent + c; qdd = L^-T (z - Y a'); a = a' + S qdd."""
    for j in range(3):
        vecs[at.A, 0, j] = 0.0
        vecs[at.A, 0, j + 3] = -gravity[j]
    for i in range(1, table.shape[0]):
        S = mats[at.S, i]
        Y = mats[at.Y, i]
        L = mats[at.CHOLESKY, i]
        a = vecs[at.A, i]
        count, first = table[i, at.COUNT], table[i, at.FIRST]
        transform_motion(mats[at.XUP, i], vecs[at.A, table[i, at.PARENT]], a)
        for j in range(6):
            a[j] += vecs[at.C, i, j]
        for k in range(count - 1, -1, -1):
            value = vecs[at.Z, i, k] - dot(Y[k], a)
            qdd[first + k] = value
        for k in range(count - 1, -1, -1):
            for m in range(k + 1, count):
                # Back substitution with Lᵀ.
                qdd[first + k] -= L[m, k] * qdd[first + m]
            qdd[first + k] /= L[k, k]
        for k in range(count):
            for j in range(6):
                a[j] += S[k, j] * qdd[first + k]


@entry("motion")
def aba(tree: Tree, q: Array, qd: Array, tau: Array, external: Array2, qdd: Array) -> int:
    """qdd (nv,) from efforts `tau`. Returns 0, or the body whose joint has a freedom without inertia."""
    table, axis, X_tree, inertia, gravity, mats, vecs = tree
    move(table, axis, X_tree, q, qd, mats, vecs)
    copy_inertias(inertia, mats[at.INERTIA])
    momentum = vecs[at.Z, 0]
    for i in range(1, table.shape[0]):
        multiply(inertia[i], vecs[at.V, i], momentum)
        # p = v x* I v: the force that keeps a body on its turning way without acceleration.
        cross_force(vecs[at.V, i], momentum, vecs[at.F, i])
        for j in range(6):
            vecs[at.F, i, j] -= external[i, j]
    for i in range(table.shape[0] - 1, 0, -1):
        if not _project(i, table, tau, mats, vecs):
            return i
        if table[i, at.PARENT] > 0:
            _hand_to_parent(i, table, mats, vecs)
    _solve_outward(table, gravity, mats, vecs, qdd)
    return 0
