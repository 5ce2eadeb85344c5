"""Lines drawn over a scene: joint axes, frames, loops, paths. Plain data, made by the callers that know what they
mean."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.material import Rgba
from simulator.records import dataclass
from simulator.rendering.theme import Theme
from simulator.spatial.pose_arrays import cross
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray


GAP: NDArray[np.float64] = np.full((1, 3), np.nan)
"""Between two pieces of a line."""
ARC = 40
"""Points of the arc of an axis that turns."""


@dataclass(frozen=True)
class Polyline:
    """A line through `points` (n, 3) of the world [m], `colour` sRGB with opacity, `width` in (device-independent)
    pixels. Rows of NaN part it into pieces: a thousand arrows are one line.

    Where a part hides it, it shines through with the opacity `hidden` (0: not at all).
    """

    points: NDArray[np.float64]
    colour: Rgba
    width: float = 2.0
    hidden: float = 0.25

    def pieces(self) -> list[NDArray[np.float64]]:
        """Points of what hangs together, shape (n, 3) each."""
        parted = np.isnan(self.points).any(axis=1)
        if not parted.any():
            return [self.points]
        ends = np.flatnonzero(np.diff(np.concatenate(([True], parted, [True])).astype(np.int8)))
        return [self.points[begin:end] for begin, end in ends.reshape(-1, 2).tolist()]


def pieced(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """One row of points for a line of n pieces of k points each, (n, k, 3)."""
    count = len(points)
    parted = np.concatenate((points, np.broadcast_to(GAP, (count, 1, 3))), axis=1)
    return parted.reshape(-1, 3)[:-1]


def arrow(origin: Vec3, tip: Vec3, colour: Rgba, *, width: float = 2.5, hidden: float = 0.25) -> tuple[Polyline, ...]:
    """A shaft from `origin` to `tip` [m] with a head of two angles across each other."""
    return arrows(np.array([origin], dtype=float), np.array([tip], dtype=float), colour, width=width, hidden=hidden)


def arrows(
    origins: NDArray[np.float64],
    tips: NDArray[np.float64],
    colour: Rgba,
    *,
    width: float = 2.5,
    hidden: float = 0.25,
    dash: float = 0.0,
) -> tuple[Polyline, ...]:
    """Arrows of the same looks, shape (n, 3) each [m]: their shafts, then their heads; none where there is no length.
    Shafts have dashes of length `dash` [m], where that is given."""
    length = np.linalg.norm(tips - origins, axis=1)
    seen = length > 0.0
    if not seen.any():
        return ()
    origins = origins[seen]
    tips = tips[seen]
    length = length[seen, None]
    along = tips - origins
    back = tips - 0.16 * along
    sides = (0.06 * length * side for side in normal_plane(along / length))
    heads = [np.stack((back + side, tips, back - side), axis=1) for side in sides]
    shaft = Polyline(pieced(np.stack((origins, tips), axis=1)), colour, width, hidden)
    shafts = dashed(shaft, dash) if dash > 0.0 else (shaft,)
    return (*shafts, Polyline(pieced(np.concatenate(heads)), colour, width, hidden))


def dashed(line: Polyline, length: float) -> tuple[Polyline, ...]:
    """The same line in dashes of `length` [m], with gaps of three quarters of that."""
    part = np.isnan(line.points).any(axis=1)
    points = line.points[~part]
    piece = np.cumsum(part)[~part]
    if len(points) < 2:
        return ()
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    apart = np.diff(piece) > 0
    way = np.concatenate(([0.0], np.cumsum(np.where(apart, 1.0, steps))))  # along all pieces, one behind the other
    first = np.concatenate(([0], np.flatnonzero(apart) + 1))
    last = np.concatenate((first[1:] - 1, [len(points) - 1]))
    count = np.ceil((way[last] - way[first]) / (1.75 * length)).astype(np.intp)
    before = np.cumsum(count) - count
    of = np.repeat(np.arange(len(first)), count)
    begin = way[first][of] + 1.75 * length * (np.arange(len(of)) - before[of])
    end = np.minimum(begin + length, way[last][of])
    if not len(begin):
        return ()
    corner = np.searchsorted(begin, way, side="left") - 1  # the dash in which a point of the line is
    corners = np.flatnonzero((corner >= 0) & (way < end[corner]))
    numbers = np.arange(len(begin))
    number = np.concatenate((numbers, corner[corners], numbers, numbers))
    at = np.concatenate((begin, way[corners], end, np.full(len(begin), np.inf)))
    at = at[np.lexsort((at, number))][:-1]
    found = np.stack([np.interp(at, way, points[:, i]) for i in range(3)], axis=1)
    found[np.isinf(at)] = np.nan
    return (replace(line, points=found),)


def triads(poses: NDArray[np.float64], size: float, theme: Theme, *, width: float = 2.0) -> tuple[Polyline, ...]:
    """The axes x, y, z of frames, `size` [m] long; `poses` are their homogeneous matrices in the world (n, 4, 4)."""
    if not len(poses):
        return ()
    origins = poses[:, :3, 3]
    colours = (theme.axis_x, theme.axis_y, theme.axis_z)
    return tuple(
        Polyline(pieced(np.stack((origins, origins + size * poses[:, :3, i]), axis=1)), (*colour, 1.0), width, 0.4)
        for i, colour in enumerate(colours)
    )


def turning_axis(origin: Vec3, direction: Vec3, size: float, colour: Rgba) -> tuple[Polyline, ...]:
    """A joint that turns: its axis, and an arc with an arrow head in the positive sense. `direction` is a unit vector;
    `size` [m]."""
    return turning_axes(np.array([origin], dtype=float), np.array([direction], dtype=float), np.array([size]), colour)


def turning_axes(
    origins: NDArray[np.float64], directions: NDArray[np.float64], sizes: NDArray[np.float64], colour: Rgba
) -> tuple[Polyline, ...]:
    """Several, shapes (n, 3), (n, 3) and (n,): all shafts, all arcs with their heads."""
    if not len(origins):
        return ()
    u, v = (side[:, None] for side in normal_plane(directions))
    centre = origins[:, None]
    size = np.reshape(sizes, (-1, 1, 1))
    angles = np.linspace(0.0, 1.5 * math.pi, ARC)[:, None]
    arc = centre + 0.38 * size * (np.cos(angles) * u + np.sin(angles) * v)
    tip = arc[:, -1:]
    outward = -v
    forward = u
    head = [tip + 0.16 * size * (-forward + side * 0.6 * outward) for side in (1.0, -1.0)]
    ends = 0.5 * size * directions[:, None]
    turns = np.concatenate((pieced(arc), GAP, pieced(np.concatenate((head[0], tip, head[1]), axis=1))))
    shafts = pieced(np.concatenate((centre - ends, centre + ends), axis=1))
    return Polyline(shafts, colour, 2.5), Polyline(turns, colour, 2.0)


def sliding_axes(
    origins: NDArray[np.float64], directions: NDArray[np.float64], size: float, colour: Rgba
) -> tuple[Polyline, ...]:
    """Several of one size [m], shape (n, 3) each."""
    return arrows(origins - 0.5 * size * directions, origins + 0.5 * size * directions, colour)


def crosses(centres: NDArray[np.float64], size: float, colour: Rgba) -> tuple[Polyline, ...]:
    """A mark of three short lines, along x, y and z, at each of some points (n, 3) [m]."""
    if not len(centres):
        return ()
    arms = size * np.eye(3)
    points = centres[:, None, None] + np.stack((-arms, arms), axis=1)
    return (Polyline(pieced(points.reshape(-1, 2, 3)), colour, 2.0, 0.8),)


def normal_plane(axis: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two unit vectors u, v with u x v = `axis`, of each of some unit vectors, shape (..., 3)."""
    upright = np.abs(axis[..., 2:]) >= 0.9
    u = cross(axis, np.where(upright, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    return u, cross(axis, u)
