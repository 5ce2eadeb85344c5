"""Bullet as a finder of collisions: its shapes, its narrow phase, its contact points; nothing is stepped here. What touches planes, and
round shapes on faces of boxes, is geometry of our own (`planes`, `faces`).

Every collision is a body of its own that is put where the mechanism's body is.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.bullet.builder import Solids, build_fixed, separate
from simulator.bullet.faces import FaceContacts, Solid
from simulator.bullet.planes import PlaneContacts
from simulator.bullet.quiet import pybullet
from simulator.bullet.shapes import create_shape
from simulator.bullet.tables import joined
from simulator.dynamics.compiled.bounded import ContactTable
from simulator.errors import EngineDiedError
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]


UNKNOWN = np.full(3, np.nan)
"""Centre of a rounding that nobody knows."""


@dataclass(frozen=True)
class _Row:
    """A line of the table, by Bullet's ids of both shapes."""

    first: int
    second: int
    point: Array
    normal: Array
    gap: float
    centre: Array


class BulletCollisions:
    """Collision shapes of a mechanism in a DIRECT client of their own; fulfils `engine.port.CollisionFinder`."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._client: int | None = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise EngineDiedError("PyBullet gave no client: too many are open in this process")
        pybullet.setPhysicsEngineParameter(
            enableFileCaching=0, deterministicOverlappingPairs=1, physicsClientId=self._client
        )
        solids = Solids()
        self._solids: dict[int, Solid] = {}
        self._moving: list[tuple[int, int]] = []
        self._add_fixed(mechanism, solids)
        for index, body in enumerate(mechanism.bodies):
            if index != WORLD_BODY:
                self._add_body(index, body.collisions(), solids)
        separate(self._client, solids, mechanism.apart)
        self._planes = PlaneContacts(mechanism)
        self._faces = FaceContacts(self._solids, mechanism.apart)

    def _add_fixed(self, mechanism: Mechanism, solids: Solids) -> None:
        assert self._client is not None
        for uid, name, X_WC, collision in build_fixed(self._client, mechanism, solids):
            self._solids[uid] = Solid(WORLD_BODY, name, collision, X_WC.matrix())
            if isinstance(collision.shape, Plane):
                pybullet.setCollisionFilterGroupMask(uid, -1, 0, 0, physicsClientId=self._client)

    def _add_body(self, index: int, collisions: tuple[tuple[str, Pose, Collision], ...], solids: Solids) -> None:
        assert self._client is not None
        for name, X_BC, collision in collisions:
            shape = create_shape(self._client, collision.shape, X_BC, fixed=False)
            if shape < 0:
                continue
            uid = int(
                pybullet.createMultiBody(baseMass=1.0, baseCollisionShapeIndex=shape, physicsClientId=self._client)
            )
            solids.add(name, uid, -1)
            self._solids[uid] = Solid(index, name, collision, X_BC.matrix())
            self._moving.append((uid, index))

    def find(self, body_poses: Array, reach: float) -> ContactTable | None:
        """Points where bodies are nearer than `reach` [m]; Bullet looks as far as 2 cm."""
        return joined((self._planes.find(body_poses, reach), self._find_in_bullet(body_poses, reach)))

    def _find_in_bullet(self, body_poses: Array, reach: float) -> ContactTable | None:
        for uid, body in self._moving:
            pose = body_poses[body].tolist()
            pybullet.resetBasePositionAndOrientation(uid, pose[:3], pose[3:], physicsClientId=self._client)
        pybullet.performCollisionDetection(physicsClientId=self._client)
        found = pybullet.getContactPoints(physicsClientId=self._client) or ()
        over_faces = self._faces.find(body_poses, reach)
        exact = [
            _Row(first, second, point.point, point.normal, point.gap, point.centre)
            for (first, second), points in over_faces.items()
            for point in points
        ]
        near = [point for point in found if point[8] < reach]
        rest = [_row(p) for p in near if (p[1], p[2]) not in over_faces and (p[2], p[1]) not in over_faces]
        return self._table(exact + rest)

    def _table(self, rows: list[_Row]) -> ContactTable | None:
        if not rows:
            return None
        pairs = [(self._solids[row.first], self._solids[row.second]) for row in rows]
        surfaces = [(a.collision.surface, b.collision.surface) for a, b in pairs]
        return ContactTable(
            bodies=np.array([(a.body, b.body) for a, b in pairs], dtype=np.int64),
            points=np.array([row.point for row in rows]),
            normals=np.array([row.normal for row in rows]),
            gaps=np.array([row.gap for row in rows]),
            friction=np.array([max(min(a.friction, b.friction), 0.0) for a, b in surfaces]),
            restitution=np.array([min(a.restitution, b.restitution) for a, b in surfaces]),
            centres=np.array([row.centre for row in rows]),
        )

    def close(self) -> None:
        """Disconnect the client."""
        if self._client is not None:
            with suppress(pybullet.error):
                pybullet.disconnect(physicsClientId=self._client)
            self._client = None


def _row(point: Any) -> _Row:
    """A point of Bullet's: on the second body, moved half the gap towards the first, so that both get opposite forces at one point."""
    normal = np.array(point[7])
    return _Row(point[1], point[2], np.array(point[6]) + 0.5 * point[8] * normal, normal, point[8], UNKNOWN)
