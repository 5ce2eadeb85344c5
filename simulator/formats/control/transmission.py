"""`<transmission>` in both dialects: inside of a `<ros2_control>` block, and as the older element of ROS 1 beside the
joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.control.values import finite_of, parameters_of
from simulator.formats.control.vocabulary import CLASSIC as CLASSIC_VOCABULARY
from simulator.formats.vocabulary import check_vocabulary
from simulator.model.actuation import CLASSIC, ROS2_CONTROL, TransmissionActuator, TransmissionInfo, TransmissionJoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

REDUCTION = "TRANSMISSION_REDUCTION_INVALID"
OFFSET = "TRANSMISSION_OFFSET_INVALID"
INERTIA = "TRANSMISSION_INERTIA_INVALID"
PLUGIN_HINT = "for example <plugin>transmission_interface/SimpleTransmission</plugin>"
ROTOR_INERTIA = ("drake:rotor_inertia", "motorInertia")
"""Extensions of other programs that give an actuator's rotor inertia: the value in an attribute, or as text."""
GEAR_RATIO = "drake:gear_ratio"


def read_transmission(node: Node, log: DiagnosticLog, *, strict: bool) -> TransmissionInfo | None:
    """One of a `<ros2_control>` block; None (and an error) where it has no plugin. Joints have their names as written
    only.

    Unless `strict`, the only actuator and the only joint need no role.
    """
    name = node.attributes.get("name", "")
    if not name:
        log.error(
            "ATTRIBUTE_MISSING", node.source, "<transmission> has no attribute 'name'", "write <transmission name='…'>"
        )
    plugin = node.text_of("plugin")
    if not plugin:
        log.error("TRANSMISSION_PLUGIN_MISSING", node.source, f"transmission '{name}' has no <plugin>", PLUGIN_HINT)
        return None
    for parts in (node.all("actuator"), node.all("joint")):
        for part in parts:
            _require_role(part, name, log, alone=len(parts) == 1 and not strict)
    return _read(node, name, plugin, ROS2_CONTROL, log)


def read_classic(nodes: Sequence[Node], log: DiagnosticLog) -> tuple[TransmissionInfo, ...]:
    """The older ones of a model. What no simulator needs of them is reported once."""
    found = []
    for node in nodes:
        name = node.attributes.get("name", "")
        plugin = node.text_of("type") or node.text_of("plugin") or node.attributes.get("type", "")
        if plugin.partition("/")[0] in ("transmission_interface", plugin):  # others have elements of their own
            check_vocabulary(node, CLASSIC_VOCABULARY, log)
        if not plugin:
            message = f"transmission '{name}' has no <type>; it is left out"
            log.warning(
                "TRANSMISSION_PLUGIN_MISSING",
                node.source,
                message,
                "for example <type>transmission_interface/SimpleTransmission</type>",
            )
            continue
        found.append(_read(node, name, plugin, CLASSIC, log))
    return tuple(found)


def _read(node: Node, name: str, plugin: str, dialect: str, log: DiagnosticLog) -> TransmissionInfo:
    return TransmissionInfo(
        name=name,
        plugin=plugin,
        dialect=dialect,
        actuators=tuple(_actuator(_of_pr2(part, node), log, dialect) for part in node.all("actuator")),
        joints=tuple(_joint(part, log, dialect) for part in node.all("joint")),
        parameters=parameters_of(node),
        source=node.source,
    )


def _of_pr2(actuator: Node, transmission: Node) -> Node:
    """The actuator with the reduction that the transmissions of PR2 write beside it."""
    reduction = transmission.child("mechanicalReduction")
    if reduction is None or actuator.child("mechanicalReduction") is not None:
        return actuator
    copy = actuator.copy()
    copy.children.append(reduction)
    return copy


def _require_role(part: Node, transmission: str, log: DiagnosticLog, *, alone: bool) -> None:
    for attribute in ("name", "role"):
        if not part.attributes.get(attribute):
            report = log.warning if alone and attribute == "role" else log.error
            name = part.attributes.get("name")
            named = f" '{name}'" if name else ""
            label = f"<{part.tag}>{named} of transmission '{transmission}'"
            hint = f"for example <{part.tag} name='…' role='{part.tag}1'>"
            report("TRANSMISSION_ROLE_MISSING", part.source, f"{label} has no attribute '{attribute}'", hint)


def _actuator(node: Node, log: DiagnosticLog, dialect: str) -> TransmissionActuator:
    offset = node.child("offset")
    if offset is not None and finite_of(offset, log, 0.0, code=OFFSET) != 0.0:
        message = (
            "the <offset> of an actuator is not used, as in ros2_control: transmissions have offsets of joints only"
        )
        log.warning("NOT_SIMULATED", offset.source, message, "give the offset to the joint")
    reduction = _reduction(node, log, dialect)
    ratio = node.child(GEAR_RATIO)
    if ratio is not None and finite_of(ratio, log, reduction, code=REDUCTION, text=_value(ratio)) != reduction:
        message = (
            f"<{GEAR_RATIO}> is not used; the rotor turns by the transmission's own reduction ({reduction:g} at this "
            "actuator)"
        )
        log.warning("NOT_SIMULATED", ratio.source, message, "give the ratio as <mechanical_reduction>")
    return TransmissionActuator(
        name=node.attributes.get("name", ""),
        role=_role(node),
        reduction=reduction,
        rotor_inertia=_rotor_inertia(node, log),
        source=node.source,
    )


def _joint(node: Node, log: DiagnosticLog, dialect: str) -> TransmissionJoint:
    offset = node.child("offset")
    return TransmissionJoint(
        name=node.attributes.get("name", ""),
        role=_role(node),
        reduction=_reduction(node, log, dialect),
        offset=0.0 if offset is None else finite_of(offset, log, 0.0, code=OFFSET),
        source=node.source,
    )


def _role(node: Node) -> str:
    return node.attributes.get("role") or node.text_of("role")


def _reduction(node: Node, log: DiagnosticLog, dialect: str) -> float:
    """n, 1 where nothing is written; ros2_control would take 1 for text that is not a number, and refuse 0 without
    saying where.

    Simulators pass an older `<transmission>` over: there, text that is not a number is a warning.
    """
    child = node.child("mechanical_reduction") or node.child("mechanicalReduction")
    if child is None:
        return 1.0
    value = finite_of(child, log, 1.0, code=REDUCTION, minor=dialect == CLASSIC)
    if value == 0.0:
        message = f"the reduction of {node.tag} '{node.attributes.get('name', '')}' is zero: nothing would move it"
        log.error(REDUCTION, child.source, message, "n is the number of turns of the actuator for one of the joint")
        return 1.0
    return value


def _rotor_inertia(node: Node, log: DiagnosticLog) -> float:
    child = next((child for tag in ROTOR_INERTIA if (child := node.child(tag)) is not None), None)
    if child is None:
        return 0.0
    value = finite_of(child, log, 0.0, code=INERTIA, text=_value(child))
    if value < 0.0:
        log.error(
            INERTIA, child.source, f"the rotor inertia of actuator '{node.attributes.get('name', '')}' is negative"
        )
        return 0.0
    return value


def _value(node: Node) -> str:
    """Drake writes `<drake:rotor_inertia value="…"/>` in URDF and text in SDFormat."""
    return node.attributes.get("value", node.text)
