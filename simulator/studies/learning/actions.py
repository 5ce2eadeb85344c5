"""Commands of an agent: drives of axes and actuators, with the least and the greatest number of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.api.drives import effort, position, velocity
from simulator.engine.drives import DriveKind
from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.named import column_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.api.simulation import Simulation
    from simulator.recording.channels import Channel

DRIVES = {"effort": effort, "velocity": velocity, "position": position}
LIMITS = {"effort": "effort limit", "velocity": "velocity limit", "position": "joint limits"}
QUANTITY = "/effort"
"""Endings of the channels of axes and actuators."""


@dataclass(frozen=True)
class Action:
    """One number of an action: the drive of an axis, or the effort of an actuator, from `lower` to `upper`. `whole`:
    the name with its model."""

    name: str
    whole: str
    kind: str
    lower: float
    upper: float

    @property
    def begin(self) -> float:
        """The command at the start of an episode: no effort, no motion, or the position that is nearest to 0."""
        return min(max(0.0, self.lower), self.upper)


def actions_of(sim: Simulation, act: Mapping[str, object] | Iterable[str] | str) -> tuple[Action, ...]:
    """Raises UsageError for an impossible drive, and if neither the document nor `act` gives bounds."""
    if isinstance(act, str):
        act = (act,)
    pairs = dict(act.items()) if hasattr(act, "items") else dict.fromkeys(act, "effort")
    if not pairs:
        raise UsageError('nothing is driven: write act=["JOINT"], or act={"JOINT": "velocity"}')
    found = tuple(_action(sim, name, said) for name, said in pairs.items())
    names = [one.whole for one in found]
    for one in found:
        if names.count(one.whole) > 1:
            raise UsageError(f"'{one.whole}' is driven twice")
    return found


def _action(sim: Simulation, name: str, said: object) -> Action:
    kind, *ends = said if isinstance(said, tuple | list) else (said,)
    if kind not in DRIVES or len(ends) not in (0, 2) or not all(isinstance(end, int | float) for end in ends):
        told = '"effort", "velocity" or "position", or one of them with its range, ("effort", -2.0, 2.0)'
        raise UsageError(f"act of '{name}' must be {told}, not {said!r}")
    channel = _effort_channel(sim, name)
    is_axis = channel.group == "effort"
    if not is_axis and kind != "effort":
        raise UsageError(f"'{name}' is an actuator: an agent can command its effort, not its {kind}")
    unbounded = (-math.inf, math.inf)
    of_document = _of_axis(sim, channel.index, DriveKind(kind)) if is_axis else unbounded
    lower, upper = map(float, ends) if ends else of_document
    if not (math.isfinite(lower) and math.isfinite(upper)):
        example = f'act={{"{name}": ("{kind}", -1.0, 1.0)}}'
        raise UsageError(f"the document gives '{name}' no {LIMITS[str(kind)]}: give bounds, {example}")
    if not lower < upper:
        raise UsageError(f"act of '{name}' must go from a lower to a higher number, not from {lower:g} to {upper:g}")
    return Action(name, channel.name.removeprefix("joint/").removesuffix(QUANTITY), str(kind), lower, upper)


def _effort_channel(sim: Simulation, name: object) -> Channel:
    channels = sim.channels
    names = [channel.name for channel in channels]
    try:
        return channels[column_of(names, f"{name}{QUANTITY}", "channel")]
    except UnknownNameError:
        known = [one.name.removesuffix(QUANTITY) for one in channels if one.group in ("effort", "actuator_effort")]
        raise UnknownNameError("axis or actuator", str(name), (one.removeprefix("joint/") for one in known)) from None


def _of_axis(sim: Simulation, index: int, kind: DriveKind) -> tuple[float, float]:
    """The least and the greatest command of that kind that the document allows an axis."""
    axis = sim.mechanism.axes[index].axis
    most = {DriveKind.EFFORT: axis.effort, DriveKind.VELOCITY: axis.velocity}.get(kind, math.inf)
    lower, upper = (axis.lower, axis.upper) if kind is DriveKind.POSITION else (-most, most)
    for item in axis.commands:
        if item.kind == kind.value:
            lower, upper = max(lower, item.lower), min(upper, item.upper)
    return lower, upper
