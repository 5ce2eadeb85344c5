"""Contacts without an engine: planes, boxes, balls and capsules on each other, round shapes on faces of boxes.

`unfound` says which shapes of a mechanism could meet in ways that only Bullet finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.collision.faces import FaceContacts, Solid
from simulator.collision.own import OwnContacts
from simulator.collision.tables import joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.contact_table import ContactTable
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


class ExactCollisions:
    """What of a mechanism's contacts has a closed form; fulfils `engine.port.CollisionFinder`.

    `alone`: whether compiled geometry finds all of it, so that steps need no Python in between.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.own = OwnContacts(mechanism)
        self._faces = FaceContacts(solids_of(mechanism), mechanism.apart)
        self.alone = not self._faces.has_pairs

    def find(self, body_poses: Array, reach: float, body_velocities: Array | None = None) -> ContactTable | None:
        """Points where bodies at `body_poses`, X_WB of shape (n_bodies, 7), are nearer than `reach` [m]; None where
        there is none."""
        count = self.own.find_near(body_poses, reach, body_velocities)
        return joined((self.own.table(count), self._faces.table(body_poses, reach)))

    def close(self) -> None:
        """There is nothing to free."""


def solids_of(mechanism: Mechanism) -> dict[int, Solid]:
    """All shapes by number."""
    placed = [(index, *rest) for index, body in enumerate(mechanism.bodies) for rest in body.collisions()]
    return {
        number: Solid(index, name, collision, X_BC.matrix())
        for number, (index, name, X_BC, collision) in enumerate(placed)
    }
