"""The stack of plots: one for every unit on show, and the residuals below; x axes linked, one cursor through all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPen
from PyQt6.QtWidgets import QWidget

from simulator.gui.fields import scaled
from simulator.gui.theme import Tokens
from simulator.gui.traces.decimation import nice_range, settled_range
from simulator.gui.traces.plan import Series

DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 5.0), (2.0, 3.0), (8.0, 3.0, 2.0, 3.0))
RESIDUAL = "residual"
SINGLE_TYPE = 24
"""Height of the labels of a single plot [px]."""
LEAST_HEIGHT = 72
"""A plot is at least this high, see `scaled`; where there is no room, the last ones are not shown."""
FLOOR = 1e-18
"""Residuals below are drawn here on a logarithmic axis."""
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


def _logarithm(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Decades of the magnitude; exact zeros at the bottom."""
    return np.asarray(np.log10(np.maximum(np.abs(values), FLOOR)))


@dataclass
class _Panel:
    plot: pg.PlotItem
    cursor: pg.InfiniteLine
    head: pg.InfiniteLine
    pair: tuple[pg.InfiniteLine, pg.InfiniteLine]
    curves: dict[str, pg.PlotDataItem] = field(default_factory=dict)
    shown: tuple[float, float] = (0.0, 1.0)


class PlotStack(QObject):
    """Owns the pyqtgraph widget. `cursor_moved` gives the time under the mouse, NaN when it leaves; `dragged` a zoom or
    pan by hand; `pair_moved` the times of the two cursors between which curves are measured."""

    cursor_moved = pyqtSignal(float)
    pair_moved = pyqtSignal(float, float)
    dragged = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._graphics = pg.GraphicsLayoutWidget()
        self._graphics.setAccessibleName(self.tr("Plots of the recorded channels over time"))
        self._graphics.ci.layout.setSpacing(2)
        self._graphics.ci.setContentsMargins(4, 6, 10, 2)
        self._graphics.scene().sigMouseMoved.connect(self._mouse_moved)
        self._panels: dict[str, _Panel] = {}
        self._series: tuple[Series, ...] = ()
        self._pair: tuple[float, float] | None = None
        self.logarithmic = self.single = False
        self._rows = 0
        self._graphics.installEventFilter(self)
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
            self._panels[self._panel_key(series)].curves[series.key].setPen(self._pen(series))

    def show_series(self, series: Sequence[Series], unit_names: dict[str, str]) -> None:
        """Make the plots for these curves; `unit_names` are the shown names of SI units."""
        self._graphics.ci.clear()
        self._panels.clear()
        keys = sorted({self._panel_key(s) for s in series}, key=lambda key: (key == RESIDUAL, key != "rad", key))
        self._series = tuple(series)
        for row, key in enumerate(keys):
            self._panels[key] = self._make_panel(row, key, row == len(keys) - 1, unit_names)
        for item in sorted(series, key=lambda s: s.colour < 0):
            panel = self._panels[self._panel_key(item)]
            curve = pg.PlotCurveItem(pen=self._pen(item), antialias=False, skipFiniteCheck=True)
            panel.plot.addItem(curve)
            panel.curves[item.key] = curve
        self._align()
        self.set_logarithmic(self.logarithmic)
        self.show_first(self.single)
        self.show_pair(self._pair)

    def set_data(
        self, times: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], smooth: bool = False
    ) -> None:
        """New samples for the curves by key; y ranges follow. `smooth` lines cost more: for a picture that does not
        move."""
        for name, panel in self._panels.items():
            log = self.logarithmic and name == RESIDUAL
            drawn = {key: _logarithm(columns[key]) if log else columns[key] for key in panel.curves}
            for key, curve in panel.curves.items():
                curve.setData(times, drawn[key], antialias=smooth)
            least = LEAST if log or name != RESIDUAL else LEAST_RESIDUAL
            wanted = nice_range(np.concatenate(list(drawn.values())), least)
            if wanted is not None:
                settled = settled_range(wanted, panel.shown)
                if settled != panel.shown:
                    panel.shown = settled
                    panel.plot.setYRange(*settled, padding=0)

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:
        """As many plots as there is room for."""
        if event is not None and event.type() is QEvent.Type.Resize and self._room() != self._rows:
            self.show_first(self.single)
        return False

    def _room(self) -> int:
        if self.single:
            return 1
        return max(1, min(len(self._panels), int(self._graphics.height()) // scaled(LEAST_HEIGHT)))

    def show_first(self, on: bool) -> None:
        """The first plot alone, with wide lines, or as many as there is room for."""
        self.single = on
        self._rows = self._room()
        for place, panel in enumerate(self._panels.values()):
            seen = place < self._rows
            panel.plot.setVisible(seen)
            panel.plot.setMaximumHeight(16_777_215 if seen else 0)
            last = place == self._rows - 1
            panel.plot.getAxis("bottom").setStyle(showValues=last)
            panel.plot.setLabel("bottom", self.tr("time [s]") if last else None)
            panel.plot.showLabel("bottom", last)
            self._colour(panel)
        for series in self._series:
            self._panels[self._panel_key(series)].curves[series.key].setPen(self._pen(series))

    def set_logarithmic(self, on: bool) -> None:
        """Residuals by their magnitude, in decades."""
        self.logarithmic = on
        for name, panel in self._panels.items():
            self._scale(name, panel)

    def show_pair(self, times: tuple[float, float] | None) -> None:
        """Two cursors at these times [s], to be dragged; None takes them away."""
        self._pair = times
        for panel in self._panels.values():
            for line, time in zip(panel.pair, times or (0.0, 0.0), strict=True):
                line.setVisible(times is not None)
                line.blockSignals(True)
                line.setPos(time)
                line.blockSignals(False)

    def set_time_range(self, start: float, stop: float) -> None:
        """Show that stretch of time [s]."""
        for panel in self._panels.values():
            panel.plot.getViewBox().setXRange(start, stop, padding=0)
            return  # the others are linked

    def show_head(self, time: float | None) -> None:
        """A line at the moment on show [s]; none where that is the newest."""
        for panel in self._panels.values():
            panel.head.setVisible(time is not None)
            if time is not None:
                panel.head.setPos(time)

    def time_range(self) -> tuple[float, float]:
        """The stretch of time on show [s]."""
        for panel in self._panels.values():
            low, high = panel.plot.getViewBox().viewRange()[0]
            return float(low), float(high)
        return 0.0, 1.0

    def _pen(self, series: Series) -> QPen:
        """Wide in a single plot, which is looked at from afar."""
        result = pen(series, self._tokens)
        result.setWidth(3 if self.single else 1)
        return result

    def _panel_key(self, series: Series) -> str:
        return RESIDUAL if series.residual else series.unit

    def _make_panel(self, row: int, key: str, last: bool, unit_names: dict[str, str]) -> _Panel:
        plot = self._graphics.addPlot(row=row, col=0, enableMenu=False)
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
        head = pg.InfiniteLine(angle=90, movable=False)
        head.setVisible(False)
        plot.addItem(head, ignoreBounds=True)
        panel = _Panel(plot, cursor, head, self._make_pair(plot))
        self._colour(panel)
        return panel

    def _make_pair(self, plot: pg.PlotItem) -> tuple[pg.InfiniteLine, pg.InfiniteLine]:
        pair = tuple(pg.InfiniteLine(angle=90, movable=True, label=name) for name in "AB")
        for place, line in enumerate(pair):
            line.setVisible(False)
            line.sigPositionChanged.connect(lambda moved, place=place: self._pair_dragged(place, float(moved.value())))
            plot.addItem(line, ignoreBounds=True)
        return pair[0], pair[1]

    def _pair_dragged(self, place: int, time: float) -> None:
        if self._pair is not None:
            self.show_pair((time, self._pair[1]) if place == 0 else (self._pair[0], time))
            self.pair_moved.emit(*self._pair)

    def _scale(self, name: str, panel: _Panel) -> None:
        on = self.logarithmic and name == RESIDUAL
        panel.plot.getAxis("left").setLogMode(y=on)
        if name == RESIDUAL:
            panel.plot.setLabel("left", self.tr("|residual|") if on else self.tr("residual"))

    def _align(self) -> None:
        layout = self._graphics.ci.layout
        for row, key in enumerate(self._panels):
            layout.setRowStretchFactor(row, 2 if key == RESIDUAL else 3)

    def _colour(self, panel: _Panel) -> None:
        for side in ("left", "bottom"):
            axis = panel.plot.getAxis(side)
            axis.setPen(pg.mkPen(self._tokens.border))
            axis.setTextPen(pg.mkPen(self._tokens.muted))
            size = {"font-size": f"{SINGLE_TYPE}px"} if self.single else {}
            axis.setLabel(axis.labelText or None, color=self._tokens.muted, **size)
        panel.head.setPen(pg.mkPen(self._tokens.accent, width=2))
        for line in panel.pair:
            line.setPen(pg.mkPen(self._tokens.text, width=1, style=Qt.PenStyle.DotLine))
            line.setHoverPen(pg.mkPen(self._tokens.accent, width=2))
            line.label.setColor(self._tokens.text)
        panel.cursor.setPen(pg.mkPen(self._tokens.accent, style=Qt.PenStyle.DashLine))

    def _mouse_moved(self, position: QPointF) -> None:
        inside = [panel for panel in self._panels.values() if panel.plot.sceneBoundingRect().contains(position)]
        time = float(inside[0].plot.getViewBox().mapSceneToView(position).x()) if inside else float("nan")
        for panel in self._panels.values():
            panel.cursor.setVisible(bool(inside))
            if inside:
                panel.cursor.setPos(time)
        self.cursor_moved.emit(time)
