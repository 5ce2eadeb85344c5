"""From a world of the model to a scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError
from simulator.formats.mesh.loader import mesh_of
from simulator.model.link import Link, Omitted
from simulator.model.material import Material, Rgba, Texture
from simulator.model.shape import Box, Plane, Shape
from simulator.model.world import World
from simulator.records import dataclass
from simulator.rendering.geometry import (
    COARSER,
    SEGMENTS,
    MeshLoader,
    Part,
    coarser_surfaces,
    parts_of_shape,
    round_sizes,
    unit_shape,
)
from simulator.rendering.pictures import LARGEST_SIDE, Picture, decoded
from simulator.rendering.scene import Coarser, Drawable, Floor, Scene
from simulator.rendering.surface import Surface
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray


LARGEST_SLAB = 6.0
"""A static part this many times larger than all moving ones is ground: it does not count for the size of the scene."""

PLACEHOLDER = 0.05
"""Edge of the cube that replaces a missing mesh, as a part of the size of the scene."""
SMALLEST_SCENE = 1e-3
LONE_PLACEHOLDER = 0.1
"""Diagonal of a scene [m] below which it has no size, and the edge that is taken there [m]."""

MANY_TRIANGLES = 100_000
"""In a scene of more triangles, round shapes have fewer facets where they are small in the picture."""
LEVEL = 0.999
"""Least z component of the normal of a plane that is drawn as the floor."""


def build_scene(
    world: World,
    load_mesh: MeshLoader | None = None,
    *,
    show_collisions: bool = False,
    largest_picture: int = LARGEST_SIDE,
) -> Scene:
    """The scene of a world. Links without visuals show their collision shapes; `show_collisions` shows all of them,
    translucent.

    For a visual whose mesh file is not there its link's collision shapes are shown in a colour that says so, or a cube
    if it has none. `load_mesh` reads mesh files (default: this package's own reader). What cannot be read is left out
    and named in `missing`. Textures are decoded, no side longer than `largest_picture` [px].
    """
    builder = _Builder(load_mesh or mesh_of, show_collisions, largest_picture)
    for model in world.models:
        for link in model.links:
            builder.add_link(link, is_static=model.static)
    return builder.scene()


@dataclass(frozen=True)
class _Item:
    """A visual or collision with everything decided; looks that a mesh file has itself go before `colour` where it
    keeps them.

    `texture` is the document's own.
    """

    name: str
    shape: Shape
    X_LV: Pose
    colour: Rgba
    is_collision: bool
    keeps_own_looks: bool = False
    texture: Texture | None = None
    stands_in: bool = False


@dataclass(frozen=True)
class _Level:
    """A level plane of a link (by number) at a height of the world [m]: the floor, or something that lies on it."""

    item: _Item
    link: int
    z: float


@dataclass
class _Builder:
    """Gathers drawables link by link."""

    load_mesh: MeshLoader
    show_collisions: bool
    largest_picture: int
    links: list[Link] = field(default_factory=list)
    static: list[bool] = field(default_factory=list)
    drawables: list[Drawable] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    textures: dict[int, Texture] = field(default_factory=dict)
    numbers: dict[tuple[Shape, bool], list[tuple[int, Part]]] = field(default_factory=dict)
    level: list[_Level] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lost: list[tuple[int, Omitted]] = field(default_factory=list)
    coloured: int = 0

    def add_link(self, link: Link, *, is_static: bool) -> None:
        """Everything that is drawn of one link."""
        self.links.append(link)
        self.static.append(is_static)
        for item in self._items(link, is_static):
            X_WV = link.X_WL @ item.X_LV
            if isinstance(item.shape, Plane) and X_WV.rotate(item.shape.normal)[2] > LEVEL:
                self.level.append(_Level(item, len(self.links) - 1, X_WV.position[2]))
            elif item.colour[3] > 0.0:
                self._add(item, len(self.links) - 1)

    def _items(self, link: Link, is_static: bool) -> Iterator[_Item]:
        fallback = self._fallback(link, is_static)
        for visual in link.visuals:
            red, green, blue, alpha = colour_of(visual.material, fallback)
            colour = (red, green, blue, alpha * (1.0 - min(max(visual.transparency, 0.0), 1.0)))
            own = not is_coloured(visual.material)
            texture = None if visual.material is None else visual.material.texture
            yield _Item(visual.name, visual.shape, visual.X_LV, colour, False, own, texture)
        lost = [item for item in link.omitted if item.element == "visual" and item.mesh is not None]
        if link.visuals or not link.collisions:
            self.lost += [(len(self.links) - 1, item) for item in {item.X_L: item for item in reversed(lost)}.values()]
        if self.show_collisions or not link.visuals:
            stand_in = bool(lost) and not link.visuals
            colour = (*fallback[:3], COLLISION_ALPHA if link.visuals else 1.0)
            colour = MISSING_COLOUR if stand_in else colour
            for one in link.collisions:
                yield _Item(one.name, one.shape, one.X_LC, colour, is_collision=True, stands_in=stand_in)

    def _fallback(self, link: Link, is_static: bool) -> Rgba:
        """The colour of the link's parts that have none of their own."""
        if is_static:
            return FIXED_COLOUR
        colour = PART_COLOURS[self.coloured % len(PART_COLOURS)]
        if not link.visuals or any(not is_coloured(visual.material) for visual in link.visuals):
            self.coloured += 1
        return colour

    def _add(self, item: _Item, link: int) -> None:
        shape, scale = unit_shape(item.shape)
        name = f"{self.links[link].name}/{item.name}"
        try:
            parts = self._parts(shape, is_covered=item.texture is not None)
        except (SimulatorError, ValueError, OSError) as error:
            self.missing.append(f"{name}: {error}")
            return
        matrix = item.X_LV.matrix() @ np.diag([*_not_flat(scale), 1.0])
        for number, part in parts:
            # White leaves a picture as it is, and is what many write who mean no colour.
            is_own = item.keeps_own_looks or (part.texture is not None and item.colour[:3] == WHITE[:3])
            own = part.colour if is_own else None
            colour = (*own[:3], own[3] * item.colour[3]) if own else item.colour
            self.drawables.append(
                Drawable(name, number, link, matrix, colour, item.is_collision, stands_in=item.stands_in)
            )
            texture = item.texture or (part.texture if is_own else None)
            if texture is not None:
                self.textures[len(self.drawables) - 1] = texture

    def _parts(self, shape: Shape, *, is_covered: bool) -> list[tuple[int, Part]]:
        """The shape's surfaces with their numbers."""
        key = shape, is_covered
        if key not in self.numbers:
            parts = parts_of_shape(shape, self.load_mesh, is_covered=is_covered)
            first = len(self.surfaces)
            self.surfaces += [part.surface for part in parts]
            self.numbers[key] = [(first + i, part) for i, part in enumerate(parts)]
        return self.numbers[key]

    def scene(self) -> Scene:
        """The finished scene, its floor placed and oversized ground left out of the bounds."""
        poses = np.array([link.X_WL.as_list() for link in self.links], dtype=np.float64).reshape(-1, 7)
        others = len(self.drawables)
        self._lay_carpets()
        drawables, pictures = self._pictured()
        scene = Scene(
            links=tuple(link.name for link in self.links),
            drawables=drawables,
            surfaces=tuple(self.surfaces),
            start_poses=poses,
            missing=tuple(self.missing),
            pictures=pictures,
        )
        scene = replace(scene, drawables=_without_slabs(scene, self.static))
        if 0 < others < len(drawables):
            carpets = tuple(replace(carpet, in_bounds=False) for carpet in scene.drawables[others:])
            scene = replace(scene, drawables=(*scene.drawables[:others], *carpets))
        if self.lost:
            scene = replace(scene, drawables=scene.drawables + self._placeholders(scene), surfaces=tuple(self.surfaces))
        scene = replace(scene, floor=_floor(scene, self.level, is_covered=others < len(drawables)))
        return replace(scene, coarser=self._coarser(scene)) if scene.triangles > MANY_TRIANGLES else scene

    def _coarser(self, scene: Scene) -> dict[int, Coarser]:
        """Of every round shape without a picture."""
        users: dict[int, list[int]] = {}
        for number, drawable in enumerate(scene.drawables):
            users.setdefault(drawable.surface, []).append(number)
        found = {}
        for (shape, is_covered), parts in self.numbers.items():
            surfaces = () if is_covered else coarser_surfaces(shape)
            drawn = users.get(parts[0][0], [])
            if surfaces and drawn:
                sizes = round_sizes(shape, np.array([scene.drawables[number].matrix for number in drawn]))
                sized = dict(zip(drawn, sizes.tolist(), strict=True))
                found[parts[0][0]] = Coarser(surfaces, (SEGMENTS, *COARSER), sized)
        return found

    def _lay_carpets(self) -> None:
        """Draw level planes that have a texture; then also what lies higher than the floor, such as lines that are
        painted on them."""
        if all(level.item.texture is None for level in self.level):
            return
        lowest = min(level.z for level in self.level)
        for level in self.level:
            if level.item.colour[3] > 0.0 and (level.item.texture is not None or level.z > lowest):
                self._add(level.item, level.link)

    def _pictured(self) -> tuple[tuple[Drawable, ...], tuple[Picture, ...]]:
        """The drawables with the numbers of their pictures. One without places for it has the picture's mean colour."""
        found = decoded(self.textures.values(), self.largest_picture)
        self.missing += dict.fromkeys(reason for reason in found.values() if isinstance(reason, str))
        pictures = [picture for picture in found.values() if isinstance(picture, Picture)]
        drawables = list(self.drawables)
        for i, texture in self.textures.items():
            drawable, picture = drawables[i], found[texture]
            if not isinstance(picture, Picture):
                continue
            if self.surfaces[drawable.surface].uv is None:
                red, green, blue, alpha = drawable.colour
                mean = picture.mean
                drawables[i] = replace(drawable, colour=(red * mean[0], green * mean[1], blue * mean[2], alpha))
            else:
                drawables[i] = replace(drawable, picture=pictures.index(picture))
        return tuple(drawables), tuple(pictures)

    def _placeholders(self, scene: Scene) -> tuple[Drawable, ...]:
        """A cube in each place of a visual whose mesh is missing, where no collision shape can replace it."""
        places = [(self.links[link].X_WL @ item.X_L).position for link, item in self.lost]
        points = np.vstack([scene.corner_points(scene.start_poses), np.array(places)])
        size = float(np.linalg.norm(np.ptp(points, axis=0)))
        edge = PLACEHOLDER * size if size > SMALLEST_SCENE else LONE_PLACEHOLDER
        [(number, _)] = self._parts(Box((1.0, 1.0, 1.0)), is_covered=False)
        return tuple(
            Drawable(
                f"{self.links[link].name}/{item.name}",
                number,
                link,
                item.X_L.matrix() @ np.diag([edge, edge, edge, 1.0]),
                MISSING_COLOUR,
                stands_in=True,
            )
            for link, item in self.lost
        )


def _not_flat(scale: Vec3) -> Vec3:
    """A size of zero would have no normals: it is drawn as a micrometre."""
    x, y, z = (s if abs(s) > 1e-6 else 1e-6 for s in scale)
    return (x, y, z)


def _without_slabs(scene: Scene, static: list[bool]) -> tuple[Drawable, ...]:
    """The drawables with `in_bounds` cleared for static parts that dwarf everything that is not static."""
    radii = [_radius(scene.surfaces[d.surface], d.matrix) for d in scene.drawables]
    moving = tuple(d for d in scene.drawables if not static[d.link])
    if not moving:
        return scene.drawables
    size = replace(scene, drawables=moving).radius
    return tuple(
        replace(d, in_bounds=not (static[d.link] and radius > LARGEST_SLAB * size))
        for d, radius in zip(scene.drawables, radii, strict=True)
    )


def _radius(surface: Surface, matrix: NDArray[np.float64]) -> float:
    extent = (surface.upper - surface.lower) / 2
    return float(np.linalg.norm(np.linalg.norm(matrix[:3, :3], axis=0) * extent))


def _floor(scene: Scene, level: list[_Level], *, is_covered: bool) -> Floor:
    """The document's ground plane, else z = 0 where the scene stands on it, else some way below the lowest part.

    Of several planes it is the highest, unless they are drawn themselves.
    """
    if level:
        heights = [item.z for item in level]
        return Floor(min(heights) if is_covered else max(heights), is_ground=True, is_covered=is_covered)
    bounds = scene.start_bounds
    lowest = bounds.lower[2]
    size = bounds.radius
    if -1e-6 * size <= lowest <= size:
        return Floor(0.0)
    return Floor(lowest - 0.15 * size)


PART_COLOURS: tuple[Rgba, ...] = (
    (0.235, 0.451, 0.718, 1.0),
    (0.925, 0.620, 0.180, 1.0),
    (0.110, 0.620, 0.490, 1.0),
    (0.780, 0.420, 0.600, 1.0),
    (0.400, 0.710, 0.890, 1.0),
    (0.820, 0.380, 0.170, 1.0),
    (0.610, 0.640, 0.680, 1.0),
)
"""Okabe and Ito's palette (blue, orange, green, purple, sky, vermilion, grey for its black), slightly muted: the
colours differ in lightness as well as hue, so they stay apart for colour-blind eyes. sRGB."""

FIXED_COLOUR: Rgba = (0.560, 0.585, 0.620, 1.0)
"""Parts of static models [sRGB]."""

WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)

COLLISION_ALPHA = 0.35
"""Opacity of collision shapes that are drawn over visuals."""

MISSING_COLOUR: Rgba = (0.660, 0.400, 0.560, 0.90)
"""The colour of outlines in the place of a mesh that is missing: a quiet shade of the magenta that renderers use for
it, which is seen on light and on dark ground and draws no eye from what is there [sRGB]."""


def colour_of(material: Material | None, fallback: Rgba) -> Rgba:
    """The document's diffuse colour, else its ambient colour, else `fallback`; sRGB with opacity, each in [0, 1].

    A texture is multiplied by the diffuse colour alone, by white where there is none: many give it a dark ambient
    colour.
    """
    stated = material and (material.diffuse or (WHITE if material.texture else material.ambient))
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in (stated or fallback))
    return (red, green, blue, alpha)


def is_coloured(material: Material | None) -> bool:
    """Whether the document says a colour at all; it then covers what a mesh file says itself.

    So Gazebo does it with <material> and libsdformat with the <material> of a URDF. RViz keeps the materials of a mesh
    file that has some (`RobotLink::assignMaterialsToEntities`; newer versions of it do not), which would leave such
    colours of a document without effect.
    """
    return material is not None and not (
        material.diffuse is None and material.ambient is None and material.texture is None
    )
