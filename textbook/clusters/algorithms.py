"""Inverse dynamics, mass matrix and forward dynamics on cluster trees (GRBDA, arXiv 2311.13732, algorithms 2 to 4).

Spatial vectors are stacked body by body within a cluster; `f_ext` (n, 6) are couples [N·m] and forces [N] on the
bodies, in their own coordinates. The root accelerates with −gravity, so that gravity is not a force of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.components import GROUND
from textbook.clusters.crossings import block_diagonal, blockwise, cross_forces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from textbook.clusters.kinematics import TreeMotion

    Array = NDArray[np.float64]


def inverse_dynamics(motion: TreeMotion, ydd: Array, f_ext: Array | None = None) -> Array:
    """RNEA: generalized forces τ (n_i,) that give the accelerations ÿ (n_i,)."""
    tree = motion.tree
    accelerations = cluster_accelerations(motion, ydd)
    tau = np.zeros(tree.freedoms)
    forces = [net_force(motion, i, a, f_ext) for i, a in enumerate(accelerations)]
    for i in range(len(tree.clusters) - 1, -1, -1):
        cluster = tree.clusters[i]
        # Of the wrench that the cluster joint transmits, Sᵀ f is what an actuator has to give; the rest is constraint
        # force and does no work (principle of Jourdain).
        tau[cluster.y] = motion.clusters[i].S.T @ forces[i]
        if cluster.parent != GROUND:
            forces[cluster.parent] += motion.XU[i].T @ forces[i]
    return tau


def cluster_accelerations(motion: TreeMotion, ydd: Array) -> list[Array]:
    """a = XU a_p + S ÿ + cJ + v x vJ per cluster, shape (6N,), with the root at −gravity."""
    tree = motion.tree
    result: list[Array] = []
    for i, cluster in enumerate(tree.clusters):
        # Gravity as a fictitious acceleration of the ground: every body then feels −m g as a part of I a (RBDA 5.3).
        above = -tree.gravity if cluster.parent == GROUND else result[cluster.parent]
        result.append(motion.XU[i] @ above + motion.clusters[i].S @ ydd[cluster.y] + motion.bias[i])
    return result


def net_force(motion: TreeMotion, index: int, a: Array, f_ext: Array | None) -> Array:
    """I a + v x* I v − f_ext of one cluster, shape (6N,)."""
    tree = motion.tree
    cluster, v = tree.clusters[index], motion.v[index]
    inertias = tree.inertia_of(cluster)
    # Newton and Euler in body coordinates: f = d(I v)/dt = I a + v x* I v, the second term from turning axes.
    force: Array = blockwise(inertias, a) + cross_forces(v, blockwise(inertias, v))
    if f_ext is not None:
        force = force - f_ext[list(cluster.bodies)].ravel()
    return force


def bias_force(motion: TreeMotion, f_ext: Array | None = None) -> Array:
    """C of H ÿ + C = τ, shape (n_i,): gravity, velocity products and external forces."""
    return inverse_dynamics(motion, np.zeros(motion.tree.freedoms), f_ext)


def mass_matrix(motion: TreeMotion) -> Array:
    """CRBA: H, shape (n_i, n_i)."""
    tree = motion.tree
    composite = [block_diagonal(tree.inertia_of(cluster)) for cluster in tree.clusters]
    H = np.zeros((tree.freedoms, tree.freedoms))
    for i in range(len(tree.clusters) - 1, -1, -1):
        cluster, XU = tree.clusters[i], motion.XU[i]
        if cluster.parent != GROUND:
            # While only ancestors accelerate, all that is outboard of them moves as one rigid body: Iᶜ of the parent
            # gathers it.
            composite[cluster.parent] += XU.T @ composite[i] @ XU
        F = composite[i] @ motion.clusters[i].S
        H[cluster.y, cluster.y] = motion.clusters[i].S.T @ F
        below = i
        j = cluster.parent
        while j != GROUND:
            # The force for a unit of ÿ_i, carried inboard to where S_j picks out H_ij (GRBDA, algorithm 3).
            F = motion.XU[below].T @ F
            H[cluster.y, tree.clusters[j].y] = F.T @ motion.clusters[j].S
            H[tree.clusters[j].y, cluster.y] = H[cluster.y, tree.clusters[j].y].T
            below = j
            j = tree.clusters[j].parent
    return H


@dataclass(frozen=True)
class Articulated:
    """Per cluster, for given inertias: `IA` (6N, 6N) articulated inertia, `U` = IA S (6N, n_i), `Dinv` = (SᵀU)⁻¹ (n_i,
    n_i)."""

    IA: tuple[Array, ...]
    U: tuple[Array, ...]
    Dinv: tuple[Array, ...]


def articulated_inertias(motion: TreeMotion, added: Sequence[Array] | None = None) -> Articulated:
    """The inertia sweep of C-ABA; `added[i]` (n_i, n_i) is put on top of D of cluster i (reflected inertias)."""
    tree = motion.tree
    IA = [block_diagonal(tree.inertia_of(cluster)) for cluster in tree.clusters]
    Us: list[Array] = [np.zeros(0)] * len(IA)
    inverses: list[Array] = [np.zeros(0)] * len(IA)
    for i in range(len(IA) - 1, -1, -1):
        cluster = tree.clusters[i]
        S = motion.clusters[i].S
        XU = motion.XU[i]
        # f = I^A a + p^A as if the subtree were one body: what gives way along S, D = Sᵀ I^A S, is taken out of what
        # the parent feels, I^a = I^A − U D⁻¹ Uᵀ (RBDA 7.2; GRBDA, algorithm 4).
        U = IA[i] @ S
        D = S.T @ U if added is None else S.T @ U + added[i]
        Us[i], inverses[i] = U, np.asarray(np.linalg.inv(D), dtype=np.float64)
        if cluster.parent != GROUND:
            Ia = IA[i] - U @ inverses[i] @ U.T
            IA[cluster.parent] += XU.T @ Ia @ XU
    return Articulated(tuple(IA), tuple(Us), tuple(inverses))


def forward_dynamics(
    motion: TreeMotion, tau: Array, f_ext: Array | None = None, *, added: Sequence[Array] | None = None
) -> Array:
    """C-ABA: accelerations ÿ (n_i,) under generalized forces τ (n_i,)."""
    tree = motion.tree
    parts = articulated_inertias(motion, added)
    zero = [np.zeros(6 * len(cluster.bodies)) for cluster in tree.clusters]
    pA = [net_force(motion, i, zero[i], f_ext) for i in range(len(tree.clusters))]
    u: list[Array] = [np.zeros(0)] * len(pA)
    for i in range(len(pA) - 1, -1, -1):
        cluster = tree.clusters[i]
        U = parts.U[i]
        Dinv = parts.Dinv[i]
        # u: what is left of τ for accelerating, after the bias force of the subtree has had its part.
        u[i] = tau[cluster.y] - motion.clusters[i].S.T @ pA[i]
        if cluster.parent != GROUND:
            c = motion.bias[i]
            # The bias force that the parent feels: with c, and with what the joint gives way under u.
            pa = pA[i] + parts.IA[i] @ c + U @ (Dinv @ (u[i] - U.T @ c))
            pA[cluster.parent] += motion.XU[i].T @ pa
    ydd = np.zeros(tree.freedoms)
    a: list[Array] = []
    for i, cluster in enumerate(tree.clusters):
        above = -tree.gravity if cluster.parent == GROUND else a[cluster.parent]
        carried = motion.XU[i] @ above + motion.bias[i]
        # D ÿ = u − Uᵀ a': the joint's own equation, once its inboard side's acceleration is known.
        ydd[cluster.y] = parts.Dinv[i] @ (u[i] - parts.U[i].T @ carried)
        a.append(carried + motion.clusters[i].S @ ydd[cluster.y])
    return ydd


def span_acceleration(motion: TreeMotion, ydd: Array) -> Array:
    """q̈ = G ÿ + g of all clusters, shape (n_s,)."""
    result: Array = motion.G @ ydd + motion.g
    return result
