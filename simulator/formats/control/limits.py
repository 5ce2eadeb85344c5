"""Limits of command interfaces: the ranges that bound commands of a joint."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.model.joint import CommandRange

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.model.actuation import ControlledJoint

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
