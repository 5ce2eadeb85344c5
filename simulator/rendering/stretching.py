"""Bars drawn from joint to joint where a length differs from the document, whose shapes fit its own lengths only.

A shape that reaches from one joint to the other and is longer than wide is a bar: its ends keep their form and go with
the joints, and what is between them is stretched or shortened along the line. A shape that lies at one end, a pin or
an eye, goes with that end. Anything else, a disc around a joint, stays. Shapes that touch are drawn where they touch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.rendering.surface import Edges, Surface
from simulator.spatial.rotation import across, skew

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.rendering.scene import Drawable, Scene
    from simulator.spatial.arrays import Array


END = 0.3
"""So much of a bar at each end keeps its form, as a part of the shorter one of both lengths."""


class BarMove(NamedTuple):
    """From a bar of the document to the one that is drawn, in the frame of the link: `start` [m] and unit `along` (3,)
    of both, their lengths [m], and the turn (3, 3) from one direction to the other."""

    start: Array
    along: Array
    length: float
    start_now: Array
    length_now: float
    turn: Array

    @property
    def end(self) -> float:
        """So much of the bar at each end keeps its form [m]."""
        return END * min(self.length, self.length_now)

    def part(self, at: Array) -> Array:
        """How much of what the far end does is done at these distances along the bar [m], 0 to 1."""
        part: Array = np.clip((at - self.end) / (self.length - 2.0 * self.end), 0.0, 1.0)
        return part

    def points(self, points: Array) -> Array:
        """Where points (n, 3) of the bar go [m]."""
        offset = points - self.start
        longer = self.part(offset @ self.along) * (self.length_now - self.length)
        moved: Array = self.start_now + (offset + longer[:, None] * self.along) @ self.turn.T
        return moved

    def normals(self, normals: Array, points: Array) -> Array:
        """Unit normals (n, 3) at points of the bar (n, 3), after they have gone there."""
        at = (points - self.start) @ self.along
        between = (at > self.end) & (at < self.length - self.end)
        slope = np.where(between, 1.0 + (self.length_now - self.length) / (self.length - 2.0 * self.end), 1.0)
        turned = normals + ((1.0 / slope - 1.0) * (normals @ self.along))[:, None] * self.along
        turned = turned @ self.turn.T
        unit: Array = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return unit

    def shift(self, at: float) -> Array:
        """How far something goes that lies there along the bar [m], shape (3,)."""
        place = self.start + at * self.along
        shift: Array = self.points(place[None])[0] - place
        return shift


def move_between(before: Array, now: Array) -> BarMove:
    """From a bar with these ends (2, 3) [m] to another."""
    lines = before[1] - before[0], now[1] - now[0]
    length, length_now = (float(np.linalg.norm(line)) for line in lines)
    along, along_now = lines[0] / length, lines[1] / length_now
    return BarMove(before[0], along, length, now[0], length_now, _turn(along, along_now))


def stretched(scene: Scene, bars: Mapping[str, tuple[Array, Array]]) -> Scene:
    """The scene with other `bars`: by link their ends in its frame (2, 3) [m], in the document and now."""
    if not bars:
        return scene
    moves = {scene.link_numbers[link]: move_between(*ends) for link, ends in bars.items() if link in scene.link_numbers}
    drawables, surfaces = list(scene.drawables), list(scene.surfaces)
    for number, drawable in enumerate(scene.drawables):
        move = moves.get(drawable.link)
        if move is not None and not drawable.is_collision:
            other = _moved(drawable, scene.surfaces[drawable.surface], move)
            if isinstance(other, Surface):
                drawables[number] = replace(drawable, surface=len(surfaces), matrix=np.eye(4))
                surfaces.append(other)
            else:
                drawables[number] = other
    return replace(scene, drawables=tuple(drawables), surfaces=tuple(surfaces))


def _moved(drawable: Drawable, surface: Surface, move: BarMove) -> Drawable | Surface:
    """The shape elsewhere on its link, or a stretched one in the frame of the link."""
    points = _placed(drawable.matrix, surface.positions)
    offset = points - move.start
    at = offset @ move.along
    low, high = float(at.min()), float(at.max())
    if low < move.end and high > move.length - move.end:
        wide = np.linalg.norm(np.ptp(offset - at[:, None] * move.along, axis=0))
        return _stretched(drawable.matrix, surface, points, move) if wide < high - low else drawable
    matrix = np.array(drawable.matrix)
    matrix[:3, 3] += move.shift(0.5 * (low + high))
    return replace(drawable, matrix=matrix)


def _stretched(matrix: Array, surface: Surface, points: Array, move: BarMove) -> Surface:
    edges = surface.edges
    ends = _placed(matrix, edges.segments.reshape(-1, 3))
    middles = np.repeat(0.5 * (ends[0::2] + ends[1::2]), 2, axis=0)
    return replace(
        surface,
        positions=move.points(points).astype(np.float32),
        normals=move.normals(_turned(matrix, surface.normals), points).astype(np.float32),
        edges=Edges(
            move.points(ends).reshape(-1, 2, 3).astype(np.float32),
            move.normals(_turned(matrix, edges.normals.reshape(-1, 3)), middles).reshape(-1, 2, 3).astype(np.float32),
            edges.n_features,
        ),
    )


def _placed(matrix: Array, points: NDArray[np.float32]) -> Array:
    """Points of a surface in the frame of its link [m]."""
    placed: Array = points.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return placed


def _turned(matrix: Array, normals: NDArray[np.float32]) -> Array:
    turned = normals.astype(np.float64) @ np.linalg.inv(matrix[:3, :3])
    unit: Array = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return unit


def _turn(along: Array, other: Array) -> Array:
    """The smallest turn from one unit vector to another, shape (3, 3); half a turn is about any axis across them."""
    cosine = float(along @ other)
    if cosine < -1.0 + 1e-9:
        axis = across(along)[0]
        half: Array = 2.0 * np.outer(axis, axis) - np.eye(3)
        return half
    K = skew(np.cross(along, other))
    turn: Array = np.eye(3) + K + K @ K / (1.0 + cosine)
    return turn
