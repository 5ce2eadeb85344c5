"""Kinetic and potential energy measured from body poses and velocities; the ledger of work and dissipation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Value = TypeVar("Value", float, Array)


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


class WorkLedger:
    """Work done by drives, by loads and by contacts, and energy taken by damping and friction, since the start [J]."""

    def __init__(self, work: float = 0.0, dissipated: float = 0.0, loads: float = 0.0, contact: float = 0.0) -> None:
        self.work = work
        self.dissipated = dissipated
        self.loads = loads
        self.contact = contact

    def flow(self, work: float, dissipated: float, loads: float, contact: float) -> None:
        """Book what flowed in a step [J]."""
        self.work += work
        self.dissipated += dissipated
        self.loads += loads
        self.contact += contact


def flows(drive: Array, loss: Array, before: Array, after: Array, dt: float) -> tuple[Array, Array]:
    """Work of drives, and energy taken by what dissipates, in steps of `dt` [s]: shape (...), from efforts and
    velocities before and after, shape (..., n_axes) each.

    Over one step of a semi-implicit integrator a constant effort f does the work f (v0 + v1) / 2 dt: ½ m (v1² - v0²) =
    f dt (v0 + v1) / 2 for m (v1 - v0) = f dt. That is the change of kinetic energy exactly, so the ledger adds no error
    of its own.
    """
    mean = 0.5 * dt * (before + after)
    return (drive * mean).sum(axis=-1), -(loss * mean).sum(axis=-1)


def error_of(stored: Value, at_start: float, *, work: Value, dissipated: Value, loads: float, contact: float) -> Value:
    """Error of the balance [J]: what is `stored` beside what was `at_start` and what the ledger holds, of one instant
    or of many."""
    return stored - at_start - work - loads + dissipated - contact
