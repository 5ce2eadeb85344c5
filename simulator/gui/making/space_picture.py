"""The picture of what is out of the plane of a sheet: links of other planes, and axes that are tilted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from simulator.gui.fields import scaled
from simulator.gui.making.pin_picture import paint_ground
from simulator.gui.units import compact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.drawing.plan import Place, Sketch
    from simulator.gui.making.sheet import SheetFrame
    from simulator.gui.tokens import Tokens
    from simulator.spatial.rotation import Vec3


def paint_other(
    painter: QPainter, frame: SheetFrame, tokens: Tokens, outline: Sequence[Place], *, is_base: bool = False
) -> None:
    """The outline of a link that is in another plane, or of that on which the sheet lies."""
    fill = QColor(tokens.muted)
    fill.setAlphaF(0.2 if is_base else 0.12)
    line = Qt.PenStyle.SolidLine if is_base else Qt.PenStyle.DotLine
    painter.setPen(QPen(QColor(tokens.muted), 1.0, line))
    painter.setBrush(fill)
    painter.drawPolygon(QPolygonF([frame.place(*place) for place in outline]))


def paint_ends(painter: QPainter, frame: SheetFrame, tokens: Tokens, plan: Sketch, near: int | None) -> None:
    """The lines of bars of other planes, and rings at their ends that are not in this one; `near`: the number of that
    which the mouse would take."""
    lines, size = plan.skeleton, float(scaled(1))
    ghosts = [] if lines is None else [lines.bars[link.name] for link in plan.links if link.true_length]
    painter.setPen(QPen(QColor(tokens.muted), 1.4 * size, Qt.PenStyle.DashDotLine))
    for ends in ghosts:
        assert lines is not None
        painter.drawLine(*(frame.place(*plan.plane.place(lines.points[number])) for number in ends))
    for number, place in plan.outside.items():
        is_near = number == near
        if lines is not None and number in lines.grounded:
            paint_ground(painter, frame.place(*place), tokens, size, is_other=True)
        painter.setBrush(QColor(tokens.surface))
        painter.setPen(QPen(QColor(tokens.accent if is_near else tokens.muted), (3.0 if is_near else 1.4) * size))
        painter.drawEllipse(frame.place(*place), 4.0 * size, 4.0 * size)


def paint_axis(
    painter: QPainter, ends: tuple[QPointF, QPointF], axis: Vec3, color: QColor, size: float
) -> tuple[QPointF, str]:
    """An arrow from a pin to the handle of its axis; gives where its angle is to be written, and that."""
    a, b = ends
    way = b - a
    unit = way / (math.hypot(way.x(), way.y()) or 1.0)
    across = QPointF(-unit.y(), unit.x())
    painter.setPen(QPen(color, 2.0 * size, Qt.PenStyle.DashDotLine))
    painter.drawLine(a - 0.4 * way, b)
    painter.setPen(QPen(color, 2.0 * size))
    painter.setBrush(color)
    foot = b - 9.0 * size * unit
    painter.drawPolygon(QPolygonF([b, foot + 4.0 * size * across, foot - 4.0 * size * across]))
    angle = math.degrees(math.atan2(math.hypot(axis[0], axis[1]), axis[2]))
    return b + 18.0 * size * unit, f"{compact(angle, 3)}°"
