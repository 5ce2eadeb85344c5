"""Joints that translate: three directions, or two and a turn (planar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from textbook.joints.base import VectorJoint
from textbook.plucker import motion_transform, rotz, translation_transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class TranslationXYZ(VectorJoint):
    """Slides along x, y and z of the joint frame; q [m], shape (3,)."""

    size: ClassVar[int] = 3

    def transform(self, q: Array) -> Array:
        """Translation by q, shape (6, 6)."""
        return translation_transform(q)

    def subspace(self, q: Array) -> Array:
        """[0; 1], shape (6, 3)."""
        del q
        return np.vstack((np.zeros((3, 3)), np.eye(3)))


@dataclass(frozen=True)
class Planar(VectorJoint):
    """Moves in the x-y plane of the joint frame: q = (x [m], y [m], angle about z [rad]); x and y along the parent's
    axes.

    The same joint as the rows (0 0 0 1 0 0), (0 0 0 0 1 0), (0 0 1 0 0 0), without their two massless bodies.
    """

    size: ClassVar[int] = 3

    def transform(self, q: Array) -> Array:
        """E = Rz(angle), r = (x, y, 0), shape (6, 6)."""
        return motion_transform(rotz(float(q[2])), np.array([q[0], q[1], 0.0]))

    def subspace(self, q: Array) -> Array:
        """[0; E x], [0; E y], [z; 0], shape (6, 3)."""
        result = np.zeros((6, 3))
        result[3:, :2] = rotz(float(q[2]))[:, :2]
        result[2, 2] = 1.0
        return result

    def bias(self, q: Array, qd: Array) -> Array:
        """[0; -ω x E ṙ], shape (6,)."""
        vx, vy, _ = rotz(float(q[2])) @ np.array([qd[0], qd[1], 0.0])
        return np.array([0.0, 0.0, 0.0, qd[2] * vy, -qd[2] * vx, 0.0])
