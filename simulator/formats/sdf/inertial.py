"""`<inertial>` of a link and the rules that it must obey."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.sdf.poses import read_local_pose
from simulator.model.link import Inertial

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor

LARGEST = 1e100
"""Numbers beyond this [kg, kg m^2] are mistakes, and their products overflow."""


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
    reason = fault_of(result)
    if reason:
        cursor.log.error(
            "LINK_INERTIA_INVALID", cursor.source, f"link '{link.get('name')}' has an impossible inertial: {reason}"
        )
    return result


def fault_of(inertial: Inertial) -> str:
    """Why no rigid body can have this inertial; "" where one can (mass 0 passes, as in libsdformat)."""
    if inertial.mass < 0.0:
        return f"its mass is {inertial.mass} kg"
    ixx, iyy, izz = inertial.moments
    ixy, ixz, iyz = inertial.products
    if max(abs(value) for value in (inertial.mass, *inertial.moments, *inertial.products)) > LARGEST:
        return f"no body of this world has a mass or moment above {LARGEST:g}"
    if ixy == ixz == iyz == 0.0:
        a, b, c = sorted(inertial.moments)
    else:
        matrix = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        a, b, c = (float(value) for value in np.linalg.eigvalsh(matrix))
    tolerance = 10.0 * sys.float_info.epsilon * (ixx + iyy + izz) / 2.0
    if not math.isfinite(tolerance) or a < -abs(tolerance):
        return f"its principal moments are {a:.6g}, {b:.6g}, {c:.6g} kg m^2; none may be negative"
    if a + b < c - tolerance:
        return f"its principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2 break a + b >= c, which every mass distribution obeys"
    return ""
