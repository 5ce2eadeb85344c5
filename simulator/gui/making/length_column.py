"""Names of lengths beside the sheet: a slider for each that is a number, and what follows from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QSlider, QVBoxLayout, QWidget

from simulator.errors import UsageError
from simulator.gui.fields import label, scaled
from simulator.gui.number_field import NumberField
from simulator.gui.units import compact
from simulator.model.lengths import LengthValues

if TYPE_CHECKING:
    from simulator.building.drawing.plan import Sketch
    from simulator.gui.units import Units
    from simulator.model.lengths import LengthParameter

WIDTH = 210
"""Of the column, see `scaled`."""
STEPS = 1000
LEAST, MOST = 0.3, 2.0
"""Ends of a slider over the length as it is."""
FIELD = 84


class LengthColumn(QWidget):
    """`moved` carries a name and the length that a slider shows while it is held [m], `chosen` those where it is let
    go, or that are typed. Hidden where no length has a name."""

    moved = pyqtSignal(str, float)
    chosen = pyqtSignal(str, float)

    def __init__(self) -> None:
        super().__init__()
        self.sliders: dict[str, QSlider] = {}
        self.fields: dict[str, NumberField] = {}
        self._ends: dict[str, tuple[float, float]] = {}
        self._rows, self._follows = QWidget(), label("", "muted")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(label(self.tr("Lengths"), "name"))
        self._column.addWidget(self._rows)
        self._column.addStretch(1)
        self.setFixedWidth(scaled(WIDTH))
        self.hide()

    def show_plan(self, plan: Sketch, units: Units) -> None:
        """The names that a document has now."""
        named = [item for item in plan.parameters if item.name]
        self.setVisible(bool(named))
        if [item.name for item in named if item.number is not None] != list(self.sliders):
            self._build(named, plan, units)
        else:
            self._renew(named, plan, units)

    def _build(self, named: list[LengthParameter], plan: Sketch, units: Units) -> None:
        rows = QWidget()
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(scaled(6))
        self.sliders, self.fields, self._ends = {}, {}, {}
        for row, item in enumerate(item for item in named if item.number is not None):
            slider, field = QSlider(Qt.Orientation.Horizontal), NumberField()
            slider.setRange(0, STEPS)
            slider.setAccessibleName(item.name)
            field.setAccessibleName(item.name)
            field.setFixedWidth(scaled(FIELD))
            slider.valueChanged.connect(partial(self._slid, item.name))
            slider.sliderReleased.connect(partial(self._let_go, item.name))
            field.entered.connect(partial(self._typed, item.name))
            grid.addWidget(label(item.name, "name"), 2 * row, 0)
            grid.addWidget(field, 2 * row, 1, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(slider, 2 * row + 1, 0, 1, 2)
            self.sliders[item.name], self.fields[item.name] = slider, field
        self._follows = label("", "muted")
        self._follows.setWordWrap(True)
        grid.addWidget(self._follows, 2 * len(named), 0, 1, 2)
        self._column.replaceWidget(self._rows, rows)
        self._rows.deleteLater()
        self._rows = rows
        self._renew(named, plan, units)

    def _renew(self, named: list[LengthParameter], plan: Sketch, units: Units) -> None:
        self._units = units
        factor, unit = units.factor_of("m"), units.name_of("m")
        follows = []
        values = LengthValues(plan.parameters)
        for item in named:
            if item.number is None:
                try:
                    follows.append(f"{item.name} = {item.value} = {compact(factor * values.of(item), 4)} {unit}")
                except UsageError as error:
                    follows.append(f"{item.name} = {item.value}: {error}")
                continue
            slider = self.sliders[item.name]
            self.fields[item.name].show_value(factor * item.number)
            self.fields[item.name].setToolTip(f"[{unit}]")
            if not slider.isSliderDown():
                low, high = self._ends.get(item.name, (0.0, 0.0))
                if not 1.1 * low < item.number < 0.95 * high:
                    self._ends[item.name] = (LEAST * item.number, MOST * item.number)
                low, high = self._ends[item.name]
                with QSignalBlocker(slider):
                    slider.setValue(round(STEPS * (item.number - low) / (high - low)))
        self._follows.setText("\n".join(follows))

    def _length(self, name: str) -> float:
        low, high = self._ends[name]
        return float(f"{low + (high - low) * self.sliders[name].value() / STEPS:.4g}")

    def _slid(self, name: str, _value: int) -> None:
        length = self._length(name)
        self.fields[name].show_value(self._units.factor_of("m") * length)
        if self.sliders[name].isSliderDown():
            self.moved.emit(name, length)
        else:
            self.chosen.emit(name, length)

    def _let_go(self, name: str) -> None:
        self.chosen.emit(name, self._length(name))

    def _typed(self, name: str, value: float) -> None:
        self.chosen.emit(name, value / self._units.factor_of("m"))
