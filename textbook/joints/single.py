"""Joints with one freedom: revolute, prismatic, helical.

All three are rows (rx ry rz tx ty tz) of a motion subspace. A row that is not of length 1 scales its coordinate: with
the row (0 0 2 0 0 0) the child turns by 2 q, so that S is the row as it was given.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.joints.base import VectorJoint
from textbook.plucker import (
    motion_transform,
    rot_axis,
    rotation_transform,
    rotx,
    roty,
    rotz,
    translation_transform,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.rotation import Vec3

    Array = NDArray[np.float64]

_PRINCIPAL = {(1.0, 0.0, 0.0): rotx, (0.0, 1.0, 0.0): roty, (0.0, 0.0, 1.0): rotz}

X_AXIS: Vec3 = (1.0, 0.0, 0.0)
Y_AXIS: Vec3 = (0.0, 1.0, 0.0)
Z_AXIS: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class AxisJoint(VectorJoint, ABC):
    """One freedom, described by its row."""

    axis: Vec3 = Z_AXIS

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", _checked_axis(self.axis, f"{type(self).__name__.lower()} joint's axis"))

    @property
    @abstractmethod
    def row(self) -> tuple[float, ...]:
        """The joint's row (rx ry rz tx ty tz)."""

    def subspace(self, q: Array) -> Array:
        """The row, shape (6, 1)."""
        del q
        return np.array(self.row)[:, None]


@dataclass(frozen=True)
class Revolute(AxisJoint):
    """Turns about `axis` through the joint frame's origin; q [rad]."""

    @property
    def row(self) -> tuple[float, ...]:
        """The joint's row (rx ry rz tx ty tz)."""
        return (*self.axis, 0.0, 0.0, 0.0)

    def transform(self, q: Array) -> Array:
        """Rotation by q, shape (6, 6); the principal axes X, Y, Z take a short way (RBDA table 4.1)."""
        return rotation_transform(coordinates_turned(self.axis, float(q[0])))


@dataclass(frozen=True)
class Prismatic(AxisJoint):
    """Slides along `axis`; q [m]."""

    @property
    def row(self) -> tuple[float, ...]:
        """The joint's row (rx ry rz tx ty tz)."""
        return (0.0, 0.0, 0.0, *self.axis)

    def transform(self, q: Array) -> Array:
        """Translation by q along the axis, shape (6, 6)."""
        return translation_transform(float(q[0]) * np.array(self.axis))


@dataclass(frozen=True)
class Helical(AxisJoint):
    """Turns about `axis` and slides along `direction` at once; q [rad], `direction` [m per rad] in the joint frame.

    `direction` need not be along the axis (RBDL's helical joint): the child's origin runs along a straight line while
    the child turns. A screw of lead h [m per revolution] is `screw(axis, h)`.
    """

    direction: Vec3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        x, y, z = (float(c) for c in self.direction)
        object.__setattr__(self, "direction", (x, y, z))

    @property
    def row(self) -> tuple[float, ...]:
        """The joint's row (rx ry rz tx ty tz)."""
        return (*self.axis, *self.direction)

    def transform(self, q: Array) -> Array:
        """Xrot(axis, q) Xtrans(q direction), shape (6, 6)."""
        angle = float(q[0])
        return motion_transform(coordinates_turned(self.axis, angle), angle * np.array(self.direction))

    def subspace(self, q: Array) -> Array:
        """[axis; E direction], shape (6, 1)."""
        along = coordinates_turned(self.axis, float(q[0])) @ np.array(self.direction)
        return np.concatenate((self.axis, along))[:, None]

    def bias(self, q: Array, qd: Array) -> Array:
        """[0; -qd² axis x E direction], shape (6,); zero for a screw, whose direction is along the axis."""
        # S = [a; E d] with Ė = −q̇ (a x) E, so S° q̇ = [0; −q̇² a x E d].
        along = coordinates_turned(self.axis, float(q[0])) @ np.array(self.direction)
        return np.concatenate((np.zeros(3), -(float(qd[0]) ** 2) * np.cross(np.array(self.axis), along)))


def screw(axis: Vec3, lead: float) -> Helical:
    """A screw joint about the unit vector `axis` that advances by `lead` [m] per revolution, right-handed for a
    positive lead."""
    x, y, z = (float(c) * lead / (2.0 * math.pi) for c in axis)
    return Helical(axis, (x, y, z))


def coordinates_turned(axis: Vec3, q: float) -> Array:
    """E, shape (3, 3), of a child turned by q times the length of `axis` about it."""
    short = _PRINCIPAL.get(axis)
    if short is not None:
        return short(q)
    length = math.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    return rot_axis(np.array(axis) / length, q * length)


def _checked_axis(axis: Vec3, what: str) -> Vec3:
    x, y, z = (float(c) for c in axis)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0 or not math.isfinite(length):
        raise UsageError(f"a {what} must not be zero or infinite, it is ({x:g} {y:g} {z:g})")
    return (x, y, z)
