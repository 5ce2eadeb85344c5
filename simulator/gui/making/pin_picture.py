"""What is at a pin of a sheet: the ground on which it is, and a motor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

if TYPE_CHECKING:
    from simulator.gui.tokens import Tokens


def paint_ground(painter: QPainter, at: QPointF, tokens: Tokens, size: float, *, is_other: bool = False) -> None:
    """A triangle on hatching; `is_other`: in grey, for a pin of another sheet."""
    painter.setPen(QPen(QColor(tokens.muted if is_other else tokens.text), 1.4 * size))
    painter.setBrush(QColor(tokens.border))
    left, right = at + size * QPointF(-11.0, 16.0), at + size * QPointF(11.0, 16.0)
    painter.drawPolygon(QPolygonF([at, left, right]))
    for step in range(4):
        foot = left + (right - left) * (step + 0.5) / 4.0
        painter.drawLine(foot, foot + size * QPointF(-5.0, 6.0))


def paint_motor(painter: QPainter, at: QPointF, tokens: Tokens, size: float) -> None:
    """An arrow around the pin."""
    color = QColor(tokens.warning)
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
