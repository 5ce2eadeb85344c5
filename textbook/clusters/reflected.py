"""Approximations that leave rotors out and add their inertia as seen from the links (GRBDA's
ReflectedInertiaTreeModel).

R = Σ S_rotorᵀ I_rotor S_rotor per cluster; n²J for one rotor of gear ratio n. What is lost are gyroscopic terms and the
coupling of a rotor to the motion of its parent, J·n off the diagonal.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.clusters.algorithms import bias_force, forward_dynamics, mass_matrix
from textbook.clusters.generic import FourBar, Generic
from textbook.clusters.kinematics import kinematics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.kinematics import TreeMotion
    from textbook.clusters.tree import ClusterTree, TreeState

    Array = NDArray[np.float64]


class ReflectedInertia(str, Enum):
    """What becomes of the rotors."""

    NONE = "none"
    DIAGONAL = "diagonal"
    BLOCK_DIAGONAL = "block diagonal"


def links_only(tree: ClusterTree) -> ClusterTree:
    """The tree with massless rotors: they follow their links and weigh nothing. Raises UsageError for clusters that are
    not of links and rotors (generic ones, four-bars)."""
    inertias = tree.inertias.copy()
    for cluster in tree.clusters:
        if isinstance(cluster.joint, (Generic, FourBar)):
            kind = type(cluster.joint).__name__
            raise UsageError(
                f"cluster '{cluster.name}' is a {kind}: no reflected inertia is defined for it, use the exact model"
            )
        for rotor in cluster.joint.rotors:
            inertias[cluster.bodies[rotor]] = 0.0
    return tree.with_inertias(inertias)


def reflected_inertias(tree: ClusterTree, motion: TreeMotion) -> list[Array]:
    """R of each cluster, shapes (n_i, n_i), of a tree with its rotors."""
    result: list[Array] = []
    for cluster, own in zip(tree.clusters, motion.clusters, strict=True):
        R = np.zeros((cluster.joint.velocity_size, cluster.joint.velocity_size))
        for rotor in cluster.joint.rotors:
            S = own.S[6 * rotor : 6 * rotor + 6]
            # Kinetic energy of a rotor that moves with S ẏ against its parent: ½ ẏᵀ Sᵀ I S ẏ, n² J for one gear ratio
            # n.
            R += S.T @ tree.inertias[cluster.bodies[rotor]] @ S
        result.append(R)
    return result


def approximate_forward_dynamics(
    tree: ClusterTree, state: TreeState, tau: Array, approximation: ReflectedInertia, f_ext: Array | None = None
) -> Array:
    """ÿ (n_i,) of the links with reflected rotor inertias: NONE drops them, DIAGONAL adds diag(R) to D of the
    articulated-body algorithm, BLOCK_DIAGONAL adds R to the mass matrix. Forces on rotors are dropped with them."""
    links = links_only(tree)
    motion = kinematics(links, state)
    forces = _without_rotors(tree, f_ext)
    if approximation is ReflectedInertia.NONE:
        return forward_dynamics(motion, tau, forces)
    R = reflected_inertias(tree, motion)
    if approximation is ReflectedInertia.DIAGONAL:
        return forward_dynamics(motion, tau, forces, added=[np.diag(np.diag(block)) for block in R])
    H = mass_matrix(motion)
    for cluster, block in zip(tree.clusters, R, strict=True):
        H[cluster.y, cluster.y] += block
    return np.asarray(np.linalg.solve(H, tau - bias_force(motion, forces)), dtype=np.float64)


def _without_rotors(tree: ClusterTree, f_ext: Array | None) -> Array | None:
    if f_ext is None:
        return None
    kept: Array = f_ext.copy()
    for cluster in tree.clusters:
        kept[[cluster.bodies[rotor] for rotor in cluster.joint.rotors]] = 0.0
    return kept
