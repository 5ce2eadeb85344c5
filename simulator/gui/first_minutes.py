"""Questions and offers when a document is read: folders for its files, a falling base, and the readable part of a
document with errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QMenu, QWidget

from simulator.gui.actions import VIEW_KEYS
from simulator.gui.fields import shown
from simulator.gui.file_names import ask_folder

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.gui.actions import Actions
    from simulator.gui.announcements import Announcements
    from simulator.gui.gallery import Gallery
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.diagnostics_panel import DiagnosticsPanel
    from simulator.gui.preferences import Preferences
    from simulator.gui.viewport.viewport import Viewport
    from simulator.session.open.opening import Opened

LEFT_OUT = "the include is left out"
LEADERLESS = "it moves by itself"
"""So ends what is said about a joint that should follow one that does not exist."""


class ResourceFolders(QObject):
    """Folders in which `package://`, `model://` and relative names are searched, and whether bases of robots are
    held: both are in the preferences. `menu` lists the folders."""

    def __init__(self, window: QWidget, live: LiveSession, preferences: Preferences) -> None:
        super().__init__(window)
        self._window = window
        self._live = live
        self._preferences = preferences
        live.reading.folders = preferences.folders
        if not live.reading.options.hold_base:  # what the command line says of all documents comes first
            live.reading.held.update(preferences.held)
        live.answered.connect(preferences.set_held)
        self.menu = QMenu(self.tr("Resource &folders"), window)
        self.menu.aboutToShow.connect(self._fill)
        self._fill()

    def ask(self) -> None:
        """Ask for a folder and read the document on show again."""
        folder = ask_folder(self._window, "resources", self.tr("Add resource folder"), self._live.path)
        if folder is not None:
            self.add(folder)

    def add(self, folder: Path) -> None:
        """Search that folder, too, from now on."""
        if self._live.reading.add_folder(folder):
            self._changed()

    def _remove(self, folder: Path) -> None:
        self._live.reading.remove_folder(folder)
        self._changed()

    def _changed(self) -> None:
        self._preferences.folders = self._live.reading.folders
        self._live.reload()

    def _fill(self) -> None:
        self.menu.clear()
        add = self.menu.addAction(self.tr("&Add resource folder…"))
        if add is not None:
            add.setObjectName("add_folder")
            add.triggered.connect(lambda _checked=False: self.ask())
        if self._live.reading.folders:
            self.menu.addSeparator()
        for folder in self._live.reading.folders:
            action = self.menu.addAction(
                self.tr("Remove {folder}").format(folder=shown(str(folder))).replace("&", "&&")
            )
            if action is not None:
                action.triggered.connect(lambda _checked=False, folder=folder: self._remove(folder))


class BrokenDocuments:
    """Shows the readable part of a document with errors, beside its findings; explains unreadable files
    and missing models and leaders. `show_page` brings up the page of the view (True) or of the
    gallery."""

    def __init__(
        self, live: LiveSession, actions: Actions, announcements: Announcements, gallery: Gallery, viewport: Viewport,
        panel: DiagnosticsPanel, show_page: Callable[[bool], object],
    ) -> None:  # fmt: skip
        self._live = live
        self._actions = actions
        self._announcements = announcements
        self._gallery = gallery
        self._viewport = viewport
        self._panel = panel
        self._show_page = show_page
        live.rejected.connect(self._show)
        live.failed.connect(self._could_not_start)
        live.document_changed.connect(self._tell_missing)
        live.question_asked.connect(partial(announcements.ask_about_base, self._answer))
        announcements.banner.dismissed.connect(self._question_dismissed)

    def refuse(self, path: Path, findings: Sequence[Diagnostic]) -> None:
        """Explain why a file cannot be shown."""
        self._live.refuse(path, findings)
        self._gallery.refuse(path, findings)
        self.show_findings()

    def show_findings(self) -> None:
        """Bring up the panel."""
        self._panel.bring_up()

    def _show(self, opened: Opened) -> None:
        if opened.path == self._live.drawn:  # in build mode, which says itself what is wrong
            return
        self.show_findings()
        if self._live.opened is not None:
            self._announcements.say_last_good(opened.path)
            return
        self._gallery.refuse(opened.path, opened.diagnostics)
        if self._live.scene is not None:
            self._viewport.show_still(opened)
            self._actions.enable(VIEW_KEYS, True)
            self._show_page(True)
            self._announcements.say_incomplete(opened)

    def _tell_missing(self, opened: Opened | None) -> None:
        """A scene does not show what it lacks: models, or that a joint follows."""
        findings = () if opened is None else opened.diagnostics
        leaderless = [finding for finding in findings if finding.message.endswith(LEADERLESS)]
        if any(LEFT_OUT in finding.message for finding in findings):
            self._announcements.say_left_out(self._panel.folder_wanted.emit, self.show_findings)
        elif leaderless:
            self._announcements.say_leaderless(leaderless, self.show_findings)

    def _answer(self, hold: bool) -> None:
        """What the question stood over is said again; a document that is read again says it by itself."""
        self._live.answer(hold)
        if not self._live.is_opening:
            self._tell_missing(self._live.opened)

    def _question_dismissed(self) -> None:
        if self._announcements.banner.topic == "base":
            self._tell_missing(self._live.opened)

    def _could_not_start(self, text: str) -> None:
        self._announcements.say_failed(text)
        if self._live.opened is None and self._live.path is not None and self._live.scene is None:
            self._gallery.refuse(self._live.path, self._live.diagnostics)
            self.show_findings()
