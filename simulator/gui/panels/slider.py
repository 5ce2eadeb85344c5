"""A slider in the units of an axis: the handle is the target, the small mark below the present position."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF

from simulator.analysis.freedoms import Cause
from simulator.gui.handle_slider import HandleSlider
from simulator.gui.theme import Tokens
from simulator.mechanism.types import AxisInfo, MotionKind

STEPS = 4000
FREE_TRAVEL = 0.5
MARGIN = 9.0
DEAD = Cause.DEAD_POINT.value
LEAST = 64
"""Width at least [px]: enough to aim at."""
INSIDE = 1e-6
"""Part of the track by which the handle stays inside of its ends."""


def slider_range(axis: AxisInfo) -> tuple[float, float]:
    """Ends of the slider [rad or m]: the limits, or half a turn or half a metre to either side where there is none."""
    free = math.pi if axis.kind is MotionKind.ROTATION else FREE_TRAVEL
    lower, upper = axis.axis.lower, axis.axis.upper
    if not math.isfinite(lower):
        lower = -free if not math.isfinite(upper) else min(-free, upper - 2 * free)
    if not math.isfinite(upper):
        upper = free if not math.isfinite(axis.axis.lower) else max(free, lower + 2 * free)
    return (lower, upper) if upper > lower else (lower - free / 100, lower + free / 100)


class AxisSlider(HandleSlider):
    """`moved` is emitted with a position [rad or m] when the user, not the program, moves the handle."""

    moved = pyqtSignal(float)

    def __init__(self, axis: AxisInfo, tokens: Tokens) -> None:
        super().__init__(tokens)
        self._low, self._high = self._default = slider_range(axis)
        self._reach = (-math.inf, math.inf)
        self._end_names = ("", "")
        self._turns = axis.kind is MotionKind.ROTATION and not axis.limited
        self._wraps = self._turns
        self._slides = axis.kind is MotionKind.TRANSLATION and not axis.limited
        self._grows = self._slides
        self._live = 0.0
        self._quiet = False
        self.setRange(0, STEPS)
        self.setSingleStep(STEPS // 200)
        self.setPageStep(STEPS // 20)
        self.setMouseTracking(True)
        self.setAccessibleName(axis.name)
        self.show_target(min(max(0.0, self._low), self._high))
        self.valueChanged.connect(self._value_changed)

    @property
    def ends(self) -> tuple[float, float]:
        """Positions at the ends [rad or m]."""
        return self._low, self._high

    @property
    def wraps(self) -> bool:
        """Whether the axis turns without end, so that the track is one turn of many."""
        return self._wraps

    @property
    def reach(self) -> tuple[float, float]:
        """Range of the axis [rad or m]; infinite for a continuous axis."""
        return self._reach

    def set_ends(self, low: float | None, high: float | None, names: tuple[str, str]) -> None:
        """Where the axis ends, and what limits it there; None for a continuous axis."""
        asked, begin, end = self.position(), *self._default
        self._reach = (-math.inf if low is None else low, math.inf if high is None else high)
        self._end_names = names
        begin = begin if low is None else low
        end = end if high is None else high
        if end > begin:
            inside = INSIDE * (end - begin)  # at a dead point itself an axis cannot be put
            self._low = begin + inside * (names[0] == DEAD)
            self._high = end - inside * (names[1] == DEAD)
            self._wraps = self._turns and low is None and high is None
            self._grows = self._slides and low is None and high is None
        self.show_target(asked)
        self.update()

    def position(self) -> float:
        """What the handle asks for [rad or m]; a turning axis without limits stays in the turn it is in."""
        value = self._low + (self._high - self._low) * self.value() / STEPS
        return value + math.tau * round((self._live - value) / math.tau) if self._wraps else value

    def show_target(self, position: float) -> None:
        """Move the handle without asking for anything."""
        self._grow(position)
        self._quiet = True
        self.setValue(round(STEPS * self._fraction(position)))
        self._quiet = False

    def show_live(self, position: float) -> None:
        """Move the mark that says where the axis is."""
        self._grow(position)
        if abs(self._fraction(position) - self._fraction(self._live)) * self.width() > 0.4:
            self.update()
        self._live = position

    def sizeHint(self) -> QSize:
        """Wide and flat."""
        return QSize(160, 26)

    def minimumSizeHint(self) -> QSize:
        """As narrow as it may be."""
        return QSize(LEAST, 26)

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Groove, the part from zero to the handle, the mark of the live position, the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2 - 1
        on = self.isEnabled()
        zero = self._x(self._fraction(0.0))
        target = self._x(self.value() / STEPS)
        self._line(painter, MARGIN, self.width() - MARGIN, middle, self._tokens.border)
        if on:
            self._line(painter, zero, target, middle, self._tokens.accent)
        painter.setPen(QPen(QColor(self._tokens.disabled), 1))
        painter.drawLine(QPointF(zero, middle - 5), QPointF(zero, middle + 5))
        self._paint_ends(painter, middle)
        live = self._x(self._fraction(self._live))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._tokens.follower))
        painter.drawPolygon(
            QPolygonF([QPointF(live, middle + 5), QPointF(live - 4, middle + 11), QPointF(live + 4, middle + 11)])
        )
        painter.setPen(QPen(QColor(self._tokens.accent if on else self._tokens.disabled), 2))
        painter.setBrush(QColor(self._tokens.accent if self.hasFocus() and on else self._tokens.raised))
        painter.drawEllipse(QRectF(target - 6, middle - 6, 12, 12))

    def _paint_ends(self, painter: QPainter, middle: float) -> None:
        """A bar where the axis ends: a limit, or in the colour of errors a dead point."""
        for name, x in zip(self._end_names, (MARGIN, self.width() - MARGIN), strict=True):
            if name:
                colour = self._tokens.error if name == DEAD else self._tokens.muted
                painter.setPen(QPen(QColor(colour), 2.5))
                painter.drawLine(QPointF(x, middle - 8), QPointF(x, middle + 8))

    @staticmethod
    def _line(painter: QPainter, start: float, stop: float, y: float, colour: str) -> None:
        painter.setPen(QPen(QColor(colour), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(start, y), QPointF(stop, y))

    def _x(self, fraction: float) -> float:
        return MARGIN + (self.width() - 2 * MARGIN) * min(max(fraction, 0.0), 1.0)

    def _fraction(self, position: float) -> float:
        if not math.isfinite(position):
            return 0.5
        if self._wraps:
            position = math.remainder(position, math.tau)
        return (position - self._low) / (self._high - self._low)

    def _grow(self, position: float) -> None:
        while self._grows and math.isfinite(position) and not self._low <= position <= self._high:
            self._low, self._high = 2 * self._low, 2 * self._high
            self.update()

    def follow(self, event: QMouseEvent) -> None:
        """Put the handle where the mouse is."""
        usable = max(self.width() - 2 * MARGIN, 1.0)
        self.setValue(round(STEPS * min(max((event.position().x() - MARGIN) / usable, 0.0), 1.0)))

    def _value_changed(self, _value: int) -> None:
        self.update()
        if not self._quiet:
            self.moved.emit(self.position())
