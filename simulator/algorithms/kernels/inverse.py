"""Inverse dynamics and the mass matrix (Featherstone, RBDA tables 5.1 and 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.algorithms.kernels import layout as at
from simulator.algorithms.kernels.algebra import (
    add_force_back,
    add_inertia_back,
    copy_inertias,
    cross_force,
    dot,
    multiply,
    transform_force_back,
)
from simulator.algorithms.kernels.motion import accelerate, move
from simulator.native.kernels import entry

if TYPE_CHECKING:
    from simulator.algorithms.kernels.layout import Tree
    from simulator.kinematics.arrays import Array, Array2


@entry("motion")
def rnea(tree: Tree, q: Array, qd: Array, qdd: Array, external: Array2, tau: Array) -> None:
    """tau (nv,): recursive Newton-Euler. f_i = I a + v x* I v - external, carried to the parents with X.T."""
    table, axis, X_tree, inertia, gravity, mats, vecs = tree
    move(table, axis, X_tree, q, qd, mats, vecs)
    accelerate(table, qdd, gravity, mats, vecs)
    momentum = vecs[at.Z, 0]
    for i in range(1, table.shape[0]):
        f = vecs[at.F, i]
        multiply(inertia[i], vecs[at.V, i], momentum)
        cross_force(vecs[at.V, i], momentum, f)
        multiply(inertia[i], vecs[at.A, i], momentum)
        for j in range(6):
            f[j] += momentum[j] - external[i, j]
    for i in range(table.shape[0] - 1, 0, -1):
        f = vecs[at.F, i]
        first = table[i, at.FIRST]
        for k in range(table[i, at.COUNT]):
            # Power of the joint: τ is the part of the transmitted force along the free direction.
            tau[first + k] = dot(mats[at.S, i, k], f)
        if table[i, at.PARENT] > 0:
            add_force_back(mats[at.XUP, i], f, vecs[at.F, table[i, at.PARENT]])


@entry("motion")
def crba(tree: Tree, q: Array, qd: Array, out: Array2) -> None:
    """out (nv, nv): mass matrix H from composite inertias."""
    table, axis, X_tree, inertia, _, mats, vecs = tree
    move(table, axis, X_tree, q, qd, mats, vecs)
    composite = mats[at.INERTIA]
    scratch = mats[at.SCRATCH, 0]
    copy_inertias(inertia, composite)
    out[:, :] = 0.0
    F, G = vecs[at.Z, 0], vecs[at.F, 0]
    for i in range(table.shape[0] - 1, 0, -1):
        if table[i, at.PARENT] > 0:
            add_inertia_back(mats[at.XUP, i], composite[i], scratch, composite[table[i, at.PARENT]])
        for k in range(table[i, at.COUNT]):
            row = table[i, at.FIRST] + k
            multiply(composite[i], mats[at.S, i, k], F)
            j = i
            while j > 0:
                for m in range(table[j, at.COUNT]):
                    column = table[j, at.FIRST] + m
                    # H_ij = S_jᵀ (X…ᵀ Iᶜ S_i): the force that unit q̈_i needs, felt at every joint on the way to the
                    # root.
                    out[row, column] = out[column, row] = dot(mats[at.S, j, m], F)
                transform_force_back(mats[at.XUP, j], F, G)
                for m in range(6):
                    F[m] = G[m]
                j = table[j, at.PARENT]
