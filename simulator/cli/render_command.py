"""`simulator render`: a picture without a display."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.cli.compiling import compilation_shown
from simulator.cli.opened import opened_or_told
from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, note
from simulator.errors import UsageError
from simulator.session.batch import run_batch
from simulator.session.factory import make_engine, remark_on
from simulator.session.inputs import refuse_input
from simulator.session.picture import picture_of

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.formats.options import ReadingOptions
    from simulator.session.settings import SessionSettings

LARGEST = 16384


def render_document(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    *,
    output: Path,
    time: float,
    size: str,
    dark: bool,
) -> int:
    """Simulate up to the asked time and write the picture; returns the exit code. A run that fails is drawn as far as it came."""
    if output.suffix.lower() != ".png":
        raise UsageError(f"'{output}' is no .png file: pictures are written as PNG")
    if not output.parent.is_dir():
        raise UsageError(f"'{output}' cannot be written: there is no folder '{output.parent}'")
    pixels = parse_size(size)
    opened = opened_or_told(file, options)
    if opened is None:
        return DOCUMENT_ERRORS
    refuse_input(output, opened, settings)
    with compilation_shown() as announce:
        engine = make_engine(opened, settings, announce=announce)
    note(remark_on(opened, settings.solver))
    try:
        summary = run_batch(engine, time)
    finally:
        engine.close()
    assert summary.last is not None
    for reason in picture_of(opened, summary.last, output, size=pixels, dark=dark):
        note(reason)
    if summary.failure is not None:
        note(str(summary.failure))
        return FAILED
    return OK


def parse_size(text: str) -> tuple[int, int]:
    """`WxH` in pixels. Raises UsageError where it is something else."""
    match = re.fullmatch(r"(\d+)[xX×](\d+)", text)
    if match is None:
        raise UsageError(f"'{text}' is no size: write WIDTHxHEIGHT, e.g. 1280x720")
    width, height = int(match.group(1)), int(match.group(2))
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        raise UsageError(f"a picture of {text} pixels cannot be drawn; each side is 1 to {LARGEST}")
    return width, height
