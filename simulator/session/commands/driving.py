"""Drives given to an engine by name: of axes, and of actuators by `actuator/NAME`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.errors import SimulatorError, UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import placed_at
from simulator.session.text.settings import find_axis
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.mechanism.types import Mechanism
    from simulator.session.commands.commands import SetPosition
    from simulator.transmissions.actuators import Actuators

Target = tuple[str, int]
"""("axis" or "actuator", index)."""


def find_target(mechanism: Mechanism, actuators: Actuators, name: str) -> Target:
    """The target of a name. Raises UnknownNameError with the names that exist, UsageError for an ambiguous name."""
    if name.startswith(PREFIX):
        return "actuator", actuators.index(name)
    return "axis", find_axis(mechanism, name)


def full_name(mechanism: Mechanism, actuators: Actuators, name: str) -> str:
    """The scoped name of a target, with `actuator/` before that of an actuator; empty for an unknown name."""
    try:
        what, index = find_target(mechanism, actuators, name)
    except SimulatorError:
        return ""
    return f"{PREFIX}{actuators.names[index]}" if what == "actuator" else mechanism.axes[index].name


def give_drive(engine: Engine, name: str, drive: Drive | None) -> None:
    """Drive an axis or an actuator, or release it with None. Raises UsageError for a name that does not exist and for
    an impossible drive; the old drive then stays."""
    what, index = find_target(engine.mechanism, engine.actuation.actuators, name)
    if what == "actuator":
        engine.drive_actuator(index, drive)
    else:
        engine.set_drive(index, drive)


def put_axis(engine: Engine, command: SetPosition) -> None:
    """Put an axis at a position, at rest, with the held ones fixed. Raises the errors of `Engine.place`."""
    if not command.held:
        engine.place(command.axis, command.value)
        return
    if not math.isfinite(command.value):
        raise UsageError(f"'{engine.mechanism.axes[command.axis].name}' cannot be put at {command.value:g}")
    state = engine.at_rest()
    kept = {axis: float(state.position[axis]) for axis in command.held}
    engine.put(placed_at(Kinematics(engine.mechanism), state, {**kept, command.axis: command.value}))


def drives_of(engine: Engine) -> tuple[tuple[str, Drive], ...]:
    """The present drives, by scoped name: axes, then actuators, each in the order in which they were set."""
    axes = engine.mechanism.axes
    names = engine.actuation.actuators.names
    return (
        *((axes[index].name, drive) for index, drive in engine.drives.items()),
        *((f"{PREFIX}{names[index]}", drive) for index, drive in engine.actuation.actuator_drives.items()),
    )
