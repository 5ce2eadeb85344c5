"""`simulator run`: simulate without a window."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.cli.output import (
    DOCUMENT_ERRORS,
    FAILED,
    INTERRUPTED,
    OK,
    complain,
    interruptible,
    note,
    print_diagnostics,
)
from simulator.recording.channels import channels_of, row_of
from simulator.recording.csv_file import CsvWriter
from simulator.session.batch import RunSummary, run_batch
from simulator.session.drive_text import parse_drive_text
from simulator.session.examples import find_file
from simulator.session.factory import make_engine, remark_on
from simulator.session.opening import open_document
from simulator.session.settings import SessionSettings, parse_initial

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot

LONG_RUN = 0.5
"""Simulated seconds from which a run gets a progress bar."""


@dataclass(frozen=True)
class RunRequest:
    """What was asked for on the command line."""

    file: str
    duration: float
    dt: float | None
    solver: str
    drives: tuple[str, ...]
    initial: tuple[str, ...]
    csv: Path | None
    every: float | None
    as_json: bool
    resource_paths: tuple[Path, ...]


def run_document(request: RunRequest) -> int:
    """Run, record, report; returns the exit code. Everything recorded before a failure or Ctrl-C is written."""
    settings = SessionSettings(
        solver=request.solver,
        dt=request.dt,
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
        summary = _run(engine, request)
        if request.as_json:
            print(json.dumps(summary.as_dict(engine)))
        return _report(summary, engine)
    finally:
        engine.close()


def _run(engine: Engine, request: RunRequest) -> RunSummary:
    with ExitStack() as stack:
        sink: Callable[[Snapshot], None] = _nothing
        if request.csv is not None:
            writer = stack.enter_context(
                CsvWriter(request.csv, channels_of(engine.mechanism, engine.actuation.actuators))
            )
            sink = lambda snapshot: writer.write(row_of(snapshot, engine.actuation.actuators))  # noqa: E731
        progress: Callable[[float], None] = _nothing
        if sys.stderr.isatty() and request.duration >= LONG_RUN:
            progress = _progress(stack, request.duration)
        stack.enter_context(interruptible())
        return run_batch(engine, request.duration, every=request.every, sink=sink, progress=progress)


def _nothing(_: object) -> None:
    """Where nobody listens."""


def _progress(stack: ExitStack, duration: float) -> Callable[[float], None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("simulating"),
        BarColumn(),
        TextColumn("{task.completed:.2f} / {task.total:g} s"),
        TimeRemainingColumn(),
    )
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=duration)

    def show(time: float) -> None:
        bar.update(task, completed=time)

    return show


def _report(summary: RunSummary, engine: Engine) -> int:
    if summary.failure is not None:
        complain(summary.failure)
        print(f"recorded up to {summary.simulated:.6g} s", file=sys.stderr)
        return FAILED
    if summary.interrupted:
        print(f"interrupted at {summary.simulated:.6g} s; everything up to there is recorded", file=sys.stderr)
        return INTERRUPTED
    parts = [
        f"{summary.steps} steps, {summary.simulated:g} s simulated in {summary.wall:.2f} s ({engine.enforcement.name})"
    ]
    if engine.mechanism.couplings:
        parts.append(f"couplings within {summary.max_coupling_residual:.1e}")
    if engine.mechanism.loop_joints:
        parts.append(f"loops within {summary.max_loop_residual_m:.1e} m, {summary.max_loop_residual_rad:.1e} rad")
    print("; ".join(parts), file=sys.stderr)
    return OK
