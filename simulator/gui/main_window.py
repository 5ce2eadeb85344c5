"""The window: combines the view, the panels, the menus and the bars, and connects them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QElapsedTimer, QEvent, QSignalBlocker, QSize, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QMainWindow, QStackedWidget

from simulator.engine.snapshot import Snapshot
from simulator.formats.lesson import is_lesson
from simulator.gui.actions import RUN_KEYS, SWITCHES, Actions
from simulator.gui.analysis.watching import Watching
from simulator.gui.announcements import Announcements
from simulator.gui.area import Area
from simulator.gui.background import wait_for_background
from simulator.gui.build_switch import BuildSwitch
from simulator.gui.compare.beside import Beside
from simulator.gui.context_menus import ContextMenus
from simulator.gui.dialogs import Dialogs
from simulator.gui.document_saving import DocumentSaving
from simulator.gui.fields import shown
from simulator.gui.film_export import FilmExport
from simulator.gui.first_minutes import BrokenDocuments, ResourceFolders
from simulator.gui.gallery import Gallery
from simulator.gui.gestures import program_events
from simulator.gui.hand_hint import HandHint
from simulator.gui.inspecting import Inspecting
from simulator.gui.inspector.inspector import Inspector
from simulator.gui.joining import Joining
from simulator.gui.later_panels import LaterPanels
from simulator.gui.lecture import TYPE, Lecture, LectureBar
from simulator.gui.lessons import Lessons, Stage
from simulator.gui.live import LiveSession
from simulator.gui.menus import Menus, TopRow, Transport
from simulator.gui.panels.diagnostics_panel import DiagnosticsPanel
from simulator.gui.panels.joints_panel import JointsPanel
from simulator.gui.panels.lesson_panel import LessonPanel
from simulator.gui.panels.model_panel import ModelPanel
from simulator.gui.panels.relations_panel import RelationsPanel
from simulator.gui.panels.traces_panel import TracesPanel
from simulator.gui.preferences import Preferences
from simulator.gui.readiness import Readiness
from simulator.gui.recording_import import RecordingImport
from simulator.gui.resources import application_icon, dropped_document
from simulator.gui.saved import SavedEvent
from simulator.gui.selection import Selection
from simulator.gui.status import StatusBar
from simulator.gui.streaming import Streaming
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.time_bar import TimeBar
from simulator.gui.undo import connect_undo
from simulator.gui.units import Units
from simulator.gui.viewport.hand_on_view import HARDER
from simulator.gui.viewport.viewport import VIEWED, Viewport
from simulator.gui.watcher import DocumentWatcher
from simulator.gui.workbench import Workbench
from simulator.session.commands.commands import Pause, Reset, Run, SetSolver, SetSpeed, StepOnce
from simulator.session.run.client import RunState, Status
from simulator.session.stream.viewers import ADDRESSES

if TYPE_CHECKING:
    from simulator.gui.analysis.analysis_panel import AnalysisPanel
    from simulator.gui.making.build_mode import BuildMode
    from simulator.gui.panels.kinematics_panel import KinematicsPanel
    from simulator.gui.panels.mechanism_panel import MechanismPanel
    from simulator.gui.study.study_panel import StudyPanel
    from simulator.session.open.opening import Opened

WIDE = QSize(1600, 1000)
"""Size of a window that was never sized, where the screen is that large."""
FRAME, TRACE, STATUS = 16, 33, 100
"""Periods of the view, the traces and the status bar [ms]."""


class MainWindow(QMainWindow):
    """Everything is made here once; documents come and go through the `LiveSession`."""

    def __init__(self, live: LiveSession, theme: Theme, preferences: Preferences) -> None:
        with theme.unstyled():
            super().__init__()
            self.live = live
            self.theme = theme
            self.preferences = preferences
            self._make_parts(live, theme, preferences)
            self._arrange()
        self._add_helpers()
        self._connect()
        self._restore()
        self.show_document(None)

    def _make_parts(self, live: LiveSession, theme: Theme, preferences: Preferences) -> None:
        self.selection, self.watcher = Selection(), DocumentWatcher()
        self.actions_, self.dialogs = Actions(self, theme), Dialogs(self, live)
        units = preferences.units
        self.viewport = Viewport(live, self.selection, theme, units)
        self.gallery = Gallery(theme, lambda: preferences.recent)
        self.announcements = Announcements(live, theme, units)
        self.banner, self.notice = self.announcements.banner, self.announcements.notice
        self.model_panel = ModelPanel(live, self.selection, theme, units)
        self.joints_panel = JointsPanel(live, self.selection, theme, units)
        self.traces_panel = TracesPanel(live, theme, units, preferences)
        self.diagnostics_panel = DiagnosticsPanel(live, theme)
        self.relations_panel = RelationsPanel(live, self.selection, theme)
        self.later = LaterPanels(live, self.selection, theme, preferences, self.actions_)
        self.inspector = Inspector(live, self.selection, theme, units, preferences)
        self.lesson_panel, self.build_switch = LessonPanel(theme), BuildSwitch(self)
        self._pages, self._clock = QStackedWidget(), QElapsedTimer()
        self._due, self._behind = {TRACE: 0, STATUS: 0}, False  # behind: panels have yet to show what the view does
        self._drawn: Snapshot | None = None
        self._state: RunState | None = None
        self._timer = QTimer(self)
        self.menus = Menus(self, self.actions_, preferences, self.open_path)
        self.folders = ResourceFolders(self, live, preferences)
        self.transport = Transport(self.actions_, self.menus.speed, live.speed)
        self.status = StatusBar(theme, self.menus.strategies)
        self.time_bar = TimeBar(live, self.actions_, theme)
        self.lecture_bar, self.events = LectureBar(live, theme, units), program_events(live.undo)
        self.lecture = Lecture(self, self.lecture_bar, theme, self.traces_panel)
        self.workbench = self._make_workbench()

    def _add_helpers(self) -> None:
        """What works on the parts: context menus, lessons, the hint."""
        live = self.live
        view = self.viewport
        traces = self.traces_panel
        joints = self.joints_panel
        self.context_menus = ContextMenus(self.actions_, live, self.selection, view, self.model_panel, joints, traces)
        self.hint = HandHint(view, self.preferences)
        self.readiness = Readiness(live, self.actions_, self.hint)
        stage = Stage(live, self.actions_, view, self.workbench, traces, self.selection)
        self.lessons = Lessons(stage, self.lesson_panel, self.build_switch.ask_sheet)

    @property
    def kinematics_panel(self) -> KinematicsPanel:
        """Made when it is first asked for, as those below."""
        return self.later.kinematics.panel

    @property
    def analysis_panel(self) -> AnalysisPanel:
        """See `kinematics_panel`."""
        return self.later.analysis.panel

    @property
    def study_panel(self) -> StudyPanel:
        """See `kinematics_panel`."""
        return self.later.study.panel

    @property
    def mechanism_panel(self) -> MechanismPanel:
        """See `kinematics_panel`."""
        return self.later.mechanism.panel

    @property
    def build(self) -> BuildMode:
        """See `kinematics_panel`."""
        return self.build_switch.build

    def open_path(self, path: Path, step: int = 1) -> None:
        """Open a document, or begin a lesson with a step; wrong ones are explained."""
        if self.saving.may_leave():
            self._open(path, step)

    def _open(self, path: Path, step: int = 1) -> None:
        """Without a question about changes."""
        if is_lesson(path):
            self.preferences.add_recent(path)
            self.lessons.begin(path, step)
        else:
            self.lessons.leave()
            self.live.open(path)

    def show_document(self, opened: Opened | None) -> None:
        """The title, the page in the middle and what is possible follow the document."""
        self.build_switch.follow()
        self._drawn = None
        path = opened.path if opened is not None else self.live.path
        self.setWindowTitle(f"{shown(path.name)}[*] — simulator" if path is not None else "simulator")
        self.setWindowFilePath(str(path) if path is not None else "")
        self.show_view(opened is not None)
        self.actions_.enable(RUN_KEYS, opened is not None)
        self.actions_.enable(("reload",), path is not None)
        self._watch(opened)
        self.hint.hide()
        if opened is None:
            self.status.clear_run(drawing=self.build_switch.is_on)
            self.actions_.show_running(False, self.theme.tokens)
            self.menus.strategies.show_solver("")
            self.gallery.welcome()
            self.workbench.stow(lesson=self.lessons.sheet is None)
            return
        self.preferences.add_recent(opened.path)
        if self.build_switch.is_on:
            self.build.take_focus()
        else:
            self.workbench.unstow()
            self.viewport.canvas.setFocus()

    def tick(self) -> None:
        """One frame: pass on what the mouse does, poll the simulation, draw what is new."""
        self.viewport.point()
        self.live.poll()

    def set_theme(self, choice: ThemeChoice) -> None:
        """Light, dark or the system's; remembered."""
        self.preferences.theme = choice
        self.theme.set_choice(choice)

    def set_units(self) -> None:
        """Units as the View menu says; remembered."""
        units = Units(self.actions_["degrees"].isChecked(), self.actions_["millimetres"].isChecked())
        self.preferences.units = units
        for part in (
            self.viewport, self.inspector, self.joints_panel, self.model_panel, self.traces_panel,
            self.later, self.announcements, self.build_switch,
        ):  # fmt: skip
            part.set_units(units)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Take files that could be documents."""
        if event is not None and dropped_document(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open the dropped file."""
        if event is not None and (path := dropped_document(event)) is not None:
            event.acceptProposedAction()
            QTimer.singleShot(0, lambda: self.open_path(path))

    def customEvent(self, event: QEvent | None) -> None:
        """Say what a file has that a part of the window wrote."""
        if isinstance(event, SavedEvent):
            self.announcements.say_saved(event.text)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Remember the layout, end the simulation and, out of sight, wait for what is being computed."""
        if not self.saving.may_close(event):
            return
        self._timer.stop()
        self.events.watch(False)
        self.actions_["lecture"].setChecked(False)
        self.preferences.set_layout(self.saveGeometry(), self.workbench.state())
        self.preferences.sync()
        self.watcher.watch(None)
        self.beside.close()
        self.streaming.close()
        self.hide()
        self.live.close_document()
        wait_for_background()
        super().closeEvent(event)

    def _make_workbench(self) -> Workbench:
        theme = self.theme
        side = Area((self.joints_panel, self.model_panel, self.relations_panel), theme, 1)
        later = self.later
        work = (
            self.traces_panel, later.kinematics, later.analysis, later.study, later.mechanism, self.diagnostics_panel
        )  # fmt: skip
        lesson = Area((self.lesson_panel,), theme)
        below = (self.time_bar, self.lecture_bar)
        return Workbench(self._pages, (self.announcements,), below, side, work, lesson, self.inspector, theme)

    def _arrange(self) -> None:
        self.setObjectName("main")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self._pages.addWidget(self.gallery)
        self._pages.addWidget(self.viewport)
        self.setCentralWidget(self.workbench)
        menus = self.menuBar()
        if menus is None or menus.isNativeMenuBar():
            self.addToolBar(self.transport)
        else:
            menus.setCornerWidget(TopRow(menus, self.transport))
        screen = self.screen()
        self.resize(WIDE if screen is None else WIDE.boundedTo(screen.availableSize()))
        self.setStatusBar(self.status)
        self.menus.build(self.workbench, self.theme, self.set_theme, self.folders.menu)

    def _connect(self) -> None:
        live, actions = self.live, self.actions_
        live.document_changed.connect(self.show_document)
        self._connect_documents()
        self.lessons.failed.connect(self.announcements.say_failed)
        live.rejected.connect(self._rejected)
        live.ticked.connect(self._ticked)
        live.diagnostics_changed.connect(self.status.show_findings)
        self.status.findings_clicked.connect(self.broken.show_findings)
        self.gallery.chosen.connect(self.open_path)
        self.gallery.browse.connect(self._ask_and_open)
        self.gallery.make.connect(self.build_switch.make_new)
        self.gallery.draw.connect(actions["build"].trigger)
        self.transport.speed_chosen.connect(lambda speed: live.send(SetSpeed(speed)))
        self.menus.strategies.chosen.connect(lambda solver: live.send(SetSolver(solver)))
        self.viewport.renderer_changed.connect(self._renderer_changed)
        actions.connect("open", self._ask_and_open)
        self.build_switch.connect(actions)
        self.joining = Joining(self)
        self.saving = DocumentSaving(self, live, self._open)
        self.saving.connect(actions)
        film = FilmExport(self, live, self.tick, self.viewport.capture)
        self.dialogs.connect(actions, self.viewport.capture, film.write)
        actions.connect("hand_in", self._hand_in)
        actions.connect("quit", self.close)
        self._connect_time()
        actions.connect("fit", self.viewport.fit)
        for name in ("iso", "front", "right", "top"):
            actions.connect(f"view_{name}", partial(self.viewport.standard_view, name))
        for name in VIEWED:
            actions.on_toggle(name, partial(self._switch, name))
        self._connect_hand()
        self._connect_layout()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.tick)
        self._timer.start(FRAME)
        self._clock.start()

    def _connect_documents(self) -> None:
        live, actions = self.live, self.actions_
        self.broken = BrokenDocuments(
            live, actions, self.announcements, self.gallery, self.viewport, self.diagnostics_panel, self.show_view
        )
        self.diagnostics_panel.folder_wanted.connect(self.folders.ask)
        self.lessons.refused.connect(self.broken.refuse)
        self.beside = Beside(live, self.theme, self.preferences)
        actions.connect("side_by_side", self.beside.open)
        self.streaming = Streaming(live, self.preferences, self.announcements)
        self.recording_import = RecordingImport(self, live, self.announcements, self.menus, self.dialogs)
        actions.connect("play_file", self.recording_import.ask)
        for viewer in ADDRESSES:
            actions.on_toggle(f"stream_{viewer}", partial(self.streaming.switch, viewer))
        self.streaming.refused.connect(lambda viewer: actions[f"stream_{viewer}"].setChecked(False))

    def _connect_layout(self) -> None:
        live, actions = self.live, self.actions_
        self.watching = Watching(live, actions, self.viewport, self.traces_panel)
        self.later.swung.connect(self.watching.show_swing)
        for name in ("degrees", "millimetres"):
            actions.on_toggle(name, lambda _on: self.set_units())
        actions.on_toggle("full_screen", lambda on: self.showFullScreen() if on else self.showNormal())
        actions.connect("reset_layout", self.workbench.reset)
        actions.connect("all_panels", self.workbench.show_all)
        actions.connect("no_panels", self.workbench.hide_all)
        for panel in self.workbench.panels:
            panel.seen.connect(lambda seen: QTimer.singleShot(0, self._show_panels) if seen else None)
        actions.connect("side", self.workbench.toggle_side)
        actions.connect("work", self.workbench.cycle)
        self.workbench.changed.connect(self._mark_areas)
        self.inspecting = Inspecting(
            live, self.inspector, self.selection, self.viewport, self.traces_panel, self.diagnostics_panel
        )
        self.joints_panel.law_wanted.connect(partial(self.inspector.open_fold, "law"))
        self.inspector.reaction.watches.connect(partial(self.watching.want, "inspector"))

    def _mark_areas(self) -> None:
        self.actions_["side"].setChecked(self.workbench.side.is_open)
        self.actions_["work"].setChecked(self.workbench.work.is_open)

    def _connect_hand(self) -> None:
        hand = self.viewport.hand
        self.actions_.connect("harder", partial(hand.harden, HARDER))
        self.actions_.connect("softer", partial(hand.harden, 1.0 / HARDER))
        self.actions_.connect("clear_paths", self.viewport.clear_paths)
        self.actions_.connect("save_paths", lambda: self.dialogs.save_paths(self.viewport.motion.paths))

    def _connect_time(self) -> None:
        live, actions = self.live, self.actions_
        self.events.watch(True)
        actions.on_toggle("lecture", self._lecture)
        self.lecture_bar.left.connect(lambda: actions["lecture"].setChecked(False))
        live.document_changed.connect(lambda _opened: self.lecture_bar.show_document())
        actions.connect("run", self._run_or_pause)
        self.lecture_bar.run_wanted.connect(self._run_or_pause)
        actions.connect("step", self._step)
        actions.connect("reset", lambda: live.send(Reset()))
        actions.connect("step_back", lambda: self.time_bar.step(-1))
        actions.connect("play_back", self.time_bar.play)
        actions.connect("resume_here", lambda: live.send(Run()))
        live.playback.changed.connect(lambda: actions.enable(("resume_here",), live.playback.on))
        actions.enable(("resume_here",), False)
        connect_undo(actions, live.undo.stack)

    def _lecture(self, on: bool) -> None:
        self.lecture_bar.units = self.preferences.units
        self.time_bar.set_bare(on)
        if on:
            self.traces_panel.set_plain(True)
        self.lecture.set_on(on, self.workbench)
        self.lessons.show_panels()
        self.build_switch.stow()
        if not on:  # in type of the usual size again
            self.traces_panel.set_plain(False)
        self.viewport.set_type(TYPE if on else 0)
        if self.live.snapshot is not None:
            self.lecture_bar.show_snapshot(self.live.snapshot)

    def _run_or_pause(self) -> None:
        if self.build_switch.is_on:
            self.actions_["build"].setChecked(False)
        elif self.live.playback.on:
            self.time_bar.play()
        else:
            self.live.send(Pause() if self.live.running else Run())

    def _step(self) -> None:
        playback = self.live.playback
        if playback.on and playback.time != playback.span()[1]:
            self.time_bar.step(1)
        else:
            self.live.send(StepOnce())

    def _restore(self) -> None:
        for name in SWITCHES:
            self.actions_[name].setChecked(self.preferences.flag(name, self.actions_[name].isChecked()))
        units = self.preferences.units
        self.actions_["degrees"].setChecked(units.degrees)
        self.actions_["millimetres"].setChecked(units.millimetres)
        geometry, areas = self.preferences.layout()
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowFullScreen)  # that has a switch of its own
        self.workbench.restore(areas)

    def _ticked(self, snapshot: Snapshot | None, status: Status) -> None:
        now = self._clock.elapsed()
        news = snapshot is not None and snapshot is not self._drawn
        if news and snapshot is not None:
            self._drawn = snapshot
            self.viewport.show_snapshot(snapshot)
        else:
            self.viewport.show_news()
        self.status.show_hand(status.hand, self.viewport.hand.link, self.viewport.hand.strength)
        changed = status.state is not self._state
        self._state = status.state
        self._behind |= news
        if snapshot is not None and (changed or (self._behind and now >= self._due[TRACE])):
            self._due[TRACE] = now + TRACE
            self._behind = False
            self._show_panels()
        if now >= self._due[STATUS] and self.live.opened is not None:
            self._due[STATUS] = now + STATUS
            playback = self.live.playback
            self.status.show_run(
                snapshot, status, self.live.opened.mechanism, past=playback.on, played=playback.playing
            )
            self.actions_.show_running(status.state is RunState.RUNNING or playback.playing, self.theme.tokens)
            self.transport.show_speed(self.live.speed)
            self.menus.strategies.show_solver(status.solver)
            self.announcements.show_status(status)

    def _show_panels(self) -> None:
        """The newest numbers in all panels that are seen."""
        snapshot = self.live.snapshot
        if snapshot is None:
            return
        self.traces_panel.refresh(snapshot)
        for panel in (self.joints_panel, self.relations_panel, self.inspector, self.later):
            panel.show_snapshot(snapshot)
        self.time_bar.refresh()
        self.lecture_bar.show_snapshot(snapshot)

    def _rejected(self, opened: Opened) -> None:
        self._watch(opened)
        self.setWindowTitle(f"{shown(opened.path.name)} — simulator")

    def show_view(self, on: bool) -> None:
        """The sheet of build mode in the middle, the view, or the start page."""
        drawing = self.build_switch.shows_sheet
        if drawing and self._pages.indexOf(self.build) < 0:
            self._pages.addWidget(self.build)
        self._pages.setCurrentWidget(self.build if drawing else self.viewport if on else self.gallery)
        self.lecture_bar.set_drawing(drawing)

    def _watch(self, opened: Opened | None) -> None:
        """The document and all files that it was read from."""
        files = opened.document.files if opened is not None else ()
        self.watcher.watch(opened.path if opened is not None else self.live.path, (Path(file) for file in files))

    def _renderer_changed(self, name: str, shadows: bool) -> None:
        self.status.renderer_name = name
        with QSignalBlocker(self.actions_["shadow"]):
            self.actions_["shadow"].setChecked(shadows)

    def _switch(self, name: str, on: bool) -> None:
        self.viewport.set_option(name, on)
        if name in SWITCHES:
            self.preferences.set_flag(name, on)

    def _hand_in(self) -> None:
        from simulator.gui.handing_in import hand_in_shown

        hand_in_shown(self, self.live)

    def _ask_and_open(self) -> None:
        if (path := self.dialogs.ask_document()) is not None:
            self.open_path(path)
