"""The sizes of a body that is to be put onto a place: a row of the bar of joining."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from simulator.errors import UsageError
from simulator.gui.fields import label, scaled, tabular
from simulator.gui.units import compact

if TYPE_CHECKING:
    from simulator.gui.units import Units

BOX, CYLINDER, SPHERE, MESH, PART = "box", "cylinder", "sphere", "mesh", "part"
BODIES = (BOX, CYLINDER, SPHERE, MESH, PART)
"""What can be put onto a place."""
START = {BOX: (0.04, 0.04, 0.04), CYLINDER: (0.02, 0.05), SPHERE: (0.02,), MESH: (1.0,)}
"""Sizes to begin with [m], and the scale of a mesh: 0.001 for a file in millimetres."""
SIZES, TURN = 130, 44
"""Widths of fields, see `scaled`."""


class BodyRow(QWidget):
    """`what` is pressed to choose another file or mechanism."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.sizes, self.turn = label("", "muted"), QLineEdit(), QLineEdit("0")
        self.over, self.what = QCheckBox(self.tr("Upside down")), QPushButton()
        self.what.setToolTip(self.tr("Choose another one"))
        self.turn.setAccessibleName(self.tr("Turn about the direction of the place [°]"))
        self.turn.setToolTip(self.turn.accessibleName())
        for field, width in ((self.sizes, SIZES), (self.turn, TURN)):
            field.setFont(tabular(field.font()))
            field.setFixedWidth(scaled(width))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.title, self.sizes, self.what, label(self.tr("Turn [°]"), "muted"), self.turn, self.over):
            row.addWidget(widget)
        row.addStretch(1)
        self._factor = 1.0

    def show_kind(self, kind: str, units: Units) -> None:
        """The fields of a kind of body, in the units on show."""
        self._factor = 1.0 if kind == MESH else units.factor_of("m")
        names = {
            BOX: self.tr("Size"), CYLINDER: self.tr("Radius, length"), SPHERE: self.tr("Radius"),
            MESH: self.tr("Scale"),
        }  # fmt: skip
        self.setVisible(kind in BODIES)
        self.title.setVisible(kind in names)
        self.sizes.setVisible(kind in names)
        self.what.setVisible(kind in (MESH, PART))
        unit = "" if kind == MESH else f" [{units.name_of('m')}]"
        self.title.setText(f"{names.get(kind, '')}{unit}")
        self.sizes.setText("  ".join(compact(self._factor * size, 6) for size in START.get(kind, ())))
        self.sizes.setAccessibleName(self.title.text())
        self.sizes.setToolTip(self.tr("0.001 for a file in millimetres") if kind == MESH else "")

    def lengths(self, count: int) -> list[float]:
        """The sizes that are typed [m]. Raises UsageError for other than so many."""
        words = self.sizes.text().replace(",", " ").replace("×", " ").split()
        try:
            found = [float(word) / self._factor for word in words]
        except ValueError:
            found = []
        if len(found) != count or not all(math.isfinite(value) and value > 0.0 for value in found):
            wanted = {1: "a number", 2: "two numbers", 3: "three numbers"}[count]
            raise UsageError(f"{self.title.text()} is {wanted} above 0, not '{self.sizes.text()}'")
        return found

    def angle(self) -> float:
        """By how much the body is turned about the direction of its place [rad]. Raises UsageError."""
        try:
            found = math.radians(float(self.turn.text().strip(" °") or "0"))
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise UsageError(f"a turn is a number of degrees, not '{self.turn.text()}'")
        return found
