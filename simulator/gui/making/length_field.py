"""The field over a number of the sheet, with a button that locks a length."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QWidget

from simulator.gui.fields import scaled, tabular

FIELD = 150
"""Width of the text, see `scaled`."""
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
LOOKS_ELSEWHERE = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class WordField(QLineEdit):
    """Return takes what was typed, Escape or a click elsewhere does not."""

    entered = pyqtSignal(str)
    closed = pyqtSignal()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Return and Escape close the field."""
        key = None if event is None else Qt.Key(event.key())
        if key is Qt.Key.Key_Escape:
            self.closed.emit()
        elif key in ENTER:
            self.entered.emit(self.text())
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """What was typed and not entered is lost, but not for looking at another window."""
        super().focusOutEvent(event)
        if event is None or event.reason() not in LOOKS_ELSEWHERE:
            self.closed.emit()


class LengthField(QFrame):
    """`locked` is emitted where the button is switched."""

    locked = pyqtSignal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAutoFillBackground(True)
        self.text, self.lock = WordField(), QPushButton(self.tr("Lock"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocusProxy(self.text)  # else a press on the button would give the focus to the sheet
        self.text.setFont(tabular(self.text.font()))
        self.text.setFixedWidth(scaled(FIELD))
        self.text.setTextMargins(scaled(4), 0, scaled(4), 0)
        self.lock.setCheckable(True)
        self.lock.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.lock.setProperty("tool", "true")
        self.lock.setToolTip(self.tr("Hold this length while other ends move"))
        self.lock.clicked.connect(self.locked.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(scaled(4), scaled(4), scaled(4), scaled(4))
        row.setSpacing(scaled(4))
        row.addWidget(self.text)
        row.addWidget(self.lock)
        self.hide()

    def begin(self, box: QRectF, text: str, about: str, *, lock: bool | None) -> None:
        """Show a text over a number of the parent, selected; `lock`: whether it is locked, None where it cannot be."""
        self.text.setText(text)
        self.text.setToolTip(about)
        self.text.setAccessibleName(about)
        self.lock.setVisible(lock is not None)
        self.lock.setChecked(bool(lock))
        self.adjustSize()
        parent = self.parentWidget()
        room = QRectF() if parent is None else QRectF(parent.rect())
        at = box.center() - QPointF(self.width() / 2.0, self.height() / 2.0)
        x = min(max(at.x(), 0.0), max(room.width() - self.width(), 0.0))
        y = min(max(at.y(), 0.0), max(room.height() - self.height(), 0.0))
        self.move(round(x), round(y))
        self.show()
        self.raise_()
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.text.selectAll()
