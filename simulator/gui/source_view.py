"""A read-only view of a document's text with line numbers and one line marked."""

from __future__ import annotations

import textwrap
from pathlib import Path

from PyQt6.QtCore import QRect, QSize, Qt
from PyQt6.QtGui import QColor, QFontDatabase, QPainter, QPaintEvent, QResizeEvent, QTextFormat
from PyQt6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from simulator.formats.files import read_regular
from simulator.gui.theme import Tokens

LARGEST = 4_000_000
"""Files with more bytes than this are not shown."""


class SourceView(QPlainTextEdit):
    """Shows a file; `show_line` scrolls to a line and marks it."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._path: Path | None = None
        self._stamp = 0.0
        self.line, self._before = 0, 0
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(max(font.pointSizeF(), QApplication.font().pointSizeF()))
        self.setFont(font)
        self.setAccessibleName(self.tr("Source of the finding"))
        self._numbers = _Numbers(self)
        self.blockCountChanged.connect(lambda _count: self._make_room())
        self.updateRequest.connect(self._scrolled)
        self._make_room()

    def show_lines(self, path: Path, first: int, last: int) -> None:
        """Show these lines of a file alone, as high as they are; without what all of them are indented by."""
        try:
            lines = text_of(path).split("\n")[first - 1 : last]
        except OSError as error:
            lines = [self.tr("(cannot be read: {why})").format(why=error.strerror or error)]
        self._path = None
        self._before = first - 1
        self.setPlainText(textwrap.dedent("\n".join(lines)))
        self._make_room()
        self.mark(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        margin = 2 * round(self._margin()) + 4
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if bar is not None else 0
        self.setFixedHeight(self.fontMetrics().lineSpacing() * self.blockCount() + margin + below)

    def show_line(self, path: Path, line: int) -> None:
        """Show that line of a file; a file that cannot be read is said so."""
        try:
            stat = path.stat()
            if (path, stat.st_mtime) != (self._path, self._stamp):
                small = stat.st_size <= LARGEST
                text = text_of(path) if small else self.tr("(too long to show)")
                self.setPlainText(text)
                self._path = path
                self._stamp = stat.st_mtime
                self._before = 0
        except OSError as error:
            self.setPlainText(self.tr("(cannot be read: {why})").format(why=error.strerror or error))
            self._path = None
        self.mark(line)

    def mark(self, line: int) -> None:
        """Scroll to a line and mark it; 0 marks none."""
        self.line = line
        document = self.document()
        block = document.findBlockByNumber(line - 1) if document is not None and line > 0 else None
        selections: list[QTextEdit.ExtraSelection] = []
        if block is not None and block.isValid():
            cursor = self.textCursor()
            cursor.setPosition(block.position())
            self.setTextCursor(cursor)
            self.centerCursor()
            marked = QTextEdit.ExtraSelection()
            marked.format.setBackground(QColor(self._tokens.warning_soft))
            marked.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marked.cursor = cursor
            selections.append(marked)
        self.setExtraSelections(selections)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.mark(self.line)

    def number_width(self) -> int:
        """Width of the strip of line numbers [pixels]."""
        return 18 + self.fontMetrics().horizontalAdvance("9") * max(3, len(str(self._before + self.blockCount())))

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Draw the line numbers that are on show."""
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), QColor(self._tokens.window))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            number = self._before + block.blockNumber() + 1
            painter.setPen(QColor(self._tokens.text if number == self.line else self._tokens.disabled))
            height = self.blockBoundingRect(block).height()
            area = QRect(0, round(top), self._numbers.width() - 9, round(height))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(number))
            top += height
            block = block.next()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the strip as high as the text."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(QRect(area.left(), area.top(), self.number_width(), area.height()))
        if self.line:
            self.centerCursor()

    def _margin(self) -> float:
        document = self.document()
        return document.documentMargin() if document is not None else 0.0

    def _make_room(self) -> None:
        self.setViewportMargins(self.number_width(), 0, 0, 0)

    def _scrolled(self, area: QRect, dy: int) -> None:
        if dy:
            self._numbers.scroll(0, dy)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())


def text_of(path: Path) -> str:
    """The text of a document. Raises OSError for what is not a file: the place of a finding may be a pipe."""
    return read_regular(path, LARGEST).decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


class _Numbers(QWidget):
    """The strip of line numbers."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        """As wide as the longest number."""
        return QSize(self._view.number_width(), 0)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Let the view draw."""
        if event is not None:
            self._view.paint_numbers(event)
