"""Rotational inertia as the matrix of its six numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.rotation import IDENTITY_QUAT, matrix_from_quat

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from simulator.spatial.rotation import Quat

    Inertia: TypeAlias = tuple[float, float, float, float, float, float]


def inertia_matrix(ixx: float, iyy: float, izz: float, ixy: float, ixz: float, iyz: float) -> NDArray[np.float64]:
    """The symmetric matrix of moments and products, shape (3, 3); products are its elements (ixy = -integral of x y dm)
    [kg m^2]."""
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def turned_inertia(inertia: Inertia, orientation: Quat) -> Inertia:
    """Moments and products (ixx, iyy, izz, ixy, ixz, iyz) in a frame in which the one that they are given in has this
    orientation [kg m^2]."""
    if orientation == IDENTITY_QUAT:
        return inertia
    R = matrix_from_quat(orientation)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (R @ inertia_matrix(*inertia) @ R.T).tolist()
    return xx, yy, zz, xy, xz, yz


def point_inertia(mass: float, arm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of a mass [kg] at `arm` (3,) [m] from the origin, shape (3, 3) [kg m^2]: what the parallel-axis theorem adds."""
    result: NDArray[np.float64] = mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return result


def sphere_moment(mass: float, density: float = 1000.0) -> float:
    """Moment [kg m^2] of a homogeneous sphere of `mass` [kg] and `density` [kg/m^3] about any axis through its centre:
    0.4 m r^2."""
    radius = math.pow(3.0 * mass / (4.0 * math.pi * density), 1.0 / 3.0)
    return 0.4 * mass * radius * radius
