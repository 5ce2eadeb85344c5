"""One quantity of all lanes in a common plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from simulator.gui.fields import NoWheelComboBox, scaled
from simulator.gui.plain_plot import legend_beside, plain_plot, style_plot
from simulator.gui.traces.saving import ShownTable
from simulator.model.names import distinct_tails
from simulator.session.batch.side_by_side import apart, shared_axes, shared_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.gui.theme import Tokens
    from simulator.gui.units import Units
    from simulator.session.batch.side_by_side import Lane
    from simulator.spatial.arrays import Array


PATTERNS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
"""So that curves that lie over each other differ in more than their hue."""
POSITION, VELOCITY, EFFORT, FORCE, MOMENT, RESIDUAL, ENERGY = (
    "position", "velocity", "effort", "force", "moment", "residual", "energy"
)  # fmt: skip
OF_AXES, OF_JOINTS = (POSITION, VELOCITY, EFFORT), (FORCE, MOMENT)
LOWEST = 116
"""Height at least, see `scaled`: the legend of three lanes, and the axis below it."""


class OverlayPlot(QWidget):
    """`quantity` chooses: positions, velocities and efforts of axes, forces and moments of joints by their size,
    residuals, energy errors; `where` the axis or joint; `differences`: each less the first lane."""

    def __init__(self, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._tokens, self._units = tokens, units
        self._lanes: Sequence[Lane] = ()
        self.quantity, self.where = NoWheelComboBox(), NoWheelComboBox()
        self.differences = QCheckBox(self.tr("Difference from the first"))
        self.plot = plain_plot(self.tr("Overlaid traces"))
        self.plot.setMinimumHeight(scaled(LOWEST))
        legend_beside(self.plot)
        self.head: Any = pg.InfiniteLine(angle=90)
        self.controls = QHBoxLayout()
        for box, name in (
            (self.quantity, self.tr("Quantity on show")),
            (self.where, self.tr("Joint on show")),
        ):
            box.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setAccessibleName(name)
            self.controls.addWidget(box)
        self.controls.addWidget(self.differences)
        self.controls.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 0)
        column.setSpacing(4)
        column.addLayout(self.controls)
        column.addWidget(self.plot, 1)
        names = (self.tr("Position"), self.tr("Velocity"), self.tr("Effort of drives"), self.tr("Force of joints"),
                 self.tr("Moment of joints"), self.tr("Largest residual"), self.tr("Energy error"))  # fmt: skip
        for name, key in zip(names, (*OF_AXES, *OF_JOINTS, RESIDUAL, ENERGY), strict=True):
            self.quantity.addItem(name, key)
        self.quantity.currentIndexChanged.connect(lambda _index: self._offer())
        self.where.currentIndexChanged.connect(lambda _index: self._draw())
        self.differences.toggled.connect(lambda _on: self._draw())
        self.set_tokens(tokens)

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        """Offer what these lanes have in common."""
        self._lanes = lanes
        self._offer()

    def curves(self) -> list[tuple[Array, Array]]:
        """Times and values of every lane, in the unit on show."""
        factor = self._units.factor_of(self._unit())
        found = [(lane.times, self._values(number, lane)) for number, lane in enumerate(self._lanes)]
        if self.differences.isChecked() and found:
            first = found[0]
            found = [(times, apart(first, (times, values)) if times.size else values) for times, values in found]
        return [(times, factor * values) for times, values in found]

    def table(self) -> ShownTable:
        """The curves in SI units at the times of all, nan where a lane has none, by the names of the lanes."""
        factor = self._units.factor_of(self._unit())
        curves = self.curves()
        times = np.unique(np.concatenate([np.zeros(0), *(own for own, _ in curves)]))
        values = np.full((len(times), len(curves)), np.nan)
        for column, (own, drawn) in enumerate(curves):
            values[np.searchsorted(times, own), column] = drawn / factor
        unit = self._unit()
        labels = tuple(lane.contender.label for lane in self._lanes)
        what = "/".join(filter(None, (self.quantity.currentData(), self._name())))
        what += "/difference" if self.differences.isChecked() else ""
        return ShownTable(tuple((f"{label}/{what}", unit) for label in labels), times, values, labels)

    def show_time(self, time: float) -> None:
        """Mark a moment [s]."""
        self.head.setValue(time)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        style_plot(self.plot, tokens)
        self.head.setPen(pg.mkPen(tokens.accent, width=1))
        self._draw()

    def _shared(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What all lanes have of what the quantity is of; of joints where they are known."""
        kind = self.quantity.currentData()
        if kind in OF_AXES:
            return shared_axes(self._lanes)
        if kind in OF_JOINTS:
            known = next((lane.joints for lane in self._lanes if lane.joints), ())
            return shared_names([lane.joints or known for lane in self._lanes])
        return ()

    def choose(self, name: str) -> None:
        """Show that axis, where it can be chosen."""
        names = [name for name, _ in self._shared()]
        if name in names:
            self.where.setCurrentIndex(names.index(name))

    def _offer(self) -> None:
        before = self.where.currentText()
        shared = self._shared()
        self.where.blockSignals(True)
        self.where.clear()
        for short, one in zip(distinct_tails([name for name, _ in shared]), shared, strict=True):
            self.where.addItem(short, one)
        self.where.setCurrentIndex(max(self.where.findText(before), 0))
        self.where.setVisible(bool(shared))
        self.where.blockSignals(False)
        self._draw()

    def _name(self) -> str:
        chosen = self.where.currentData()
        return str(chosen[0]) if chosen else ""

    def _values(self, number: int, lane: Lane) -> Array:
        """In SI units; nan where a lane does not know."""
        kind, chosen = self.quantity.currentData(), self.where.currentData()
        if kind == RESIDUAL:
            return np.asarray(lane.residual.max(axis=1, initial=0.0))
        if kind == ENERGY:
            return lane.energy_error
        nothing = np.full(lane.times.size, np.nan)
        if not chosen or not lane.times.size:
            return nothing
        place = chosen[1][number]
        if kind in OF_AXES:
            values: Array = getattr(lane, kind)[:, place]
            return values
        if not lane.joints:
            return nothing
        part = slice(0, 3) if kind == FORCE else slice(3, 6)
        return np.asarray(np.linalg.norm(lane.wrenches[:, place, part], axis=1))

    def _unit(self) -> str:
        """The SI unit of the quantity on show."""
        kind, chosen = self.quantity.currentData(), self.where.currentData()
        if kind in OF_AXES and chosen and self._lanes:
            axis = self._lanes[0].contender.opened.mechanism.axes[chosen[1][0]]
            units: dict[str, str] = {POSITION: axis.unit, VELOCITY: f"{axis.unit}/s", EFFORT: axis.effort_unit}
        else:
            units = {FORCE: "N", MOMENT: "N·m", ENERGY: "J", RESIDUAL: "m, rad"}
        return units.get(str(kind), "")

    def _draw(self) -> None:
        self.plot.clear()
        if not self._lanes:
            return
        colours = self._tokens.series
        for number, (times, values) in enumerate(self.curves()):
            pen = pg.mkPen(colours[number % len(colours)], width=2, style=PATTERNS[number % len(PATTERNS)])
            name = self._lanes[number].contender.label
            self.plot.plot(times, values, pen=pen, name=name, connect="finite")
        self.plot.addItem(self.head)
        self.plot.setLabel("left", f"[{self._units.name_of(self._unit())}]")
        self.plot.setLabel("bottom", "t [s]")
