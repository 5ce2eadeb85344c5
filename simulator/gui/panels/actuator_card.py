"""The controls of one actuator: its joints, its position, and its drive."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QHBoxLayout

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.fields import ElidingLabel, NumberLabel, RoomLabel, label, set_picture, tip
from simulator.gui.panels.drive_card import DriveCard
from simulator.gui.panels.drive_suggestion import DriveSuggestion
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, effort_text, number
from simulator.model.profiles import Constant
from simulator.records import dataclass


@dataclass(frozen=True)
class ActuatorText:
    """How an actuator is shown: `target` as in drives, `name` short, `law` of its position, `about` in words for the
    tool tip."""

    target: str
    name: str
    law: str
    about: str


class ActuatorCard(DriveCard):
    """`commanded` carries `SetDrive`."""

    def __init__(self, text: ActuatorText, suggestion: DriveSuggestion, tokens: Tokens, units: Units) -> None:
        super().__init__(text.target, text.name, suggestion, units)
        self.law = label(text.law, "law")
        self.speed, self.effort = NumberLabel("muted"), RoomLabel("muted")
        self._arrange(text)
        self._connect()
        self.set_tokens(tokens)
        self._kind_shown()

    def show_state(self, position: float, velocity: float, effort: float) -> None:
        """The newest numbers [SI]."""
        self._position = position
        units = self._units
        unit = self._suggestion.unit
        letter = "θ" if unit == "rad" else "x"
        where = number(position * units.factor_of(unit), units.decimals_of(unit))
        self.live.setText(f"{letter} = {where} {units.name_of(unit)}")
        speed = number(velocity * units.factor_of(unit), units.decimals_of(unit))
        self.speed.setText(f"{speed} {units.name_of(f'{unit}/s')}")
        acts = effort_text(effort, self._suggestion.effort_unit)
        self.effort.show_text(acts, acts)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        set_picture(self._picture, "joint-gearbox", tokens.accent)

    def set_units(self, units: Units) -> None:
        """Show other units; nothing is sent."""
        value = self.value.value() / self._factor()
        self._units = units
        self._kind_shown()
        self._set_quietly(value * self._factor())

    def _arrange(self, text: ActuatorText) -> None:
        first = QHBoxLayout()
        second = QHBoxLayout()
        last = QHBoxLayout()
        first.addWidget(self._picture)
        first.addWidget(ElidingLabel(text.name, "name"), 1)
        first.addWidget(self.live)
        self.value.setRange(-1e9, 1e9)
        last.addWidget(self.kind)
        last.addWidget(self.value)
        last.addWidget(self.effort, 1)
        self.law.setWordWrap(True)
        self.speed.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        second.addWidget(self.law, 1)
        second.addWidget(self.speed)
        for row in (first, second, last):
            row.setSpacing(8)
            self._column.addLayout(row)
        self._column.addWidget(self.message)
        self.setToolTip(tip(text.about))

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(lambda _index: self._kind_chosen())
        self.value.valueChanged.connect(lambda _value: self._send_value())

    def _kind_chosen(self) -> None:
        self._kind_shown()
        kind = self.drive_kind()
        if self.over_time:
            self._editor().offer(self._position, self._drive)
        elif kind is None:
            self._ask(None)
        else:
            first = self._position if kind is DriveKind.POSITION else 0.0
            self._set_quietly((self._suggestion.velocity if kind is DriveKind.VELOCITY else first) * self._factor())
            self._send_value()

    def _send_value(self) -> None:
        kind = self.drive_kind()
        if kind is not None:
            self._ask(Drive(kind, Constant(self.value.value() / self._factor())))

    def _show_value(self, kind: DriveKind, value: float) -> None:
        self._set_quietly(value * self._factor())

    def _kind_shown(self) -> None:
        self.note("")
        if self.profile is not None:
            self.profile.setVisible(self.over_time)
        kind = self.drive_kind()
        self.value.setVisible(kind is not None)
        if kind is not None:
            unit = self._suggestion.unit_of(kind)
            self.value.blockSignals(True)
            self.value.setDecimals(self._units.decimals_of(unit))
            self.value.setSuffix(f" {self._units.name_of(unit)}")
            self.value.blockSignals(False)

    def _factor(self) -> float:
        kind = self.drive_kind()
        return 1.0 if kind is None else self._units.factor_of(self._suggestion.unit_of(kind))

    def _set_quietly(self, value: float) -> None:
        self.value.blockSignals(True)
        self.value.setValue(value)
        self.value.blockSignals(False)
