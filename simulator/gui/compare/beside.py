"""The comparison window of a main window: one at a time, with the present units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.gui.compare.side_by_side import SideBySide
    from simulator.gui.live import LiveSession
    from simulator.gui.preferences import Preferences
    from simulator.gui.theme import Theme


class Beside:
    """Opens it anew each time. `window`: the present or the last one; `apart`: physics in a separate
    process."""

    apart = True

    def __init__(self, live: LiveSession, theme: Theme, preferences: Preferences) -> None:
        self._live = live
        self._theme = theme
        self._preferences = preferences
        self.window: SideBySide | None = None

    def open(self) -> None:
        """Show one: with what was changed beside the document, where there are changes, else empty."""
        from simulator.gui.compare.side_by_side import SideBySide  # simulates in this process: kernels that few need

        self.close()
        self.window = SideBySide(self._live, self._theme, self._preferences.units, apart=self.apart)
        self.window.show()
        self.window.begin_with_changes()

    def close(self) -> None:
        """Let it go."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
