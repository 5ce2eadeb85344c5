"""A list that is too long to scroll through: typing filters it."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QStringListModel, Qt
from PyQt6.QtGui import QFocusEvent, QMouseEvent
from PyQt6.QtWidgets import QComboBox, QCompleter, QLineEdit

from simulator.gui.fields import NoWheelComboBox, scaled

WIDTH = 88
"""See `scaled`."""
MOST_SEEN = 14


class _WholeLine(QLineEdit):
    """A click into it selects all of it, so that typing replaces it."""

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Put the cursor there, or select."""
        had_focus = self.property("at work")
        super().mousePressEvent(a0)
        self.setProperty("at work", True)
        if not had_focus:
            self.selectAll()

    def focusOutEvent(self, a0: QFocusEvent | None) -> None:
        """The next click is a first one."""
        super().focusOutEvent(a0)
        if a0 is not None and a0.reason() is not Qt.FocusReason.PopupFocusReason:
            self.setProperty("at work", False)


class SearchBox(NoWheelComboBox):
    """Offers all entries; while typing, those that contain the text. Text that is in one entry alone stands for it; any
    other that is not an entry is reverted."""

    def __init__(self) -> None:
        super().__init__()
        self.setLineEdit(_WholeLine())
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumWidth(scaled(WIDTH))
        self.setMaxVisibleItems(MOST_SEEN)
        self._texts = QStringListModel(self)
        completer = QCompleter(self._texts, self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setMaxVisibleItems(MOST_SEEN)
        self.setCompleter(completer)
        edit = self.lineEdit()
        if edit is not None:
            edit.editingFinished.connect(self._finished)
        completer.activated[str].connect(self._take)
        self.currentIndexChanged.connect(lambda _index: self._show_whole())

    def offer(self, texts: Sequence[str]) -> None:
        """Other entries; the one that was chosen stays where it is still there, else the first is."""
        if list(texts) == self._texts.stringList():
            return
        before = self.currentText()
        self.blockSignals(True)
        self.clear()
        self.addItems(list(texts))
        self._texts.setStringList(list(texts))
        self.setCurrentIndex(max(self.findText(before), 0) if texts else -1)
        self.blockSignals(False)
        self._show_whole()

    def _take(self, text: str) -> None:
        index = self.findText(text)
        if index >= 0:
            self.setCurrentIndex(index)

    def _finished(self) -> None:
        """An entry that was typed, or that alone has what was typed, is chosen; anything else is taken back."""
        typed = self.currentText().strip().casefold()
        found = [text for text in self._texts.stringList() if typed and typed in text.casefold()]
        self._take(found[0] if len(found) == 1 else self.currentText())
        self.setEditText(self.itemText(self.currentIndex()))
        self._show_whole()

    def _show_whole(self) -> None:
        """The beginning of a long name is seen, the rest is the tool tip."""
        edit = self.lineEdit()
        if edit is not None:
            edit.setCursorPosition(0)
        self.setToolTip(self.itemText(self.currentIndex()))
