"""A view without OpenGL: polygons in the order in which a painter lays them over each other.

Parts are ordered by the boxes around them, faces within a part by distance, so parts that reach through one another can
come out wrong; there are no shadows. It is for machines on which no OpenGL 3.3 exists.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.rendering.camera import Camera
from simulator.rendering.facets import Facets, facets_of
from simulator.rendering.lighting import LIGHT_DIRECTION
from simulator.rendering.scene import Scene
from simulator.rendering.theme import LIGHT, Rgb, Theme

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray


GRID_LINES = 12
"""Strong grid lines to either side of the middle."""
HOLLOW = 0.08
"""Opacity of the faces of what stands in the place of a missing mesh."""


@dataclass(frozen=True, eq=False)
class Polygon:
    """`points` (k, 2) [px from the upper left corner], two for a line; `fill` and `edge` sRGB with opacity, or None.

    `link` is the scoped name, empty for the floor.
    """

    points: NDArray[np.float64]
    fill: tuple[float, float, float, float] | None
    edge: tuple[float, float, float, float] | None
    link: str = ""


@dataclass(frozen=True)
class _Canvas:
    """Where world points land in the picture."""

    camera: Camera
    width: float
    height: float

    def project(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixels (n, 2) and depth [m] (n,); NaN pixels behind the eye."""
        seen = self.camera.pixels(points, (self.width, self.height))
        return seen[:, :2], seen[:, 2]


def paint_list(
    scene: Scene,
    link_poses: NDArray[np.float64],
    camera: Camera,
    width: float,
    height: float,
    theme: Theme = LIGHT,
    selected: Collection[str] = (),
) -> list[Polygon]:
    """Everything to paint, in order; paint the background (`theme.floor`) first. `link_poses` (n_links, 7), sizes in
    pixels."""
    canvas = _Canvas(camera, width, height)
    matrices = scene.world_matrices(link_poses)
    parts = []
    for drawable, matrix in zip(scene.drawables, matrices, strict=True):
        link = scene.links[drawable.link]
        placed = _placed(facets_of(scene.surfaces[drawable.surface]), matrix, smooth=link not in selected)
        accent = theme.selected if link in selected else None
        part = _part(canvas, placed, scene.plain_colour(drawable), accent, theme, link)
        parts.append([_hollow(polygon, drawable.colour, accent) for polygon in part] if drawable.stands_in else part)
    order = painting_order(_boxes(scene, matrices), camera)
    return _floor_lines(canvas, scene, theme) + [polygon for number in order for polygon in parts[number]]


def _boxes(scene: Scene, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit cube to the box around each drawable, shape (n, 4, 4)."""
    boxes = np.tile(np.eye(4), (len(matrices), 1, 1))
    for box, drawable in zip(boxes, scene.drawables, strict=True):
        surface = scene.surfaces[drawable.surface]
        box[:3, :3] = np.diag(np.maximum(surface.upper - surface.lower, 1e-9))
        box[:3, 3] = (surface.upper + surface.lower) / 2
    return np.asarray(matrices @ boxes)


def _placed(facets: Facets, matrix: NDArray[np.float64], *, smooth: bool) -> Facets:
    """The faces of a surface in the world; where they are not to be `smooth`, each of them has an outline."""
    normals = facets.normals @ np.linalg.inv(matrix[:3, :3])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return replace(
        facets,
        points=facets.points @ matrix[:3, :3].T + matrix[:3, 3],
        normals=normals,
        smooth=facets.smooth if smooth else np.zeros_like(facets.smooth),
    )


def _part(
    canvas: _Canvas,
    faces: Facets,
    colour: tuple[float, float, float, float],
    accent: Rgb | None,
    theme: Theme,
    link: str,
) -> list[Polygon]:
    """The faces of a part that look to the eye, the farthest first."""
    points = faces.points
    start = faces.start
    smooth = faces.smooth
    normals = faces.normals
    pixels, depth = canvas.project(points)
    corners = np.diff(start)
    centres = np.add.reduceat(points, start[:-1]) / corners[:, None]
    face_depth = np.add.reduceat(depth, start[:-1]) / corners
    camera = canvas.camera
    sight = camera.backward if camera.orthographic else camera.eye - centres
    facing = np.einsum("ij,ij->i", normals, np.broadcast_to(sight, normals.shape)) > 0.0
    before_eye = np.add.reduceat(~np.isfinite(pixels[:, 0]), start[:-1]) == 0
    fills = _shaded(normals, colour, theme)
    edge = (*(accent or (0.35 * colour[0], 0.35 * colour[1], 0.35 * colour[2])), colour[3])
    chosen = np.flatnonzero(facing & before_eye)
    chosen = chosen[np.argsort(-face_depth[chosen], kind="stable")]
    polygons = []
    for (red, green, blue), is_smooth, first, last in zip(
        fills[chosen].tolist(), smooth[chosen].tolist(), start[chosen].tolist(), start[chosen + 1].tolist(), strict=True
    ):
        fill = (red, green, blue, colour[3])
        polygons.append(Polygon(pixels[first:last], fill, fill if is_smooth else edge, link))
    return polygons


def _hollow(polygon: Polygon, colour: tuple[float, float, float, float], accent: Rgb | None) -> Polygon:
    """The outline of a face of what stands in the place of a missing mesh, with a breath of its colour."""
    return replace(polygon, fill=(*colour[:3], HOLLOW), edge=(*(accent or colour[:3]), colour[3]))


def _shaded(
    normals: NDArray[np.float64], colour: tuple[float, float, float, float], theme: Theme
) -> NDArray[np.float64]:
    """The colour of each face (k, 3) under the same lights as the OpenGL view, without shadows."""
    paint = np.square(colour[:3])
    up = (normals[:, 2:3] + 1) / 2
    ambient = (1 - up) * np.asarray(theme.ground_light) + up * np.asarray(theme.sky_light)
    key = np.maximum(normals @ LIGHT_DIRECTION, 0.0)[:, None] * np.asarray(theme.key_light)
    return np.asarray(np.clip(np.sqrt(paint * (ambient + key + 0.06)), 0.0, 1.0))


def _floor_lines(canvas: _Canvas, scene: Scene, theme: Theme) -> list[Polygon]:
    """The strong lines of the floor's grid and the axes, clipped before the eye."""
    spacing = scene.grid_spacing[1] if scene.radius > 2 * scene.grid_spacing[1] else scene.grid_spacing[0]
    target = np.asarray(canvas.camera.target)
    middle = np.round(target[:2] / spacing) * spacing
    reach = GRID_LINES * spacing
    lines = []
    for k in range(-GRID_LINES, GRID_LINES + 1):
        for axis in (0, 1):
            offset = middle[1 - axis] + k * spacing
            on_axis = abs(offset) < 1e-6 * spacing
            colour = (theme.axis_x, theme.axis_y)[axis] if on_axis else theme.grid_major
            ends = np.full((2, 3), scene.floor.z)
            ends[:, axis] = middle[axis] - reach, middle[axis] + reach
            ends[:, 1 - axis] = offset
            clipped = _before_eye(canvas.camera, ends)
            if clipped is not None:
                lines.append(Polygon(canvas.project(clipped)[0], None, (*colour, 1.0)))
    return lines


def _before_eye(camera: Camera, ends: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The part of a segment (2, 3) that lies before the eye."""
    if camera.orthographic:
        return ends
    depth = (camera.eye - ends) @ camera.backward
    near = 0.02 * camera.distance
    if depth.max() <= near:
        return None
    if depth.min() >= near:
        return ends
    far = int(np.argmax(depth))
    share = (depth[far] - near) / (depth[far] - depth[1 - far])
    return np.stack([ends[far], ends[far] + share * (ends[1 - far] - ends[far])])


MOST_COMPARED = 250
"""With more boxes than this only the largest are compared with the others, whose distances decide: all pairs would take
too long for a moving picture."""
LARGEST = 16
"""How many those are: a board, a wall, a floor, whose middle says little of how far the rest of it is."""

_CORNERS = np.array([[x, y, z, 1.0] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def painting_order(boxes: NDArray[np.float64], camera: Camera) -> list[int]:
    """Numbers of the boxes, what is to be painted first in front.

    `boxes` (n, 4, 4) map the cube of edge 1 around the origin to the world. Of two boxes that overlap in the picture,
    where one lies wholly beyond a face of the other, the eye's side of that face decides; where no face does, or where
    the rules run in a circle, the distance of the middle does.
    """
    distance = np.linalg.norm(boxes[:, :3, 3] - camera.eye, axis=1)
    by_distance = [int(i) for i in np.argsort(-distance, kind="stable")]
    if len(boxes) > MOST_COMPARED:
        return _with_the_largest(boxes, by_distance, camera)
    if len(boxes) < 2:
        return by_distance
    before = _painted_before(boxes, boxes, camera)
    order: list[int] = []
    waiting = by_distance
    while waiting:
        left = np.array(waiting)
        place = int(np.argmin(before[np.ix_(left, left)].sum(axis=0)))
        order.append(waiting.pop(place))
    return order


def _with_the_largest(boxes: NDArray[np.float64], by_distance: list[int], camera: Camera) -> list[int]:
    """The order by distance, with each of the largest boxes behind all that are to be painted over it."""
    edges = np.linalg.norm(boxes[:, :3, :3], axis=(1, 2))
    largest = [int(i) for i in np.argsort(-edges, kind="stable")[:LARGEST]]
    order = [number for number in by_distance if number not in largest]
    before = _painted_before(boxes[largest], boxes, camera)
    after = _painted_before(boxes, boxes[largest], camera)
    rank = np.argsort(by_distance)
    for place, number in sorted(enumerate(largest), key=lambda item: int(rank[item[1]])):
        over = np.flatnonzero(before[place, order])
        under = np.flatnonzero(after[order, place])
        nearer = np.flatnonzero(rank[order] > rank[number])
        at = over[0] if len(over) else under[-1] + 1 if len(under) else nearer[0] if len(nearer) else len(order)
        order.insert(int(at), number)
    return order


def _rectangles(boxes: NDArray[np.float64], camera: Camera) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and upper corners of boxes in the picture, shape (n, 2); of those not before the eye all of it."""
    corners = (boxes @ _CORNERS.T)[:, :3, :].transpose(0, 2, 1)
    seen = camera.project(corners.reshape(-1, 3), 1.0)[:, :2].reshape(len(boxes), 8, 2)
    return np.nan_to_num(seen, nan=-np.inf).min(axis=1), np.nan_to_num(seen, nan=np.inf).max(axis=1)


def _painted_before(first: NDArray[np.float64], second: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    """[i, j] is true where box i of the first must be painted before box j of the second, shape (n, m)."""
    lower, upper = _rectangles(first, camera)
    other_lower, other_upper = _rectangles(second, camera)
    overlap = ((lower[:, None] < other_upper[None]) & (other_lower[None] < upper[:, None])).all(axis=2)
    nearer, farther = _sides(first, second, camera.eye)
    back_nearer, back_farther = (found.T for found in _sides(second, first, camera.eye))
    before = (farther & ~nearer) | (back_nearer & ~back_farther)
    after = (nearer & ~farther) | (back_farther & ~back_nearer)
    return np.asarray(before & ~after & overlap)


def _sides(
    boxes: NDArray[np.float64], of: NDArray[np.float64], eye: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether box i lies wholly beyond a face of box j of the others on the eye's side of it, and on the other side;
    shapes (n, m)."""
    inverse = np.linalg.inv(of)
    local_eye = (inverse @ np.append(eye, 1.0))[:, :3]
    local = np.einsum("bij,ajc->abic", inverse[:, :3, :], boxes @ _CORNERS.T)
    slack = 1e-3
    above = (local > 0.5 - slack).all(axis=3)  # along each axis of the other
    below = (local < -0.5 + slack).all(axis=3)
    nearer = (above & (local_eye > 0.5)) | (below & (local_eye < -0.5))
    farther = (above & ~(local_eye > 0.5)) | (below & ~(local_eye < -0.5))
    return nearer.any(axis=2), farther.any(axis=2)
