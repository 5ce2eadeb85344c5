"""Targets of a drag over the plots, and the mark that shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPen
from PyQt6.QtWidgets import QGraphicsRectItem

from simulator.gui.traces.arrangement import DropPlace

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens
    from simulator.gui.traces.trace_plot import TracePlot

EDGE = 0.28
"""Part of a plot at either side where a new plot begins."""
IN_FRONT = 1_000.0


def place_in(area: QRectF, at: QPointF, across: bool, inside: bool) -> DropPlace:
    """What a point of a plot means: its middle, where that can be dropped into (`inside`), or one of its edges, which
    are left and right where plots are side by side (`across`)."""
    part = (at.x() - area.left()) / area.width() if across else (at.y() - area.top()) / area.height()
    edge = EDGE if inside else 0.5
    return DropPlace.BEFORE if part < edge else DropPlace.AFTER if part > 1.0 - edge or not inside else DropPlace.INSIDE


def zone(area: QRectF, place: DropPlace, across: bool) -> QRectF:
    """What is marked of a plot."""
    if place is DropPlace.INSIDE:
        return area
    width, height = (area.width() * EDGE, area.height()) if across else (area.width(), area.height() * EDGE)
    result = QRectF(area.left(), area.top(), width, height)
    if place is DropPlace.AFTER:
        result.moveBottomRight(area.bottomRight())
    return result


class DropMark(QGraphicsRectItem):
    """The part of a plot where what is dragged would go."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(IN_FRONT)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        fill = QColor(tokens.accent)
        fill.setAlphaF(0.18)
        self.setBrush(fill)
        self.setPen(QPen(QColor(tokens.accent), 2.0))

    def show_at(self, area: QRectF) -> None:
        """Mark a part of the scene."""
        self.setRect(area.adjusted(1.0, 1.0, -1.0, -1.0))
        self.show()


class PlotDrag(QObject):
    """Curves and plots that are dragged over the plots. `plot_at` finds the plot at a place of the scene, `across` says
    whether plots are side by side.

    `curve_dropped` and `plot_dropped` give the key of a curve that was dragged, or of one of the plot that was, the key
    of one of the plot where it was dropped, and the `DropPlace`.
    """

    curve_dropped = pyqtSignal(str, str, object)
    plot_dropped = pyqtSignal(str, str, object)

    def __init__(self, plot_at: Callable[[QPointF], TracePlot | None], across: Callable[[], bool]) -> None:
        super().__init__()
        self._plot_at, self._across = plot_at, across
        self._dragging = self._cancelled = False
        self.mark = DropMark()

    def curve(self, key: str, kind: str, at: QPointF, ended: bool) -> None:
        """A curve of a kind is over this place of the scene, or was dropped there."""
        target = self._over(at, kind, ended)
        if target is not None:
            self.curve_dropped.emit(key, *target)

    def plot(self, key: str, at: QPointF, ended: bool) -> None:
        """The same for the plot of a curve."""
        target = self._over(at, "", ended)
        if target is not None:
            self.plot_dropped.emit(key, *target)

    def cancel(self) -> bool:
        """Drop nothing, wherever the button is released; whether something was dragged."""
        self.mark.hide()
        self._cancelled = self._dragging
        return self._dragging

    def leave(self) -> None:
        """Nothing is dragged over the plots any longer."""
        self._dragging = self._cancelled = False
        self.mark.hide()

    def _over(self, at: QPointF, kind: str, ended: bool) -> tuple[str, DropPlace] | None:
        cancelled = self._cancelled
        self._dragging = not ended
        self._cancelled = cancelled and not ended
        self.mark.hide()
        plot = self._plot_at(at)
        if plot is None or cancelled:
            return None
        area, across = plot.area(), self._across()
        place = place_in(area, at, across, inside=kind == plot.kind)
        if ended:
            return plot.series[0].key, place
        self.mark.show_at(zone(area, place, across))
        return None
