"""Bullet as a finder of collisions: its shapes, its narrow phase, its contact points; nothing is stepped here. Planes are `planes`' own.

Every collision is a body of its own that is put where the mechanism's body is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.builder import Solids, build_fixed, separate
from simulator.bullet.planes import PlaneContacts, joined
from simulator.bullet.quiet import pybullet
from simulator.bullet.shapes import create_shape
from simulator.dynamics.compiled.bounded import ContactTable
from simulator.errors import EngineDiedError
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]


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
        self._body_of: dict[int, int] = {}
        self._surface_of: dict[int, Surface] = {}
        self._moving: list[tuple[int, int]] = []
        self._add_fixed(mechanism, solids)
        for index, body in enumerate(mechanism.bodies):
            if index != WORLD_BODY:
                self._add_body(index, body.collisions(), solids)
        separate(self._client, solids, mechanism.apart)
        self._planes = PlaneContacts(mechanism)

    def _add_fixed(self, mechanism: Mechanism, solids: Solids) -> None:
        assert self._client is not None
        for uid, collision in build_fixed(self._client, mechanism, solids):
            self._body_of[uid], self._surface_of[uid] = WORLD_BODY, collision.surface
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
            self._body_of[uid], self._surface_of[uid] = index, collision.surface
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
        points = [point for point in found if point[8] < reach]
        if not points:
            return None
        pairs = [(point[1], point[2]) for point in points]
        # On the second body, moved half the gap towards the first: both bodies get equal and opposite forces at one point.
        on_b, normals = np.array([point[6] for point in points]), np.array([point[7] for point in points])
        gaps = np.array([point[8] for point in points])
        surfaces = [(self._surface_of[a], self._surface_of[b]) for a, b in pairs]
        return ContactTable(
            bodies=np.array([(self._body_of[a], self._body_of[b]) for a, b in pairs], dtype=np.int64),
            points=on_b + 0.5 * gaps[:, None] * normals,
            normals=normals,
            gaps=gaps,
            friction=np.array([max(min(a.friction, b.friction), 0.0) for a, b in surfaces]),
            restitution=np.array([min(a.restitution, b.restitution) for a, b in surfaces]),
        )

    def close(self) -> None:
        """Disconnect the client."""
        if self._client is not None:
            with suppress(pybullet.error):
                pybullet.disconnect(physicsClientId=self._client)
            self._client = None
