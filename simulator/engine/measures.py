"""Residuals and energies from the poses of bodies, for dynamics that show nothing else; `blocks` reads them in compiled
code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.loads import load_wrenches
from simulator.engine.energy import EnergyMeter
from simulator.engine.passive import PassiveEfforts
from simulator.engine.row_places import places_of
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.port import BackendState
    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators

    Array = NDArray[np.float64]


class Measures:
    """What is measured of one mechanism."""

    def __init__(self, mechanism: Mechanism, actuators: Actuators) -> None:
        self.places = places_of(mechanism, actuators)
        self._couplings, self._loops = CouplingRows(mechanism), LoopRows(mechanism)
        self._meter, self._passive, self._loads = EnergyMeter(mechanism), PassiveEfforts(mechanism), mechanism.loads

    def residuals(self, state: BackendState) -> tuple[Array, Array]:
        """Residuals of couplings, shape (..., n_couplings), and of loops, shape (..., n_loops, 2)."""
        return self._couplings.residuals(state.position), self._loops.residuals(matrices(state.body_poses))

    def energies(self, state: BackendState) -> tuple[Array, Array]:
        """Kinetic and potential energy [J], springs and weights of loads included, shape (...) each."""
        placed = matrices(state.body_poses)
        potential = np.asarray(self._meter.potential(placed) + self._passive.spring_energy(state.position))
        if self._loads:
            still = np.zeros((placed.shape[-3], 6))
            for at in np.ndindex(potential.shape):
                potential[at] += load_wrenches(self._loads, placed[at], still, 0.0).stored
        return self._meter.kinetic(placed, state.body_velocities), potential
