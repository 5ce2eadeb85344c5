"""Operational space: how bodies answer to test forces (GRBDA, arXiv 2311.13732, section VI; Featherstone 2010 for the
recursion)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.algorithms import articulated_inertias
from textbook.clusters.components import GROUND
from textbook.clusters.kinematics import body_jacobian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.kinematics import TreeMotion

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Response:
    """A body's answer to a force: `inverse_inertia` = fᵀ Λ⁻¹ f (acceleration along f per unit of it), `ydd` = H⁻¹ Jᵀ f
    (n_i,)."""

    inverse_inertia: float
    ydd: Array


def inverse_operational_inertia(motion: TreeMotion, body: int) -> Array:
    """Λ⁻¹ = J H⁻¹ Jᵀ of a body, in its coordinates, shape (6, 6), without H.

    Down the tree: Λ⁻¹_i = χ Λ⁻¹_parent χᵀ + S D⁻¹ Sᵀ with χ = (1 − S D⁻¹ Uᵀ) XU, over all bodies of a cluster at once.
    """
    tree = motion.tree
    parts = articulated_inertias(motion)
    path = []
    index = tree.cluster_of_body[body]
    last = index
    while index != GROUND:
        path.append(index)
        index = tree.clusters[index].parent
    inverse: Array = np.zeros((6, 6))
    for i in reversed(path):
        S = motion.clusters[i].S
        Dinv = parts.Dinv[i]
        # χ: how a body follows its parent when its own joint is free to give way.
        chi = motion.XU[i] - S @ (Dinv @ (parts.U[i].T @ motion.XU[i]))
        inverse = chi @ inverse @ chi.T + S @ Dinv @ S.T
    place = 6 * tree.clusters[last].bodies.index(body)
    chosen: Array = inverse[place : place + 6, place : place + 6]
    return chosen


def apply_test_force(motion: TreeMotion, body: int, force: Array) -> Response:
    """Answer to a spatial force (6,) = [couple; force] on a body, in its coordinates at its origin: one sweep up, one
    down."""
    tree = motion.tree
    parts = articulated_inertias(motion)
    path = []
    index = tree.cluster_of_body[body]
    carried: Array = np.zeros(6 * len(tree.clusters[index].bodies))
    place = 6 * tree.clusters[index].bodies.index(body)
    carried[place : place + 6] = force
    u: dict[int, Array] = {}
    while index != GROUND:
        path.append(index)
        u[index] = motion.clusters[index].S.T @ carried
        # The part of the force that the joint does not absorb by accelerating is passed to the parent.
        rest = carried - parts.U[index] @ (parts.Dinv[index] @ u[index])
        carried = motion.XU[index].T @ rest
        index = tree.clusters[index].parent
    ydd = np.zeros(tree.freedoms)
    a: dict[int, Array] = {}
    for i, cluster in enumerate(tree.clusters):
        above = a.get(cluster.parent)
        incoming = np.zeros(len(parts.U[i])) if above is None else motion.XU[i] @ above
        # Only clusters on the path have u; the others follow what moves inboard of them.
        ydd[cluster.y] = parts.Dinv[i] @ (u.get(i, np.zeros(cluster.joint.velocity_size)) - parts.U[i].T @ incoming)
        a[i] = incoming + motion.clusters[i].S @ ydd[cluster.y]
    return Response(float(force @ (body_jacobian(motion, body) @ ydd)), ydd)
