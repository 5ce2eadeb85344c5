"""Shapes with mass: what a link is made of.

Coordinates are those of the link. Every function gives one `PlacedShape`, which knows how it is drawn, whether bodies
touch it, and its mass properties as a solid of its density.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.meshes import MeshData, extruded, require_simple
from simulator.building.schema import numbers
from simulator.errors import UsageError
from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.sdf.solids import solid_or_mesh, solid_properties
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import normalized, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.formats.sdf.solids import Solid
    from simulator.spatial.rotation import Vec3

ALUMINIUM = 2700.0
"""Density [kg/m^3] where none is given."""
EYE = 1.3
"""Thickness of the eyes of a bar, as they are drawn, in thicknesses of the bar."""
COLORS = {
    "blue": (0.23, 0.51, 0.96),
    "orange": (0.96, 0.62, 0.04),
    "green": (0.06, 0.62, 0.55),
    "red": (0.87, 0.30, 0.38),
    "violet": (0.55, 0.36, 0.83),
    "grey": (0.54, 0.58, 0.64),
    "steel": (0.68, 0.72, 0.77),
    "dark": (0.21, 0.23, 0.26),
    "brass": (0.80, 0.66, 0.38),
}
"""Colours by name, red, green and blue from 0 to 1."""
Color = str | tuple[float, float, float]
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class PlacedShape:
    """`pieces`: what is drawn, and touched where it `collides`, with poses in the link. `solids`: volume, centre and
    inertia per kilogram of the parts of the body, with poses; their density is `density` [kg/m^3], or what makes `mass`
    [kg] of them. `color` "" is that of the link. `touched`: convex pieces that bodies touch in the place of what is
    drawn."""

    pieces: tuple[tuple[Shape | MeshData, Pose], ...]
    solids: tuple[tuple[Solid, Pose], ...]
    density: float = ALUMINIUM
    mass: float | None = None
    color: Color = ""
    collides: bool = False
    name: str = ""
    touched: tuple[tuple[Shape | MeshData, Pose], ...] = ()

    @property
    def volume(self) -> float:
        """[m^3]."""
        return sum(solid[0] for solid, _ in self.solids)

    def weighted(self) -> list[tuple[Solid, float, Pose]]:
        """The solids with their densities [kg/m^3]. Raises UsageError for a mass of what has no volume."""
        density = self.density
        if self.mass is not None:
            if not self.volume > 0.0:
                raise UsageError("a shape without a volume has no mass; give the link its inertia")
            density = self.mass / self.volume
        return [(solid, density, pose) for solid, pose in self.solids]


def placed(shape: PlacedShape, pose: Pose) -> PlacedShape:
    """The shape, moved as a whole."""
    pieces = tuple((piece, pose @ X) for piece, X in shape.pieces)
    solids = tuple((solid, pose @ X) for solid, X in shape.solids)
    touched = tuple((piece, pose @ X) for piece, X in shape.touched)
    return replace(shape, pieces=pieces, solids=solids, touched=touched)


def _made(
    shape: Shape, pose: Pose, density: float, mass: float | None, color: Color, collides: bool, name: str
) -> PlacedShape:
    solid = solid_or_mesh(shape)
    solids = () if solid is None else ((solid, pose),)
    return PlacedShape(((shape, pose),), solids, _density(density), mass, _color(color), collides, name)


def box(
    size: Sequence[float],
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A box of edge lengths `size` [m] around `at` [m], turned by fixed-axis angles `rpy` [rad].

    For all shapes: `density` [kg/m^3] or `mass` [kg]; `color` is a name of `COLORS` or red, green and blue from 0 to 1;
    `collides`: bodies touch it. Raises UsageError for lengths that are not positive.
    """
    x, y, z = (_length(value, "a box") for value in numbers(size, 3, "the size of a box"))
    return _made(Box((x, y, z)), _pose(at, rpy), density, mass, color, collides, name)


def cylinder(
    radius: float,
    length: float,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    axis: Sequence[float] = Z,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A cylinder about `axis` with its middle at `at` [m]. See `box`."""
    shape = Cylinder(_length(radius, "a cylinder"), _length(length, "a cylinder"))
    return _made(shape, _along(at, axis), density, mass, color, collides, name)


def capsule(
    radius: float,
    length: float,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    axis: Sequence[float] = Z,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A cylinder of `length` with half balls at its ends. See `cylinder`."""
    shape = Capsule(_length(radius, "a capsule"), _length(length, "a capsule"))
    return _made(shape, _along(at, axis), density, mass, color, collides, name)


def cone(
    radius: float,
    length: float,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    axis: Sequence[float] = Z,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A cone whose apex is half its length along `axis` from `at`. See `cylinder`."""
    shape = Cone(_length(radius, "a cone"), _length(length, "a cone"))
    return _made(shape, _along(at, axis), density, mass, color, collides, name)


def sphere(
    radius: float,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A ball around `at` [m]. See `box`."""
    shape = Sphere(_length(radius, "a sphere"))
    return _made(shape, _pose(at, (0.0, 0.0, 0.0)), density, mass, color, collides, name)


def ellipsoid(
    radii: Sequence[float],
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """An ellipsoid of half axes `radii` [m]. See `box`."""
    a, b, c = (_length(value, "an ellipsoid") for value in numbers(radii, 3, "an ellipsoid"))
    return _made(Ellipsoid((a, b, c)), _pose(at, rpy), density, mass, color, collides, name)


def mesh(
    file: str | Path,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    scale: float | Sequence[float] = 1.0,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A mesh file (STL, OBJ, PLY, glTF, DAE), with the mass of what it encloses. See `box`. Raises UsageError for a
    file that is not there or cannot be read."""
    path = Path(file).resolve()
    sizes = (scale,) * 3 if isinstance(scale, int | float) else scale
    x, y, z = numbers(sizes, 3, "the scale of a mesh")
    shape = Mesh(str(path), str(path), (x, y, z))
    if not path.is_file():
        near = ", ".join(sorted(item.name for item in path.parent.glob("*.*"))[:8]) if path.parent.is_dir() else ""
        raise UsageError(f"there is no mesh file '{file}'" + (f"; beside it: {near}" if near else ""))
    try:
        mesh_of(shape)
    except MeshError as error:
        raise UsageError(f"{error}{f'; {error.hint}' if error.hint else ''}") from error
    return _made(shape, _pose(at, rpy), density, mass, color, collides, name)


def bar(
    start: Sequence[float],
    end: Sequence[float],
    *,
    width: float,
    thickness: float | None = None,
    normal: Sequence[float] = Y,
    offset: float = 0.0,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A bar from pin to pin with round ends: `width` [m] across, `thickness` along `normal` (the axis of its pins; half
    the width by default), moved by `offset` [m] along it. See `box`.

    Its mass is that of the whole: the box between the pins and a half cylinder at each. The eyes around the pins are
    drawn `EYE` times as thick, so that their rims are seen. Raises UsageError where the ends are one point, or the bar
    runs along `normal`.
    """
    p = np.array(numbers(start, 3, "the end of a bar"))
    q = np.array(numbers(end, 3, "the end of a bar"))
    w = _length(width, "a bar")
    t = w / 2.0 if thickness is None else _length(thickness, "a bar")
    R = _frame(q - p, normal)
    length = float(np.linalg.norm(q - p))
    shift = R[:, 2] * offset

    def at(x: float, turned: bool = False) -> Pose:
        place = p + R[:, 0] * x + shift
        rotation = R @ np.diag([-1.0, -1.0, 1.0]) if turned else R
        return Pose((float(place[0]), float(place[1]), float(place[2])), quat_from_matrix(rotation))

    middle = at(length / 2.0)
    pieces, touched = (
        ((Box((length, w, t)), middle), (eye, at(0.0)), (eye, at(length)))
        for eye in (Cylinder(w / 2.0, EYE * t), Cylinder(w / 2.0, t))
    )
    solid = solid_properties(Box((length, w, t)))
    half = _half_cylinder(w / 2.0, t)
    ends = ((half, at(0.0, turned=True)), (half, at(length)))
    solids = ends if solid is None else ((solid, middle), *ends)
    made = PlacedShape(pieces, solids, _density(density), mass, _color(color), collides, name or "bar")
    return replace(made, touched=touched) if collides else made


def plate(
    outline: Sequence[Sequence[float]],
    *,
    thickness: float,
    normal: Sequence[float] = Y,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A flat plate with corners at points of a plane across `normal` [m], its middle plane through them. See `box`.

    It is a mesh, which lies beside the document when that is saved. Raises UsageError for fewer than three corners,
    corners that are not in a plane, and outlines that cross themselves.
    """
    points = np.array([numbers(point, 3, "the corner of a plate") for point in outline])
    if len(points) < 3:
        raise UsageError(f"a plate has three corners or more, not {len(points)}")
    R = _frame(points[1] - points[0], normal)
    flat = (points - points[0]) @ R
    if float(np.abs(flat[:, 2]).max()) > 1e-9 * max(1.0, float(np.abs(flat).max())):
        raise UsageError("the corners of a plate are not in a plane across its normal")
    require_simple(flat[:, :2])
    data = extruded(flat[:, :2], _length(thickness, "a plate"), name or "plate")
    x, y, z = map(float, points[0])
    pose = Pose((x, y, z), quat_from_matrix(R))
    return from_mesh(data, pose, density=density, mass=mass, color=color, collides=collides, name=name)


def from_mesh(
    data: MeshData,
    pose: Pose = IDENTITY,
    *,
    density: float = ALUMINIUM,
    mass: float | None = None,
    color: Color = "",
    collides: bool = False,
    name: str = "",
) -> PlacedShape:
    """A generated mesh, saved beside the document. Its mass is that of what it encloses."""
    return PlacedShape(((data, pose),), ((data.solid(), pose),), _density(density), mass, _color(color), collides, name)


def color_of(color: Color) -> tuple[float, float, float, float]:
    """Red, green, blue and 1. Raises UsageError for a name that does not exist."""
    if isinstance(color, str):
        if color not in COLORS:
            raise UsageError(f"no colour is named '{color}'. Available: {', '.join(COLORS)}, or three numbers")
        return (*COLORS[color], 1.0)
    red, green, blue = numbers(color, 3, "a colour")
    return (red, green, blue, 1.0)


def _color(color: Color) -> Color:
    if color:
        color_of(color)
    return color


def _density(density: float) -> float:
    if not 0.0 <= float(density) < 1e6:
        raise UsageError(f"a density is 0 or more [kg/m^3], not {density!r}")
    return float(density)


def _length(value: float, what: str) -> float:
    if not 0.0 < float(value) < 1e50:
        raise UsageError(f"the lengths of {what} are above 0 [m], not {value!r}")
    return float(value)


def _pose(at: Sequence[float], rpy: Sequence[float]) -> Pose:
    x, y, z = numbers(at, 3, "a point")
    roll, pitch, yaw = numbers(rpy, 3, "angles")
    return Pose.from_rpy((x, y, z), (roll, pitch, yaw))


def _along(at: Sequence[float], axis: Sequence[float]) -> Pose:
    """A pose whose z axis is along `axis`."""
    x, y, z = numbers(at, 3, "a point")
    return Pose((x, y, z), quat_from_matrix(_turned_to(axis)))


def _turned_to(axis: Sequence[float]) -> NDArray[np.float64]:
    """A rotation that takes z to `axis`: the shortest one."""
    try:
        a, b, c = normalized(_vector(axis))
    except ValueError as error:
        raise UsageError(f"an axis has a length, unlike {axis!r}") from error
    if c < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    v = np.array([[0.0, 0.0, a], [0.0, 0.0, b], [-a, -b, 0.0]])
    found: NDArray[np.float64] = np.eye(3) + v + v @ v / (1.0 + c)
    return found


def _vector(value: Sequence[float]) -> Vec3:
    x, y, z = numbers(value, 3, "a direction")
    return (x, y, z)


def _frame(along: NDArray[np.float64], normal: Sequence[float]) -> NDArray[np.float64]:
    """A rotation with x along a direction and z as near `normal` as that lets it. Raises UsageError."""
    length = float(np.linalg.norm(along))
    n = np.array(_vector(normal))
    if not length > 0.0:
        raise UsageError("both ends are the same point")
    x = along / length
    z = n - x * float(n @ x)
    if not float(np.linalg.norm(z)) > 1e-9 * max(float(np.linalg.norm(n)), 1e-300):
        raise UsageError("it runs along its normal: name another normal")
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _half_cylinder(radius: float, length: float) -> Solid:
    """The half with x above 0 of a cylinder about z: its centroid is 4 r / (3 pi) from the axis."""
    volume = math.pi * radius**2 * length / 2.0
    centre = 4.0 * radius / (3.0 * math.pi)
    across = radius**2 / 4.0
    along = length**2 / 12.0
    xx = across + along
    inertia = np.diag([xx, xx - centre**2, 2.0 * across - centre**2])
    return volume, (centre, 0.0, 0.0), inertia
