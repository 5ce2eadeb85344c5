"""`HardwareInfo` and `TransmissionInfo` → `<ros2_control>` and `<transmission>`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.values import number_text
from simulator.formats.writing.elements import element, number
from simulator.model.actuation import CLASSIC

if TYPE_CHECKING:
    from simulator.formats.nodes import Node
    from simulator.model.actuation import (
        ControlledJoint,
        HardwareInfo,
        Interface,
        Parameters,
        TransmissionActuator,
        TransmissionInfo,
        TransmissionJoint,
    )


def hardware_node(hardware: HardwareInfo) -> Node:
    """One component. Sensors and gpios have their names only."""
    return element(
        "ros2_control",
        element("hardware", element("plugin", text=hardware.plugin), *_parameters(hardware.parameters)),
        *(_joint(joint) for joint in hardware.joints),
        *(element("sensor", name=name) for name in hardware.sensors),
        *(element("gpio", name=name) for name in hardware.gpios),
        *(transmission_node(item) for item in hardware.transmissions),
        name=hardware.name,
        type=hardware.type,
    )


def transmission_node(info: TransmissionInfo) -> Node:
    """A transmission in the dialect that it came from."""
    return element(
        "transmission",
        element("type" if info.dialect == CLASSIC else "plugin", text=info.plugin),
        *(_actuator(item) for item in info.actuators),
        *(_driven(item) for item in info.joints),
        *_parameters(info.parameters),
        name=info.name,
    )


def _joint(joint: ControlledJoint) -> Node:
    node = element(
        "joint",
        *(_interface("command_interface", item) for item in joint.command_interfaces),
        *(_interface("state_interface", item) for item in joint.state_interfaces),
        *_parameters(joint.parameters),
        name=joint.name,
    )
    if joint.mimic is not None:
        node.attributes["mimic"] = "true" if joint.mimic else "false"
    return node


def _interface(tag: str, interface: Interface) -> Node:
    values = {"min": interface.minimum, "max": interface.maximum, "initial_value": interface.initial_value}
    texts = [(name, number_text(value)) for name, value in values.items() if value is not None and math.isfinite(value)]
    off = None if interface.limited else element("limits", enable="false")
    node = element(tag, *_parameters((*texts, *interface.parameters)), off, name=interface.name)
    if interface.data_type != "double":
        node.attributes["data_type"] = interface.data_type
    if interface.size != 1:
        node.attributes["size"] = str(interface.size)
    return node


def _actuator(item: TransmissionActuator) -> Node:
    inertia = element("motorInertia", text=number_text(item.rotor_inertia)) if item.rotor_inertia else None
    return _part("actuator", item.name, item.role, number("mechanical_reduction", item.reduction), inertia)


def _driven(item: TransmissionJoint) -> Node:
    offset = number("offset", item.offset) if item.offset else None
    return _part("joint", item.name, item.role, number("mechanical_reduction", item.reduction), offset)


def _part(tag: str, name: str, role: str, *children: Node | None) -> Node:
    node = element(tag, *children, name=name)
    if role:
        node.attributes["role"] = role
    return node


def _parameters(parameters: Parameters) -> list[Node]:
    return [element("param", text=text, name=name) for name, text in parameters]
