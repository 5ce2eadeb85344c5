"""A snapshot as one flat row of numbers, for memory that two processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.physics.layout.watched_row import ENERGIES
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class SnapshotLayout:
    """How many axes, couplings, loops, bodies, actuators and cables a packed snapshot has."""

    axes: int
    couplings: int
    loops: int
    bodies: int
    actuators: int = 0
    cables: int = 0

    @staticmethod
    def of(mechanism: Mechanism, actuators: int = 0) -> SnapshotLayout:
        """The layout of the snapshots of a mechanism with so many actuators."""
        counts = (len(mechanism.axes), len(mechanism.couplings), len(mechanism.loop_joints), len(mechanism.bodies))
        return SnapshotLayout(*counts, actuators, len(mechanism.loads.cables))

    @property
    def size(self) -> int:
        """Numbers in a packed snapshot."""
        return sum(self._sizes)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Numbers in each part, in the order of `pack`."""
        n, bodies = self.axes, self.bodies
        behind = (7 * bodies, 6 * bodies, self.actuators, 2 * self.cables)
        return (2 + ENERGIES, n, n, n, self.couplings, 2 * self.loops, *behind)

    def pack(self, snapshot: Snapshot) -> Array:
        """All numbers of a snapshot in one row, shape (size,)."""
        velocities = snapshot.body_velocities
        if len(velocities) == 0:
            velocities = np.zeros((self.bodies, 6))
        head = (snapshot.step, snapshot.time, *snapshot.energy.in_order)
        return np.concatenate(
            (
                head,
                snapshot.position,
                snapshot.velocity,
                snapshot.effort,
                snapshot.coupling_residual,
                snapshot.loop_residual.ravel(),
                snapshot.body_poses.ravel(),
                velocities.ravel(),
                snapshot.actuator_effort,
                snapshot.cables.ravel(),
            )
        )

    def unpack(self, row: Array) -> Snapshot:
        """The snapshot of a packed row."""
        parts = np.split(row, np.cumsum(self._sizes)[:-1])
        head, position, velocity, effort, couplings, loops, poses, body_velocities, actuator_effort, cables = parts
        return Snapshot(
            step=int(head[0]),
            time=float(head[1]),
            position=position,
            velocity=velocity,
            effort=effort,
            coupling_residual=couplings,
            loop_residual=loops.reshape(-1, 2),
            energy=EnergyBalance(*(float(value) for value in head[2:])),
            body_poses=poses.reshape(-1, 7),
            body_velocities=body_velocities.reshape(-1, 6),
            actuator_effort=actuator_effort,
            cables=cables.reshape(-1, 2),
        )
