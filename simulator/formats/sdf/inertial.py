"""`<inertial>` of a link and the rules that it must obey."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.sdf.poses import read_local_pose
from simulator.model.link import Inertial
from simulator.spatial.inertia import inertia_matrix, sphere_moment
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.formats.cursor import Cursor


POINT = 1e-6
NOTHING: Vec3 = (0.0, 0.0, 0.0)


def read_inertial(link: Cursor) -> Inertial:
    """Mass, centre and rotational inertia of a link; SDFormat's 1 kg and identity where nothing is written."""
    cursor = link.child("inertial")
    if cursor is None:
        return Inertial()
    inertia = cursor.child("inertia") or cursor
    result = Inertial(
        mass=cursor.finite("mass", 1.0),
        X_LI=read_local_pose(cursor),
        moments=(inertia.finite("ixx", 1.0), inertia.finite("iyy", 1.0), inertia.finite("izz", 1.0)),
        products=(inertia.finite("ixy", 0.0), inertia.finite("ixz", 0.0), inertia.finite("iyz", 0.0)),
    )
    return result if not fault_of(result) else _possible(result, cursor, link.get("name"))


def _possible(inertial: Inertial, cursor: Cursor, name: str) -> Inertial:
    """The nearest inertial that a body can have, with a warning; as it is, with an error, where none is near."""
    reason = fault_of(inertial)
    kind = not cursor.reading.options.strict
    if kind and is_point(inertial):
        return replace(inertial, moments=NOTHING, products=NOTHING)  # rounding of none
    nearest = balanced(inertial) if kind and inertial.mass > 0.0 else None
    if nearest is None or fault_of(nearest):
        message = f"link '{name}' has an impossible inertial: {reason}"
        hint = "write the mass, and the moments about the centre of mass, as the CAD program gives them"
        cursor.log.error("LINK_INERTIA_INVALID", cursor.source, message, hint)
        return inertial
    a, b, c = (f"{value:.6g}" for value in principal_moments(nearest))
    message = (
        f"link '{name}' has an impossible inertial: {reason}; the nearest possible moments {a}, {b}, {c} are taken"
    )
    cursor.log.warning("LINK_INERTIA_INVALID", cursor.source, message, fold="balanced")
    return nearest


def is_point(inertial: Inertial) -> bool:
    """Whether a mass has next to no moments: less than a millionth of those of a ball of water of that mass."""
    numbers = (*inertial.moments, *inertial.products)
    return inertial.mass > 0.0 and max(map(abs, numbers)) < POINT * sphere_moment(inertial.mass)


def fault_of(inertial: Inertial) -> str:
    """Why no rigid body can have this inertial; "" where one can (mass 0 passes, as in libsdformat)."""
    if inertial.mass < 0.0:
        return f"its mass is {inertial.mass} kg"
    ixx, iyy, izz = inertial.moments
    ixy, ixz, iyz = inertial.products
    if ixy == ixz == iyz == 0.0:
        a, b, c = sorted(inertial.moments)
    else:
        matrix = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        a, b, c = (float(value) for value in np.linalg.eigvalsh(matrix))
    tolerance = 10.0 * sys.float_info.epsilon * (ixx + iyy + izz) / 2.0
    if not math.isfinite(tolerance) or a < -abs(tolerance):
        return f"its principal moments are {a:.6g}, {b:.6g}, {c:.6g} kg m^2; none may be negative"
    if a + b < c - tolerance:
        return (
            f"its principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2 break a + b >= c, which every mass distribution "
            f"obeys, by {c - a - b:.2g}"
        )
    return ""


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
