"""Enters and leaves build mode, with all of the window that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QSignalBlocker
from PyQt6.QtWidgets import QWidget

from simulator.errors import SimulatorError
from simulator.gui.actions import MOVING_KEYS, Actions
from simulator.gui.making.new_mechanism import ask_sheet, write_empty

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.gui.announcements import Announcements
    from simulator.gui.document_saving import DocumentSaving
    from simulator.gui.lessons import Lessons
    from simulator.gui.live import LiveSession
    from simulator.gui.making.build_mode import BuildMode
    from simulator.gui.readiness import Readiness
    from simulator.gui.viewport.viewport import Viewport
    from simulator.gui.watcher import DocumentWatcher
    from simulator.gui.workbench import Workbench


class DrawnIn(Protocol):
    """The window, as far as build mode changes it."""

    live: LiveSession
    actions_: Actions
    build: BuildMode
    saving: DocumentSaving
    lessons: Lessons
    readiness: Readiness
    watcher: DocumentWatcher
    workbench: Workbench
    viewport: Viewport
    announcements: Announcements

    def show_view(self, on: bool) -> None:
        """The page in the middle."""
        ...


class BuildSwitch(QObject):
    """Build mode of a window: panels are stowed, actions that let time pass are off."""

    def __init__(self, window: DrawnIn) -> None:
        super().__init__(window if isinstance(window, QObject) else None)
        self._window = window

    def connect(self, actions: Actions) -> None:
        """The key B, and what a sheet has of other actions and of the watched files."""
        build = self._window.build
        self._window.watcher.changed.connect(self.say_changed)
        actions.on_toggle("build", self._switch)
        actions.connect("reload", build.read)
        actions.connect("fit", build.sheet.fit)
        build.left.connect(lambda: actions["build"].setChecked(False))
        lessons = self._window.lessons
        lessons.drawing.connect(self.draw_in_lesson)
        lessons.running.connect(self.run)
        build.drawn.connect(lambda: lessons.judge(build.sheet.plan, build.answers, build.path))

    def draw(self, path: Path) -> None:
        """Open a document in build mode; it may be empty."""
        if self._window.saving.may_leave() and self._begin(path):
            self._window.lessons.leave()
            self._window.live.open(path)

    def draw_in_lesson(self, path: Path) -> None:
        """The same for the sheet of a lesson, which stays beside it."""
        if path == self._window.build.path:
            self._window.build.drawn.emit()
        elif self._begin(path):
            self._window.live.open(path)

    def run(self) -> None:
        """Leave the sheet, and show what was drawn."""
        if self._window.build.is_on:
            self._end(run=False)

    def stow(self) -> None:
        """The sheet has the window for itself, beside the notes of its lesson."""
        window = self._window
        if window.build.is_on:
            window.workbench.stow(lesson=window.lessons.sheet != window.build.path)

    def follow(self) -> None:
        """Another document is on show: it is not drawn in."""
        build = self._window.build
        if build.is_on and self._window.live.path != build.path:
            self._end(run=False)

    def say_changed(self, path: Path) -> None:
        """A file is another one on disk now, unless a gesture wrote it."""
        if not self._window.build.wrote(path):
            self._window.announcements.say_changed(path)

    def _switch(self, on: bool) -> None:
        """Draw in the document on show, or on an empty sheet; run what was drawn."""
        window = self._window
        build, path = window.build, window.live.path
        if on and path is None:
            self._draw_new()
        elif on and path is not None and path != build.path:
            self._begin(path)
        elif not on and build.is_on:
            self._end(run=True)
        with QSignalBlocker(window.actions_["build"]):
            window.actions_["build"].setChecked(build.is_on)

    def _draw_new(self) -> None:
        window = self._window
        path = ask_sheet(window) if isinstance(window, QWidget) else None
        try:
            if path is not None:
                write_empty(path)
                self.draw(path)
        except (SimulatorError, OSError) as error:
            window.announcements.say_failed(str(error))

    def _begin(self, path: Path) -> bool:
        window = self._window
        try:
            window.build.begin(path)
        except SimulatorError as error:
            window.announcements.say_failed(str(error))
            return False
        window.live.drawn, window.readiness.stands = path, True
        self.stow()
        with QSignalBlocker(window.actions_["build"]):
            window.actions_["build"].setChecked(True)
        window.actions_.enable(MOVING_KEYS, False)
        window.show_view(True)
        window.build.take_focus()
        return True

    def _end(self, *, run: bool) -> None:
        window = self._window
        is_shown = window.live.opened is not None
        window.live.drawn, window.readiness.stands = None, False
        window.build.end(run=run)
        window.actions_["build"].setChecked(False)
        window.actions_.enable(MOVING_KEYS, is_shown)
        window.show_view(is_shown)
        if is_shown:
            window.workbench.unstow()
            window.viewport.fit()
