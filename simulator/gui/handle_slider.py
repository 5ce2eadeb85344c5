"""A horizontal slider whose handle moves to the clicked place, in the colours of a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QSlider

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens


class HandleSlider(QSlider):
    """Subclasses define in `follow` the value of a place of the mouse."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._tokens = tokens

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def follow(self, event: QMouseEvent) -> None:
        """Put the handle where the mouse is."""
        raise NotImplementedError

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click puts the handle where the mouse is."""
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.follow(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drag the handle."""
        if event is not None and self.isSliderDown():
            self.follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Let go of the handle."""
        if event is not None:
            self.setSliderDown(False)
