"""Dimensions as an engineer draws them: thin lines with small arrows beside what they measure, and the number on the
line. Sizes of lines and arrows are those of the paper, in pixels, whatever the distance of the eye."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPen, QPolygonF

from simulator.gui.viewport.dimension_lines import marks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PyQt6.QtGui import QFont, QPainter

    from simulator.gui.theme import Tokens
    from simulator.gui.viewport.dimension_lines import Mark, Point
    from simulator.gui.viewport.dimension_numbers import Number
    from simulator.gui.viewport.dimension_plan import Drawing
    from simulator.rendering.camera import Camera

    Box = tuple[float, float, float, float]

PADDING, ABOVE = 5.0, 1.5
"""Room beside and above a number [px]."""
APART = 6.0
"""Room around a number that comes on show [px]; one that is on show needs none."""
EDGE = 6.0
"""Room that is left to the edges of the view [px]."""
AWAY = 0.7
"""A number that lost its place comes back when there has been room for it for so long [s], so that it does not blink
where things pass."""


class DimensionDrawing:
    """Lays out and paints a `Drawing`. `boxes`: where the numbers are that were laid out last, by key, as `numbers`;
    `hovered` is underlined; `edited` is left out, as a field is in its place. `clock` gives the time [s]."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.boxes: dict[str, QRectF] = {}
        self.numbers: dict[str, Number] = {}
        self.hovered = self.edited = ""
        self._clock = clock
        self._now = 0.0
        self._slots: dict[str, int] = {}
        self._away: dict[str, float] = {}  # by key since when there has been room again
        self._marks: list[Mark] = []
        self._strong = False
        self._font: QFont | None = None
        self._metrics = (0.0, 0.0)
        self._widths: dict[str, float] = {}

    def lay_out(
        self, drawing: Drawing | None, camera: Camera, view: Point, font: QFont, taken: Sequence[Box]
    ) -> tuple[QRectF, ...]:
        """Find a place for every number beside what is `taken`; gives the boxes of all that have one. What is selected
        is drawn even where there is no room."""
        self.boxes = {}
        self.numbers = {}
        self._marks = []
        if drawing is None:
            self._slots, self._away = {}, {}
            return ()
        self._measure(font)
        self._now = self._clock()
        before = self._slots
        self._strong, slots, occupied = drawing.strong, {}, list(taken)
        for mark in marks_of(drawing, camera, view, self._size_of):
            key = mark.numbers[0].key
            found = self._place(mark, key, view, occupied)
            if found is None:
                continue
            slots[key], box = found
            occupied.append(box)
            self._marks.append(mark)
            self._add_boxes(mark.numbers, box)
        self._slots = slots
        self._away.update(dict.fromkeys(before.keys() - slots.keys(), math.inf))
        self._away = {key: since for key, since in self._away.items() if key not in slots}
        return tuple(self.boxes.values())

    def paint(self, painter: QPainter, tokens: Tokens) -> None:
        """Paint what was laid out."""
        if not self._marks:
            return
        colour = QColor(tokens.text if self._strong else tokens.muted)
        halo = QColor(tokens.surface)
        colour.setAlphaF(0.9 if self._strong else 0.8)
        halo.setAlphaF(0.45)  # for what is dark behind a line
        straight, curved, heads = self._shapes()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(halo, 2.8), QPen(colour, 1.2 if self._strong else 1.0)):
            painter.setPen(pen)
            if straight:
                painter.drawLines(*straight)
            for curve in curved:
                painter.drawPolyline(curve)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for head in heads:
            painter.drawPolygon(head)
        self._paint_numbers(painter, tokens)

    def _shapes(self) -> tuple[list[QLineF], list[QPolygonF], list[QPolygonF]]:
        """Straight lines, curves and arrow heads: single lines are painted three times as fast as a path of them."""
        lines = [line for mark in self._marks for line in mark.lines]
        straight = [QLineF(*line[0], *line[1]) for line in lines if len(line) == 2]
        heads = (head for mark in self._marks for head in mark.heads)
        curved, filled = (
            [QPolygonF([QPointF(x, y) for x, y in points]) for points in kind]
            for kind in ((line for line in lines if len(line) > 2), heads)
        )
        return straight, curved, filled

    @property
    def is_waiting(self) -> bool:
        """Whether a number may come back without anything that moves."""
        return any(math.isfinite(since) for since in self._away.values())

    def number_at(self, at: QPointF) -> Number | None:
        """The number at a point of the view."""
        return next((self.numbers[key] for key, box in self.boxes.items() if box.contains(at)), None)

    def _paint_numbers(self, painter: QPainter, tokens: Tokens) -> None:
        back = QColor(tokens.surface)
        text = QColor(tokens.text)
        lit = QColor(tokens.accent)
        back.setAlphaF(0.86)
        ascent = self._metrics[0]
        for key, box in self.boxes.items():
            if key == self.edited:
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(back)
            painter.drawRoundedRect(box, 4.0, 4.0)
            number = self.numbers[key]
            can_change = key == self.hovered and number.ask is not None
            painter.setPen(lit if can_change else text)
            at = QPointF(box.left() + PADDING, box.top() + ABOVE + ascent)
            painter.drawText(at, number.text)
            if can_change:
                painter.drawLine(QLineF(at.x(), at.y() + 2.5, box.right() - PADDING, at.y() + 2.5))

    def _measure(self, font: QFont) -> None:
        if font != self._font:
            metrics = QFontMetricsF(font)
            self._font = font
            self._widths = {}
            self._metrics = metrics.ascent(), metrics.height()
            self._advance = metrics.horizontalAdvance

    def _size(self, number: Number) -> Point:
        """As wide as with the widest digits, which all are as wide: a running number does not shake its box."""
        form = "".join("0" if letter.isdigit() else letter for letter in number.text)
        if form not in self._widths:
            self._widths[form] = self._advance(form)
        return self._widths[form] + 2.0 * PADDING, self._metrics[1] + 2.0 * ABOVE

    def _size_of(self, numbers: Sequence[Number]) -> Point:
        """Of numbers below each other."""
        sizes = [self._size(number) for number in numbers]
        return max(size[0] for size in sizes), sum(size[1] for size in sizes)

    def _place(self, mark: Mark, key: str, view: Point, occupied: Sequence[Box]) -> tuple[int, Box] | None:
        width, height = self._size_of(mark.numbers)
        last = self._slots.get(key, -1)
        stays = mark.kept <= last < len(mark.places)
        for slot in (*((last,) if stays else ()), *range(mark.free, len(mark.places))):
            x, y = mark.places[slot]
            box = (x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height)
            if _is_free(box, view, occupied, APART if last < 0 else 0.0):
                return (slot, box) if self._strong or self._may_come_back(key) else None
        if key in self._away:
            self._away[key] = math.inf
        if not self._strong or mark.free >= len(mark.places):
            return None
        x, y = mark.places[mark.free]
        if not (0.0 <= x <= view[0] and 0.0 <= y <= view[1]):
            return None
        left = min(max(x - 0.5 * width, EDGE), view[0] - EDGE - width)
        top = min(max(y - 0.5 * height, EDGE), view[1] - EDGE - height)
        return mark.free, (left, top, left + width, top + height)

    def _may_come_back(self, key: str) -> bool:
        """Whether a number for which there is room has had it for long enough, if it lost its place before."""
        since = self._away.get(key)
        if since == math.inf:
            self._away[key] = self._now
        return since is None or self._now - since >= AWAY

    def _add_boxes(self, numbers: Sequence[Number], box: Box) -> None:
        """Below each other."""
        left, top, right, _ = box
        for number in numbers:
            width, height = self._size(number)
            self.boxes[number.key] = QRectF(0.5 * (left + right - width), top, width, height)
            self.numbers[number.key] = number
            top += height


def _is_free(box: Box, view: Point, occupied: Sequence[Box], room: float) -> bool:
    left, top, right, bottom = box
    if left < EDGE or top < EDGE or right > view[0] - EDGE or bottom > view[1] - EDGE:
        return False
    left = left - room
    top = top - room
    right = right + room
    bottom = bottom + room
    return not any(left < box[2] and box[0] < right and top < box[3] and box[1] < bottom for box in occupied)
