"""Fields for the numbers in the view: a click on a number opens one, and a refusal is shown there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QToolTip, QWidget

from simulator.gui.fields import label, scaled, tip
from simulator.gui.number_field import NumberField, parse_number

if TYPE_CHECKING:
    from simulator.gui.live import LiveSession
    from simulator.gui.units import Units
    from simulator.gui.viewport.dimension_drawing import DimensionDrawing
    from simulator.gui.viewport.dimension_numbers import Number
    from simulator.session.run.client import Status

FIELD, MESSAGE = 84, 320
"""Width of a field, and of a refusal at most, see `scaled`."""
EDGE = 6
"""Room that is left to the edges of the view [px]."""
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
LOOKS_ELSEWHERE = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class PlacedField(NumberField):
    """A field of the view: Return takes what was typed, Escape or a click elsewhere does not. `closed`: it is no longer
    needed; with True the number is to be what it was before Up and Down changed it."""

    closed = pyqtSignal(bool)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Return takes what is a number, Escape leaves everything as it was."""
        key = None if event is None else Qt.Key(event.key())
        if key is Qt.Key.Key_Escape:
            self.close_with(self.shown, back=True)
        elif key not in ENTER:
            super().keyPressEvent(event)
        elif parse_number(self.text()) is not None:
            super().keyPressEvent(event)
            self.closed.emit(False)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """What was typed and not entered is lost, but not for looking at another window."""
        stays = event is not None and event.reason() in LOOKS_ELSEWHERE
        if not stays:
            self.close_with(self.shown, back=False)
        self.blockSignals(stays)
        super().focusOutEvent(event)
        self.blockSignals(False)

    def close_with(self, text: str, *, back: bool) -> None:
        """Close with another text, which is not entered."""
        self.setText(text)
        self.closed.emit(back)


class DimensionFields(QObject):
    """Looks at the mouse on the numbers of a `drawing` before the view does, over a widget `view` whose child the field
    is. `pointed`: the mouse came to a number; `changed`: something is to be painted anew."""

    pointed = pyqtSignal()
    changed = pyqtSignal()

    def __init__(self, live: LiveSession, drawing: DimensionDrawing, view: QWidget, units: Units) -> None:
        super().__init__(view)
        self._live = live
        self._drawing = drawing
        self._view = view
        self.units = units
        self._number: Number | None = None
        self._canvas, self._at, self._last, self._is_other = view, QPointF(), QPointF(), False
        self._sent: tuple[int, Number] | None = None
        self._refused: Number | None = None
        self._pressed, self._gesture = False, 0
        self.box, self.field = QFrame(view), PlacedField()
        self._unit, self.message = label("", "muted"), label("")
        self._arrange()
        self.field.entered.connect(self._entered)
        self.field.closed.connect(lambda back: self._close(back=back))
        live.ticked.connect(lambda _snapshot, status: self._on_status(status))
        live.document_changed.connect(lambda _opened: self.forget())

    def attach(self, widget: QWidget) -> None:
        """Listen to a widget, before those that listen to it already."""
        self._canvas = widget
        widget.installEventFilter(self)

    def forget(self) -> None:
        """Close the field, and show no refusal."""
        self._sent = None
        self.message.hide()
        self._close(back=False)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take what the mouse does on a number, leave the rest."""
        if not isinstance(watched, QWidget) or event is None:
            return False
        if isinstance(event, QHelpEvent):
            return self._help(watched, event)
        if isinstance(event, QMouseEvent):
            return self._mouse(watched, event)
        if event.type() is QEvent.Type.Leave:
            self._hover(watched, None)
        return False

    def edit(self, number: Number) -> None:
        """Put a field where a number is."""
        if number.ask is None:
            return
        self._number = number
        self._drawing.edited = number.key
        self._is_other = False
        self._unit.setText(number.unit)
        self._unit.setVisible(bool(number.unit))
        self.field.setAccessibleName(number.what)
        self.field.show_value(number.value * number.factor)
        self.box.adjustSize()
        self.box.show()
        self.fit()
        self.field.setFocus()
        self.field.selectAll()
        self.changed.emit()

    def _mouse(self, widget: QWidget, event: QMouseEvent) -> bool:
        kind = event.type()
        left = event.button() is Qt.MouseButton.LeftButton
        number = self._drawing.number_at(event.position())
        if kind is QEvent.Type.MouseMove and event.buttons() == Qt.MouseButton.NoButton:
            self._at = event.position()
            self._hover(widget, number)
            return number is not None
        if kind is QEvent.Type.MouseMove:
            return self._pressed
        if kind in {QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick} and left:
            self._pressed = number is not None
            if number is None:
                return False
            widget.setFocus()  # a field that is open closes
            if number.ask is None:
                QToolTip.showText(event.globalPosition().toPoint(), tip(number.tip), widget)
            else:
                QToolTip.hideText()
                self.edit(number)
            return True
        if kind is QEvent.Type.MouseButtonRelease and left and self._pressed:
            self._pressed = False
            return True
        return False

    def _help(self, widget: QWidget, event: QHelpEvent) -> bool:
        number = self._drawing.number_at(QPointF(event.pos()))
        if event.type() is not QEvent.Type.ToolTip or number is None:
            return False
        QToolTip.showText(event.globalPos(), tip(number.tip), widget)
        return True

    def _hover(self, widget: QWidget, number: Number | None) -> None:
        key = number.key if number is not None else ""
        if number is not None:
            self.pointed.emit()
            cursor = Qt.CursorShape.IBeamCursor if number.ask is not None else Qt.CursorShape.ArrowCursor
            if widget.cursor().shape() is not cursor:
                widget.setCursor(cursor)
        if key != self._drawing.hovered:
            self._drawing.hovered = key
            self.changed.emit()

    def _entered(self, value: float) -> None:
        number = self._number
        if number is None or number.ask is None:
            return
        self.message.hide()
        self._is_other, self._sent = True, (self._live.send(number.ask(value / number.factor)), number)
        self._live.answered_there.add(self._sent[0])

    def _close(self, *, back: bool) -> None:
        number = self._number
        has_focus = self.field.hasFocus()
        if number is None:
            return
        self._number, self._drawing.edited = None, ""
        if back and self._is_other and number.ask is not None:
            self._live.send(number.ask(number.value))
        self.box.hide()
        if has_focus:
            self._canvas.setFocus()
        self.changed.emit()

    def _look(self) -> None:
        """A number may have gone away from under the mouse, or be due to come back."""
        if self._drawing.is_waiting:
            self.changed.emit()
        hovered = self._drawing.hovered
        box = self._drawing.boxes.get(hovered)
        if hovered and (box is None or not box.contains(self._at)):
            self._canvas.setCursor(Qt.CursorShape.ArrowCursor)
            self._hover(self._canvas, None)

    def _on_status(self, status: Status) -> None:
        """What the simulation says; it may have refused the number that was sent."""
        self._look()
        if self._gesture != self._live.undo.gesture:
            self.message.hide()
        if self._sent is None or status.answered < self._sent[0]:
            return
        (sent, number) = self._sent
        self._sent = None
        refusal = status.refusal(sent)
        if refusal:
            self._refused = number
            self._gesture = self._live.undo.gesture
            text = self.units.in_text(refusal)
            self.message.setText(f"{text[:1].upper()}{text[1:]}.")
            self.message.show()
            self.fit()

    def fit(self) -> None:
        """The view has another size: stay on top of what lies over it, and inside of it."""
        number, refused = self._number, self._refused
        if number is not None:
            self._put(self.box, self._place(number))
            self.box.raise_()
        if refused is not None and self.message.isVisible():
            self.message.setFixedWidth(min(scaled(MESSAGE), self._view.width() - 2 * EDGE))
            self.message.adjustSize()
            below = 0.5 * (self.message.height() + self.box.sizeHint().height()) + EDGE
            self._put(self.message, self._place(refused) + QPointF(0.0, below))
            self.message.raise_()

    def _place(self, number: Number) -> QPointF:
        """Where a number is, or was last."""
        box = self._drawing.boxes.get(number.key)
        self._last = box.center() if box is not None else self._last
        return self._last

    def _put(self, widget: QWidget, centre: QPointF) -> None:
        """Inside of the view."""
        x = round(centre.x() - 0.5 * widget.width())
        y = round(centre.y() - 0.5 * widget.height())
        room = self._view.width() - widget.width() - EDGE, self._view.height() - widget.height() - EDGE
        widget.move(max(EDGE, min(x, room[0])), max(EDGE, min(y, room[1])))

    def _arrange(self) -> None:
        self.box.setObjectName("onDrawing")
        row = QHBoxLayout(self.box)
        row.setContentsMargins(3, 3, 7, 3)
        row.setSpacing(5)
        self.field.setFixedWidth(scaled(FIELD))
        row.addWidget(self.field)
        row.addWidget(self._unit)
        self.box.hide()
        self.message.setParent(self._view)
        self.message.setObjectName("refusedOnDrawing")
        self.message.setWordWrap(True)
        self.message.hide()
