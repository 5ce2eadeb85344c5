"""What there is to draw: geometry, where it sits on its link, its colour; and how large the whole is.

Everything here is fixed while a world runs. What moves comes each frame as `link_poses`, shape (n_links, 7): position
[m] and quaternion (x, y, z, w) of each link in the world, in the order of `Scene.links`.
"""

from __future__ import annotations

import math
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.material import Rgba
from simulator.records import dataclass
from simulator.rendering.pictures import Picture
from simulator.rendering.surface import Surface
from simulator.spatial.pose_arrays import matrices, vec3
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SMALLEST_RADIUS = 1e-4
"""A scene without extent is looked at as if it were this large [m]."""


NEAR = 6
"""So many pixels beside the pointer a link is still found: neither a thin rod nor the edge of a slot need be hit
exactly."""


@dataclass(frozen=True, eq=False)
class Drawable:
    """One shape on one link.

    `surface` and `link` count in `Scene.surfaces` and `Scene.links`; `matrix` (4, 4) is X_LV times the shape's scale;
    `colour` is sRGB with opacity, and `picture` the number in `Scene.pictures` of the texture it is multiplied with,
    None without. `in_bounds` says whether it counts for the size of the scene (a huge ground slab does not).
    `stands_in`: it is drawn as an outline, hatched, in the place of a mesh that is missing.
    """

    name: str
    surface: int
    link: int
    matrix: NDArray[np.float64]
    colour: Rgba
    is_collision: bool = False
    in_bounds: bool = True
    picture: int | None = None
    stands_in: bool = False


@dataclass(frozen=True)
class Floor:
    """The ground: its height [m], and whether the document has one (else it is only drawn, and hides nothing).

    `is_covered`: a plane with a texture lies on it at the same height.
    """

    z: float = 0.0
    is_ground: bool = False
    is_covered: bool = False


@dataclass(frozen=True)
class Bounds:
    """An axis-aligned box of the world [m]."""

    lower: Vec3
    upper: Vec3

    @property
    def centre(self) -> Vec3:
        """Middle of the box [m]."""
        x, y, z = ((a + b) / 2 for a, b in zip(self.lower, self.upper, strict=True))
        return (x, y, z)

    @property
    def radius(self) -> float:
        """Half the diagonal [m], never zero."""
        return max(math.dist(self.lower, self.upper) / 2, SMALLEST_RADIUS)


@dataclass(frozen=True, eq=False)
class Coarser:
    """Surfaces for where a shape is small in the picture, each coarser than the one before; `facets` around of the
    shape's own surface and of these; `sizes` [m]: the radius of the largest circle of each of its drawables, by their
    numbers."""

    surfaces: tuple[Surface, ...]
    facets: tuple[int, ...]
    sizes: dict[int, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is drawn of a world; see the module's docstring. `missing` names shapes and pictures that could not be
    loaded, and why; `coarser`: by the number of a surface, where a scene has so many triangles that it matters."""

    links: tuple[str, ...]
    drawables: tuple[Drawable, ...]
    surfaces: tuple[Surface, ...]
    start_poses: NDArray[np.float64] = field(repr=False)
    floor: Floor = Floor()
    missing: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = field(default=(), repr=False)
    coarser: Mapping[int, Coarser] = field(default_factory=dict, repr=False)

    @cached_property
    def triangles(self) -> int:
        """How many are drawn."""
        return sum(len(self.surfaces[drawable.surface].triangles) for drawable in self.drawables)

    def plain_colour(self, drawable: Drawable) -> Rgba:
        """The colour of something for who draws no pictures: its own times the mean of its picture."""
        if drawable.picture is None:
            return drawable.colour
        red, green, blue = self.pictures[drawable.picture].mean
        return (drawable.colour[0] * red, drawable.colour[1] * green, drawable.colour[2] * blue, drawable.colour[3])

    def initial_link_poses(self) -> NDArray[np.float64]:
        """Poses of the links as the document has them, shape (n_links, 7)."""
        return np.array(self.start_poses)

    @cached_property
    def link_numbers(self) -> dict[str, int]:
        """The place of each link in `links`."""
        return {name: i for i, name in enumerate(self.links)}

    @cached_property
    def _link_of(self) -> NDArray[np.int64]:
        return np.array([d.link for d in self.drawables], dtype=np.int64)

    @cached_property
    def _matrices(self) -> NDArray[np.float64]:
        return np.asarray(np.array([d.matrix for d in self.drawables], dtype=np.float64).reshape(-1, 4, 4))

    @cached_property
    def _corners(self) -> NDArray[np.float64]:
        """The eight corners of each drawable's box in its link, homogeneous, shape (n, 4, 8)."""
        boxes = np.array([_box(surface) for surface in self.surfaces], dtype=np.float64).reshape(-1, 4, 8)
        return np.asarray(self._matrices @ boxes[np.array([d.surface for d in self.drawables], dtype=np.int64)])

    @cached_property
    def _in_bounds(self) -> NDArray[np.bool_]:
        return np.array([d.in_bounds for d in self.drawables], dtype=bool)

    def world_matrices(self, link_poses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Geometry to world of every drawable, scale included, shape (n_drawables, 4, 4)."""
        return np.asarray(matrices(link_poses)[self._link_of] @ self._matrices)

    def corner_points(self, link_poses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Corners of the boxes around everything that counts for the size, in the world [m], shape (n, 3)."""
        chosen = self._in_bounds
        corners = matrices(link_poses)[self._link_of[chosen]] @ self._corners[chosen]
        return np.asarray(np.swapaxes(corners[:, :3, :], 1, 2).reshape(-1, 3))

    def bounds(self, link_poses: NDArray[np.float64]) -> Bounds:
        """The box around everything that counts for the size, with these poses."""
        points = self.corner_points(link_poses)
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) == 0:
            return Bounds((-0.5, -0.5, 0.0), (0.5, 0.5, 0.5))
        lower, upper = points.min(axis=0), points.max(axis=0)
        return Bounds(vec3(lower), vec3(upper))

    @cached_property
    def start_bounds(self) -> Bounds:
        """The box at the start."""
        return self.bounds(self.start_poses)

    @property
    def radius(self) -> float:
        """Half the size of the scene at the start [m]."""
        return self.start_bounds.radius

    @cached_property
    def grid_spacing(self) -> tuple[float, float]:
        """Distances [m] between the thin and between the strong lines of the floor: 1, 2 or 5 times a power of ten."""
        return grid_spacing(self.radius)


def _box(surface: Surface) -> NDArray[np.float64]:
    """The eight corners of the box around a geometry, homogeneous, shape (4, 8)."""
    ends = np.stack([surface.lower, surface.upper])
    corners = [[ends[i, 0], ends[j, 1], ends[k, 2], 1.0] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return np.asarray(np.array(corners, dtype=np.float64).T)


def grid_spacing(radius: float) -> tuple[float, float]:
    """Thin and strong grid distances [m] for a scene of that radius [m]."""
    wanted = max(radius, SMALLEST_RADIUS) / 4
    power = 10.0 ** math.floor(math.log10(wanted))
    factor = next(f for f in (5.0, 2.0, 1.0) if f * power <= wanted * (1 + 1e-9))
    strong = {1.0: 5.0, 2.0: 10.0, 5.0: 20.0}[factor]
    return factor * power, strong * power


@dataclass(frozen=True)
class Hit:
    """What is under the pointer: the link's scoped name and the point of its surface in the world [m]."""

    link: str
    point: Vec3
