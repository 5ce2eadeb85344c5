"""`simulator study`: many variants of a mechanism into a folder of Parquet files."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simulator.cli.interruption import interruptible
from simulator.cli.output import OK, note
from simulator.cli.study_options import Dask, Processes, Resume, StudyFile, Threads
from simulator.diagnostics import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.studies.samples import FailureCauses, StudyTask

commands = typer.Typer(help="Simulate many variants of a mechanism: `simulator study STUDY.toml -o FOLDER`.")
DEFAULT = "run"
"""The command that `simulator study STUDY.toml` means."""
SECONDS = 10.0
"""Between two lines about how far a study is, where standard error is no terminal."""
REASONS = 5
"""Causes of failures that are listed."""


@commands.command()
def run(
    study: StudyFile,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="the folder to write")],
    workers: Threads = None,
    processes: Processes = 0,
    dask: Dask = "",
    resume: Resume = False,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="the first N samples only")] = None,
) -> None:
    """Simulate the samples of a study; --resume continues an interrupted one."""
    from simulator.studies.reading import read_plan
    from simulator.studies.samples import FailureCauses
    from simulator.studies.study import task_of
    from simulator.studies.workers import Workers

    task = task_of(read_plan(study))
    who = Workers(workers or os.cpu_count() or 1, processes, dask)
    made = FailureCauses()
    begun = time.perf_counter()
    with interruptible() as interruption:
        try:
            with ExitStack() as stack:
                _make(task, output, who, made, resume=resume, limit=limit, show=shown(stack))
        except KeyboardInterrupt:  # what is said while the bar is there goes with it
            note(f"{interruption.story}: {output} holds the results so far; --resume continues")
            raise typer.Exit(interruption.exit_code) from None
    report_samples(made, output, time.perf_counter() - begun)
    raise typer.Exit(OK)


@commands.command()
def report(
    results: Annotated[Path, typer.Argument(metavar="FOLDER", help="the results of a study")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT.html", help="the page to write")],
) -> None:
    """Write a page about a study's results: distributions, sensitivities, failures, samples at the ends."""
    from simulator.studies.report import write_study_report

    found = write_study_report(results, output)
    note(f"{output}: {counted(len(found), 'sample')}, {len(found) - int(found.ok.sum())} failed")
    raise typer.Exit(OK)


def _make(
    task: StudyTask,
    output: Path,
    who: object,
    made: FailureCauses,
    *,
    resume: bool,
    limit: int | None,
    show: Callable[[int, int, int, str], None],
) -> None:
    from simulator.studies.study import parts_of
    from simulator.studies.workers import Workers

    assert isinstance(who, Workers)
    for rows in parts_of(task, output, who, resume=resume, limit=limit, show=show, say=note):
        made.add_rows(rows)


def report_samples(made: FailureCauses, output: Path | str, seconds: float) -> None:
    """How many samples were made, how fast, and why others failed."""
    rate = f", {made.samples / seconds:.0f} a second" if made.samples else ""
    note(f"{output}: {counted(made.samples, 'sample')} in {seconds:.1f} s{rate}; {made.failed} failed")
    causes = made.by_number()
    for cause in causes[:REASONS]:
        note(f"  {cause.number} × {cause.text}")
    if len(causes) > REASONS:
        note(f"  and {counted(len(causes) - REASONS, 'more cause')}: the columns status and reason have them all")


def shown(stack: ExitStack) -> Callable[[int, int, int, str], None]:
    """What hears how far a study is: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        return _Lines()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("sampling"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    bar = stack.enter_context(Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=None)
    begun = time.perf_counter()
    first: list[int] = []

    def show(done: int, total: int, failed: int, link: str) -> None:
        if not first:
            first.append(done)
            if link:
                note(f"Dask shows its work at {link}")
        rate = (done - first[0]) / max(time.perf_counter() - begun, 1e-9)
        bar.update(task, completed=done, total=total, description=f"{rate:.0f}/s, {failed} failed")

    return show


class _Lines:
    def __init__(self) -> None:
        self._last = time.perf_counter()

    def __call__(self, done: int, total: int, failed: int, link: str) -> None:
        now = time.perf_counter()
        if now - self._last >= SECONDS:
            self._last = now
            note(f"{done} of {total} samples, {failed} failed")


def with_run(arguments: list[str]) -> list[str]:
    """`simulator study STUDY.toml` means `simulator study run STUDY.toml`."""
    known = {command.name or getattr(command.callback, "__name__", "") for command in commands.registered_commands}
    if arguments and arguments[0] not in known and arguments[0] not in ("-h", "--help"):
        return [DEFAULT, *arguments]
    return arguments
