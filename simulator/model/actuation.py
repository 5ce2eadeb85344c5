"""What a document says about actuators: `<ros2_control>` blocks and `<transmission>` elements, names resolved.

The words are ros2_control's (`hardware_interface/hardware_info.hpp`): a component ("hardware") has joints with command
and state interfaces, and transmissions between the joints and the actuators behind them.
"""

from __future__ import annotations

import math
from dataclasses import field

from simulator.diagnostics import Source
from simulator.records import dataclass

ROS2_CONTROL, CLASSIC = "ros2_control", "classic"
"""Where a transmission is written: inside a `<ros2_control>` block, or as the older `<transmission>` of a robot or
model."""

Parameters = tuple[tuple[str, str], ...]
"""`<param name="…">text</param>` in the order of the document."""


@dataclass(frozen=True)
class Interface:
    """A command or state interface of a joint: position, velocity, effort or any other name.

    `minimum` and `maximum` [unit of the interface] are infinite where the document sets none; without `limited` they
    do not count. `initial_value` is None where it sets none.
    `data_type` and `size` are ros2_control's ("double", 1 unless the document says otherwise).
    """

    name: str
    minimum: float = -math.inf
    maximum: float = math.inf
    initial_value: float | None = None
    data_type: str = "double"
    size: int = 1
    parameters: Parameters = ()
    limited: bool = True
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ControlledJoint:
    """A joint of a hardware component. `name` as written, `joint` the scoped name it resolves to ("" where there is
    none).

    `mimic` is the attribute: True, False, or None where it is absent.
    """

    name: str
    joint: str = ""
    mimic: bool | None = None
    command_interfaces: tuple[Interface, ...] = ()
    state_interfaces: tuple[Interface, ...] = ()
    parameters: Parameters = ()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TransmissionActuator:
    """An actuator of a transmission. `reduction` is its mechanical reduction n (the actuator turns n times as fast as
    what it drives).

    `rotor_inertia` [kg m^2, or kg for a linear actuator] about the actuator's own axis, before the reduction; 0 where
    the document gives none. Extensions that give it: `<drake:rotor_inertia value="…"/>` (Drake) and `<motorInertia>`
    (FROST, adam).
    """

    name: str
    role: str = ""
    reduction: float = 1.0
    rotor_inertia: float = 0.0
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TransmissionJoint:
    """A joint of a transmission: `name` as written, `joint` scoped; `offset` [rad or m] is its position when the
    actuators are at 0."""

    name: str
    joint: str = ""
    role: str = ""
    reduction: float = 1.0
    offset: float = 0.0
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TransmissionInfo:
    """A transmission as written. `plugin` names its class, e.g. `transmission_interface/SimpleTransmission`.

    `scope` is the scoped name of the model that holds it, `dialect` is `ROS2_CONTROL` or `CLASSIC`.
    """

    name: str
    plugin: str
    scope: str = ""
    dialect: str = ROS2_CONTROL
    actuators: tuple[TransmissionActuator, ...] = ()
    joints: tuple[TransmissionJoint, ...] = ()
    parameters: Parameters = ()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class MimicJoint:
    """position = multiplier * leader + offset; velocity and acceleration get the multiplier only.

    `joint_index` and `mimicked_joint_index` point into the joints of the component, as in ros2_control (not into those
    of the robot). A `<reference>`, which SDFormat has and URDF has not, is folded into `offset`.
    """

    joint_index: int
    mimicked_joint_index: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class HardwareInfo:
    """One `<ros2_control>` block: a hardware component. `type` is system, actuator or sensor; `plugin` the class of its
    driver.

    `sensors` and `gpios` are the names of those components, which are not simulated.
    """

    name: str
    type: str = "system"
    plugin: str = ""
    parameters: Parameters = ()
    joints: tuple[ControlledJoint, ...] = ()
    mimic_joints: tuple[MimicJoint, ...] = ()
    transmissions: tuple[TransmissionInfo, ...] = ()
    sensors: tuple[str, ...] = ()
    gpios: tuple[str, ...] = ()
    source: Source | None = field(default=None, compare=False)
