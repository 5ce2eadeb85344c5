"""Once in a lifetime it is said how to hold a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

if TYPE_CHECKING:
    from simulator.gui.preferences import Preferences
    from simulator.gui.viewport.viewport import Viewport

KNOWS_HAND = "knows_hand"
"""The flag of preferences that is set once somebody has held a body by hand."""


class HandHint(QObject):
    """Goes for good when the first body is held."""

    def __init__(self, viewport: Viewport, preferences: Preferences) -> None:
        super().__init__()
        self._viewport, self._preferences = viewport, preferences
        viewport.hand.held.connect(self._learned)

    def show(self) -> None:
        """Say it, unless it is known."""
        known = self._preferences.flag(KNOWS_HAND, False)
        text = self.tr("Drag a body to move it; drag beside it to turn the view")
        self._viewport.state.hint = "" if known else text

    def _learned(self, _on: bool) -> None:
        self._preferences.set_flag(KNOWS_HAND, True)
        self.show()
