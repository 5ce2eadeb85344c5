"""Hardware components, transmissions and actuators as tables for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.cli.page import Table
from simulator.mechanism.law_text import added, summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Mechanism
    from simulator.model.actuation import ControlledJoint, HardwareInfo, Interface
    from simulator.session.open.opening import Opened
    from simulator.transmissions.actuators import Actuators

ROUNDING = 1e-12
"""Inertia between two joints that is smaller than this, beside their own, is round-off and not shown."""


def actuation_tables(opened: Opened) -> list[Table]:
    """One table of the joints of all `<ros2_control>` blocks and one of all actuators; none where the document has
    none."""
    blocks = [block for model in opened.world.models for block in model.hardware]
    tables = [_hardware(blocks)] if blocks else []
    return [*tables, _actuators(opened.actuators, opened.mechanism)] if len(opened.actuators) else tables


def actuation_lines(opened: Opened) -> list[str]:
    """The law that mimic joints of a block have, and the inertia that rotors add to the joints."""
    blocks = [block for model in opened.world.models for block in model.hardware]
    lines = [line for block in blocks for line in _mimics(block)]
    reflected = _reflected(opened.actuators, opened.mechanism)
    return [*lines, f"reflected inertia of the rotors: {reflected}"] if reflected else lines


def _hardware(blocks: Sequence[HardwareInfo]) -> Table:
    table = Table("hardware", "type", "joint", "commands", "states")
    for block in blocks:
        first = True
        for joint in block.joints:
            name, kind = (block.name or "(no name)", block.type) if first else ("", "")
            commands = ", ".join(_interface(item) for item in joint.command_interfaces) or "none"
            states = ", ".join(_interface(item) for item in joint.state_interfaces) or "none"
            table.add_row(name, kind, _joint(joint, block), commands, states)
            first = False
        if first:
            table.add_row(block.name or "(no name)", block.type, "", "", "")
    return table


def _joint(joint: ControlledJoint, block: HardwareInfo) -> str:
    if joint.mimic is False:
        return f"{joint.name} (mimic off)"
    follows = any(block.joints[mimic.joint_index] is joint for mimic in block.mimic_joints)
    return f"{joint.name} (mimic)" if follows else joint.name


def _interface(item: Interface) -> str:
    limits = ""
    if math.isfinite(item.minimum) or math.isfinite(item.maximum):
        limits = f" {item.minimum:g} … {item.maximum:g}"
    return f"{item.name}{limits}{'' if item.initial_value is None else f' from {item.initial_value:g}'}"


def _mimics(block: HardwareInfo) -> list[str]:
    return [
        f"mimic in {block.name or 'ros2_control'}: {block.joints[law.joint_index].name} = "
        f"{summed([(law.multiplier, block.joints[law.mimicked_joint_index].name)])}{added(law.offset)}"
        for law in block.mimic_joints
    ]


def _actuators(actuators: Actuators, mechanism: Mechanism) -> Table:
    table = Table("actuator", "law of its position", "transmission", "rotor kg·m²", "line")
    for index, actuator in enumerate(actuators.actuators):
        bound = actuators.transmissions[actuator.transmission]
        model = actuator.name.rpartition("::")[0] + "::"
        joints = [(factor, mechanism.axes[axis].name.removeprefix(model)) for axis, factor in actuators.terms(index)]
        law = summed(joints) + added(float(actuators.constant[index]))
        rotor = f"{actuator.rotor_inertia:g}" if actuator.rotor_inertia else ""
        plugin = bound.plugin.rpartition("/")[2]
        name = bound.name.removeprefix(model)
        table.add_row(actuator.name, law, f"{name} ({plugin})", rotor, str(bound.source or ""))
    return table


def _reflected(actuators: Actuators, mechanism: Mechanism) -> str:
    inertia = actuators.reflected_inertia()
    own = np.sqrt(np.diag(inertia))
    parts = []
    for i, j in zip(*np.nonzero(np.triu(np.abs(inertia) > ROUNDING * np.outer(own, own))), strict=True):
        names = mechanism.axes[i].name if i == j else f"between {mechanism.axes[i].name} and {mechanism.axes[j].name}"
        parts.append(f"{names} {inertia[i, j]:.6g}")
    return ", ".join(parts)
