"""The spanning tree alone: all loops cut, all couplings off; ordinary RNEA and CRBA body by body (RBDA tables 5.1 and
6.2).

It knows nothing of clusters' S, cJ and XU: this is what C-ABA is tried against.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.components import GROUND
from textbook.plucker import crf, crm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.tree import ClusterTree

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class SpanningTree:
    """Per body: `parents`, `up` (6, 6) from its parent, joint subspace `S` (6, nv), joint bias `c` (6,), its `columns`
    of q̇."""

    inertias: Array
    gravity: Array
    parents: tuple[int, ...]
    up: tuple[Array, ...]
    S: tuple[Array, ...]
    c: tuple[Array, ...]
    columns: tuple[slice, ...]
    size: int


def spanning_tree(tree: ClusterTree, q: Array, qd: Array) -> SpanningTree:
    """At spanning positions and velocities."""
    up = []
    S = []
    c = []
    columns = []
    for cluster in tree.clusters:
        chain = cluster.chain
        qc = q[cluster.q]
        qdc = qd[cluster.v]
        for i, joint in enumerate(chain.joints):
            qi, qdi = chain.position(i, qc), chain.velocity(i, qdc)
            up.append(joint.transform(qi) @ chain.Xtree[i])
            S.append(joint.subspace(qi))
            c.append(joint.bias(qi, qdi))
            first = cluster.first_v + chain.first_velocity[i]
            columns.append(slice(first, first + joint.velocity_size))
    return SpanningTree(
        tree.inertias, tree.gravity, tree.parents, tuple(up), tuple(S), tuple(c), tuple(columns), tree.span_size
    )


def tree_inverse_dynamics(tree: SpanningTree, qd: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """RNEA: joint forces (n_s,) of the cut tree, loops and couplings giving none."""
    n = len(tree.parents)
    v = np.zeros((n, 6))
    a = np.zeros((n, 6))
    f = np.zeros((n, 6))
    for i, parent in enumerate(tree.parents):
        across = tree.S[i] @ qd[tree.columns[i]]
        below_v = np.zeros(6) if parent == GROUND else v[parent]
        below_a = -tree.gravity if parent == GROUND else a[parent]
        # v_i = X v_p + S q̇ and, by differentiating in moving coordinates, a_i = X a_p + S q̈ + c + v x S q̇ (RBDA,
        # table 5.1).
        v[i] = tree.up[i] @ below_v + across
        a[i] = tree.up[i] @ below_a + tree.S[i] @ qdd[tree.columns[i]] + tree.c[i] + crm(v[i]) @ across
        f[i] = tree.inertias[i] @ a[i] + crf(v[i]) @ tree.inertias[i] @ v[i]
        if f_ext is not None:
            f[i] -= f_ext[i]
    tau = np.zeros(tree.size)
    for i in range(n - 1, -1, -1):
        tau[tree.columns[i]] = tree.S[i].T @ f[i]
        if tree.parents[i] != GROUND:
            # f_p = Xᵀ f: what a joint transmits is the parent's load.
            f[tree.parents[i]] += tree.up[i].T @ f[i]
    return tau


def tree_mass_matrix(tree: SpanningTree) -> Array:
    """CRBA: H of the cut tree, shape (n_s, n_s)."""
    composite = tree.inertias.copy()
    H = np.zeros((tree.size, tree.size))
    for i in range(len(tree.parents) - 1, -1, -1):
        if tree.parents[i] != GROUND:
            composite[tree.parents[i]] += tree.up[i].T @ composite[i] @ tree.up[i]
        # Column i: the force of a unit of q̈_i, which each ancestor's S meets on its way to the root (RBDA, table 6.2).
        F = composite[i] @ tree.S[i]
        H[tree.columns[i], tree.columns[i]] = tree.S[i].T @ F
        j = i
        while tree.parents[j] != GROUND:
            F = tree.up[j].T @ F
            j = tree.parents[j]
            H[tree.columns[i], tree.columns[j]] = F.T @ tree.S[j]
            H[tree.columns[j], tree.columns[i]] = H[tree.columns[i], tree.columns[j]].T
    return H
