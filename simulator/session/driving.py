"""Drives as they are typed, given to an engine: of axes by name, of actuators by `actuator/NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.drives import Drive, ProfileDrive
from simulator.session.settings import find_axis
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from simulator.engine.engine import Engine
    from simulator.mechanism.types import Mechanism
    from simulator.session.drive_text import DriveText
    from simulator.transmissions.actuators import Actuators

Target = tuple[str, int]
"""("axis" or "actuator", index)."""


def find_target(mechanism: Mechanism, actuators: Actuators, name: str) -> Target:
    """What a name means. Raises UnknownNameError with the names that exist, UsageError where several could be meant."""
    if name.startswith(PREFIX):
        return "actuator", actuators.index(name)
    return "axis", find_axis(mechanism, name)


def give_drive(engine: Engine, text: DriveText) -> None:
    """Drive an axis or an actuator as typed. Raises UsageError where it cannot be driven like that; the old drive then stays."""
    what, index = find_target(engine.mechanism, engine.actuation.actuators, text.axis)
    if what == "actuator":
        engine.drive_actuator(index, ProfileDrive(text.kind, text.profile, text.gains))
    elif text.level is not None and text.gains is None:
        engine.set_drive(index, Drive(text.kind, text.level))
    else:
        engine.set_drive(index, ProfileDrive(text.kind, text.profile, text.gains))


def take_drive(engine: Engine, name: str) -> None:
    """Let an axis or an actuator go. Raises UsageError for a name that does not exist."""
    what, index = find_target(engine.mechanism, engine.actuation.actuators, name)
    if what == "actuator":
        engine.drive_actuator(index, None)
    else:
        engine.set_drive(index, None)
