"""The stack of plots: one for every unit on show, and the residuals below; x axes linked, one cursor through all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPen
from PyQt6.QtWidgets import QWidget

from simulator.gui.fields import scaled
from simulator.gui.theme import Tokens
from simulator.gui.traces.decimation import nice_range, settled_range
from simulator.gui.traces.plan import Series

DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 5.0), (2.0, 3.0), (8.0, 3.0, 2.0, 3.0))
RESIDUAL = "residual"
LEAST, LEAST_RESIDUAL = 1e-3, 1e-12
"""Half the height of a plot of a constant: noise of the last digit is not blown up [unit on show]."""


def pen(series: Series, tokens: Tokens) -> QPen:
    """Width 1: a wider pen costs ten times as much. An ideal follower is dashed in the colour of the text."""
    colour = tokens.text if series.colour < 0 else tokens.series[series.colour % len(tokens.series)]
    result = QPen(QColor(colour))
    result.setWidth(1)
    result.setCosmetic(True)
    if DASHES[series.dash]:
        result.setDashPattern(list(DASHES[series.dash]))
    return result


@dataclass
class _Panel:
    plot: Any
    cursor: Any
    curves: dict[str, Any] = field(default_factory=dict)
    shown: tuple[float, float] = (0.0, 1.0)


class PlotStack(QObject):
    """Owns the pyqtgraph widget. `cursor_moved` gives the time under the mouse, NaN when it leaves; `dragged` a zoom or pan by hand."""

    cursor_moved = pyqtSignal(float)
    dragged = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._graphics: Any = pg.GraphicsLayoutWidget()
        self._graphics.setAccessibleName(self.tr("Plots of the recorded channels over time"))
        self._graphics.ci.layout.setSpacing(2)
        self._graphics.ci.setContentsMargins(4, 6, 10, 2)
        self._graphics.scene().sigMouseMoved.connect(self._mouse_moved)
        self._panels: dict[str, _Panel] = {}
        self._series: tuple[Series, ...] = ()
        self._tokens = tokens
        self.set_tokens(tokens)

    @property
    def widget(self) -> QWidget:
        """The widget to be put into a layout."""
        widget: QWidget = self._graphics
        return widget

    def width_in_pixels(self) -> int:
        """Columns that a curve has."""
        return max(int(self._graphics.width()) - 90, 50)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self._graphics.setBackground(tokens.surface)
        for panel in self._panels.values():
            self._colour(panel)
        for series in self._series:
            self._panels[self._panel_key(series)].curves[series.key].setPen(pen(series, tokens))

    def show_series(self, series: Sequence[Series], unit_names: dict[str, str]) -> None:
        """Make the plots for these curves; `unit_names` are the shown names of SI units."""
        self._graphics.ci.clear()
        self._panels.clear()
        self._series = tuple(series)
        keys = sorted({self._panel_key(s) for s in series}, key=lambda key: (key == RESIDUAL, key != "rad", key))
        for row, key in enumerate(keys):
            self._panels[key] = self._make_panel(row, key, row == len(keys) - 1, unit_names)
        for item in sorted(series, key=lambda s: s.colour < 0):
            panel = self._panels[self._panel_key(item)]
            curve = pg.PlotCurveItem(pen=pen(item, self._tokens), antialias=False, skipFiniteCheck=True)
            panel.plot.addItem(curve)
            panel.curves[item.key] = curve
        self._align()

    def set_data(
        self, times: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], smooth: bool = False
    ) -> None:
        """New samples for the curves by key; y ranges follow. `smooth` lines cost more: for a picture that stands still."""
        for name, panel in self._panels.items():
            for key, curve in panel.curves.items():
                curve.setData(times, columns[key], antialias=smooth)
            least = LEAST_RESIDUAL if name == RESIDUAL else LEAST
            wanted = nice_range(np.concatenate([columns[key] for key in panel.curves]), least)
            if wanted is not None:
                settled = settled_range(wanted, panel.shown)
                if settled != panel.shown:
                    panel.shown = settled
                    panel.plot.setYRange(*settled, padding=0)

    def set_time_range(self, start: float, stop: float) -> None:
        """Show that stretch of time [s]."""
        for panel in self._panels.values():
            panel.plot.getViewBox().setXRange(start, stop, padding=0)
            return  # the others are linked

    def time_range(self) -> tuple[float, float]:
        """The stretch of time on show [s]."""
        for panel in self._panels.values():
            low, high = panel.plot.getViewBox().viewRange()[0]
            return float(low), float(high)
        return 0.0, 1.0

    def _panel_key(self, series: Series) -> str:
        return RESIDUAL if series.residual else series.unit

    def _make_panel(self, row: int, key: str, last: bool, unit_names: dict[str, str]) -> _Panel:
        plot = self._graphics.addPlot(row=row, col=0)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=True, y=False)
        plot.disableAutoRange()
        plot.showGrid(x=True, y=True, alpha=0.2)
        plot.getViewBox().sigRangeChangedManually.connect(lambda *_: self.dragged.emit())
        plot.setLabel("left", self.tr("residual") if key == RESIDUAL else unit_names.get(key, key))
        plot.getAxis("left").enableAutoSIPrefix(False)
        plot.getAxis("bottom").enableAutoSIPrefix(False)
        plot.getAxis("left").setStyle(autoExpandTextSpace=False, tickTextOffset=4)
        plot.getAxis("left").setWidth(scaled(74))
        plot.getAxis("bottom").setStyle(showValues=last)
        if last:
            plot.setLabel("bottom", self.tr("time [s]"))
        if self._panels:
            plot.setXLink(next(iter(self._panels.values())).plot)
        cursor = pg.InfiniteLine(angle=90, movable=False)
        cursor.hide()
        plot.addItem(cursor, ignoreBounds=True)
        panel = _Panel(plot, cursor)
        self._colour(panel)
        return panel

    def _align(self) -> None:
        layout = self._graphics.ci.layout
        for row, key in enumerate(self._panels):
            layout.setRowStretchFactor(row, 2 if key == RESIDUAL else 3)

    def _colour(self, panel: _Panel) -> None:
        for side in ("left", "bottom"):
            axis = panel.plot.getAxis(side)
            axis.setPen(pg.mkPen(self._tokens.border))
            axis.setTextPen(pg.mkPen(self._tokens.muted))
            axis.setLabel(axis.labelText or None, color=self._tokens.muted)
        panel.cursor.setPen(pg.mkPen(self._tokens.accent, style=Qt.PenStyle.DashLine))

    def _mouse_moved(self, position: QPointF) -> None:
        inside = [panel for panel in self._panels.values() if panel.plot.sceneBoundingRect().contains(position)]
        time = float(inside[0].plot.getViewBox().mapSceneToView(position).x()) if inside else float("nan")
        for panel in self._panels.values():
            panel.cursor.setVisible(bool(inside))
            if inside:
                panel.cursor.setPos(time)
        self.cursor_moved.emit(time)
