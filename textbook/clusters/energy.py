"""Kinetic and potential energy, and the power that flows in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.algorithms import cluster_accelerations
from textbook.clusters.crossings import blockwise
from textbook.clusters.kinematics import body_transforms
from textbook.plucker import translation_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.kinematics import TreeMotion

    Array = NDArray[np.float64]


def kinetic_energy(motion: TreeMotion) -> float:
    """½ Σ vᵀ I v [J]."""
    tree = motion.tree
    return 0.5 * sum(float(v @ blockwise(tree.inertia_of(c), v)) for c, v in zip(tree.clusters, motion.v, strict=True))


def potential_energy(motion: TreeMotion) -> float:
    """−Σ m g · c [J], zero where every centre of mass is at the ground's origin."""
    g = motion.tree.gravity[3:]
    total = 0.0
    for X, inertia in zip(body_transforms(motion), motion.tree.inertias, strict=True):
        E = X[:3, :3]
        mass = float(inertia[5, 5])
        # m c stands in the off-diagonal block m c x of the spatial inertia (RBDA 2.63).
        mc = np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]])
        total -= float(g @ (mass * translation_part(X) + E.T @ mc))
    return total


def energy_rate(motion: TreeMotion, ydd: Array) -> float:
    """d/dt (kinetic + potential energy) [W] at accelerations ÿ: Σ vᵀ I (a − g); v x* I v does no work."""
    tree = motion.tree
    accelerations = cluster_accelerations(motion, ydd)
    return sum(
        float(v @ blockwise(tree.inertia_of(c), a))
        for c, v, a in zip(tree.clusters, motion.v, accelerations, strict=True)
    )


def power_in(motion: TreeMotion, tau: Array, yd: Array, f_ext: Array | None = None) -> float:
    """τᵀẏ + Σ f_extᵀ v [W]."""
    power = float(tau @ yd)
    if f_ext is not None:
        power += float(f_ext.ravel() @ np.concatenate(motion.v))
    return power
