"""Where the bodies of a `Multibody` are and how they move.

World means the ROOT's axes and origin. Points are given in the coordinates of the body that they belong to [m]; a fixed
body is asked like a movable one, in its own coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.plucker import force_transform, inertia_parameters, inverse_transform, translation_part
from textbook.tree_dynamics import checked_state, moving_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from textbook.multibody import Multibody
    from textbook.tree_dynamics import MovingTree

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyMotion:
    """A snapshot of all bodies; `body_motion` makes it.

    `X_base` (n, 6, 6): ROOT to body; `a` (n, 6): spatial acceleration of each body in its coordinates, gravity left
    out. n counts the ROOT and the movable bodies.
    """

    model: Multibody
    tree: MovingTree
    X_base: Array
    a: Array

    @property
    def v(self) -> Array:
        """Spatial velocity of each body in its coordinates, shape (n, 6)."""
        return self.tree.v

    def transform(self, body_id: int) -> Array:
        """Motion transform (6, 6) from the world to the body."""
        parent, X = self.model.movable_parent(body_id)
        result: Array = X @ self.X_base[parent]
        return result

    def orientation(self, body_id: int) -> Array:
        """R_WB (3, 3)."""
        R: Array = self.transform(body_id)[:3, :3].T.copy()
        return R

    def position(self, body_id: int, point: Array | None = None) -> Array:
        """World position (3,) [m] of the body's origin, or of a `point` of the body."""
        X = self.transform(body_id)
        origin = translation_part(X)
        result: Array = origin if point is None else origin + X[:3, :3].T @ point
        return result

    def in_body(self, body_id: int, world_point: Array) -> Array:
        """A world point (3,) in the coordinates of a body [m]."""
        result: Array = self.transform(body_id)[:3, :3] @ (world_point - self.position(body_id))
        return result

    def spatial_velocity(self, body_id: int) -> Array:
        """[ω; v of the origin] (6,) in the body's coordinates."""
        parent, X = self.model.movable_parent(body_id)
        result: Array = X @ self.v[parent]
        return result

    def spatial_acceleration(self, body_id: int) -> Array:
        """Spatial acceleration (6,) in the body's coordinates; its linear part is not that of a point (RBDA 2.11)."""
        parent, X = self.model.movable_parent(body_id)
        result: Array = X @ self.a[parent]
        return result

    def velocity(self, body_id: int, point: Array | None = None) -> Array:
        """World velocity (3,) [m/s] of the body's origin or of a point of it."""
        v = self.spatial_velocity(body_id)
        p = _point(point)
        result: Array = self.orientation(body_id) @ (v[3:] + np.cross(v[:3], p))
        return result

    def acceleration(self, body_id: int, point: Array | None = None) -> Array:
        """World acceleration (3,) [m/s²] that an observer at rest sees of the origin or of a point of the body."""
        v = self.spatial_velocity(body_id)
        a = self.spatial_acceleration(body_id)
        p = _point(point)
        # Spatial is not classical acceleration: ω x v_P is what a moving point adds (RBDA 2.11).
        along = a[3:] + np.cross(a[:3], p) + np.cross(v[:3], v[3:] + np.cross(v[:3], p))
        result: Array = self.orientation(body_id) @ along
        return result

    def jacobian(self, body_id: int, point: Array | None = None) -> Array:
        """J (6, qdot_size): [ω; velocity of the point] along the world's axes is J qd."""
        J = np.zeros((6, self.model.qdot_size))
        i = self.model.movable_parent(body_id)[0]
        while i > 0:
            J[:, self.tree.freedoms[i]] = inverse_transform(self.X_base[i]) @ self.tree.S[i]
            i = self.tree.parents[i]
        # From the ROOT's origin to the point: v_P = v_O + ω x p.
        J[3:] += np.cross(J[:3], self.position(body_id, point), axis=0)
        return J

    def point_jacobian(self, body_id: int, point: Array | None = None) -> Array:
        """J (3, qdot_size): the world velocity of the point is J qd."""
        J: Array = self.jacobian(body_id, point)[3:].copy()
        return J

    def wrenches(self, on_bodies: Mapping[int, Array]) -> Array:
        """External wrenches (body_count, 6) for the algorithms, from wrenches by body id.

        Those are [couple about the WORLD's origin; force] along the world's axes.
        """
        result = np.zeros((self.model.body_count, 6))
        for body_id, wrench in on_bodies.items():
            parent, _ = self.model.movable_parent(body_id)
            # Forces transform by X* = X^-T, so that power is the same in both frames.
            result[parent] += force_transform(self.X_base[parent]) @ wrench
        return result

    def kinetic_energy(self) -> float:
        """Sum of ½ v.T I v [J]."""
        return 0.5 * float(np.einsum("ni,nij,nj->", self.v, self.model.inertias(), self.v))

    def potential_energy(self) -> float:
        """Energy in the field of gravity [J], zero for masses at the world's origin."""
        total = 0.0
        for i, inertia in enumerate(self.model.inertias()[1:], start=1):
            mass, com, _ = inertia_parameters(inertia)
            total -= mass * float(self.model.gravity @ self.position(i, com))
        return total

    def momentum(self) -> Array:
        """[angular momentum about the world's origin; linear momentum] (6,) of all bodies along the world's axes
        [N·m·s; N·s]."""
        total = np.zeros(6)
        for X, inertia, v in zip(self.X_base, self.model.inertias(), self.v, strict=True):
            # Xᵀ takes forces and momenta from the body to the world.
            total += X.T @ inertia @ v
        return total


def body_motion(model: Multibody, q: Array, qd: Array | None = None, qdd: Array | None = None) -> BodyMotion:
    """Poses, velocities and accelerations of all bodies; what is not given is zero."""
    still = np.zeros(model.qdot_size)
    q, qd, qdd = checked_state(model, q, qd=still if qd is None else qd, qdd=still if qdd is None else qdd)
    tree = moving_tree(model, q, qd)
    X_base = np.array(tree.X_up)
    for i in range(1, model.body_count):
        X_base[i] = tree.X_up[i] @ X_base[tree.parents[i]]
    return BodyMotion(model, tree, X_base, tree.accelerations(qdd, np.zeros(3)))


def _point(point: Array | None) -> Array:
    return np.zeros(3) if point is None else point
