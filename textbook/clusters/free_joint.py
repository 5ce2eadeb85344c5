"""The joint of a floating body in the order of GRBDA: q = (x, y, z, w, x, y, z), w first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.spatial.rotation import matrix_from_quat, quat_from_axis_angle, quat_multiply, quat_normalized
from textbook.joints.base import QuaternionJoint
from textbook.plucker import motion_transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.rotation import Quat

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class FreeJoint(QuaternionJoint):
    """Position of the body's origin in the parent [m] and unit quaternion (w, x, y, z); velocity [ω; v] in body
    coordinates."""

    size: ClassVar[int] = 6

    def transform(self, q: Array) -> Array:
        """XJ, shape (6, 6)."""
        return motion_transform(matrix_from_quat(_quat(q)).T, np.asarray(q[:3], dtype=float))

    def subspace(self, q: Array) -> Array:
        """The identity."""
        del q
        return np.eye(6)

    def neutral(self) -> Array:
        """At the parent's origin, not turned."""
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """p + R v dt, quaternion times exp(½ ω dt) from the right."""
        turn = np.asarray(qd[:3]) * dt
        angle = float(np.linalg.norm(turn))
        x, y, z, w = quaternion = _quat(q)
        if angle > 0.0:
            ax, ay, az = (float(c) for c in turn / angle)
            step = quat_from_axis_angle((ax, ay, az), math.remainder(angle, 4.0 * math.pi))
            x, y, z, w = quat_normalized(quat_multiply(quaternion, step))
        place = np.asarray(q[:3]) + matrix_from_quat(quaternion) @ np.asarray(qd[3:]) * dt
        return np.array([*place, w, x, y, z])


def _quat(q: Array) -> Quat:
    """(x, y, z, w) of length 1."""
    return quat_normalized((float(q[4]), float(q[5]), float(q[6]), float(q[3])))
