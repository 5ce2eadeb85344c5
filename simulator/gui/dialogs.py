"""File dialogs and the two pages of Help."""

from __future__ import annotations

import html
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QMessageBox,
    QProgressDialog,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError
from simulator.gui.actions import Actions, key_table
from simulator.gui.fields import scaled, tip
from simulator.gui.file_names import ask_existing, ask_target
from simulator.gui.live import LiveSession
from simulator.gui.recording_export import export, saved_text
from simulator.gui.resources import DOCUMENT_SUFFIXES
from simulator.gui.saved import say_saved
from simulator.gui.viewport.pictures import USUAL, Captured, PictureDialog
from simulator.recording.csv_file import CsvWriter
from simulator.recording.record_file import StoredRecord
from simulator.recording.writing import writer_of
from simulator.session.look.motion_now import PointPath, save_paths

MARGIN, WIDTH = 14, 480
"""Around the text of a page and of the text, see `scaled`."""


class Dialogs:
    """Asks for names of files and reports write errors."""

    def __init__(self, window: QWidget, live: LiveSession) -> None:
        self._window = window
        self._live = live
        self._size = USUAL

    def connect(self, actions: Actions, capture: Callable[[], Captured], film: Callable[[Path], bool]) -> None:
        """What is saved and shown by them; `capture` the view, `film` writes the recording as one,
        False where the user cancels it."""
        actions.connect("save_recording", self.save_recording)
        actions.connect("save_picture", lambda: self.save_picture(capture()))
        actions.connect("save_film", lambda: self.save_film(film))
        actions.connect("share", self.share)
        actions.connect("copy_picture", lambda: self.copy_picture(capture()))
        actions.connect("keys", self.keys)
        actions.connect("about", self.about)

    def ask_document(self) -> Path | None:
        """A document to open; None where the user changed their mind."""
        kinds = " ".join(f"*{suffix}" for suffix in DOCUMENT_SUFFIXES)
        pattern = self._window.tr("Worlds and models ({kinds});;All files (*)").format(kinds=kinds)
        return ask_existing(self._window, "document", self._window.tr("Open"), pattern, self._live.path)

    def save_recording(self) -> None:
        """Write the recording as CSV or MCAP."""
        client, opened = self._live.client, self._live.opened
        path = self._ask_target("csv", self._window.tr("Comma-separated values (*.csv);;MCAP (*.mcap)"))
        if client is None or opened is None or path is None:
            return
        history, channels, mechanism = client.history, client.channels, opened.mechanism

        def write() -> None:
            file = writer_of(path, channels, mechanism)
            written = export(self._window, history.chunks(), len(history), file, path)
            say_saved(self._window, saved_text(self._window, path, written, history))

        self._write(path, write)

    def save_stored(self, record: StoredRecord) -> bool:
        """Write the recording of another session; whether it was written."""
        path = self._ask_target("csv", self._window.tr("Comma-separated values (*.csv)"), record.document)
        if path is None:
            return False
        store = record.store()

        def write() -> None:
            written = export(self._window, store.chunks(), len(store), CsvWriter(path, record.channels), path)
            say_saved(self._window, saved_text(self._window, path, written))

        return self._write(path, write)

    def save_paths(self, paths: list[PointPath]) -> None:
        """Write where the points that are followed went."""
        path = self._ask_target("csv", self._window.tr("Comma-separated values (*.csv)"))
        if path is not None and self._write(path, lambda: save_paths(paths, path)):
            say_saved(self._window, path)

    def save_picture(self, captured: Captured) -> None:
        """Ask for a file and a size, and write what the view shows."""
        path = self._ask_target("png", self._window.tr("Pictures (*.png)"))
        if path is None:
            return
        asked = PictureDialog(self._window, self._size)
        if asked.exec():
            self._size = size = asked.size_.size_
            if self._write(path, lambda: _save_image(captured.picture(size), path)):
                say_saved(self._window, path)

    def save_film(self, film: Callable[[Path], bool]) -> None:
        """Ask for a file and write the recording as a film."""
        path = self._ask_target("mp4", self._window.tr("Films (*.mp4 *.gif)"))
        if path is None:
            return

        def write() -> None:
            if film(path):
                say_saved(self._window, path)

        self._write(path, write)

    def share(self) -> None:
        """Ask for a file and write the mechanism with its drives as a page."""
        client = self._live.client
        path = self._ask_target("html", self._window.tr("Pages (*.html)"))
        if client is None or path is None:
            return
        opened, settings = client.setup
        from simulator.session.share.page import PageStep
        from simulator.session.share.sharing import write_page

        step = PageStep(opened, replace(settings, drives=client.asked_drives))
        if self._write(path, lambda: busy(self._window, path, lambda: write_page(path, [step], opened.world.name))):
            say_saved(self._window, self._window.tr("Wrote {name}: open it in a browser").format(name=path.name))

    def copy_picture(self, captured: Captured) -> None:
        """Put what the view shows where it can be pasted from."""
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setImage(captured.picture(captured.own_size))

    def keys(self) -> None:
        """The list of keys and mouse gestures."""
        rows = "".join(
            f'<tr><td style="padding:2px 24px 2px 0"><b>{html.escape(keys)}</b></td><td>{html.escape(text)}</td></tr>'
            for keys, text in key_table()
        )
        self._page(self._window.tr("Keys and mouse"), f"<table>{rows}</table>")

    def about(self) -> None:
        """What this is."""
        try:
            number = version("simulator")
        except PackageNotFoundError:
            number = ""
        text = self._window.tr("Interactive simulator for coupled and closed-loop mechanisms.")
        self._page(self._window.tr("About simulator"), f"<h3>simulator {number}</h3><p>{text}</p>")

    def _page(self, title: str, text: str) -> None:
        """Beside the window, as high as its text where the screen is, else to be scrolled."""
        page = QDialog(self._window)
        area = QScrollArea()
        shown = QLabel(text)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.setWindowTitle(title)
        shown.setMargin(MARGIN)
        shown.setTextFormat(Qt.TextFormat.RichText)
        shown.setWordWrap(True)
        area.setWidget(shown)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(page.reject)
        column = QVBoxLayout(page)
        column.addWidget(area)
        column.addWidget(buttons)
        width = scaled(WIDTH)
        screen = self._window.screen()
        wanted = QSize(width + 4 * MARGIN, shown.heightForWidth(width) + 6 * MARGIN)
        page.resize(wanted if screen is None else wanted.boundedTo(0.8 * screen.availableSize()))
        area.setFocus()
        page.show()

    def _ask_target(self, suffix: str, pattern: str, document: Path | None = None) -> Path | None:
        document = document or self._live.path
        proposal = document.with_suffix(f".{suffix}").name if document is not None else f"recording.{suffix}"
        return ask_target(self._window, suffix, self._window.tr("Save"), pattern, proposal, document)

    def _write(self, path: Path, write: Callable[[], object]) -> bool:
        try:
            write()
        except (OSError, SimulatorError) as error:
            text = self._window.tr("{name} could not be written: {why}").format(name=path.name, why=error)
            QMessageBox.warning(self._window, self._window.tr("Not saved"), tip(text))
            return False
        return True


def busy(window: QWidget, path: Path, work: Callable[[], object]) -> None:
    """Do something that may take a minute the first time, while the window stays alive. Raises what it raises."""
    shown = QProgressDialog(window.tr("Writing {name} …").format(name=path.name), "", 0, 0, window)
    shown.setCancelButton(None)
    shown.setWindowModality(Qt.WindowModality.WindowModal)
    shown.setMinimumDuration(400)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        while not done.done():
            QApplication.processEvents()
            wait([done], timeout=0.02)
    shown.close()
    shown.deleteLater()
    done.result()


def _save_image(image: QImage, path: Path) -> None:
    if not image.save(str(path)):
        raise OSError(f"{path} is not a place or a format that a picture can be written to")
