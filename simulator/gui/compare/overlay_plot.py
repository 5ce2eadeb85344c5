"""One quantity of all lanes over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from simulator.gui.fields import NoWheelComboBox, scaled
from simulator.gui.laws import distinct_tails
from simulator.gui.plain_plot import colour_plot, legend_beside, plain_plot
from simulator.session.side_by_side import difference, shared_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.gui.theme import Tokens
    from simulator.gui.units import Units
    from simulator.session.side_by_side import Lane

PATTERNS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
"""So that curves that lie over each other differ in more than their hue."""
RESIDUAL, ENERGY = "residual", "energy"
LOWEST = 116
"""Height at least, see `scaled`: the legend of three lanes, and the axis below it."""


class OverlayPlot(QWidget):
    """`quantity` chooses: positions, differences to the first lane, residuals, energy errors."""

    def __init__(self, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._tokens, self._units = tokens, units
        self._lanes: Sequence[Lane] = ()
        self.quantity = NoWheelComboBox()
        self.quantity.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.quantity.setAccessibleName(self.tr("Quantity on show"))
        self.plot = plain_plot(self.tr("Traces of all over each other"))
        self.plot.setMinimumHeight(scaled(LOWEST))
        self._legend: Any = legend_beside(self.plot)
        self.head: Any = pg.InfiniteLine(angle=90)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 0)
        column.setSpacing(4)
        column.addWidget(self.quantity, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.plot, 1)
        self.quantity.currentIndexChanged.connect(lambda _index: self._draw())
        self.set_tokens(tokens)

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        """Offer what these lanes have in common."""
        self._lanes = lanes
        shared = shared_axes(lanes)
        self.quantity.blockSignals(True)
        self.quantity.clear()
        names = distinct_tails([name for name, _ in shared])
        for short, (_, places) in zip(names, shared, strict=True):
            self.quantity.addItem(short, (places, False))
        for short, (_, places) in zip(names, shared, strict=True):
            self.quantity.addItem(self.tr("{name}: difference to the first").format(name=short), (places, True))
        self.quantity.addItem(self.tr("largest residual"), RESIDUAL)
        self.quantity.addItem(self.tr("energy error"), ENERGY)
        self.quantity.blockSignals(False)
        self._draw()

    def curves(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Times and values of every lane, in the unit on show."""
        chosen, found = self.quantity.currentData(), []
        for number, lane in enumerate(self._lanes):
            if chosen == RESIDUAL:
                values = lane.residual.max(axis=1, initial=0.0)
            elif chosen == ENERGY:
                values = lane.energy_error
            elif lane.times.size:
                places, apart = chosen
                values = lane.position[:, places[number]]
                if apart:
                    values = difference(self._lanes[0], lane, (places[0], places[number]))
                values = values * self._units.factor_of(self._axis_unit(places[0]))
            else:
                values = np.zeros(0)
            found.append((lane.times, np.asarray(values)))
        return found

    def show_time(self, time: float) -> None:
        """Mark a moment [s]."""
        self.head.setValue(time)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        colour_plot(self.plot, tokens)
        self.head.setPen(pg.mkPen(tokens.accent, width=1))
        self._legend.setLabelTextColor(tokens.text)
        self._draw()

    def _axis_unit(self, axis: int) -> str:
        return self._lanes[0].contender.opened.mechanism.axes[axis].unit

    def _unit(self) -> str:
        chosen = self.quantity.currentData()
        if chosen == ENERGY:
            return "J"
        return "m, rad" if chosen == RESIDUAL else self._units.name_of(self._axis_unit(chosen[0][0]))

    def _draw(self) -> None:
        self.plot.clear()
        if not self._lanes or self.quantity.currentData() is None:
            return
        colours = self._tokens.series
        for number, (times, values) in enumerate(self.curves()):
            pen = pg.mkPen(colours[number % len(colours)], width=2, style=PATTERNS[number % len(PATTERNS)])
            self.plot.plot(times, values, pen=pen, name=self._lanes[number].contender.label)
        self.plot.addItem(self.head)
        self.plot.setLabel("left", f"[{self._unit()}]", color=self._tokens.muted)
        self.plot.setLabel("bottom", "t [s]", color=self._tokens.muted)
        self.plot.getPlotItem().legend.setLabelTextColor(self._tokens.text)
