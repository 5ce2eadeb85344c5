"""What engages the clutches and brakes of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.profiles import Profile


def inputs_of(mechanism: Mechanism) -> tuple[Profile, ...]:
    """The profiles of all clutches, in the order of the couplings, then of all brakes, in the order of the axes: forces
    [N] or limits [N m or N] over time."""
    couplings = (coupling.real.clutch for coupling in mechanism.couplings if not coupling.is_rigid_law)
    brakes = (info.axis.brake for info in mechanism.axes)
    return tuple(stated.input for stated in (*couplings, *brakes) if stated is not None)
