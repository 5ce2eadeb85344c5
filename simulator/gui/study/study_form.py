"""The controls of the panel: the varied numbers, the measure, and the course of each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QWidget

from simulator.errors import UsageError
from simulator.gui.fields import NoWheelComboBox, label
from simulator.gui.panels.panel import scrolled_column
from simulator.gui.study.course_row import CourseRow
from simulator.gui.study.search_box import SearchBox
from simulator.gui.study.varied_row import VariedRow
from simulator.records import dataclass

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QScrollArea

    from simulator.gui.study.choices import Choice, Course, Measurable, Varied
    from simulator.gui.units import Units

LONG, SHORT = 41, 21
"""Values that are suggested, for one number and for a second one."""
NAMES = 7
"""Letters of a reduction that are seen in a narrow panel."""


@dataclass(frozen=True)
class Question:
    """What a study asks: one or two things are `varied`; `measure` as studies have it, in `unit`, of what becomes of
    each sample on its `course`."""

    varied: tuple[Varied, ...]
    measure: str
    unit: str
    course: Course


class StudyForm(QWidget):
    """`start` begins the study, or ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = VariedRow(self.tr("Vary"), LONG, optional=False)
        self.second = VariedRow(self.tr("and"), SHORT, optional=True)
        self.reduction, self.channel, self.course = NoWheelComboBox(), SearchBox(), CourseRow()
        self.start = QPushButton()
        self._channels: tuple[Measurable, ...] = ()
        self._arrange()

    def offer_channels(self, channels: Sequence[Measurable]) -> None:
        """What can be measured."""
        self._channels = tuple(channels)
        self.channel.offer([channel.label for channel in channels])

    def offer(self, choices: Sequence[Choice]) -> None:
        """What can be varied, with the values of now."""
        self.first.offer(choices)
        self.second.offer(choices)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.first.set_units(units)
        self.second.set_units(units)
        self.course.set_units(units)

    def question(self) -> Question:
        """What is chosen. Raises UsageError, which says in the user's language what it lacks."""
        at = self.channel.currentIndex()
        try:
            rows = tuple(one for one in (self.first.varied(), self.second.varied()) if one is not None)
            course = self.course.course()
        except ValueError:
            rows = ()
        if not rows or not 0 <= at < len(self._channels):
            raise UsageError(self.tr("Write numbers for the range and the time."))
        if any(one.begin == one.end for one in rows) or len({one.choice.name for one in rows}) < len(rows):
            raise UsageError(self.tr("Vary two different numbers, each from one value to another."))
        if course.axis and course.begin == course.end:
            raise UsageError(self.tr("Move the joint from one position to another."))
        idle = [one.choice.label for one in rows if course.leaves_idle(one.choice)]
        if idle:
            raise UsageError(self.tr("A move without time does not depend on the {what}.").format(what=idle[0]))
        channel = self._channels[at]
        return Question(rows, f"{self.reduction.currentData()}({channel.name})", channel.unit, course)

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
        self.start.setProperty("primary", "true")
        grid = QGridLayout(self)
        measured = QHBoxLayout()
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(7, 1)
        self.first.into(grid, 0)
        self.second.into(grid, 2)
        measured.addWidget(self.reduction, 1)
        measured.addWidget(label(self.tr("of"), "muted"))
        measured.addWidget(self.channel, 2)
        measured.setSpacing(6)
        grid.addWidget(label(self.tr("measure"), "muted"), 4, 0)
        grid.addLayout(measured, 4, 1)
        self.course.into(grid, 5, self.start)
