"""The state of the world at one instant: plain numbers, ready to be recorded, drawn or sent to another process."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.row_places import hinge_numbers, loose_numbers
from simulator.physics.layout.watched_row import RowPlaces
from simulator.physics.step import block
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators


@dataclass(frozen=True)
class EnergyBalance:
    """Energies [J]. Since the start `work` was done by drives, `loads` by forces and moments of loads and `contact` by
    contacts between bodies, never more than 0; `dissipated` was lost to damping,
    friction and stops of joints; `overlap` was added by separating overlapping bodies. Springs, of joints and between
    points, are part of the potential energy.

    `error` = (kinetic + potential) - (their sum at the start) - work - loads - contact - overlap + dissipated.
    """

    kinetic: float
    potential: float
    work: float
    dissipated: float
    error: float
    loads: float = 0.0
    contact: float = 0.0
    overlap: float = 0.0

    @property
    def in_order(self) -> tuple[float, ...]:
        """All of them, as rows and columns have them."""
        flown = self.work, self.dissipated, self.error, self.loads, self.contact, self.overlap
        return self.kinetic, self.potential, *flown


@dataclass(frozen=True)
class Snapshot:
    """State after `step` steps, at `time` [s].

    `position`, `velocity`, `effort` have one entry per axis of the mechanism, shape (n_axes,) [rad or m, per second, N
    m or N]; effort is what the drive applies. `coupling_residual`: shape (n_couplings,) [unit of the follower];
    `loop_residual`: shape (n_loops, 2) [m, rad]. `body_poses`: shape (n_bodies, 7), X_WB as x, y, z, qx, qy, qz, qw;
    row 0 is the world. `body_velocities`: shape (n_bodies, 6), angular velocity and velocity of the centre of mass in
    world axes; empty if unknown. `actuator_effort`: of every actuator over the last step, shape (n_actuators,);
    their positions and velocities follow from the axes'. `cables`: length and tension of every cable, shape
    (n_cables, 2) [m, N].
    """

    step: int
    time: float
    position: Array
    velocity: Array
    effort: Array
    coupling_residual: Array
    loop_residual: Array
    energy: EnergyBalance
    body_poses: Array
    body_velocities: Array = field(default_factory=lambda: np.zeros((0, 6)))
    actuator_effort: Array = field(default_factory=lambda: np.zeros(0))
    cables: Array = field(default_factory=lambda: np.zeros((0, 2)))

    def row(self, mechanism: Mechanism, actuators: Actuators) -> Array:
        """In the order of `physics.step.watch`, shape (n_channels,)."""
        axes = self.position, self.velocity, self.effort
        moved = np.zeros(0), np.zeros(0), np.zeros(0)
        if len(actuators):
            moved = actuators.position(self.position), actuators.velocity(self.velocity), self.actuator_effort
        motion = self.body_poses, self.body_velocities
        bodies = loose_numbers(mechanism, *motion), hinge_numbers(mechanism, *motion)
        return row_of(
            self.time,
            axes,
            self.coupling_residual,
            self.loop_residual,
            self.energy.in_order,
            moved,
            bodies,
            self.cables,
        )

    def worst_coupling_residual(self) -> float:
        """Largest absolute coupling residual [unit of its follower]; 0 without couplings."""
        return float(np.abs(self.coupling_residual).max(initial=0.0))

    def worst_loop_residual(self) -> tuple[float, float]:
        """Largest loop residual, position [m] and angle [rad]; 0 without loops."""
        worst = np.abs(self.loop_residual).max(axis=0, initial=0.0)
        return float(worst[0]), float(worst[1])


def row_of(
    time: float | Array,
    axes: Sequence[Array],
    coupling: Array,
    loop: Array,
    energies: Sequence[float | Array],
    actuators: Sequence[Array],
    bodies: tuple[Array, Array],
    cables: Array,
) -> Array:
    """What is read off a state, in the order of `physics.step.watch`, shape (..., n_channels). `axes`: positions,
    velocities and efforts, shape (..., n_axes); so of `actuators`; `bodies`: see `loose_numbers` and
    `hinge_numbers`; the others as in `Snapshot`, of many instants with one more dimension before."""
    behind = (*bodies, cables)
    counts = (part.shape[-2] for part in behind)
    at = RowPlaces(axes[0].shape[-1], coupling.shape[-1], loop.shape[-2], actuators[0].shape[-1], *counts)
    row = np.empty((*coupling.shape[:-1], at.width))
    row[..., 0] = time
    for i in range(3):
        row[..., 1 + i : at.coupling : 3], row[..., at.actuator + i : at.body : 3] = axes[i], actuators[i]
    row[..., at.coupling : at.loop] = coupling
    row[..., at.loop : at.energy : 2], row[..., at.loop + 1 : at.energy : 2] = loop[..., 0], loop[..., 1]
    for i, energy in enumerate(energies):
        row[..., at.energy + i] = energy
    row[..., at.body :] = np.concatenate([part.reshape(*part.shape[:-2], -1) for part in behind], axis=-1)
    return row


@dataclass
class Extremes:
    """The largest absolute values over many rows; `values` in the order of `physics.step.block`."""

    values: Array = field(default_factory=lambda: np.zeros(6))
    slack: Array | float = 0.0
    """By how much residuals of couplings may be off that have play or give way, shape (n_couplings,)."""

    def see(self, row: Array, at: RowPlaces) -> None:
        """Take a row into account, or rows of shape (n, n_channels)."""
        loops = np.abs(row[..., at.loop : at.energy].reshape(-1, 2)).max(axis=0, initial=0.0)
        energies = np.abs(row[..., at.energy : at.energy + 5].reshape(-1, 5)).max(axis=0, initial=0.0)
        coupling = (np.abs(row[..., at.coupling : at.loop]) - self.slack).max(initial=0.0)
        seen = (coupling, *loops, energies[4], energies[0], energies[1])
        np.maximum(self.values, seen, out=self.values)

    @property
    def coupling(self) -> float:
        """Residual of a coupling [unit of its follower]."""
        return float(self.values[block.COUPLING])

    @property
    def loop(self) -> tuple[float, float]:
        """Distance [m] and angle [rad] of a loop joint."""
        return float(self.values[block.DISTANCE]), float(self.values[block.ANGLE])

    @property
    def energy_error(self) -> float:
        """Error of the energy balance [J]."""
        return float(self.values[block.ERROR])

    @property
    def kinetic(self) -> float:
        """Kinetic energy [J]."""
        return float(self.values[block.KINETIC])

    @property
    def potential(self) -> float:
        """Potential energy [J]."""
        return float(self.values[block.POTENTIAL])
