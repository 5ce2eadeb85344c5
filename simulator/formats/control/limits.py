"""Limits of command interfaces: those of the joint count, so narrower ones are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.model.actuation import ControlledJoint
    from simulator.model.joint import Axis


def report_limits(item: ControlledJoint, axis: Axis, log: DiagnosticLog) -> None:
    """Warn of each `min` and `max` of a command interface that would stop commands which the limits of its joint let
    pass."""
    limits = {
        "position": (axis.lower, axis.upper),
        "velocity": (-axis.velocity, axis.velocity),
        "effort": (-axis.effort, axis.effort),
    }
    for face in item.command_interfaces:
        lower, upper = limits.get(face.name, (face.minimum, face.maximum))
        if face.minimum <= lower and face.maximum >= upper:
            continue
        message = (
            f"the limits of <command_interface> '{face.name}' of joint '{item.name}', {face.minimum:g} to "
            f"{face.maximum:g}, are not applied: only those of the joint limit drives"
        )
        hint = "write them into the <limit> of the joint"
        log.warning("NOT_SIMULATED", face.source or item.source, message, hint, fold=f"command_interface/{face.name}")
