"""Joints with three rotations described by three angles.

The child turns about its own first axis, then the second, then the third: E = R_c(q2) R_b(q1) R_a(q0), R coordinate
transforms. Its angular velocity in its own axes is S qd with the columns R_c R_b e_a, R_c e_b, e_c. |det S| = |cos q1|:
at ±90° of the second angle two columns are parallel and the joint has lost a freedom; `Spherical` has no such place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from textbook.joints.base import VectorJoint
from textbook.plucker import rotation_transform, rotx, roty, rotz

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_ROTATIONS = (rotx, roty, rotz)


@dataclass(frozen=True)
class EulerJoint(VectorJoint):
    """Three angles about three different axes; q [rad], shape (3,), in the order of the turns."""

    size: ClassVar[int] = 3
    order: ClassVar[tuple[int, int, int]]
    """Axis numbers (x 0, y 1, z 2) of the turns."""

    def transform(self, q: Array) -> Array:
        """Rotation, shape (6, 6)."""
        a, b, c = self._turns(q)
        return rotation_transform(c @ b @ a)

    def subspace(self, q: Array) -> Array:
        """[W; 0], shape (6, 3), with the angular velocity W qd in the child's axes."""
        result = np.zeros((6, 3))
        result[:3] = self._angular(q)
        return result

    def bias(self, q: Array, qd: Array) -> Array:
        """[Ẇ qd; 0], shape (6,): each column turns back under the turns that come after it."""
        w0, w1, w2 = self._angular(q).T
        # W = [R_c R_b e_a, R_c e_b, e_c]: a column changes only by the turns that come after its own.
        after_second = w2 * qd[2]
        after_first = after_second + w1 * qd[1]
        angular = -np.cross(after_first, w0 * qd[0]) - np.cross(after_second, w1 * qd[1])
        return np.concatenate((angular, np.zeros(3)))

    def singularity(self, q: Array) -> float:
        """|cos q1|."""
        return abs(math.cos(q[1]))

    def _turns(self, q: Array) -> tuple[Array, Array, Array]:
        a, b, c = (_ROTATIONS[axis](float(angle)) for axis, angle in zip(self.order, q, strict=True))
        return a, b, c

    def _angular(self, q: Array) -> Array:
        _, b, c = self._turns(q)
        first, second, third = np.eye(3)[list(self.order)]
        return np.stack((c @ b @ first, c @ second, third), axis=1)


@dataclass(frozen=True)
class EulerZYX(EulerJoint):
    """Yaw, pitch, roll about the moving axes z, y, x."""

    order: ClassVar[tuple[int, int, int]] = (2, 1, 0)


@dataclass(frozen=True)
class EulerXYZ(EulerJoint):
    """Turns about the moving axes x, y, z (Cardan angles)."""

    order: ClassVar[tuple[int, int, int]] = (0, 1, 2)


@dataclass(frozen=True)
class EulerYXZ(EulerJoint):
    """Turns about the moving axes y, x, z."""

    order: ClassVar[tuple[int, int, int]] = (1, 0, 2)


@dataclass(frozen=True)
class EulerZXY(EulerJoint):
    """Turns about the moving axes z, x, y."""

    order: ClassVar[tuple[int, int, int]] = (2, 0, 1)
