"""The running lesson: opens the worlds of its steps and arranges the window for each step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from simulator.errors import UsageError
from simulator.formats.lesson import SHOW, read_lesson
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.traces.plan import Group
from simulator.records import dataclass
from simulator.session.run.lessons import named, step_commands
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.drawing.answers import Answers
    from simulator.building.drawing.plan import Sketch
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.actions import Actions
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.lesson_panel import LessonPanel
    from simulator.gui.panels.traces_panel import TracesPanel
    from simulator.gui.viewport.viewport import Viewport
    from simulator.gui.workbench import Workbench
    from simulator.model.lesson import Lesson, LessonStep
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Status
    from simulator.spatial.rotation import Vec3

USUAL = {"grid": True, "labels": True}
"""What the view shows where a step names nothing."""


@dataclass(frozen=True, eq=False)
class Stage:
    """The parts of the window that a lesson uses."""

    live: LiveSession
    actions: Actions
    viewport: Viewport
    workbench: Workbench
    traces: TracesPanel
    selection: Selection


class Lessons(QObject):
    """At most one lesson runs. Opening another document ends it. `refused` carries a file and its findings, `failed`
    a sentence. `sheet`: the document that the user draws in this lesson, which `ask` gives once; None before. `drawing`
    asks for it on the sheet of build mode, `running` for what was drawn."""

    refused = pyqtSignal(object, object)
    failed = pyqtSignal(str)
    drawing = pyqtSignal(object)
    running = pyqtSignal()

    def __init__(self, stage: Stage, panel: LessonPanel, ask: Callable[[str], Path | None]) -> None:
        super().__init__()
        self._ask = ask
        self.sheet: Path | None = None
        self._stage = stage
        self._panel = panel
        self._live = stage.live
        self.lesson: Lesson | None = None
        self.number = 0
        self._awaited: Path | None = None
        self._following: list[tuple[str, Vec3]] = []
        self._sent = 0
        panel.stepped.connect(self.go_to)
        panel.left.connect(self.leave)
        self._live.document_changed.connect(self._opened)
        self._live.ticked.connect(self._on_status)
        self._live.rejected.connect(lambda opened: None if opened.path == self.sheet else self.leave())

    def begin(self, path: Path, step: int = 1) -> None:
        """Begin a lesson with a step, counted from 1; one with errors is refused with its findings."""
        lesson, findings = read_lesson(path)
        if lesson is None:
            self.leave()
            self.refused.emit(path, findings)
            return
        self.lesson, self.sheet, self.number = lesson, None, 0
        self.go_to(min(max(step, 1), len(lesson.steps)) - 1)
        if lesson.steps[self.number].draw and self.sheet is None:  # the user named no file
            self.leave()

    def go_to(self, number: int) -> None:
        """Show that step; its world is opened where another one is on show."""
        if self.lesson is None or not 0 <= number < len(self.lesson.steps):
            return
        step = self.lesson.steps[number]
        if step.draw and not self._has_sheet(self.lesson):
            return
        self.number = number
        if step.draw and not step.run:
            self._draw(self.lesson)
            return
        if self.sheet is not None:
            self.running.emit()
        live, document = self._live, self._document(step)
        opened = live.opened
        if opened is not None and opened.path == document:
            self._enter(opened, step)
        elif step.draw:
            self.failed.emit(self.tr("There is nothing on the sheet yet: go back and draw it"))
        else:
            self._awaited = document
            live.open(document)

    def show_panels(self) -> None:
        """The panels of the step on show, whatever was opened since."""
        step = None if self.lesson is None else self.lesson.steps[self.number]
        if step is not None and (step.run or not step.draw):
            self._stage.workbench.show_only(step.panels)

    def judge(self, plan: Sketch, answers: Answers, path: Path | None) -> None:
        """The sheet of build mode, with the document `path`, shows something else: are the goals of the step met?"""
        from simulator.building.drawing.goals import judged

        if self.lesson is not None and path is not None and path == self.sheet:
            self._panel.show_goals(judged(self.lesson.steps[self.number].goal, plan, answers))

    def _has_sheet(self, lesson: Lesson) -> bool:
        """Whether there is a sheet to draw on; the first time it is asked for, and empty."""
        if self.sheet is None:
            self.sheet = self._ask(f"{lesson.path.name.partition('.')[0].lstrip('0123456789_')}.sdf")
        return self.sheet is not None

    def _document(self, step: LessonStep) -> Path:
        return self.sheet if step.draw and self.sheet is not None else step.world

    def _draw(self, lesson: Lesson) -> None:
        """The sheet, with the notes and goals of the step beside it."""
        self._awaited = None
        self._panel.show_step(lesson, self.number)
        self._panel.bring_up()
        self.drawing.emit(self.sheet)

    def leave(self) -> None:
        """No lesson any more; the world stays."""
        self.lesson, self._awaited, self.sheet = None, None, None
        self._panel.put_away()

    def _opened(self, opened: Opened | None) -> None:
        if self.lesson is None or (self.sheet is not None and self._live.path == self.sheet):
            return
        if opened is not None and opened.path == self._document(self.lesson.steps[self.number]):
            again = self._awaited is None
            self._awaited = None
            if not again:  # a reload continues at the same step
                self._enter(opened, self.lesson.steps[self.number])
        elif self._awaited is None or opened is not None:
            self.leave()

    def _enter(self, opened: Opened, step: LessonStep) -> None:
        live = self._live
        if self.lesson is None or live.client is None:
            return
        self._panel.show_step(self.lesson, self.number)
        self._panel.bring_up()
        try:
            # What the user drew keeps its motors.
            commands = step_commands(step, opened, () if step.draw else live.client.asked_drives)
        except UsageError as error:
            self.failed.emit(str(error))
            return
        live.playback.leave()
        self._following = []
        for command in commands:
            self._sent = live.pass_on(command)
        live.undo.clear()
        self.show_panels()
        self._show(opened, step)

    def _on_status(self, _snapshot: Snapshot | None, status: Status) -> None:
        """Points are followed from where the step has put them."""
        if self._following and status.answered >= self._sent:
            for link, at in self._following:
                self._stage.viewport.motion.add_path(link, at)
            self._following = []

    def _show(self, opened: Opened, step: LessonStep) -> None:
        stage = self._stage
        view = self._stage.viewport
        for name in SHOW:
            stage.actions[name].setChecked(name in step.show if step.show else USUAL.get(name, False))
        stage.actions["orthographic"].setChecked(step.orthographic)
        view.motion.paths.clear()
        links = [link.name for model in opened.world.models for link in model.links]
        self._following = [(named(path.link, links), path.at) for path in step.paths]
        view.standard_view(step.camera)
        traces = stage.traces
        if traces.group.value != step.quantity:
            traces.set_group(Group(step.quantity))
        if step.traces and step.quantity != Group.ENERGY.value:
            traces.show_axes(_axes(opened, step))
        stage.selection.select(_item(opened, step.select, links))
        view.canvas.setFocus()


def _axes(opened: Opened, step: LessonStep) -> list[int]:
    """The axes that a step plots; of a mechanism that the user drew, those that there are."""
    if not step.draw:
        return [find_axis(opened.mechanism, name) for name in step.traces]
    names = [axis.name.rpartition("::")[2] for axis in opened.mechanism.axes]
    return [names.index(name) for name in step.traces if name in names]


def _item(opened: Opened, name: str, links: list[str]) -> Item | None:
    """What a name selects: a joint, else a link."""
    mechanism = opened.mechanism
    loops = [loop.name for loop in mechanism.loop_joints]
    for known, kind in (
        (loops, ItemKind.LOOP),
        ([a.joint for a in mechanism.axes], ItemKind.JOINT),
        (links, ItemKind.LINK),
    ):
        scoped = named(name, known) if name else ""
        if scoped:
            return Item(kind, scoped)
    return None
