"""DifferentialTransmission: two actuators turn a bevel gear differential; their sum moves one joint, their difference
the other.

With actuator reductions na1, na2 and joint reductions nj1, nj2:

    A = [ na1 nj1    na1 nj2 ]        τ_j1 = nj1 (na1 τ_a1 + na2 τ_a2)        ẋ_j1 = (ẋ_a1/na1 + ẋ_a2/na2) / (2 nj1)
        [ na2 nj1   −na2 nj2 ]        τ_j2 = nj2 (na1 τ_a1 − na2 τ_a2)        ẋ_j2 = (ẋ_a1/na1 − ẋ_a2/na2) / (2 nj2)

Both actuators forward move joint 1 forward and leave joint 2; actuator 1 forward and actuator 2 backward move joint 2
forward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.records import dataclass
from simulator.transmissions.base import Transmission

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class DifferentialTransmission(Transmission):
    """Two actuators, two joints: sum and difference."""

    ACTUATORS: ClassVar[tuple[str, ...]] = ("actuator1", "actuator2")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint1", "joint2")

    def matrix(self) -> Array:
        """A of the head of this file."""
        (a1, a2), (j1, j2) = self.actuator_reductions, self.joint_reductions
        return np.array([[a1 * j1, a1 * j2], [a2 * j1, -a2 * j2]])

    def inverse(self) -> Array:
        """A⁻¹, entry by entry."""
        (a1, a2), (j1, j2) = self.actuator_reductions, self.joint_reductions
        return 0.5 * np.array([[1.0 / (a1 * j1), 1.0 / (a2 * j1)], [1.0 / (a1 * j2), -1.0 / (a2 * j2)]])
