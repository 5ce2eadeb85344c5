"""`<ros2_control>` → `HardwareInfo` with the names of joints as written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.control.transmission import read_transmission
from simulator.formats.control.values import INVALID, finite_of, flag_of, number_of, parameters_of
from simulator.formats.control.vocabulary import ROS2_CONTROL
from simulator.formats.vocabulary import check_vocabulary
from simulator.model.actuation import ControlledJoint, HardwareInfo, Interface

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

TYPES = ("system", "actuator", "sensor")
WITH_MEANING = ("min", "max", "initial_value", "data_type", "size")
"""Parameters of an interface that are fields of `Interface`."""
LONGEST_SIZE = 9
"""Digits of the number of values that an interface can have."""


def read_hardware(node: Node, log: DiagnosticLog, *, strict: bool) -> HardwareInfo:
    """One block; what is wrong with it is an error and left out. For `strict` see `read_transmission`."""
    check_vocabulary(node, ROS2_CONTROL, log)
    name = node.attributes.get("name", "")
    hardware = node.child("hardware")
    plugin = "" if hardware is None else hardware.text_of("plugin")
    _report_incomplete(node, plugin, log)
    transmissions = (read_transmission(child, log, strict=strict) for child in node.all("transmission"))
    return HardwareInfo(
        name=name,
        type=_type(node, log),
        plugin=plugin,
        parameters=() if hardware is None else parameters_of(hardware),
        joints=_joints(node, log),
        transmissions=tuple(item for item in transmissions if item is not None),
        sensors=_read_over(node, "sensor", log),
        gpios=_read_over(node, "gpio", log),
        source=node.source,
    )


def _report_incomplete(node: Node, plugin: str, log: DiagnosticLog) -> None:
    missing = [f"attribute '{name}'" for name in ("name", "type") if not node.attributes.get(name)]
    missing += [] if plugin else ["<hardware><plugin>"]
    if missing:
        message = f"<ros2_control> has no {' and no '.join(missing)}; ros2_control itself would refuse it"
        log.warning("ROS2_CONTROL_INCOMPLETE", node.source, message, "it is read as a component of type 'system'")


def _type(node: Node, log: DiagnosticLog) -> str:
    kind = node.attributes.get("type", TYPES[0])
    if kind not in TYPES:
        message = f"a <ros2_control> of type '{kind}' does not exist"
        log.error("ROS2_CONTROL_TYPE_UNKNOWN", node.source, message, f"types are: {', '.join(TYPES)}")
        return TYPES[0]
    return kind


def _read_over(node: Node, tag: str, log: DiagnosticLog) -> tuple[str, ...]:
    found = node.all(tag)
    if found:
        names = ", ".join(f"'{child.attributes.get('name', '')}'" for child in found)
        log.info(
            "NOT_SIMULATED",
            found[0].source,
            f"<{tag}> of <ros2_control> is not simulated: {names}",
            fold=tag,
            about=names.strip("'"),
        )
    return tuple(child.attributes.get("name", "") for child in found)


def _joints(node: Node, log: DiagnosticLog) -> tuple[ControlledJoint, ...]:
    found: dict[str, ControlledJoint] = {}
    for child in node.all("joint"):
        name = child.attributes.get("name", "")
        if not name:
            log.error("ATTRIBUTE_MISSING", child.source, "<joint> has no attribute 'name'", "write <joint name='…'>")
        elif name in found:
            message = f"<ros2_control> names joint '{name}' twice; the second is left out"
            log.error("DUPLICATE_NAME", child.source, message)
        else:
            found[name] = ControlledJoint(
                name=name,
                mimic=flag_of(child, "mimic", log),
                command_interfaces=_interfaces(child, "command_interface", log),
                state_interfaces=_interfaces(child, "state_interface", log),
                parameters=parameters_of(child),
                source=child.source,
            )
    return tuple(found.values())


def _interfaces(joint: Node, tag: str, log: DiagnosticLog) -> tuple[Interface, ...]:
    found = []
    for node in joint.all(tag):
        if node.attributes.get("name"):
            found.append(_interface(node, joint, log))
        else:
            hint = f"for example <{tag} name='position'/>"
            log.error("ATTRIBUTE_MISSING", node.source, f"<{tag}> has no attribute 'name'", hint)
    return tuple(found)


def _interface(node: Node, joint: Node, log: DiagnosticLog) -> Interface:
    params = {param.attributes.get("name", ""): param for param in node.all("param") if param.text}
    low, high = params.get("min"), params.get("max")
    minimum = -math.inf if low is None else number_of(low, log, -math.inf, minor=True)
    maximum = math.inf if high is None else number_of(high, log, math.inf, minor=True)
    if minimum > maximum:
        message = (
            f"the limits of <{node.tag}> '{node.attributes['name']}' are swapped: min {minimum:g} is above max "
            f"{maximum:g}"
        )
        log.error("ROS2_CONTROL_LIMITS_INVERTED", (low or node).source, message)
        minimum, maximum = maximum, minimum
    enabled = [flag_of(limits, "enable", log) for owner in (joint, node) for limits in owner.all("limits")]
    start = params.get("initial_value")
    return Interface(
        name=node.attributes["name"],
        minimum=minimum,
        maximum=maximum,
        initial_value=None if start is None else finite_of(start, log, 0.0),
        data_type=_text(node, params, "data_type", "double"),
        size=_size(node, params, log),
        parameters=tuple(item for item in parameters_of(node) if item[0] not in WITH_MEANING),
        limited=False not in enabled,
        source=node.source,
    )


def _text(node: Node, params: dict[str, Node], name: str, default: str) -> str:
    """An attribute of the interface, or a `<param>` of that name."""
    return node.attributes.get(name) or (params[name].text if name in params else default)


def _size(node: Node, params: dict[str, Node], log: DiagnosticLog) -> int:
    written = _text(node, params, "size", "1")
    if written.isdecimal() and len(written) <= LONGEST_SIZE and int(written) > 0:
        return int(written)
    log.error(
        INVALID,
        node.source,
        f"size of <{node.tag}> '{node.attributes['name']}' must be 1 or more and below a billion, not '{written[:40]}'",
    )
    return 1
