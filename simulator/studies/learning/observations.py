"""Observations of an agent: channels, formulas over them, or results of a function of the simulation; with bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.named import column_of
from simulator.records import dataclass
from simulator.studies.formula import Formula, parse_formula

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from simulator.api.simulation import Simulation
    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array
    from simulator.studies.learning.actions import Action


ACTION = "/action"
"""Ending of the name of a command in formulas."""
HARD = 1e7
"""Stops that are at least as stiff [N m/rad or N/m] bound the observation of a position."""
BEYOND = 0.01
"""How far stops may yield, as a part of the range between them."""
LIMITS = ("lower", "upper", "effort")
"""Parameters that bound observations."""
KINDS = ("joint", "coupling", "loop")

Watched = Formula | Callable[["Simulation"], object]


@dataclass(frozen=True)
class Names:
    """Indices of the values that formulas may name: channels, then commands, then named observations."""

    channels: tuple[str, ...]
    actions: tuple[str, ...]
    seen: tuple[str, ...] = ()

    def place(self, name: str) -> int:
        """Raises UnknownNameError, UsageError for an ambiguous name."""
        if name in self.seen:
            return len(self.channels) + len(self.actions) + self.seen.index(name)
        if name in self.actions:
            return len(self.channels) + self.actions.index(name)
        try:
            return column_of(self.channels, name, "channel", KINDS)
        except UnknownNameError:
            others = (*self.seen, *self.actions)
            raise UnknownNameError("channel", name, (*others, *self.channels)) from None


@dataclass(frozen=True)
class Observation:
    """The parts of an observation; `lower`, `upper`: bounds, shape (n,)."""

    parts: tuple[Watched, ...]
    lower: Array
    upper: Array

    def of(self, sim: Simulation, values: Sequence[float]) -> Array:
        """The observation now, within the bounds, shape (n,); `values`: of channels and of commands."""
        found: list[float] = []
        for part in self.parts:
            if isinstance(part, Formula):
                found.append(part.of(values))
            else:
                found += _numbers(part(sim), part)
        seen: Array = np.clip(np.array(found, dtype=np.float64), self.lower, self.upper)
        return seen


def observation_of(
    sim: Simulation,
    observe: Mapping[str, object] | Iterable[object] | str,
    actions: Sequence[Action],
    varied: Collection[str] = (),
) -> tuple[Observation, Names]:
    """Parts of an observation, and the values that formulas of rewards may name. `varied`: parameters that differ from
    episode to episode; limits that vary give no bounds. Raises UsageError."""
    channels = [channel for channel in sim.channels if channel.group not in ("reaction", "coupling_effort", "contact")]
    channels = channels[: len(sim.sample)]
    names = Names(tuple(one.name for one in channels), tuple(f"{one.name}{ACTION}" for one in actions))
    listed = (observe,) if isinstance(observe, str) or callable(observe) else observe
    named = cast("Mapping[str, object]", listed) if hasattr(listed, "items") else None
    is_fixed = not any(name.rpartition(".")[2] in LIMITS for name in varied)

    def bounds(place: int) -> tuple[float, float]:
        if place < len(channels):
            return _bounds(sim, channels[place], is_fixed=is_fixed)
        one = actions[place - len(channels)]
        return one.lower, one.upper

    parts: list[Watched] = []
    lower: list[float] = []
    upper: list[float] = []
    for said in listed if named is None else named.values():
        part, low, high = _part(sim, said, names, bounds)
        parts.append(part)
        lower += low
        upper += high
    if not lower:
        raise UsageError('nothing is observed: write observe=["JOINT/position", "JOINT/velocity"]')
    seen = () if named is None else _labels(named, parts, len(lower))
    return Observation(tuple(parts), np.array(lower), np.array(upper)), Names(names.channels, names.actions, seen)


def _labels(named: Mapping[str, object], parts: Sequence[Watched], size: int) -> tuple[str, ...]:
    """Names of observations, for formulas. Raises UsageError if a function returns several numbers."""
    for label, part in zip(named, parts, strict=True):
        if not isinstance(label, str) or not label.isidentifier():
            raise UsageError(f"{label!r} cannot name an observation: use letters, digits and _")
        if size != len(parts) and not isinstance(part, Formula):
            raise UsageError(f"'{label}' must be one number: list functions with several results without names")
    return tuple(named)


def _part(
    sim: Simulation, said: object, names: Names, bounds: Callable[[int], tuple[float, float]]
) -> tuple[Watched, list[float], list[float]]:
    if callable(said):
        size = len(_numbers(said(sim), said))
        return cast("Watched", said), [-math.inf] * size, [math.inf] * size
    if not isinstance(said, str):
        raise UsageError(f"an observation must be the name of a channel, a formula or a function, not {said!r}")
    formula = parse_formula(said, names.place) if not _is_channel(said, names) else _channel_formula(said, names)
    low, high = formula.range if formula.only is None else bounds(formula.only)
    return formula, [low], [high]


def _is_channel(said: str, names: Names) -> bool:
    """Whether a text is the literal name of a channel, whatever characters it has."""
    try:
        names.place(said)
    except UsageError:
        return False
    return True


def _channel_formula(said: str, names: Names) -> Formula:
    place = names.place(said)
    return Formula(said, f"v[{place}]")


def _bounds(sim: Simulation, channel: Channel, *, is_fixed: bool) -> tuple[float, float]:
    """Bounds of a position between hard stops or a limited effort, if these are fixed; 1 for parts of quaternions."""
    if is_fixed and channel.group in ("position", "effort"):
        axis = sim.mechanism.axes[channel.index].axis
        if channel.group == "effort":
            return -axis.effort, axis.effort
        if axis.stiffness < HARD:
            return -math.inf, math.inf
        room = BEYOND * (axis.upper - axis.lower) if math.isfinite(axis.upper - axis.lower) else BEYOND
        return axis.lower - room, axis.upper + room
    if channel.group == "time" or channel.name == "energy/kinetic":
        return 0.0, math.inf
    if channel.group == "pose" and channel.unit == "1":
        return -1.0, 1.0
    return -math.inf, math.inf


def _numbers(value: object, of: object) -> list[float]:
    try:
        return [float(number) for number in np.asarray(value, dtype=np.float64).reshape(-1)]
    except (TypeError, ValueError):
        raise UsageError(f"the observation {of!r} must return numbers, not {value!r}") from None
