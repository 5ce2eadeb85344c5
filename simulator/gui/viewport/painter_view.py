"""The view without OpenGL."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from simulator.gui.viewport.state import ViewState
from simulator.rendering.theme import Rgb


class PainterView(QWidget):
    """Says why there is no 3-D picture; everything else in the window works."""

    def __init__(self, state: ViewState, reason: str) -> None:
        super().__init__()
        self._state, self.reason = state, reason
        self.setAccessibleName(self.tr("3-D view of the mechanism"))
        self.setMinimumSize(200, 150)

    def scene_changed(self) -> None:
        """The state has another scene."""
        self.update()

    def pick(self, _at: QPointF) -> str | None:
        """The link at a point of the widget."""
        return None

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw the scene, or the reason why there is none."""
        painter = QPainter(self)
        theme = self._state.theme
        painter.fillRect(self.rect(), colour_of(theme.horizon))
        painter.setPen(QColor("#dfe5ee" if theme.is_dark else "#39424f"))
        text = self.tr("The 3-D view needs OpenGL 3.3.") + "\n\n" + self.reason
        area = QRectF(self.rect()).adjusted(40, 40, -40, -40)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), text)


def colour_of(rgb: Rgb) -> QColor:
    """A colour of the renderer as one of Qt's."""
    return QColor.fromRgbF(*rgb)
