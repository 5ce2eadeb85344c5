"""The window: puts the view, the docks, the menus and the bars together and passes words between them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QElapsedTimer, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from simulator.engine.snapshot import Snapshot
from simulator.gui.actions import Actions
from simulator.gui.announcements import Announcements
from simulator.gui.dialogs import Dialogs
from simulator.gui.dock_area import DockArea
from simulator.gui.docks.diagnostics_dock import DiagnosticsDock
from simulator.gui.docks.joints_dock import JointsDock
from simulator.gui.docks.mechanism_dock import MechanismDock
from simulator.gui.docks.model_dock import ModelDock
from simulator.gui.docks.traces_dock import TracesDock
from simulator.gui.fields import shown
from simulator.gui.gallery import Gallery
from simulator.gui.live import LiveSession
from simulator.gui.menus import Menus, Transport
from simulator.gui.preferences import LAYOUT_VERSION, Preferences
from simulator.gui.resources import DOCUMENT_SUFFIXES, application_icon
from simulator.gui.selection import Selection
from simulator.gui.status import StatusBar
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.units import Units
from simulator.gui.viewport.viewport import Viewport
from simulator.gui.watcher import DocumentWatcher
from simulator.session.client import RunState, Status
from simulator.session.commands import Pause, Reset, Run, SetSolver, SetSpeed, StepOnce

if TYPE_CHECKING:
    from simulator.session.opening import Opened

FRAME, TRACE, STATUS = 16, 33, 100
"""Periods of the view, the traces and the status bar [ms]."""

SWITCHES = ("axes", "frames", "grid", "labels")
VIEW_KEYS = ("fit", "view_iso", "view_front", "view_right", "view_top", *SWITCHES, "shadow")
RUN_KEYS = (*VIEW_KEYS, "run", "step", "reset", "reload", "save_csv", "save_picture")


class MainWindow(QMainWindow):
    """Everything is made here once; documents come and go through the `LiveSession`."""

    def __init__(self, live: LiveSession, theme: Theme, preferences: Preferences) -> None:
        super().__init__()
        self.live, self.theme, self.preferences = live, theme, preferences
        self.selection, self.watcher = Selection(), DocumentWatcher()
        self.actions_, self.dialogs = Actions(self, theme), Dialogs(self, live)
        units = preferences.units
        self.viewport, self.gallery = Viewport(live, self.selection, theme, units), Gallery(theme)
        self.announcements = Announcements(live, theme)
        self.banner, self.notice = self.announcements.banner, self.announcements.notice
        self.model_dock = ModelDock(live, self.selection, theme, units)
        self.joints_dock = JointsDock(live, self.selection, theme, units)
        self.traces_dock, self.diagnostics_dock = TracesDock(live, theme, units), DiagnosticsDock(live, theme)
        self.mechanism_dock = MechanismDock(live, theme)
        self.docks = (
            self.model_dock, self.joints_dock, self.traces_dock, self.mechanism_dock, self.diagnostics_dock
        )  # fmt: skip
        self._pages, self._clock = QStackedWidget(), QElapsedTimer()
        self._due = {TRACE: 0, STATUS: 0}
        self._drawn: Snapshot | None = None
        self._state: RunState | None = None
        self._timer = QTimer(self)
        self.menus = Menus(self, self.actions_, preferences, self.open_path)
        self.transport = Transport(self.actions_, self.menus.speed, live.speed)
        self.status = StatusBar(theme, self.menus.strategies)
        self._arrange()
        left, right, *bottom = self.docks
        self.dock_area = DockArea(self, left, right, bottom)
        self._connect()
        self._restore()
        self.show_document(None)

    def open_path(self, path: Path) -> None:
        """Open a document; wrong ones are explained."""
        self.live.open(path)

    def show_document(self, opened: Opened | None) -> None:
        """The title, the page in the middle and what is possible follow the document."""
        self._drawn = None
        path = opened.path if opened is not None else self.live.path
        self.setWindowTitle(f"{shown(path.name)} — simulator" if path is not None else "simulator")
        self.setWindowFilePath(str(path) if path is not None else "")
        self._pages.setCurrentIndex(1 if opened is not None else 0)
        self.actions_.enable(RUN_KEYS, opened is not None)
        self.actions_.enable(("reload",), path is not None)
        self._watch(opened)
        if opened is None:
            self.status.clear_run()
            self.actions_.show_running(False, self.theme.tokens)
            self.menus.strategies.show_solver("")
            self.gallery.welcome()
            self.dock_area.stow()
            return
        self.dock_area.unstow()
        self.preferences.add_recent(opened.path)
        self.viewport.canvas.setFocus()

    def tick(self) -> None:
        """One frame: poll the simulation, draw what is new."""
        self.live.poll()
        self.viewport.point()

    def set_theme(self, choice: ThemeChoice) -> None:
        """Light, dark or the system's; remembered."""
        self.preferences.theme = choice
        self.theme.set_choice(choice)

    def set_units(self) -> None:
        """Units as the View menu says; remembered."""
        units = Units(self.actions_["degrees"].isChecked(), self.actions_["millimetres"].isChecked())
        self.preferences.units = units
        for part in (self.viewport, self.model_dock, self.joints_dock, self.traces_dock):
            part.set_units(units)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Take files that could be documents."""
        if event is not None and _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open the dropped file."""
        path = _dropped(event) if event is not None else None
        if event is not None and path is not None:
            event.acceptProposedAction()
            QTimer.singleShot(0, lambda: self.open_path(path))

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Remember the layout, end the simulation."""
        self._timer.stop()
        self.dock_area.unstow()
        self.preferences.set_layout(self.saveGeometry(), self.saveState(LAYOUT_VERSION))
        self.preferences.sync()
        self.watcher.watch(None)
        self.live.close_document()
        super().closeEvent(event)

    def _arrange(self) -> None:
        self.setObjectName("main")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AnimatedDocks)
        self._pages.addWidget(self.gallery)
        self._pages.addWidget(self.viewport)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.announcements)
        column.addWidget(self._pages, 1)
        self.setCentralWidget(middle)
        self.addToolBar(self.transport)
        self.setStatusBar(self.status)
        self.menus.build(self.docks, self.theme, self.set_theme)

    def _connect(self) -> None:
        live, actions = self.live, self.actions_
        live.document_changed.connect(self.show_document)
        live.rejected.connect(self._rejected)
        live.failed.connect(self._could_not_start)
        live.ticked.connect(self._ticked)
        live.diagnostics_changed.connect(self.status.show_findings)
        self.status.findings_clicked.connect(self._show_findings)
        self.gallery.chosen.connect(self.open_path)
        self.gallery.browse.connect(self._ask_and_open)
        self.transport.speed_chosen.connect(lambda speed: live.send(SetSpeed(speed)))
        self.menus.strategies.chosen.connect(lambda solver: live.send(SetSolver(solver)))
        self.watcher.changed.connect(self.announcements.say_changed)
        self.viewport.renderer_changed.connect(self._renderer_changed)
        actions.connect("open", self._ask_and_open)
        actions.connect("gallery", live.close_document)
        actions.connect("reload", live.reload)
        actions.connect("save_csv", self.dialogs.save_csv)
        actions.connect("save_picture", lambda: self.dialogs.save_picture(self.viewport.picture))
        actions.connect("quit", self.close)
        actions.connect("run", lambda: live.send(Pause() if live.running else Run()))
        actions.connect("step", lambda: live.send(StepOnce()))
        actions.connect("reset", lambda: live.send(Reset()))
        actions.connect("fit", self.viewport.fit)
        for name in ("iso", "front", "right", "top"):
            actions.connect(f"view_{name}", partial(self.viewport.standard_view, name))
        for name in (*SWITCHES, "shadow"):
            actions.on_toggle(name, partial(self._switch, name))
        for name in ("degrees", "millimetres"):
            actions.on_toggle(name, lambda _on: self.set_units())
        actions.on_toggle("full_screen", lambda on: self.showFullScreen() if on else self.showNormal())
        actions.connect("reset_layout", self.dock_area.reset)
        actions.connect("keys", self.dialogs.keys)
        actions.connect("about", self.dialogs.about)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.tick)
        self._timer.start(FRAME)
        self._clock.start()

    def _restore(self) -> None:
        for name in SWITCHES:
            self.actions_[name].setChecked(self.preferences.flag(name, self.actions_[name].isChecked()))
        units = self.preferences.units
        self.actions_["degrees"].setChecked(units.degrees)
        self.actions_["millimetres"].setChecked(units.millimetres)
        geometry, docks = self.preferences.layout()
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        if not docks.isEmpty():
            self.restoreState(docks, LAYOUT_VERSION)

    def _ticked(self, snapshot: Snapshot | None, status: Status) -> None:
        now = self._clock.elapsed()
        news = snapshot is not None and snapshot is not self._drawn
        if news and snapshot is not None:
            self._drawn = snapshot
            self.viewport.show_snapshot(snapshot)
        changed, self._state = status.state is not self._state, status.state
        if snapshot is not None and (changed or (news and now >= self._due[TRACE])):
            self._due[TRACE] = now + TRACE
            self.traces_dock.refresh(snapshot)
            self.joints_dock.show_snapshot(snapshot)
            self.mechanism_dock.show_snapshot(snapshot)
        if now >= self._due[STATUS] and self.live.opened is not None:
            self._due[STATUS] = now + STATUS
            self.status.show_run(snapshot, status, self.live.opened.mechanism)
            self.actions_.show_running(status.state is RunState.RUNNING, self.theme.tokens)
            self.menus.strategies.show_solver(status.solver)
            self.announcements.show_status(status)

    def _rejected(self, opened: Opened) -> None:
        self._watch(opened)
        self.setWindowTitle(f"{shown(opened.path.name)} — simulator")
        self._show_findings()
        if self.live.opened is not None:
            self.announcements.say_last_good(opened.path)
        else:
            self.gallery.refuse(opened.path, opened.diagnostics)

    def _could_not_start(self, text: str) -> None:
        self.announcements.say_failed(text)
        if self.live.opened is None and self.live.path is not None:
            self.gallery.refuse(self.live.path, self.live.diagnostics)
            self._show_findings()

    def _show_findings(self) -> None:
        self.diagnostics_dock.show()
        self.diagnostics_dock.raise_()

    def _watch(self, opened: Opened | None) -> None:
        """The document and all files that it was read from."""
        files = opened.document.files if opened is not None else ()
        self.watcher.watch(opened.path if opened is not None else self.live.path, (Path(file) for file in files))

    def _renderer_changed(self, name: str, shadows: bool) -> None:
        self.status.renderer_name = name
        action = self.actions_["shadow"]
        action.blockSignals(True)
        action.setChecked(shadows)
        action.blockSignals(False)

    def _switch(self, name: str, on: bool) -> None:
        self.viewport.set_option(name, on)
        if name in SWITCHES:
            self.preferences.set_flag(name, on)

    def _ask_and_open(self) -> None:
        path = self.dialogs.ask_document()
        if path is not None:
            self.open_path(path)


def _dropped(event: QDropEvent) -> Path | None:
    """The first dropped file that could be a document."""
    data = event.mimeData()
    urls = data.urls() if data is not None else []
    paths = (Path(url.toLocalFile()) for url in urls if url.isLocalFile())
    return next((path for path in paths if path.suffix.lower() in DOCUMENT_SUFFIXES), None)
