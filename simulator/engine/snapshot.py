"""What the world looks like at one instant: plain numbers, ready to be recorded, drawn or sent to another process."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EnergyBalance:
    """Energies [J]. `work` was done by drives since the start, `dissipated` by damping and friction.

    `error` = (kinetic + potential) - (their sum at the start) - work + dissipated.
    """

    kinetic: float
    potential: float
    work: float
    dissipated: float
    error: float


@dataclass(frozen=True)
class Snapshot:
    """State after `step` steps, at `time` [s].

    `position`, `velocity`, `effort` have one entry per axis of the mechanism, shape (n_axes,) [rad or m, per second, N m or N]; effort is
    what the drive applies. `coupling_residual`: shape (n_couplings,) [unit of the follower]; `loop_residual`: shape (n_loops, 2)
    [m, rad]. `body_poses`: shape (n_bodies, 7), X_WB as x, y, z, qx, qy, qz, qw; row 0 is the world. `body_velocities`: shape
    (n_bodies, 6), angular velocity and velocity of the centre of mass in world axes; empty where nobody knows.
    `actuator_effort`: of every actuator over the last step, shape (n_actuators,); their positions and velocities follow from the axes'.
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

    def worst_coupling_residual(self) -> float:
        """Largest absolute coupling residual [unit of its follower]; 0 without couplings."""
        return float(np.abs(self.coupling_residual).max(initial=0.0))

    def worst_loop_residual(self) -> tuple[float, float]:
        """Largest loop residual, position [m] and angle [rad]; 0 without loops."""
        worst = np.abs(self.loop_residual).max(axis=0, initial=0.0)
        return float(worst[0]), float(worst[1])
