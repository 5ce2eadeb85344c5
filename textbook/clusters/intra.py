"""The dense matrices of the cluster formulas, as the paper writes them; the algorithms use their blocks.

S = X_intra S_span G, vJ = X_intra S_span q̇, cJ = X̊_intra S_span q̇ + X_intra S_span g, with the block of X̊_intra
being −(v_i − X_ij v_j) x X_ij (GRBDA, arXiv 2311.13732, section IV).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textbook.plucker import crm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.chain import Chain

    Array = NDArray[np.float64]


def span_subspace(chain: Chain, q: Array) -> Array:
    """S_span, shape (6N, n_s): the joints' S on the diagonal."""
    n = len(chain.joints)
    result = np.zeros((6 * n, chain.first_velocity[-1]))
    for i, S in enumerate(chain.subspaces(q)):
        result[6 * i : 6 * i + 6, chain.first_velocity[i] : chain.first_velocity[i + 1]] = S
    return result


def intra_rate(chain: Chain, X_intra: Array, v: Array) -> Array:
    """X̊_intra, shape (6N, 6N), for velocities v (6N,) of the bodies against the parent cluster."""
    n = len(chain.joints)
    result = np.zeros_like(X_intra)
    for i in range(n):
        rows = slice(6 * i, 6 * i + 6)
        ancestor = chain.inner[i]
        while ancestor >= 0:
            columns = slice(6 * ancestor, 6 * ancestor + 6)
            X = X_intra[rows, columns]
            # Ẋ_ij = −(v_i − X_ij v_j) x X_ij: a transform changes with the relative velocity of its two ends (RBDA
            # 2.45).
            result[rows, columns] = -crm(v[rows] - X @ v[columns]) @ X
            ancestor = chain.inner[ancestor]
    return result


def paper_subspace_and_bias(chain: Chain, q: Array, qd: Array, G: Array, g: Array) -> tuple[Array, Array]:
    """S (6N, n_i) and cJ (6N,) by the formulas as they stand in the paper, with the joints' own biases added."""
    X_intra = chain.intra(chain.up(q))
    S_span = span_subspace(chain, q)
    v = X_intra @ S_span @ qd
    own = np.concatenate(
        [joint.bias(chain.position(i, q), chain.velocity(i, qd)) for i, joint in enumerate(chain.joints)]
    )
    cJ = intra_rate(chain, X_intra, v) @ (S_span @ qd) + X_intra @ (own + S_span @ g)
    return X_intra @ S_span @ G, cJ
