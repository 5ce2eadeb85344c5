"""Joints from the rows (rx ry rz tx ty tz) of their motion subspace.

One row: (1 0 0 0 0 0) and its like turn about a principal axis, other pure rotations are revolute, pure translations
prismatic, and a row with both parts is helical. Several rows: a chain of such joints (Robot Dynamics Library, "Joint
Modeling").
"""

from __future__ import annotations

import math
import warnings
from enum import Enum
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from textbook.joints.chain import JointChain
from textbook.joints.euler import EulerXYZ, EulerYXZ, EulerZXY, EulerZYX
from textbook.joints.fixed import Fixed
from textbook.joints.single import X_AXIS, Y_AXIS, Z_AXIS, Helical, Prismatic, Revolute
from textbook.joints.spherical import FloatingBase, Spherical
from textbook.joints.translation import Planar, TranslationXYZ

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textbook.joints.protocol import JointModel

ZERO_PART = 1e-8
"""A rotation or translation part shorter than this is absent."""


class JointAxisWarning(UserWarning):
    """A row's direction is not of length 1: the coordinate counts in other units than radians or metres."""


class JointType(Enum):
    """The joints by name; the ones from `EULER_ZYX` on need no axis."""

    REVOLUTE_X = "RevoluteX"
    REVOLUTE_Y = "RevoluteY"
    REVOLUTE_Z = "RevoluteZ"
    REVOLUTE = "Revolute"
    PRISMATIC = "Prismatic"
    HELICAL = "Helical"
    EULER_ZYX = "EulerZYX"
    EULER_XYZ = "EulerXYZ"
    EULER_YXZ = "EulerYXZ"
    EULER_ZXY = "EulerZXY"
    TRANSLATION_XYZ = "TranslationXYZ"
    PLANAR = "Planar"
    SPHERICAL = "Spherical"
    FLOATING_BASE = "FloatingBase"
    FIXED = "Fixed"
    CUSTOM = "Custom"


_WITHOUT_AXIS: dict[JointType, Callable[[], JointModel]] = {
    JointType.REVOLUTE_X: lambda: Revolute(X_AXIS),
    JointType.REVOLUTE_Y: lambda: Revolute(Y_AXIS),
    JointType.REVOLUTE_Z: lambda: Revolute(Z_AXIS),
    JointType.EULER_ZYX: EulerZYX,
    JointType.EULER_XYZ: EulerXYZ,
    JointType.EULER_YXZ: EulerYXZ,
    JointType.EULER_ZXY: EulerZXY,
    JointType.TRANSLATION_XYZ: TranslationXYZ,
    JointType.PLANAR: Planar,
    JointType.SPHERICAL: Spherical,
    JointType.FLOATING_BASE: FloatingBase,
    JointType.FIXED: Fixed,
}
_PRINCIPAL = {X_AXIS: JointType.REVOLUTE_X, Y_AXIS: JointType.REVOLUTE_Y, Z_AXIS: JointType.REVOLUTE_Z}


def joint_of_type(kind: JointType | str) -> JointModel:
    """A joint by its type alone, `JointType.EULER_ZYX` or "EulerZYX"; the types that need an axis or hooks are
    refused."""
    try:
        kind = JointType(kind)
    except ValueError:
        names = ", ".join(known.value for known in _WITHOUT_AXIS)
        raise UsageError(f"invalid joint type '{kind}'. Joints that a type alone defines: {names}") from None
    if kind is JointType.CUSTOM:
        raise UsageError("a Custom joint needs its hooks: use CustomJoint(transform=..., subspace=...)")
    if kind not in _WITHOUT_AXIS:
        raise UsageError(f"a {kind.value} joint needs its axis: use joint_from_rows((rx, ry, rz, tx, ty, tz))")
    return _WITHOUT_AXIS[kind]()


def is_pure_row(row: Sequence[float]) -> bool:
    """Exactly one of the rotation and the translation part is there: RDL's rule for the axis of a revolute or prismatic
    joint."""
    turns, slides = _lengths(row)
    return (turns > ZERO_PART) != (slides > ZERO_PART)


def type_of_row(row: Sequence[float]) -> JointType:
    """The joint type that one row (rx ry rz tx ty tz) means. Raises UsageError for a row that means none."""
    turns, slides = _lengths(row)
    if is_pure_row(row):
        if slides > ZERO_PART:
            return JointType.PRISMATIC
        return _PRINCIPAL.get((float(row[0]), float(row[1]), float(row[2])), JointType.REVOLUTE)
    # A screw's pitch is the translation per radian: that is only defined for a unit rotation part.
    if turns > ZERO_PART and abs(turns - 1.0) <= ZERO_PART:
        return JointType.HELICAL
    shown = " ".join(f"{value:g}" for value in row)
    reason = "is zero" if turns <= ZERO_PART else f"turns and slides, but its rotation part has length {turns:g}, not 1"
    raise UsageError(f"invalid joint axis: the row ({shown}) {reason}")


def joint_from_rows(*rows: Sequence[float]) -> JointModel:
    """The joint that these rows (rx ry rz tx ty tz) span: none is `Fixed`, one a single joint, two to six a
    `JointChain`."""
    if not rows:
        return Fixed()
    if len(rows) > 6:
        raise UsageError(f"a joint has at most 6 freedoms, {len(rows)} rows are given")
    joints = tuple(_joint_from_row(row) for row in rows)
    return joints[0] if len(joints) == 1 else JointChain(joints)


def _joint_from_row(row: Sequence[float]) -> JointModel:
    kind = type_of_row(row)
    rx, ry, rz, tx, ty, tz = (float(value) for value in row)
    length = max(_lengths(row)) if is_pure_row(row) else 1.0
    if abs(length - 1.0) > ZERO_PART:
        warnings.warn(f"joint axis is not a unit vector: its length is {length:g}", JointAxisWarning, stacklevel=3)
    if kind is JointType.PRISMATIC:
        return Prismatic((tx, ty, tz))
    return Helical((rx, ry, rz), (tx, ty, tz)) if kind is JointType.HELICAL else Revolute((rx, ry, rz))


def _lengths(row: Sequence[float]) -> tuple[float, float]:
    if len(row) != 6:
        raise UsageError(f"a joint axis is a row of 6 numbers (rx ry rz tx ty tz), {len(row)} are given")
    if not all(math.isfinite(value) for value in row):
        raise UsageError("a joint axis must be finite")
    return math.sqrt(sum(value * value for value in row[:3])), math.sqrt(sum(value * value for value in row[3:]))
