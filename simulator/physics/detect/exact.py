"""Contacts without an engine: convex shapes with each other, and everything with planes.

`unfound` names the shapes of a mechanism that could meet in ways that only Bullet finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.physics.detect.own import OwnContacts

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.physics.contacts.table import ContactTable
    from simulator.spatial.arrays import Array


class ExactCollisions:
    """What of a mechanism's contacts geometry of our own finds; fulfils `engine.port.CollisionFinder`."""

    alone = True

    def __init__(self, mechanism: Mechanism) -> None:
        self.own = OwnContacts(mechanism)

    def detect(self, body_poses: Array, reach: float, body_velocities: Array | None = None) -> ContactTable | None:
        """Points where bodies at `body_poses`, X_WB of shape (n_bodies, 7), are nearer than `reach` [m]; None where
        there is none."""
        return self.own.table(self.own.detect_within(body_poses, reach, body_velocities))

    def close(self) -> None:
        """There is nothing to free."""
