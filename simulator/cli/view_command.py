"""`simulator view`: open the window."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.cli.spare import has_window_system
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.lesson import is_lesson, read_lesson
from simulator.session.commands.commands import SetNumber
from simulator.session.open.examples import find_file
from simulator.session.run.remote import RemoteClient
from simulator.session.text.settings import (
    SOLVERS,
    SessionSettings,
    checked_speed,
    demonstration_drives,
    typed_settings,
)
from simulator.session.text.variants import with_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.formats.options import ReadingOptions
    from simulator.session.open.opening import Opened
    from simulator.session.run.physics_process import Spare


def view_document(
    file: str | None,
    spare: Spare | None,
    *,
    solver: str,
    paused: bool,
    speed: float,
    step: int,
    drives: Sequence[str],
    initial: Sequence[str],
    initial_velocity: Sequence[str],
    numbers: Sequence[str],
    options: ReadingOptions,
) -> int:
    """Show the window until it is closed; returns its exit code. Drives, the initial state and numbers hold for FILE
    only; these are changes as those in the window's fields, which can be undone and saved. `step`: of a lesson;
    `spare`: a process for the first simulation."""
    if solver not in SOLVERS:
        raise UnknownNameError("solver", solver, SOLVERS)
    speed = checked_speed(speed)
    first = typed_settings(drives, initial, initial_velocity, numbers=numbers, solver=solver, speed=speed)
    path = find_file(file) if file is not None else None
    _require_step(path, step)
    _require_window_system()

    def start(opened: Opened) -> RemoteClient:
        is_first = path is not None and opened.path == path
        settings = first if is_first else SessionSettings(solver=solver, speed=speed)
        with_numbers(opened, settings.numbers)  # says at once what cannot be
        drives = settings.drives or demonstration_drives(opened.world, opened.mechanism)
        # No time passes until the window, which may have to ask whether a base falls, says so.
        client = RemoteClient(opened, replace(settings, drives=drives, paused=True, numbers=()), spare=spare)
        for name, value in settings.numbers:
            client.send(SetNumber(name, value))
        return client

    from simulator.gui.system_libraries import require_libraries

    require_libraries()
    from simulator.gui.application import run_window

    return run_window(path, start, options=options, paused=paused, speed=speed, step=step)


def _require_step(path: Path | None, step: int) -> None:
    """Raise UsageError for a step that a lesson does not have, or that is asked of no lesson."""
    if step == 1:
        return
    if path is None or not is_lesson(path):
        raise UsageError("--step is for lessons, files NAME.lesson.toml")
    lesson, _ = read_lesson(path)
    count = 1 if lesson is None else len(lesson.steps)
    if lesson is not None and not 1 <= step <= count:
        raise UsageError(f"'{path.name}' has steps 1 to {count}, none with the number {step}")


def _require_window_system() -> None:
    if not has_window_system():
        raise UsageError(
            "there is no display for a window; `simulator run FILE --duration 1` simulates and `simulator render FILE "
            "-o out.png` draws without one"
        )
