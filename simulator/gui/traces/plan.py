"""Which curves there are: one per axis, the ideal follower of every coupling, free bodies, actuators, residuals and
energies.

Accelerations are rates of recorded velocities, powers of drives products of recorded efforts and velocities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.gui.laws import short_names
from simulator.gui.traces.free_bodies import DEFAULT_BODIES, QUATERNION, angles, links_of, parts_of, turn_names
from simulator.mechanism.curved import CurvedLaw
from simulator.mechanism.types import Coupling, Mechanism
from simulator.model.names import distinct_tails, tail_name
from simulator.model.tape import NEAREST_TURN
from simulator.recording.channels import Channel
from simulator.records import dataclass
from simulator.spatial.arrays import Array
from simulator.transmissions.actuators import PREFIX as ACTUATOR

DEFAULT_COUPLINGS = 4
DEFAULT_AXES = 6


class Group(str, Enum):
    """The quantity in the upper plots."""

    POSITION = "position"
    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    EFFORT = "effort"
    POWER = "power"
    ENERGY = "energy"

    @property
    def recorded(self) -> str:
        """The group of channels that its curves begin with."""
        return {Group.ACCELERATION: "velocity", Group.POWER: "effort"}.get(self, self.value)


RESIDUAL_GROUPS = ("coupling", "loop_m", "loop_rad")


@dataclass(frozen=True)
class Series:
    """One curve. `column` is the channel that it is computed from; `coupling` is set for an ideal follower, and `more`
    are the channels of its further leaders then. With `delta` it is the follower, the last of `more`, less the ideal.
    `turn` is set for an angle of a free body: 0 roll, 1 pitch, 2 yaw, of the quaternion in its four channels.
    With `rate` it is what changes per second, with `power` the product of `column` and the one of `more`.

    `colour` and `dash` are numbers of the palette and of the dash patterns (0 solid); `shown` at the start.
    """

    key: str
    label: str
    column: int
    unit: str
    colour: int
    dash: int = 0
    coupling: Coupling | None = None
    residual: bool = False
    shown: bool = False
    more: tuple[int, ...] = ()
    actuator: bool = False
    delta: bool = False
    turn: int | None = None
    rate: bool = False
    power: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """All channels that the curve is computed from."""
        return (self.column, *self.more)

    def values(self, times: Array, samples: Array, *more: Array) -> Array:
        """The curve from samples of its columns at these times [s], all of shape (n,)."""
        if self.power:
            return samples * more[0]
        curve = self._curve(samples, *more)
        return slope(times, curve) if self.rate else curve

    def _curve(self, samples: Array, *more: Array) -> Array:
        if self.turn is not None:
            return angles(self.turn, samples, *more)
        if self.coupling is None:
            return samples
        if self.coupling.curve is not None and self.coupling.curve.law is not None:
            return _along_curve(self.coupling.curve, samples, more[-1] if self.delta else None)
        law, *others = self.coupling, *more
        follower = others.pop() if self.delta else samples
        ideal: Array = law.multiplier * samples
        for (_, multiplier), other in zip(law.others, others, strict=True):
            ideal = ideal + multiplier * other
        ideal = ideal if "/" in self.unit else ideal + law.constant
        return follower - ideal if self.delta else ideal


def _along_curve(curve: CurvedLaw, leader: Array, follower: Array | None) -> Array:
    """What a law that is no straight line asks for, or what a follower is beyond that; without the jumps of atan2,
    beyond which a turning follower continues."""
    tape = curve.tape if curve.law is None else curve.law.tape
    asked: Array = tape.expand(leader[:, None]).value
    goes_on = curve.tape.uses(NEAREST_TURN)
    if follower is None:
        return np.unwrap(asked) if goes_on else asked
    beyond = follower - asked
    return beyond - 2.0 * math.pi * np.round(beyond / (2.0 * math.pi)) if goes_on else beyond


def slope(times: Array, values: Array) -> Array:
    """What a curve (n,) changes by per second: between the neighbours of each point, where steps are alike the central
    difference; 0 where there is one point only."""
    if len(times) < 2:
        return np.zeros(len(times))
    found: Array = np.gradient(values, times)
    return found


def plan(
    mechanism: Mechanism,
    channels: Sequence[Channel],
    group: Group,
    driven: frozenset[str] = frozenset(),
    colours: int = 8,
) -> tuple[Series, ...]:
    """All curves of a group in the order of the legend: axes, free bodies, actuators, hinges of balls, residuals.
    `driven`: names of axes that are shown at the start, too."""
    energy = group is Group.ENERGY
    upper = _energies(channels, colours) if energy else _axes(mechanism, channels, group, driven, colours)
    actuators = _actuators(len(mechanism.axes), channels, group, colours)
    hinges = _hinges(len(mechanism.axes) + len(actuators), channels, group, colours)
    residuals = (*_deltas(mechanism, channels, group, colours), *_residuals(mechanism, channels, colours))
    return (*upper, *_free_bodies(mechanism, channels, group, colours), *actuators, *hinges, *residuals)


def _axes(
    mechanism: Mechanism, channels: Sequence[Channel], group: Group, driven: frozenset[str], colours: int
) -> list[Series]:
    names = short_names(mechanism.axes)
    columns = {
        channel.index: (i, _unit(channel, group)) for i, channel in enumerate(channels) if _is_of(channel, group)
    }
    speeds = {channel.index: i for i, channel in enumerate(channels) if _is_of(channel, Group.VELOCITY)}
    rate, power = group is Group.ACCELERATION, group is Group.POWER
    shown = default_axes(mechanism) | {axis for axis, info in enumerate(mechanism.axes) if info.name in driven}
    couplings = {coupling.follower: coupling for coupling in mechanism.couplings}
    series: list[Series] = []
    for rank, axis in enumerate(_order(mechanism)):
        if axis not in columns:
            continue
        column, unit = columns[axis]
        line = Series(
            f"{group.value}/{axis}", names[axis], column, unit, *style(rank, colours),
            shown=axis in shown, more=(speeds[axis],) if power else (), rate=rate, power=power,
        )  # fmt: skip
        series.append(line)
        coupling = couplings.get(axis)
        if (
            coupling is not None
            and group.recorded != Group.EFFORT.value
            and all(a in columns for a, _ in coupling.leaders)
            and _has_ideal(coupling, group)
        ):
            first, *more = (columns[leader][0] for leader, _ in coupling.leaders)
            ideal = Series(
                f"{group.value}/{axis}/ideal", _tr("↳ ideal"), first, unit, -1, 1,
                coupling=coupling, shown=axis in shown, more=tuple(more), rate=rate,
            )  # fmt: skip
            series.append(ideal)
    return series


def _has_ideal(coupling: Coupling, group: Group) -> bool:
    """Whether the follower's curve follows from the leaders' alone: along a curve its velocity does not, and a
    constraint is solved for nothing."""
    return coupling.curve is None or (coupling.curve.law is not None and group is Group.POSITION)


def _free_bodies(mechanism: Mechanism, channels: Sequence[Channel], group: Group, colours: int) -> list[Series]:
    """What floats, part by part. Without axes the first bodies are shown: their places, or their velocities."""
    series: list[Series] = []
    for number, (name, places) in enumerate(links_of(channels)):
        shown = not mechanism.axes and number < DEFAULT_BODIES
        for part, unit in parts_of(group.value):
            look = style(len(mechanism.axes) + len(series), colours)
            label = f"{name} {part.replace('w', 'ω')}"
            key = f"{group.value}/link/{name}/{part}"
            series.append(Series(key, label, places[part], unit, *look, shown=shown and unit.startswith("m")))
        for turn, word in enumerate(turn_names() if group is Group.POSITION else ()):
            look = style(len(mechanism.axes) + len(series), colours)
            first, *more = (places[part] for part in QUATERNION)
            key = f"{group.value}/link/{name}/turn{turn}"
            series.append(Series(key, f"{name} {word}", first, "rad", *look, more=tuple(more), turn=turn))
    return series


def _deltas(mechanism: Mechanism, channels: Sequence[Channel], group: Group, colours: int) -> list[Series]:
    """Every follower less what its law asks for: by velocities beside these, else by positions."""
    names = short_names(mechanism.axes)
    quantity = Group.VELOCITY if group is Group.VELOCITY else Group.POSITION
    ranks = {axis: rank for rank, axis in enumerate(_order(mechanism))}
    columns = {channel.index: i for i, channel in enumerate(channels) if _is_of(channel, quantity)}
    found = []
    for law in mechanism.couplings:
        if all(axis in columns for axis, _ in law.terms) and _has_ideal(law, quantity):
            first, *more = (columns[axis] for axis, _ in law.leaders)
            follower, rank = columns[law.follower], ranks[law.follower]
            label = _tr("{joint} − ideal").format(joint=names[law.follower])
            series = Series(
                f"{quantity.value}/{law.follower}/delta", label, first, channels[follower].unit, *style(rank, colours),
                coupling=law, residual=True, more=(*more, follower), delta=True,
            )  # fmt: skip
            found.append(series)
    return found


def _is_of(channel: Channel, group: Group) -> bool:
    return channel.group == group.recorded and not channel.name.startswith(ACTUATOR)


def _unit(channel: Channel, group: Group) -> str:
    if group is Group.POWER:
        return "W"
    return channel.unit.removesuffix("/s") + "/s²" if group is Group.ACCELERATION else channel.unit


def _actuators(n_axes: int, channels: Sequence[Channel], group: Group, colours: int) -> list[Series]:
    """What the actuators do, by the names of their channels: actuator/NAME/position."""
    tail = f"/{group.recorded}"
    speeds = {channel.name: i for i, channel in enumerate(channels)}
    found = [
        (i, channel, channel.name.removeprefix(ACTUATOR).removesuffix(tail))
        for i, channel in enumerate(channels)
        if channel.name.startswith(ACTUATOR) and channel.name.endswith(tail)
    ]
    short = distinct_tails([name for _, _, name in found])
    return [
        Series(
            f"{channel.name.removesuffix(tail)}/{group.value}",
            name,
            i,
            _unit(channel, group),
            *style(n_axes + rank, colours),
            actuator=True,
            rate=group is Group.ACCELERATION,
            power=group is Group.POWER,
            more=(speeds[f"{channel.name.removesuffix(tail)}/velocity"],) if group is Group.POWER else (),
        )
        for rank, ((i, channel, _), name) in enumerate(zip(found, short, strict=True))
    ]


def _hinges(first: int, channels: Sequence[Channel], group: Group, colours: int) -> list[Series]:
    """Curves of hinges that are one ball joint, by the names of their channels: joint/NAME/position. The first has
    the colour number `first`."""
    found = [(i, channel) for i, channel in enumerate(channels) if channel.group == f"hinge_{group.value}"]
    short = distinct_tails([channel.name.split("/")[1] for _, channel in found])
    return [
        Series(channel.name, name, i, channel.unit, *style(first + rank, colours))
        for rank, ((i, channel), name) in enumerate(zip(found, short, strict=True))
    ]


def _energies(channels: Sequence[Channel], colours: int) -> list[Series]:
    found = [(i, channel) for i, channel in enumerate(channels) if channel.group == "energy"]
    return [
        Series(
            channel.name,
            _energy_names().get(channel.name.split("/")[-1], channel.name),
            i,
            channel.unit,
            *style(rank, colours),
            shown=True,
        )
        for rank, (i, channel) in enumerate(found)
    ]


def _residuals(mechanism: Mechanism, channels: Sequence[Channel], colours: int) -> list[Series]:
    names = short_names(mechanism.axes)
    ranks = {axis: rank for rank, axis in enumerate(_order(mechanism))}
    series: list[Series] = []
    found = [(i, channel) for i, channel in enumerate(channels) if channel.group in RESIDUAL_GROUPS]
    for number, (column, channel) in enumerate(found):
        if channel.group == "coupling":
            follower = mechanism.couplings[channel.index].follower
            label = names[follower]
            rank = ranks.get(follower, number)
            shown = channel.index < DEFAULT_COUPLINGS
        else:
            joint = mechanism.loop_joints[channel.index]
            what = _tr("position") if channel.group == "loop_m" else _tr("angle")
            label = f"{tail_name(joint.name)} {what}"
            rank = len(ranks) + number
            shown = channel.index < DEFAULT_COUPLINGS
        line = Series(channel.name, label, column, channel.unit, *style(rank, colours), residual=True, shown=shown)
        series.append(line)
    return series


def why_nothing(group: Group, series: Sequence[Series]) -> str:
    """What is said of a group of which no curve is on show."""
    if series:
        return _tr("No channel is checked. Check one in the list of channels, or drag a joint here.")
    if group in (Group.EFFORT, Group.POWER):
        return _tr("This world has no efforts: it has no joint that a drive could move.")
    return _tr("This world has no channels: no joint moves in it, and no body floats.")


def _energy_names() -> dict[str, str]:
    return {
        "kinetic": _tr("kinetic"), "potential": _tr("potential"), "work": _tr("work"), "loads": _tr("loads"),
        "dissipated": _tr("dissipated"), "contact": _tr("contact"), "overlap": _tr("overlap"), "error": _tr("error"),
    }  # fmt: skip


def _tr(text: str) -> str:
    return QCoreApplication.translate("Traces", text)


def default_axes(mechanism: Mechanism) -> frozenset[int]:
    """Axes shown at the start: the first independent axes, and leaders and followers of the first couplings."""
    coupled = (axis for coupling in mechanism.couplings[:DEFAULT_COUPLINGS] for axis, _ in coupling.terms)
    return frozenset((*coupled, *mechanism.independent_axes()[:DEFAULT_AXES]))


def _order(mechanism: Mechanism) -> list[int]:
    """Axis indices with every follower right behind its leader, chains too."""
    followers: dict[int, list[int]] = {}
    for coupling in mechanism.couplings:
        followers.setdefault(coupling.leader, []).append(coupling.follower)
    following = mechanism.follower_axes()
    starts = (*(i for i in range(len(mechanism.axes)) if i not in following), *range(len(mechanism.axes)))
    order: dict[int, None] = {}
    for start in starts:
        waiting = [start]
        while waiting:
            axis = waiting.pop()
            if axis not in order:
                order[axis] = None
                waiting += reversed(followers.get(axis, []))
    return list(order)


def style(rank: int, colours: int) -> tuple[int, int]:
    """Colour and dash pattern of the curve of that rank: first all colours solid, then the same dotted, and so on."""
    turn = rank // colours
    return rank % colours, 0 if turn == 0 else 2 + (turn - 1) % 2
