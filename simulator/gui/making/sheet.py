"""A sheet on which a linkage is asked for: places that are dragged, and the linkage that comes of them."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from simulator.building.synthesis.design import FourBarDesign
from simulator.building.synthesis.dwell import DwellDesign
from simulator.building.synthesis.series import SeriesDesign
from simulator.building.synthesis.translation import WattDesign
from simulator.gui.fields import scaled
from simulator.gui.making.tasks import Design, LinkageTask, Row, coupler_angle, four_bar_of, output_angle, range_of
from simulator.gui.tokens import Tokens
from simulator.gui.units import Units, compact
from simulator.records import dataclass

ARROW, DOT, NEAR = 44, 5, 10
"""Length of the arrow of a plane, radius of a place, and how near the mouse grabs it [px], see `scaled`."""
ROOM = 46
"""Around what is shown [px]."""
CURVE, SWEPT = 181, 25
"""Points of a curve, and positions of the crank at which the room of a linkage is judged."""


@dataclass(frozen=True)
class SheetFrame:
    """Where x and y are on the sheet: pixels = origin + factor * (x, -y)."""

    origin: tuple[float, float]
    factor: tuple[float, float]

    def place(self, x: float, y: float) -> QPointF:
        """On the sheet [px]."""
        return QPointF(self.origin[0] + self.factor[0] * x, self.origin[1] - self.factor[1] * y)

    def value(self, at: QPointF) -> tuple[float, float]:
        """What is at a place of the sheet."""
        return (at.x() - self.origin[0]) / self.factor[0], (self.origin[1] - at.y()) / self.factor[1]


def fitted(points: Sequence[complex], area: QRectF, *, alike: bool) -> SheetFrame:
    """The frame in which all points are inside of an area [px]; `alike`: both directions have one scale."""
    xs, ys = [p.real for p in points], [p.imag for p in points]
    spans = [max(max(v) - min(v), 1e-9) for v in (xs, ys)]
    factors = [area.width() / spans[0], area.height() / spans[1]]
    if alike:
        factors = [min(factors)] * 2
    middle = [0.5 * (max(v) + min(v)) for v in (xs, ys)]
    centre = area.center()
    origin = (centre.x() - factors[0] * middle[0], centre.y() + factors[1] * middle[1])
    return SheetFrame(origin, (factors[0], factors[1]))


def curve_of(design: Design, task: LinkageTask, first: Row) -> list[complex]:
    """The path of the coupler's point, or the output's angle over the crank's from where the task counts it."""
    turns = np.linspace(*range_of(design), CURVE).tolist()
    if task.plane:
        found = [four_bar_of(design).point_at(turn) for turn in turns]
    else:
        found = [over_crank(design, task, first, turn) for turn in turns]
    return [point for point in found if point is not None]


def over_crank(design: Design, task: LinkageTask, first: Row, turn: float) -> complex | None:
    """The output's angle over the crank's; None where the linkage cannot be."""
    angle = output_angle(design, turn)
    x, y = (0.0, 0.0) if task.from_zero else first[:2]
    return None if angle is None else complex(x + turn, y + angle)


def swept_by(design: Design) -> list[complex]:
    """Its pivots, and where its pins come to."""
    four = four_bar_of(design)
    found = [four.crank_pivot, four.rocker_pivot]
    for turn in np.linspace(*range_of(design), SWEPT).tolist():
        found += four.pins(turn) or ()
        if isinstance(design, WattDesign):
            found += design.places(turn) or ()
    return found


class LinkageSheet(QWidget):
    """`moved` is emitted with a row's number and its new numbers, `added` with those of a place that was
    double-clicked."""

    moved = pyqtSignal(int, tuple)
    added = pyqtSignal(tuple)

    def __init__(self, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._tokens, self._units = tokens, units
        self._task: LinkageTask | None = None
        self._rows: tuple[Row, ...] = ()
        self._design: Design | None = None
        self._curve: list[complex] = []
        self._turn = 0.0
        self._frame = SheetFrame((0.0, 0.0), (1.0, 1.0))
        self._held: tuple[int, bool] | None = None  # a row, and whether by the tip of its arrow
        self.selected = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Sheet"))

    def minimumSizeHint(self) -> QSize:
        """Room for a linkage."""
        return QSize(scaled(360), scaled(320))

    def show_rows(self, task: LinkageTask, rows: Sequence[Row]) -> None:
        """What is asked for."""
        self._task, self._rows = task, tuple(rows)
        if self._held is None:
            self._fit()
        self.update()

    def show_design(self, design: Design | None, turn: float) -> None:
        """The linkage, with its crank turned from the start [rad]."""
        if design is not self._design:
            self._design = design
            self._curve = [] if design is None or self._task is None else curve_of(design, self._task, self._rows[0])
            if self._held is None:
                self._fit()
        self._turn = turn
        self.update()

    def place_of(self, row: int, *, tip: bool = False) -> QPointF:
        """Where a row is on the sheet, or the tip of its arrow [px]."""
        x, y = self._rows[row][:2]
        at = self._frame.place(x, y)
        if not tip or self._task is None or not self._task.turns:
            return at
        angle = self._rows[row][2]
        return at + scaled(ARROW) * QPointF(math.cos(angle), -math.sin(angle))

    def resizeEvent(self, event: object) -> None:
        """All of it stays in sight."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        if self._task is None or not self._rows:
            return
        points = [complex(*row[:2]) for row in self._rows]
        if self._task.plane and self._design is not None:
            points += swept_by(self._design)
        points += self._curve
        room = scaled(ROOM)
        area = QRectF(self.rect()).adjusted(room, room, -room, -room)
        if area.width() > 0.0 and area.height() > 0.0:
            self._frame = fitted(points, area, alike=self._task.plane)

    # --- hands --------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Grab a place, or the tip of its arrow."""
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._held = self._at(event.position())
        if self._held is not None:
            self.selected = self._held[0]
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """What is held follows."""
        if event is None or self._task is None:
            return
        if self._held is None:
            over = self._at(event.position()) is not None
            self.setCursor(Qt.CursorShape.OpenHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        number, by_tip = self._held
        row = self._rows[number]
        if by_tip:
            way = event.position() - self.place_of(number)
            angle = math.atan2(-way.y(), way.x())
            # The same turn as before, not one more or less.
            angle += 2.0 * math.pi * round((row[2] - angle) / (2.0 * math.pi))
            self.moved.emit(number, (row[0], row[1], angle))
        else:
            self.moved.emit(number, (*self._frame.value(event.position()), *row[2:]))

    def mouseReleaseEvent(self, _event: QMouseEvent | None) -> None:
        """Let go; the sheet shows all again."""
        if self._held is not None:
            self._held = None
            self._fit()
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Another place."""
        if event is None or self._task is None or self._at(event.position()) is not None:
            return
        last = self._rows[-1]
        self.added.emit((*self._frame.value(event.position()), *last[2:]))

    def _at(self, position: QPointF) -> tuple[int, bool] | None:
        near = scaled(NEAR)
        for by_tip in (False, True) if self._task is not None and self._task.turns else (False,):
            for number in range(len(self._rows)):
                way = position - self.place_of(number, tip=by_tip)
                if math.hypot(way.x(), way.y()) <= near:
                    return number, by_tip
        return None

    # --- the picture --------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Grid, curve, linkage, and what is asked for."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._tokens.surface))
        if self._task is None:
            return
        self._paint_grid(painter)
        painter.setPen(QPen(QColor(self._tokens.selected), scaled(2)))
        painter.drawPolyline(QPolygonF([self._frame.place(p.real, p.imag) for p in self._curve]))
        if self._design is not None and self._task.plane:
            four = four_bar_of(self._design)
            paint_linkage(painter, four, self._turn, self._frame, self._tokens, scaled(1))
            if isinstance(self._design, WattDesign):
                paint_body(painter, self._design, self._turn, self._frame, self._tokens, scaled(1))
            self._paint_moving_place(painter, four)
        elif self._design is not None:
            now = over_crank(self._design, self._task, self._rows[0], self._turn)
            if now is not None:
                painter.setBrush(QColor(self._tokens.selected))
                painter.drawEllipse(self._frame.place(now.real, now.imag), scaled(4), scaled(4))
        for number in range(len(self._rows)):
            self._paint_row(painter, number)

    def _paint_grid(self, painter: QPainter) -> None:
        """With about six lines in either direction."""
        assert self._task is not None
        painter.setFont(self.font())
        low, high = ends_of(self._frame, self)
        factors = [self._units.factor_of(unit) for _, unit in self._task.columns[:2]]
        spans = [high[k] - low[k] for k in (0, 1)]
        lines = [round_step(max(span * f, 1e-12) / 6.0) / f for span, f in zip(spans, factors, strict=True)]
        paint_grid(painter, self, self._frame, (lines[0], lines[1]), (factors[0], factors[1]), self._tokens)
        self._paint_units(painter)

    def _paint_units(self, painter: QPainter) -> None:
        assert self._task is not None
        names = [f"{name} [{self._units.name_of(unit)}]" for name, unit in self._task.columns[:2]]
        painter.setPen(QColor(self._tokens.text))
        painter.drawText(QRectF(self.rect()).adjusted(0, 6, -8, -20), Qt.AlignmentFlag.AlignBottom
                         | Qt.AlignmentFlag.AlignRight, names[0])  # fmt: skip
        painter.drawText(QRectF(self.rect()).adjusted(8, 4, 0, 0), Qt.AlignmentFlag.AlignTop, names[1])

    def _paint_row(self, painter: QPainter, number: int) -> None:
        assert self._task is not None
        at, tip = self.place_of(number), self.place_of(number, tip=True)
        color = QColor(self._tokens.accent)
        painter.setPen(QPen(color, scaled(2)))
        if self._task.turns:
            painter.drawLine(at, tip)
            painter.setBrush(QColor(self._tokens.surface))
            painter.drawEllipse(tip, scaled(4), scaled(4))
        if self._task.from_zero:
            self._paint_corner(painter, at)
        painter.setBrush(color if number == self.selected else QColor(self._tokens.surface))
        painter.drawEllipse(at, scaled(DOT), scaled(DOT))
        if self._task.most == 1:
            return
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        painter.drawText(at + QPointF(-scaled(16), -scaled(8)), str(number + 1))

    def _paint_corner(self, painter: QPainter, at: QPointF) -> None:
        """From a place to both axes: until where the output stands, and how far it swings."""
        color = QColor(self._tokens.accent)
        painter.setPen(QPen(color, scaled(1), Qt.PenStyle.DashLine))
        zero = self._frame.place(0.0, 0.0)
        painter.drawLine(at, QPointF(at.x(), zero.y()))
        painter.drawLine(QPointF(zero.x(), at.y()), QPointF(self.width(), at.y()))
        painter.setPen(QPen(color, scaled(2)))

    def _paint_moving_place(self, painter: QPainter, design: FourBarDesign) -> None:
        """Where the coupler has carried the first place."""
        assert self._task is not None
        point, angle = design.point_at(self._turn), coupler_angle(design, self._turn)
        if point is None or angle is None:
            return
        at = self._frame.place(point.real, point.imag)
        painter.setPen(QPen(QColor(self._tokens.selected), scaled(2)))
        painter.setBrush(QColor(self._tokens.selected))
        painter.drawEllipse(at, scaled(4), scaled(4))
        if self._task.turns:
            way = cmath.exp(1j * (self._rows[0][2] + angle))
            painter.drawLine(at, at + scaled(ARROW) * QPointF(way.real, -way.imag))


def round_step(least: float) -> float:
    """The distance of grid lines that is no less: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in (1.0, 2.0, 5.0, 10.0) if power * one >= 0.999 * least)


def ends_of(frame: SheetFrame, sheet: QWidget) -> tuple[tuple[float, float], tuple[float, float]]:
    """What is at the lower left and at the upper right corner of a sheet."""
    return frame.value(QPointF(0.0, sheet.height())), frame.value(QPointF(sheet.width(), 0.0))


def paint_grid(
    painter: QPainter,
    sheet: QWidget,
    frame: SheetFrame,
    lines: tuple[float, float],
    factors: tuple[float, float],
    tokens: Tokens,
) -> None:
    """Lines over a sheet at multiples of `lines`, with their numbers, times `factors`, at the left and at the
    bottom."""
    low, high = ends_of(frame, sheet)
    line_height = painter.fontMetrics().height()
    for across, (line, factor) in enumerate(zip(lines, factors, strict=True)):
        for k in range(math.ceil(low[across] / line), math.floor(high[across] / line) + 1):
            at = frame.place(k * line, k * line)
            painter.setPen(QPen(QColor(tokens.muted if k == 0 else tokens.border), 1))
            if across == 0:
                painter.drawLine(QPointF(at.x(), 0.0), QPointF(at.x(), sheet.height()))
                box = QRectF(at.x() + 3.0, sheet.height() - line_height - 2.0, 80.0, line_height)
            else:
                painter.drawLine(QPointF(0.0, at.y()), QPointF(sheet.width(), at.y()))
                box = QRectF(4.0, at.y() - line_height - 1.0, 80.0, line_height)
            number = compact(k * line * factor, 4)
            if box.top() >= 0.0 and box.left() + painter.fontMetrics().horizontalAdvance(number) <= sheet.width():
                painter.setPen(QColor(tokens.muted))
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft, number)
    painter.setPen(QColor(tokens.muted))  # for the units


def paint_linkage(
    painter: QPainter, design: FourBarDesign, turn: float, frame: SheetFrame, tokens: Tokens, width: float
) -> None:
    """A skeleton: crank in the colour of leaders, rocker in that of followers, the coupler as a plate."""
    pins = design.pins(turn)
    point = design.point_at(turn)
    if pins is None or point is None:
        return
    a0, b0 = (frame.place(p.real, p.imag) for p in (design.crank_pivot, design.rocker_pivot))
    a, b, p = (frame.place(q.real, q.imag) for q in (*pins, point))
    _paint_plate(painter, (a, b, p), tokens.ok, width)
    _paint_bars(painter, ((a0, a, tokens.accent), (b0, b, tokens.follower)), width)
    painter.setPen(QPen(QColor(tokens.text), 1.2 * width))
    for pivot in (a0, b0):
        _paint_ground(painter, pivot, tokens, width)
    _paint_pins(painter, (a0, b0, a, b), tokens, width)


def paint_output(painter: QPainter, design: DwellDesign, frame: SheetFrame, tokens: Tokens, width: float) -> None:
    """The link to the coupler point of a dwell and its output, at the start."""
    p, c, c0 = (frame.place(at.real, at.imag) for at in (design.four_bar.point, design.pin, design.pivot))
    _paint_bars(painter, ((p, c, tokens.muted), (c, c0, tokens.follower)), width)
    painter.setPen(QPen(QColor(tokens.text), 1.2 * width))
    _paint_ground(painter, c0, tokens, width)
    _paint_pins(painter, (p, c, c0), tokens, width)


def paint_second(painter: QPainter, design: SeriesDesign, frame: SheetFrame, tokens: Tokens, width: float) -> None:
    """The further arm of the rocker, the link from there and the output, at the start."""
    second = design.second
    ends = (second.crank_pivot, design.four_bar.rocker_pin, second.crank_pin, second.rocker_pin, second.rocker_pivot)
    foot, near, arm, pin, pivot = (frame.place(at.real, at.imag) for at in ends)
    _paint_plate(painter, (foot, near, arm), tokens.follower, width)
    _paint_bars(painter, ((arm, pin, tokens.muted), (pin, pivot, tokens.selected)), width)
    painter.setPen(QPen(QColor(tokens.text), 1.2 * width))
    _paint_ground(painter, pivot, tokens, width)
    _paint_pins(painter, (arm, pin, pivot), tokens, width)


def paint_body(
    painter: QPainter, design: WattDesign, turn: float, frame: SheetFrame, tokens: Tokens, width: float
) -> None:
    """The further pin of the crank or rocker, the link from there, and the body that does not turn."""
    four, places, pins = design.four_bar, design.places(turn), design.four_bar.pins(turn)
    if places is None or pins is None:
        return
    pivot, joint = (four.rocker_pivot, pins[1]) if design.on_rocker else (four.crank_pivot, pins[0])
    arm, pin, point, foot, near = (frame.place(at.real, at.imag) for at in (*places, pivot, joint))
    _paint_plate(painter, (foot, near, arm), tokens.follower if design.on_rocker else tokens.accent, width)
    _paint_bars(painter, ((arm, pin, tokens.muted), (point, pin, tokens.selected)), width)
    painter.setPen(QPen(QColor(tokens.text), 1.2 * width))
    _paint_pins(painter, (arm, pin, point), tokens, width)


def thumbnail(design: Design, task: LinkageTask, tokens: Tokens, size: QSize, ratio: float) -> QImage:
    """The skeleton of a design and the path of its point, at the start."""
    image = QImage(size * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(tokens.surface))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    curve = curve_of(design, task, (0.0, 0.0)) if task.plane else []
    four = four_bar_of(design)
    shown = [four.crank_pivot, four.rocker_pivot, four.crank_pin, four.rocker_pin, four.point, *curve]
    shown += [design.pivot, design.pin] if isinstance(design, DwellDesign) else []
    shown += (
        [design.second.crank_pin, design.second.rocker_pin, design.second.rocker_pivot]
        if isinstance(design, SeriesDesign)
        else []
    )
    shown += [design.arm, design.pin] if isinstance(design, WattDesign) else []
    frame = fitted(shown, QRectF(10.0, 8.0, size.width() - 20.0, size.height() - 20.0), alike=True)
    painter.setPen(QPen(QColor(tokens.selected), 1.2))
    painter.drawPolyline(QPolygonF([frame.place(p.real, p.imag) for p in curve]))
    paint_linkage(painter, four, 0.0, frame, tokens, 0.6)
    if isinstance(design, DwellDesign):
        paint_output(painter, design, frame, tokens, 0.6)
    if isinstance(design, SeriesDesign):
        paint_second(painter, design, frame, tokens, 0.6)
    if isinstance(design, WattDesign):
        paint_body(painter, design, 0.0, frame, tokens, 0.6)
    painter.end()
    return image


def _paint_plate(painter: QPainter, corners: Iterable[QPointF], color: str, width: float) -> None:
    """A link with three pins."""
    fill = QColor(color)
    painter.setPen(QPen(fill, 2.5 * width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    fill.setAlphaF(0.2)
    painter.setBrush(fill)
    painter.drawPolygon(QPolygonF(list(corners)))


def _paint_bars(painter: QPainter, bars: Iterable[tuple[QPointF, QPointF, str]], width: float) -> None:
    """Links as thick lines, each in its colour."""
    for start, end, color in bars:
        painter.setPen(QPen(QColor(color), 5.0 * width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(start, end)


def _paint_ground(painter: QPainter, pivot: QPointF, tokens: Tokens, width: float) -> None:
    """The foot of a pivot that does not move."""
    painter.setBrush(QColor(tokens.border))
    painter.drawPolygon(QPolygonF([pivot, pivot + width * QPointF(-8.0, 12.0), pivot + width * QPointF(8.0, 12.0)]))


def _paint_pins(painter: QPainter, pins: Iterable[QPointF], tokens: Tokens, width: float) -> None:
    painter.setBrush(QColor(tokens.surface))
    for pin in pins:
        painter.drawEllipse(pin, 3.5 * width, 3.5 * width)
