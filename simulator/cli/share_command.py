"""`simulator share`: a mechanism or a lesson as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, OK, note, print_diagnostics
from simulator.diagnostics import some_of
from simulator.errors import UsageError
from simulator.formats.files import read_regular
from simulator.formats.lesson import is_lesson, read_lesson
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run.lessons import check_lesson
from simulator.session.share.page import PageStep
from simulator.session.share.sharing import lesson_steps, write_page
from simulator.session.text.inputs import is_one_of, refuse_input
from simulator.session.text.settings import demonstration_drives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.options import ReadingOptions
    from simulator.session.text.settings import SessionSettings

LARGEST_NOTES = 1_000_000
"""Bytes of a text beside a mechanism."""
NAMED = 3
"""Files that a message names."""


def share_file(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    *,
    output: Path | None,
    duration: float,
    title: str | None,
    notes: str | None,
    hand_in: str | None = None,
) -> int:
    """Write the page and return the exit code. `notes`: a text, or the name of a file with one (.md or .txt).
    `hand_in`: the name of the one who hands it in, for a folder instead.

    Raises UsageError for a file that cannot be read or written.
    """
    path = find_file(file)
    if hand_in is not None:
        return _hand_in(file, settings, options, output, HandInWords(title, notes, hand_in, duration))
    target = output or Path(f"{path.name.partition('.')[0]}.html")
    if target.suffix.lower() not in {".html", ".htm"}:
        raise UsageError(f"'{target}' is no .html file: pages are written as HTML")
    if is_lesson(path):
        return _share_lesson(path, options, target, duration=duration, title=title)
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    refuse_input(target, opened, settings)
    text, folder = _words(notes)
    step = PageStep(opened, replace(settings, numbers=()), notes=text, folder=folder)
    size = write_page(target, [step], title or opened.world.name, duration=duration)
    note(f"wrote {target} ({size / 1e6:.2f} MB)")
    return OK


class HandInWords(NamedTuple):
    """What is said about a mechanism that is handed in, and how long it runs [s]."""

    title: str | None
    notes: str | None
    author: str
    duration: float


def _hand_in(
    file: str, settings: SessionSettings, options: ReadingOptions, output: Path | None, said: HandInWords
) -> int:
    """Write the folder. Drives are those that are given, else those of the document."""
    from simulator.session.share.hand_in import HandIn, folder_for, hand_in

    if is_lesson(find_file(file)):
        raise UsageError("a lesson is no mechanism: hand in the document that it shows")
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    drives = settings.drives or demonstration_drives(opened.world, opened.mechanism)
    text, pictures = _words(said.notes)
    folder = output or Path(folder_for(opened.path))
    found = replace(settings, numbers=(), drives=drives)
    title = said.title or opened.world.name
    written = hand_in(HandIn(opened, found, title, text, said.author, said.duration, pictures=pictures), folder)
    note(f"wrote {folder}: open {written.folder / 'index.html'} in a browser, or {written.lesson} in the window")
    if written.left_out:
        note(stayed_behind(written.left_out))
    return OK


def stayed_behind(files: Sequence[str]) -> str:
    """That included documents name files which are not in the folder, on one line."""
    names = some_of([f"'{name}'" for name in files], NAMED)
    return (
        f"not in the folder, because included documents name them elsewhere: {names}; the page shows them, on "
        "another computer the lesson lacks them"
    )


def _share_lesson(path: Path, options: ReadingOptions, target: Path, *, duration: float, title: str | None) -> int:
    open_world = cache(partial(open_document, options=options))
    lesson, found = read_lesson(path)
    if lesson is not None:
        found = (*found, *check_lesson(lesson, open_world))
    print_diagnostics(found)
    if lesson is None or any(item.is_error for item in found):
        return DOCUMENT_ERRORS
    if is_one_of(target, (str(path), *(str(step.world) for step in lesson.steps))):
        raise UsageError(f"'{target}' belongs to the lesson; name another file, nothing was written")
    steps = lesson_steps(lesson, open_world)
    size = write_page(target, steps, title or lesson.title, duration=duration)
    note(f"wrote {target} ({size / 1e6:.2f} MB)")
    return OK


def _words(notes: str | None) -> tuple[str, Path]:
    """The text, and the folder that its pictures are in."""
    if notes is None or not notes.lower().endswith((".md", ".txt")):
        return notes or "", Path()
    path = Path(notes)
    try:
        return read_regular(path, LARGEST_NOTES).decode("utf-8"), path.parent
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"'{notes}' cannot be read: {error}") from None
