"""A list that is too long to scroll through: typing filters it."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QStringListModel, Qt
from PyQt6.QtWidgets import QComboBox, QCompleter

from simulator.gui.fields import NoWheelComboBox, scaled

WIDTH = 88
"""See `scaled`."""
MOST_SEEN = 14


class SearchBox(NoWheelComboBox):
    """Offers all entries; while typing, those that contain the text. Text that is not an entry is reverted."""

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
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
        """A whole entry that was typed is chosen, anything else is taken back."""
        self._take(self.currentText())
        self.setEditText(self.itemText(self.currentIndex()))
        self._show_whole()

    def _show_whole(self) -> None:
        """The beginning of a long name is seen, the rest is the tool tip."""
        edit = self.lineEdit()
        if edit is not None:
            edit.setCursorPosition(0)
        self.setToolTip(self.itemText(self.currentIndex()))
