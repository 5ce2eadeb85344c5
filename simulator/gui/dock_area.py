"""Where the docks are: their first arrangement, and out of the way while the start page has the window."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDockWidget, QMainWindow

from simulator.gui.fields import scaled
from simulator.gui.preferences import LAYOUT_VERSION

LEFT, RIGHT, TALL = 250, 380, 350
"""Widths of the side docks and height of the lower ones, see `scaled`."""


class DockArea:
    """One dock on the left, one on the right, the others behind each other at the bottom, the first of them in front."""

    def __init__(
        self, window: QMainWindow, left: QDockWidget, right: QDockWidget, bottom: Sequence[QDockWidget]
    ) -> None:
        self._window, self._left, self._right, self._bottom = window, left, right, tuple(bottom)
        self._stowed: tuple[QDockWidget, ...] = ()
        self._arrange()
        self._default = window.saveState(LAYOUT_VERSION)

    def reset(self) -> None:
        """Every dock where it was in the beginning."""
        self._window.restoreState(self._default, LAYOUT_VERSION)
        self._size()

    def stow(self) -> None:
        """The start page has the window for itself."""
        if not self._stowed:
            docks = (self._left, self._right, *self._bottom)
            self._stowed = tuple(dock for dock in docks if not dock.isHidden())
            for dock in self._stowed:
                dock.hide()

    def unstow(self) -> None:
        """Those that were there come back, all in one picture: the view is not drawn again for each of them."""
        self._window.setUpdatesEnabled(False)
        for dock in self._stowed:
            dock.show()
        if self._stowed:
            self._bottom[0].raise_()
        self._stowed = ()
        self._window.setUpdatesEnabled(True)

    def _arrange(self) -> None:
        area, corner, window = Qt.DockWidgetArea, Qt.Corner, self._window
        window.addDockWidget(area.LeftDockWidgetArea, self._left)
        window.addDockWidget(area.RightDockWidgetArea, self._right)
        first, *others = self._bottom
        window.addDockWidget(area.BottomDockWidgetArea, first)
        for before, dock in zip(self._bottom, others, strict=False):
            window.tabifyDockWidget(before, dock)
        first.raise_()
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)
        window.resize(1600, 1000)
        self._size()

    def _size(self) -> None:
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._window.resizeDocks([self._left, self._right], [scaled(LEFT), scaled(RIGHT)], horizontal)
        self._window.resizeDocks([self._bottom[0]], [scaled(TALL)], vertical)
