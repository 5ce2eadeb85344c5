"""Pictures of episodes, one after the other: drawn with one context, by a camera that stays still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.api.pictures import drawing_of
from simulator.rendering.contexts import opengl_is_missing
from simulator.rendering.offscreen import PictureMaker, fitted_camera, render_picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.rendering.camera import Camera
    from simulator.rendering.scene import Scene

BACK = 1.25
"""Room for motion: distance of the camera relative to the least at which it sees everything."""
EDGE = 0.97
"""Anything beyond this part of the picture counts as outside."""


class CameraWork:
    """Pictures of one world, of `size` pixels, width first. The camera stays still; if something leaves the
    picture, it steps back. Lengths may differ from episode to episode."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._maker: PictureMaker | None = None
        self._scene: Scene | None = None
        self._camera: Camera | None = None
        self._reach: NDArray[np.float64] | None = None

    def picture(self, sim: Simulation) -> NDArray[np.uint8]:
        """The world as it is now, shape (height, width, 3). Raises RenderingError if no context can be made."""
        scene, poses, lines = drawing_of(sim._core)
        camera = self._following(scene, poses)
        if opengl_is_missing():
            return render_picture(scene, poses, size=self._size, camera=camera)
        if self._maker is None or scene is not self._scene:
            self.close()
            self._maker = PictureMaker(scene)
            self._scene = scene
        with self._maker.renderer.context:
            return self._maker.picture(poses, size=self._size, camera=camera, overlays=lines)

    def _following(self, scene: Scene, poses: NDArray[np.float64]) -> Camera:
        """The previous camera if it sees everything, else one that sees all that has been in its view."""
        points = scene.corner_points(poses)
        aspect = self._size[0] / self._size[1]
        points = points[np.isfinite(points).all(axis=1)]
        if self._camera is not None:
            seen = self._camera.project(points, aspect)[:, :2]
            if (np.abs(seen) < EDGE).all():
                return self._camera
        ends = np.stack([points.min(axis=0), points.max(axis=0)]) if len(points) else np.zeros((2, 3))
        before = ends if self._reach is None else self._reach
        self._reach = np.stack([np.minimum(ends[0], before[0]), np.maximum(ends[1], before[1])])
        corners = np.array(np.meshgrid(*self._reach.T)).reshape(3, -1).T
        self._camera = fitted_camera(scene, poses, aspect).fit(corners, aspect).zoom(BACK)
        return self._camera

    def close(self) -> None:
        """Release the context; the next picture makes another."""
        maker = self._maker
        self._maker = None
        if maker is not None:
            maker.close()

    def __reduce__(self) -> tuple[type[CameraWork], tuple[tuple[int, int]]]:
        return CameraWork, (self._size,)
