"""The document on show and the simulation behind it: opens, polls, passes commands down."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from simulator.diagnostics import Diagnostic, Severity
from simulator.engine.snapshot import Snapshot
from simulator.errors import SimulatorError
from simulator.gui.relations import Relations
from simulator.session.client import RunState, SimulationClient, Status
from simulator.session.commands import Command, Pause, Run, SetSpeed
from simulator.session.link_poses import LinkPoses

if TYPE_CHECKING:
    from simulator.session.opening import Opened

    Opener = Callable[[Path], Opened]
    ClientFactory = Callable[[Opened], SimulationClient]


class LiveSession(QObject):
    """One at a time: the opened document that is shown, its client, and the newest snapshot.

    `document_changed` carries the `Opened` on show (None: start page). `rejected` carries an `Opened` with errors; what was on show
    stays where the same file was shown before (a reload), else nothing is shown. `ticked` is emitted after every poll.
    """

    document_changed = pyqtSignal(object)
    rejected = pyqtSignal(object)
    diagnostics_changed = pyqtSignal(object)
    ticked = pyqtSignal(object, object)
    failed = pyqtSignal(str)

    def __init__(self, opener: Opener, client_factory: ClientFactory, *, paused: bool, speed: float) -> None:
        super().__init__()
        self._opener, self._client_factory = opener, client_factory
        self._paused, self.speed = paused, speed
        self.opened: Opened | None = None
        self.client: SimulationClient | None = None
        self.relations: Relations | None = None
        self.poses: LinkPoses | None = None
        self.snapshot: Snapshot | None = None
        self.status: Status | None = None
        self.path: Path | None = None
        self._document_findings: tuple[Diagnostic, ...] = ()
        self._own_findings: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings about the document, then those of the program itself."""
        return (*self._document_findings, *self._own_findings)

    @property
    def running(self) -> bool:
        """Whether simulated time passes."""
        return self.status is not None and self.status.state is RunState.RUNNING

    def open(self, path: Path) -> None:
        """Read a document and show it, or show what is wrong with it."""
        try:
            opened = self._opener(path)
        except Exception as error:  # a reader's own fault must not take the window down
            self.path = path
            self.add_finding(_internal("OPEN_FAILED", error, str(path)))
            self.failed.emit(self.tr("{name} could not be read: {why}").format(name=path.name, why=error))
            return
        self.show(opened)

    def show(self, opened: Opened) -> None:
        """Show an opened document; one with errors is rejected with its findings."""
        same_file = self.opened is not None and self.opened.path == opened.path
        self.path = opened.path
        self._document_findings, self._own_findings = tuple(opened.diagnostics), ()
        self.diagnostics_changed.emit(self.diagnostics)
        if opened.has_errors:
            if not same_file:
                self._leave()
                self.document_changed.emit(None)
            self.rejected.emit(opened)
            return
        self._leave()
        self._enter(opened)

    def reload(self) -> None:
        """Read the same file again."""
        if self.path is not None:
            self.open(self.path)

    def close_document(self) -> None:
        """Back to the start page."""
        self._leave()
        self.path = None
        self._document_findings = self._own_findings = ()
        self.diagnostics_changed.emit(())
        self.document_changed.emit(None)

    def send(self, command: Command) -> None:
        """Pass a command down; nothing happens where there is no simulation."""
        if isinstance(command, SetSpeed):
            self.speed = command.factor
        if isinstance(command, Run | Pause):
            self._paused = isinstance(command, Pause)
        if self.client is not None:
            self.client.send(command)

    def poll(self) -> None:
        """Fetch the newest snapshot and status, and tell everyone."""
        if self.client is None:
            return
        snapshot, status = self.client.poll()
        if snapshot is not None:
            self.snapshot = snapshot
        self.status = status
        self.ticked.emit(self.snapshot, status)

    def restart(self) -> None:
        """Start the simulation again after its process died."""
        if self.client is not None:
            self.client.restart()

    def add_finding(self, finding: Diagnostic) -> None:
        """Add a finding of the program itself."""
        self._own_findings = (*self._own_findings, finding)
        self.diagnostics_changed.emit(self.diagnostics)

    def add_exception(self, error: BaseException) -> None:
        """An exception that nobody handled, as a finding."""
        self.add_finding(_internal("INTERNAL_ERROR", error, ""))

    def _enter(self, opened: Opened) -> None:
        try:
            self.client = self._client_factory(opened)
        except Exception as error:
            self.add_finding(_internal("START_FAILED", error, str(opened.path)))
            self.document_changed.emit(None)
            self.failed.emit(self.tr("The simulation could not be started: {why}").format(why=error))
            return
        self.opened = opened
        self.relations = Relations(opened.world, opened.mechanism)
        self.poses = LinkPoses(opened.mechanism, tuple(opened.mechanism.link_bodies()))
        self.client.send(SetSpeed(self.speed))
        self.client.send(Pause() if self._paused else Run())
        self.document_changed.emit(opened)
        self.poll()

    def _leave(self) -> None:
        if self.client is not None:
            self.client.close()
        self.client = self.opened = self.relations = self.poses = self.snapshot = self.status = None


def _internal(code: str, error: BaseException, file: str) -> Diagnostic:
    if isinstance(error, SimulatorError):
        return Diagnostic(Severity.ERROR, code, file, 0, str(error))
    frames = traceback.extract_tb(error.__traceback__)
    where = f" (in {Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Diagnostic(Severity.ERROR, code, file, 0, f"{type(error).__name__}: {error}{where}")
