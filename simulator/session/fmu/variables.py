"""The variables of an FMU, and where their numbers go in the memory of its mechanism."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from simulator.engine.core import UNBOUNDED_EFFORT
from simulator.engine.drives import Drive, DriveKind, Setpoint
from simulator.engine.refusals import require_drivable
from simulator.errors import UsageError
from simulator.model.profiles import Constant
from simulator.physics.impact.motors import START
from simulator.physics.layout import row_layout as row_at
from simulator.recording.channels import channels_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.engine import Engine
    from simulator.engine.flattened import Flattened
    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import CommandRange

WORD = 8
OUTPUT, INPUT, PARAMETER = "output", "input", "parameter"
"""Causalities of variables."""
PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
REFUSED = re.compile(r"[^ -~]|['\"\\`]")
"""What a quoted name cannot contain."""
COMMANDED = {DriveKind.POSITION: "", DriveKind.VELOCITY: "/s", DriveKind.EFFORT: ""}


@dataclass(frozen=True)
class Variable:
    """A number that an importer reads or writes. `start`: of inputs and parameters. `lower` to
    `upper` bound inputs, and other values of parameters are refused. `column`: of outputs, in a row of all channels."""

    name: str
    causality: str
    unit: str
    description: str
    start: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    column: int = 0


@dataclass(frozen=True)
class Term:
    """`factor` times what a variable has more than `origin`."""

    variable: str
    factor: float = 1.0
    origin: float = 0.0


@dataclass(frozen=True)
class Target:
    """A number of the image, at byte `place`: `base` plus a sum, written when variables of `causality` take effect."""

    causality: str
    place: int
    base: float
    terms: tuple[Term, ...]


def structured(*parts: str) -> str:
    """A name of the naming convention "structured": parts between dots, quoted where they are no identifiers."""
    return ".".join(part if PLAIN.fullmatch(part) else f"'{REFUSED.sub('_', part)}'" for part in parts)


def only_model(mechanism: Mechanism) -> str:
    """The name of the model that everything belongs to, with `::`; empty where there are several."""
    names = {info.name.partition("::")[0] for info in mechanism.axes}
    names |= {link.name.partition("::")[0] for body in mechanism.bodies for link in body.links}
    return f"{names.pop()}::" if len(names) == 1 else ""


def short(name: str, model: str) -> str:
    """A name without that of the only model."""
    return name.removeprefix(model) or name


def outputs_of(engine: Engine) -> list[Variable]:
    """All channels of a recording but the time."""
    model = only_model(engine.mechanism)
    found = []
    for column, channel in enumerate(channels_of(engine.mechanism, engine.actuation.actuators)):
        kind, _, rest = channel.name.partition("/")
        owner, _, quantity = rest.rpartition("/")
        parts = short(owner, model).split("::") if owner else ()
        name = structured(*filter(None, (kind, *parts, quantity)))
        if channel.group != "time":
            found.append(Variable(name, OUTPUT, channel.unit, channel.name, column=column))
    return found


def constant(drive: Drive) -> Drive:
    """The drive with what it asks for at the start: an importer varies it."""
    return Drive(drive.kind, Constant(drive.profile.value(0.0)), drive.gains)


class Inputs:
    """The commands of an engine whose drives are numbers, as `variables` and `targets` of an image of it."""

    def __init__(self, engine: Engine, flat: Flattened) -> None:
        self.variables: list[Variable] = []
        self._engine = engine
        self._places = flat.image.tables["advance"].arguments
        self._motor_lines = flat.motor_lines
        self._model = only_model(engine.mechanism)
        self._terms: dict[int, list[Term]] = {}
        self._servos = {one.actuator if one.actuator >= 0 else -1 - one.terms[0][0]: place
                        for place, one in enumerate(engine.actuation.following())}  # fmt: skip
        for axis, info in enumerate(engine.mechanism.axes):
            if not info.hidden:
                self._add_axis(axis)
        for index in range(len(engine.actuation.actuators)):
            self._add_actuator(index)

    @property
    def targets(self) -> list[Target]:
        """Where commands go."""
        return [Target(INPUT, place, 0.0, tuple(terms)) for place, terms in sorted(self._terms.items())]

    def _add_axis(self, axis: int) -> None:
        engine, info = self._engine, self._engine.mechanism.axes[axis]
        drive = engine.actuation.axis_drives.get(axis) or Drive(DriveKind.EFFORT, Constant(0.0))
        try:
            require_drivable(engine.mechanism, axis, Setpoint(drive.kind, 0.0), engine.dynamics)
        except UsageError:  # a follower
            return
        lower, upper = _range(info.axis.commands, drive.kind)
        bounds = info.axis
        if drive.gains is not None:
            name = self._add(drive, info.name, info.unit, (lower, upper))
            self._follow(name, self._servos[-1 - axis], drive.kind)
        elif drive.kind is DriveKind.EFFORT:
            most = float(engine.core.effort_limit[axis])
            name = self._add(drive, info.name, info.effort_unit, (max(lower, -most), min(upper, most)))
            self._push(name, axis, 1.0)
        else:
            if drive.kind is DriveKind.VELOCITY:
                lower, upper = max(lower, -bounds.velocity), min(upper, bounds.velocity)
            elif bounds.lower <= bounds.upper:
                lower, upper = max(lower, bounds.lower), min(upper, bounds.upper)
            name = self._add(drive, info.name, info.unit, (lower, upper))
            self._move(name, self._motor_lines[axis], drive.kind)

    def _add_actuator(self, index: int) -> None:
        actuation = self._engine.actuation
        actuators = actuation.actuators
        drive = actuation.actuator_drives.get(index) or Drive(DriveKind.EFFORT, Constant(0.0))
        name = actuators.names[index]
        if index in self._servos:
            self._follow(self._add(drive, name, "rad", (-math.inf, math.inf)), self._servos[index], drive.kind)
            return
        limit = self._engine.core.effort_limit
        terms = actuators.terms(index)
        most = min((float(limit[axis]) / abs(factor) for axis, factor in terms), default=0.0)
        added = self._add(drive, name, "N·m", (-most, most))
        for axis, factor in terms:
            self._push(added, axis, factor)
        for table in ("pushes", "pushes_after"):
            self._terms[self._word(f"journal.orders.{table}", index)] = [Term(added)]

    def _add(self, drive: Drive, owner: str, unit: str, bounds: tuple[float, float]) -> str:
        kind = drive.kind.value
        name = structured("drive", *short(owner, self._model).split("::"), kind)
        bounded = bounds[0] > -UNBOUNDED_EFFORT and bounds[1] < UNBOUNDED_EFFORT
        text = f"{kind} command to {owner}" + (f", bounded to {bounds[0]:g} to {bounds[1]:g}" if bounded else "")
        unit = f"{unit}{COMMANDED[drive.kind]}"
        self.variables.append(Variable(name, INPUT, unit, text, drive.profile.value(0.0), *bounds))
        return name

    def _word(self, table: str, index: int) -> int:
        return self._places[table].offset + WORD * index

    def _push(self, name: str, axis: int, factor: float) -> None:
        for table in ("efforts", "efforts_after"):
            self._terms.setdefault(self._word(f"journal.orders.{table}", axis), []).append(Term(name, factor))

    def _move(self, name: str, line: int, kind: DriveKind) -> None:
        columns = self._places["lines.1"].shape[1]
        for column in (row_at.GOAL, START) if kind is DriveKind.VELOCITY else (row_at.GOAL,):
            self._terms[self._word("lines.1", line * columns + column)] = [Term(name)]

    def _follow(self, name: str, servo: int, kind: DriveKind) -> None:
        """The value to follow at both ends of a step; of velocities the rates are the velocities."""
        for column in (0, 3) if kind is DriveKind.POSITION else range(4):
            self._terms[self._word("journal.orders.servo_asked", 4 * servo + column)] = [Term(name)]


def _range(ranges: Iterable[CommandRange], kind: DriveKind) -> tuple[float, float]:
    """What a document allows to command."""
    of_kind = [item for item in ranges if item.kind == kind.value]
    return max((item.lower for item in of_kind), default=-math.inf), min((i.upper for i in of_kind), default=math.inf)


def distinct(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables. Raises UsageError where two have one name, as names that differ in letters beyond ASCII do."""
    found: dict[str, Variable] = {}
    for variable in variables:
        if variable.name in found:
            raise UsageError(f"two variables of the FMU would be {variable.name}: rename a joint or link")
        found[variable.name] = variable
    return tuple(found.values())
