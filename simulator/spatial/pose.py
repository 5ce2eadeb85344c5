"""Rigid transforms as frozen values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.spatial.rotation import (
    IDENTITY_QUAT,
    Quat,
    Vec3,
    matrix_from_quat,
    quat_conjugate,
    quat_from_matrix,
    quat_from_rpy,
    quat_multiply,
    quat_rotate,
    rows_from_quat,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Pose:
    """Pose of frame B in frame A, written X_AB: `X_AB @ X_BC = X_AC` and `X_AB.transform(p_B) = p_A`.

    `position` [m] is B's origin in A; `orientation` is a unit quaternion (x, y, z, w).
    """

    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quat = IDENTITY_QUAT

    @staticmethod
    def from_rpy(position: Vec3, rpy: Vec3) -> Pose:
        """From a position [m] and fixed-axis roll, pitch, yaw [rad]."""
        return Pose(position, quat_from_rpy(*rpy))

    @staticmethod
    def from_matrix(matrix: NDArray[np.float64]) -> Pose:
        """From a 4x4 homogeneous matrix."""
        x, y, z = (float(c) for c in matrix[:3, 3])
        return Pose((x, y, z), quat_from_matrix(matrix[:3, :3]))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.transform(other.position), quat_multiply(self.orientation, other.orientation))

    def inverse(self) -> Pose:
        """X_BA of this X_AB."""
        inverse = quat_conjugate(self.orientation)
        x, y, z = quat_rotate(inverse, self.position)
        return Pose((-x, -y, -z), inverse)

    def transform(self, point: Vec3) -> Vec3:
        """A point given in B, in A [m]."""
        x, y, z = self.rotate(point)
        return (x + self.position[0], y + self.position[1], z + self.position[2])

    def rotate(self, vector: Vec3) -> Vec3:
        """A direction given in B, in A."""
        return quat_rotate(self.orientation, vector)

    def rotation(self) -> NDArray[np.float64]:
        """R_AB, shape (3, 3)."""
        return matrix_from_quat(self.orientation)

    def matrix(self) -> NDArray[np.float64]:
        """Homogeneous matrix of X_AB, shape (4, 4)."""
        (a, b, c) = rows_from_quat(self.orientation)
        (x, y, z) = self.position
        return np.array(((*a, x), (*b, y), (*c, z), (0.0, 0.0, 0.0, 1.0)))

    def as_list(self) -> list[float]:
        """[x, y, z, qx, qy, qz, qw]."""
        return [*self.position, *self.orientation]


IDENTITY = Pose()
