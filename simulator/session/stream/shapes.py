"""Shapes of links as plain triangles, for viewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.session.look.scene_of import scene_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array, Ints


class LinkShape(NamedTuple):
    """`points` (n, 3) in the frame of the link [m]; `triangles` (m, 3), counter-clockwise from outside; `colour`: sRGB
    with opacity, 0 to 1. `link`: its whole name."""

    link: str
    name: str
    points: Array
    triangles: Ints
    colour: tuple[float, float, float, float]


def shapes_of(opened: Opened) -> Iterator[LinkShape]:
    """What is drawn of each link: no shapes of collisions alone."""
    scene = scene_of(opened)
    for number, drawable in enumerate(scene.drawables):
        if drawable.is_collision or drawable.stands_in:
            continue
        surface = scene.surfaces[drawable.surface]
        points = surface.positions @ drawable.matrix[:3, :3].T + drawable.matrix[:3, 3]
        is_mirrored = np.linalg.det(drawable.matrix[:3, :3]) < 0.0
        triangles = surface.triangles.astype(np.int64)[:, :: -1 if is_mirrored else 1]
        name = f"{drawable.name.rpartition('/')[2] or 'shape'}_{number}"
        yield LinkShape(scene.links[drawable.link], name, points, triangles, scene.plain_colour(drawable))
