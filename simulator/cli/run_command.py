"""`simulator run`: simulate without a window."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from simulator.cli.interruption import Interruption, interruptible
from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, note
from simulator.diagnostics import counted
from simulator.recording.channels import channels_of
from simulator.recording.writing import writer_of
from simulator.session.batch.batch import MOST_AT_ONCE, BlockSize, RunSummary, run_batch, stride_of
from simulator.session.batch.run_report import RunReport
from simulator.session.commands.coupling_summary import coupling_lines
from simulator.session.commands.factory import make_engine, remark_on
from simulator.session.forces.reactions import ReactionRows
from simulator.session.stream.viewers import check_viewer, sampling, shown_live
from simulator.session.text.inputs import refuse_input

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from simulator.cli.options import RecordingOptions
    from simulator.engine.engine import Engine
    from simulator.formats.options import ReadingOptions
    from simulator.recording.channels import Channel
    from simulator.recording.writing import RowWriter
    from simulator.session.stream.viewers import Live
    from simulator.session.text.settings import SessionSettings
    from simulator.spatial.arrays import Array

Taken = TypeVar("Taken")

LOOKS = 300
"""Blocks of a run of which pictures are drawn."""
LONG_RUN = 0.5
"""Simulated seconds from which a run gets a progress bar."""


def run_document(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    recording: RecordingOptions,
    *,
    duration: float,
    as_json: bool,
) -> int:
    """Run, record, report; returns the exit code. Everything recorded before a failure or a signal is written.

    Raises UsageError if the file cannot be written, or is one that the simulation is made from.
    """
    output = recording.output
    reactions = recording.reactions or recording.fixed_joints
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    for path in (output, recording.report):
        if path is not None:
            refuse_input(path, opened, settings)
    if recording.stream is not None:
        check_viewer(recording.stream)
    engine = make_engine(opened, settings)
    every = recording.every
    if recording.stream is not None and every is None:
        every = sampling(engine.dt)
    note(remark_on(opened, settings.solver, settings.dt))
    if reactions and output is None:
        note("--reactions are columns of the file of -o, and there is none")
    try:
        beside = None
        if reactions and output is not None:
            beside = ReactionRows(engine, opened.world, fixed_joints=recording.fixed_joints)
            note(beside.contacts.remark)
        report = None if recording.report is None else RunReport(opened, settings, engine, duration)
        with ExitStack() as stack:
            live = None
            if recording.stream is not None and every is not None:
                apart = engine.dt * stride_of(engine.dt, every, "samples")
                live = stack.enter_context(shown_live(recording.stream, opened, _channels(engine), 0.0, apart, note))
            summary, interruption = _run(engine, duration, output, every, beside, report, live)
        if report is not None and recording.report is not None:
            report.write(recording.report, summary)
        if every is not None and output is None and live is None:
            note("--every says how often a sample goes into the file of -o, and there is none")
        if as_json:
            print(json.dumps(summary.as_dict(engine)))
        return _report(summary, interruption, engine)
    finally:
        engine.close()


def _run(
    engine: Engine,
    duration: float,
    output: Path | None,
    every: float | None,
    beside: ReactionRows | None,
    report: RunReport | None,
    live: Live | None,
) -> tuple[RunSummary, Interruption]:
    with ExitStack() as stack:
        sinks: list[Callable[[Array], None]] = [] if report is None else [report.take]
        if live is not None:
            sinks.append(live.take)
        if output is not None:
            columns = (*_channels(engine), *(beside.channels if beside else ()))
            writer = stack.enter_context(writer_of(output, columns, engine.mechanism))
            sinks.append(writer.write_rows if beside is None else _rows_with_reactions(writer, beside))
        progress: Callable[[float], None] = _nothing
        if sys.stderr.isatty() and duration >= LONG_RUN:
            progress = _progress(stack, duration)
        interruption = stack.enter_context(interruptible())
        summary = run_batch(
            engine,
            duration,
            every=every,
            sink=partial(_to_all, sinks) if sinks else None,
            progress=progress if live is None else partial(_to_all, (progress, live.wait)),
            whole=interruption.in_one_piece,
            pace=_pace(beside, report, live, engine.dt, duration),
        )
        return summary, interruption


def _pace(
    beside: ReactionRows | None, report: RunReport | None, live: Live | None, dt: float, duration: float
) -> BlockSize | None:
    """Reactions need a look at every step, a report one where it draws a picture, a stream one for each sample."""
    if beside is not None:
        return BlockSize(1)
    most = MOST_AT_ONCE if report is None else max(1, round(duration / dt) // LOOKS)
    if live is not None:
        most = min(most, round(sampling(dt) / dt))
    return None if report is None and live is None else BlockSize(min(most, MOST_AT_ONCE))


def _channels(engine: Engine) -> tuple[Channel, ...]:
    return channels_of(engine.mechanism, engine.actuation.actuators)


def _to_all(takers: Sequence[Callable[[Taken], None]], taken: Taken) -> None:
    for take in takers:
        take(taken)


def _rows_with_reactions(writer: RowWriter, beside: ReactionRows) -> Callable[[Array], None]:
    return lambda rows: writer.write_rows(beside.beside(rows))


def _nothing(_: object) -> None:
    """Discards what it receives."""


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


def _report(summary: RunSummary, interruption: Interruption, engine: Engine) -> int:
    for text in engine.branches():
        print(text, file=sys.stderr)
    for finding in summary.findings:
        print(finding, file=sys.stderr)
    if summary.failure is not None:
        note(str(summary.failure))
        print(f"recorded up to {summary.simulated:.6g} s", file=sys.stderr)
        return FAILED
    if summary.interrupted:
        told = f"{interruption.story} at {summary.simulated:.6g} s; everything up to there is recorded"
        print(told, file=sys.stderr)
        return interruption.exit_code
    parts = [
        f"{counted(summary.steps, 'step')}, {summary.simulated:g} s simulated in {summary.wall:.2f} s "
        f"({engine.strategy})"
    ]
    for line in coupling_lines(summary.couplings):
        print(line, file=sys.stderr)
    if engine.mechanism.couplings:
        parts.append(f"couplings within {summary.max_coupling_residual:.1e}")
    if engine.mechanism.loop_joints:
        parts.append(f"loops within {summary.max_loop_residual_m:.1e} m, {summary.max_loop_residual_rad:.1e} rad")
    print("; ".join(parts), file=sys.stderr)
    return OK
