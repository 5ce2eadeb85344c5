"""Lines drawn over a scene: joint axes, frames, loops, paths. Plain data, made by whoever knows what they mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.material import Rgba
from simulator.rendering.theme import Theme
from simulator.spatial.pose_arrays import cross
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Polyline:
    """A line through `points` (n, 3) of the world [m], `colour` sRGB with opacity, `width` in (device-independent)
    pixels.

    Where a part hides it, it shines through with the opacity `hidden` (0: not at all).
    """

    points: NDArray[np.float64]
    colour: Rgba
    width: float = 2.0
    hidden: float = 0.25


def arrow(origin: Vec3, tip: Vec3, colour: Rgba, *, width: float = 2.5, hidden: float = 0.25) -> tuple[Polyline, ...]:
    """A shaft from `origin` to `tip` [m] with a head of two angles across each other."""
    start, end = np.asarray(origin, dtype=np.float64), np.asarray(tip, dtype=np.float64)
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return ()
    u, v = normal_plane(along / length)
    back = end - 0.16 * along
    heads = [np.stack([back + side, end, back - side]) for side in (0.06 * length * u, 0.06 * length * v)]
    return tuple(Polyline(points, colour, width, hidden) for points in (np.stack([start, end]), *heads))


def dashed(line: Polyline, length: float) -> tuple[Polyline, ...]:
    """The same line in dashes of `length` [m], with gaps of three quarters of that."""
    steps = np.linalg.norm(np.diff(line.points, axis=0), axis=1)
    way = np.concatenate(([0.0], np.cumsum(steps)))
    dashes = []
    for begin in np.arange(0.0, way[-1], 1.75 * length):
        end = min(begin + length, way[-1])
        at = np.concatenate(([begin], way[(way > begin) & (way < end)], [end]))
        points = np.stack([np.interp(at, way, line.points[:, i]) for i in range(3)], axis=1)
        dashes.append(replace(line, points=points))
    return tuple(dashes)


def triad(pose: NDArray[np.float64], size: float, theme: Theme, *, width: float = 2.0) -> tuple[Polyline, ...]:
    """The axes x, y, z of a frame, `size` [m] long; `pose` is its homogeneous matrix in the world (4, 4)."""
    origin = pose[:3, 3]
    colours = (theme.axis_x, theme.axis_y, theme.axis_z)
    return tuple(
        Polyline(np.stack([origin, origin + size * pose[:3, i]]), (*colour, 1.0), width, 0.4)
        for i, colour in enumerate(colours)
    )


def turning_axis(origin: Vec3, direction: Vec3, size: float, colour: Rgba) -> tuple[Polyline, ...]:
    """A joint that turns: its axis, and an arc with an arrow head in the positive sense. `direction` is a unit vector;
    `size` [m]."""
    centre, axis = np.asarray(origin, dtype=np.float64), np.asarray(direction, dtype=np.float64)
    u, v = normal_plane(axis)
    angles = np.linspace(0.0, 1.5 * math.pi, 40)[:, None]
    radius = 0.38 * size
    arc = centre + radius * (np.cos(angles) * u + np.sin(angles) * v)
    tip, outward, forward = arc[-1], -v, u
    head = [tip + 0.16 * size * (-forward + side * 0.6 * outward) for side in (1.0, -1.0)]
    shaft = np.stack([centre - 0.5 * size * axis, centre + 0.5 * size * axis])
    return (
        Polyline(shaft, colour, 2.5),
        Polyline(arc, colour, 2.0),
        Polyline(np.stack([head[0], tip, head[1]]), colour, 2.0),
    )


def sliding_axis(origin: Vec3, direction: Vec3, size: float, colour: Rgba) -> tuple[Polyline, ...]:
    """A joint that slides: an arrow in the positive sense through the joint. `direction` is a unit vector; `size`
    [m]."""
    centre, axis = np.asarray(origin, dtype=np.float64), np.asarray(direction, dtype=np.float64)
    start, end = centre - 0.5 * size * axis, centre + 0.5 * size * axis
    return arrow((start[0], start[1], start[2]), (end[0], end[1], end[2]), colour)


def normal_plane(axis: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two unit vectors u, v with u x v = `axis` (a unit vector)."""
    helper = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = cross(axis, helper)
    u /= np.linalg.norm(u)
    return u, cross(axis, u)
