"""Constrained dynamics on the spanning tree, in two more ways than C-ABA: projection and Lagrange multipliers (RBDA 8.3
to 8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.spanning import spanning_tree, tree_inverse_dynamics, tree_mass_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.spanning import SpanningTree
    from textbook.clusters.tree import ClusterTree, TreeState

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stacked:
    """The spanning tree with all constraints: H (n_s, n_s), C (n_s,) with external forces in it, and G, g, K, k of all
    clusters."""

    tree: SpanningTree
    qd: Array
    H: Array
    C: Array
    G: Array
    g: Array
    K: Array
    k: Array


@dataclass(frozen=True)
class Multipliers:
    """ÿ (n_i,), q̈ (n_s,), λ (r,) of the kept rows in cluster order, and the constraint forces Kᵀλ (n_s,) on the
    joints."""

    ydd: Array
    qdd: Array
    lam: Array
    forces: Array


def stacked(tree: ClusterTree, state: TreeState, f_ext: Array | None = None) -> Stacked:
    """Everything of the spanning tree and its constraints at a state."""
    n, freedoms = tree.span_size, tree.freedoms
    G = np.zeros((n, freedoms))
    g = np.zeros(n)
    qd = np.zeros(n)
    Ks: list[Array] = [np.zeros((0, n))]
    ks: list[Array] = [np.zeros(0)]
    for cluster in tree.clusters:
        constraint = cluster.joint.constraint
        q = state.q[cluster.q]
        (G[cluster.v, cluster.y], g[cluster.v]), qd[cluster.v] = constraint.maps_along(q, state.yd[cluster.y])
        own = constraint.rows(q, qd[cluster.v])
        wide = np.zeros((len(own.K), n))
        wide[:, cluster.v] = own.K
        Ks.append(wide)
        ks.append(own.k)
    cut = spanning_tree(tree, state.q, qd)
    # RNEA at q̈ = 0 of the cut tree.
    C = tree_inverse_dynamics(cut, qd, np.zeros(n), f_ext)
    return Stacked(cut, qd, tree_mass_matrix(cut), C, G, g, np.concatenate(Ks), np.concatenate(ks))


def forward_by_projection(all_: Stacked, tau: Array) -> Array:
    """ÿ (n_i,) of (GᵀHG) ÿ = τ − Gᵀ(C + H g)."""
    G, H = all_.G, all_.H
    return np.asarray(np.linalg.solve(G.T @ H @ G, tau - G.T @ (all_.C + H @ all_.g)), dtype=np.float64)


def inverse_by_projection(all_: Stacked, ydd: Array, f_ext: Array | None = None) -> Array:
    """τ (n_i,) = Gᵀ RNEA(q, q̇, G ÿ + g)."""
    qdd = all_.G @ ydd + all_.g
    result: Array = all_.G.T @ tree_inverse_dynamics(all_.tree, all_.qd, qdd, f_ext)
    return result


def forward_by_multipliers(all_: Stacked, tau: Array) -> Multipliers:
    """Joint forces τ_full = pinv(Gᵀ) τ, then (K H⁻¹ Kᵀ) λ = k − K H⁻¹ (τ_full − C) and q̈ = H⁻¹ (τ_full − C + Kᵀλ)."""
    full = joint_forces(all_, tau)
    K = all_.K
    # One factorization of H for both right sides; λ from the Schur complement K H^-1 Kᵀ.
    solved = np.linalg.solve(all_.H, np.column_stack((full - all_.C, K.T)))
    free = solved[:, 0]
    effect = solved[:, 1:]
    lam: Array = np.zeros(0)
    if len(K):
        lam = np.asarray(np.linalg.solve(K @ effect, all_.k - K @ free), dtype=np.float64)
    qdd = free + effect @ lam
    ydd = np.asarray(np.linalg.lstsq(all_.G, qdd - all_.g, rcond=None)[0], dtype=np.float64)
    return Multipliers(ydd, qdd, lam, K.T @ lam)


def joint_forces(all_: Stacked, tau: Array) -> Array:
    """τ_full (n_s,) = pinv(Gᵀ) τ: forces on the tree joints that do the work of τ."""
    return np.asarray(np.linalg.lstsq(all_.G.T, tau, rcond=None)[0], dtype=np.float64)


def constraint_forces(all_: Stacked, tau: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """What loops and couplings exert on the tree joints (n_s,), from RNEA on the cut tree: RNEA(q̈) − τ_full, which is
    Kᵀλ."""
    result: Array = tree_inverse_dynamics(all_.tree, all_.qd, qdd, f_ext) - joint_forces(all_, tau)
    return result
