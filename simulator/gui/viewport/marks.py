"""Properties of bodies and joints, drawn over the view: boxes of inertia, and the limits of joints with their
positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import MotionKind
from simulator.rendering.overlays import Polyline, pieced
from simulator.rendering.theme import rgb
from simulator.session.look.inertia_boxes import InertiaBoxes, inertia_boxes

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.theme import Tokens
    from simulator.gui.viewport.glyphs import AxisPlaces
    from simulator.mechanism.types import Mechanism
    from simulator.model.material import Rgba
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array


LOOPS = ((0, 1, 3, 2, 0), (4, 5, 7, 6, 4), (0, 4), (1, 5), (2, 6), (3, 7))
"""The edges of a box by the numbers of its corners."""
ARC, TICK = 0.15, 0.3
"""Radius of the arc of a joint's limits in radii of the scene, and how far a tick reaches beyond it, of that radius."""
WIDEST = 2.0 * math.pi
"""A joint that may turn further than that [rad] has no arc: it would close."""
NEAR = 0.02
"""A joint within this part of its range of a limit is shown as at it."""


class Marks:
    """Lines for what is switched on."""

    def __init__(self) -> None:
        self.inertias = self.limits = False
        self._boxes: tuple[Mechanism, InertiaBoxes] | None = None

    def lines(
        self, mechanism: Mechanism, places: AxisPlaces, snapshot: Snapshot, scene: Scene, tokens: Tokens
    ) -> tuple[Polyline, ...]:
        """What is switched on."""
        found: list[Polyline] = []
        if self.inertias:
            colour = (*rgb(tokens.accent), 0.9)
            boxes = self._boxes_of(mechanism).at(snapshot.body_poses)
            found += [Polyline(pieced(boxes[:, loop]), colour, 1.5, 0.5) for loop in LOOPS if len(boxes)]
        if self.limits:
            found += limit_lines(mechanism, places, snapshot, ARC * scene.radius, tokens)
        return tuple(found)

    def _boxes_of(self, mechanism: Mechanism) -> InertiaBoxes:
        if self._boxes is None or self._boxes[0] is not mechanism:
            self._boxes = mechanism, inertia_boxes(mechanism)
        return self._boxes[1]


def limit_lines(
    mechanism: Mechanism, places: AxisPlaces, snapshot: Snapshot, size: float, tokens: Tokens
) -> list[Polyline]:
    """Arcs and bars from the lower to the upper limit of every axis that has both, on the body that carries the axis,
    with a tick where the other body is, red at a limit; `size` [m] is the radius of an arc."""
    origins, directions = places.at(snapshot.body_poses)
    across = places.across_at(snapshot.body_poses)
    lines: list[Polyline] = []
    for number, axis in enumerate(places.axes):
        info = mechanism.axes[axis].axis
        position = float(snapshot.position[axis])
        width = info.upper - info.lower
        turns = places.kinds[number] is MotionKind.ROTATION
        if not np.isfinite(width) or width <= 0.0 or (turns and width >= WIDEST):
            continue
        near = min(position - info.lower, info.upper - position) < NEAR * width
        colours = (*rgb(tokens.muted), 0.9), (*rgb(tokens.error if near else tokens.accent), 1.0)
        here = position if places.inboard[number] else 0.0
        span = (info.lower - position + here, info.upper - position + here, here)
        if turns:
            lines += _arc(origins[number], across[number], span, size, colours)
        else:
            lines += _bar(origins[number], directions[number], across[number, 0], span, size, colours)
    return lines


def _arc(
    origin: Array, across: Array, angles: tuple[float, float, float], radius: float, colours: tuple[Rgba, Rgba]
) -> list[Polyline]:
    """From the first to the second angle, with a tick at the third."""
    lower, upper, here = angles

    def at(angle: float, reach: float) -> Array:
        place: Array = origin + reach * (math.cos(angle) * across[0] + math.sin(angle) * across[1])
        return place

    count = max(8, math.ceil((upper - lower) / 0.1))
    arc = np.array([at(angle, radius) for angle in np.linspace(lower, upper, count)])
    stops = [np.array([at(end, radius), at(end, (1.0 + TICK) * radius)]) for end in (lower, upper)]
    tick = np.array([at(here, (1.0 - TICK) * radius), at(here, (1.0 + TICK) * radius)])
    return [*(Polyline(points, colours[0], 2.0, 0.6) for points in (arc, *stops)), Polyline(tick, colours[1], 3.5, 0.8)]


def _bar(
    origin: Array, axis: Array, aside: Array, span: tuple[float, float, float], size: float, colours: tuple[Rgba, Rgba]
) -> list[Polyline]:
    """From the first to the second distance along an axis on which a joint slides, with a tick at the third."""
    lower, upper, here = span

    def tick(along: float, half: float) -> Array:
        middle = origin + along * axis
        return np.array([middle - half * aside, middle + half * aside])

    stops = [tick(end, 0.5 * TICK * size) for end in (lower, upper)]
    bar = np.array([origin + lower * axis, origin + upper * axis])
    thin = [Polyline(points, colours[0], 2.0, 0.6) for points in (bar, *stops)]
    return [*thin, Polyline(tick(here, TICK * size), colours[1], 3.5, 0.8)]
