"""Energies of a mechanism summed over its bodies at their poses: what compiled code is compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.types import Mechanism
from simulator.spatial.inertia import inertia_matrix

Array = NDArray[np.float64]


class EnergyMeter:
    """Energies of all moving bodies [J]."""

    def __init__(self, mechanism: Mechanism) -> None:
        bodies = mechanism.bodies[1:]
        self._mass = np.array([body.mass for body in bodies], dtype=float)
        self._weight = np.array([body.mass if body.gravity else 0.0 for body in bodies], dtype=float)
        self._com = np.array([body.com for body in bodies], dtype=float).reshape(-1, 3)
        self._inertia = np.array([inertia_matrix(*body.inertia) for body in bodies], dtype=float).reshape(-1, 3, 3)
        self._gravity = np.array(mechanism.gravity)

    def kinetic(self, body_matrices: Array, body_velocities: Array) -> Array:
        """Sum of m v^2 / 2 + w I w / 2, shape (...); X_WB of shape (..., n_bodies, 4, 4), velocities as in
        `BackendState`."""
        angular, linear = body_velocities[..., 1:, :3], body_velocities[..., 1:, 3:]
        # ωᵀ R is Rᵀ ω as a row: moments of inertia are constant in the body's axes.
        in_body = angular[..., None, :] @ body_matrices[..., 1:, :3, :3]
        spin = in_body @ self._inertia
        total: Array = (linear * linear).sum(axis=-1) @ self._mass + (spin * in_body).sum(axis=(-3, -2, -1))
        return 0.5 * total

    def potential(self, body_matrices: Array) -> Array:
        """-sum m g . p_com, shape (...): gravity's potential, zero at the world's origin."""
        turned = (body_matrices[..., 1:, :3, :3] @ self._com[:, :, None])[..., 0]
        centres = body_matrices[..., 1:, :3, 3] + turned
        total: Array = (centres @ self._gravity) @ self._weight
        return -total
