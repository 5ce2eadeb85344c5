"""The range of the driver on a sheet: an arc around its pin, or a line along its slide, with its dead points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from simulator.gui.fields import scaled
from simulator.gui.units import compact

if TYPE_CHECKING:
    from simulator.building.drawing.answers import DriverRange
    from simulator.gui.making.sheet import SheetFrame
    from simulator.gui.tokens import Tokens
    from simulator.gui.units import Units

RADIUS = 42
"""Of the arc [px], see `scaled`."""
TICK = 9
"""Of an end of the range, to either side [px], see `scaled`."""


def paint_range(
    painter: QPainter, driver: DriverRange, frame: SheetFrame, tokens: Tokens, units: Units
) -> list[QRectF]:
    """Where the driver gets to from now on; gives where its words are."""
    at, accent = frame.place(*driver.place), QColor(tokens.accent)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if not driver.turns:
        return _paint_stroke(painter, driver, frame, tokens, units)
    radius = float(scaled(RADIUS))
    box = QRectF(at.x() - radius, at.y() - radius, 2.0 * radius, 2.0 * radius)
    if driver.is_full:
        painter.setPen(QPen(accent, scaled(1), Qt.PenStyle.DashLine))
        painter.drawEllipse(box)
        return []
    low, high = driver.now + driver.low, driver.now + driver.high
    if high - low >= 2.0 * math.pi:
        low = high - 2.0 * math.pi
    painter.setPen(QPen(accent, scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawArc(box, round(math.degrees(low) * 16), round(math.degrees(high - low) * 16))
    words = []
    for angle, way, dead, limited in zip(
        (low, high), (driver.low, driver.high), driver.dead, driver.limited, strict=True
    ):
        if limited:
            out = QPointF(math.cos(angle), -math.sin(angle))
            number = f"{compact(way * units.factor_of('rad'), 3)} {units.name_of('rad')}"
            words.append(_paint_end(painter, at + radius * out, out, (number, dead), tokens))
    return words


def _paint_stroke(
    painter: QPainter, driver: DriverRange, frame: SheetFrame, tokens: Tokens, units: Units
) -> list[QRectF]:
    """Of a slide: beside its line."""
    unit = (math.cos(driver.now), math.sin(driver.now))
    painter.setPen(QPen(QColor(tokens.accent), scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    x, y = driver.place
    ends = [frame.place(x + way * unit[0], y + way * unit[1]) for way in (driver.low, driver.high)]
    if all(driver.limited):
        painter.drawLine(*ends)
    words = []
    for end, way, dead, limited in zip(ends, (driver.low, driver.high), driver.dead, driver.limited, strict=True):
        if limited:
            number = f"{compact(way * units.factor_of('m'), 3)} {units.name_of('m')}"
            words.append(_paint_end(painter, end, QPointF(-unit[1], -unit[0]), (number, dead), tokens))
    return words


def _paint_end(painter: QPainter, at: QPointF, out: QPointF, said: tuple[str, bool], tokens: Tokens) -> QRectF:
    """A tick along `out`, and in words what is there; gives where these are."""
    number, dead = said
    color = QColor(tokens.error if dead else tokens.text)
    painter.setPen(QPen(color, 2.5 * scaled(1)))
    painter.drawLine(at - scaled(TICK) * out, at + scaled(TICK) * out)
    text = f"{'dead point' if dead else 'limit'} {number}"
    metrics = painter.fontMetrics()
    wide = metrics.horizontalAdvance(text) + 8.0
    half = 0.5 * (abs(out.x()) * wide + abs(out.y()) * metrics.height())
    box = QRectF(0.0, 0.0, wide, metrics.height() + 2.0)
    box.moveCenter(at + (scaled(TICK) + half + 2.0) * out)
    back = QColor(tokens.surface)
    back.setAlphaF(0.8)
    painter.fillRect(box, back)
    painter.setPen(color)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
    return box
