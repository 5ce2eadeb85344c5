"""`simulator render`: a picture without a display."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, complain, note, print_diagnostics
from simulator.errors import UsageError
from simulator.session.batch import run_batch
from simulator.session.drive_text import parse_drive_text
from simulator.session.examples import find_file
from simulator.session.factory import make_engine, remark_on
from simulator.session.opening import open_document
from simulator.session.picture import picture_of
from simulator.session.settings import SessionSettings, parse_initial

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 16384


@dataclass(frozen=True)
class RenderRequest:
    """What was asked for on the command line."""

    file: str
    output: Path
    time: float
    size: str
    solver: str
    dark: bool
    drives: tuple[str, ...]
    initial: tuple[str, ...]
    resource_paths: tuple[Path, ...]


def render_document(request: RenderRequest) -> int:
    """Simulate up to the asked time and write the picture; returns the exit code. A run that fails is drawn as far as it came."""
    if request.output.suffix.lower() != ".png":
        raise UsageError(f"'{request.output}' is no .png file: pictures are written as PNG")
    size = parse_size(request.size)
    settings = SessionSettings(
        solver=request.solver,
        drive_texts=tuple(parse_drive_text(text) for text in request.drives),
        initial=tuple(parse_initial(text) for text in request.initial),
    )
    opened = open_document(find_file(request.file), request.resource_paths)
    print_diagnostics(opened.diagnostics)
    if opened.has_errors:
        return DOCUMENT_ERRORS
    engine = make_engine(opened, settings)
    note(remark_on(opened, settings.solver))
    try:
        summary = run_batch(engine, request.time)
    finally:
        engine.close()
    assert summary.last is not None
    picture_of(opened, summary.last, request.output, size=size, dark=request.dark)
    if summary.failure is not None:
        complain(summary.failure)
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
