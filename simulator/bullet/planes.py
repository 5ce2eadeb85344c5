"""Contacts of shapes with fixed planes, found exactly.

A plane touches a convex shape at its lowest points. Bullet gives one of them a step and remembers the others from earlier steps, so that
boxes rock and cylinders yaw on its planes; here every corner, every cap and four points of every rim are looked at, each time anew.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.shapes import hull_points
from simulator.dynamics.compiled.bounded import ContactTable
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Plane, Shape, Sphere
from simulator.spatial.rows import matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_OF_A_HULL = 8
"""A hull with more corners near the plane is held by the lowest and those furthest out in so many directions."""
UPRIGHT = 1e-9
"""A rim that is tilted less than this [rad] has no lowest point; any four do."""


class PlaneContacts:
    """All shapes of moving bodies against all planes of the world."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._planes = [
            (name, np.array(X_WC.position), np.array(X_WC.rotate(collision.shape.normal)), collision.surface)
            for name, X_WC, collision in mechanism.bodies[WORLD_BODY].collisions()
            if isinstance(collision.shape, Plane)
        ]
        self._apart = mechanism.apart
        self._points: list[tuple[int, str, Surface, Array, float]] = []
        self._rims: list[tuple[int, str, Surface, Array, Array, float]] = []
        for index, body in enumerate(mechanism.bodies if self._planes else ()):
            for name, X_BC, collision in body.collisions() if index != WORLD_BODY else ():
                self._add(index, name, X_BC, collision)

    def _add(self, body: int, name: str, X_BC: Pose, collision: Collision) -> None:
        shape, surface = collision.shape, collision.surface
        corners, radius = _corners(shape)
        if len(corners):
            placed = np.array([X_BC.transform(tuple(corner)) for corner in corners.tolist()])
            self._points.append((body, name, surface, placed, radius))
        axis = np.array(X_BC.rotate((0.0, 0.0, 1.0)))
        for height in _rims(shape):
            self._rims.append((body, name, surface, np.array(X_BC.transform((0.0, 0.0, height))), axis, _radius(shape)))

    def find(self, body_poses: Array, reach: float) -> ContactTable | None:
        """Points nearer to a plane than `reach` [m] of bodies at `body_poses`, X_WB of shape (n_bodies, 7); None where there is none."""
        found: list[tuple[int, Array, Array, Array, float, float]] = []
        poses = matrices(body_poses) if self._planes else body_poses
        for other, origin, normal, ground in self._planes:
            for body, name, surface, points, radius in self._all_points(poses, normal):
                if self._never_touch(name, other):
                    continue
                gaps = (points - origin) @ normal - radius
                near = _chosen(points, gaps, reach, normal)
                if len(near):
                    touching = points[near] - (radius + 0.5 * gaps[near])[:, None] * normal
                    friction = max(min(surface.friction, ground.friction), 0.0)
                    found.append(
                        (body, touching, normal, gaps[near], friction, min(surface.restitution, ground.restitution))
                    )
        return _table(found) if found else None

    def _all_points(self, poses: Array, normal: Array) -> list[tuple[int, str, Surface, Array, float]]:
        result = [
            (body, name, surface, points @ poses[body, :3, :3].T + poses[body, :3, 3], radius)
            for body, name, surface, points, radius in self._points
        ]
        for body, name, surface, centre, axis, radius in self._rims:
            R = poses[body, :3, :3]
            result.append(
                (body, name, surface, _rim(R @ centre + poses[body, :3, 3], R @ axis, R, radius, normal), 0.0)
            )
        return result

    def _never_touch(self, a: str, b: str) -> bool:
        return bool(self._apart) and ((a, b) in self._apart or (b, a) in self._apart)


def _corners(shape: Shape) -> tuple[Array, float]:
    """Points that may touch a plane, shape (k, 3), and by how much the shape is rounded around them [m]."""
    if isinstance(shape, Box):
        return 0.5 * np.array(shape.size) * np.array(list(product((-1.0, 1.0), repeat=3))), 0.0
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), shape.radius
    if isinstance(shape, Capsule):
        return np.array([(0.0, 0.0, -0.5 * shape.length), (0.0, 0.0, 0.5 * shape.length)]), shape.radius
    if isinstance(shape, Cone):
        return np.array([(0.0, 0.0, 0.5 * shape.length)]), 0.0
    if isinstance(shape, Cylinder | Plane):
        return np.zeros((0, 3)), 0.0
    return hull_points(shape), 0.0


def _rims(shape: Shape) -> tuple[float, ...]:
    """Heights of the circles that bound the shape."""
    if isinstance(shape, Cylinder):
        return -0.5 * shape.length, 0.5 * shape.length
    return (-0.5 * shape.length,) if isinstance(shape, Cone) else ()


def _radius(shape: Shape) -> float:
    return shape.radius if isinstance(shape, Cylinder | Cone) else 0.0


def _rim(centre: Array, axis: Array, R: Array, radius: float, normal: Array) -> Array:
    """Lowest point of a circle, the highest, and the two between them, shape (4, 3)."""
    down = (normal @ axis) * axis - normal
    tilt = float(np.sqrt(down @ down))
    down = down / tilt if tilt > UPRIGHT else R[:, 0] - (R[:, 0] @ axis) * axis
    if tilt <= UPRIGHT:
        down = R[:, 1] - (R[:, 1] @ axis) * axis if down @ down < 0.25 else down
        down = down / np.sqrt(down @ down)
    aside = np.cross(axis, down)
    rim: Array = centre + radius * np.array((down, -down, aside, -aside))
    return rim


def _chosen(points: Array, gaps: Array, reach: float, normal: Array) -> Ints:
    """Indices of the points that take part."""
    near: Ints = np.flatnonzero(gaps < reach)
    if len(near) <= MOST_OF_A_HULL:
        return near
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    second = np.cross(normal, first)
    angles = np.arange(MOST_OF_A_HULL) * (2.0 * np.pi / MOST_OF_A_HULL)
    outward = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
    furthest = np.argmax(points[near] @ outward.T, axis=0)
    kept: Ints = near[np.unique(np.append(furthest, np.argmin(gaps[near])))]
    return kept


def _table(found: list[tuple[int, Array, Array, Array, float, float]]) -> ContactTable:
    counts = [len(gaps) for _, _, _, gaps, _, _ in found]
    return ContactTable(
        bodies=np.array([(body, WORLD_BODY) for body, *_ in found], dtype=np.int64).repeat(counts, axis=0),
        points=np.vstack([points for _, points, *_ in found]),
        normals=np.array([normal for _, _, normal, *_ in found]).repeat(counts, axis=0),
        gaps=np.concatenate([gaps for _, _, _, gaps, _, _ in found]),
        friction=np.array([friction for *_, friction, _ in found]).repeat(counts),
        restitution=np.array([restitution for *_, restitution in found]).repeat(counts),
    )
