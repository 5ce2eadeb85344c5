"""FourBarLinkageTransmission: a shoulder and an elbow, both motors in the base, the elbow driven through a
parallelogram or a belt.

With actuator reductions na1, na2 and joint reductions nj1, nj2:

    A = [ na1 nj1      0      ]        τ_j1 = nj1 na1 τ_a1 + na2 τ_a2        ẋ_j1 = ẋ_a1 / (nj1 na1)
        [ na2        na2 nj2  ]        τ_j2 = nj2 na2 τ_a2                   ẋ_j2 = (ẋ_a2/na2 − ẋ_a1/(nj1 na1)) / nj2

Actuator 2 turns the forearm against the base, not against the upper arm: joint 2 is measured against the upper arm, so
moving joint 1 alone turns joint 2 back.

The name is ros2_control's. It is not a four-bar linkage in the sense of a mechanism with a closed loop: the ratios are
constant, whereas the ratio of a general four-bar (worlds/four_bar.sdf) changes with its angle and is infinite at a dead
point. Only the parallelogram, whose opposite bars are equal, has this constant ratio, and so has a belt over two
pulleys. Write a general four-bar as links and joints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.records import dataclass
from simulator.transmissions.base import Transmission

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class FourBarLinkageTransmission(Transmission):
    """Two actuators in the base, two joints in a row, the second one driven past the first."""

    ACTUATORS: ClassVar[tuple[str, ...]] = ("actuator1", "actuator2")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint1", "joint2")

    def matrix(self) -> Array:
        """A of the head of this file."""
        (a1, a2), (j1, j2) = self.actuator_reductions, self.joint_reductions
        return np.array([[a1 * j1, 0.0], [a2, a2 * j2]])

    def inverse(self) -> Array:
        """A⁻¹, entry by entry."""
        (a1, a2), (j1, j2) = self.actuator_reductions, self.joint_reductions
        return np.array([[1.0 / (a1 * j1), 0.0], [-1.0 / (a1 * j1 * j2), 1.0 / (a2 * j2)]])
