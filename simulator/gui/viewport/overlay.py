"""Labels and the little frame in the corner, painted over the picture by a transparent widget of its own."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from simulator.gui.fields import tabular
from simulator.gui.theme import Tokens
from simulator.gui.viewport.state import Label, ViewState

GIZMO = 34.0
"""Length of an axis of the frame in the corner [pixels]."""

PADDING = 9.0


class Overlay(QWidget):
    """Lies over the view, lets the mouse through. `covered`: boxes in which labels would not be seen."""

    def __init__(self, state: ViewState, tokens: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._tokens = state, tokens
        self.covered: tuple[QRectF, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        font = QFont(tabular(self.font()))
        font.setPointSizeF(font.pointSizeF() * 1.02)
        self._usual = font
        self.setFont(font)

    def set_type(self, height: int) -> None:
        """Text of this height [px], 0 for the usual one."""
        font = QFont(self._usual)
        if height:
            font.setPixelSize(height)
        self.setFont(font)
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw the labels, those in front last, and the frame."""
        if self._state.scene is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        furniture = self._furniture(painter)
        self._paint_labels(painter, [*furniture.values(), *self.covered])
        self._paint_gizmo(painter)
        for text, box in furniture.items():
            self._paint_box(painter, text, box)

    def _paint_box(self, painter: QPainter, text: str, box: QRectF) -> None:
        back = QColor(self._tokens.label)
        back.setAlpha(225)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 7, 7)
        painter.setPen(QColor(self._tokens.label_text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _furniture(self, painter: QPainter) -> dict[str, QRectF]:
        """Boxes of the hint, at the top in the middle, and of the scale, at the bottom on the right, by their text."""
        metrics, boxes = painter.fontMetrics(), {}
        hint, scale = self._state.hint, self._state.scale
        if hint:
            box = QRectF(0.0, 0.0, metrics.horizontalAdvance(hint) + 4 * PADDING, metrics.height() + 2 * PADDING)
            box.moveCenter(QPointF(self.width() / 2, 0.9 * box.height()))
            for other in self.covered:
                if box.intersects(other):
                    box.moveTop(other.bottom() + PADDING)
            boxes[hint] = box
        if scale:
            box = QRectF(0.0, 0.0, metrics.horizontalAdvance(scale) + 2 * PADDING, metrics.height() + PADDING)
            box.moveBottomRight(QPointF(self.width() - 12, self.height() - 12))
            boxes[scale] = box
        return boxes

    def _paint_labels(self, painter: QPainter, taken: list[QRectF]) -> None:
        """Labels beside what is `taken` already."""
        labels = self._state.labels
        if not labels:
            return
        aspect = self.width() / max(self.height(), 1)
        seen = self._state.camera.project(np.array([label.point for label in labels]), aspect)
        for index in np.argsort(seen[:, 2]):
            x, y, depth = (float(value) for value in seen[index])
            if np.isfinite(x + y) and depth > 0.0 and max(abs(x), abs(y)) < 1.2:
                point = QPointF((x + 1.0) / 2.0 * self.width(), (1.0 - y) / 2.0 * self.height())
                self._paint_label(painter, labels[int(index)], point, taken)

    def _paint_label(self, painter: QPainter, label: Label, point: QPointF, taken: list[QRectF]) -> None:
        metrics = painter.fontMetrics()
        size = metrics.horizontalAdvance(label.text) + 2 * PADDING
        box = QRectF(point.x() + 14, point.y() - metrics.height() - 12, size, metrics.height() + 7)
        box.moveLeft(min(max(box.left(), 8.0), self.width() - box.width() - 8))
        box.moveTop(min(max(box.top(), 8.0), self.height() - box.height() - 8))
        box = self._free_place(box, taken)
        taken.append(box)
        accent = QColor(self._tokens.follower if label.follower else self._tokens.accent)
        back = QColor(self._tokens.label)
        back.setAlpha(235 if label.strong else 205)
        dashes = Qt.PenStyle.DashLine if label.follower else Qt.PenStyle.SolidLine
        painter.setPen(QPen(accent, 1.4, dashes))
        painter.drawLine(point, QPointF(box.left() + 8, box.bottom()))
        painter.setBrush(QColor(self._tokens.surface))
        painter.drawEllipse(point, 3.2, 3.2)
        painter.setPen(QPen(accent, 2.4) if label.strong else Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(QColor(self._tokens.label_follower if label.follower else self._tokens.label_text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), label.text)

    def _free_place(self, box: QRectF, taken: list[QRectF]) -> QRectF:
        """The nearest place below a box where nothing is, or above it where the view ends before that."""
        for step in (box.height() + 4, -(box.height() + 4)):
            found = QRectF(box)
            while any(found.intersects(other) for other in taken):
                found.translate(0, step)
            if found.top() > 0.0 and found.bottom() < self.height():
                return found
        return box

    def _paint_gizmo(self, painter: QPainter) -> None:
        theme, axes = self._state.theme, self._state.camera.axes()
        centre = QPointF(GIZMO + 24, self.height() - GIZMO - 24)
        colours = (theme.axis_x, theme.axis_y, theme.axis_z)
        for index in np.argsort(axes[2]):  # those that point away first
            direction = QPointF(float(axes[0, index]), -float(axes[1, index]))
            colour = QColor.fromRgbF(*colours[index])
            tip = centre + direction * GIZMO
            painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(centre, tip)
            side = painter.fontMetrics().height()
            beside = tip + direction * (0.6 * side)
            painter.drawText(
                QRectF(beside.x() - 0.5 * side, beside.y() - 0.5 * side, side, side),
                int(Qt.AlignmentFlag.AlignCenter),
                "xyz"[index],
            )
