"""Numbers of dimensions in the view, and the commands that change their values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.laws import law_names, law_text
from simulator.gui.undo import command_of
from simulator.gui.units import Units, compact, effort_text
from simulator.model.names import tail_name
from simulator.model.profiles import Constant
from simulator.records import dataclass
from simulator.session.commands.commands import SetCoupling, SetDrive, SetNumber, SetPosition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.engine.snapshot import Snapshot
    from simulator.gui.relations import Relations
    from simulator.session.commands.commands import Command

    Ask = Callable[[float], Command]
    Live = Callable[[Snapshot], "Number"]

DIGITS = 5
"""Of a length or a ratio."""


@dataclass(frozen=True, eq=False)
class Number:
    """A number at a dimension: `key`, what it is known by from picture to picture, `text` with its unit, and `what` it
    is. `value` [SI] is shown as `factor` · value `unit`. `ask` makes the command that gives it another value [SI]; None
    where it cannot have one, for a `reason`. `axis`: of which it is the position."""

    key: str
    text: str
    what: str
    value: float
    unit: str
    factor: float = 1.0
    ask: Ask | None = None
    reason: str = ""
    axis: int | None = None

    @property
    def tip(self) -> str:
        """What it is, and what can be done with it."""
        return f"{self.what}\n{self.reason or _tr('Click to change it')}"


@dataclass(frozen=True)
class DimensionNumbers:
    """Makes the numbers of a mechanism. `held`: by the name of what is driven, what of it, and whether that changes
    over time."""

    relations: Relations
    held: Mapping[str, tuple[DriveKind, bool]]
    free_axes: tuple[int, ...]
    units: Units

    def length(self, key: str, link: str, value: float, reason: str) -> Number:
        """The length of a link [m], or for a `reason` only a distance on it."""
        factor = self.units.factor_of("m")
        unit = self.units.name_of("m")
        name = tail_name(link)
        what = (_tr("Distance of joints on {name}") if reason else _tr("Length of {name}")).format(name=name)
        ask: Ask | None = None if reason else partial(SetNumber, f"{link}.length")
        return Number(key, f"{compact(value * factor, DIGITS)} {unit}", what, value, unit, factor, ask, reason)

    def position(self, axis: int) -> Live:
        """The position of an axis: of a moment, what is written there."""
        info = self.relations.mechanism.axes[axis]
        kind, over_time = self.held.get(info.name, (None, False))
        key = f"{info.name} position"
        what = _tr("Position of {name}").format(name=tail_name(info.name))
        unit, factor = self.units.unit(info), self.units.factor(info)
        ask: Ask | None = self._put(axis) if kind is None else partial(_driven, info.name, DriveKind.POSITION)
        reason = _tr("Driven over time: change that in Joints") if over_time else ""
        if kind is not None and kind is not DriveKind.POSITION:
            reason = _tr("Its {kind} is driven: choose another drive in Joints").format(kind=_tr(kind.value))

        def at(snapshot: Snapshot) -> Number:
            value = float(snapshot.position[axis])
            text = self.units.text(info, value)
            return Number(key, text, what, value, unit, factor, None if reason else ask, reason, axis)

        return at

    def effort(self, axis: int) -> Live | None:
        """The effort of the drive of an axis; None where it has none."""
        info = self.relations.mechanism.axes[axis]
        kind, over_time = self.held.get(info.name, (None, False))
        if kind is None:
            return None
        key = f"{info.name} effort"
        what = _tr("Effort of the drive of {name}").format(name=tail_name(info.name))
        reason = _tr("Driven over time: change that in Joints") if over_time else ""
        if kind is not DriveKind.EFFORT:
            reason = _tr("The effort that holds its {kind}").format(kind=_tr(kind.value))
        ask: Ask | None = None if reason else partial(_driven, info.name, DriveKind.EFFORT)

        def at(snapshot: Snapshot) -> Number:
            value = float(snapshot.effort[axis])
            return Number(
                key, effort_text(value, info.effort_unit), what, value, info.effort_unit, ask=ask, reason=reason
            )

        return at

    def ratio(self, coupling: int, leader: int) -> Number:
        """How far the follower of a coupling moves for each unit of one of its leaders, by their number."""
        mechanism = self.relations.mechanism
        law = mechanism.couplings[coupling]
        axis, value = law.leaders[leader]
        own = mechanism.axes[law.follower]
        other = mechanism.axes[axis]
        factor, unit = self.units.quotient("1" if own.unit == other.unit else f"{own.unit}/{other.unit}")
        text = f"× {compact(value * factor, DIGITS)} {unit}".rstrip()
        what = law_text(law, law_names(law, mechanism.axes))
        return Number(
            f"{own.name} {leader}", text, what, value, unit, factor, partial(_with_ratio, self, coupling, leader)
        )

    def _put(self, axis: int) -> Ask:
        """The other freedoms stay where loops leave them a choice."""
        others = self.relations.mechanism.loop_joints and axis in self.free_axes
        held = tuple(other for other in self.free_axes if other != axis) if others else ()
        return lambda value: SetPosition(axis, value, held)


def _driven(name: str, kind: DriveKind, value: float) -> SetDrive:
    return SetDrive(name, Drive(kind, Constant(value)))


def _with_ratio(numbers: DimensionNumbers, coupling: int, leader: int, value: float) -> SetCoupling:
    now = command_of(coupling, numbers.relations.mechanism.couplings[coupling])
    multiplier, offset, reference = now.multiplier, now.offset, now.reference
    others = list(now.others)
    if leader == 0:
        multiplier = value
    else:
        others[leader - 1] = value
    return SetCoupling(coupling, multiplier, offset, reference, tuple(others))


def _tr(text: str) -> str:
    return QCoreApplication.translate("DimensionNumbers", text)
