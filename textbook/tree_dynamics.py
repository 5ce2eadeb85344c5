"""Inverse and forward dynamics of a `Multibody`: H(q) qdd + C(q, qd) = tau, external wrenches in C.

q (q_size,), qd, qdd and tau (qdot_size,) in the model's layout, efforts in N·m and N. `external` (body_count, 6), if
given, holds a wrench [couple about the body's origin; force] per movable body, in the body's coordinates;
`BodyMotion.wrenches` makes it from wrenches in the world. Vectors and matrices are those of R. Featherstone, *Rigid
Body Dynamics Algorithms* (2008), RBDA below: spatial, [angular; linear], in the coordinates of their body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulationError, UsageError
from textbook.plucker import crf, crm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from textbook.multibody import Multibody

    Array = NDArray[np.float64]

ROUND_OFF = 1e-14
"""What is left of a freedom's inertia, as a part of it, where the freedom has none of its own."""


@dataclass(frozen=True)
class MovingTree:
    """Joints and velocities of all bodies at one state; row 0 is the ROOT.

    `parents`: the body that carries each; `freedoms`: the places of its joint in qd. `X_up` (n, 6, 6): motion transform
    from the parent; `S`: motion subspace of each joint, shape (6, nv); `v` (n, 6): velocity; `c` (n, 6): velocity
    product cJ + v x vJ.
    """

    parents: tuple[int, ...]
    freedoms: tuple[slice, ...]
    X_up: Array
    S: Sequence[Array]
    v: Array
    c: Array

    def accelerations(self, qdd: Array, gravity: Array) -> Array:
        """a_i = X_up a_parent + S qdd + c_i, shape (n, 6), where the ROOT accelerates against `gravity` (3,)."""
        a = np.zeros_like(self.v)
        # A root that accelerates upwards is the same as a field downwards, and spares a force on every body.
        a[0, 3:] = -gravity
        for i in range(1, len(a)):
            a[i] = self.X_up[i] @ a[self.parents[i]] + self.S[i] @ qdd[self.freedoms[i]] + self.c[i]
        return a


def moving_tree(model: Multibody, q: Array, qd: Array) -> MovingTree:
    """The tree at q and qd: v_i = X_up v_parent + vJ and c_i = cJ + v_i x vJ, from the ROOT to the tips (RBDA 4.4)."""
    n = model.body_count
    X_up, v, c = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6))
    X_up[0] = np.eye(6)
    S = [np.zeros((6, 0))]
    for i, body in enumerate(model.bodies, start=1):
        own_q = body.position(q)
        own_qd = body.velocity(qd)
        S.append(body.joint.subspace(own_q))
        vJ = S[i] @ own_qd
        X_up[i] = body.joint.transform(own_q) @ body.X_tree
        v[i] = X_up[i] @ v[body.parent] + vJ
        c[i] = body.joint.bias(own_q, own_qd) + crm(v[i]) @ vJ
    parents = (0, *(body.parent for body in model.bodies))
    freedoms = (slice(0, 0), *(slice(body.first, body.first + body.joint.velocity_size) for body in model.bodies))
    return MovingTree(parents, freedoms, X_up, S, v, c)


def inverse_dynamics(model: Multibody, q: Array, qd: Array, qdd: Array, external: Array | None = None) -> Array:
    """tau for the acceleration qdd, by recursive Newton-Euler (RNEA, RBDA table 5.1)."""
    q, qd, qdd = checked_state(model, q, qd=qd, qdd=qdd)
    tree = moving_tree(model, q, qd)
    a = tree.accelerations(qdd, model.gravity)
    f = _bias_forces(model, tree, external)
    tau = np.zeros(model.qdot_size)
    for i in range(1, model.body_count):
        f[i] += model.merged_inertia(i) @ a[i]
    for i in range(model.body_count - 1, 0, -1):
        # Power of the joint: tau is the part of the transmitted force along the free direction.
        tau[tree.freedoms[i]] = tree.S[i].T @ f[i]
        f[tree.parents[i]] += tree.X_up[i].T @ f[i]
    return tau


def nonlinear_effects(model: Multibody, q: Array, qd: Array, external: Array | None = None) -> Array:
    """C(q, qd): the efforts that keep qdd = 0 against gravity, Coriolis and centrifugal forces and external
    wrenches."""
    # H q̈ + C = τ at q̈ = 0.
    return inverse_dynamics(model, q, qd, np.zeros(model.qdot_size), external)


def gravity_effort(model: Multibody, q: Array) -> Array:
    """The efforts that hold the model at rest against gravity."""
    return nonlinear_effects(model, q, np.zeros(model.qdot_size))


def mass_matrix(model: Multibody, q: Array) -> Array:
    """H(q), shape (qdot_size, qdot_size), by composite rigid bodies (CRBA, RBDA table 6.2)."""
    q, qd = checked_state(model, q, qd=np.zeros(model.qdot_size))
    tree = moving_tree(model, q, qd)
    H = np.zeros((model.qdot_size, model.qdot_size))
    composite = model.inertias()
    for i in range(model.body_count - 1, 0, -1):
        X = tree.X_up[i]
        composite[tree.parents[i]] += X.T @ composite[i] @ X
        F = composite[i] @ tree.S[i]
        j = i
        while j > 0:
            # H_ij = S_jᵀ (X…ᵀ Iᶜ S_i): the force that unit q̈_i needs, felt at every joint on the way to the root.
            H[tree.freedoms[i], tree.freedoms[j]] = F.T @ tree.S[j]
            F = tree.X_up[j].T @ F
            j = tree.parents[j]
    symmetric: Array = np.tril(H) + np.tril(H, -1).T
    return symmetric


def forward_dynamics(model: Multibody, q: Array, qd: Array, tau: Array, external: Array | None = None) -> Array:
    """qdd from efforts, by articulated bodies (ABA, RBDA table 7.1).

    Raises SimulationError if a freedom has no inertia: a massless end of the tree, or three angles at a singular
    position.
    """
    q, qd, tau = checked_state(model, q, qd=qd, tau=tau)
    tree = moving_tree(model, q, qd)
    n = model.body_count
    inertia = model.inertias()
    p = _bias_forces(model, tree, external)
    U: list[Array] = [np.zeros((6, 0))] * n
    D: list[Array] = [np.zeros((0, 0))] * n
    u: list[Array] = [np.zeros(0)] * n
    for i in range(n - 1, 0, -1):
        S, X = tree.S[i], tree.X_up[i]
        U[i] = inertia[i] @ S
        D[i] = S.T @ U[i]
        u[i] = tau[tree.freedoms[i]] - S.T @ p[i]
        if not _is_definite(D[i]):
            raise SimulationError(_without_inertia(model, i))
        # What the joint gives way to is not felt by the parent (RBDA 7.2).
        given_way = np.linalg.solve(D[i], np.column_stack((U[i].T, u[i])))
        articulated = inertia[i] - U[i] @ given_way[:, :6]
        force = p[i] + articulated @ tree.c[i] + U[i] @ given_way[:, 6]
        inertia[tree.parents[i]] += X.T @ articulated @ X
        p[tree.parents[i]] += X.T @ force
    qdd = np.zeros(model.qdot_size)
    a = np.zeros((n, 6))
    a[0, 3:] = -model.gravity
    for i in range(1, n):
        a[i] = tree.X_up[i] @ a[tree.parents[i]] + tree.c[i]
        qdd[tree.freedoms[i]] = np.linalg.solve(D[i], u[i] - U[i].T @ a[i])
        a[i] += tree.S[i] @ qdd[tree.freedoms[i]]
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


def checked_state(model: Multibody, q: Array, **others: Array) -> tuple[Array, ...]:
    """q, and by their names vectors of the length of qd, as arrays of floats. Raises UsageError for another shape."""
    return checked(q, "q", model.q_size), *(checked(one, name, model.qdot_size) for name, one in others.items())


def checked(value: Array, name: str, *shape: int) -> Array:
    """`value` as an array of floats of this shape. Raises UsageError for another one."""
    array = np.asarray(value, dtype=float)
    if array.shape != shape:
        raise UsageError(f"{name} must have shape {shape}, it has {array.shape}")
    return array


def _bias_forces(model: Multibody, tree: MovingTree, external: Array | None) -> Array:
    """v x* I v - external, shape (n, 6): what keeps a body on its turning way without acceleration."""
    forces = np.zeros_like(tree.v) if external is None else -checked(external, "external", model.body_count, 6)
    for i, inertia in enumerate(model.inertias()[1:], start=1):
        forces[i] += crf(tree.v[i]) @ inertia @ tree.v[i]
    return forces


def _is_definite(D: Array) -> bool:
    """Whether the inertia of a joint's freedoms is positive definite, but for round-off."""
    try:
        pivots = np.diag(np.linalg.cholesky(D)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool(np.all(pivots > ROUND_OFF * np.diag(D)))


def _without_inertia(model: Multibody, body_id: int) -> str:
    body = model.bodies[body_id - 1]
    return (
        f"the {type(body.joint).__name__} joint of body '{body.name}' has a freedom without inertia: nothing outboard "
        "of it has mass there, or its three angles are at a singular position"
    )
