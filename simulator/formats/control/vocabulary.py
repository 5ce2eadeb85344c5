"""The vocabulary inside of `<ros2_control>` and of the older `<transmission>`: what is read, and why the rest is not. A
table."""

from __future__ import annotations

from simulator.formats.vocabulary import Vocabulary, silent, words

OWN_VOCABULARY = silent("it has a vocabulary of its own")
"""How the vocabularies of SDFormat and URDF treat both elements."""
FOR_A_CONTROLLER = silent("only a controller looks at it")
LATER = silent("one line covers all of them")

_INTERFACE = words("param limits")

CHILDREN = {
    "ros2_control": words("hardware joint transmission", gpio=LATER, sensor=LATER, properties=FOR_A_CONTROLLER),
    "hardware": words("plugin param", group=FOR_A_CONTROLLER, properties=FOR_A_CONTROLLER),
    "ros2_control/joint": words("command_interface state_interface param limits", properties=FOR_A_CONTROLLER),
    "command_interface": _INTERFACE,
    "state_interface": _INTERFACE,
    "transmission": words("plugin actuator joint param"),
    "transmission/actuator": words("mechanical_reduction offset motorInertia"),
    "transmission/joint": words("mechanical_reduction offset"),
}  # fmt: skip

ATTRIBUTES = {
    "ros2_control": "name type rw_rate is_async thread_priority",
    "joint": "name mimic role simulator:fixed",
    "actuator": "name role",
    "param": "name",
    "limits": "enable",
    "command_interface": "name data_type size",
    "state_interface": "name data_type size",
    "transmission": "name",
}

HINTS = {
    ("transmission", "type"): "ros2_control writes <plugin>transmission_interface/SimpleTransmission</plugin>",
    ("actuator", "mechanicalReduction"): "ros2_control writes <mechanical_reduction>",
    ("joint", "mechanicalReduction"): "ros2_control writes <mechanical_reduction>",
    ("joint", "hardwareInterface"): "ros2_control writes <command_interface name='…'/> into the <joint> of the block",
    (
        "actuator",
        "hardwareInterface",
    ): "ros2_control writes <command_interface name='…'/> into the <joint> of the block",
    (
        "joint",
        "mimic",
    ): "the law is in the <mimic> of the robot's joint; here the attribute mimic='true' or 'false' counts",
}

REPEATABLE = frozenset(
    {
        "joint",
        "transmission",
        "actuator",
        "param",
        "command_interface",
        "state_interface",
        "gpio",
        "sensor",
        "properties",
        "group",
    }
)

ROS2_CONTROL = Vocabulary(CHILDREN, ATTRIBUTES, REPEATABLE, HINTS)
"""Of a block, with everything in it."""

CLASSIC = Vocabulary(
    {
        "transmission": words("type plugin actuator joint param mechanicalReduction"),
        "actuator": words("mechanicalReduction mechanical_reduction offset role motorInertia", hardwareInterface=LATER),
        "joint": words("mechanicalReduction mechanical_reduction offset role", hardwareInterface=LATER),
    },
    {"transmission": "name type", "actuator": "name role", "joint": "name role simulator:fixed", "param": "name"},
    frozenset({"joint", "actuator", "param", "hardwareInterface"}),
)  # fmt: skip
"""Of the older `<transmission>`, as ROS 1 has it."""
