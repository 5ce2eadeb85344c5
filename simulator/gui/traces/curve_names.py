"""Names at the right ends of curves, with the values of the moment on show, without overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PyQt6.QtWidgets import QApplication, QGraphicsSceneHoverEvent

from simulator.gui.fields import tabular, tip
from simulator.records import dataclass

LINK, GAP = 12.0, 8.0
"""Width of the line from a curve to its name, and of the gap between name and value [px]."""
SHARE = 0.42
"""Names take this part of a plot at most."""
SAME = 3.0
"""An ideal follower nearer to its follower than this has no name of its own [px]."""


@dataclass(frozen=True)
class CurveName:
    """What is written at the end of a curve. `end`: its last value, as it is drawn; `owner`: for an ideal follower, the
    key of the follower."""

    key: str
    text: str
    value: str
    colour: str
    end: float
    owner: str = ""


class EndLinks(pg.UIGraphicsItem):  # type: ignore[misc]
    """Dotted lines from the ends of curves that do not reach the right edge of their plot to their names there."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: tuple[tuple[float, float, str], ...] = ()
        self.setZValue(-1.0)

    def show_ends(self, ends: Sequence[tuple[float, float, str]]) -> None:
        """Draw them from these ends, each a time [s], a value as it is drawn, and a colour."""
        if tuple(ends) != self._ends:
            self._ends = tuple(ends)
            self.update()

    def paint(self, p: QPainter, *_: Any) -> None:
        """Draw the lines."""
        right = self.boundingRect().right()
        width = self.pixelWidth()
        for time, value, colour in self._ends:
            if np.isfinite(value) and width and (right - time) / width > LINK:
                pen = QPen(QColor(colour), 1.0, Qt.PenStyle.DotLine)
                pen.setCosmetic(True)
                p.setPen(pen)
                p.drawLine(QPointF(time, value), QPointF(right, value))


def spread(wanted: Sequence[float], pitch: float, low: float, high: float) -> list[float]:
    """Places at least `pitch` apart between `low` and `high`, as near to the wanted ones as that lets them be, by least
    squares: means of neighbours that are in each other's way (pool adjacent violators). Equal wishes keep their order.
    """
    order = np.argsort(wanted, kind="stable")
    blocks: list[tuple[float, int]] = []  # mean of what they would like, less the room of those before; how many
    for rank, number in enumerate(order):
        mean = wanted[int(number)] - rank * pitch
        count = 1
        while blocks and blocks[-1][0] >= mean:
            before, others = blocks.pop()
            mean = (before * others + mean * count) / (others + count)
            count = others + count
        blocks.append((mean, count))
    highest = max(high - (len(order) - 1) * pitch, low)
    means = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
    result = np.empty(len(order))
    result[order] = np.clip(means, low, highest) + np.arange(len(order)) * pitch
    return [float(place) for place in result]


class CurveNames(pg.GraphicsWidget):  # type: ignore[misc]
    """A column beside a plot. `dragged` is called with the key of a name, the place in the scene, and whether the
    button was released there."""

    def __init__(self, dragged: Callable[[str, QPointF, bool], object]) -> None:
        super().__init__()
        self._dragged = dragged
        self._held = ""
        self._names: tuple[CurveName, ...] = ()
        self._placed: list[tuple[CurveName, float]] = []
        self._range, self._muted, self._more = (0.0, 1.0), QColor(), 0
        self._values = 0.0
        self._fitting: dict[tuple[str, int], str] = {}
        self._font = QFont()
        self._metrics = QFontMetricsF(self._font)
        self.setAcceptHoverEvents(True)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def set_style(self, muted: str) -> None:
        """Take on the font of the application and the colour of values."""
        self._font, self._muted, self._values = tabular(QApplication.font()), QColor(muted), 0.0
        self._metrics = QFontMetricsF(self._font)
        self._fitting = {}
        self.update()

    def show_names(self, names: Sequence[CurveName], shown: tuple[float, float]) -> None:
        """Write these names at a plot that shows values from `shown[0]` to `shown[1]`."""
        if (tuple(names), shown) != (self._names, self._range):
            self._names = tuple(names)
            self._range = shown
            self.update()

    def wanted_width(self) -> float:
        """Room for the longest name and value [px]; what values once needed stays, so that nothing dances."""
        if not self._names:
            return 0.0
        wide = self._metrics.horizontalAdvance
        self._values = max(self._values, *(wide(name.value) for name in self._names))
        return LINK + max(wide(name.text) for name in self._names) + GAP + self._values

    def placed(self) -> list[tuple[CurveName, float]]:
        """The names that there is room for, each with its middle [px from the top]."""
        height = float(self.size().height())
        (low, high) = self._range
        scale = height / (high - low) if high > low else 0.0
        at = {name.key: (high - name.end) * scale for name in self._names if np.isfinite(name.end)}
        own = [name for name in self._names if name.key in at and not self._coincides(name, at)]
        pitch = self._metrics.height()
        room = max(int(height // pitch), 1)
        fitting = own if len(own) <= room else own[: room - 1]
        self._more = len(own) - len(fitting)
        if self._more:  # the last line says how many are missing
            own = fitting
            height = height - pitch
        places = spread([min(max(at[name.key], 0.0), height) for name in own], pitch, pitch / 2, height - pitch / 2)
        return list(zip(own, places, strict=True))

    def _coincides(self, name: CurveName, at: dict[str, float]) -> bool:
        return name.owner in at and abs(at[name.owner] - at[name.key]) < SAME

    def paint(self, p: QPainter, *_: Any) -> None:
        """Draw a line from the end of each curve to its name, the name, and the value at the right."""
        self._placed = self.placed()
        (width, height) = (self.size().width(), self.size().height())
        (low, high) = self._range
        p.setFont(self._font)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, place in self._placed:
            end = min(max((high - name.end) / (high - low) * height, 0.0), height) if high > low else place
            p.setPen(QPen(QColor(name.colour), 1.0))
            p.drawLine(QPointF(0.0, end), QPointF(LINK - 4.0, place))
            line = place + (self._metrics.ascent() - self._metrics.descent()) / 2.0
            text, value = self.written(name)
            p.drawText(QPointF(LINK, line), text)
            p.setPen(self._muted)
            p.drawText(QPointF(width - self._metrics.horizontalAdvance(value), line), value)
        if self._more:
            p.setPen(self._muted)
            p.drawText(QPointF(LINK, height - self._metrics.descent()), f"+ {self._more}")

    def written(self, name: CurveName) -> tuple[str, str]:
        """Its name and value as they are drawn. Where there is no room for both, the name has all of it: the legend and
        the tool tip have the value."""
        wide, room = self._metrics.horizontalAdvance, float(self.size().width()) - LINK
        value = name.value if wide(name.text) + GAP + wide(name.value) <= room else ""
        return self._that_fits(name.text, room - (GAP + wide(value) if value else 0.0)), value

    def _that_fits(self, text: str, room: float) -> str:
        """A name, with dots in its middle where there is no room; cutting it takes longer than writing it."""
        key = text, round(room)
        if key not in self._fitting:
            self._fitting[key] = self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        return self._fitting[key]

    def name_at(self, place: QPointF) -> CurveName | None:
        """The name at a place in this column."""
        pitch = self._metrics.height()
        return next((name for name, at in self._placed if abs(place.y() - at) <= pitch / 2), None)

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent | None) -> None:
        """The whole name, which may be cut."""
        name = self.name_at(event.pos()) if event is not None else None
        self.setToolTip(tip(f"{name.text}  {name.value}") if name is not None else "")

    def mouseDragEvent(self, ev: Any) -> None:
        """Drag a curve by its name."""
        if ev.button() is not Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        if ev.isStart():
            name = self.name_at(ev.buttonDownPos())
            self._held = name.key if name is not None else ""
        if not self._held:
            ev.ignore()
            return
        ev.accept()
        self._dragged(self._held, ev.scenePos(), ev.isFinish())
