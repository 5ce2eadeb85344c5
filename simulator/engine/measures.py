"""Residuals and energies of dynamics that show the state of bodies and loops alone; `blocks` reads them in compiled
code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.passive import PassiveEfforts
from simulator.engine.row_places import places_of
from simulator.kinematics.loads import load_wrenches
from simulator.mechanism.residuals import CouplingRows
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
        self._couplings = CouplingRows(mechanism)
        self._passive = PassiveEfforts(mechanism)
        self._loads = mechanism.loads

    def residuals(self, state: BackendState) -> tuple[Array, Array]:
        """Residuals of couplings, shape (..., n_couplings), and of loops, shape (..., n_loops, 2)."""
        return self._couplings.residuals(state.position), state.loops

    def energies(self, state: BackendState) -> tuple[Array, Array]:
        """Kinetic and potential energy [J], springs and weights of loads included, shape (...) each."""
        potential = np.asarray(state.energies[..., 1] + self._passive.spring_energy(state.position))
        if self._loads:
            placed = matrices(state.body_poses)
            still = np.zeros((placed.shape[-3], 6))
            for at in np.ndindex(potential.shape):
                potential[at] += load_wrenches(self._loads, placed[at], still, 0.0).stored
        return state.energies[..., 0], potential
