"""Contacts of capsules, cylinders and hulls with the faces of boxes, found exactly.

Bullet's iterative distance gives points and normals that tremble by some ten-thousandths from step to step, which a pin
that slides in a slot turns into trembling forces, and what is round over a box it sees when they overlap already. Where
such shapes meet over a face, the geometry is done here: the lowest line of a cylinder or capsule, cut to the face, or
four points of the rim of a cylinder that stands on it, the lowest corners of a hull all of which is over it. Edges and
corners of boxes stay Bullet's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.collision.features import corners, outer_radius, rim_radius, rims
from simulator.collision.find_kernels import MOST_OF_A_HULL
from simulator.collision.plane_kernels import UPRIGHT
from simulator.collision.sweep import overlaps
from simulator.collision.tables import ContactPoint, friction_between, restitution_between
from simulator.dynamics.compiled.contact_table import ContactTable
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Box, Capsule, Cylinder, Ellipsoid, Mesh
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from simulator.mechanism.apart import LinksApart
    from simulator.model.link import Collision
    from simulator.model.shape import Shape

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEW_PAIRS = 2000
"""So many pairs of shapes are measured in each step without asking first which are anywhere near."""
AS_LOW = 1e-6
"""Corners whose gaps differ by less [m] are one face's."""
LYING = 0.7
"""A cylinder whose axis is further than this from the normal (cosine below) touches with its side."""


@dataclass(frozen=True)
class Solid:
    """A collision shape: the mechanism's body that it belongs to, its link, and X_BC as a matrix (4, 4)."""

    body: int
    link: str
    collision: Collision
    X_BC: Array

    @property
    def shape(self) -> Shape:
        """Its form."""
        return self.collision.shape


class FaceContacts:
    """All round shapes against all boxes that they may touch. Shapes go by numbers of the caller's."""

    def __init__(self, solids: Mapping[int, Solid], apart: LinksApart) -> None:
        """`apart`: pairs of links that never touch."""
        self._solids, self._apart = solids, apart
        rounds = [k for k, solid in solids.items() if _is_over_faces(solid)]
        boxes = [k for k, solid in solids.items() if isinstance(solid.shape, Box)]
        self._rounds, self._numbers = len(rounds), [*rounds, *boxes]
        chosen = [solids[k] for k in self._numbers]
        radii = {shape: outer_radius(shape) for shape in {solid.shape for solid in chosen}}
        self._reach = np.array([radii[solid.shape] for solid in chosen])
        self._bodies = np.array([solid.body for solid in chosen], dtype=np.int64)
        self._links = np.array([apart.index[solid.link] for solid in chosen], dtype=np.int64)
        self._places = np.array([solid.X_BC[:3, 3] for solid in chosen]).reshape(-1, 3, 1)
        self._pairs = None
        if len(rounds) * len(boxes) <= FEW_PAIRS:
            first, second = np.indices((len(rounds), len(boxes))).reshape(2, -1)
            self._pairs = self._touching(first, second + len(rounds))

    @property
    def has_pairs(self) -> bool:
        """Whether any pair may touch."""
        return self._rounds > 0 and (self._pairs is None or len(self._pairs[0]) > 0)

    def table(self, body_poses: Array, reach: float) -> ContactTable | None:
        """The points of `find` in rows; None where there is none."""
        found = self.find(body_poses, reach).items()
        return table_of((self._solids[i], self._solids[k], point) for (i, k), points in found for point in points)

    def find(self, body_poses: Array, reach: float) -> dict[tuple[int, int], list[ContactPoint]]:
        """Points nearer than `reach` [m], by (round one, box), of those pairs that meet over a face, with bodies at
        `body_poses`, X_WB of shape (n_bodies, 7); a pair that is not in it meets at an edge or corner, or not at
        all."""
        if self._pairs is not None and not len(self._pairs[0]):
            return {}
        poses = matrices(body_poses)
        X = poses[self._bodies]
        middles = (X[:, :3, :3] @ self._places)[..., 0] + X[:, :3, 3]
        first, second = self._overlapping(middles, reach) if self._pairs is None else self._pairs
        away = middles[first] - middles[second]
        near = np.flatnonzero((away * away).sum(axis=1) < (self._reach[first] + self._reach[second] + reach) ** 2)
        found = {}
        for i, k in zip(first[near].tolist(), second[near].tolist(), strict=True):
            pair = self._numbers[i], self._numbers[k]
            points = self._over_face(*pair, poses)
            if points is not None:
                found[pair] = [point for point in points if point.gap < reach]
        return found

    def _touching(self, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Of these pairs those that may touch."""
        may = self._bodies[first] != self._bodies[second]
        may &= ~self._apart.among(self._links[first], self._links[second])
        return first[may], second[may]

    def _overlapping(self, middles: Array, reach: float) -> tuple[Ints, Ints]:
        """Pairs that may touch and are near along the world axis on which the shapes are spread most."""
        along = middles[:, int(np.argmax(np.ptp(middles, axis=0)))]
        half = self._reach + 0.5 * reach
        return self._touching(*overlaps(along - half, along + half, self._rounds))

    def _over_face(self, i: int, k: int, poses: Array) -> list[ContactPoint] | None:
        """Points of a round shape over a face of a box; None where they meet elsewhere."""
        first, second = self._solids[i], self._solids[k]
        assert isinstance(second.shape, Box)
        pose, box_pose = poses[first.body] @ first.X_BC, poses[second.body] @ second.X_BC
        return on_face(first.shape, pose, second.shape, box_pose)


def _is_over_faces(solid: Solid) -> bool:
    """A mesh that does not move is its triangles; one that moves is its hull."""
    hull = isinstance(solid.shape, Mesh | Ellipsoid) and solid.body != WORLD_BODY
    return isinstance(solid.shape, Capsule | Cylinder) or hull


def on_face(shape: Shape, pose: Array, box: Box, box_pose: Array) -> list[ContactPoint] | None:
    """Points in which a round shape at `pose` is over a face of a box at `box_pose`, homogeneous matrices (4, 4); None
    where it is an edge or a corner that is nearest.

    The face is the one that the shape is furthest outside of. Where its lowest points are over that face, their gap is
    the distance.
    """
    if isinstance(shape, Mesh | Ellipsoid):
        return _hull_on_face(shape, pose, box, box_pose)
    R, place = box_pose[:3, :3], box_pose[:3, 3]
    inside = (pose[:3, 3] - place) @ R
    half = 0.5 * np.array(box.size)
    axis, outside, line = 0, -np.inf, None
    for k in range(3):
        normal = np.copysign(1.0, inside[k]) * R[:, k]
        lowest = _lowest(shape, pose, normal)
        ends = (pose[:3, 3] - normal * _depth(shape, pose, normal))[None] if lowest is None else lowest[0]
        separation = float(((ends - place) @ normal).min()) - float(half[k])
        if separation > outside:
            axis, outside, line = k, separation, lowest
    if outside < -half[axis]:
        return None
    normal = np.copysign(1.0, inside[axis]) * R[:, axis]
    points, centres = _end(shape, pose, normal) if line is None else line
    flat = np.delete((points - place) @ R, axis, axis=1), np.delete(half, axis)
    if line is None:
        if (np.abs(flat[0]) > flat[1]).any():
            return None
        over = list(zip(points, centres, strict=True))
    else:
        share, ways = _share_over(*flat), (points[-1] - points[0], centres[-1] - centres[0])
        over = [(points[0] + part * ways[0], centres[0] + part * ways[1]) for part in share or ()]
    found = []
    for low, centre in over:
        gap = float((low - place) @ normal) - float(half[axis])
        found.append(ContactPoint(low - 0.5 * gap * normal, normal, gap, centre))
    return found or None


def _hull_on_face(shape: Shape, pose: Array, box: Box, box_pose: Array) -> list[ContactPoint] | None:
    """As `on_face`, of a convex hull: no edge of the box is near where all of the hull is over a face."""
    R, place, half = box_pose[:3, :3], box_pose[:3, 3], 0.5 * np.array(box.size)
    points = corners(shape)[0] @ pose[:3, :3].T + pose[:3, 3]
    inside = (points - place) @ R
    side = np.copysign(1.0, inside.mean(axis=0))
    gaps = side * inside - half
    axis = int(np.argmax(gaps.min(axis=0)))
    others = np.delete(np.arange(3), axis)
    if gaps[:, axis].min() < -half[axis] or (np.abs(inside[:, others]) > half[others]).any():
        return None
    normal, found = side[axis] * R[:, axis], []
    for c in _holding(inside[:, others], gaps[:, axis]):
        gap = float(gaps[c, axis])
        found.append(ContactPoint(points[c] - 0.5 * gap * normal, normal, gap, points[c]))
    return found


def _holding(flat: Array, gaps: Array) -> list[int]:
    """Which of many corners, at `flat` (n, 2) over a face, hold a hull: the lowest, those furthest out of all that are
    as low, and then the next ones."""
    lowest = np.flatnonzero(gaps <= gaps.min() + AS_LOW)
    if len(lowest) <= MOST_OF_A_HULL:
        return [int(c) for c in np.argsort(gaps, kind="stable")[:MOST_OF_A_HULL]]
    angles = np.arange(MOST_OF_A_HULL) * (2.0 * np.pi / MOST_OF_A_HULL)
    ways = np.stack((np.cos(angles), np.sin(angles)))
    return sorted({int(c) for c in lowest[np.argmax(flat[lowest] @ ways, axis=0)]})


def _depth(shape: Shape, pose: Array, normal: Array) -> float:
    """How far a cylinder reaches from its middle against the normal [m]."""
    assert isinstance(shape, Cylinder)
    along = abs(float(normal @ pose[:3, 2]))
    return 0.5 * shape.length * along + shape.radius * float(np.sqrt(max(1.0 - along * along, 0.0)))


def _lowest(shape: Shape, pose: Array, normal: Array) -> tuple[Array, Array] | None:
    """Ends of the lowest line, or the lowest point, and the centres above them, shape (2 or 1, 3) each; None for a
    cylinder on its end."""
    if isinstance(shape, Cylinder):
        axis = pose[:3, 2]
        along = float(normal @ axis)
        if abs(along) > LYING:
            return None
        down = along * axis - normal
        centres = rims(shape) @ pose[:3, :3].T + pose[:3, 3]
        return centres + rim_radius(shape) * down / np.sqrt(down @ down), centres
    balls, radius = corners(shape)
    centres = balls @ pose[:3, :3].T + pose[:3, 3]
    return centres - radius * normal, centres


def _end(shape: Shape, pose: Array, normal: Array) -> tuple[Array, Array]:
    """Of a cylinder that stands, the lowest point of the lower rim, the highest and the two between them, and what they
    turn about, as in `plane_kernels.rim_on_plane`; shape (4, 3) each."""
    axis = pose[:3, 2]
    down = float(normal @ axis) * axis - normal
    upright = float(np.linalg.norm(down)) <= UPRIGHT
    down = pose[:3, 0] if upright else down / np.linalg.norm(down)
    centres = rims(shape) @ pose[:3, :3].T + pose[:3, 3]
    centre, aside = centres[int(np.argmin(centres @ normal))], np.cross(axis, down)
    points = centre + rim_radius(shape) * np.array([down, -down, aside, -aside])
    return points, points if upright else np.tile(centre, (4, 1))


def _share_over(points: Array, half: Array) -> tuple[float, ...] | None:
    """Parts of the way from the first point to the last, in the plane of a rectangle, at which it is entered and left;
    None if never."""
    start, way = points[0], points[-1] - points[0]
    first, last = 0.0, 1.0 if len(points) > 1 else 0.0
    for k in range(2):
        if abs(way[k]) <= 1e-9 * half[k]:
            if abs(start[k]) > (1.0 + 1e-9) * half[k]:
                return None
            continue
        enter, leave = sorted(((-half[k] - start[k]) / way[k], (half[k] - start[k]) / way[k]))
        first, last = max(first, enter), min(last, leave)
    if first > last:
        return None
    return (first, last) if last > first else (first,)


def table_of(rows: Iterable[tuple[Solid, Solid, ContactPoint]]) -> ContactTable | None:
    """Two solids and where they touch, in rows; None where there is none."""
    rows = list(rows)
    if not rows:
        return None
    surfaces = [(a.collision.surface, b.collision.surface) for a, b, _ in rows]
    return ContactTable(
        bodies=np.array([(a.body, b.body) for a, b, _ in rows], dtype=np.int64),
        points=np.array([at.point for *_, at in rows]),
        normals=np.array([at.normal for *_, at in rows]),
        gaps=np.array([at.gap for *_, at in rows]),
        friction=np.array([friction_between(a, b) for a, b in surfaces]),
        restitution=np.array([restitution_between(a, b) for a, b in surfaces]),
        centres=np.array([at.centre for *_, at in rows]),
        names=np.full(len(rows), -1, dtype=np.int64),
    )
