"""Hardware and transmissions of a model → plain dictionaries, in the words of ros2_control's `HardwareInfo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.model.actuation import ControlledJoint, HardwareInfo, Interface, TransmissionInfo
    from simulator.model.world import Model


def control_data(model: Model) -> dict[str, object]:
    """`hardware` and `transmissions` (the older ones outside of a block) of a model."""
    return {
        "hardware": [_hardware(block) for block in model.hardware],
        "transmissions": [_transmission(info) for info in model.transmissions],
    }


def _hardware(block: HardwareInfo) -> dict[str, object]:
    return {
        "name": block.name,
        "type": block.type,
        "plugin": block.plugin,
        "parameters": dict(block.parameters),
        "joints": [_joint(joint) for joint in block.joints],
        "mimic_joints": [
            {
                "joint_index": mimic.joint_index,
                "mimicked_joint_index": mimic.mimicked_joint_index,
                "multiplier": mimic.multiplier,
                "offset": mimic.offset,
            }
            for mimic in block.mimic_joints
        ],
        "transmissions": [_transmission(info) for info in block.transmissions],
        "sensors": list(block.sensors),
        "gpios": list(block.gpios),
    }


def _joint(joint: ControlledJoint) -> dict[str, object]:
    return {
        "name": joint.name,
        "joint": joint.joint,
        "mimic": joint.mimic,
        "command_interfaces": [_interface(item) for item in joint.command_interfaces],
        "state_interfaces": [_interface(item) for item in joint.state_interfaces],
        "parameters": dict(joint.parameters),
    }


def _interface(item: Interface) -> dict[str, object]:
    return {
        "name": item.name,
        "min": item.minimum,
        "max": item.maximum,
        "initial_value": item.initial_value,
        "data_type": item.data_type,
        "size": item.size,
        "parameters": dict(item.parameters),
    }


def _transmission(info: TransmissionInfo) -> dict[str, object]:
    return {
        "name": info.name,
        "plugin": info.plugin,
        "actuators": [
            {
                "name": actuator.name,
                "role": actuator.role,
                "mechanical_reduction": actuator.reduction,
                "rotor_inertia": actuator.rotor_inertia,
            }
            for actuator in info.actuators
        ],
        "joints": [
            {
                "name": joint.name,
                "joint": joint.joint,
                "role": joint.role,
                "mechanical_reduction": joint.reduction,
                "offset": joint.offset,
            }
            for joint in info.joints
        ],
        "parameters": dict(info.parameters),
    }
