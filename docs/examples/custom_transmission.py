"""A transmission of one's own: a cable drive whose second motor also turns the first joint's pulley.

In a package of its own the class is named in pyproject.toml, and documents find it after `pip install`:

    [project.entry-points."simulator.transmissions"]
    "my_robot/CableTransmission" = "my_robot.cables:CableTransmission"
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import simulator


@dataclass(frozen=True)
class CableTransmission(simulator.Transmission):
    """Joint 2 is pulled by a cable that runs over a pulley on joint 1."""

    ACTUATORS: ClassVar[tuple[str, ...]] = ("motor1", "motor2")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint1", "joint2")

    def matrix(self) -> np.ndarray:
        """Turns of the motors for one turn of each joint."""
        return np.diag(self.actuator_reductions) @ [[1.0, 0.0], [-1.0, 1.0]] @ np.diag(self.joint_reductions)


DIFFERENTIAL = "transmission_interface/DifferentialTransmission"
wrist = simulator.load("wrist").path
text = wrist.read_text().replace(DIFFERENTIAL, "my_robot/CableTransmission")
text = text.replace("actuator1", "motor1").replace("actuator2", "motor2")
kinds = {"my_robot/CableTransmission": CableTransmission}
sim = simulator.load(text, resource_paths=[wrist.parent], transmissions=kinds)
found = sim.forward_dynamics({"actuator/left_motor": 0.02})
print(f"the second motor alone: pitch {found['pitch_joint']:.2f} rad/s², roll {found['roll_joint']:.2f} rad/s²")
