"""*File ▸ Hand in*: the user's own words about a mechanism, and a folder with everything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError
from simulator.formats.files import read_regular
from simulator.gui.dialogs import busy
from simulator.gui.fields import label, scaled, tip
from simulator.gui.file_names import FOLDERS, ask_folder
from simulator.gui.saved import say_saved
from simulator.session.share.hand_in import WORDS, HandIn, folder_for, hand_in
from simulator.session.text.notes import notes_html

if TYPE_CHECKING:
    from simulator.gui.live import LiveSession
    from simulator.session.share.hand_in import HandedIn

SIZE = (820, 480)
"""Of the dialog, see `scaled`."""
LARGEST = 1_000_000
"""Bytes of words."""
LEAST, MOST = 5.0, 60.0
"""Seconds of the run that is handed in: as long as the recording, within these."""


class HandInDialog(QDialog):
    """`title`, `author` and `words` are what was typed; the words are shown beside as they will be."""

    def __init__(self, parent: QWidget, name: str, words: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Hand in"))
        self.title, self.author = QLineEdit(name), QLineEdit()
        self.words, self.seen = QPlainTextEdit(words), QTextBrowser()
        self.words.setPlaceholderText(
            self.tr("What is it, and what does it show?\n\n- lists with a dash\n- formulas: $F = 3 (n - 1) - 2 j$")
        )
        self.words.setAccessibleName(self.tr("Your words"))
        self.words.setTabChangesFocus(True)
        for field in (self.title, self.author):
            field.setProperty("role", "text")
        self.seen.setPlaceholderText(self.tr("Your words are shown here as the page has them"))
        self.seen.setAccessibleName(self.tr("Your words, as they will be shown"))
        self.words.textChanged.connect(self._show)
        self._arrange()
        self._show()

    def _show(self) -> None:
        self.seen.setHtml(notes_html(self.words.toPlainText()))

    def _arrange(self) -> None:
        form, sides = QFormLayout(), QHBoxLayout()
        form.addRow(self.tr("Title"), self.title)
        form.addRow(self.tr("Your name"), self.author)
        sides.addWidget(self.words, 1)
        sides.addWidget(self.seen, 1)
        about = label(
            self.tr("A folder with page, document, recording, picture and report; it opens as a lesson."), "muted"
        )
        about.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        write = buttons.addButton(self.tr("Write folder…"), QDialogButtonBox.ButtonRole.AcceptRole)
        if write is not None:
            write.setProperty("primary", "true")
            write.setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(12))
        column.setSpacing(scaled(10))
        column.addLayout(form)
        column.addLayout(sides, 1)
        column.addWidget(about)
        column.addWidget(buttons)
        self.resize(scaled(SIZE[0]), scaled(SIZE[1]))
        self.words.setFocus(Qt.FocusReason.OtherFocusReason)


def hand_in_shown(window: QWidget, live: LiveSession) -> None:
    """Ask for words and a folder, and write what is on show with its drives and recording. What keeps it from being
    written is shown."""
    client, opened = live.client, live.opened
    if client is None or opened is None:
        return
    name = folder_for(opened.path)
    earlier = FOLDERS.of("hand_in", opened.path) / name / WORDS
    words = read_regular(earlier, LARGEST).decode("utf-8", "replace") if earlier.is_file() else ""
    dialog = HandInDialog(window, opened.world.name, words)
    if not dialog.exec():
        return
    folder = ask_folder(window, "hand_in", window.tr("Folder to write '{name}' in").format(name=name), opened.path)
    if folder is None:
        return
    setup, settings = client.setup
    first, last = client.history.span()
    made = HandIn(
        setup,
        replace(settings, drives=client.asked_drives),
        dialog.title.text().strip() or opened.world.name,
        dialog.words.toPlainText(),
        dialog.author.text().strip(),
        duration=min(max(last - first, LEAST), MOST),
        rows=list(client.history.chunks()) if last > first else None,
        pictures=earlier.parent,
    )
    target = folder / name
    try:
        written = _written(window, made, target)
    except (OSError, SimulatorError) as error:
        text = window.tr("{name} could not be written: {why}").format(name=target.name, why=error)
        QMessageBox.warning(window, window.tr("Not handed in"), tip(text))
        return
    left = "" if not written.left_out else window.tr(" Not in it: {files}").format(files=", ".join(written.left_out))
    text = window.tr("Wrote {name}: open {page} in a browser, or {lesson} here.{left}")
    say_saved(window, text.format(name=target.name, page="index.html", lesson=written.lesson.name, left=left))


def _written(window: QWidget, made: HandIn, target: Path) -> HandedIn:
    found: list[HandedIn] = []
    busy(window, target, lambda: found.append(hand_in(made, target)))
    return found[0]
