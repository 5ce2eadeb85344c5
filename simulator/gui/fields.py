"""Small fields of the docks: a spin box that ignores stray wheels, a label with digits of equal width."""

from __future__ import annotations

from PyQt6.QtCore import QLocale, Qt
from PyQt6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PyQt6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QSizePolicy, QWidget

from simulator.gui.resources import pixmap


def tabular(font: QFont) -> QFont:
    """The same font with digits of equal width, so that running numbers do not dance."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


class ValueSpin(QDoubleSpinBox):
    """Takes the wheel only while it has the focus; digits and minus typed here go no further."""

    def __init__(self, decimals: int, suffix: str) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setDecimals(decimals)
        self.setSuffix(f" {suffix}" if suffix else "")
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(tabular(self.font()))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Scroll the panel, not the value, unless the field has the focus."""
        if event is None:
            return
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Every printable key belongs to the field while it has the focus."""
        super().keyPressEvent(event)
        if event is None:
            return
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.clearFocus()  # so that the window's keys work again
        if event.text().isprintable():
            event.accept()


class QuietCombo(QComboBox):
    """A combo box that the wheel does not change while the user scrolls past it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Scroll the panel, not the value."""
        if event is not None:
            event.ignore()


class ElidingLabel(QLabel):
    """A label that ends in dots where there is no room, instead of asking for room."""

    def __init__(self, text: str, role: str = "") -> None:
        super().__init__(text)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setToolTip(text)

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw what there is room for."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(self.rect(), int(self.alignment()), text)


def label(text: str = "", role: str = "", digits: bool = False) -> QLabel:
    """A label with a role of the style sheet: muted, law, name, title."""
    result = QLabel(text)
    if role:
        result.setProperty("role", role)
    if digits:
        result.setFont(tabular(result.font()))
    return result


def set_picture(target: QLabel, name: str, colour: str, size: int = 16) -> None:
    """Put a small icon into a label."""
    target.setPixmap(pixmap(name, colour, size, target.devicePixelRatioF()))


def restyle(widget: QWidget) -> None:
    """Read the style sheet again after a property changed."""
    style = widget.style()
    if style is not None:
        style.unpolish(widget)
        style.polish(widget)
