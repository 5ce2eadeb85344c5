"""Where the docks are: their first arrangement, and out of the way while the start page has the window."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from simulator.gui.fields import scaled
from simulator.gui.preferences import LAYOUT_VERSION

SIDE, LOW = 380, 290
"""Width of the column on the right and height of the lower docks, see `scaled`."""
WIDE = QSize(1600, 1000)
"""Size of a window that nobody has sized yet, where the screen is that large."""
ROOMY = QSize(1400, 900)
"""In a smaller window the view comes first: the lower docks are closed, and those of the column are one behind the
other."""
NARROW = 1000
"""In a window below this width all docks are closed."""


class DockArea:
    """A column on the right, and docks behind each other at the bottom. Docks that are closed come back with their
    button at the edge of the window."""

    def __init__(self, window: QMainWindow, side: Sequence[QDockWidget], low: Sequence[QDockWidget]) -> None:
        self._window, self._side, self._low = window, tuple(side), tuple(low)
        self._stowed: tuple[QDockWidget, ...] = ()
        self._fresh = True
        self._in_front: set[QDockWidget] = set()
        self._place(behind=True)
        for dock in self.docks:
            dock.hide()
            dock.visibilityChanged.connect(lambda shown, dock=dock: self._note(dock, shown))
        screen = window.screen()
        window.resize(WIDE if screen is None else WIDE.boundedTo(screen.availableSize()))

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        """All of them, in their order."""
        return (*self._side, *self._low)

    def restore(self, state: bytes) -> None:
        """An arrangement that was stored before, see `state`."""
        if state and self._window.restoreState(state, LAYOUT_VERSION):
            self._fresh = False

    def state(self) -> bytes:
        """The arrangement, to be stored; empty as long as no document was shown."""
        self.unstow()
        return self._window.saveState(LAYOUT_VERSION).data() if not self._fresh else b""

    def reset(self) -> None:
        """The arrangement that suits the size of the window."""
        self._fresh = False
        size = self._window.size()
        roomy = size.width() >= scaled(ROOMY.width()) and size.height() >= scaled(ROOMY.height())
        self._place(behind=not roomy)
        self._show(self.docks if roomy else () if size.width() < scaled(NARROW) else self._side)

    def show_all(self) -> None:
        """Every dock."""
        self._fresh = False
        self._show(self.docks)

    def show_only(self, names: Sequence[str]) -> None:
        """The docks of these names, whatever was there before the start page."""
        self._fresh, self._stowed = False, ()
        self._show([dock for dock in self.docks if dock.objectName() in names])

    def hide_all(self) -> None:
        """The view alone."""
        self._fresh = False
        self._show(())

    def toggle(self, dock: QDockWidget) -> None:
        """Bring a dock to the front; one that is there is closed."""
        in_front = dock in self._in_front
        dock.setVisible(not in_front)
        if not in_front:
            dock.raise_()
            self._size()

    def stow(self) -> None:
        """The start page has the window for itself."""
        if not self._stowed:
            self._stowed = tuple(dock for dock in self.docks if not dock.isHidden())
            for dock in self._stowed:
                dock.hide()

    def unstow(self) -> None:
        """Those that were there come back, all in one picture: the view is not drawn again for each of them."""
        stowed, self._stowed = self._stowed, ()
        if self._fresh and self._window.isVisible():
            self.reset()
        elif stowed:
            self._show((*stowed, *(dock for dock in self.docks if not dock.isHidden())))

    def _note(self, dock: QDockWidget, shown: bool) -> None:
        if shown:
            self._in_front.add(dock)
        else:
            self._in_front.discard(dock)

    def _show(self, wanted: Sequence[QDockWidget]) -> None:
        self._window.setUpdatesEnabled(False)
        for dock in self.docks:
            dock.setVisible(dock in wanted)
        for group in (self._side, self._low):
            if group[0] in wanted:
                group[0].raise_()
        self._size()
        self._show_tabs()
        self._window.setUpdatesEnabled(True)

    def _show_tabs(self) -> None:
        """Qt leaves the tabs of docks hidden, with a blank strip in their place, that were put behind each other while
        none of them was shown."""
        for tabs in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            tabs.setVisible(tabs.count() > 1)

    def _place(self, behind: bool) -> None:
        """`behind`: the docks of the column are tabs, else they share its height."""
        area, corner, window = Qt.DockWidgetArea, Qt.Corner, self._window
        for dock in self.docks:
            dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(area.RightDockWidgetArea, self._side[0])
        for before, dock in zip(self._side, self._side[1:], strict=False):
            if behind:
                window.tabifyDockWidget(before, dock)
            else:
                window.splitDockWidget(before, dock, Qt.Orientation.Vertical)
        window.addDockWidget(area.BottomDockWidgetArea, self._low[0])
        for before, dock in zip(self._low, self._low[1:], strict=False):
            window.tabifyDockWidget(before, dock)
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)

    def _size(self) -> None:
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        roomy = self._window.width() >= scaled(ROOMY.width())
        side = scaled(SIDE) if roomy else self._side[0].minimumWidth()
        self._window.resizeDocks([self._side[0]], [side], horizontal)
        self._window.resizeDocks([self._low[0]], [min(scaled(LOW), self._window.height() * 2 // 5)], vertical)
