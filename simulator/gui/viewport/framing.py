"""Keeps the mechanism in the picture until the user moves the camera: the view is fitted to the range of the motion,
and follows a motion without end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.gui.viewport.state import ViewState
    from simulator.rendering.camera import Camera
    from simulator.spatial.arrays import Array


WIDEST = 12
"""So often the camera steps back to let in what moves."""
FARTHEST = 3.0
"""It steps back to so many times the distance from which it saw the start; what goes further is followed."""
FOLLOWING = 2.0
"""It follows from so many times that distance at least, so that what fills the picture has room to move."""
MIDDLE = 0.4
"""What is followed stays in this part of the picture, sideways and upwards."""
NEARER, FURTHER = 0.85, 1.2
"""Likewise in depth, in distances of the camera."""
LINK_MARGIN, MARGIN = 2.2, 1.12


class Framing:
    """`turned`: the camera is where the user put it."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self.turned = self._follows = False
        self._extremes: list[Array] = []
        self._first = 0.0

    def fit(self, aspect: float, links: frozenset[str] = frozenset()) -> None:
        """Fill the view with the whole scene, or with some links, which are a choice of the user's."""
        state = self._state
        scene = state.scene
        if scene is None:
            return
        if links:
            kept = tuple(d for d in scene.drawables if scene.links[d.link] in links)
            scene = replace(scene, drawables=kept or scene.drawables)
        points = _finite(scene.corner_points(state.poses))
        self.turned = bool(links)
        self._follows = False
        self._extremes = [state.poses]
        state.camera = state.camera.fit(points, aspect, LINK_MARGIN if links else MARGIN)
        self._first = state.camera.distance

    def keep(self) -> None:
        """A document was read again, and is seen as before. Poses of another number of links are forgotten."""
        now = self._state.poses
        if any(poses.shape != now.shape for poses in self._extremes):
            self._extremes = [now]
            self._follows = False

    def refit(self, aspect: float) -> None:
        """The view has another shape: all that was seen since it was fitted is in it, as it was."""
        state = self._state
        if state.scene is None or self._follows or len(self._extremes) < 2:
            self.fit(aspect)
            return
        first, *others = (_finite(state.scene.corner_points(poses)) for poses in self._extremes)
        self._first = state.camera.fit(first, aspect, MARGIN).distance
        state.camera = state.camera.fit(np.concatenate((first, *others)), aspect)

    def see(self, aspect: float) -> None:
        """The mechanism has moved. What leaves the picture is let in again, until the camera has seen the whole range
        of the motion; what goes further than that is followed, and back at its start seen as at the start."""
        state = self._state
        if state.scene is None or self.turned or not self._extremes:
            return
        if self._follows:
            if np.array_equal(state.poses, self._extremes[0]):
                self.fit(aspect)
            else:
                self._follow(aspect)
            return
        points = _finite(state.scene.corner_points(state.poses))
        if not len(points) or np.abs(state.camera.project(points, aspect)[:, :2]).max() <= 1.0:
            return
        self._extremes.append(state.poses)
        seen = [_finite(state.scene.corner_points(poses)) for poses in self._extremes]
        wider = state.camera.fit(np.concatenate(seen), aspect)
        self._follows = len(self._extremes) > WIDEST or wider.distance > FARTHEST * self._first
        if self._follows:
            distance = max(state.camera.distance, FOLLOWING * self._first)
            state.camera = replace(state.camera, distance=distance)
            self._follow(aspect)
        else:
            state.camera = wider

    def follow(self, before: Array, links: frozenset[str]) -> None:
        """Move the camera as some links moved since the poses of `before`, or all that move where there are none."""
        scene = self._state.scene
        now = self._state.poses
        camera = self._state.camera
        if scene is None or before.shape != now.shape:
            return
        places = [scene.link_numbers[name] for name in links if name in scene.link_numbers]
        moved = (now - before)[places or np.flatnonzero((now != before).any(axis=1)), :3]
        if len(moved) and np.isfinite(moved).all():
            x, y, z = (np.asarray(camera.target) + moved.mean(axis=0)).tolist()
            self._state.camera = replace(camera, target=(x, y, z))

    def _follow(self, aspect: float) -> None:
        """Bring the middle of what has moved back into the middle of the picture."""
        poses = self._state.poses
        first = self._extremes[0]
        moved = poses[(poses != first).any(axis=1), :3]
        moved = moved[np.isfinite(moved).all(axis=1)]
        if len(moved):
            centre = 0.5 * (moved.min(axis=0) + moved.max(axis=0))
            self._state.camera = brought_back(self._state.camera, centre, aspect)


def brought_back(camera: Camera, point: Array, aspect: float) -> Camera:
    """The camera moved, not turned, by as little as brings a point of the world into the middle part of the picture."""
    right, up, backward = camera.axes()
    offset = np.asarray(point) - camera.eye
    depth = -float(offset @ backward)
    wanted = min(max(depth, NEARER * camera.distance), FURTHER * camera.distance)
    half = MIDDLE * camera.half_height(wanted)
    shift = (wanted - depth) * backward
    for axis, room in ((right, half * aspect), (up, half)):
        along = float(offset @ axis)
        shift = shift + (along - min(max(along, -room), room)) * axis
    x, y, z = (np.asarray(camera.target) + shift).tolist()
    return replace(camera, target=(x, y, z))


def _finite(points: Array) -> Array:
    kept: Array = points[np.isfinite(points).all(axis=1)]
    return kept
