"""Rotors of actuators as inertia of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators

    Array = NDArray[np.float64]


def rotor_inertia(actuators: Actuators, mechanism: Mechanism) -> Array:
    """What rotors add to the inertia of the axes, shape (n_axes, n_axes), of actuators that turn with axes of the tree
    alone; the axis of a loop joint is not a coordinate that an inertia could be added to."""
    n = len(mechanism.axes)
    if not len(actuators):
        return np.zeros((n, n))
    matrix, loop_axes = actuators.matrix, [not info.in_tree for info in mechanism.axes]
    felt = actuators.rotor_inertia * ~matrix[:, loop_axes].any(axis=1)
    inertia: Array = matrix.T @ (felt[:, None] * matrix)
    return inertia
