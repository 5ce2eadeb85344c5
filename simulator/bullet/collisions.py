"""Bullet as a finder of collisions: its shapes, its narrow phase, its contact points; nothing is stepped here. Convex
shapes are found by geometry of our own (`physics/detect`), and Bullet is asked for what remains.

Every collision is a body of its own that is put where the mechanism's body is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.bullet.builder import Solids, build_fixed, separate
from simulator.bullet.pybullet_import import pybullet
from simulator.bullet.shapes import create_shape, unseen
from simulator.errors import EngineDiedError
from simulator.mechanism.friction_directions import carried_direction
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Plane
from simulator.physics.detect.own import OwnContacts
from simulator.physics.detect.unfound import PLANE, is_found, kind_of
from simulator.physics.shapes.tables import ContactPoint, Solid, joined, table_of

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.shape import Shape
    from simulator.physics.contacts.table import ContactTable
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose


class BulletCollisions:
    """Collision shapes of a mechanism in a DIRECT client of their own; fulfils `engine.port.CollisionFinder`."""

    alone = False

    def __init__(self, mechanism: Mechanism) -> None:
        self._client: int | None = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise EngineDiedError("PyBullet gave no client: too many are open in this process")
        pybullet.setPhysicsEngineParameter(
            enableFileCaching=0, deterministicOverlappingPairs=1, physicsClientId=self._client
        )
        solids = Solids()
        self._placed = mechanism.placed_links()
        self._solids: dict[int, Solid] = {}
        self._moving: list[tuple[int, int]] = []
        self._add_fixed(mechanism, solids)
        self._add_moving(mechanism, solids)
        self._kinds = {uid: kind_of(solid.shape, moves=solid.body != WORLD_BODY) for uid, solid in self._solids.items()}
        convex = {uid for uid, kind in self._kinds.items() if kind != PLANE and is_found(kind, kind)}
        separate(self._client, solids, mechanism.non_colliding, convex)
        self.own = OwnContacts(mechanism)

    def like(self, before: Mechanism, mechanism: Mechanism) -> None:
        """None, see the port: a client serves one mechanism."""

    def _add_fixed(self, mechanism: Mechanism, solids: Solids) -> None:
        assert self._client is not None
        for uid, name, X_WC, collision in build_fixed(self._client, mechanism, solids):
            self._solids[uid] = self._solid(WORLD_BODY, name, collision, X_WC)
            if isinstance(collision.shape, Plane):
                pybullet.setCollisionFilterGroupMask(uid, -1, 0, 0, physicsClientId=self._client)

    def _add_moving(self, mechanism: Mechanism, solids: Solids) -> None:
        """Shapes that are alike come in one call, which takes a tenth of the time, at the start poses of their bodies:
        in one place all of them would overlap each other."""
        assert self._client is not None
        alike: dict[tuple[Shape, Pose], list[tuple[int, str, Collision]]] = {}
        for index, body in enumerate(mechanism.bodies):
            for name, X_BC, collision in body.collisions() if index != WORLD_BODY else ():
                alike.setdefault((collision.shape, X_BC), []).append((index, name, collision))
        for (shape, X_BC), members in alike.items():
            made = create_shape(self._client, shape, X_BC)
            uids = pybullet.createMultiBody(
                baseMass=1.0,
                baseCollisionShapeIndex=made,
                baseVisualShapeIndex=unseen(self._client),
                batchPositions=[mechanism.bodies[index].X_WB.position for index, *_ in members],
                physicsClientId=self._client,
            )
            for uid, (index, name, collision) in zip(uids, members, strict=True):
                solids.add(name, uid, -1)
                self._solids[uid] = self._solid(index, name, collision, X_BC)
                self._moving.append((uid, index))

    def _solid(self, body: int, link: str, collision: Collision, X_BC: Pose) -> Solid:
        direction = carried_direction(self._placed, body, X_BC, collision)
        return Solid(body, link, collision, direction)

    def detect(self, body_poses: Array, reach: float, body_velocities: Array | None = None) -> ContactTable | None:
        """Points where bodies are nearer than `reach` [m]; Bullet looks as far as 2 cm."""
        count = self.own.detect_within(body_poses, reach, body_velocities)
        return joined((self.own.table(count), self.find_in_bullet(body_poses, reach)))

    def find_in_bullet(self, body_poses: Array, reach: float) -> ContactTable | None:
        """Points of those pairs only that are Bullet's."""
        for uid, body in self._moving:
            pose = body_poses[body].tolist()
            pybullet.resetBasePositionAndOrientation(uid, pose[:3], pose[3:], physicsClientId=self._client)
        pybullet.performCollisionDetection(physicsClientId=self._client)
        rows = []
        for raw in pybullet.getContactPoints(physicsClientId=self._client) or ():
            pair = raw[1], raw[2]
            if raw[8] < reach and not is_found(*(self._kinds[uid] for uid in pair)):
                rows.append((*pair, _point(raw)))
        solids = ((self._solids[first], self._solids[second], point) for first, second, point in rows)
        return table_of(solids, body_poses)

    def close(self) -> None:
        """Disconnect the client."""
        if self._client is not None:
            with suppress(pybullet.error):
                pybullet.disconnect(physicsClientId=self._client)
            self._client = None


def _point(raw: Any) -> ContactPoint:
    """A point of Bullet's: on the second body, moved half the gap towards the first, so that both get opposite forces
    at one point."""
    normal = np.array(raw[7])
    return ContactPoint(np.array(raw[6]) + 0.5 * raw[8] * normal, normal, raw[8])
