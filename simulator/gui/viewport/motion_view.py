"""What moves how, over the view: velocities, instant centres, centres of mass and paths of points that were clicked."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.gui.units import compact
from simulator.gui.viewport.state import Label
from simulator.rendering.overlays import Polyline, arrow, normal_plane
from simulator.rendering.theme import rgb
from simulator.session.motion_now import PointPath, body_motions, instant_centres

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.snapshot import Snapshot
    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Mechanism
    from simulator.rendering.scene import Scene
    from simulator.spatial.rotation import Vec3

    Array = NDArray[np.float64]

LONGEST_ARROW = 0.4
"""Of the radius of the scene: the arrow of the largest velocity that was seen."""
CROSS = 0.035
FAR = 20.0
"""Instant centres further away than this many radii are not drawn."""
COLOURS = 16
"""Steps of colour along a path."""


class MotionView:
    """Lines and labels for what is switched on. `paths`: those of points that were clicked while *Paths* is on."""

    def __init__(self) -> None:
        self.velocities = self.centres = self.masses = self.tracing = False
        self.paths: list[PointPath] = []
        self._fastest = 0.0

    def forget(self) -> None:
        """Another document."""
        self.paths.clear()
        self._fastest = 0.0

    def add_path(self, link: str, at: Vec3) -> None:
        """Follow a point of a link from now on."""
        self.paths.append(PointPath(link, at))

    def see(self, mechanism: Mechanism, snapshot: Snapshot) -> None:
        """A new instant."""
        for path in self.paths:
            path.see(mechanism, snapshot)

    def lines(self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene, tokens: Tokens) -> tuple[Polyline, ...]:
        """What is switched on."""
        found = [line for path in self.paths for line in _path_lines(path, tokens)]
        if not (self.velocities or self.centres or self.masses):
            return tuple(found)
        motions = body_motions(mechanism, snapshot)
        accent, other = (*rgb(tokens.accent), 1.0), (*rgb(tokens.error), 1.0)
        if self.masses:
            for centre in motions.centre[1:]:
                found += _cross(centre, CROSS * scene.radius, (*rgb(tokens.text), 1.0))
        if self.velocities:
            self._fastest = max(self._fastest, float(np.linalg.norm(motions.velocity, axis=1).max(initial=0.0)))
            scale = LONGEST_ARROW * scene.radius / max(self._fastest, 1e-12)
            for centre, velocity in zip(motions.centre[1:], motions.velocity[1:], strict=True):
                found += arrow(_vec(centre), _vec(centre + scale * velocity), accent, hidden=0.8)
        for centre in self._near_centres(mechanism, snapshot, scene):
            found += _cross(centre, 1.5 * CROSS * scene.radius, other)
        return tuple(found)

    def labels(self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene) -> tuple[Label, ...]:
        """Speeds at the arrows, names at the instant centres."""
        found: list[Label] = []
        names = [body.name.rpartition("::")[2] for body in mechanism.bodies]
        if self.velocities:
            motions = body_motions(mechanism, snapshot)
            for body in range(1, len(names)):
                speed, turning = (float(np.linalg.norm(v[body])) for v in (motions.velocity, motions.angular))
                if max(speed, turning) > 1e-9:
                    text = f"{compact(speed, 3)} m/s, {compact(turning, 3)} rad/s"
                    found.append(Label(_vec(motions.centre[body]), text))
        if self.centres:
            centres = instant_centres(body_motions(mechanism, snapshot))
            for name, centre in zip(names, centres if centres is not None else (), strict=False):
                if np.linalg.norm(centre - np.asarray(scene.start_bounds.centre)) < FAR * scene.radius:
                    found.append(Label(_vec(centre), f"P {name}"))
        return tuple(found)

    def _near_centres(self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene) -> Array:
        centres = instant_centres(body_motions(mechanism, snapshot)) if self.centres else None
        if centres is None:
            return np.zeros((0, 3))
        near: Array = centres[
            np.linalg.norm(centres - np.asarray(scene.start_bounds.centre), axis=1) < FAR * scene.radius
        ]
        return near


def _path_lines(path: PointPath, tokens: Tokens) -> list[Polyline]:
    """A path in pieces, from the colour of rest to that of its highest speed."""
    rows = path.array()
    if len(rows) < 2:
        return []
    speed = np.linalg.norm(rows[:, 4:], axis=1)
    step = (speed / max(float(speed.max()), 1e-12) * (COLOURS - 1)).astype(int)
    slow, fast = np.array(rgb(tokens.accent)), np.array(rgb(tokens.error))
    bounds = [0, *(np.flatnonzero(np.diff(step)) + 1).tolist(), len(rows) - 1]
    lines = []
    for begin, end in pairwise(bounds):
        if end > begin:
            share = step[begin] / (COLOURS - 1)
            r, g, b = ((1.0 - share) * slow + share * fast).tolist()
            lines.append(Polyline(rows[begin : end + 1, 1:4], (r, g, b, 1.0), 2.5, 0.6))
    return lines


def _cross(centre: Array, size: float, colour: tuple[float, float, float, float]) -> list[Polyline]:
    u, v = normal_plane(np.array([0.0, 0.0, 1.0]))
    w = np.array([0.0, 0.0, 1.0])
    return [Polyline(np.stack([centre - size * d, centre + size * d]), colour, 2.0, 0.8) for d in (u, v, w)]


def _vec(v: Array) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
