"""Keeps a new window on its screen, with the frame that the window manager draws around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QMargins, QObject, QRect, QTimer

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

LOOKS = {QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowActivate}
"""Events by which a frame makes itself known: the window manager puts it around a window that is shown already."""


def within(geometry: QRect, frame: QMargins, available: QRect) -> QRect:
    """The geometry of a window, without its frame, moved and made smaller as far as it has to be for both to lie in
    what is `available`."""
    outside = geometry.marginsAdded(frame)
    size = outside.size().boundedTo(available.size())
    left = min(max(outside.left(), available.left()), available.right() + 1 - size.width())
    top = min(max(outside.top(), available.top()), available.bottom() + 1 - size.height())
    return QRect(left, top, size.width(), size.height()).marginsRemoved(frame)


class OnScreen(QObject):
    """Looks until the window has a frame, then lets go: later its size and place are up to the user."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:
        """Take a look once the window is as its manager has placed it."""
        if event is not None and event.type() in LOOKS:
            QTimer.singleShot(0, self._look)
        return False

    def _look(self) -> None:
        window = self._window
        handle = self._window.windowHandle()
        screen = self._window.screen()
        if handle is None or screen is None or not window.isVisible():
            return
        frame = handle.frameMargins()
        if frame.isNull():
            return
        window.removeEventFilter(self)
        if not (window.isMaximized() or window.isFullScreen()):
            window.setGeometry(within(window.geometry(), frame, screen.availableGeometry()))
