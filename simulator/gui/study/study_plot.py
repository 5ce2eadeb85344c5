"""A measure over one number, as a curve, or over two, as a map; drawn while samples arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QGraphicsRectItem, QVBoxLayout, QWidget

from simulator.gui.plain_plot import BESIDE_THE_CURVES, plain_plot, style_plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.gui.theme import Tokens
    from simulator.spatial.arrays import Array


SAME = 1e-12
"""Differences of what is measured that are round-off, as a part of it."""
WAITING, MADE, FAILED = 0, 1, 2
COLOURS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
"""Of a map, from low to high: lightness rises all the way, and the ends differ for every kind of colour vision."""
KEYS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Down: (1, -1), Qt.Key.Key_Up: (1, 1)}
"""Which number changes by how much."""


class StudyPlot(QWidget):
    """Samples of a grid, the first number slowest. `picked` carries the place of a sample that was clicked or reached
    with the arrow keys, `wanted` that of one that was double-clicked, or chosen by Return."""

    picked = pyqtSignal(int)
    wanted = pyqtSignal(int)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._axes: tuple[Array, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._now: tuple[float, ...] = ()
        self.values, self.states = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.selected = -1
        self.plot = plain_plot(self.tr("Measure over the varied numbers"))
        self._scale: Any = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.scene().sigMouseClicked.connect(self._clicked)
        self._make_items()
        self.set_tokens(tokens)

    def begin(self, axes: Sequence[Array], labels: Sequence[str], now: Sequence[float], measure: str) -> None:
        """An empty grid over `axes`, one or two, with their labels and the values of now, all as shown; `measure`: the
        label of what is measured."""
        self._axes, self._labels, self._now = tuple(axes), (*labels, measure), tuple(now)
        count = int(np.prod([len(axis) for axis in axes]))
        self.values, self.states = np.full(count, np.nan), np.zeros(count, dtype=np.int64)
        self.selected = -1
        self._lay_out()
        self.draw()

    def see(self, place: int, value: float, *, failed: bool) -> None:
        """A sample is made; `draw` shows it. A value that is not a number is shown as a failure is."""
        failed = failed or not np.isfinite(value)
        self.values[place] = np.nan if failed else value
        self.states[place] = FAILED if failed else MADE

    def select(self, place: int) -> None:
        """Mark a sample; -1 for none."""
        self.selected = place
        self._mark()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        style_plot(self.plot, tokens)
        line = pg.mkPen(tokens.muted, width=1, style=Qt.PenStyle.DashLine)
        for item in (self._across, self._up):
            item.setPen(line)
        self._curve.setPen(pg.mkPen(tokens.series[0], width=2))
        self._points.setBrush(pg.mkBrush(tokens.series[0]))
        self._failed.setPen(pg.mkPen(tokens.error, width=1))
        self._chosen.setPen(pg.mkPen(tokens.accent, width=2))
        self._colour_scale()
        self.draw()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows go from sample to sample, Return opens the one that is marked."""
        if event is None or not len(self.values):
            return
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selected >= 0:
            self.wanted.emit(self.selected)
        elif key in KEYS and KEYS[key][0] < len(self._axes):
            self._go(*KEYS[key])
        else:
            super().keyPressEvent(event)

    def draw(self) -> None:
        """Show what has come in."""
        if len(self._axes) == 1:
            self._draw_curve()
        elif len(self._axes) == 2:
            self._draw_map()
        self._mark()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _make_items(self) -> None:
        self._across: Any = pg.InfiniteLine(angle=90)
        self._up: Any = pg.InfiniteLine(angle=0)
        self._curve: Any = pg.PlotDataItem(connect="finite")
        self._points: Any = pg.ScatterPlotItem(size=6, pen=None)
        self._failed: Any = pg.ScatterPlotItem(symbol="x", size=6, brush=None)
        self._chosen: Any = pg.ScatterPlotItem(size=13, brush=None)
        self._image: Any = pg.ImageItem(axisOrder="col-major")
        self._cell, self._around_cell = QGraphicsRectItem(), QGraphicsRectItem()
        self._around_cell.setPen(pg.mkPen("#000000", width=4))
        self._cell.setPen(pg.mkPen("#ffffff", width=2))  # seen on every colour of the map, within the black one
        self._image.setColorMap(pg.ColorMap(np.linspace(0.0, 1.0, len(COLOURS)), list(COLOURS)))
        self._image.setZValue(-10)
        for item in (self._image, self._curve, self._points, self._failed, self._chosen):
            self.plot.addItem(item)
        for item in (self._across, self._up, self._around_cell, self._cell):
            self.plot.addItem(item, ignoreBounds=True)

    def _lay_out(self) -> None:
        """One axis or two."""
        is_map = len(self._axes) == 2
        for item in (self._curve, self._points, self._chosen):
            item.setVisible(not is_map)
        for item in (self._image, self._up):
            item.setVisible(is_map)
        self.plot.showGrid(x=not is_map, y=not is_map, alpha=0.2)
        self._across.setVisible(bool(self._axes))
        self.plot.setLabel("bottom", self._labels[0])
        self.plot.setLabel("left", self._labels[1])
        item = self.plot.getPlotItem()
        if self._scale is not None:
            item.layout().removeItem(self._scale)
            self.plot.scene().removeItem(self._scale)
            self._scale = None
        if is_map:
            self._scale = pg.ColorBarItem(label=self._labels[2], width=14, interactive=False)
            self._scale.setColorMap(self._image.getColorMap())
            item.layout().addItem(self._scale, *BESIDE_THE_CURVES)
            self._scale.setImageItem(self._image)
            self._colour_scale()
        self._across.setValue(self._now[0])
        if is_map:
            self._up.setValue(self._now[1])
        self.plot.enableAutoRange()

    def _colour_scale(self) -> None:
        if self._scale is None:
            return
        self._scale.axis.setPen(pg.mkPen(self._tokens.border))
        self._scale.axis.setTextPen(pg.mkPen(self._tokens.muted))
        self._scale.axis.enableAutoSIPrefix(False)

    def _draw_curve(self) -> None:
        at = self._axes[0]
        made = self.states != WAITING
        self._curve.setData(at[made], self.values[made])
        good = self.states == MADE
        self._points.setData(at[good], self.values[good])
        failed = self.states == FAILED
        low = float(self.values[good].min()) if good.any() else 0.0
        self._failed.setData(at[failed], np.full(int(failed.sum()), low))

    def _draw_map(self) -> None:
        a, b = self._axes
        grid = self.values.reshape(len(a), len(b))
        good = self.states == MADE
        if good.any():
            low, high = float(self.values[good].min()), float(self.values[good].max())
            if high - low <= SAME * max(abs(low), abs(high)):
                room = 0.5 * (abs(low) or 1.0)
                low = low - room
                high = high + room
            self._image.setImage(grid, levels=(low, high))
            if self._scale is not None:
                self._scale.setLevels((low, high))
        else:
            self._image.setImage(np.full(grid.shape, np.nan), levels=(0.0, 1.0))
        self._image.setRect(_extent(a, b))
        rows, columns = np.unravel_index(np.flatnonzero(self.states == FAILED), grid.shape)
        self._failed.setData(a[rows], b[columns])

    def _mark(self) -> None:
        is_there = 0 <= self.selected < len(self.values)
        for frame in (self._around_cell, self._cell):
            frame.setVisible(is_there and len(self._axes) == 2)
        self._chosen.setData([], [])
        if not is_there:
            return
        if len(self._axes) == 1:
            value = self.values[self.selected]
            if np.isfinite(value):
                self._chosen.setData([self._axes[0][self.selected]], [value])
            return
        a, b = self._axes
        row, column = divmod(self.selected, len(b))
        wide, high = _step(a), _step(b)
        for frame in (self._around_cell, self._cell):
            frame.setRect(QRectF(a[row] - 0.5 * wide, b[column] - 0.5 * high, wide, high))

    def _clicked(self, event: Any) -> None:
        if not len(self.values) or event.button() != Qt.MouseButton.LeftButton:
            return
        point = self.plot.getPlotItem().vb.mapSceneToView(event.scenePos())
        if not self.plot.getPlotItem().vb.sceneBoundingRect().contains(event.scenePos()):
            return
        places = [int(np.abs(axis - at).argmin()) for axis, at in zip(self._axes, (point.x(), point.y()), strict=False)]
        place = places[0] if len(places) == 1 else places[0] * len(self._axes[1]) + places[1]
        if self.states[place] == WAITING:
            return
        self.setFocus()
        self.select(place)
        self.picked.emit(place)
        if event.double():
            self.wanted.emit(place)

    def _go(self, axis: int, by: int) -> None:
        """To a neighbour that is made."""
        shape = tuple(len(one) for one in self._axes)
        places = [int(one) for one in np.unravel_index(max(self.selected, 0), shape)]
        places[axis] = min(max(places[axis] + by, 0), shape[axis] - 1)
        place = int(np.ravel_multi_index(tuple(places), shape))
        if self.states[place] != WAITING:
            self.select(place)
            self.picked.emit(place)


def _step(axis: Array) -> float:
    return float(axis[1] - axis[0])


def _extent(a: Array, b: Array) -> QRectF:
    """Cells around the values of two axes."""
    wide, high = _step(a), _step(b)
    return QRectF(a[0] - 0.5 * wide, b[0] - 0.5 * high, wide * len(a), high * len(b))
