"""Control elements and the joints of their model → resolved values; the rules of ros2_control about mimic joints.

The rules are those of ros2_control's `parse_control_resources_from_urdf` (hardware_interface/src/component_parser.cpp),
each with a diagnostic of its own. They hold for URDF and SDFormat alike.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.control.hardware import read_hardware
from simulator.formats.control.transmission import read_classic
from simulator.formats.cursor import listed
from simulator.model.actuation import HardwareInfo, MimicJoint, TransmissionActuator, TransmissionInfo
from simulator.model.joint import CommandRange, JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.model.actuation import ControlledJoint, TransmissionJoint
    from simulator.model.joint import Joint


FIXED_MARK = "simulator:fixed"
"""Attribute that the URDF reader gives a `<joint>` of a block whose joint is fixed and has been lumped away."""


@dataclass(frozen=True)
class Control:
    """What the control elements of one model say. `joints` are the model's, with mimics switched off and start
    positions set."""

    joints: tuple[Joint, ...] = ()
    hardware: tuple[HardwareInfo, ...] = ()
    transmissions: tuple[TransmissionInfo, ...] = ()


def resolve_control(
    elements: Sequence[Node], joints: Sequence[Joint], model: str, log: DiagnosticLog, *, strict: bool
) -> Control:
    """The `<ros2_control>` and `<transmission>` elements of the model of that scoped name."""
    if not elements:
        return Control(tuple(joints))
    by_name = {joint.name: joint for joint in joints}
    hardware = []
    for node in elements:
        if node.tag == "ros2_control":
            block = _Block(read_hardware(node, log, strict=strict), by_name, f"{model}::", log)
            hardware.append(block.resolved(_fixed_joints(node)))
            by_name.update({joint.name: joint for joint in block.changed})
    classic = read_classic([node for node in elements if node.tag == "transmission"], log)
    return Control(
        tuple(by_name[joint.name] for joint in joints),
        tuple(hardware),
        tuple(_classic(info, by_name, model, log) for info in classic),
    )


def _fixed_joints(node: Node) -> frozenset[str]:
    return frozenset(child.attributes.get("name", "") for child in node.all("joint") if FIXED_MARK in child.attributes)


class _Block:
    """One block with the joints of its model. `changed` are joints that it changes."""

    def __init__(self, info: HardwareInfo, joints: dict[str, Joint], prefix: str, log: DiagnosticLog) -> None:
        self._info = info
        self._joints = joints
        self._prefix = prefix
        self._log = log
        self.changed: list[Joint] = []

    def resolved(self, lumped: frozenset[str]) -> HardwareInfo:
        """The block with scoped names; errors for what ros2_control refuses."""
        named = tuple(replace(item, joint=self._joint_of(item, lumped)) for item in self._info.joints)
        mimics = [mimic for i, item in enumerate(named) if (mimic := self._mimic(i, item, named)) is not None]
        for item in named:
            self._start(item)
            self._limit(item)
        return replace(
            self._info,
            joints=named,
            mimic_joints=tuple(mimics),
            transmissions=tuple(self._transmission(item, named) for item in self._info.transmissions),
        )

    def _joint_of(self, item: ControlledJoint, lumped: frozenset[str]) -> str:
        """Scoped name of the joint, "" (and an error) where it cannot be controlled."""
        joint = self._joints.get(self._prefix + item.name)
        if item.name in lumped or (joint is not None and joint.type is JointType.FIXED):
            message = f"joint '{item.name}' of <ros2_control> is fixed: there is nothing to command or to read"
            self._log.error("ROS2_CONTROL_JOINT_FIXED", item.source, message, "take it out of the block")
            return ""
        if joint is None:
            names = [name.removeprefix(self._prefix) for name in self._joints]
            message = (
                f"joint '{item.name}' of <ros2_control> does not exist in model '{self._prefix.removesuffix('::')}'"
            )
            self._log.error("ROS2_CONTROL_JOINT_UNKNOWN", item.source, message, f"joints there: {listed(names)}")
            return ""
        if len(joint.axes) != 1:
            message = (
                f"joint '{item.name}' of <ros2_control> is a {joint.type.value} joint, which has {len(joint.axes)} axes"
            )
            self._log.error("ROS2_CONTROL_JOINT_AXES", item.source, message, "ros2_control knows joints with one axis")
            return ""
        return joint.name

    def _mimic(self, index: int, item: ControlledJoint, block: Sequence[ControlledJoint]) -> MimicJoint | None:
        """The mimic of a joint where it is active; errors where it must not be."""
        if not item.joint:
            return None
        joint = self._joints[item.joint]
        law = joint.axes[0].mimic
        if law is None:
            if item.mimic:
                message = f"joint '{item.name}' is marked mimic='true', but the joint of the model has no <mimic>"
                self._log.error(
                    "ROS2_CONTROL_MIMIC_MISSING",
                    item.source,
                    message,
                    "write the law into the joint, or take the attribute away",
                )
            return None
        if item.mimic is False:
            self._switch_off(joint, item)
            return None
        if item.command_interfaces:
            message = (
                f"joint '{item.name}' follows '{law.joint}' and cannot be commanded: an active mimic joint has no "
                "command interfaces"
            )
            where = item.command_interfaces[0].source
            self._log.error(
                "ROS2_CONTROL_MIMIC_COMMANDED",
                where,
                message,
                "take the <command_interface> away, or set mimic='false'",
            )
            return None
        leader = next((i for i, other in enumerate(block) if other.joint == law.leader), None)
        if leader is None:
            message = f"joint '{item.name}' follows '{law.joint}', which is not in the same <ros2_control> block"
            hint = f"add <joint name='{law.joint}'> to the block, or set mimic='false'"
            self._log.error("ROS2_CONTROL_MIMIC_LEADER_MISSING", item.source, message, hint)
            return None
        return MimicJoint(index, leader, law.multiplier, law.offset - law.multiplier * law.reference)

    def _switch_off(self, joint: Joint, item: ControlledJoint) -> None:
        axis = replace(joint.axes[0], mimic=None)
        self._change(replace(joint, axes=(axis,)))
        message = f"the mimic of joint '{item.name}' is switched off by mimic='false'; the joint moves by itself"
        self._log.info("ROS2_CONTROL_MIMIC_OFF", item.source, message)

    def _start(self, item: ControlledJoint) -> None:
        """Initial values start the joint with them, as in gz_ros2_control; what the model itself says counts more."""
        if not item.joint:
            return
        joint = self._joints[item.joint]
        axis = joint.axes[0]
        said = {face.name: face.initial_value for face in item.state_interfaces if face.initial_value is not None}
        position, velocity = said.get("position"), said.get("velocity")
        if axis.mimic is not None or (position is None and velocity is None):
            return
        axis = replace(
            axis,
            initial_position=axis.initial_position or position or 0.0,
            initial_velocity=axis.initial_velocity or velocity or 0.0,
            start_source=axis.start_source or item.source,
        )
        self._change(replace(joint, axes=(axis,)))

    def _limit(self, item: ControlledJoint) -> None:
        ranges = command_ranges(item, self._log) if item.joint else ()
        if ranges:
            joint = self._joints[item.joint]
            self._change(replace(joint, axes=(replace(joint.axes[0], commands=ranges),)))

    def _change(self, joint: Joint) -> None:
        self._joints[joint.name] = joint
        self.changed.append(joint)

    def _transmission(self, info: TransmissionInfo, block: Sequence[ControlledJoint]) -> TransmissionInfo:
        scoped = {item.name: item.joint for item in block}
        for joint in info.joints:
            if joint.name and joint.name not in scoped:
                message = (
                    f"transmission '{info.name}' drives joint '{joint.name}', which is not in its <ros2_control> block"
                )
                self._log.error(
                    "TRANSMISSION_JOINT_UNKNOWN",
                    joint.source,
                    message,
                    f"joints of the block: {listed(scoped)}",
                    fold="joint",
                    about=joint.name,
                )
        joints = tuple(replace(joint, joint=scoped.get(joint.name, "")) for joint in info.joints)
        return replace(info, scope=self._prefix.removesuffix("::"), joints=joints, actuators=self._actuators(info))

    def _actuators(self, info: TransmissionInfo) -> tuple[TransmissionActuator, ...]:
        """A component of type actuator is the actuator itself, and has one joint."""
        if self._info.type != "actuator":
            return info.actuators
        if len(self._info.joints) != 1:
            message = (
                f"component '{self._info.name}' of type actuator has {len(self._info.joints)} joints; with a "
                "transmission it has one"
            )
            self._log.error(
                "ROS2_CONTROL_ACTUATOR_JOINTS", self._info.source, message, "give each joint a component of its own"
            )
        return info.actuators or (TransmissionActuator(self._info.name, "actuator1", source=info.source),)


def _classic(info: TransmissionInfo, joints: dict[str, Joint], model: str, log: DiagnosticLog) -> TransmissionInfo:
    def resolved(joint: TransmissionJoint) -> TransmissionJoint:
        known = joints.get(f"{model}::{joint.name}")
        if known is not None and len(known.axes) == 1:
            return replace(joint, joint=known.name)
        message = f"transmission '{info.name}' is left out: there is no joint '{joint.name}' with one axis"
        names = [name.removeprefix(f"{model}::") for name in joints]
        hint = f"joints: {listed(names)}"
        log.warning("TRANSMISSION_JOINT_UNKNOWN", joint.source, message, hint, fold="joint", about=joint.name)
        return joint

    return replace(info, scope=model, joints=tuple(resolved(joint) for joint in info.joints))


EITHER_WAY = ("velocity", "effort")
"""Interfaces for which the smaller of -`min` and `max` counts in both directions."""


def command_ranges(item: ControlledJoint, log: DiagnosticLog) -> tuple[CommandRange, ...]:
    """The ranges of `min` and `max`, as ros2_control enforces them (`update_interface_limits` of its component_parser).
    Those of other interfaces limit nothing here, which is reported."""
    found = []
    for face in item.command_interfaces:
        lower, upper = face.minimum, face.maximum
        if not face.limited or (math.isinf(lower) and math.isinf(upper)):
            continue
        if face.name in EITHER_WAY:
            upper = max(min(abs(lower), upper), 0.0)
            found.append(CommandRange(face.name, -upper, upper))
        elif face.name == "position":
            found.append(CommandRange(face.name, lower, upper))
        else:
            message = (
                f"the limits of <command_interface> '{face.name}' of joint '{item.name}' are not applied: drives are "
                "of position, velocity or effort"
            )
            log.warning("NOT_SIMULATED", face.source or item.source, message, fold=f"command_interface/{face.name}")
    return tuple(found)
