"""Contacts of shapes with fixed planes, found exactly.

A plane touches a convex shape at its lowest points. Bullet gives one of them a step and remembers the others from earlier steps, so that
boxes rock and cylinders yaw on its planes; here every corner, every cap and four points of every rim are looked at, each time anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.features import corners, rim_radius, rims
from simulator.bullet.tables import friction_between, joined, restitution_between
from simulator.dynamics.compiled.bounded import ContactTable
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Plane, Shape
from simulator.spatial.rows import cross, matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.apart import LinksApart
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Placed = tuple[str, Pose, Collision]

MOST_OF_A_HULL = 8
"""A hull with more corners near the plane is held by the lowest and those furthest out in so many directions."""
UPRIGHT = 1e-9
"""A rim that is tilted less than this [rad] has no lowest point; any four do."""


@dataclass(frozen=True)
class _Plane:
    """A plane of the world. `meets` (n_shapes,): the shapes that it stops; `friction` and `restitution` (n_shapes,) between both."""

    origin: Array
    normal: Array
    meets: NDArray[np.bool_]
    friction: Array
    restitution: Array


class PlaneContacts:
    """All shapes of moving bodies against all planes of the world."""

    def __init__(self, mechanism: Mechanism) -> None:
        fixed = mechanism.bodies[WORLD_BODY].collisions()
        planes = [placed for placed in fixed if isinstance(placed[2].shape, Plane)]
        moving = [
            (index, placed)
            for index, body in enumerate(mechanism.bodies if planes else ())
            for placed in body.collisions()
            if index != WORLD_BODY
        ]
        self._planes = [_plane(plane, [placed for _, placed in moving], mechanism.apart) for plane in planes]
        self._body_of = np.array([index for index, _ in moving], dtype=np.int64)
        self._gather([(X_BC, collision.shape) for _, (_, X_BC, collision) in moving])

    def _gather(self, shapes: list[tuple[Pose, Shape]]) -> None:
        """Corners and rims of all shapes in the frames of their bodies; `_shape_of` tells whose each corner and each point of a rim is."""
        numbers = np.arange(len(shapes))
        rounded = [corners(shape) for _, shape in shapes]
        counts = [len(points) for points, _ in rounded]
        self._corners = _placed([X for X, _ in shapes], [points for points, _ in rounded])
        self._rounding = np.array([radius for _, radius in rounded], dtype=float).repeat(counts)
        circles = [rims(shape) for _, shape in shapes]
        self._rim_of = numbers.repeat([len(centres) for centres in circles])
        self._centres = _placed([X for X, _ in shapes], circles)
        self._axes = np.array([X.rotate((0.0, 0.0, 1.0)) for X, _ in shapes]).reshape(-1, 3)[self._rim_of]
        self._radii = np.array([rim_radius(shape) for _, shape in shapes], dtype=float)[self._rim_of]
        self._corner_of = numbers.repeat(counts)
        self._shape_of = np.concatenate((self._corner_of, self._rim_of.repeat(4)))
        self._rounding = np.concatenate((self._rounding, np.zeros(4 * len(self._rim_of))))

    def find(self, body_poses: Array, reach: float) -> ContactTable | None:
        """Points nearer to a plane than `reach` [m] of bodies at `body_poses`, X_WB of shape (n_bodies, 7); None where there is none."""
        if not len(self._shape_of):
            return None
        poses = matrices(body_poses)
        X = poses[self._body_of[self._corner_of]]
        placed = (X[:, :3, :3] @ self._corners[:, :, None])[:, :, 0] + X[:, :3, 3]
        return joined([self._find_on(plane, placed, poses, reach) for plane in self._planes])

    def _find_on(self, plane: _Plane, placed: Array, poses: Array, reach: float) -> ContactTable | None:
        on_rims, centres = self._rim_points(poses, plane.normal)
        points, centres = np.vstack((placed, on_rims)), np.vstack((placed, centres))
        gaps = (points - plane.origin) @ plane.normal - self._rounding
        near = np.flatnonzero((gaps < reach) & plane.meets[self._shape_of])
        if not len(near):
            return None
        near = _thinned(near, self._shape_of, points, gaps, plane.normal)
        gaps, shapes = gaps[near], self._shape_of[near]
        return ContactTable(
            bodies=np.column_stack((self._body_of[shapes], np.full(len(near), WORLD_BODY))),
            points=points[near] - (self._rounding[near] + 0.5 * gaps)[:, None] * plane.normal,
            normals=np.tile(plane.normal, (len(near), 1)),
            gaps=gaps,
            friction=plane.friction[shapes],
            restitution=plane.restitution[shapes],
            centres=centres[near],
        )

    def _rim_points(self, poses: Array, normal: Array) -> tuple[Array, Array]:
        """Of each rim the lowest point, the highest, and the two between them, and what they turn about while the rim rolls: the rim's
        centre, or the points themselves where it is upright; shape (4 n_rims, 3) each."""
        X = poses[self._body_of[self._rim_of]]
        R, axes = X[:, :3, :3], (X[:, :3, :3] @ self._axes[:, :, None])[:, :, 0]
        down = (axes @ normal)[:, None] * axes - normal
        tilt = np.sqrt((down * down).sum(axis=1))
        upright = tilt <= UPRIGHT
        for level in np.flatnonzero(upright).tolist():
            first, second = R[level, :, :2].T - np.outer(R[level, :, :2].T @ axes[level], axes[level])
            down[level] = first if first @ first >= 0.25 else second
            tilt[level] = np.sqrt(down[level] @ down[level])
        down = self._radii[:, None] * down / tilt[:, None]
        aside = cross(axes, down)
        centres = (R @ self._centres[:, :, None])[:, :, 0] + X[:, :3, 3]
        points: Array = centres[:, None] + np.stack((down, -down, aside, -aside), axis=1)
        turning = np.where(upright[:, None, None], points, centres[:, None])
        return points.reshape(-1, 3), turning.reshape(-1, 3)


def _plane(plane: Placed, moving: list[Placed], apart: LinksApart) -> _Plane:
    name, X, collision = plane
    ground, surfaces = collision.surface, [other.surface for _, _, other in moving]
    assert isinstance(collision.shape, Plane)
    return _Plane(
        origin=np.array(X.position),
        normal=np.array(X.rotate(collision.shape.normal)),
        meets=np.array([(name, other) not in apart for other, _, _ in moving], dtype=bool),
        friction=np.array([friction_between(surface, ground) for surface in surfaces], dtype=float),
        restitution=np.array([restitution_between(surface, ground) for surface in surfaces], dtype=float),
    )


def _placed(poses: list[Pose], points: list[Array]) -> Array:
    """Points of shapes in the frames of their bodies, those of the first shape first, shape (n, 3)."""
    placed = [X.transform((x, y, z)) for X, some in zip(poses, points, strict=True) for x, y, z in some.tolist()]
    return np.array(placed, dtype=float).reshape(-1, 3)


def _thinned(near: Ints, shape_of: Ints, points: Array, gaps: Array, normal: Array) -> Ints:
    """Of each shape with many points near the plane the lowest one and those furthest out; all of the others."""
    shapes, counts = np.unique(shape_of[near], return_counts=True)
    for shape in shapes[counts > MOST_OF_A_HULL].tolist():
        mine = near[shape_of[near] == shape]
        first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        second = np.cross(normal, first)
        angles = np.arange(MOST_OF_A_HULL) * (2.0 * np.pi / MOST_OF_A_HULL)
        outward = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
        furthest = np.argmax(points[mine] @ outward.T, axis=0)
        kept = mine[np.unique(np.append(furthest, np.argmin(gaps[mine])))]
        near = np.concatenate((near[shape_of[near] != shape], kept))
    return near
