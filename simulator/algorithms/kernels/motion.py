"""Velocities and accelerations from the ROOT to the tips, and Jacobians (Featherstone, RBDA 4.4 and table 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.algorithms.kernels import layout as at
from simulator.algorithms.kernels.algebra import add_cross_motion, compose, transform_motion
from simulator.algorithms.kernels.joint_stage import place_joint
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.algorithms.kernels.layout import Tree
    from simulator.kinematics.arrays import Array, Array2, Array3, IntArray, IntArray2


@compiled
def move(table: IntArray, axis: Array, X_tree: Array, q: Array, qd: Array, mats: Array, vecs: Array) -> None:
    """X_up, S, v_i = X_up v_parent + vJ and c_i = cJ + v_i x vJ of every body."""
    for i in range(1, table.shape[0]):
        place_joint(i, table, axis, q, qd, mats, vecs)
        first = table[i, at.FIRST]
        S = mats[at.S, i]
        vJ = vecs[at.VJ, i]
        v = vecs[at.V, i]
        c = vecs[at.C, i]
        compose(mats[at.XJ, i], X_tree[i], mats[at.XUP, i])
        transform_motion(mats[at.XUP, i], vecs[at.V, table[i, at.PARENT]], v)
        vJ[:] = 0.0
        for k in range(table[i, at.COUNT]):
            for j in range(6):
                vJ[j] += S[k, j] * qd[first + k]
        for j in range(6):
            v[j] += vJ[j]
            c[j] = vecs[at.CJ, i, j]
        add_cross_motion(v, vJ, c)


@compiled
def accelerate(table: IntArray, qdd: Array, gravity: Array, mats: Array, vecs: Array) -> None:
    """a_i = X_up a_parent + S qdd + c_i; the ROOT accelerates against gravity."""
    for j in range(3):
        vecs[at.A, 0, j] = 0.0
        # A root that accelerates upwards is the same as a field downwards, and spares a force on every body.
        vecs[at.A, 0, j + 3] = -gravity[j]
    for i in range(1, table.shape[0]):
        first = table[i, at.FIRST]
        S = mats[at.S, i]
        a = vecs[at.A, i]
        transform_motion(mats[at.XUP, i], vecs[at.A, table[i, at.PARENT]], a)
        for j in range(6):
            a[j] += vecs[at.C, i, j]
        for k in range(table[i, at.COUNT]):
            for j in range(6):
                a[j] += S[k, j] * qdd[first + k]


@entry("motion")
def kinematics(tree: Tree, q: Array, qd: Array, qdd: Array, gravity: Array) -> None:
    """Leave mats[XBASE], mats[S], vecs[V] and vecs[A] of every body in the workspace; `gravity` instead of the tree's
    own."""
    table, axis, X_tree, _, _, mats, vecs = tree
    move(table, axis, X_tree, q, qd, mats, vecs)
    accelerate(table, qdd, gravity, mats, vecs)
    mats[at.XBASE, 0] = 0.0
    for k in range(6):
        mats[at.XBASE, 0, k, k] = 1.0
    for i in range(1, table.shape[0]):
        compose(mats[at.XUP, i], mats[at.XBASE, table[i, at.PARENT]], mats[at.XBASE, i])


@entry("motion")
def jacobian(table: IntArray2, X_base: Array3, S: Array3, body: int, point: Array, out: Array2) -> None:
    """out (6, nv): angular and linear velocity of the `point` [m, ROOT's axes] of `body` per unit of qd, along the
    ROOT's axes."""
    out[:, :] = 0.0
    i = body
    while i > 0:
        X = X_base[i]
        for k in range(table[i, at.COUNT]):
            column = table[i, at.FIRST] + k
            for j in range(3):
                angular, linear = 0.0, 0.0
                for m in range(3):
                    # X^-1 = [[Eᵀ, 0], [Bᵀ, Eᵀ]] for X = [[E, 0], [B, E]]: back to the ROOT without an inverse.
                    angular += X[m, j] * S[i, k, m]
                    linear += X[m + 3, j] * S[i, k, m] + X[m, j] * S[i, k, m + 3]
                out[j, column] = angular
                out[j + 3, column] = linear
            # From the ROOT's origin to the point: v_P = v_O + ω x p.
            x = out[0, column]
            y = out[1, column]
            z = out[2, column]
            out[3, column] += y * point[2] - z * point[1]
            out[4, column] += z * point[0] - x * point[2]
            out[5, column] += x * point[1] - y * point[0]
        i = table[i, at.PARENT]
