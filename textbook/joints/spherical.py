"""Joints whose rotation is a unit quaternion: no singular position, and qd is not the derivative of q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.spatial.rotation import quat_normalized
from textbook.joints.base import QuaternionJoint
from textbook.plucker import motion_transform, rotation_transform
from textbook.quaternion import coordinate_matrix, integrate_body

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.rotation import Quat

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spherical(QuaternionJoint):
    """A ball joint: q = (x, y, z, w), qd = angular velocity in the CHILD's axes [rad/s], efforts are couples along them
    [N·m]."""

    size: ClassVar[int] = 3

    def transform(self, q: Array) -> Array:
        """Rotation by the quaternion, which is normalised first, shape (6, 6)."""
        return rotation_transform(coordinate_matrix(as_quat(q)))

    def subspace(self, q: Array) -> Array:
        """[1; 0], shape (6, 3)."""
        del q
        return np.vstack((np.eye(3), np.zeros((3, 3))))

    def neutral(self) -> Array:
        """(0, 0, 0, 1)."""
        return np.array([0.0, 0.0, 0.0, 1.0])

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """q ⊗ exp(½ qd dt), shape (4,)."""
        x, y, z = (float(c) for c in qd)
        return np.array(integrate_body(as_quat(q), (x, y, z), dt))


@dataclass(frozen=True)
class FloatingBase(QuaternionJoint):
    """Free in space: q = (x, y, z, qx, qy, qz, qw), qd = (origin's velocity along the PARENT's axes [m/s], ω along the
    CHILD's [rad/s]).

    A `TranslationXYZ` on a massless body followed by a `Spherical`, in one (RDL's floating base).
    """

    size: ClassVar[int] = 6

    def transform(self, q: Array) -> Array:
        """E of the quaternion, r = (x, y, z), shape (6, 6)."""
        return motion_transform(coordinate_matrix(as_quat(q[3:])), q[:3])

    def subspace(self, q: Array) -> Array:
        """[[0, 1], [E, 0]], shape (6, 6)."""
        result = np.zeros((6, 6))
        result[:3, 3:] = np.eye(3)
        result[3:, :3] = coordinate_matrix(as_quat(q[3:]))
        return result

    def bias(self, q: Array, qd: Array) -> Array:
        """[0; -ω x E ṙ], shape (6,)."""
        # S = [[0, 1], [E, 0]] with Ė = −(ω x) E: S° q̇ = [0; −ω x E ṙ].
        along = coordinate_matrix(as_quat(q[3:])) @ qd[:3]
        return np.concatenate((np.zeros(3), -np.cross(qd[3:], along)))

    def neutral(self) -> Array:
        """At the joint frame: (0, 0, 0, 0, 0, 0, 1)."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """The origin moves straight, the quaternion is multiplied from the right, shape (7,)."""
        return np.concatenate((q[:3] + dt * qd[:3], Spherical().integrate(q[3:], qd[3:], dt)))


def as_quat(q: Array) -> Quat:
    """The quaternion in `q`, normalised."""
    x, y, z, w = (float(c) for c in q)
    return quat_normalized((x, y, z, w))
