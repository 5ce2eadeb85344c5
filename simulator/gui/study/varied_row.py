"""The controls of one varied number: which, its range, and the number of values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QObject, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from simulator.gui.fields import PlainLabel, ValueSpin, label, scaled
from simulator.gui.number_field import NumberField
from simulator.gui.study.choices import Varied
from simulator.gui.study.search_box import SearchBox
from simulator.gui.units import Units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.gui.study.choices import Choice

MOST = 201
"""Values of one choice."""
NARROW, WIDE = 40, 84
"""Widths of a number, see `scaled`."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("VariedRow", text)


class VariedRow(QObject):
    """`optional`: nothing can be chosen, too. `changed`: another choice."""

    changed = pyqtSignal()

    def __init__(self, caption: str, count: int, *, optional: bool) -> None:
        super().__init__()
        self._optional, self._units = optional, Units()
        self._choices: list[Choice] = []
        self.choice, self.begin, self.end, self.count = SearchBox(), NumberField(), NumberField(), ValueSpin(0, "")
        self.unit = PlainLabel()
        self.unit.setProperty("role", "muted")
        self._caption, self._range = label(caption, "muted"), QWidget()
        row = QHBoxLayout(self._range)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for left in (self.begin, label(_tr("to"), "muted"), self.end, self.unit):
            row.addWidget(left)
        row.addStretch(1)
        row.addWidget(self.count)
        row.addWidget(label(_tr("values"), "muted"))
        self.choice.setAccessibleName(caption)
        for field, name in ((self.begin, _tr("From")), (self.end, _tr("To")), (self.count, _tr("Number of values"))):
            field.setAccessibleName(name)
        for field in (self.begin, self.end):
            field.setMinimumWidth(scaled(NARROW))
            field.setMaximumWidth(scaled(WIDE))
        self.count.setRange(2, MOST)
        self.count.setValue(count)
        self.count.setFixedWidth(scaled(42))
        self.choice.currentIndexChanged.connect(lambda _index: self._chosen())
        self._range.hide()

    def into(self, grid: QGridLayout, row: int) -> None:
        """Put the controls into two rows of a grid with two columns."""
        grid.addWidget(self._caption, row, 0)
        grid.addWidget(self.choice, row, 1)
        grid.addWidget(self._range, row + 1, 1)

    def offer(self, choices: Sequence[Choice]) -> None:
        """What can be chosen now; what is chosen stays where it is still there."""
        before = self.chosen
        self._choices = list(choices)
        texts = [one.label for one in self._choices]
        self.choice.offer([_tr("nothing else"), *texts] if self._optional else texts)
        now = self.chosen
        if (None if before is None else before.name) != (None if now is None else now.name):
            self._chosen()

    @property
    def chosen(self) -> Choice | None:
        """What is varied; None for nothing."""
        index = self.choice.currentIndex() - (1 if self._optional else 0)
        return self._choices[index] if 0 <= index < len(self._choices) else None

    def varied(self) -> Varied | None:
        """What is varied, with its values [SI]; None for nothing. Raises ValueError for what is no number."""
        one = self.chosen
        if one is None:
            return None
        ends = [field.number() for field in (self.begin, self.end)]
        if None in ends:
            raise ValueError
        factor = self._units.factor_of(one.unit)
        begin, end = (float(value) / factor for value in ends if value is not None)
        return Varied(one, begin, end, round(self.count.value()))

    def set_units(self, units: Units) -> None:
        """Show other units; a range that was typed stays what it is."""
        try:
            before = self.varied()
        except ValueError:
            before = None
        self._units = units
        if before is not None:
            self._show(before.choice, before.begin, before.end)

    def _chosen(self) -> None:
        one = self.chosen
        self._range.setVisible(one is not None)
        if one is not None:
            self._show(one, *one.suggested())
        self.changed.emit()

    def _show(self, one: Choice, begin: float, end: float) -> None:
        factor = self._units.factor_of(one.unit)
        name = self._units.name_of(one.unit)
        self.unit.setText("" if name == "1" else name)
        for field, value in ((self.begin, begin), (self.end, end)):
            field.show_value(_round(value * factor))


def _round(value: float) -> float:
    """Three digits are enough for what is suggested."""
    return float(f"{value:.3g}") if math.isfinite(value) else 0.0
