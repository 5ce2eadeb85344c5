"""The nearest inertia that a body can have to one that none can.

A rotational inertia belongs to some distribution of mass if and only if its principal moments obey a + b >= c in every
order, which makes them positive, too (Wensing, Kim and Slotine, "Linear matrix inequalities for physically consistent
inertial parameter identification", IEEE RA-L 3, 2018). The three conditions bound a convex cone; the nearest point of
it, in the Frobenius norm, has the same principal axes. It lies on some of the three planes a + b = c, b + c = a, c + a
= b, or on none: all eight cases are tried.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.model.link import Inertial

NORMALS = np.ones((3, 3)) - 2.0 * np.eye(3)
"""Row i: the sum of the other two moments less moment i, which must not be negative."""
ROUNDING = 1e-12
"""Part of the largest moment by which one about an axis of the document may be negative."""
PROJECTED = 8.0 * 2.0**-52
"""Part of the largest moment by which rounding leaves a projected point outside the cone."""
INSIDE = 32.0 * 2.0**-52
"""Part of it by which all moments are made larger, so that the tensor is inside the cone however its moments are
computed."""


def principal_moments(inertial: Inertial) -> NDArray[np.float64]:
    """Shape (3,), ascending [kg m^2]."""
    return np.asarray(np.linalg.eigvalsh(inertia_matrix(*inertial.moments, *inertial.products)), dtype=np.float64)


def balanced(inertial: Inertial) -> Inertial | None:
    """The inertial with the nearest possible moments; None where the tensor is too far from one: a moment about an axis
    of the document is negative beyond rounding, or their sum is not positive."""
    if min(inertial.moments) < -ROUNDING * max(inertial.moments) or not sum(inertial.moments) > 0.0:
        return None
    moments, axes = np.linalg.eigh(inertia_matrix(*inertial.moments, *inertial.products))
    nearest = nearest_moments(moments)
    nearest = nearest + INSIDE * nearest.max()
    matrix = (axes * nearest) @ axes.T
    xx, yy, zz, xy, xz, yz = (float(matrix[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return replace(inertial, moments=(xx, yy, zz), products=(xy, xz, yz))


def nearest_moments(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest principal moments (3,) that a body can have; those given where a body can have them."""
    rounding = PROJECTED * float(np.abs(moments).max())  # what is given is exact
    tried = []
    for count in range(4):
        for planes in combinations(range(3), count):
            N = NORMALS[list(planes)]
            point = moments - N.T @ np.linalg.solve(N @ N.T, N @ moments) if planes else moments
            if (NORMALS @ point >= (-rounding if planes else 0.0)).all():
                tried.append(point)
    return min(tried, key=lambda point: float(np.linalg.norm(point - moments)))
