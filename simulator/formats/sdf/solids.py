"""Shapes as solid bodies: volume, centre of mass, inertia."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.mesh.solid import solid_of_mesh
from simulator.model.link import Inertial
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from simulator.spatial.inertia import point_inertia
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from collections.abc import Iterable

Solid = tuple[float, Vec3, NDArray[np.float64]]
"""Volume [m^3], centre of mass in the shape's frame [m], inertia about it per kilogram [m^2], shape (3, 3)."""
ORIGIN: Vec3 = (0.0, 0.0, 0.0)


def solid_properties(shape: Shape) -> Solid | None:
    """The solid body of a shape; None for planes and for meshes, which `solid_or_mesh` knows."""
    for kind, properties in _SOLIDS.items():
        if isinstance(shape, kind):
            return properties(shape)
    return None


def solid_or_mesh(shape: Shape) -> Solid | None:
    """The solid body of a shape or of what a mesh encloses; None for planes and for meshes that enclose nothing."""
    if not isinstance(shape, Mesh):
        return solid_properties(shape)
    found = None
    with suppress(MeshError):
        found = solid_of_mesh(mesh_of(shape))
    if found is None:
        return None
    volume, centre, inertia = found
    return volume, (float(centre[0]), float(centre[1]), float(centre[2])), inertia


def total_inertial(parts: Iterable[tuple[Solid, float, Pose]]) -> Inertial | None:
    """Solids of densities [kg/m^3] at poses X_LS as one inertial about their common centre, in the link's axes; None
    without mass."""
    masses = []
    centres = []
    inertias = []
    for (volume, centre, inertia), density, X_LS in parts:
        rotation = X_LS.rotation()
        masses.append(density * volume)
        centres.append(np.array(X_LS.transform(centre)))
        inertias.append(rotation @ (inertia * masses[-1]) @ rotation.T)
    mass = float(sum(masses))
    if not mass > 0.0:
        return None
    middle = sum((m * c for m, c in zip(masses, centres, strict=True)), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for m, c, inertia in zip(masses, centres, inertias, strict=True):
        total += inertia + point_inertia(m, c - middle)
    if not np.isfinite(total).all():
        return None
    xx, yy, zz, xy, xz, yz = (float(total[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    position = (float(middle[0]), float(middle[1]), float(middle[2]))
    return Inertial(mass, Pose(position, IDENTITY.orientation), (xx, yy, zz), (xy, xz, yz))


def scaled_to(inertial: Inertial, mass: float) -> Inertial:
    """The same body of another density, so that it weighs `mass` [kg]."""
    scale = mass / inertial.mass
    a, b, c = (value * scale for value in inertial.moments)
    d, e, f = (value * scale for value in inertial.products)
    return Inertial(mass, inertial.X_LI, (a, b, c), (d, e, f))


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
    tube = math.pi * r * r * length
    ball = 4.0 / 3.0 * math.pi * r**3
    volume = tube + ball
    along = (tube * r * r / 2.0 + ball * 0.4 * r * r) / volume
    caps = 0.4 * r * r + length * length / 4.0 + 3.0 * length * r / 8.0
    across = (tube * (3.0 * r * r + length * length) / 12.0 + ball * caps) / volume
    return volume, ORIGIN, _round(across, along)


_SOLIDS: dict[type[object], Callable[[Any], Solid]] = {
    Box: _box,
    Sphere: lambda sphere: _ellipsoid(sphere.radius, sphere.radius, sphere.radius),
    Ellipsoid: lambda ellipsoid: _ellipsoid(*ellipsoid.radii),
    Cylinder: _cylinder,
    Cone: _cone,
    Capsule: _capsule,
}
