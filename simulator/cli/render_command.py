"""`simulator render`: a picture or a film without a display."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, note
from simulator.errors import UsageError
from simulator.rendering.films import SUFFIXES, require_film
from simulator.session.batch.batch import run_batch
from simulator.session.batch.conversion import write_whole
from simulator.session.commands.factory import make_engine, remark_on
from simulator.session.look.film import film_of
from simulator.session.look.glb import SUFFIX as GLB
from simulator.session.look.glb import glb_of_motion
from simulator.session.look.picture import picture_of
from simulator.session.text.inputs import refuse_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from simulator.cli.options import PictureOptions
    from simulator.formats.options import ReadingOptions
    from simulator.session.text.settings import SessionSettings


LARGEST = 16384
LONGEST, MOST_POSES = 3600.0, 1000.0
"""Seconds of a film, and poses a second of a model in motion."""


def render_document(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    picture: PictureOptions,
    *,
    dark: bool,
) -> int:
    """Simulate up to the asked time and write the picture, or the film of `duration` seconds from there on, or either
    as a model; returns the exit code. A run that fails is drawn as far as it came."""
    output = picture.output
    duration = picture.duration
    fps = picture.fps
    _require_output(output, duration, fps)
    pixels = parse_size(picture.size)
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    refuse_input(output, opened, settings)
    engine = make_engine(opened, settings)
    note(remark_on(opened, settings.solver, settings.dt))
    try:
        summary = run_batch(engine, picture.time)
        failure = summary.failure
        if output.suffix.lower() == GLB and failure is None:
            data, failure = glb_of_motion(opened, engine, duration or 0.0, fps)
            write_whole(output, data)
        elif duration is not None and failure is None:
            with film_shown() as progress:
                failure = film_of(
                    opened, engine, output, duration=duration, fps=fps, size=pixels, dark=dark, progress=progress
                )
    finally:
        engine.close()
    if duration is None and output.suffix.lower() != GLB:
        assert summary.last is not None
        for reason in picture_of(opened, summary.last, output, size=pixels, dark=dark, loads=engine.mechanism.loads):
            note(reason)
    if failure is not None:
        note(str(failure))
        return FAILED
    return OK


def _require_output(output: Path, duration: float | None, fps: float) -> None:
    """Raise UsageError where nothing can be written, before anything is simulated."""
    suffix = output.suffix.lower()
    if duration is None and suffix not in (".png", GLB):
        more = ": a film needs --duration" if suffix in SUFFIXES else ": pictures are written as PNG, models as GLB"
        raise UsageError(f"'{output}' is no .png file{more}")
    if duration is not None:
        if not 0.0 < duration < LONGEST:
            raise UsageError(f"a film of {duration:g} s cannot be written; give seconds, up to {LONGEST:g}")
        if suffix != GLB:
            require_film(output, fps)
        elif not 0.1 <= fps <= MOST_POSES:
            raise UsageError(f"{fps:g} poses a second cannot be written; give 0.1 to {MOST_POSES:g}")
    if not output.parent.is_dir():
        raise UsageError(f"'{output}' cannot be written: there is no folder '{output.parent}'")


def parse_size(text: str) -> tuple[int, int]:
    """`WxH` in pixels. Raises UsageError if it is something else."""
    match = re.fullmatch(r"(\d+)[xX×](\d+)", text)
    if match is None:
        raise UsageError(f"'{text}' is not a size: write WIDTHxHEIGHT, e.g. 1280x720")
    width, height = int(match.group(1)), int(match.group(2))
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        raise UsageError(f"a picture of {text} pixels cannot be drawn; each side is 1 to {LARGEST}")
    return width, height


@contextmanager
def film_shown() -> Iterator[Callable[[int, int], None]]:
    """Gives what is called with the number of pictures that are drawn and that of all."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("drawing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
