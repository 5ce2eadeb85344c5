"""A small curve of the last seconds, without axes: shows whether a value is quiet, grows or jumps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from simulator.gui.fields import scaled
from simulator.gui.theme import Tokens

LEAST = 1e-12
"""Half the height at least [unit of the curve]: round-off is drawn flat."""


class Sparkline(QWidget):
    """Drawn about zero, which is the line in the middle."""

    def __init__(self, tokens: Tokens, name: str) -> None:
        super().__init__()
        self._tokens = tokens
        self._points: NDArray[np.float64] = np.zeros((0, 2))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """As high as a line of text."""
        return QSize(scaled(60), scaled(20))

    @property
    def points(self) -> NDArray[np.float64]:
        """Places of the curve from 0 to 1 and from -1 to 1, shape (n, 2)."""
        return self._points

    def show_curve(self, times: NDArray[np.float64], values: NDArray[np.float64], start: float, stop: float) -> None:
        """Values over times [s] from `start` to `stop`; both of shape (n,)."""
        height = max(float(np.abs(values).max(initial=0.0)), LEAST)
        across = (times - start) / max(stop - start, 1e-9)
        self._points = np.column_stack((across, values / height))
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """The line of zero and the curve."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = 0.5 * self.height()
        reach = 0.5 * self.height() - 2.0
        painter.setPen(QPen(QColor(self._tokens.border), 1))
        painter.drawLine(QPointF(0.0, middle), QPointF(self.width(), middle))
        painter.setPen(QPen(QColor(self._tokens.accent), 1.2))
        painter.drawPolyline(QPolygonF([QPointF(x * self.width(), middle - y * reach) for x, y in self._points]))
