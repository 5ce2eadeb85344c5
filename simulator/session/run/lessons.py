"""Lessons: those that come with the program, the commands of a step, and checks of its names."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, Source
from simulator.errors import UsageError
from simulator.formats.lesson import CODE, read_lesson
from simulator.records import dataclass
from simulator.session.commands.commands import Pause, Reset, Run, SetDrive, SetPosition, SetSolver, SetSpeed
from simulator.session.commands.driving import full_name
from simulator.session.open.examples import lesson_paths
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.diagnostics import Diagnostic
    from simulator.engine.drives import Drive
    from simulator.model.lesson import Lesson, LessonStep
    from simulator.session.commands.commands import Command
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Drives


@dataclass(frozen=True)
class ShippedLesson:
    """A lesson that comes with the program; `world` is that of its first step."""

    name: str
    path: Path
    title: str
    world: Path
    steps: int


@cache
def lessons() -> tuple[ShippedLesson, ...]:
    """All lessons that come with the program, in their order, read once."""
    found = []
    for name, path in lesson_paths().items():
        lesson, _findings = read_lesson(path)
        if lesson is not None:
            found.append(ShippedLesson(name, path, lesson.title, lesson.steps[0].world, len(lesson.steps)))
    return tuple(found)


def step_commands(step: LessonStep, opened: Opened, driven: Drives) -> tuple[Command, ...]:
    """Commands that bring a simulation to the state of a step, whatever its state before; `driven`: its present drives.

    Raises UsageError for names and drives that the world does not have.
    """
    mechanism = opened.mechanism
    drives = [_drive(name, text, opened) for name, text in step.drives]
    places = [SetPosition(find_axis(mechanism, name), value) for name, value in step.initial]
    return (
        Pause(),
        SetSolver(step.solver),
        *(SetDrive(name, None) for name, _ in driven),
        Reset(),
        *places,
        *(SetDrive(name, drive) for name, drive in drives),
        SetSpeed(step.speed),
        *((Run(),) if step.run else ()),
    )


def check_lesson(lesson: Lesson, open_world: Callable[[Path], Opened]) -> tuple[Diagnostic, ...]:
    """Findings about the worlds of a lesson and the names that its steps use."""
    log = DiagnosticLog()
    worlds: dict[Path, Opened] = {}
    for step in lesson.steps:
        where = Source(str(lesson.path), step.line)
        if not step.world.is_file():
            log.error(CODE, where, f"the world '{step.world}' does not exist")
            continue
        if step.world not in worlds:
            worlds[step.world] = open_world(step.world)
            log.extend(worlds[step.world].diagnostics)
        if not worlds[step.world].has_errors and not step.draw:  # its names are up to the user
            for text in _wrong_names(step, worlds[step.world]):
                log.error(CODE, where, text)
    return log.as_tuple()


def _wrong_names(step: LessonStep, opened: Opened) -> list[str]:
    found = []
    try:
        step_commands(step, opened, ())
    except UsageError as error:
        found.append(str(error))
    for name in step.traces:
        try:
            find_axis(opened.mechanism, name)
        except UsageError as error:
            found.append(str(error))
    links = [link.name for model in opened.world.models for link in model.links]
    joints = [axis.joint for axis in opened.mechanism.axes] + [loop.name for loop in opened.mechanism.loop_joints]
    found += [f"no link is named '{path.link}'" for path in step.paths if not named(path.link, links)]
    if step.select and not named(step.select, [*links, *joints]):
        found.append(f"no joint and no link is named '{step.select}'")
    return found


def named(name: str, known: Sequence[str]) -> str:
    """The scoped name of a name, whole or by its end; empty if it is unknown or ambiguous."""
    if name in known:
        return name
    ends = {one for one in known if one.endswith(f"::{name}")}
    return ends.pop() if len(ends) == 1 else ""


def _drive(name: str, text: str, opened: Opened) -> tuple[str, Drive]:
    target, drive = parse_drive(f"{name}={text}")
    scoped = full_name(opened.mechanism, opened.actuators, target)
    if not scoped:
        find_axis(opened.mechanism, target)  # which raises with the existing names
    return scoped, drive
