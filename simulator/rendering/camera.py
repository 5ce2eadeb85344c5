"""An orbit camera: where the eye is, how it moves, and its matrices. Pure mathematics.

World: z up, metres. The eye looks at `target` from `distance`, seen from the target in the direction given by `azimuth`
(about z, from +x) and `elevation` (above the horizontal plane). Normalized device coordinates (ndc): x right and y up,
each in [-1, 1].
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose_arrays import cross, vec3
from simulator.spatial.rotation import Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ELEVATION = math.radians(89.9)
"""The view has no up direction at the pole itself [rad]."""

STANDARD_VIEWS: dict[str, tuple[float, float]] = {
    "iso": (math.radians(-60.0), math.radians(22.0)),
    "front": (math.radians(-90.0), 0.0),
    "back": (math.radians(90.0), 0.0),
    "right": (0.0, 0.0),
    "side": (0.0, 0.0),
    "left": (math.radians(180.0), 0.0),
    "top": (math.radians(-90.0), MAX_ELEVATION),
    "bottom": (math.radians(-90.0), -MAX_ELEVATION),
}
"""Azimuth and elevation [rad] of each named view; "side" is the view from +x."""


@dataclass(frozen=True)
class Camera:
    """A view of the world; every movement gives a new camera.

    `target` [m], `distance` [m], `azimuth`, `elevation` [rad]; `fov` [rad] is the vertical field of view. With
    `orthographic` the scale is that of the target's plane, so switching keeps the size of the picture.
    """

    target: Vec3 = (0.0, 0.0, 0.0)
    distance: float = 5.0
    azimuth: float = STANDARD_VIEWS["iso"][0]
    elevation: float = STANDARD_VIEWS["iso"][1]
    fov: float = math.radians(28.0)
    orthographic: bool = False

    @cached_property
    def backward(self) -> NDArray[np.float64]:
        """Unit vector from the target to the eye, in the world."""
        level = math.cos(self.elevation)
        return np.array(
            [level * math.cos(self.azimuth), level * math.sin(self.azimuth), math.sin(self.elevation)], dtype=np.float64
        )

    @cached_property
    def eye(self) -> NDArray[np.float64]:
        """Where the eye is, in the world [m]."""
        return np.asarray(self.target) + self.distance * self.backward

    def axes(self) -> NDArray[np.float64]:
        """Rows: right, up and backward as unit vectors of the world, shape (3, 3)."""
        return self._axes

    @cached_property
    def _axes(self) -> NDArray[np.float64]:
        right = np.array([-math.sin(self.azimuth), math.cos(self.azimuth), 0.0])
        return np.stack([right, cross(self.backward, right), self.backward])

    def view(self) -> NDArray[np.float64]:
        """X_CW: world to camera (x right, y up, z backward), shape (4, 4)."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes()
        matrix[:3, 3] = -matrix[:3, :3] @ self.eye
        return matrix

    @overload
    def half_height(self, depth: float | None = None) -> float: ...

    @overload
    def half_height(self, depth: NDArray[np.float64]) -> NDArray[np.float64]: ...

    def half_height(self, depth: float | NDArray[np.float64] | None = None) -> float | NDArray[np.float64]:
        """Half the height [m] that the view covers at `depth` [m] before the eye (default: at the target); of an array
        of depths, one each."""
        if depth is None:
            depth = self.distance
        elif self.orthographic:
            depth = np.full_like(depth, self.distance) if isinstance(depth, np.ndarray) else self.distance
        return depth * math.tan(self.fov / 2)

    def projection(self, aspect: float, near: float, far: float) -> NDArray[np.float64]:
        """Camera to clip space, shape (4, 4). `aspect` is width / height; `near` and `far` [m] before the eye."""
        matrix = np.zeros((4, 4))
        if self.orthographic:
            half = self.half_height()
            matrix[0, 0] = 1 / (half * aspect)
            matrix[1, 1] = 1 / half
            matrix[2, 2] = 2 / (near - far)
            matrix[2, 3] = (far + near) / (near - far)
            matrix[3, 3] = 1.0
            return matrix
        scale = 1.0 / math.tan(self.fov / 2)
        matrix[0, 0] = scale / aspect
        matrix[1, 1] = scale
        matrix[2, 2] = (far + near) / (near - far)
        matrix[2, 3] = 2 * far * near / (near - far)
        matrix[3, 2] = -1.0
        return matrix

    def clip_range(self, reach: float) -> tuple[float, float]:
        """Near and far [m] for things up to `reach` [m] around the target; the depth ratio stays below 24 bits'
        need."""
        far = self.distance + 1.05 * reach
        if self.orthographic:
            return -far, far
        return max(0.02 * self.distance, far / 20000.0), far

    def orbit(self, delta_azimuth: float, delta_elevation: float) -> Camera:
        """Turned about the target [rad]; stops short of the poles."""
        azimuth = math.remainder(self.azimuth + delta_azimuth, math.tau)
        elevation = min(max(self.elevation + delta_elevation, -MAX_ELEVATION), MAX_ELEVATION)
        return replace(self, azimuth=azimuth, elevation=elevation)

    def pan(self, right: float, up: float) -> Camera:
        """Moved sideways, in fractions of the picture's height: the world follows a pointer dragged by (-right,
        -up)."""
        axes = self.axes()
        step = 2.0 * self.half_height() * (right * axes[0] + up * axes[1])
        return replace(self, target=vec3(np.asarray(self.target) + step))

    def zoom(self, factor: float, ndc: tuple[float, float] = (0.0, 0.0), aspect: float = 1.0) -> Camera:
        """The distance times `factor`; the point under `ndc`, at the target's depth, stays where it is in the
        picture."""
        pivot = self.point_at_target_depth(ndc, aspect)
        target = pivot + factor * (np.asarray(self.target) - pivot)
        return replace(self, target=vec3(target), distance=self.distance * factor)

    def with_view(self, name: str) -> Camera:
        """The standard view of that name (a key of `STANDARD_VIEWS`), same target and distance."""
        azimuth, elevation = STANDARD_VIEWS[name]
        return replace(self, azimuth=azimuth, elevation=elevation)

    def point_at_target_depth(self, ndc: tuple[float, float], aspect: float) -> NDArray[np.float64]:
        """The world point [m] under `ndc` in the plane through the target that faces the camera."""
        half = self.half_height()
        axes = self.axes()
        point: NDArray[np.float64] = np.asarray(self.target) + half * (ndc[0] * aspect * axes[0] + ndc[1] * axes[1])
        return point

    def ray(self, ndc: tuple[float, float], aspect: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Origin [m] and unit direction, in the world, of the line of sight under `ndc`."""
        through = self.point_at_target_depth(ndc, aspect)
        if self.orthographic:
            return through + self.distance * self.backward, -self.backward
        direction = through - self.eye
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: NDArray[np.float64], aspect: float) -> NDArray[np.float64]:
        """Ndc x, ndc y and depth before the eye [m] of world points (n, 3); shape (n, 3). NaN where not before the
        eye."""
        in_camera = (np.asarray(points, dtype=np.float64).reshape(-1, 3) - self.eye) @ self.axes().T
        depth = -in_camera[:, 2]
        half = self.half_height(depth if self.orthographic else np.where(depth > 0.0, depth, np.nan))
        return np.stack([in_camera[:, 0] / (half * aspect), in_camera[:, 1] / half, depth], axis=1)

    def pixels(self, points: NDArray[np.float64], view: tuple[float, float]) -> NDArray[np.float64]:
        """Where world points (..., 3) are in a picture of this width and height [px]: x from its left edge and y from
        its upper edge [px], and depth before the eye [m], shape (..., 3). NaN where not before the eye."""
        width, height = view
        seen = self.project(points, width / max(height, 1.0))
        seen[:, 0] = (1.0 + seen[:, 0]) * (width / 2.0)
        seen[:, 1] = (1.0 - seen[:, 1]) * (height / 2.0)
        return seen.reshape(points.shape)

    def fit(self, points: NDArray[np.float64], aspect: float, margin: float = 1.12) -> Camera:
        """The same direction of view, placed so that the world points (n, 3) just fill the picture (times `margin`)."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if len(points) == 0:
            return self
        in_camera = points @ self.axes().T
        camera = replace(self, target=vec3((points.min(axis=0) + points.max(axis=0)) / 2))
        for _ in range(4):  # perspective makes near things larger: the centre of the picture is found in a few rounds
            camera = _centred(camera, points, in_camera, aspect, margin)
        return camera


def _centred(
    camera: Camera, points: NDArray[np.float64], in_camera: NDArray[np.float64], aspect: float, margin: float
) -> Camera:
    """One round of `fit`: the distance that holds every point, then the target moved to the middle of what is seen."""
    axes = camera.axes()
    relative = in_camera - axes @ np.asarray(camera.target)
    tangent = math.tan(camera.fov / 2) / margin
    height = np.maximum(np.abs(relative[:, 1]), np.abs(relative[:, 0]) / aspect) / tangent
    needed = height if camera.orthographic else height + relative[:, 2]
    camera = replace(camera, distance=max(float(needed.max()), 1e-6))
    seen = camera.project(points, aspect)[:, :2]
    middle = (np.nanmin(seen, axis=0) + np.nanmax(seen, axis=0)) / 2
    shift = camera.half_height() * (middle[0] * aspect * axes[0] + middle[1] * axes[1])
    return replace(camera, target=vec3(np.asarray(camera.target) + shift))
