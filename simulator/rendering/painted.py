"""Pictures without OpenGL: the painter's polygons, drawn by Pillow larger than asked for and averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import RenderingError
from simulator.rendering.painter import paint_list
from simulator.rendering.theme import LIGHT, Theme

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from simulator.rendering.camera import Camera
    from simulator.rendering.scene import Scene

LARGER = 2
"""Each pixel is the mean of so many times so many."""
MOST_LARGER = 4096
"""Pixels along a side up to which pictures are drawn larger."""


def paint_picture(
    scene: Scene,
    link_poses: NDArray[np.float64],
    *,
    size: tuple[int, int],
    camera: Camera,
    theme: Theme = LIGHT,
    selected: Collection[str] = (),
) -> NDArray[np.uint8]:
    """A picture (height, width, 3) of a scene, first row on top; `size` is (width, height) [px]. Raises RenderingError
    for an empty one."""
    from PIL import Image, ImageDraw

    if min(size) < 1:
        raise RenderingError(f"a picture of {size[0]} x {size[1]} pixels cannot be drawn")
    larger = LARGER if max(size) <= MOST_LARGER else 1
    width, height = size[0] * larger, size[1] * larger
    image = Image.new("RGB", (width, height), _bytes(theme.floor))
    brush = ImageDraw.Draw(image, "RGBA")
    for polygon in paint_list(scene, link_poses, camera, width, height, theme, selected):
        if not np.isfinite(polygon.points).all():
            continue
        corners = [(x, y) for x, y in polygon.points.tolist()]
        edge = None if polygon.edge is None else _bytes(polygon.edge)
        if polygon.fill is None:
            brush.line(corners, fill=edge, width=larger)
        else:
            brush.polygon(corners, fill=_bytes(polygon.fill))
            brush.line([*corners, corners[0]], fill=edge, width=larger)
    smaller = image.reduce(larger) if larger > 1 else image
    return np.asarray(smaller, dtype=np.uint8)


def _bytes(colour: tuple[float, ...]) -> tuple[int, ...]:
    """A colour of parts from 0 to 1, with or without opacity."""
    return tuple(round(255 * min(max(part, 0.0), 1.0)) for part in colour)
