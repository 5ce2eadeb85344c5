"""Enters and leaves build mode, with all of the window that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QSignalBlocker, Qt
from PyQt6.QtGui import QShortcut
from PyQt6.QtWidgets import QWidget

from simulator.errors import SimulatorError
from simulator.gui.actions import MOVING_KEYS, Actions
from simulator.gui.viewport.join_picks import SHEET

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.building.features import Feature
    from simulator.gui.announcements import Announcements
    from simulator.gui.document_saving import DocumentSaving
    from simulator.gui.lessons import Lessons
    from simulator.gui.live import LiveSession
    from simulator.gui.making.build_mode import BuildMode
    from simulator.gui.preferences import Preferences
    from simulator.gui.readiness import Readiness
    from simulator.gui.theme import Theme
    from simulator.gui.units import Units
    from simulator.gui.viewport.viewport import Viewport
    from simulator.gui.watcher import DocumentWatcher
    from simulator.gui.workbench import Workbench


class DrawnIn(Protocol):
    """The window, as far as build mode changes it."""

    live: LiveSession
    actions_: Actions
    theme: Theme
    preferences: Preferences
    saving: DocumentSaving
    lessons: Lessons
    readiness: Readiness
    watcher: DocumentWatcher
    workbench: Workbench
    viewport: Viewport
    announcements: Announcements

    def open_path(self, path: Path) -> None:
        """Open a document."""
        ...

    def show_view(self, on: bool) -> None:
        """The page in the middle."""
        ...


class BuildSwitch(QObject):
    """Build mode of a window: panels are stowed, actions that let time pass are off. Its page is made when it is first
    needed, and loads what it takes to draw a document."""

    def __init__(self, window: DrawnIn) -> None:
        super().__init__()
        self._window = window
        self._made: BuildMode | None = None
        self._picks_face = False
        self._escape = QShortcut(Qt.Key.Key_Escape, window.viewport)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        self._escape.activated.connect(lambda: self._pick_face(on=False))
        window.viewport.join.picked.connect(lambda first, _second: self._lay_sheet(first))
        window.viewport.join_bar.left.connect(lambda: self._pick_face(on=False))

    @property
    def build(self) -> BuildMode:
        """The page of build mode."""
        if self._made is None:
            from simulator.gui.making.build_mode import BuildMode

            window = self._window
            self._made = build = BuildMode(window.live, window.theme, window.preferences.units)
            build.face_wanted.connect(lambda: self._pick_face(on=True))
            build.drawn.connect(lambda: window.lessons.judge(build.sheet.plan, build.answers, build.path))
        return self._made

    @property
    def _parent(self) -> QWidget:
        assert isinstance(self._window, QWidget)
        return self._window

    @property
    def is_on(self) -> bool:
        """Whether a document is drawn."""
        return self._made is not None and self._made.is_on

    @property
    def shows_sheet(self) -> bool:
        """Whether the sheet is on show, and not the view in which a face is picked for it."""
        return self.is_on and not self._picks_face

    def set_units(self, units: Units) -> None:
        """Show other units."""
        if self._made is not None:
            self._made.set_units(units)

    def connect(self, actions: Actions) -> None:
        """The key B, and what a sheet has of other actions and of the watched files."""
        self._window.watcher.changed.connect(self.say_changed)
        actions.on_toggle("build", self._switch)
        actions.connect("new", self.make_new)
        actions.connect("synthesise", self.synthesise)
        actions.connect("reload", lambda: self.build.read() if self.is_on else None)
        actions.connect("fit", lambda: self.build.sheet.fit() if self.is_on else None)
        lessons = self._window.lessons
        lessons.drawing.connect(self.draw_in_lesson)
        lessons.running.connect(self.run)

    def make_new(self) -> None:
        """Ask for a mechanism, and open its document."""
        from simulator.gui.making.new_mechanism import new_mechanism

        window = self._window
        new_mechanism(self._parent, window.theme.tokens.name, window.preferences.units, window.open_path, self.draw)

    def synthesise(self) -> None:
        """Ask for a linkage by what it is to do, and open its document."""
        from simulator.gui.making.synthesis import synthesise

        window = self._window
        synthesise(self._parent, window.theme.tokens, window.preferences.units, window.open_path)

    def ask_sheet(self, name: str) -> Path | None:
        """A new document with nothing in it, see `empty_sheet`."""
        from simulator.gui.making.new_mechanism import empty_sheet

        return empty_sheet(self._parent, name)

    def draw(self, path: Path) -> None:
        """Open a document in build mode; it may be empty."""
        if self._window.saving.may_leave() and self._begin(path):
            self._window.lessons.leave()
            self._window.live.open(path)

    def draw_in_lesson(self, path: Path) -> None:
        """The same for the sheet of a lesson, which stays beside it."""
        if self.is_on and path == self.build.path:
            self.build.drawn.emit()
        elif self._begin(path):
            self._window.live.open(path)

    def run(self) -> None:
        """Leave the sheet, and show what was drawn."""
        if self.is_on:
            self._end(run=False)

    def stow(self) -> None:
        """The sheet has the window for itself, beside the notes of its lesson."""
        window = self._window
        if self.is_on:
            window.workbench.stow(lesson=window.lessons.sheet != self.build.path)

    def follow(self) -> None:
        """Another document is on show: it is not drawn in."""
        if self.is_on and self._window.live.path != self.build.path:
            self._end(run=False)

    def say_changed(self, path: Path) -> None:
        """A file is another one on disk now, unless a gesture wrote it."""
        if not (self.is_on and self.build.wrote(path)):
            self._window.announcements.say_changed(path)

    def _switch(self, on: bool) -> None:
        """Draw in the document on show, or on an empty sheet; run what was drawn."""
        window = self._window
        path = window.live.path
        if on and path is None:
            self._draw_new()
        elif on and path is not None and not (self.is_on and path == self.build.path):
            self._begin(path)
        elif not on and self.is_on:
            self._end(run=True)
        with QSignalBlocker(window.actions_["build"]):
            window.actions_["build"].setChecked(self.is_on)

    def _draw_new(self) -> None:
        from simulator.gui.making.new_mechanism import ask_sheet, write_empty

        window = self._window
        path = ask_sheet(self._parent)
        try:
            if path is not None:
                write_empty(path)
                self.draw(path)
        except (SimulatorError, OSError) as error:
            window.announcements.say_failed(str(error))

    def _pick_face(self, *, on: bool) -> None:
        """Show the view, in which a face is picked on which the sheet is to lie, or the sheet again."""
        window, opened = self._window, self._window.live.opened
        if on and opened is None:
            self.build.stay()
            return
        if on == self._picks_face:
            return
        self._picks_face = on
        self._escape.setEnabled(on)
        window.viewport.join_bar.ask_for_sheet(on=on)
        if on:
            window.viewport.join.take(SHEET)
        window.viewport.switch_joining(opened if on else None)
        if not on:
            window.viewport.join.take(window.viewport.join_bar.kind)
        window.show_view(True)
        if on:
            window.viewport.join_bar.say_next(begun=False)
            window.viewport.fit()
        else:
            self.build.stay()
            self.build.take_focus()

    def _lay_sheet(self, feature: Feature) -> None:
        if not self._picks_face:
            return
        try:
            self.build.lay_on(feature)
        except SimulatorError as error:
            self._window.viewport.join_bar.say(str(error), "error")
            return
        self._pick_face(on=False)

    def _begin(self, path: Path) -> bool:
        window = self._window
        try:
            self.build.begin(path)
        except SimulatorError as error:
            window.announcements.say_failed(str(error))
            return False
        window.live.drawn, window.readiness.stands = path, True
        self.stow()
        with QSignalBlocker(window.actions_["build"]):
            window.actions_["build"].setChecked(True)
        window.actions_.enable(MOVING_KEYS, False)
        window.show_view(True)
        self.build.take_focus()
        return True

    def _end(self, *, run: bool) -> None:
        window = self._window
        self._pick_face(on=False)
        is_shown = window.live.opened is not None
        window.live.drawn, window.readiness.stands = None, False
        self.build.end(run=run)
        window.actions_["build"].setChecked(False)
        window.actions_.enable(MOVING_KEYS, is_shown)
        window.show_view(is_shown)
        if is_shown:
            window.workbench.unstow()
            window.viewport.fit()
