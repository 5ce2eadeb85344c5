"""`<inertial auto="true">`: mass and inertia from the collision shapes and their density."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.formats.sdf.inertial import fault_of, read_inertial
from simulator.model.link import Collision, Inertial, Omitted
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.cursor import Cursor

Solid = tuple[float, Vec3, NDArray[np.float64]]
"""Volume [m^3], centre of mass in the shape's frame [m], inertia about it per kilogram [m^2], shape (3, 3)."""
ORIGIN: Vec3 = (0.0, 0.0, 0.0)
WATER = 1000.0
"""Density [kg/m^3] where the document says nothing."""


def wants_auto(link: Cursor) -> bool:
    """Whether the link asks for an inertia computed from its shapes."""
    inertial = link.child("inertial")
    return inertial is not None and inertial.flag("auto")


def auto_inertial(link: Cursor, collisions: Sequence[Collision | Omitted]) -> Inertial:
    """Sum over the collisions; scaled to `<mass>` where that is written too."""
    inertial = link.child("inertial")
    assert inertial is not None
    name = link.get("name")
    if not collisions:
        inertial.log.error(
            "ELEMENT_MISSING", inertial.source, f"link '{name}' asks for an automatic inertia but has no collision"
        )
        return read_inertial(link)
    densities = _densities(link, inertial.finite("density", WATER))
    mass, second = 0.0, np.zeros((3, 3))
    moment: NDArray[np.float64] = np.zeros(3)
    for collision in collisions:
        part = None if isinstance(collision, Omitted) else solid_properties(collision.shape)
        if isinstance(collision, Omitted) or part is None:
            kind = collision.geometry if isinstance(collision, Omitted) else type(collision.shape).__name__.lower()
            report = inertial.log.warning if kind == "mesh" else inertial.log.error
            report(
                "LINK_INERTIA_INVALID",
                inertial.source,
                f"the inertia of a {kind} is not computed automatically (link '{name}')",
            )
            return read_inertial(link)
        volume, centre, inertia = part
        weight = densities.get(collision.name, WATER) * volume
        rotation, position = collision.X_LC.rotation(), np.array(collision.X_LC.transform(centre))
        mass, moment = mass + weight, moment + weight * position
        turned = rotation @ (inertia * weight) @ rotation.T
        second += turned + weight * (position @ position * np.eye(3) - np.outer(position, position))
    if not (mass > 0.0 and np.isfinite(second).all()):
        message = f"the automatic mass of link '{name}' is {mass} kg; it must be positive and finite"
        inertial.log.error("LINK_INERTIA_INVALID", inertial.source, message)
        return Inertial()
    return _assembled(inertial, mass, moment / mass, second)


def _densities(link: Cursor, standard: float) -> dict[str, float]:
    return {part.get("name"): part.finite("density", standard) for part in link.children("collision")}


def _assembled(cursor: Cursor, mass: float, centre: NDArray[np.float64], second: NDArray[np.float64]) -> Inertial:
    """`second` is about the link's origin; the result is about the centre of mass, axes of the link."""
    about_centre = second - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    wanted = cursor.finite("mass", mass)
    scale = wanted / mass
    ixx, iyy, izz = (float(value) * scale for value in np.diag(about_centre))
    ixy, ixz, iyz = (float(about_centre[i]) * scale for i in ((0, 1), (0, 2), (1, 2)))
    position = (float(centre[0]), float(centre[1]), float(centre[2]))
    result = Inertial(wanted, Pose(position, IDENTITY.orientation), (ixx, iyy, izz), (ixy, ixz, iyz))
    reason = fault_of(result)
    if reason:
        cursor.log.error("LINK_INERTIA_INVALID", cursor.source, f"the automatic inertial is impossible: {reason}")
    return result


def solid_properties(shape: Shape) -> Solid | None:
    """The solid body of a shape; None for planes and meshes."""
    for kind, properties in _SOLIDS.items():
        if isinstance(shape, kind):
            return properties(shape)
    return None


def _box(box: Box) -> Solid:
    x, y, z = box.size
    return x * y * z, ORIGIN, np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0


def _cylinder(shape: Cylinder) -> Solid:
    r2, l2 = shape.radius**2, shape.length**2
    return math.pi * r2 * shape.length, ORIGIN, _round((3 * r2 + l2) / 12.0, r2 / 2.0)


def _cone(shape: Cone) -> Solid:
    r2, l2 = shape.radius**2, shape.length**2
    centre = (0.0, 0.0, -shape.length / 4.0)
    return math.pi * r2 * shape.length / 3.0, centre, _round(3 * (4 * r2 + l2) / 80.0, 0.3 * r2)


def _round(across: float, along: float) -> NDArray[np.float64]:
    return np.diag([across, across, along])


def _ellipsoid(a: float, b: float, c: float) -> Solid:
    inertia = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 5.0
    return 4.0 / 3.0 * math.pi * a * b * c, ORIGIN, inertia


def _capsule(shape: Capsule) -> Solid:
    r, length = shape.radius, shape.length
    tube, ball = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r**3
    volume = tube + ball
    along = (tube * r * r / 2.0 + ball * 0.4 * r * r) / volume
    caps = 0.4 * r * r + length * length / 4.0 + 3.0 * length * r / 8.0
    across = (tube * (3.0 * r * r + length * length) / 12.0 + ball * caps) / volume
    return volume, ORIGIN, _round(across, along)


_SOLIDS: dict[type[Any], Callable[[Any], Solid]] = {
    Box: _box,
    Sphere: lambda sphere: _ellipsoid(sphere.radius, sphere.radius, sphere.radius),
    Ellipsoid: lambda ellipsoid: _ellipsoid(*ellipsoid.radii),
    Cylinder: _cylinder,
    Cone: _cone,
    Capsule: _capsule,
}
