"""Geometry of visuals and collisions. Shapes are centred at their frame with their axis along z unless said
otherwise."""

from __future__ import annotations

from simulator.records import dataclass
from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class Box:
    """`size`: full edge lengths [m]."""

    size: Vec3


@dataclass(frozen=True)
class Cylinder:
    """`radius`, `length` [m]; axis z."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """`radius`, `length` [m]; base at -length/2, apex at +length/2."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """`radius` [m]."""

    radius: float


@dataclass(frozen=True)
class Ellipsoid:
    """`radii` [m]."""

    radii: Vec3


@dataclass(frozen=True)
class Capsule:
    """`length` [m] is the cylindrical part; the whole is length + 2 radius long."""

    radius: float
    length: float


@dataclass(frozen=True)
class Plane:
    """Through the frame's origin; `normal` is a unit vector, `size` [m] the drawn extent (collision is infinite)."""

    normal: Vec3
    size: tuple[float, float]


@dataclass(frozen=True)
class Mesh:
    """A mesh file. `uri` as written, `path` the file it was found at, `scale` per axis.

    `submesh` picks one named part (empty: all); `center` moves that part's bounding box centre to the origin. `up` is
    the axis of the file that becomes z: "z" takes the file as it is, "y" turns it by 90 degrees about x, "" is "y" in
    glTF and "z" in all others. `hull`: collides as its convex hull also where it does not move.
    """

    uri: str
    path: str
    scale: Vec3 = (1.0, 1.0, 1.0)
    submesh: str = ""
    center: bool = False
    up: str = ""
    hull: bool = False


Shape = Box | Cylinder | Cone | Sphere | Ellipsoid | Capsule | Plane | Mesh
