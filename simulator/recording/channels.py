"""The channels of a recording, in the order of the columns of a CSV file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.engine.snapshot import Snapshot
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import Mechanism
from simulator.records import dataclass
from simulator.transmissions.actuators import PREFIX, Actuators


@dataclass(frozen=True)
class Channel:
    """One column. `name` is the header; `group` is time, position, velocity, effort, coupling, loop_m, loop_rad,
    energy, actuator_position, actuator_velocity, actuator_effort, pose, twist, hinge_position, hinge_velocity,
    cable_length or cable_tension; beside a run, reaction, coupling_effort or contact.

    `index` points at the axis, coupling, loop joint, actuator, body or hinged ball that the column belongs to (0 for
    time and energy).
    """

    name: str
    group: str
    unit: str
    index: int = 0


POSE = {"x": "m", "y": "m", "z": "m", "qx": "1", "qy": "1", "qz": "1", "qw": "1"}
"""X_WL of a link."""
TWIST = {"wx": "rad/s", "wy": "rad/s", "wz": "rad/s", "vx": "m/s", "vy": "m/s", "vz": "m/s"}
"""Its angular velocity, and the velocity of its origin, in world axes."""
ENERGIES = ("kinetic", "potential", "work", "dissipated", "error", "loads", "contact", "overlap")


def channels_of(mechanism: Mechanism, actuators: Actuators | None = None) -> tuple[Channel, ...]:
    """All channels: time, then per axis position, velocity, effort; couplings; loops; energies; per actuator position,
    velocity, effort; pose and twist of links that float or hang on a ball joint; position and velocity of hinges that
    are a ball joint together; length and tension of cables."""
    channels = [Channel("time", "time", "s")]
    for i, axis in enumerate(mechanism.axes):
        channels += [
            Channel(f"joint/{axis.name}/position", "position", axis.unit, i),
            Channel(f"joint/{axis.name}/velocity", "velocity", f"{axis.unit}/s", i),
            Channel(f"joint/{axis.name}/effort", "effort", axis.effort_unit, i),
        ]
    for i, coupling in enumerate(mechanism.couplings):
        follower = mechanism.axes[coupling.follower]
        channels.append(Channel(f"coupling/{follower.name}/residual", "coupling", follower.unit, i))
    for i, loop in enumerate(mechanism.loop_joints):
        channels.append(Channel(f"loop/{loop.name}/residual_m", "loop_m", "m", i))
        channels.append(Channel(f"loop/{loop.name}/residual_rad", "loop_rad", "rad", i))
    channels += [Channel(f"energy/{name}", "energy", "J") for name in ENERGIES]
    for i, name in enumerate(actuators.names if actuators is not None else ()):
        channels += [
            Channel(f"{PREFIX}{name}/position", "actuator_position", "rad", i),
            Channel(f"{PREFIX}{name}/velocity", "actuator_velocity", "rad/s", i),
            Channel(f"{PREFIX}{name}/effort", "actuator_effort", "N·m", i),
        ]
    for joint in multi_dof_joints(mechanism):
        body = mechanism.joints[joint].child
        name = mechanism.bodies[body].links[0].name
        channels += [Channel(f"link/{name}/{part}", "pose", unit, body) for part, unit in POSE.items()]
        channels += [Channel(f"link/{name}/{part}", "twist", unit, body) for part, unit in TWIST.items()]
    for i, ball in enumerate(mechanism.hinged_balls):
        for name in ball.hinges:
            channels.append(Channel(f"joint/{name}/position", "hinge_position", "rad", i))
            channels.append(Channel(f"joint/{name}/velocity", "hinge_velocity", "rad/s", i))
    for i, cable in enumerate(mechanism.loads.cables):
        channels.append(Channel(f"cable/{cable.name}/length", "cable_length", "m", i))
        channels.append(Channel(f"cable/{cable.name}/tension", "cable_tension", "N", i))
    return tuple(channels)


def row_of(snapshot: Snapshot, mechanism: Mechanism, actuators: Actuators | None = None) -> NDArray[np.float64]:
    """The values of one snapshot in the order of `channels_of` with the same actuators, shape (n_channels,)."""
    return snapshot.row(mechanism, actuators if actuators is not None else Actuators())
