"""How a session is run: what the command line or the window chose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.engine.drives import Drive, DriveKind
from simulator.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World
    from simulator.session.drive_text import DriveText


@dataclass(frozen=True)
class SessionSettings:
    """`solver`: strategy by name; `dt` [s]: step, None for the document's; `speed`: simulated per wall second;
    `drives` and `initial`: by axis name, SI units; `drive_texts`: drives as typed, of axes and actuators, given after `drives`."""

    solver: str = "rows"
    dt: float | None = None
    speed: float = 1.0
    paused: bool = False
    drives: tuple[tuple[str, Drive], ...] = ()
    drive_texts: tuple[DriveText, ...] = ()
    initial: tuple[tuple[str, float], ...] = field(default=())


def demonstration_drives(world: World, mechanism: Mechanism) -> tuple[tuple[str, Drive], ...]:
    """The drives that a document asks the window to start with; those of axes that do not exist or follow are left out."""
    followers = mechanism.follower_axes()
    found = []
    for wish in world.drives:
        axis = mechanism.axis_index(wish.axis)
        if axis is not None and axis not in followers:
            found.append((mechanism.axes[axis].name, Drive(DriveKind(wish.kind), wish.value)))
    return tuple(found)


def parse_initial(text: str) -> tuple[str, float]:
    """`AXIS=VALUE` as the command line has it. Raises UsageError where it is something else."""
    name, separator, value = text.rpartition("=")
    if not separator or not name:
        raise UsageError(f"'{text}' is no initial position: write AXIS=VALUE, e.g. crank_joint=0.5")
    return name, _number(value, text)


def find_axis(mechanism: Mechanism, name: str) -> int:
    """Index of an axis by name. Raises UnknownNameError with the names that exist, UsageError where several could be meant."""
    index = mechanism.axis_index(name)
    if index is None:
        meant = [axis.name for axis in mechanism.axes if axis.name.endswith(f"::{name}")]
        if meant:
            raise UsageError(f"'{name}' is ambiguous: {', '.join(sorted(meant))}")
        raise UnknownNameError("axis", name, (axis.name for axis in mechanism.axes))
    return index


def _number(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"'{text}' in '{whole}' is no finite number")
    return value
