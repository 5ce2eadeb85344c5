"""Rotational inertia as the matrix of its six numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def inertia_matrix(ixx: float, iyy: float, izz: float, ixy: float, ixz: float, iyz: float) -> NDArray[np.float64]:
    """The symmetric matrix of moments and products, shape (3, 3); products are its elements (ixy = -integral of x y dm) [kg m^2]."""
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
