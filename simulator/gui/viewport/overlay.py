"""Labels and the little frame in the corner, painted over the picture by a transparent widget of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from simulator.gui.fields import tabular
from simulator.gui.theme import Tokens
from simulator.gui.viewport.body_cover import BodyCover
from simulator.gui.viewport.dimension_drawing import DimensionDrawing
from simulator.gui.viewport.hint_place import CORNERS, HintPlace, forms_of, shapes_in_view
from simulator.gui.viewport.label_layout import EDGE, LabelLayout, Wanted
from simulator.gui.viewport.state import BETWEEN, Label, ViewState

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


GIZMO = 34.0
"""Length of an axis of the frame in the corner [pixels]."""

PADDING = 9.0
BESIDE = 0.1
"""Points are labelled that are no further beside the view than this part of its width, or height."""
STRONG = 2.0
"""By so much the label of what is selected is worth more than others."""


class Overlay(QWidget):
    """Lies over the view, lets the mouse through. `covered`: boxes in which labels would not be seen; `left_out`: for
    so many there was no room."""

    def __init__(self, state: ViewState, tokens: Tokens, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._state, self._tokens = state, tokens
        self.covered: tuple[QRectF, ...] = ()
        self._painted: tuple[object, ...] = ()
        self.left_out, self._layout, self.hint_place = 0, LabelLayout(), HintPlace()
        self.drawing = DimensionDrawing()
        self._measured: tuple[str, QSize, QFont] | None = None
        self._sizes: dict[str, QSizeF] = {}
        self._cover = BodyCover()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        font = QFont(tabular(self.font()))
        font.setPointSizeF(font.pointSizeF() * 1.02)
        self._usual = font
        self.setFont(font)

    def show_state(self, state: ViewState) -> None:
        """Paint another state."""
        self._state = state

    def set_type(self, height: int) -> None:
        """Text of this height [px], 0 for the usual one."""
        font = QFont(self._usual)
        if height:
            font.setPixelSize(height)
        self.setFont(font)
        self.update()

    def follow(self) -> None:
        """Paint anew where what is painted has changed; Qt composes the whole window for every change."""
        state = self._state
        said = state.labels, state.unlabelled, state.hint, state.scale
        moved = state.poses.tobytes() if state.hint else b""  # what moves may come under the hint
        news = state.scene, state.camera, state.theme, *said, state.dimensions, self.covered, moved
        if news != self._painted:
            self._painted = news
            self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw the labels and the frame."""
        if self._state.scene is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_written = self._state.hint or self._state.labels
        view = float(self.width()), float(self.height())
        shapes = shapes_in_view(self._state, view) if is_written else np.zeros((0, CORNERS, 2))
        furniture = self._furniture(painter, shapes)
        taken = [*furniture.values(), *self.covered, self._gizmo_box()]
        self._paint_labels(painter, [*taken, *self._paint_dimensions(painter, taken)], shapes)
        self._paint_gizmo(painter)
        for text, box in furniture.items():
            self._paint_box(painter, text, box)

    def _paint_dimensions(self, painter: QPainter, taken: list[QRectF]) -> tuple[QRectF, ...]:
        """Beside what is `taken`; gives the boxes of their numbers."""
        state = self._state
        view = (float(self.width()), float(self.height()))
        boxes = [box.getCoords() for box in taken]
        numbers = self.drawing.lay_out(state.dimensions, state.camera, view, self.font(), boxes)
        self.drawing.paint(painter, self._tokens)
        return numbers

    def _paint_box(self, painter: QPainter, text: str, box: QRectF) -> None:
        back = QColor(self._tokens.label)
        back.setAlpha(225)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 7, 7)
        painter.setPen(QColor(self._tokens.label_text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _furniture(self, painter: QPainter, shapes: Array) -> dict[str, QRectF]:
        """Boxes of the hint and of the scale, which is at the bottom on the right, by their text, the hint first;
        `shapes`: see `shapes_in_view`."""
        metrics = painter.fontMetrics()
        boxes = {}
        scale = self._state.scale
        if scale:
            box = QRectF(0.0, 0.0, metrics.horizontalAdvance(scale) + 2 * PADDING, metrics.height() + PADDING)
            box.moveBottomRight(QPointF(self.width() - 12, self.height() - 12))
            boxes[scale] = box
        return {**self._hint_box(metrics, [*boxes.values(), self._corner(painter)], shapes), **boxes}

    def _hint_box(self, metrics: QFontMetrics, taken: list[QRectF], shapes: Array) -> dict[str, QRectF]:
        """Written so that it finds a place."""
        hint = self._state.hint
        view = (float(self.width()), float(self.height()))
        if not hint:
            return {}
        taken = [*taken, *self.covered, self._gizmo_box()]
        text, box = self.hint_place.find(self._sizes_of(hint, metrics), view, taken, shapes)
        return {text: box}

    def _sizes_of(self, hint: str, metrics: QFontMetrics) -> dict[str, QSizeF]:
        """Of the forms of a hint, measured once while it stays."""
        measured = hint, self.rect().size(), self.font()
        if self._measured != measured:
            self._measured = measured
            self._sizes = {}
            for text in forms_of(hint):
                size = metrics.boundingRect(self.rect(), int(Qt.AlignmentFlag.AlignCenter), text).size().toSizeF()
                self._sizes[text] = size.grownBy(QMarginsF(2 * PADDING, PADDING, 2 * PADDING, PADDING))
        return self._sizes

    def _paint_labels(self, painter: QPainter, taken: list[QRectF], shapes: Array) -> None:
        """Labels beside what is `taken` already, and in the corner for how many there is no room."""
        seen = self._seen_labels(painter)
        view = (float(self.width()), float(self.height()))
        wanted = [one for _, one in seen]
        boxes = [box.getCoords() for box in taken]
        corner = self._corner(painter)
        if wanted:
            self._cover.look(self._state, view, shapes)
        crowded = self.left_out > 0  # as in the picture before, mostly: then they need not be placed twice
        for _ in range(2):
            taken_too = [*boxes, corner.getCoords()] if crowded else boxes
            places = self._layout.place(wanted, taken_too, view, self._cover.share)
            missed = sum(not label.spare for number, (label, _) in enumerate(seen) if number not in places)
            self.left_out = missed + self._state.unlabelled
            if crowded == (self.left_out > 0):
                break
            crowded = not crowded
        if self.left_out:
            self._paint_box(painter, self._left_out_text(), corner)
            taken.append(corner)
        found = [(seen[i][0], wanted[i], QRectF(QPointF(*at), QSizeF(*wanted[i].size))) for i, at in places.items()]
        for label, one, box in found:
            self._paint_leader(painter, label, QPointF(*one.point), box)
        for label, _, box in found:
            self._paint_label(painter, label, box)
            taken.append(box)

    def _left_out_text(self) -> str:
        return self.tr("+{n} labels").format(n=self.left_out) if self.left_out > 1 else self.tr("+1 label")

    def _corner(self, painter: QPainter) -> QRectF:
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(self._left_out_text()) + 2 * PADDING
        return QRectF(12.0, 12.0, width, metrics.height() + PADDING)

    def _seen_labels(self, painter: QPainter) -> list[tuple[Label, Wanted]]:
        """Labels of points that are in the picture or just beside it."""
        labels = self._state.labels
        metrics = painter.fontMetrics()
        if not labels:
            return []
        width, height = float(self.width()), float(self.height())
        seen = self._state.camera.pixels(np.array([label.point for label in labels]), (width, height))
        around = QRectF(0.0, 0.0, width, height).adjusted(
            -BESIDE * width, -BESIDE * height, BESIDE * width, BESIDE * height
        )
        found = []
        for label, (x, y, depth) in zip(labels, seen.tolist(), strict=True):
            if math.isfinite(x + y) and depth > 0.0 and around.contains(x, y):
                text = _fitting(label.text, metrics, width - 2 * (PADDING + EDGE))
                size = (metrics.horizontalAdvance(text) + 2 * PADDING, metrics.height() + 7.0)
                weight = label.weight + (STRONG if label.strong else 0.0)
                wanted = Wanted(label.key or label.text, (x, y), size, weight, label.spare)
                found.append((label if text == label.text else replace(label, text=text), wanted))
        return found

    def _paint_leader(self, painter: QPainter, label: Label, point: QPointF, box: QRectF) -> None:
        """From the point to the nearest point of the box."""
        accent = QColor(self._tokens.follower if label.follower else self._tokens.accent)
        inner = box.adjusted(6.0, 6.0, -6.0, -6.0)
        end = QPointF(
            min(max(point.x(), inner.left()), inner.right()), min(max(point.y(), inner.top()), inner.bottom())
        )
        dashes = Qt.PenStyle.DashLine if label.follower else Qt.PenStyle.SolidLine
        painter.setPen(QPen(accent, 1.4, dashes))
        painter.drawLine(point, end)
        painter.setBrush(QColor(self._tokens.surface))
        painter.drawEllipse(point, 3.2, 3.2)

    def _paint_label(self, painter: QPainter, label: Label, box: QRectF) -> None:
        back = QColor(self._tokens.label)
        back.setAlpha(235 if label.strong else 205)
        painter.setPen(QPen(QColor(self._tokens.selected), 2.0) if label.strong else Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(QColor(self._tokens.label_follower if label.follower else self._tokens.label_text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), label.text)

    def _gizmo_box(self) -> QRectF:
        """The corner in which the frame is."""
        side = 2.0 * GIZMO + 24.0
        return QRectF(10.0, self.height() - 10.0 - side, side, side)

    def _paint_gizmo(self, painter: QPainter) -> None:
        theme = self._state.theme
        axes = self._state.camera.axes()
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


def _fitting(text: str, metrics: QFontMetrics, room: float) -> str:
    """A label without as many of its last parts as it takes to fit into the view."""
    parts = text.split(BETWEEN)
    while len(parts) > 1 and metrics.horizontalAdvance(BETWEEN.join(parts)) > room:
        parts.pop()
    return BETWEEN.join(parts)
