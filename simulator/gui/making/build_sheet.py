"""A sheet on which a mechanism is drawn: the picture of a plan, and the mouse on it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from simulator.building.drawing.hand import LINES, Pen, Tool
from simulator.building.drawing.plan import PlanLink, PlanPoint, Sketch
from simulator.gui.fields import scaled, tabular
from simulator.gui.making.sheet import SheetFrame, fitted, paint_grid, round_step
from simulator.gui.tokens import Tokens
from simulator.gui.units import Units, compact

if TYPE_CHECKING:
    from simulator.building.drawing.plan import Place

LINE = 64
"""About the distance of the lines of the grid [px], see `scaled`."""
NEAR = 10
"""Distance from which a point attracts the mouse [px], see `scaled`."""
ROOM = 90
"""Around what is shown [px]."""
EMPTY = 0.6
"""Width of what an empty sheet shows [m]."""
ZOOM = 0.87
"""For one notch of the wheel."""
TURNS = 9
"""Corners of a spring."""
PARTS = 5
"""Places to which ends snap between two lines of the grid."""
BAR = 0.4
"""Width of a new bar over the distance of the lines."""


class BuildSheet(QWidget):
    """`gesture` carries a `Gesture` that the mouse has finished, `changed` is emitted where one begins or is given up,
    `length` carries the name of a bar whose number was clicked on, and where that is."""

    gesture = pyqtSignal(object)
    changed = pyqtSignal()
    length = pyqtSignal(str, QRectF)

    def __init__(self, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._tokens, self._units = tokens, units
        self.hand = Pen()
        self._frame = SheetFrame((0.0, 0.0), (1.0, 1.0))
        self._is_placed = False
        self._panned: QPointF | None = None
        self._mouse: Place | None = None
        self._numbers: dict[str, QRectF] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Sheet"))

    @property
    def plan(self) -> Sketch:
        """What is on the sheet."""
        return self.hand.plan

    def minimumSizeHint(self) -> QSize:
        """Room for a mechanism."""
        return QSize(scaled(280), scaled(200))

    def show_plan(self, plan: Sketch, *, fit: bool = False) -> None:
        """Show what the document has now."""
        self.hand.plan = plan
        if fit:
            self.fit()
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def set_units(self, units: Units) -> None:
        """Show lengths in other units."""
        self._units = units
        self.update()

    def fit(self) -> None:
        """Show everything, or an empty sheet around the origin."""
        points = [complex(*point.place) for point in self.plan.points]
        for link in self.plan.links:
            centre = complex(*link.places[0]) if link.places and link.radius else 0j
            points += [centre + link.radius * way for way in (1, -1, 1j, -1j)] if link.radius else []
        spread = max((abs(a - b) for a in points for b in points), default=0.0)
        if spread < 1e-6:
            middle = points[0] if points else 0j
            points = [middle - EMPTY / 2.0, middle + EMPTY / 2.0]
        room = scaled(ROOM)
        area = QRectF(self.rect()).adjusted(room, room, -room, -room)
        if area.width() > 0.0 and area.height() > 0.0:
            self._look(fitted(points, area, alike=True))

    def pixel(self, place: Place) -> QPointF:
        """Where a place of the plane is on the sheet [px]."""
        return self._frame.place(*place)

    def number_box(self, link: str) -> QRectF:
        """Where the length of a bar is written [px]; empty where it is not."""
        return self._numbers.get(link, QRectF())

    def _look(self, frame: SheetFrame) -> None:
        self._frame = frame
        self.hand.grid = self._line() / PARTS
        self.hand.width = BAR * self._line()
        self.hand.reach = scaled(NEAR) / frame.factor[0]
        self.update()

    def _line(self) -> float:
        """The distance of the lines [m]."""
        return round_step(scaled(LINE) / self._frame.factor[0])

    # --- hands --------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What was seen stays in sight."""
        super().resizeEvent(event)
        before = QSize() if event is None else event.oldSize()
        if not self._is_placed or before.width() < scaled(280) or before.height() < scaled(200):
            self._is_placed = True
            self.fit()
            return
        share = min(self.width() / before.width(), self.height() / before.height())
        middle = self._frame.value(QPointF(before.width() / 2.0, before.height() / 2.0))
        scale = self._frame.factor[0] * share
        origin = (self.width() / 2.0 - scale * middle[0], self.height() / 2.0 + scale * middle[1])
        self._look(SheetFrame(origin, (scale, scale)))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Begin, or pan."""
        if event is None:
            return
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() is not Qt.MouseButton.LeftButton or shift:
            self._panned = event.position()
            return
        number = next((name for name, box in self._numbers.items() if box.contains(event.position())), "")
        if number and not self.hand.is_drawing:
            self.length.emit(number, self._numbers[number])
            return
        self.hand.press(self._frame.value(event.position()))
        self._show()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """What is drawn follows."""
        if event is None:
            return
        if self._panned is not None:
            way = event.position() - self._panned
            self._panned = event.position()
            (x, y), factor = self._frame.origin, self._frame.factor
            self._look(SheetFrame((x + way.x(), y + way.y()), factor))
            return
        self._mouse = self._frame.value(event.position())
        self.hand.move(self._mouse)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Finish."""
        if event is None:
            return
        if self._panned is not None:
            self._panned = None
            return
        if event.button() is Qt.MouseButton.LeftButton:
            found = self.hand.release(self._frame.value(event.position()))
            if found is not None:
                self.gesture.emit(found)
            self.update()

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the mouse."""
        super().leaveEvent(event)  # type: ignore[arg-type]
        self._mouse = None
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom to the pointer."""
        if event is None:
            return
        factor = ZOOM ** (-event.angleDelta().y() / 120.0)
        at, (x, y) = event.position(), self._frame.origin
        scale = self._frame.factor[0] * factor
        if 1.0 < scale < 1e7:
            origin = (at.x() + factor * (x - at.x()), at.y() + factor * (y - at.y()))
            self._look(SheetFrame(origin, (scale, scale)))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Escape gives up what was begun."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self.hand.is_drawing:
            self.hand.cancel()
            self._show()
            return
        super().keyPressEvent(event)

    def _show(self) -> None:
        self.changed.emit()
        self.update()

    # --- the picture --------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Grid, bodies, pins, lengths, and what is being drawn."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font()))
        painter.fillRect(self.rect(), QColor(self._tokens.surface))
        self._paint_grid(painter)
        for place, way in self.plan.slides.values():
            self._paint_guide(painter, place, way)
        for number, link in enumerate(self.plan.links):
            self._paint_link(painter, link, QColor(self._tokens.series[number % len(self._tokens.series)]))
        for ends in self.plan.springs:
            self._paint_spring(painter, *map(self.pixel, ends))
        self._paint_follows(painter)
        for point in self.plan.points:
            self._paint_point(painter, point)
        self._paint_begun(painter)
        self._paint_numbers(painter)

    def _paint_grid(self, painter: QPainter) -> None:
        line, factor = self._line(), self._units.factor_of("m")
        paint_grid(painter, self, self._frame, (line, line), (factor, factor), self._tokens)
        painter.drawText(QRectF(self.rect()).adjusted(0, 4, -8, 0), Qt.AlignmentFlag.AlignRight
                         | Qt.AlignmentFlag.AlignTop, f"[{self._units.name_of('m')}]")  # fmt: skip

    def _paint_link(self, painter: QPainter, link: PlanLink, color: QColor) -> None:
        fill = QColor(color)
        fill.setAlphaF(0.25)
        spots = [self.pixel(place) for place in link.places]
        if link.radius and spots:
            rim = link.radius * self._frame.factor[0]
            painter.setPen(QPen(color, scaled(2), Qt.PenStyle.DashDotLine))
            painter.setBrush(fill)
            painter.drawEllipse(spots[0], rim, rim)
            painter.setPen(QPen(color, scaled(2)))
            painter.drawLine(spots[0], spots[0] + QPointF(rim, 0.0))
            return
        width = max(self.hand.width * self._frame.factor[0], 4.0)
        wide = QPen(fill, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        if len(spots) == 1:
            painter.setPen(QPen(color, scaled(2)))
            painter.setBrush(fill)
            painter.drawRect(QRectF(spots[0].x() - width, spots[0].y() - 0.6 * width, 2.0 * width, 1.2 * width))
            return
        for pen in (wide, QPen(color, scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)):
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF(spots))

    def _paint_guide(self, painter: QPainter, place: Place, way: Place) -> None:
        """A slide: a dashed line both ways."""
        painter.setPen(QPen(QColor(self._tokens.muted), scaled(1), Qt.PenStyle.DashLine))
        at, along = self.pixel(place), QPointF(way[0], -way[1]) * (4.0 * self.hand.width * self._frame.factor[0])
        painter.drawLine(at - along, at + along)

    def _paint_spring(self, painter: QPainter, a: QPointF, b: QPointF) -> None:
        """A zigzag between straight ends."""
        way = b - a
        across = QPointF(-way.y(), way.x()) / (math.hypot(way.x(), way.y()) or 1.0) * scaled(6)
        turns = [a + (0.2 + 0.6 * k / TURNS) * way + (across if k % 2 else -across) for k in range(1, TURNS)]
        painter.setPen(QPen(QColor(self._tokens.ok), scaled(2)))
        painter.drawPolyline(QPolygonF([a, a + 0.2 * way, *turns, a + 0.8 * way, b]))

    def _paint_follows(self, painter: QPainter) -> None:
        """From a leader to what follows it."""
        places = {name: point.place for point in self.plan.points for name in (*point.joints, *point.slides)}
        painter.setPen(QPen(QColor(self._tokens.follower), scaled(2), Qt.PenStyle.DashLine))
        for follower, leader in self.plan.follows.items():
            if follower in places and leader in places:
                painter.drawLine(self.pixel(places[leader]), self.pixel(places[follower]))

    def _paint_point(self, painter: QPainter, point: PlanPoint) -> None:
        """A pin is filled, an end that is free is a ring; ground stands on hatching."""
        at, size = self.pixel(point.place), float(scaled(1))
        if point.is_ground:
            painter.setPen(QPen(QColor(self._tokens.text), 1.4 * size))
            painter.setBrush(QColor(self._tokens.border))
            left, right = at + size * QPointF(-11.0, 16.0), at + size * QPointF(11.0, 16.0)
            painter.drawPolygon(QPolygonF([at, left, right]))
            for step in range(4):
                foot = left + (right - left) * (step + 0.5) / 4.0
                painter.drawLine(foot, foot + size * QPointF(-5.0, 6.0))
        is_driven = any(name in self.plan.motors for name in (*point.joints, *point.slides))
        if is_driven:
            self._paint_motor(painter, at, size)
        is_near = self._mouse is not None and self.plan.point_at(self._mouse, self.hand.reach) is point
        painter.setPen(
            QPen(QColor(self._tokens.accent if is_near else self._tokens.text), (3.0 if is_near else 2.0) * size)
        )
        painter.setBrush(QColor(self._tokens.text if point.joints else self._tokens.surface))
        painter.drawEllipse(at, 5.0 * size, 5.0 * size)

    def _paint_motor(self, painter: QPainter, at: QPointF, size: float) -> None:
        """An arrow around the pin."""
        color = QColor(self._tokens.warning)
        painter.setPen(QPen(color, 2.5 * size))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        box = QRectF(at.x() - 16.0 * size, at.y() - 16.0 * size, 32.0 * size, 32.0 * size)
        painter.drawArc(box, -20 * 16, 170 * 16)
        angle = math.radians(150.0)
        tip = at + 16.0 * size * QPointF(math.cos(angle), -math.sin(angle))
        back = QPointF(-math.sin(angle), -math.cos(angle))
        out = QPointF(math.cos(angle), -math.sin(angle))
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([tip + 7.0 * size * back, tip + 5.0 * size * out, tip - 5.0 * size * out]))

    def _paint_begun(self, painter: QPainter) -> None:
        start, end = self.hand.start, self.hand.end
        if start is None or end is None:
            if self._mouse is not None and self.hand.tool in LINES:
                painter.setPen(QPen(QColor(self._tokens.accent), scaled(1)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(self.pixel(self.hand.snap(self._mouse)), scaled(4), scaled(4))
            return
        a, b = self.pixel(start), self.pixel(end)
        painter.setPen(QPen(QColor(self._tokens.accent), scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hand.tool is Tool.GEAR:
            painter.drawEllipse(
                a, math.dist(start, end) * self._frame.factor[0], math.dist(start, end) * self._frame.factor[0]
            )
        painter.drawLine(a, b)
        painter.drawEllipse(b, scaled(5), scaled(5))
        if end != start:
            self._paint_text(painter, 0.5 * (a + b), self._text_of(math.dist(start, end)), QColor(self._tokens.accent))

    def _paint_numbers(self, painter: QPainter) -> None:
        """Lengths, above or to the left of their bars."""
        self._numbers = {}
        bar = 0.5 * self.hand.width * self._frame.factor[0]
        metrics = painter.fontMetrics()
        for link in self.plan.links:
            if not link.is_bar:
                continue
            a, b = (self.pixel(place) for place in link.places)
            far = math.dist((a.x(), a.y()), (b.x(), b.y())) or 1.0
            out = QPointF(b.y() - a.y(), a.x() - b.x()) / far
            if out.y() > 1e-9 or (abs(out.y()) <= 1e-9 and out.x() > 0.0):
                out = -out
            text = self._text_of(link.length)
            half = 0.5 * (abs(out.x()) * (metrics.horizontalAdvance(text) + 10) + abs(out.y()) * metrics.height())
            spot = 0.5 * (a + b) + (bar + half + 4.0) * out
            self._numbers[link.name] = self._paint_text(painter, spot, text, QColor(self._tokens.text))

    def _text_of(self, length: float) -> str:
        return f"{compact(length * self._units.factor_of('m'), 4)} {self._units.name_of('m')}"

    def _paint_text(self, painter: QPainter, at: QPointF, text: str, color: QColor) -> QRectF:
        metrics = painter.fontMetrics()
        box = QRectF(0.0, 0.0, metrics.horizontalAdvance(text) + 10.0, metrics.height() + 4.0)
        box.moveCenter(at)
        back = QColor(self._tokens.surface)
        back.setAlphaF(0.85)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 4.0, 4.0)
        painter.setPen(color)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        return box
