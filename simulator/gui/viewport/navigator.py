"""Mouse, wheel and touchpad to camera; installed as an event filter on whichever widget draws."""

from __future__ import annotations

import math
from typing import Protocol

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PyQt6.QtWidgets import QWidget

from simulator.gui.viewport.hand_on_view import HARDER
from simulator.gui.viewport.state import ViewState

TURN = math.pi
"""A drag across the whole height of the view turns by this angle [rad]."""

CLICK_SLOP = 4.0
"""A press that moves less than this is a click [pixels]."""

ZOOM_PER_NOTCH = 0.87


class LeadingHand(Protocol):
    """Interface of an object that drags a link by hand, see `HandOnView`."""

    @property
    def is_holding(self) -> bool:
        """Whether a point is held."""
        ...

    def begin(self, widget: QWidget, at: QPointF) -> bool:
        """Hold what is seen there; False where that cannot be moved."""
        ...

    def move(self, widget: QWidget, at: QPointF) -> None:
        """Lead it there."""
        ...

    def end(self) -> None:
        """Let go."""
        ...

    def harden(self, factor: float) -> None:
        """Pull harder or softer."""
        ...


class Navigator(QObject):
    """A left drag moves a link that can move, or else orbits; right, middle or shift-drag pans; wheel and
    pinch zoom under the pointer, or change the strength of the hand that holds.

    `clicked`, `double_clicked`, `pointed` and `menu_asked` carry widget coordinates; `pointed` is None when the mouse
    left, `menu_asked` where the keyboard asks. `hand` is what a drag is given to first.
    """

    moved = pyqtSignal()
    clicked = pyqtSignal(QPointF)
    double_clicked = pyqtSignal(QPointF)
    pointed = pyqtSignal(object)
    menu_asked = pyqtSignal(object)

    def __init__(self, state: ViewState, hand: LeadingHand) -> None:
        super().__init__()
        self._state, self.hand = state, hand
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._travel = 0.0

    def attach(self, widget: QWidget) -> None:
        """Listen to a widget."""
        widget.setMouseTracking(True)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take the mouse, leave the rest."""
        if not isinstance(watched, QWidget) or event is None:
            return False
        if isinstance(event, QWheelEvent):
            return self._wheel(watched, event)
        if isinstance(event, QNativeGestureEvent):
            return self._gesture(watched, event)
        if isinstance(event, QMouseEvent):
            return self._mouse(watched, event)
        if isinstance(event, QContextMenuEvent):
            if event.reason() is QContextMenuEvent.Reason.Keyboard:
                self.menu_asked.emit(None)
            return True
        if event.type() is QEvent.Type.Leave:
            self.pointed.emit(None)
        return False

    def _mouse(self, widget: QWidget, event: QMouseEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.MouseButtonPress:
            self._pressed, self._last, self._travel = event.position(), event.position(), 0.0
            return False
        if kind is QEvent.Type.MouseButtonDblClick:
            self.double_clicked.emit(event.position())
            return True
        if kind is QEvent.Type.MouseButtonRelease:
            clicked = self._pressed is not None and self._travel < CLICK_SLOP
            self._pressed = None
            if clicked and event.button() is Qt.MouseButton.LeftButton:
                self.clicked.emit(event.position())
            elif clicked and event.button() is Qt.MouseButton.RightButton:
                self.menu_asked.emit(event.position())
            self.hand.end()
            return False
        if kind is QEvent.Type.MouseMove:
            if self._pressed is None or event.buttons() == Qt.MouseButton.NoButton:
                self.pointed.emit(event.position())
            else:
                self._drag(widget, event)
        return False

    def _drag(self, widget: QWidget, event: QMouseEvent) -> None:
        delta = event.position() - self._last
        self._last = event.position()
        before = self._travel
        self._travel = self._travel + abs(delta.x()) + abs(delta.y())
        if self._travel < CLICK_SLOP:
            return
        if before < CLICK_SLOP and self._pressed is not None and _may_hold(event):
            self.hand.begin(widget, self._pressed)
        if self.hand.is_holding:
            self.hand.move(widget, event.position())
            return
        height = max(widget.height(), 1)
        x, y = delta.x() / height, delta.y() / height
        pans = event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not event.buttons() & Qt.MouseButton.LeftButton
        camera = self._state.camera
        self._state.camera = camera.pan(-x, y) if pans else camera.orbit(-TURN * x, TURN * y)
        self.moved.emit()

    def _wheel(self, widget: QWidget, event: QWheelEvent) -> bool:
        pixels, notches = event.pixelDelta(), event.angleDelta()
        if self.hand.is_holding:
            self.hand.harden(HARDER ** (notches.y() / 120.0))
            return True
        if not pixels.isNull() and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            height = max(widget.height(), 1)
            self._state.camera = self._state.camera.pan(-pixels.x() / height, pixels.y() / height)
        else:
            self._zoom(widget, event.position(), ZOOM_PER_NOTCH ** (notches.y() / 120.0))
        self.moved.emit()
        return True

    def _gesture(self, widget: QWidget, event: QNativeGestureEvent) -> bool:
        if event.gestureType() is not Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self._zoom(widget, event.position(), 1.0 / max(1.0 + event.value(), 0.1))
        self.moved.emit()
        return True

    def _zoom(self, widget: QWidget, at: QPointF, factor: float) -> None:
        width, height = max(widget.width(), 1), max(widget.height(), 1)
        ndc = (2.0 * at.x() / width - 1.0, 1.0 - 2.0 * at.y() / height)
        self._state.camera = self._state.camera.zoom(factor, ndc, width / height)


def _may_hold(event: QMouseEvent) -> bool:
    """Only a plain drag with the left button does."""
    return event.buttons() == Qt.MouseButton.LeftButton and event.modifiers() == Qt.KeyboardModifier.NoModifier
