"""Which curves there are: one per axis, the ideal follower of every coupling, residuals and energies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from simulator.gui.laws import short_names
from simulator.mechanism.types import Coupling, Mechanism
from simulator.recording.channels import Channel

DEFAULT_COUPLINGS = 4
DEFAULT_AXES = 6
IDEAL = "↳ ideal"
"""The ideal follower is listed right below its follower."""


class Group(str, Enum):
    """The quantity in the upper plots."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"
    ENERGY = "energy"


RESIDUAL_GROUPS = ("coupling", "loop_m", "loop_rad")


@dataclass(frozen=True)
class Series:
    """One curve. `column` is the channel that it is computed from; `coupling` is set for an ideal follower.

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

    def values(self, samples: NDArray[np.float64]) -> NDArray[np.float64]:
        """The curve from samples of its column."""
        if self.coupling is None:
            return samples
        law = self.coupling
        ideal: NDArray[np.float64] = law.multiplier * samples
        return ideal if "/" in self.unit else ideal + (law.offset - law.multiplier * law.reference)


def plan(mechanism: Mechanism, channels: Sequence[Channel], group: Group, colours: int = 8) -> tuple[Series, ...]:
    """All curves of a group in the order of the legend, residuals last."""
    energy = group is Group.ENERGY
    upper = _energies(channels, colours) if energy else _axes(mechanism, channels, group, colours)
    return (*upper, *_residuals(mechanism, channels, colours))


def _axes(mechanism: Mechanism, channels: Sequence[Channel], group: Group, colours: int) -> list[Series]:
    names = short_names(mechanism.axes)
    columns = {channel.index: (i, channel.unit) for i, channel in enumerate(channels) if channel.group == group.value}
    shown = default_axes(mechanism)
    couplings = {coupling.follower: coupling for coupling in mechanism.couplings}
    series: list[Series] = []
    for rank, axis in enumerate(_order(mechanism)):
        if axis not in columns:
            continue
        column, unit = columns[axis]
        line = Series(f"{group.value}/{axis}", names[axis], column, unit, *style(rank, colours), shown=axis in shown)
        series.append(line)
        coupling = couplings.get(axis)
        if coupling is not None and group is not Group.EFFORT and coupling.leader in columns:
            ideal = Series(
                f"{group.value}/{axis}/ideal", IDEAL, columns[coupling.leader][0], unit, -1, 1,
                coupling=coupling, shown=axis in shown,
            )  # fmt: skip
            series.append(ideal)
    return series


def _energies(channels: Sequence[Channel], colours: int) -> list[Series]:
    found = [(i, channel) for i, channel in enumerate(channels) if channel.group == "energy"]
    return [
        Series(channel.name, channel.name.split("/")[-1], i, channel.unit, *style(rank, colours), shown=True)
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
            label, rank = names[follower], ranks.get(follower, number)
            shown = channel.index < DEFAULT_COUPLINGS
        else:
            joint = mechanism.loop_joints[channel.index]
            what = "position" if channel.group == "loop_m" else "angle"
            label, rank = f"{joint.name.rsplit('::', 1)[-1]} {what}", len(ranks) + number
            shown = channel.index < DEFAULT_COUPLINGS
        line = Series(channel.name, label, column, channel.unit, *style(rank, colours), residual=True, shown=shown)
        series.append(line)
    return series


def default_axes(mechanism: Mechanism) -> frozenset[int]:
    """Axes shown at the start: leaders and followers of the first couplings, else the first independent axes."""
    chosen = mechanism.couplings[:DEFAULT_COUPLINGS]
    if chosen:
        return frozenset(axis for coupling in chosen for axis in (coupling.leader, coupling.follower))
    return frozenset(mechanism.independent_axes()[:DEFAULT_AXES])


def _order(mechanism: Mechanism) -> list[int]:
    """Axis indices with every follower right behind its leader, chains too."""
    followers: dict[int, list[int]] = {}
    for coupling in mechanism.couplings:
        followers.setdefault(coupling.leader, []).append(coupling.follower)
    order: list[int] = []

    def visit(axis: int) -> None:
        if axis not in order:
            order.append(axis)
            for follower in followers.get(axis, ()):
                visit(follower)

    following = mechanism.follower_axes()
    for axis in (*(i for i in range(len(mechanism.axes)) if i not in following), *range(len(mechanism.axes))):
        visit(axis)
    return order


def style(rank: int, colours: int) -> tuple[int, int]:
    """Colour and dash pattern of the curve of that rank: first all colours solid, then the same dotted, and so on."""
    turn = rank // colours
    return rank % colours, 0 if turn == 0 else 2 + (turn - 1) % 2
