"""A lesson beside the view: the notes of this step, and buttons to the next."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontDatabase, QFontInfo, QKeySequence, QResizeEvent, QTextCursor
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QTextBrowser, QWidget

from simulator.gui.fields import USUAL, label, mark, scaled
from simulator.gui.panels.panel import Panel, column_layout
from simulator.gui.theme import Theme
from simulator.model.lesson import Lesson, LessonStep
from simulator.session.text.notes import notes_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.drawing.goals import Judged

TYPES = (1.2, 135), (1.1, 130), (1.0, 120)
"""Height of the notes in heights of the text, and of their lines [%]: the first in which all is in sight, else the
last."""
CODE = 0.92
"""Height of type of a fixed width, in heights of the text around it: with more, its lines would be higher."""
NARROWEST = 240
"""Width of the column at least, see `scaled`: 400 pixels in lecture mode."""


class Notes(QTextBrowser):
    """As large as lets all of a text be seen, if one of the sizes does; else it is scrolled. `usual`: the height of the
    text around it [px]."""

    def __init__(self) -> None:
        super().__init__()
        self.usual = round(USUAL)
        self._html = ""
        self._fitting = False

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Other room, other type."""
        super().resizeEvent(event)
        self.fit()

    def write(self, text: str) -> None:
        """Show another text, in HTML."""
        self._html = text
        self.fit()

    def fit(self) -> None:
        """Choose the size anew."""
        document, viewport = self.document(), self.viewport()
        if self._fitting or document is None or viewport is None:
            return
        self._fitting = True
        document.setDocumentMargin(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # which would take of the width
        font, fixed = QFont(self.font()), QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        font.setWeight(QFont.Weight.Normal)
        for part, line in TYPES:
            font.setPixelSize(round(part * self.usual))
            self.setFont(font)  # the browser gives its own to the document
            document.setDefaultStyleSheet(
                f"p, li {{ line-height: {line}%; }} table {{ margin: 6px 0; }} "
                f"code {{ font-family: '{fixed}'; font-size: {round(CODE * font.pixelSize())}px; }}"
            )
            self.setHtml(self._html)
            if document.size().height() <= viewport.height():
                break
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._fitting = False


class LessonPanel(Panel):
    """`stepped` carries the number of the step that is asked for, `left` asks to leave the lesson."""

    stepped = pyqtSignal(int)
    left = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "lesson", QCoreApplication.translate("LessonPanel", "Lesson"), "lesson")
        self.title, self.place = label("", "title"), label("", "muted", digits=True)
        self.notes, self.progress = Notes(), QProgressBar()
        self.back, self.again = QPushButton(self.tr("Back")), QPushButton(self.tr("Again"))
        self.next = QPushButton(self.tr("Next"))
        self.reveal, self.goals = QPushButton(self.tr("Show the answer")), label("")
        self._step, self._count = 0, 0
        self._shown: LessonStep | None = None
        self._answered = False
        self._judged: tuple[Judged, ...] = ()
        self._arrange()
        theme.changed.connect(lambda _tokens: self.show_goals(self._judged))
        self.back.clicked.connect(lambda _checked=False: self.stepped.emit(self._step - 1))
        self.again.clicked.connect(lambda _checked=False: self.stepped.emit(self._step))
        self.next.clicked.connect(lambda _checked=False: self._go_on())
        self.reveal.clicked.connect(lambda _checked=False: self._reveal())
        self.setMinimumWidth(scaled(NARROWEST))
        self.show_main()

    def show_step(self, lesson: Lesson, number: int) -> None:
        """The notes of a step."""
        step, self._step, self._count = lesson.steps[number], number, len(lesson.steps)
        self._shown = step
        self._answered = False
        self.title.setText(step.title)
        self.place.setText(
            self.tr("{title} · {n} of {count}").format(title=lesson.title, n=number + 1, count=self._count)
        )
        self.notes.setSearchPaths([str(lesson.path.parent)])
        self._write()
        self.progress.setRange(0, self._count)
        self.progress.setValue(number + 1)
        self.back.setEnabled(number > 0)
        self.show_goals(())
        self.next.setText(self.tr("Next") if number + 1 < self._count else self.tr("Done"))

    def show_goals(self, goals: Sequence[Judged]) -> None:
        """What is to be drawn, and what of it is there."""
        self._judged = tuple(goals)
        tokens = self.theme.tokens
        rows = "".join(
            f'<tr><td style="padding-right:8px; color:{tokens.ok if goal.met else tokens.muted}">'
            f"<b>{'✓' if goal.met else '○'}</b></td><td>{html.escape(goal.text)}</td></tr>"
            for goal in goals
        )
        self.goals.setText(f"<table>{rows}</table>" if rows else "")
        self.goals.setVisible(bool(rows))
        mark(self.next, "primary", "true" if all(goal.met for goal in goals) else "false")

    def changeEvent(self, event: QEvent | None) -> None:
        """Notes are as large as the text is now."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self.setMinimumWidth(scaled(NARROWEST))
            self._write()

    def _write(self) -> None:
        """The notes, with the question and, once it was asked for, its answer."""
        step = self._shown
        answered = self._answered
        if step is None:
            return
        self.notes.usual = QFontInfo(self.font()).pixelSize()
        parts = [notes_html(step.notes)]
        if step.question:
            parts.append(f"<hr>{notes_html(step.question)}")
        if answered:
            parts.append(notes_html(step.answer))
        self.notes.write("".join(parts))
        self.reveal.setVisible(bool(step.answer) and not answered)
        if answered:
            self.notes.moveCursor(QTextCursor.MoveOperation.End)

    def _reveal(self) -> None:
        self._answered = True
        self._write()

    def _go_on(self) -> None:
        if self._step + 1 < self._count:
            self.stepped.emit(self._step + 1)
        else:
            self.left.emit()

    def _arrange(self) -> None:
        body = QWidget()
        column = column_layout(body, margin=14, spacing=8)
        for text in (self.place, self.title):
            text.setWordWrap(True)
        self.progress.setObjectName("busy")
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(3)
        self.progress.setAccessibleName(self.tr("How far the lesson is"))
        column.addWidget(self.place)
        column.addWidget(self.progress)
        column.addWidget(self.title)
        self.notes.setFrameShape(QFrame.Shape.NoFrame)
        self.notes.setObjectName("lessonNotes")
        self.notes.setAccessibleName(self.tr("Notes of this step"))
        self.notes.setStyleSheet("QTextBrowser { background: transparent; }")
        self.notes.setOpenExternalLinks(True)
        column.addWidget(self.notes, 1)
        self.goals.setTextFormat(Qt.TextFormat.RichText)
        self.goals.setWordWrap(True)
        self.goals.setAccessibleName(self.tr("Goals of this step"))
        column.addWidget(self.goals)
        column.addWidget(self.reveal)
        row = QHBoxLayout()
        for button, key in ((self.back, "Alt+Left"), (self.again, "Alt+Home"), (self.next, "Alt+Right")):
            button.setShortcut(QKeySequence(key))
            button.setToolTip(key)
            row.addWidget(button, 1)
        self.again.setToolTip(self.tr("Restart this step  (Alt+Home)"))
        self.next.setProperty("primary", "true")
        column.addLayout(row)
        self.set_main(body)
