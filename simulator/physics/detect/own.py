"""Contacts of a mechanism by our own compiled geometry: planes with all shapes, and convex shapes with each
other."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.detect.detect import detect, detect_within
from simulator.physics.layout import row_layout as row_at
from simulator.physics.narrow.polytope import MOST_FACES
from simulator.physics.narrow.workspace import COLUMNS, MOST, Workspace
from simulator.physics.shapes.geometry import geometry_of, same_shapes, with_centres

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.physics.shapes.geometry import Geometry
    from simulator.spatial.arrays import Array, Ints

    Flags = NDArray[np.bool_]

FIRST_ROOM = 64
CACHED = 4
"""Pairs for each shape whose nearest features are stored, and 64 more."""
NEAR_POINTS = 128
"""Corners that faces of two polytopes may share."""


class OwnContacts:
    """Contact points by `detect.detect`; the tables of `work` hold those of the last call, those of `ahead`, a
    workspace beside it, those of the last one for them."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.geometry = geometry_of(mechanism, np.full(len(mechanism.bodies), -1, dtype=np.int64))
        self.work = _workspace_for(self.geometry)
        self.ahead = _beside(self.work)

    def like(self, before: Mechanism, mechanism: Mechanism) -> OwnContacts:
        """Those of `mechanism`, which has the structure of `before`, for which these are: shapes are looked at again
        only where they differ."""
        if not same_shapes(before, mechanism):
            return OwnContacts(mechanism)
        other = copy.copy(self)
        other.geometry = with_centres(self.geometry, mechanism)
        other.work = _workspace_for(other.geometry)
        other.ahead = _beside(other.work)
        return other

    def put_on(self, node_of_body: Ints, loose: Flags) -> None:
        """Tell which node of the compiled dynamics carries which body, -1 for the world, and which bodies nothing
        connects with others; shape (n_bodies,) each."""
        geometry = self.geometry
        self.geometry = geometry._replace(
            node=node_of_body[geometry.body],
            plane_node=node_of_body[geometry.plane_body],
            direction_node=node_of_body[geometry.direction_body],
            loose=loose,
        )

    def detect(self, body_poses: Array, body_velocities: Array, dt: float, *, ahead: bool = False) -> int:
        """How many points there are that could meet within a few steps of `dt` [s], for bodies at `body_poses`
        (n_bodies, 7), X_WB, that move with `body_velocities` (n_bodies, 6): angular, and of the centre of mass. They
        are in the tables of `work`, or of `ahead`."""
        while True:
            work = self.ahead if ahead else self.work
            count = int(detect(self.geometry, work, body_poses, body_velocities, dt))
            if count >= 0:
                return count
            self.make_room()

    def forget(self) -> None:
        """Look at all pairs as if for the first time: the same steps then give the same bits."""
        self.work.cached_face[:] = -1

    def detect_within(self, body_poses: Array, reach: float, body_velocities: Array | None) -> int:
        """As `detect`, of points that are nearer than `reach` [m] now; bodies are at rest where velocities are not
        told."""
        poses = np.ascontiguousarray(body_poses)
        moving = np.zeros((len(poses), 6)) if body_velocities is None else np.ascontiguousarray(body_velocities)
        while (count := int(detect_within(self.geometry, self.work, poses, moving, reach))) < 0:
            self.make_room()
        return count

    def make_room(self) -> None:
        """Twice the points and pairs; existing ones remain."""
        ints = self.work.ints
        floats = self.work.floats
        pairs = self.work.pairs
        self.work = self.work._replace(
            ints=np.concatenate((ints, np.zeros_like(ints))),
            floats=np.concatenate((floats, np.zeros_like(floats))),
            pairs=np.concatenate((pairs, np.zeros_like(pairs))),
        )
        self.ahead = _beside(self.work)


def _workspace_for(geometry: Geometry) -> Workspace:
    """A workspace in which nothing has been found yet."""
    count = len(geometry.centre)
    shapes = len(geometry.body)
    # Two faces have at most as many corners in common as they have together.
    corners = max(MOST + 2, 2 * int(np.diff(geometry.loop_begin).max(initial=0)))
    near = max(NEAR_POINTS, int(np.diff(geometry.corner_begin).max(initial=0)))
    return Workspace(
        bodies=np.zeros((count, 12)),
        planes=np.zeros_like(geometry.plane),
        shapes=np.zeros((shapes, 15)),
        low=np.zeros((shapes, 3)),
        high=np.zeros((shapes, 3)),
        order=np.flatnonzero(geometry.paired).astype(np.int64),
        poly=np.zeros((2, corners, 3)),
        names=np.zeros((2, corners), dtype=np.int64),
        faces=np.zeros((2, MOST_FACES), dtype=np.int64),
        out=np.zeros((MOST + 1, 18)),
        near=np.zeros((near, COLUMNS)),
        plane=np.zeros(6),
        simplex=np.zeros((4, 9)),
        weights=np.zeros(12),
        moved=np.zeros(12),
        touch=np.zeros(12),
        cached_face=np.full((CACHED * shapes + 64, 2), -1, dtype=np.int64),
        cached_direction=np.zeros((CACHED * shapes + 64, 3)),
        shift=np.zeros(3),
        velocity=np.zeros(3),
        search=np.zeros(2),
        reach=np.zeros(shapes),
        group=np.zeros(count, dtype=np.int64),
        speed=np.zeros(count),
        pairs=np.zeros((FIRST_ROOM, 2), dtype=np.int64),
        triangles=np.zeros(int(np.diff(geometry.triangles.begin).max(initial=0)), dtype=np.int64),
        ints=np.zeros((FIRST_ROOM, row_at.CONTACT_INTS), dtype=np.int64),
        floats=np.zeros((FIRST_ROOM, row_at.CONTACT_COLUMNS)),
    )


def _beside(work: Workspace) -> Workspace:
    """The same workspace, with its own bodies and tables: contacts of two states at once."""
    bodies, planes = np.zeros_like(work.bodies), np.zeros_like(work.planes)
    ints = np.zeros_like(work.ints)
    floats = np.zeros_like(work.floats)
    return work._replace(bodies=bodies, planes=planes, ints=ints, floats=floats)
