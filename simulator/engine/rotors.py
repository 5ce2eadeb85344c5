"""Rotors of actuators, and the armature of axes, as inertia of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators


def rotor_inertia(actuators: Actuators, mechanism: Mechanism) -> Array:
    """What rotors and armatures add to the inertia of the axes, shape (n_axes, n_axes)."""
    n = len(mechanism.axes)
    armatures = np.zeros((n, n))
    np.fill_diagonal(armatures, [info.axis.armature for info in mechanism.axes])
    return armatures + actuators.reflected_inertia() if len(actuators) else armatures
