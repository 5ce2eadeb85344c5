"""Contacts without an engine: planes, round shapes on faces of boxes, balls and capsules on each other, and balls on all of a box.

`unfound` tells which shapes of a mechanism could meet in ways that only Bullet finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.faces import FaceContacts, Solid
from simulator.bullet.planes import PlaneContacts
from simulator.bullet.rounds import RoundContacts
from simulator.bullet.tables import ContactPoint, friction_between, joined, restitution_between
from simulator.dynamics.compiled.bounded import ContactTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Row = tuple[Solid, Solid, ContactPoint]


class ExactCollisions:
    """What of a mechanism's contacts has a closed form; fulfils `engine.port.CollisionFinder` where PyBullet is missing."""

    def __init__(self, mechanism: Mechanism) -> None:
        placed = [(index, *rest) for index, body in enumerate(mechanism.bodies) for rest in body.collisions()]
        self._solids = {
            number: Solid(index, name, collision, X_BC.matrix())
            for number, (index, name, X_BC, collision) in enumerate(placed)
        }
        self._planes = PlaneContacts(mechanism)
        self._faces = FaceContacts(self._solids, mechanism.apart, edges_of_boxes=True)
        self._rounds = RoundContacts(self._solids, mechanism.apart)

    def find(self, body_poses: Array, reach: float) -> ContactTable | None:
        """Points where bodies at `body_poses`, X_WB of shape (n_bodies, 7), are nearer than `reach` [m]; None where there is none."""
        found = (*self._faces.find(body_poses, reach).items(), *self._rounds.find(body_poses, reach).items())
        rows = [(self._solids[i], self._solids[k], point) for (i, k), points in found for point in points]
        return joined((self._planes.find(body_poses, reach), table_of(rows)))

    def close(self) -> None:
        """There is nothing to free."""


def table_of(rows: Iterable[Row]) -> ContactTable | None:
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
    )
