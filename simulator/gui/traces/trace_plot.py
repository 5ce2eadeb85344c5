"""One plot over time: its axes, curves, lines at moments, and the names at the ends of its curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPen, QTransform
from PyQt6.QtWidgets import QApplication

from simulator.diagnostics import printable
from simulator.gui.fields import scaled
from simulator.gui.plain_plot import BESIDE_THE_CURVES, PlainAxis, Plot
from simulator.gui.traces.arrangement import IDEAL, RESIDUAL, kind_of
from simulator.gui.traces.curve_names import CurveName, CurveNames, EndLinks
from simulator.gui.traces.decimation import nice_range, settled_range

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens
    from simulator.gui.traces.plan import Series
    from simulator.spatial.arrays import Array


DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 5.0), (2.0, 3.0), (8.0, 3.0, 2.0, 3.0))
FLOOR = 1e-18
"""Residuals below are drawn here on a logarithmic axis."""
LEAST, LEAST_RESIDUAL = 1e-3, 1e-12
"""Half the height of a plot of a constant: noise of the last digit is not blown up [unit on show]."""
AXIS, AXIS_IN_LARGE = 66, 5.4
"""Width of the axis of values, see `scaled`, and in the type of a lecture, in heights of that."""

BELOW = 5
"""Room for ticks and below the figures of the axis of time [px]."""
FIGURE = 13.0
"""Height of figures with which the axis of time has the usual number of them [px]."""
BESIDE = 0.3, 0.5
"""Between the two lines of a curve [px]."""


def pen(series: Series, tokens: Tokens, width: int = 1) -> QPen:
    """Width 1: a wider pen costs ten times as much. An ideal follower is dashed in the colour of the text."""
    result = QPen(QColor(colour_of(series, tokens)))
    result.setWidth(width)
    result.setCosmetic(True)
    if DASHES[series.dash]:
        result.setDashPattern(list(DASHES[series.dash]))
    return result


def colour_of(series: Series, tokens: Tokens) -> str:
    """The colour of a curve and its name."""
    return tokens.text if series.colour < 0 else tokens.series[series.colour % len(tokens.series)]


class TraceCurve(pg.PlotCurveItem):  # type: ignore[misc]
    """`bold` is drawn twice, half a pixel apart: a pen that is wider than 1 takes Qt twenty times as long."""

    bold = False

    def paint(self, p: QPainter, opt: Any, widget: Any) -> None:
        """Draw the curve."""
        super().paint(p, opt, widget)
        if self.bold:
            p.setTransform(p.transform() * QTransform.fromTranslate(*BESIDE))
            super().paint(p, opt, widget)


class TimeAxis(PlainAxis):
    """The last figure has the unit: a label would cost a line."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def set_room(self, font: QFont) -> None:
        """As high as figures of that type, whatever type it had before: plots beside each other end at one line."""
        self.setHeight(round(QFontMetricsF(font).height()) + BELOW if self.style["showValues"] else None)

    def generateDrawSpecs(self, p: QPainter) -> Any:
        """Lines, ticks and figures, the last of these with its unit."""
        specs = super().generateDrawSpecs(p)
        texts = specs[2] if specs is not None else []
        if texts:
            texts.sort(key=lambda text: text[0].center().x())
            area, flags, text = texts[-1]
            metrics = QFontMetricsF(p.font())
            wide = metrics.horizontalAdvance(f"{text} s")
            left = min(area.center().x(), self._right_end() - wide / 2.0) - wide / 2.0
            texts[-1] = QRectF(left, area.top(), wide, area.height()), flags, f"{text} s"
            while len(texts) > 1 and texts[-2][0].right() > left - metrics.horizontalAdvance("0"):
                texts[:] = texts[-1::-2][::-1]
        return specs

    def _right_end(self) -> float:
        """Of what is drawn here, and of the plot [px]."""
        right = self.boundingRect().right()
        plot = self.parentItem()
        return float(right if plot is None else min(right, self.mapRectFromItem(plot, plot.boundingRect()).right()))


class ValueAxis(PlainAxis):
    """The handle of its plot. `dragged` is called with the place in the scene, and whether the button was released
    there."""

    def __init__(self, dragged: Callable[[QPointF, bool], object]) -> None:
        super().__init__("left")
        self._dragged = dragged
        self.setStyle(autoExpandTextSpace=False, tickTextOffset=4)
        self.setWidth(scaled(AXIS))
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def generateDrawSpecs(self, p: QPainter) -> Any:
        """Lines, ticks and as many of the figures as there is height for."""
        specs = super().generateDrawSpecs(p)
        texts = specs[2] if specs is not None else []
        texts.sort(key=lambda text: text[0].center().y())
        high = QFontMetricsF(p.font()).ascent()
        while any(b[0].center().y() - a[0].center().y() < high for a, b in pairwise(texts)):
            texts[:] = texts[::2]
        return specs

    def mouseDragEvent(self, ev: Any) -> None:
        """Drag the plot."""
        if ev.button() is not Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        self._dragged(ev.scenePos(), ev.isFinish())


class TracePlot:
    """`series` are its curves, of one kind; `unit` is what that is called. `dragged` is called with the plot, the key
    of one of its curves, or "" for the whole plot, the place in the scene, and whether the button was released."""

    def __init__(
        self, series: Sequence[Series], unit: str, dragged: Callable[[TracePlot, str, QPointF, bool], object]
    ) -> None:
        self.series, self.kind, self._unit = tuple(series), kind_of(series[0]), unit
        self._named = _names(self.series)
        self.shown = 0.0, 1.0
        self.logarithmic = False
        self.plot: Any = Plot(bottom=TimeAxis(), left=ValueAxis(partial(dragged, self, "")))
        self.names = CurveNames(partial(dragged, self))
        self.plot.layout().addItem(self.names, *BESIDE_THE_CURVES)
        self.plot.setMouseEnabled(x=True, y=False)
        self.plot.disableAutoRange()
        self.plot.showGrid(x=True, y=True, alpha=0.2)
        self.cursor, self.head = self._line(), self._line()
        self.pair = self._line(name="A"), self._line(name="B")
        self.curves: dict[str, Any] = {}
        self._ends: dict[str, float] = {}
        self._look: tuple[object, ...] = ()
        self._last, self.links = float("nan"), EndLinks()
        self.plot.addItem(self.links, ignoreBounds=True)
        for one in sorted(self.series, key=lambda s: s.colour < 0):
            self.curves[one.key] = TraceCurve(antialias=True, skipFiniteCheck=True)
            self.plot.addItem(self.curves[one.key])

    def set_data(self, times: Array, columns: dict[str, Array]) -> None:
        """New samples for the curves by key; the range of values follows."""
        drawn = {key: _logarithm(columns[key]) if self.logarithmic else columns[key] for key in self.curves}
        for key, curve in self.curves.items():
            curve.setData(times, drawn[key])
            self._ends[key] = float(drawn[key][-1]) if len(drawn[key]) else float("nan")
        self._last = float(times[-1]) if len(times) else float("nan")
        least = LEAST if self.logarithmic or self.kind != RESIDUAL else LEAST_RESIDUAL
        wanted = nice_range(np.concatenate(list(drawn.values())), least)
        settled = settled_range(wanted, self.shown) if wanted is not None else self.shown
        if settled != self.shown:
            self.shown = settled
            self.plot.setYRange(*settled, padding=0)

    def set_logarithmic(self, on: bool) -> None:
        """Residuals by their magnitude, in decades."""
        self.logarithmic = on and self.kind == RESIDUAL
        self.plot.getAxis("left").setLogMode(y=self.logarithmic)

    def show_values(self, values: dict[str, str], tokens: Tokens) -> None:
        """Write the names of the curves with these values by key."""
        names = [
            CurveName(
                one.key, self._named[one.key], values.get(one.key, ""), colour_of(one, tokens),
                self._ends.get(one.key, float("nan")), one.key.removesuffix(IDEAL) if one.key.endswith(IDEAL) else "",
            )
            for one in self.series
        ]  # fmt: skip
        self.names.show_names(names, self.shown)
        self.links.show_ends([(self._last, name.end, name.colour) for name in names if not name.owner])

    def area(self) -> QRectF:
        """Where it is in the scene."""
        area: QRectF = self.plot.sceneBoundingRect()
        return area

    def style(self, tokens: Tokens, width: int, type_size: int | None, room: float, *, bold: bool) -> None:
        """Colours of a theme, width of the lines, height of the labels [px] (None: the usual), the room that there is
        for the label of the values [px], and whether lines of width 1 are bold."""
        font = QApplication.font()
        if type_size is not None:
            font.setPixelSize(type_size)
        written = self._label(QFontMetricsF(font).horizontalAdvance, room)
        look = tokens, width, type_size, written, bold, font.key()
        if look == self._look:  # its size alone is another
            return
        self._look = look
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(tokens.border))
            axis.setTextPen(pg.mkPen(tokens.muted))
            axis.setTickFont(font)
        size = QFontInfo(font).pixelSize()
        self.plot.getAxis("bottom").set_room(font)
        self.plot.getAxis("left").setWidth(scaled(AXIS) if type_size is None else round(AXIS_IN_LARGE * size))
        self.plot.getAxis("bottom").setTickDensity(min(FIGURE / size, 1.0))
        height = f"{font.pixelSize()}px" if font.pixelSize() > 0 else f"{font.pointSizeF()}pt"
        self.plot.setLabel("left", written, color=tokens.muted, **{"font-size": height})
        self.plot.getAxis("left").resizeEvent()  # which puts the label, of another length now, into the middle
        self.head.setPen(pg.mkPen(tokens.accent, width=2))
        for line in self.pair:
            line.setPen(pg.mkPen(tokens.text, width=1, style=Qt.PenStyle.DotLine))
            line.setHoverPen(pg.mkPen(tokens.accent, width=2))
            line.label.setColor(tokens.text)
        self.cursor.setPen(pg.mkPen(tokens.accent, style=Qt.PenStyle.DashLine))
        for one in self.series:
            self.curves[one.key].setPen(pen(one, tokens, width))
            self.curves[one.key].bold = bold
        self.names.set_style(tokens.muted)

    def _label(self, wide: Callable[[str], float], room: float) -> str:
        if self.kind != RESIDUAL:
            return self._unit if wide(self._unit) <= room else ""
        name = _tr("|residual|") if self.logarithmic else _tr("residual")
        texts = (f"{name} [{self._unit}]", name, f"[{self._unit}]")
        return next((text for text in texts if wide(text) <= room), "")

    def _line(self, name: str = "") -> Any:
        line = pg.InfiniteLine(angle=90, movable=bool(name), label=name or None)
        line.hide()
        self.plot.addItem(line, ignoreBounds=True)
        return line


def _names(series: Sequence[Series]) -> dict[str, str]:
    """What is written at the curves by key; of several ideals each has the name of its follower before its own."""
    labels = {one.key: one.label for one in series}
    owners = {one.key: labels.get(one.key.removesuffix(IDEAL), "") for one in series if one.key.endswith(IDEAL)}
    if len(owners) == 1:
        return {one.key: printable(one.label.removeprefix("↳ ")) for one in series}
    return {
        one.key: printable(
            f"{owner} {one.label.removeprefix('↳ ')}" if (owner := owners.get(one.key, "")) else one.label
        )
        for one in series
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("Traces", text)


def _logarithm(values: Array) -> Array:
    """Decades of the magnitude; exact zeros at the bottom."""
    return np.asarray(np.log10(np.maximum(np.abs(values), FLOOR)))
