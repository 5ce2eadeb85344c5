"""A hint, shown until it is no longer needed, how to drag a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from simulator.gui.preferences import Preferences
    from simulator.gui.viewport.viewport import Viewport

KNOWS_HAND = "knows_hand"
"""The preference that is set once the user has dragged a body by hand."""
PATIENCE = 6000
"""So long it may lie on the mechanism [ms]."""


class HandHint(QObject):
    """Disappears permanently when the first body is dragged; for this document if it had to cover the mechanism."""

    def __init__(self, viewport: Viewport, preferences: Preferences) -> None:
        super().__init__()
        self._viewport, self._preferences = viewport, preferences
        self._patience = QTimer(viewport)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._give_way)
        viewport.hand.held.connect(self._learned)

    def show(self) -> None:
        """Say it, unless it is known, or nothing moves here."""
        said = self._preferences.flag(KNOWS_HAND, False) or not self._viewport.hand.can_hold_anything
        self._set("" if said else self.tr("Drag a body to move it; drag beside it to turn the view"))

    def hide(self) -> None:
        """Until a body can be dragged."""
        self._set("")

    def _set(self, text: str) -> None:
        self._viewport.show_hint(text)
        self._patience.start() if text else self._patience.stop()

    def _give_way(self) -> None:
        if self._viewport.hint_covers:
            self._set("")

    def _learned(self, _on: bool) -> None:
        self._preferences.set_flag(KNOWS_HAND, True)
        self.show()
