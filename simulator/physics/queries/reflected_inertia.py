"""How heavy a coordinate feels: the inertia that an effort on it meets, with everything that couplings and loops make
move along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.compiled.model import CompiledMechanism

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


def reflected_inertia(mechanism: Mechanism, state: JointState, row: Array, added_inertia: Array | None = None) -> float:
    """1 / (a M⁻¹ aᵀ) for x = a·q with a = `row`, shape (n_axes,), at `state` [kg m² or kg]; inf where nothing lets x
    move.

    M is that of the mechanism with its couplings and loops held, `added_inertia` (n_axes, n_axes) included: a unit
    effort on x accelerates x by a M⁻¹ aᵀ. Nan where x moves with the axis of a loop joint, whose acceleration the
    tree's coordinates do not hold.
    """
    model = CompiledMechanism(mechanism, added_inertia=added_inertia)
    model.set_state(state)
    used = np.flatnonzero(row)
    model.set_efforts(np.zeros_like(row))
    free = model.acceleration()[used]
    model.set_efforts(row)
    # The difference of two accelerations is linear in the effort: gravity and velocity products drop out.
    mobility = float(row[used] @ (model.acceleration()[used] - free))
    if np.isnan(mobility):
        return mobility
    return 1.0 / mobility if mobility > 1e-12 * float(row @ row) else np.inf
