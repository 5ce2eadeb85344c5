"""Numbers of the mechanism on show that can be varied and measured, and the study of a choice of these."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.engine.drives import Drive, DriveKind
from simulator.mechanism.varied import parameters_of
from simulator.model.names import distinct_tails, tail_name
from simulator.model.profiles import Constant
from simulator.records import dataclass
from simulator.session.commands.commands import SetDrive, SetNumber, SetPosition
from simulator.session.text.drive_text import format_drive
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from simulator.analysis.table import Table
    from simulator.gui.current_laws import CurrentLaws
    from simulator.recording.channels import Channel
    from simulator.session.commands.commands import Command
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Drives

NUMBER, START, DRIVE = "number", "start", "drive"
UNMOVED = ".initial_position"
"""Numbers that are starts, which have choices of their own."""
ASIDE = 0.2
"""Ends that are suggested: a fifth less and more than now."""
MEASURE = "measure"
"""What the study calls what is measured."""
MEASURED = ("position", "velocity", "effort", "actuator_position", "actuator_velocity", "actuator_effort", "energy",
            "hinge_position", "hinge_velocity")  # fmt: skip
"""Groups of channels that are offered."""
MODEL = re.compile(r"[^/]*::")
"""Of the name of a channel, what goes before the name of the joint."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("StudyChoices", text)


@dataclass(frozen=True)
class Choice:
    """Something that can be varied: a number of the mechanism, the start of an axis, or the command of a drive.
    `name`: its name in the study; `value`: at present [unit], between `lower` and `upper`. `target`: the axis or
    actuator that starts or is driven, `kind_of_drive` how."""

    kind: str
    name: str
    label: str
    unit: str
    value: float
    lower: float = -math.inf
    upper: float = math.inf
    target: str = ""
    axis: int = -1
    kind_of_drive: DriveKind | None = None

    def suggested(self) -> tuple[float, float]:
        """A range around the value of now."""
        room = ASIDE * abs(self.value) or (1.0 if math.isinf(self.upper) else 0.5 * self.upper)
        if self.kind != NUMBER:
            room = max(abs(self.value), 0.5)
        return max(self.value - room, self.lower), min(self.value + room, self.upper)

    def command(self, value: float) -> Command:
        """What gives the simulation on show that value."""
        if self.kind == START:
            return SetPosition(self.axis, value)
        if self.kind_of_drive is not None:
            return SetDrive(self.target, Drive(self.kind_of_drive, Constant(value)))
        return SetNumber(self.name, value)


@dataclass(frozen=True)
class Varied:
    """A choice, and the values that it takes."""

    choice: Choice
    begin: float
    end: float
    count: int

    @property
    def values(self) -> list[float]:
        """Evenly from end to end."""
        return [float(value) for value in np.linspace(self.begin, self.end, self.count)]


@dataclass(frozen=True)
class Course:
    """The course of each sample: it is simulated for `duration` [s], or `axis` is moved without time from `begin` to
    `end` [rad or m] at `speed` [rad/s or m/s]."""

    duration: float = 0.0
    axis: str = ""
    begin: float = 0.0
    end: float = 0.0
    speed: float = 0.0

    def leaves_idle(self, choice: Choice) -> bool:
        """Whether a choice changes nothing: without time there are no drives, and the axis that is moved starts where
        its move does."""
        return bool(self.axis) and (choice.kind == DRIVE or (choice.kind == START and choice.target == self.axis))

    def entries(self) -> dict[str, Any]:
        """As the table of a study has it."""
        if not self.axis:
            return {"duration": self.duration}
        sweep: dict[str, Any] = {"moves": {self.axis: [self.begin, self.end]}}
        return {"positions": sweep | ({"velocity": self.speed} if self.speed else {})}


@dataclass(frozen=True)
class Measurable:
    """A channel of a run or a column of a sweep that can be measured: its `name` in a study, and how it is shown."""

    name: str
    label: str
    unit: str


def choices_of(opened: Opened, laws: CurrentLaws, drives: Drives) -> tuple[Choice, ...]:
    """Numbers of the mechanism, as they are now, then drives that ask for a number, then starts."""
    numbers = [one for one in parameters_of(laws.now(), opened.world) if not one.name.endswith(UNMOVED)]
    labels = distinct_tails([one.name for one in numbers])
    found = [
        Choice(NUMBER, one.name, label, one.unit, one.value, one.lower, one.upper)
        for one, label in zip(numbers, labels, strict=True)
    ]
    axes = opened.mechanism.axes
    places = {axis.name: place for place, axis in enumerate(axes)}
    for target, drive in drives:
        if drive.level is None or (target.startswith(PREFIX) and drive.kind is not DriveKind.EFFORT):
            continue
        axis = axes[places[target]] if target in places else None
        unit = "N·m" if axis is None else axis.effort_unit if drive.kind is DriveKind.EFFORT else axis.unit
        unit += "/s" if drive.kind is DriveKind.VELOCITY else ""
        label = _tr("drive of {joint}").format(joint=tail_name(target).removeprefix(PREFIX))
        found.append(
            Choice(DRIVE, f"{target} drive", label, unit, drive.level, target=target, kind_of_drive=drive.kind)
        )
    for place in opened.mechanism.independent_axes():
        axis = axes[place]
        label = _tr("start of {joint}").format(joint=tail_name(axis.name))
        at = axis.axis.initial_position
        found.append(
            Choice(
                START, f"{axis.name} start", label, axis.unit, at, axis.axis.lower, axis.axis.upper, axis.name, place
            )
        )
    return tuple(found)


def measured_channels(channels: Sequence[Channel]) -> tuple[Measurable, ...]:
    """Channels of a run that a measure can be of."""
    return _measurable((one.name, one.unit) for one in channels if one.group in MEASURED)


def measured_columns(table: Table) -> tuple[Measurable, ...]:
    """Columns of a sweep that a measure can be of."""
    return _measurable(zip(table.names, table.units, strict=True))


def _measurable(named: Iterable[tuple[str, str]]) -> tuple[Measurable, ...]:
    found = [(name, unit) for name, unit in named if not set("(),") & set(name)]
    whole = [name.removeprefix("joint/") for name, _ in found]
    labels = [MODEL.sub("", name) for name in whole]
    seen = Counter(labels)
    return tuple(
        Measurable(name, short if seen[short] == 1 else long, unit)
        for (name, unit), short, long in zip(found, labels, whole, strict=True)
    )


def study_table(
    opened: Opened,
    laws: CurrentLaws,
    drives: Drives,
    *,
    solver: str,
    varied: Sequence[Varied],
    measure: str,
    course: Course,
) -> dict[str, Any]:
    """The study as the table of a TOML file: of the document with the numbers and drives that it has now."""
    chosen = {one.choice.name: one for one in varied}
    kept = {name: value for name, value in changed_numbers(laws).items() if name not in chosen}
    driven = {target: format_drive(drive) for target, drive in drives}
    for one in varied:
        if one.choice.kind_of_drive is not None:
            driven[one.choice.target] = f"{one.choice.kind_of_drive.value}:{{{one.choice.name}}}"
    starts = {one.choice.target: f"{{{one.choice.name}}}" for one in varied if one.choice.kind == START}
    parts: Mapping[str, Any] = {
        "document": str(opened.path.resolve()),
        **course.entries(),
        "solver": solver,
        "hold_base": opened.options.hold_base,
        "resource_paths": [str(path) for path in opened.options.resource_paths],
        "parameters": {**kept, **{name: {"values": one.values} for name, one in chosen.items()}},
        "drives": {} if course.axis else driven,
        "initial": starts,
        "measures": {MEASURE: measure},
    }
    return {name: value for name, value in parts.items() if value not in ({}, [], False)}


def changed_numbers(laws: CurrentLaws) -> dict[str, float]:
    """Numbers that differ from the document, those of laws too."""
    found: dict[str, float] = {}
    axes = laws.mechanism.axes
    for change in laws.changes:
        name = axes[laws.mechanism.couplings[change.coupling].follower].name
        now = laws.coupling(change.coupling)
        if now.curve is not None:
            continue  # a text is no number that a study could vary
        found |= {
            f"{name}.multiplier": now.multiplier,
            f"{name}.offset": now.offset,
            f"{name}.reference": now.reference,
        }
    return {**found, **dict(laws.numbers)}
