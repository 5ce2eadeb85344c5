"""The controls of the course of a sample: it is simulated for a while, or one joint is moved without time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QObject, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from simulator.gui.fields import NoWheelComboBox, PlainLabel, label, scaled
from simulator.gui.number_field import NumberField
from simulator.gui.study.choices import Course
from simulator.gui.units import Units
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import AxisInfo

DURATION = 2.0
NARROW, WIDE = 40, 84
"""Widths of a number, see `scaled`."""
NAMES = 7
"""Letters of an entry that are seen in a narrow panel."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("CourseRow", text)


@dataclass(frozen=True)
class Driver:
    """A joint that can be moved: `axis` is its place; `label`, how it is shown; `ends`, what is suggested [SI]."""

    axis: int
    info: AxisInfo
    label: str
    ends: tuple[float, float]


class CourseRow(QObject):
    """`changed`: another joint is moved, or none."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._units, self._drivers = Units(), list[Driver]()
        self.choice, self.duration = NoWheelComboBox(), NumberField()
        self.begin, self.end, self.speed = NumberField(), NumberField(), NumberField()
        self._unit, self._speed_unit, self._sweep = PlainLabel(), PlainLabel(), QWidget()
        self._seconds = label("s", "muted")
        self._arrange()
        self.choice.currentIndexChanged.connect(lambda _index: self._chosen())
        self.offer(())

    def into(self, grid: QGridLayout, row: int, last: QWidget) -> None:
        """Put the controls into two rows of a grid with two columns, `last` at the end of the first."""
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.choice, 1)
        line.addWidget(self.duration)
        line.addWidget(self._seconds)
        line.addWidget(last)
        grid.addWidget(label(_tr("over"), "muted"), row, 0)
        grid.addLayout(line, row, 1)
        grid.addWidget(self._sweep, row + 1, 1)

    def offer(self, drivers: Sequence[Driver]) -> None:
        """Which joints can be moved; none is, at first."""
        self._drivers = list(drivers)
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([_tr("time"), *(one.label for one in drivers)])
        self.choice.blockSignals(False)
        self._chosen()

    @property
    def driver(self) -> Driver | None:
        """The joint that is moved; None where samples are simulated."""
        index = self.choice.currentIndex() - 1
        return self._drivers[index] if 0 <= index < len(self._drivers) else None

    def course(self) -> Course:
        """What is chosen [SI]. Raises ValueError for what is no number, and for no time."""
        one = self.driver
        if one is None:
            duration = self.duration.number()
            if duration is None or duration <= 0.0:
                raise ValueError
            return Course(duration)
        numbers = [field.number() for field in self._fields]
        found = [number / self._units.factor(one.info) for number in numbers if number is not None]
        if len(found) < len(numbers):
            raise ValueError
        begin, end, speed = found
        return Course(0.0, one.info.name, begin, end, abs(speed))

    def set_units(self, units: Units) -> None:
        """Show other units; what was typed stays what it is."""
        one = self.driver
        try:
            before = None if one is None else self.course()
        except ValueError:
            before = None
        self._units = units
        if one is not None and before is not None:
            self._show(one, before.begin, before.end, before.speed)

    @property
    def _fields(self) -> tuple[NumberField, NumberField, NumberField]:
        return self.begin, self.end, self.speed

    def _arrange(self) -> None:
        self.choice.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(NAMES)
        self.choice.setAccessibleName(_tr("Course of a sample"))
        self.choice.setToolTip(
            _tr("Simulate each sample for a time, or move a joint from end to end without time, as Analysis does")
        )
        self.duration.setAccessibleName(_tr("Simulated time of a sample [s]"))
        self.duration.setFixedWidth(scaled(56))
        self.duration.show_value(DURATION)
        for field, name in zip(self._fields, (_tr("From"), _tr("To"), _tr("Speed")), strict=True):
            field.setAccessibleName(name)
            field.setMinimumWidth(scaled(NARROW))
            field.setMaximumWidth(scaled(WIDE))
        for one in (self._unit, self._speed_unit):
            one.setProperty("role", "muted")
        row = QHBoxLayout(self._sweep)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (self.begin, label(_tr("to"), "muted"), self.end, self._unit,
                       label(_tr("at"), "muted"), self.speed, self._speed_unit):  # fmt: skip
            row.addWidget(widget)
        row.addStretch(1)

    def _chosen(self) -> None:
        one = self.driver
        for widget in (self.duration, self._seconds):
            widget.setVisible(one is None)
        self._sweep.setVisible(one is not None)
        if one is not None:
            self._show(one, *one.ends, 0.0)
        self.changed.emit()

    def _show(self, one: Driver, begin: float, end: float, speed: float) -> None:
        factor = self._units.factor(one.info)
        self._unit.setText(self._units.unit(one.info))
        self._speed_unit.setText(f"{self._units.unit(one.info)}/s")
        for field, value in zip(self._fields, (begin, end, speed), strict=True):
            field.show_value(value * factor)
