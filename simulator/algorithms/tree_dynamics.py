"""Inverse and forward dynamics of a `Multibody`: H(q) qdd + C(q, qd) = tau, external wrenches in C.

q (q_size,), qd, qdd and tau (qdot_size,) in the model's layout, efforts in N·m and N. `external` (body_count, 6), if
given, holds a wrench [couple about the body's origin; force] per movable body, in the body's coordinates;
`BodyMotion.wrenches` makes it from wrenches in the world. The first call of each algorithm compiles it, or loads it
from the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulationError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.algorithms.multibody import Multibody

    Array = NDArray[np.float64]


def inverse_dynamics(
    model: Multibody, q: Array, qd: Array, qdd: Array, external: Array | None = None, *, out: Array | None = None
) -> Array:
    """tau for the acceleration qdd, by recursive Newton-Euler (RNEA)."""
    from simulator.algorithms.kernels.inverse import rnea

    tree = model.arrays()
    q = checked(q, "q", tree.positions)
    qd = checked(qd, "qd", tree.freedoms)
    qdd = checked(qdd, "qdd", tree.freedoms)
    tau = np.empty(tree.freedoms) if out is None else out
    tree.place_custom_joints(q, qd)
    forces = tree.no_force if external is None else checked(external, "external", model.body_count, 6)
    rnea(tree.all, q, qd, qdd, forces, tau)
    return tau


def nonlinear_effects(model: Multibody, q: Array, qd: Array, external: Array | None = None) -> Array:
    """C(q, qd): the efforts that keep qdd = 0 against gravity, Coriolis and centrifugal forces and external
    wrenches."""
    # H q̈ + C = τ at q̈ = 0.
    return inverse_dynamics(model, q, qd, model.arrays().zeros, external)


def gravity_effort(model: Multibody, q: Array) -> Array:
    """The efforts that hold the model at rest against gravity."""
    zeros = model.arrays().zeros
    return inverse_dynamics(model, q, zeros, zeros)


def mass_matrix(model: Multibody, q: Array, *, out: Array | None = None) -> Array:
    """H(q), shape (qdot_size, qdot_size), by composite rigid bodies (CRBA)."""
    from simulator.algorithms.kernels.inverse import crba

    tree = model.arrays()
    q = checked(q, "q", tree.positions)
    H = np.empty((tree.freedoms, tree.freedoms)) if out is None else out
    tree.place_custom_joints(q, tree.zeros)
    crba(tree.all, q, tree.zeros, H)
    return H


def forward_dynamics(
    model: Multibody, q: Array, qd: Array, tau: Array, external: Array | None = None, *, out: Array | None = None
) -> Array:
    """qdd from efforts, by articulated bodies (ABA). With `out` nothing is allocated.

    Raises SimulationError if a freedom has no inertia: a massless end of the tree, or three angles at a singular
    position.
    """
    from simulator.algorithms.kernels.forward import aba

    tree = model.arrays()
    q = checked(q, "q", tree.positions)
    qd = checked(qd, "qd", tree.freedoms)
    tau = checked(tau, "tau", tree.freedoms)
    qdd = np.empty(tree.freedoms) if out is None else out
    tree.place_custom_joints(q, qd)
    forces = tree.no_force if external is None else checked(external, "external", model.body_count, 6)
    stuck = aba(tree.all, q, qd, tau, forces, qdd)
    if stuck:
        raise SimulationError(_without_inertia(model, stuck))
    return qdd


def forward_dynamics_dense(model: Multibody, q: Array, qd: Array, tau: Array, external: Array | None = None) -> Array:
    """qdd from H qdd = tau - C by Cholesky's factors; the check of `forward_dynamics`."""
    right = np.asarray(tau, dtype=float) - nonlinear_effects(model, q, qd, external)
    H = mass_matrix(model, q)
    try:
        factor = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        raise SimulationError("the mass matrix is not positive definite: a freedom has no inertia") from None
    # L Lᵀ qdd = tau − C by two triangular systems.
    qdd: Array = np.linalg.solve(factor.T, np.linalg.solve(factor, right))
    return qdd


def checked(value: Array, name: str, *shape: int) -> Array:
    """`value` as the kernels take it: contiguous, of doubles and of this shape."""
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.shape != shape:
        raise UsageError(f"{name} must have shape {shape}, it has {array.shape}")
    return array if array.flags.writeable else array.copy()


def _without_inertia(model: Multibody, body_id: int) -> str:
    body = model.bodies[body_id - 1]
    return (
        f"the {type(body.joint).__name__} joint of body '{body.name}' has a freedom without inertia: nothing outboard "
        "of it has mass there, or its three angles are at a singular position"
    )
