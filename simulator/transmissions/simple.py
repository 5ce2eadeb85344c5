"""SimpleTransmission: gears, a belt or a screw of constant ratio between one actuator and one joint.

    τ_joint = n τ_actuator,    ẋ_joint = ẋ_actuator / n,    x_joint = x_actuator / n + offset

n > 1 makes the joint slower and stronger, n < 0 turns it the other way. n is the product of both
`mechanical_reduction`: ros2_control writes it at the joint, the older `<transmission>` at the actuator, and the one
that is not written is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.records import dataclass
from simulator.transmissions.base import Transmission

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class SimpleTransmission(Transmission):
    """One actuator, one joint, one constant ratio."""

    ACTUATORS: ClassVar[tuple[str, ...]] = ("actuator1",)
    JOINTS: ClassVar[tuple[str, ...]] = ("joint1",)

    @property
    def reduction(self) -> float:
        """Turns of the actuator for one turn of the joint."""
        return self.actuator_reductions[0] * self.joint_reductions[0]

    def matrix(self) -> Array:
        """[n]."""
        return np.array([[self.reduction]])

    def inverse(self) -> Array:
        """[1 / n]."""
        return np.array([[1.0 / self.reduction]])
