"""Triangles of every shape of the model.

Shapes that differ only in size share one unit geometry and a scale, so that a hundred boxes are drawn in one call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.model.material import Rgba, Texture
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.records import dataclass
from simulator.rendering.covering import covered
from simulator.rendering.surface import CREASE_ANGLE, Surface, surface_of
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEGMENTS = 64
"""Facets around a full turn: 5.6 degrees each, far below the crease angle."""
COARSER = (32, 16, 8)
"""Facets of the same shapes where they are small in the picture, and many."""

MOST_COLOURS = 16
"""A mesh with more colours than this (a scan, say) is drawn in their mean."""

Triangles = tuple["NDArray[np.float64]", "NDArray[np.int64]"]
"""Vertices (n, 3) [m] and triangles (m, 3)."""


class TriangleMesh(Protocol):
    """What a mesh loader gives: `vertices` (n, 3) [m] and `triangles` (m, 3)."""

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Positions (n, 3) [m], scale and submesh already applied."""

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Three vertex numbers each, (m, 3)."""

    @property
    def colors(self) -> NDArray[np.float32] | None:
        """Colour of each vertex (n, 4) in [0, 1], or None; NaN where a vertex has none."""

    @property
    def uv(self) -> NDArray[np.float32] | None:
        """Place of each vertex in the picture (n, 2), (0, 0) its lower left corner, or None; NaN where a vertex has
        none."""

    @property
    def textures(self) -> tuple[Texture, ...]:
        """The pictures that the file names or holds."""

    @property
    def texture_of(self) -> NDArray[np.int32] | None:
        """The number of each triangle's texture (m,), -1 for none; None without textures."""


MeshLoader = Callable[[Mesh], TriangleMesh]


@dataclass(frozen=True, eq=False)
class Part:
    """A surface, and the colour [sRGB, with opacity] and texture that a mesh file gives it."""

    surface: Surface
    colour: Rgba | None = None
    texture: Texture | None = None


def unit_shape(shape: Shape) -> tuple[Shape, Vec3]:
    """The shape whose geometry can be shared, and the scale along x, y, z that makes it `shape`."""
    unit: tuple[Shape, Vec3] = (shape, (1.0, 1.0, 1.0))
    if isinstance(shape, Box):
        unit = Box((1.0, 1.0, 1.0)), shape.size
    elif isinstance(shape, Cylinder):
        unit = Cylinder(1.0, 1.0), (shape.radius, shape.radius, shape.length)
    elif isinstance(shape, Cone):
        unit = Cone(1.0, 1.0), (shape.radius, shape.radius, shape.length)
    elif isinstance(shape, Sphere):
        unit = Sphere(1.0), (shape.radius, shape.radius, shape.radius)
    elif isinstance(shape, Ellipsoid):
        unit = Sphere(1.0), shape.radii
    elif isinstance(shape, Capsule) and shape.radius > 0.0:
        unit = Capsule(1.0, shape.length / shape.radius), (shape.radius, shape.radius, shape.radius)
    return unit


def parts_of_shape(shape: Shape, load_mesh: MeshLoader, *, is_covered: bool = False) -> list[Part]:
    """The surfaces of any shape, one for each colour and texture that a mesh file has.

    `is_covered`: one surface, ready for a texture that the document lays over all of it (`uv` is None where the mesh
    has no places for it). Raises what `load_mesh` raises, and ValueError for a shape without any area.
    """
    if not isinstance(shape, Mesh):
        return [Part(_surface_of_shape(shape, is_covered))]
    mesh = load_mesh(shape)
    if is_covered:
        places = None if mesh.uv is None else np.nan_to_num(mesh.uv)
        return [Part(surface_of(mesh.vertices, mesh.triangles, uv=places))]
    return [
        Part(
            surface_of(mesh.vertices, mesh.triangles[chosen], uv=None if texture is None else mesh.uv), colour, texture
        )
        for chosen, colour, texture in _looks_of_triangles(mesh)
    ]


@lru_cache(maxsize=64)
def _surface_of_shape(shape: Shape, is_covered: bool) -> Surface:
    """Documents share most of their shapes, see `unit_shape`."""
    if not is_covered:
        return surface_of(*triangles_of(shape))
    vertices, triangles, uv = covered_triangles_of(shape)
    return surface_of(vertices, triangles, uv=uv)


def _looks_of_triangles(mesh: TriangleMesh) -> Iterator[tuple[NDArray[np.bool_], Rgba | None, Texture | None]]:
    """Which triangles share a texture and a colour, and these."""
    numbers = np.full(len(mesh.triangles), -1) if mesh.texture_of is None or mesh.uv is None else mesh.texture_of
    for number in np.unique(numbers) if len(numbers) else (-1,):
        chosen = numbers == number
        texture = mesh.textures[number] if number >= 0 else None
        colours, group = _colours_of_triangles(mesh, chosen)
        if len(colours) > MOST_COLOURS:
            yield chosen, _rgba(np.nanmean(colours, axis=0)), texture
            continue
        for i, colour in enumerate(colours):
            same = chosen.copy()
            same[chosen] = group == i
            yield same, _rgba(colour), texture


def _colours_of_triangles(
    mesh: TriangleMesh, chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The different colours (k, 4) of some triangles, NaN for none, and which of them each has (by its first
    vertex)."""
    triangles = mesh.triangles[chosen]
    if mesh.colors is None or len(triangles) == 0:
        return np.full((1, 4), np.nan, dtype=np.float32), np.zeros(len(triangles), dtype=np.int64)
    each = np.nan_to_num(np.round(mesh.colors[triangles[:, 0]], 3), nan=-1.0)
    colours, group = np.unique(each, axis=0, return_inverse=True)
    return np.where(colours < 0.0, np.nan, colours), group.reshape(-1)


def _rgba(colour: NDArray[np.float32]) -> Rgba | None:
    if not np.isfinite(colour).all():
        return None
    return (float(colour[0]), float(colour[1]), float(colour[2]), float(colour[3]))


def triangles_of(shape: Shape) -> Triangles:
    """Vertices and triangles, counter-clockwise from outside, of any shape but a mesh."""
    if isinstance(shape, Box):
        return _box(shape.size)
    if isinstance(shape, Plane):
        return _plane(shape)
    if isinstance(shape, Mesh):
        raise TypeError("a mesh file has to be loaded")
    return _revolved(_profile(shape, SEGMENTS), SEGMENTS)


@lru_cache(maxsize=64)
def coarser_surfaces(shape: Shape) -> tuple[Surface, ...]:
    """Surfaces of a round shape with the facets of `COARSER`, its rims as sharp as before; none of other shapes."""
    if isinstance(shape, Box | Plane | Mesh):
        return ()
    turns = {count: math.tau / count for count in COARSER}
    return tuple(
        surface_of(*_revolved(_profile(shape, count), count), crease_angle=max(CREASE_ANGLE, 1.2 * turn))
        for count, turn in turns.items()
    )


def round_sizes(shape: Shape, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Radii [m] of the largest circles of a unit shape under scaling matrices (n, 4, 4): what its facets are to be
    fine enough for."""
    circles = 2 if isinstance(shape, Cylinder | Cone) else 3
    return np.asarray(np.linalg.norm(matrices[:, :3, :circles], axis=1).max(axis=1))


def covered_triangles_of(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """As `triangles_of`, with vertices doubled at seams, and the place of each vertex in a picture (n, 2)."""
    vertices, triangles = triangles_of(shape)
    return covered(vertices, triangles, shape)


def _profile(shape: Cylinder | Cone | Sphere | Ellipsoid | Capsule, segments: int) -> list[tuple[float, float]]:
    """(radius, z) [m] from the lower pole to the upper one, of `segments` facets around; for an ellipsoid that of the
    unit sphere."""
    if isinstance(shape, Cylinder):
        half = shape.length / 2
        return [(0.0, -half), (shape.radius, -half), (shape.radius, half), (0.0, half)]
    if isinstance(shape, Cone):
        half = shape.length / 2
        # Rows that crowd towards the apex keep its single, vertical normal from being seen.
        side = [(shape.radius * 0.5**i, half - shape.length * 0.5**i) for i in range(7)]
        return [(0.0, -half), *side, (0.0, half)]
    radius, half = (shape.radius, shape.length / 2) if isinstance(shape, Capsule) else (1.0, 0.0)
    if isinstance(shape, Sphere):
        radius = shape.radius
    quarter = [math.pi / 2 * i / (segments // 4) for i in range(segments // 4 + 1)]
    lower = [(radius * math.sin(a), -half - radius * math.cos(a)) for a in quarter]
    upper = [(radius * math.cos(a), half + radius * math.sin(a)) for a in quarter]
    return [(0.0, lower[0][1]), *lower[1:], *upper[1 if half == 0.0 else 0 : -1], (0.0, upper[-1][1])]


def _revolved(profile: list[tuple[float, float]], segments: int) -> Triangles:
    """The closed surface of a profile (radius, z), poles first and last, turned about z."""
    angles = np.arange(segments) * (math.tau / segments)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = [np.column_stack([r * circle, np.full(segments, z)]) for r, z in profile[1:-1]]
    poles = np.array([[0.0, 0.0, profile[0][1]], [0.0, 0.0, profile[-1][1]]])
    vertices = np.concatenate([*rings, poles])
    here = np.arange(segments)
    ahead = (here + 1) % segments
    low_pole, high_pole = len(vertices) - 2, len(vertices) - 1
    last = (len(rings) - 1) * segments
    faces = [
        np.stack([np.full(segments, low_pole), ahead, here], axis=1),
        np.stack([np.full(segments, high_pole), here + last, ahead + last], axis=1),
    ]
    for row in range(len(rings) - 1):
        a, b = here + row * segments, ahead + row * segments
        faces += [np.stack([a, b, b + segments], axis=1), np.stack([a, b + segments, a + segments], axis=1)]
    return vertices, np.concatenate(faces)


def _box(size: Vec3) -> Triangles:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return corners * np.asarray(size), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _plane(plane: Plane) -> Triangles:
    normal = np.asarray(plane.normal)
    helper = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    v = np.cross(normal, helper)
    v /= np.linalg.norm(v)
    u = np.cross(v, normal)
    half_u, half_v = plane.size[0] / 2 * u, plane.size[1] / 2 * v
    vertices = np.array([-half_u - half_v, half_u - half_v, half_u + half_v, -half_u + half_v])
    return vertices, np.array([[0, 1, 2], [0, 2, 3]])
