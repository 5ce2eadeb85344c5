"""Fields for the parameters of a kind of mechanism, in the units on show, angles in degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QWidget

from simulator.building.parts.parameters import KindParameter
from simulator.gui.fields import NoWheelComboBox, mark, tabular
from simulator.gui.number_field import parse_number
from simulator.gui.units import Units, compact

DIGITS = 8


class ParameterForm(QWidget):
    """`changed` is emitted with every change that can be read, `unreadable` with the label of a field that cannot."""

    changed = pyqtSignal()
    unreadable = pyqtSignal(str)

    def __init__(self, parameters: list[KindParameter], units: Units) -> None:
        super().__init__()
        self._units, self._angles = units, replace(units, degrees=True)
        self._read: dict[str, Callable[[], object]] = {}
        self._defaults = {one.name: one.default for one in parameters}
        self.fields: dict[str, QWidget] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for one in parameters:
            field = self._field(one)
            field.setAccessibleName(one.label)
            self.fields[one.name] = field
            unit = self._units_for(one).name_of(one.unit)
            form.addRow(f"{one.label} [{unit}]" if unit else one.label, field)

    def values(self) -> dict[str, object] | None:
        """The parameters that differ from their defaults [SI units]; None while one cannot be read."""
        found = {}
        for name, read in self._read.items():
            try:
                value = read()
            except ValueError:
                return None
            if value != self._defaults[name]:
                found[name] = value
        return found

    def _field(self, one: KindParameter) -> QWidget:
        if isinstance(one.default, bool):
            return self._check(one, one.default)
        if one.words:
            return self._choice(one)
        return self._numbers(one)

    def _units_for(self, one: KindParameter) -> Units:
        """Angles of parts are stated in degrees, as in every catalogue: a pressure angle is 20."""
        return self._angles if one.unit == "rad" else self._units

    def _check(self, one: KindParameter, value: bool) -> QCheckBox:
        field = QCheckBox()
        field.setChecked(value)
        field.toggled.connect(lambda _on: self.changed.emit())
        self._read[one.name] = field.isChecked
        return field

    def _choice(self, one: KindParameter) -> QComboBox:
        field = NoWheelComboBox()
        field.addItems(one.words)
        field.setCurrentText(str(one.default))
        field.currentTextChanged.connect(lambda _text: self.changed.emit())
        self._read[one.name] = field.currentText
        return field

    def _numbers(self, one: KindParameter) -> QLineEdit:
        """One number, or several with commas between."""
        field = QLineEdit()
        field.setProperty("role", "number")
        field.setFont(tabular(field.font()))
        factor = self._units_for(one).factor_of(one.unit)
        given = one.default if isinstance(one.default, tuple) else (one.default,)
        if one.is_open:
            field.setPlaceholderText(self.tr("follows from the others"))
        else:
            field.setText(", ".join(compact(float(value) * factor, DIGITS) for value in given))
        written = field.text()

        def read() -> object:
            if field.text() == written:
                return one.default
            values = tuple(_number(part, given[0], factor) for part in field.text().split(","))
            if isinstance(one.default, tuple):
                return values
            if len(values) != 1:
                raise ValueError(field.text())
            return values[0]

        def edited() -> None:
            try:
                read()
            except ValueError:
                mark(field, "level", "error")
                self.unreadable.emit(one.label)
                return
            mark(field, "level", "")
            self.changed.emit()

        field.textEdited.connect(lambda _text: edited())
        self._read[one.name] = read
        return field


def _number(text: str, like: object, factor: float) -> int | float:
    """A number as typed, in SI units; a whole one where the default is. Raises ValueError."""
    value = parse_number(text)
    if value is None:
        raise ValueError(text)
    if isinstance(like, int):
        if value != int(value):
            raise ValueError(text)
        return int(value)
    return value / factor
