"""The document on show and the simulation behind it: opens, polls, passes commands down."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from simulator.collector import keep_all, let_go
from simulator.diagnostics import Diagnostic, Severity
from simulator.engine.snapshot import Snapshot
from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.kinematic_watch import KinematicWatch
from simulator.gui.playback import Playback
from simulator.gui.relations import Relations
from simulator.gui.reload_memory import ReloadMemory
from simulator.gui.undo import Undo
from simulator.records import dataclass
from simulator.rendering.build import build_scene
from simulator.rendering.scene import Scene
from simulator.session.commands.commands import (
    Command,
    Pause,
    Pull,
    Reset,
    RestoreCheckpoint,
    Resume,
    Run,
    SetCoupling,
    SetDrive,
    SetNumber,
    SetPosition,
    SetSolver,
    SetSpeed,
    StepOnce,
)
from simulator.session.forces.forces_now import ForceRecord
from simulator.session.look.freedoms import free_axes_at_start
from simulator.session.look.link_poses import LinkPoses
from simulator.session.open.reading_choices import EMPTY_MODEL, HELD, ReadingChoices
from simulator.session.run.client import RunState, SimulationClient, Status
from simulator.session.run.reopening import Left, go_on, left_by

if TYPE_CHECKING:
    from simulator.session.open.opening import Opened
    from simulator.session.save.document_edit import DocumentEdit

    Opener = Callable[[Path], Opened]
    ClientFactory = Callable[[Opened], SimulationClient]


GO_ON = (Run, StepOnce, SetPosition, SetCoupling, SetNumber, Pull)
"""Commands that continue the simulation from the moment on show."""


class LiveSession(QObject):
    """One at a time: the opened document on show, its client, and the newest snapshot.

    `document_changed` carries the `Opened` on show (None: start page). `rejected` carries an `Opened` with errors; the
    previous document stays on show after a reload of the same file, else nothing is shown. `ticked` is emitted after
    every poll. `opening` carries the path that is being read, None afterwards. `laws_changed` carries the
    `CurrentLaws`; by then `relations` has them too. `question_asked` carries the finding that a base falls, of a
    document that waits for `answer` before time passes; `answered` carries the document and whether its base is held.
    `cut` carries the moments [s] between which a change of the past, other than `Run`, takes the recording away.

    `drawn`: the document that is on the sheet of build mode. `answered_there`: numbers of commands whose refusals are
    shown where they were given.

    `opener` reads documents; without one they are read as `reading` says. With `threaded` documents are read in a
    thread of their own."""

    document_changed = pyqtSignal(object)
    rejected = pyqtSignal(object)
    diagnostics_changed = pyqtSignal(object)
    ticked = pyqtSignal(object, object)
    failed = pyqtSignal(str)
    opening = pyqtSignal(object)
    laws_changed = pyqtSignal(object)
    question_asked = pyqtSignal(object)
    answered = pyqtSignal(object, bool)
    cut = pyqtSignal(float, float)

    def __init__(
        self,
        opener: Opener | None,
        client_factory: ClientFactory,
        *,
        paused: bool,
        speed: float,
        threaded: bool = False,
        reading: ReadingChoices | None = None,
    ) -> None:
        super().__init__()
        self.reading = reading or ReadingChoices()
        self._background: Background[_Ready] = Background(threaded=threaded, discard=_close)
        self._memory = ReloadMemory()
        self.undo, self.playback, self.forces = Undo(self), Playback(), ForceRecord()
        self.kinematics = KinematicWatch(self)
        self.document_changed.connect(lambda _opened: self.kinematics.begin())
        self.laws_changed.connect(lambda _laws: self.kinematics.forget())
        self.ticked.connect(lambda snapshot, _status: self.kinematics.see(snapshot))
        self.undo.rewritten.connect(self._was_rewritten)
        self._opener = opener or self.reading.read
        self._client_factory = client_factory
        self._paused, self.speed = paused, speed
        self.opened: Opened | None = None
        self.client: SimulationClient | None = None
        self.scene: Scene | None = None
        self.free_axes: tuple[int, ...] = ()
        self.relations: Relations | None = None
        self.laws: CurrentLaws | None = None
        self.poses: LinkPoses | None = None
        self.snapshot: Snapshot | None = None
        self.status: Status | None = None
        self.path: Path | None = None
        self.drawn: Path | None = None
        self.answered_there: set[int] = set()
        self._document_findings: tuple[Diagnostic, ...] = ()
        self._run_findings: tuple[Diagnostic, ...] = ()
        self._own_findings: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings about the document, then about what runs, then those of the program itself. That nothing is drawn on
        a sheet yet is none."""
        found = (*self._document_findings, *self._run_findings, *self._own_findings)
        is_drawn = self.path is not None and self.path == self.drawn
        return tuple(item for item in found if not (is_drawn and item.code == EMPTY_MODEL))

    @property
    def running(self) -> bool:
        """Whether simulated time passes."""
        return self.status is not None and self.status.state is RunState.RUNNING

    @property
    def is_opening(self) -> bool:
        """Whether a document is being read."""
        return self._background.busy

    def open(self, path: Path) -> None:
        """Read a document and show it, or show what is wrong with it; what was to be opened before is given up."""
        self._background.start(lambda: self._prepare(path), lambda ready, error: self._was_read(path, ready, error))
        if self._background.busy:
            self.opening.emit(path)

    def cancel_opening(self) -> None:
        """Stay with what is on show."""
        if self._background.busy:
            self._background.cancel()
            self.opening.emit(None)

    def show(self, opened: Opened) -> None:
        """Show an opened document; one with errors is rejected with its findings."""
        self.cancel_opening()
        self._show(self._started(opened))

    def _show(self, ready: _Ready) -> None:
        opened = ready.opened
        same_file = self.opened is not None and self.opened.path == opened.path
        if self.path != opened.path:
            self.undo.forget()
        self.path = opened.path
        self._judge(opened.diagnostics)
        if opened.has_errors:
            if not same_file:
                self._leave()
                self.document_changed.emit(None)
                self.scene = ready.scene
            self.rejected.emit(opened)
            return
        left = left_by(self.client, self.laws.now()) if same_file and self.client is not None and self.laws else None
        self._leave()
        self._enter(ready, left)

    def reload(self) -> None:
        """Read the same file again."""
        if self.path is not None:
            self.open(self.path)

    def answer(self, hold: bool) -> None:
        """Fix the base that falls, or let it fall."""
        if self.path is None:
            return
        path = self.path.absolute()
        self.reading.held[path] = hold
        self.answered.emit(path, hold)
        if hold or self.opened is None or any(item.code == HELD for item in self.opened.diagnostics):
            self.reload()
        elif not self._paused:
            self.pass_on(Run())

    def edited(self, edit: DocumentEdit, text: str) -> None:
        """Files of the document were changed; `text` is what the Edit menu calls that."""
        self.undo.note(edit, text)
        self.reload()

    def close_document(self) -> None:
        """Back to the start page."""
        self.cancel_opening()
        self._leave()
        self.undo.forget()
        self.path = None
        self._judge(())
        self.document_changed.emit(None)

    def send(self, command: Command) -> int:
        """Pass a command down. Gives its number, see `SimulationClient.send`; 0 where there is no simulation."""
        return self.undo.send(command) if self.client is not None else self.pass_on(command)

    def pass_on(self, command: Command) -> int:
        """Send a command that cannot be undone. Commands that move the mechanism continue from the moment on show."""
        command = softly(command)
        if isinstance(command, SetSpeed):
            self.speed = command.factor
        if isinstance(command, Run | Pause):
            self._paused = isinstance(command, Pause)
        if self.client is None:
            return 0
        if self.playback.on and isinstance(command, (*GO_ON, Reset, RestoreCheckpoint)):
            if self.snapshot is not None and isinstance(command, GO_ON):
                last = self.playback.span()[1]
                self.client.send(Resume(self.snapshot))
                if not isinstance(command, Run):
                    self.cut.emit(self.snapshot.time, last)
            self.playback.leave()
        return self.client.send(command)

    def poll(self) -> None:
        """Fetch the newest snapshot and status, and emit signals."""
        if self.client is None:
            return
        snapshot, status = self.client.poll()
        if self.playback.on:
            snapshot = self.playback.moment(status.dt, self.speed) or snapshot
        if snapshot is not None:
            self.snapshot = snapshot
        self.status = status
        if status.findings != self._run_findings:
            self._run_findings = status.findings
            self.diagnostics_changed.emit(self.diagnostics)
        for forces in status.forces:
            self.forces.see(forces)
        if status.state is not RunState.STARTING:
            self._memory.solver = status.solver
        self._on_laws(status)
        self.ticked.emit(self.snapshot, status)

    def refuse(self, path: Path, findings: Sequence[Diagnostic]) -> None:
        """A file that is not opened, and why; nothing is on show."""
        self.cancel_opening()
        self._leave()
        self.path = path
        self._judge(findings)
        self.document_changed.emit(None)

    def restart(self) -> None:
        """Start the simulation again after its process died."""
        if self.client is not None:
            self.undo.clear()
            self.playback.leave()
            self.client.restart()

    def _judge(self, findings: Sequence[Diagnostic]) -> None:
        """Findings about another document; what was before is forgotten."""
        self._document_findings = tuple(findings)
        self._run_findings = ()
        self._own_findings = ()
        self.diagnostics_changed.emit(self.diagnostics)

    def add_finding(self, finding: Diagnostic) -> None:
        """Add a finding of the program itself."""
        self._own_findings = (*self._own_findings, finding)
        self.diagnostics_changed.emit(self.diagnostics)

    def add_exception(self, error: BaseException) -> None:
        """Report an unhandled exception as a finding."""
        self.add_finding(_internal("INTERNAL_ERROR", error, ""))

    def _prepare(self, path: Path) -> _Ready:
        """Read, and start the simulation: the new process takes its time to come up. Runs beside the window."""
        return self._started(self._opener(path))

    def _started(self, opened: Opened) -> _Ready:
        if opened.has_errors:
            return _Ready(opened, scene=still_scene(opened))
        client = None
        try:
            client = self._client_factory(opened)
            driven = {name for name, _ in client.asked_drives}
            preferred = [index for index, axis in enumerate(opened.mechanism.axes) if axis.name in driven]
            axes = free_axes_at_start(opened.mechanism, preferred, opened.start)
            return _Ready(opened, client, build_scene(opened.world), axes)
        except Exception as error:
            if client is not None:
                client.close()
            return _Ready(opened, error=error)

    def _was_read(self, path: Path, ready: _Ready | None, error: Exception | None) -> None:
        self.opening.emit(None)
        if ready is not None:
            self._show(ready)
        elif error is not None:  # a reader's own fault must not take the window down
            self.path = path
            self.add_finding(_internal("OPEN_FAILED", error, str(path)))
            self.failed.emit(self.tr("{name} could not be read: {why}").format(name=path.name, why=error))

    def _enter(self, ready: _Ready, left: Left | None) -> None:
        opened, error = ready.opened, ready.error
        if ready.client is None or ready.scene is None:
            if error is not None:
                self.add_finding(_internal("START_FAILED", error, str(opened.path)))
            self.document_changed.emit(None)
            self.failed.emit(self.tr("The simulation could not be started: {why}").format(why=error))
            return
        keep_all()  # looking through it again and again would stop the window
        self.opened = opened
        self.client = ready.client
        self.scene = ready.scene
        self.free_axes = ready.free_axes
        self.laws = CurrentLaws(opened.mechanism, world=opened.world)
        self.relations = Relations(opened.world, opened.mechanism)
        self.poses = LinkPoses(opened.mechanism, ready.scene.links)
        self.playback.follow(self.client)
        question = self.reading.question(opened)
        self._emit_news(self.client, opened, left, wait=question is not None)
        self.document_changed.emit(opened)
        if question is not None:
            self.question_asked.emit(question)
        self.poll()

    def _emit_news(self, client: SimulationClient, opened: Opened, left: Left | None, *, wait: bool) -> None:
        """Send a new simulation its settings: speed, and after a reload strategy, drives and, if possible, the state.
        `wait`: start paused."""
        client.send(SetSpeed(self.speed))
        solver = self._memory.solver_for(opened.path)
        if solver and solver != client.poll()[1].solver:
            client.send(SetSolver(solver))
        for command in self._memory.begin(opened, client.asked_drives):
            client.send(softly(command))
        if left is not None:
            go_on(client, opened.mechanism, left)
        client.send(Pause() if self._paused or wait else Run())

    def _was_rewritten(self, reason: str) -> None:
        """A change of the document was undone or made again, or why not."""
        if reason:
            self.undo.forget()
            self.failed.emit(reason)
        else:
            self.reload()

    def _on_laws(self, status: Status) -> None:
        if self.laws is None or self.opened is None:
            return
        before = self.laws
        time = self.snapshot.time if self.snapshot is not None else 0.0
        changed = status.laws, status.laws_since, time, status.numbers, status.numbers_since
        self.laws = before.with_changes(*changed)
        if self.laws is not before:
            self.relations = Relations(self.opened.world, self.laws.now())
            self.laws_changed.emit(self.laws)

    def _leave(self) -> None:
        if self.client is not None:
            self._memory.end(self.client.asked_drives)
            self.client.close()
        self.playback.follow(None)
        self.forces.clear()
        self.undo.clear()
        self.answered_there.clear()
        self.client = self.opened = self.scene = self.relations = self.laws = None
        self.poses = self.snapshot = self.status = None
        let_go()


def softly(command: Command) -> Command:
    """What the window drives begins where it is."""
    return replace(command, softly=True) if isinstance(command, SetDrive) else command


def still_scene(opened: Opened) -> Scene | None:
    """What could be read of a document with errors, as it is drawn; None where that is nothing."""
    try:
        scene = build_scene(opened.world)
    except (SimulatorError, ValueError, ArithmeticError):  # its numbers may be anything
        return None
    return scene if scene.drawables and np.isfinite(scene.start_poses).all() else None


@dataclass(frozen=True, eq=False)
class _Ready:
    """A document that was read, its simulation and what is drawn of it; without a simulation where it has errors or
    `error` kept it from starting."""

    opened: Opened
    client: SimulationClient | None = None
    scene: Scene | None = None
    free_axes: tuple[int, ...] = ()
    error: Exception | None = None


def _close(ready: _Ready) -> None:
    """Close a document whose opening was cancelled."""
    if ready.client is not None:
        ready.client.close()


def _internal(code: str, error: BaseException, file: str) -> Diagnostic:
    if isinstance(error, SimulatorError):
        return Diagnostic(Severity.ERROR, code, file, 0, str(error))
    frames = traceback.extract_tb(error.__traceback__)
    where = f" (in {Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Diagnostic(Severity.ERROR, code, file, 0, f"{type(error).__name__}: {error}{where}")
