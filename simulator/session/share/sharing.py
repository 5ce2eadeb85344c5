"""Pages of documents and of lessons, written to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.session.batch.conversion import write_whole
from simulator.session.share.page import DURATION, PageStep, page_of
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.model.lesson import Lesson
    from simulator.session.open.opening import Opened

LONGEST = 600.0
"""Seconds of a recording in a page."""


def lesson_steps(lesson: Lesson, open_world: Callable[[Path], Opened]) -> list[PageStep]:
    """Steps of a page from those of a lesson. Raises DocumentError for a world with errors."""
    worlds: dict[Path, Opened] = {}
    steps = []
    for step in lesson.steps:
        if step.world not in worlds:
            worlds[step.world] = open_world(step.world)
            worlds[step.world].require_valid()
        settings = SessionSettings(
            solver=step.solver,
            drives=tuple(parse_drive(f"{name}={text}") for name, text in step.drives),
            initial=step.initial,
        )
        steps.append(
            PageStep(
                worlds[step.world],
                settings,
                title=step.title,
                notes=step.notes,
                question=step.question,
                answer=step.answer,
                camera=step.camera,
                traces=() if step.draw else step.traces,  # a page has no sheet, and shows the world
                run=step.run,
                folder=lesson.path.parent,
            )
        )
    return steps


def write_page(path: Path, steps: list[PageStep], title: str, *, duration: float = DURATION) -> int:
    """Write a page, all of it or nothing; returns its size [bytes]. Raises UsageError for a duration that a recording
    cannot have and a file that cannot be written, and what `page_of` raises."""
    if not 0.0 < duration <= LONGEST:
        raise UsageError(f"a page cannot have a recording of {duration:g} s; give seconds, up to {LONGEST:g}")
    if not path.parent.is_dir():
        raise UsageError(f"'{path}' cannot be written: there is no folder '{path.parent}'")
    content = page_of(steps, title, duration=duration).encode("utf-8")
    write_whole(path, content)
    return len(content)
