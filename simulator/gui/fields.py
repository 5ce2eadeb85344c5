"""Small fields of the panels: a spin box that ignores stray wheels, a label with digits of equal width."""

from __future__ import annotations

import html
from collections.abc import Iterable

from PyQt6.QtCore import QCoreApplication, QEvent, QLocale, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontInfo, QKeyEvent, QPainter, QPaintEvent, QValidator, QWheelEvent
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QSizePolicy,
    QStyledItemDelegate,
    QToolTip,
    QWidget,
)

from simulator.diagnostics import printable
from simulator.gui.resources import pixmap
from simulator.gui.units import MINUS

FAR = (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
LIST_FRAME = 5
"""Border and room on each side of the list of a box, see the style sheet [px]."""
USUAL = 12.0
"""Height of the text that sizes are given for [pixels]."""


def scaled(size: int) -> int:
    """A width or height [logical pixels] that suits the size of the text: larger where the user wants large text."""
    return round(size * max(1.0, QFontInfo(QApplication.font()).pixelSize() / USUAL))


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def tabular(font: QFont) -> QFont:
    """The same font with digits of equal width, so that running numbers do not dance."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


class ValueSpin(QDoubleSpinBox):
    """Takes the wheel only while it has the focus; digits and minus typed here go no further."""

    def __init__(self, decimals: int, suffix: str) -> None:
        self._widths = 0, 0
        super().__init__()
        self.setLocale(QLocale.c())
        self.setDecimals(decimals)
        self.setSuffix(f" {suffix}" if suffix else "")
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(tabular(self.font()))

    def set_width(self, width: int, least: int | None = None) -> None:
        """A fixed one, see `scaled`, that follows the type; narrower, to `least`, where there is no room for it."""
        self._widths = width if least is None else least, width
        self._take_width()

    def _take_width(self) -> None:
        least, most = self._widths
        self.setMinimumWidth(scaled(least))
        self.setMaximumWidth(scaled(most))

    def changeEvent(self, e: QEvent | None) -> None:
        """In larger type it is wider."""
        super().changeEvent(e)
        if e is not None and e.type() == QEvent.Type.FontChange and self._widths[1]:
            self._take_width()

    def textFromValue(self, v: float) -> str:
        """With a true minus sign, as all numbers of the window."""
        return str(super().textFromValue(v)).replace("-", MINUS)

    def valueFromText(self, text: str | None) -> float:
        """Either minus sign is understood."""
        return float(super().valueFromText((text or "").replace(MINUS, "-")))

    def validate(self, typed: str | None, pos: int) -> tuple[QValidator.State, str, int]:
        """Either minus sign is understood."""
        state, _text, place = super().validate((typed or "").replace(MINUS, "-"), pos)
        return state, typed or "", place

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Scroll the panel, not the value, unless the field has the focus."""
        if event is None:
            return
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Every printable key belongs to the field while it has the focus; Return and Escape leave it, Escape with the
        number that was there."""
        if event is None:
            return
        if event.key() == Qt.Key.Key_Escape:
            self.setValue(self.value())
            self.clearFocus()
            return
        super().keyPressEvent(event)
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.clearFocus()  # so that the window's keys work again
        if event.key() == Qt.Key.Key_Space:
            self._say_who_has_space()
        if event.text().isprintable():
            event.accept()

    def _say_who_has_space(self) -> None:
        """No number has a space, and to run with half of one would surprise."""
        text = QCoreApplication.translate("ValueSpin", "Press Return to apply or Esc to cancel; then Space runs again.")
        QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), text, self)


class NoWheelComboBox(QComboBox):
    """A combo box that neither the wheel nor the keys of a long way change by the way: it keeps the focus after it was
    used. `picked`: an entry was chosen in the open list, not passed by a key on the closed one."""

    picked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._was_open = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setItemDelegate(QStyledItemDelegate(self))  # Qt's own knows no style sheet
        self.activated.connect(lambda _index: self.picked.emit() if self._was_open else None)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Scroll the panel, not the value."""
        if event is not None:
            event.ignore()

    def showPopup(self) -> None:
        """The list is as wide as its longest text, whatever room the box has."""
        if (view := self.view()) is not None:
            view.setMinimumWidth(view.sizeHintForColumn(0) + 2 * LIST_FRAME)
        self._was_open = True
        super().showPopup()

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Open the list or advance by one entry; an open list takes all keys."""
        self._was_open = False
        if e is not None and e.key() in FAR:
            e.ignore()
        else:
            super().keyPressEvent(e)


def shown(text: str) -> str:
    """Foreign text of one or more lines as a window may show it."""
    return "\n".join(map(printable, text.split("\n")))


def tip(text: str) -> str:
    """The same as a tooltip, which Qt would take for a page of its own where it looks like one."""
    plain = shown(text)
    return f"<qt>{html.escape(plain)}</qt>".replace("\n", "<br>") if "<" in plain else plain


class PlainLabel(QLabel):
    """A label that shows what it is given; markup in names is not markup."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, a0: str | None) -> None:
        """Show another text."""
        super().setText(shown(a0 or ""))


class ElidingLabel(PlainLabel):
    """A label that ends in dots where there is no room, instead of asking for room."""

    def __init__(self, text: str, role: str = "") -> None:
        super().__init__(text)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setToolTip(tip(text))

    def fitting(self) -> str:
        """What is to be drawn."""
        return self.text()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw what there is room for."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.fitting(), Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(self.rect(), int(self.alignment()), text)


class NumberLabel(QLabel):
    """A running number: to the right, and room that was once needed stays, so that nothing beside it dances or is cut
    off."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setProperty("role", role)
        self.setFont(tabular(self.font()))
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def setText(self, a0: str | None) -> None:
        """Show another number."""
        super().setText(a0)
        self.setMinimumWidth(max(self.minimumWidth(), self.sizeHint().width()))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Another font needs other room."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.FontChange:
            self.give_way()

    def give_way(self) -> None:
        """Room that was once needed is needed no more: what it stands in is another width."""
        self.setMinimumWidth(0)


class RoomLabel(ElidingLabel):
    """Says all where there is room, else the longest of what is shorter that fits; the whole is the tool tip."""

    def __init__(self, role: str = "") -> None:
        super().__init__("", role)
        self.setFont(tabular(self.font()))
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._shorter: tuple[str, ...] = ("",)

    def show_text(self, text: str, *shorter: str) -> None:
        """Show another text, or one of those, each shorter than the one before."""
        if text != self.text():
            self._shorter = shorter
            self.setText(text)
            self.setToolTip(tip(text))

    def fitting(self) -> str:
        """The first text that there is room for, else the last."""
        texts = (self.text(), *self._shorter)
        room = self.fontMetrics().horizontalAdvance
        return next((text for text in texts if room(text) <= self.width()), texts[-1])


def label(text: str = "", role: str = "", digits: bool = False) -> QLabel:
    """A label with a role of the style sheet: muted, law, name, title."""
    result = PlainLabel(text)
    if role:
        result.setProperty("role", role)
    if digits:
        result.setFont(tabular(result.font()))
    return result


def set_picture(target: QLabel, name: str, colour: str, size: int = 16) -> None:
    """Put a small icon into a label."""
    target.setPixmap(pixmap(name, colour, size, target.devicePixelRatioF()))


def set_slim(controls: Iterable[QWidget], on: bool) -> None:
    """Low controls, for where room is short."""
    for control in controls:
        mark(control, "slim", "true" if on else "")
        QApplication.sendEvent(control, QEvent(QEvent.Type.StyleChange))  # a drop-down notes its size


def mark(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet asks for (level, selected); nothing is styled again where it is that
    already."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    if style is not None:
        style.unpolish(widget)
        style.polish(widget)
