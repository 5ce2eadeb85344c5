"""Where the bodies of a `Multibody` are and how they move.

World means the ROOT's axes and origin. Points are given in the coordinates of the body that they belong to [m]; a fixed
body is asked like a movable one, in its own coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.algorithms.kernels import layout as at
from simulator.algorithms.tree_dynamics import checked
from simulator.spatial.plucker import force_transform, inertia_parameters, translation_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.algorithms.multibody import Multibody

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyMotion:
    """A snapshot of all bodies; `body_motion` makes it.

    `X_base` (n, 6, 6): ROOT to body; `S` (n, 6, 6): rows are columns of the motion subspaces; `v`, `a` (n, 6): spatial
    velocity and acceleration of each body in its coordinates, gravity left out. n counts the ROOT and the movable
    bodies.
    """

    model: Multibody
    X_base: Array
    S: Array
    v: Array
    a: Array

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
        from simulator.algorithms.kernels.motion import jacobian

        tree = self.model.arrays()
        out = np.empty((6, tree.freedoms))
        at_point = np.ascontiguousarray(self.position(body_id, point))
        jacobian(tree.table, self.X_base, self.S, self.model.movable_parent(body_id)[0], at_point, out)
        return out

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
        return 0.5 * float(np.einsum("ni,nij,nj->", self.v, self.model.arrays().inertia, self.v))

    def potential_energy(self) -> float:
        """Energy in the field of gravity [J], zero for masses at the world's origin."""
        tree = self.model.arrays()
        total = 0.0
        for i in range(1, self.model.body_count):
            mass, com, _ = inertia_parameters(tree.inertia[i])
            total -= mass * float(tree.gravity @ self.position(i, com))
        return total

    def momentum(self) -> Array:
        """[angular momentum about the world's origin; linear momentum] (6,) of all bodies along the world's axes
        [N·m·s; N·s]."""
        tree = self.model.arrays()
        total = np.zeros(6)
        for i in range(1, self.model.body_count):
            # Xᵀ takes forces and momenta from the body to the world.
            total += self.X_base[i].T @ (tree.inertia[i] @ self.v[i])
        return total


def body_motion(model: Multibody, q: Array, qd: Array | None = None, qdd: Array | None = None) -> BodyMotion:
    """Poses, velocities and accelerations of all bodies; what is not given is zero."""
    from simulator.algorithms.kernels.motion import kinematics

    tree = model.arrays()
    q = checked(q, "q", tree.positions)
    qd = tree.zeros if qd is None else checked(qd, "qd", tree.freedoms)
    qdd = tree.zeros if qdd is None else checked(qdd, "qdd", tree.freedoms)
    tree.place_custom_joints(q, qd)
    kinematics(tree.all, q, qd, qdd, np.zeros(3))
    return BodyMotion(
        model, tree.mats[at.XBASE].copy(), tree.mats[at.S].copy(), tree.vecs[at.V].copy(), tree.vecs[at.A].copy()
    )


def _point(point: Array | None) -> Array:
    return np.zeros(3) if point is None else point
