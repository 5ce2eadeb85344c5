"""The plots: one for every unit on show and the residuals, or as they were arranged by hand; x axes linked, one cursor
through all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import pyqtgraph as pg
from numpy import float64
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFrame, QScrollArea, QWidget

from simulator.gui.fields import scaled
from simulator.gui.plain_plot import unindexed
from simulator.gui.theme import Tokens
from simulator.gui.traces.arrangement import Plots, grid, kind_of, on_show
from simulator.gui.traces.curve_names import SHARE
from simulator.gui.traces.drop_zones import PlotDrag
from simulator.gui.traces.plan import Series
from simulator.gui.traces.trace_plot import TracePlot

SINGLE_TYPE, MOST_ALONE = 24, 2
"""Height of the labels of plots in a lecture [px], and how many of them there are: of one unit, and of another."""
LEAST_WIDTH, LEAST_HEIGHT = 250, 56
"""A plot is at least this large, see `scaled`; where there is no room, they are scrolled."""
BOLD = 12
"""So many curves at most are drawn with more than the thinnest line."""
FIGURES = 22
"""Height of the figures at the axis of time, see `scaled`."""


class PlotStack(QObject):
    """Owns the pyqtgraph widget. `cursor_moved` gives the time under the mouse, NaN when it leaves; `dragged` a zoom or
    pan by hand; `pair_moved` the times of the two cursors between which curves are measured. `drags`: what is moved by
    hand."""

    cursor_moved = pyqtSignal(float)
    pair_moved = pyqtSignal(float, float)
    dragged = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._graphics = unindexed(pg.GraphicsLayoutWidget())
        self._graphics.setAccessibleName(self.tr("Plots of the recorded channels over time"))
        self._graphics.ci.layout.setSpacing(2)
        self._graphics.ci.setContentsMargins(2, 6, 4, 0)
        self._graphics.scene().sigMouseMoved.connect(self._mouse_moved)
        self._frame = QScrollArea()
        self._frame.setWidget(self._graphics)
        self._frame.setWidgetResizable(True)
        self._frame.setFrameShape(QFrame.Shape.NoFrame)
        self._frame.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._frame.setMinimumSize(scaled(120), scaled(48))
        self._panels: dict[str, TracePlot] = {}
        self._series: tuple[Series, ...] = ()
        self._pair: tuple[float, float] | None = None
        self.logarithmic = self.single = False
        self._written: dict[str, str] = {}
        self._grid = (0, 0)
        self.drags = PlotDrag(self._panel_at, lambda: self._grid[1] > 1)
        self._graphics.scene().addItem(self.drags.mark)
        self._frame.installEventFilter(self)
        self._graphics.installEventFilter(self)
        self._tokens = tokens
        self.set_tokens(tokens)

    @property
    def frame(self) -> QWidget:
        """The widget to be put into a layout: it scrolls the plots where there is no room for all."""
        return self._frame

    @property
    def widget(self) -> QWidget:
        """The plots themselves."""
        widget: QWidget = self._graphics
        return widget

    def width_in_pixels(self) -> int:
        """Columns that a curve has."""
        return max(int(self._graphics.width()) // max(self._grid[1], 1) - 90, 50)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self._graphics.setBackground(tokens.surface)
        self.drags.mark.set_tokens(tokens)
        self._style()

    def show_series(self, series: Sequence[Series], unit_names: dict[str, str], plots: Plots = ()) -> None:
        """Make the plots for these curves, arranged as in `plots`; `unit_names` are the shown names of SI units."""
        self._graphics.ci.clear()
        self._panels.clear()
        self._series = tuple(series)
        self._grid = (0, 0)
        for curves in on_show(plots, series):
            names = dict.fromkeys(unit_names.get(one.unit, one.unit) for one in curves)
            kind = kind_of(curves[0])
            keys = itertools.chain((kind,), (f"{kind} {number}" for number in itertools.count(2)))
            key = next(key for key in keys if key not in self._panels)
            panel = TracePlot(curves, ", ".join(names), self._dragged_out_of)
            panel.plot.getViewBox().sigRangeChangedManually.connect(lambda *_: self.dragged.emit())
            for place, line in enumerate(panel.pair):
                line.sigPositionChanged.connect(partial(self._pair_dragged, place))
            if self._panels:
                panel.plot.setXLink(next(iter(self._panels.values())).plot)
            panel.set_logarithmic(self.logarithmic)
            self._panels[key] = panel
        self.show_first(self.single)
        self.show_pair(self._pair)

    def set_data(self, times: NDArray[float64], columns: dict[str, NDArray[float64]]) -> None:
        """New samples for the curves by key; y ranges follow."""
        for panel in self._panels.values():
            panel.set_data(times, columns)

    def show_values(self, values: dict[str, str]) -> None:
        """Write the names of the curves at their ends, with these values by key; without them in a lecture, where
        values have a place of their own. Plots one below the other give names the same width, so that times are below
        each other."""
        self._written = values
        for panel in self._panels.values():
            panel.show_values({} if self.single else values, self._tokens)
        wanted = [panel.names.wanted_width() for panel in self._panels.values()]
        most = SHARE * self._frame.width() / max(self._grid[1], 1)
        for panel, own in zip(self._panels.values(), wanted, strict=True):
            width = min(own if self._grid[0] == 1 else max(wanted), most)
            if panel.names.maximumWidth() != width:
                panel.names.setFixedWidth(width)
                panel.plot.layout().activate()  # curves are where they will be from now on

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Lay the plots out for the room there is; Escape ends a drag."""
        if event is not None and event.type() is QEvent.Type.Resize and watched is self._frame:
            self._lay_out()
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            return self.drags.cancel()
        return False

    def show_first(self, on: bool) -> None:
        """The first plots of the quantity, with wide lines and without residuals unless these are in decades, or all
        plots."""
        self.single = on
        self._grid = (0, 0)
        self._lay_out()

    def scroll_to(self, key: str) -> None:
        """Bring the plot of a curve into sight."""
        panel = next((panel for panel in self._panels.values() if key in panel.curves), None)
        if panel is not None:
            area = panel.area().toRect()
            self._frame.ensureVisible(area.center().x(), area.center().y(), 0, area.height() // 2)

    def _lay_out(self) -> None:
        """Every plot in its place of the grid."""
        panels = list(self._panels.values())
        seen = self._first(panels) if self.single else panels
        width, height = self._frame.width(), self._frame.height()
        wanted = grid(len(seen), width, height, (scaled(LEAST_WIDTH), scaled(LEAST_HEIGHT)))
        least = wanted[0] * scaled(LEAST_HEIGHT)
        self._graphics.setMinimumHeight(least if wanted[0] > 1 and least > height else 0)
        if wanted != self._grid:
            self._grid = wanted
            layout = self._graphics.ci
            for panel in panels:
                if panel.plot in layout.items:
                    layout.removeItem(panel.plot)
            for number, panel in enumerate(seen):
                layout.addItem(panel.plot, *divmod(number, wanted[1]))
                panel.plot.getAxis("bottom").setStyle(showValues=number + wanted[1] >= len(seen))
            for panel in panels:
                panel.plot.setVisible(panel in seen)
        self._style()

    def _first(self, panels: list[TracePlot]) -> list[TracePlot]:
        """Those of a lecture: residuals are among them if they are in decades, which is to look at them."""
        of_quantity = [panel for panel in panels if not panel.series[0].residual]
        residuals = [panel for panel in panels if panel.logarithmic][:1]
        return [*of_quantity[: MOST_ALONE - len(residuals)], *residuals] or panels[:MOST_ALONE]

    def _style(self) -> None:
        room = self._frame.height() / max(self._grid[0], 1) - scaled(FIGURES)
        for panel in self._panels.values():
            width, size = (3, SINGLE_TYPE) if self.single else (1, None)
            panel.style(self._tokens, width, size, room, bold=not self.single and len(self._series) <= BOLD)
        self.show_values(
            self._written
        )  # names have another type now, and nothing else may come while time stands still

    def set_logarithmic(self, on: bool) -> None:
        """Residuals by their magnitude, in decades."""
        self.logarithmic = on
        for panel in self._panels.values():
            panel.set_logarithmic(on)
        self.show_first(self.single)

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

    def curves_at(self, at: QPoint) -> tuple[Series, ...]:
        """The curves of the plot at a place of `widget`; none beside the plots."""
        panel = self._panel_at(QPointF(self._graphics.mapToScene(at)))
        return panel.series if panel is not None else ()

    def drag(self, series: Series, at: QPoint, ended: bool) -> None:
        """A curve is dragged from elsewhere over this place of the screen, or dropped there."""
        inside = self._graphics.mapFromGlobal(at)
        if ended or self._frame.rect().contains(self._frame.mapFromGlobal(at)):
            self.drags.curve(series.key, kind_of(series), QPointF(self._graphics.mapToScene(inside)), ended)

    def _dragged_out_of(self, panel: TracePlot, key: str, at: QPointF, ended: bool) -> None:
        if key:
            self.drags.curve(key, panel.kind, at, ended)
        else:
            self.drags.plot(panel.series[0].key, at, ended)

    def _panel_at(self, at: QPointF) -> TracePlot | None:
        seen = (panel for panel in self._panels.values() if panel.plot.isVisible())
        return next((panel for panel in seen if panel.area().contains(at)), None)

    def _pair_dragged(self, place: int, moved: Any) -> None:
        if self._pair is not None:
            time = float(moved.value())
            self.show_pair((time, self._pair[1]) if place == 0 else (self._pair[0], time))
            self.pair_moved.emit(*self._pair)

    def _mouse_moved(self, position: QPointF) -> None:
        panel = self._panel_at(position)
        time = float(panel.plot.getViewBox().mapSceneToView(position).x()) if panel is not None else float("nan")
        for other in self._panels.values():
            other.cursor.setVisible(panel is not None)
            if panel is not None:
                other.cursor.setPos(time)
        self.cursor_moved.emit(time)
