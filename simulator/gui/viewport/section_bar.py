"""The section plane of the view: its axis, its place, and the side that is cut away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSlider, QWidget

from simulator.gui.fields import NoWheelComboBox, label
from simulator.gui.units import Units, compact
from simulator.rendering.section import Section

if TYPE_CHECKING:
    from simulator.rendering.scene import Scene

STEPS = 1000
MARGIN = 0.02
"""The way of the plane goes so much beyond the scene, in parts of its size."""
PLACE = 12
"""Distance from the corner of the view [px]."""


class SectionBar(QFrame):
    """Lies over the view. `changed`: another plane. `section`: the plane, None while this is hidden."""

    changed = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sectionBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAutoFillBackground(True)
        self.units = Units()
        self.axis, self.slider = NoWheelComboBox(), QSlider(Qt.Orientation.Horizontal)
        self.flip, self.value = QPushButton(self.tr("Flip")), label("", "", digits=True)
        self._ends = ((0.0, 1.0),) * 3
        self.axis.addItems(["x", "y", "z"])
        self.axis.setCurrentIndex(1)
        self.axis.setAccessibleName(self.tr("Axis across the section plane"))
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS // 2)
        self.slider.setMinimumWidth(140)
        self.slider.setAccessibleName(self.tr("Place of the section plane"))
        self.flip.setCheckable(True)
        self.flip.setToolTip(self.tr("Cut the other side away"))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 10, 5)
        for widget in (label(self.tr("Section"), "muted"), self.axis, self.slider, self.value, self.flip):
            row.addWidget(widget)
        self.axis.currentIndexChanged.connect(lambda _index: self._show())
        self.slider.valueChanged.connect(lambda _value: self._show())
        self.flip.toggled.connect(lambda _on: self._show())
        self.hide()
        self._show()

    @property
    def section(self) -> Section | None:
        """What is cut away."""
        if self.isHidden():
            return None
        axis = self.axis.currentIndex()
        sign = -1.0 if self.flip.isChecked() else 1.0
        x, y, z = (sign if place == axis else 0.0 for place in range(3))
        return Section((x, y, z), sign * self.offset())

    def offset(self) -> float:
        """Coordinate of the plane [m]."""
        low, high = self._ends[self.axis.currentIndex()]
        return low + (high - low) * self.slider.value() / STEPS

    def fit(self, scene: Scene) -> None:
        """The plane goes through the whole scene as it is at the start; in the middle at first. The side that the usual
        views look from is cut away."""
        bounds = scene.start_bounds
        room = MARGIN * scene.radius
        low, high = ([*ends] for ends in (bounds.lower, bounds.upper))
        self._ends = ((low[0] - room, high[0] + room), (low[1] - room, high[1] + room), (low[2] - room, high[2] + room))
        self.slider.setValue(STEPS // 2)
        self.flip.setChecked(self.axis.currentText() == "y")
        self._show()

    def switch(self, on: bool) -> None:
        """Cut, or show everything."""
        self.setVisible(on)
        self.place()
        self._show()

    def place(self) -> None:
        """In the upper left corner of the view, as large as what is in it by the type of now."""
        self.value.ensurePolished()
        self.value.setMinimumWidth(self.value.fontMetrics().horizontalAdvance("−0.0000 mm"))
        row = self.layout()
        if row is not None:
            row.invalidate()
        self.adjustSize()
        self.move(PLACE, PLACE)
        self.raise_()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self._show()

    def _show(self) -> None:
        self.value.setText(f"{compact(self.offset() * self.units.factor_of('m'), 3)} {self.units.name_of('m')}")
        self.changed.emit()
