"""The controls of the panel: what is varied, what is measured, how long each sample is simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QWidget

from simulator.errors import UsageError
from simulator.gui.fields import NoWheelComboBox, label, scaled
from simulator.gui.laws import distinct_tails
from simulator.gui.number_field import NumberField, parse_number
from simulator.gui.panels.panel import scrolled_column
from simulator.gui.study.search_box import SearchBox
from simulator.gui.study.varied_row import VariedRow

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QScrollArea

    from simulator.gui.study.choices import Choice, Varied
    from simulator.gui.units import Units
    from simulator.recording.channels import Channel

LONG, SHORT = 41, 21
"""Values that are suggested, for one number and for a second one."""
DURATION = 2.0
NAMES = 7
"""Letters of a reduction that are seen in a narrow panel."""


@dataclass(frozen=True)
class Question:
    """What a study asks: one or two things are `varied`; `measure` as studies have it, in `unit`; each sample lasts
    `duration` [s]."""

    varied: tuple[Varied, ...]
    measure: str
    unit: str
    duration: float


class StudyForm(QWidget):
    """`start` begins the study, or ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = VariedRow(self.tr("Vary"), LONG, optional=False)
        self.second = VariedRow(self.tr("and"), SHORT, optional=True)
        self.reduction, self.channel, self.duration = NoWheelComboBox(), SearchBox(), NumberField()
        self.start = QPushButton()
        self._channels: tuple[Channel, ...] = ()
        self._arrange()

    def offer_channels(self, channels: Sequence[Channel]) -> None:
        """What can be measured."""
        self._channels = tuple(channels)
        self.channel.offer(distinct_tails([channel.name.removeprefix("joint/") for channel in channels]))

    def offer(self, choices: Sequence[Choice]) -> None:
        """What can be varied, with the values of now."""
        self.first.offer(choices)
        self.second.offer(choices)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.first.set_units(units)
        self.second.set_units(units)

    def question(self) -> Question:
        """What is chosen. Raises UsageError, which says in the user's language what it lacks."""
        duration, at = parse_number(self.duration.text()), self.channel.currentIndex()
        try:
            rows = tuple(one for one in (self.first.varied(), self.second.varied()) if one is not None)
        except ValueError:
            rows = ()
        if not rows or duration is None or duration <= 0.0 or not 0 <= at < len(self._channels):
            raise UsageError(self.tr("The range and the time are numbers."))
        if any(one.begin == one.end for one in rows) or len({one.choice.name for one in rows}) < len(rows):
            raise UsageError(self.tr("Vary two different numbers, each from one value to another."))
        channel = self._channels[at]
        return Question(rows, f"{self.reduction.currentData()}({channel.name})", channel.unit, duration)

    def scrolled(self) -> QScrollArea:
        """The form where there may be too little room for it."""
        area = scrolled_column()
        area.setWidget(self)
        return area

    def _arrange(self) -> None:
        names = {
            "max": self.tr("largest"), "min": self.tr("smallest"), "peak_to_peak": self.tr("range"),
            "peak": self.tr("largest magnitude"), "mean": self.tr("mean"), "rms": self.tr("RMS"),
            "initial": self.tr("first"), "final": self.tr("last"),
        }  # fmt: skip
        for key, name in names.items():
            self.reduction.addItem(name, key)
        self.reduction.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.reduction.setMinimumContentsLength(NAMES)
        self.reduction.setAccessibleName(self.tr("What is measured of a channel"))
        self.channel.setAccessibleName(self.tr("Channel that is measured"))
        self.duration.setAccessibleName(self.tr("Simulated time of a sample [s]"))
        self.duration.setFixedWidth(scaled(56))
        self.duration.show_value(DURATION)
        self.start.setProperty("primary", "true")
        grid, measured, last = QGridLayout(self), QHBoxLayout(), QHBoxLayout()
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(6, 1)
        self.first.into(grid, 0)
        self.second.into(grid, 2)
        measured.addWidget(self.reduction, 1)
        measured.addWidget(label(self.tr("of"), "muted"))
        measured.addWidget(self.channel, 2)
        last.addWidget(self.duration)
        last.addWidget(label("s", "muted"))
        last.addStretch(1)
        last.addWidget(self.start)
        for row, (text, line) in enumerate(((self.tr("measure"), measured), (self.tr("in"), last)), start=4):
            line.setSpacing(6)
            grid.addWidget(label(text, "muted"), row, 0)
            grid.addLayout(line, row, 1)
