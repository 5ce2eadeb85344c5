"""`simulator optimise` and `simulator tolerances`: what a study is to answer, on standard output."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import typer

from simulator.cli.interruption import interruptible
from simulator.cli.output import OK, note
from simulator.cli.study_command import report_samples, shown
from simulator.cli.study_options import AsJson, Dask, OutputFolder, Processes, Resume, StudyFile, Threads
from simulator.diagnostics import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator.studies.optimise import Optimum


def optimise(
    study: StudyFile,
    output: OutputFolder = None,
    workers: Threads = None,
    processes: Processes = 0,
    dask: Dask = "",
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Find the parameters of the least or greatest measure, or those that fit a recording."""
    from simulator.studies.optimise import optimisation_task, optimum_of
    from simulator.studies.reading import read_plan
    from simulator.studies.workers import Workers

    task = optimisation_task(read_plan(study))
    who = Workers(workers or os.cpu_count() or 1, processes, dask)
    with _interruptible(output), ExitStack() as stack:
        show = shown(stack)
        found = optimum_of(
            task, output, who, resume=resume, say=note, show=lambda made, most, failed: show(made, most, failed, "")
        )
    _print(json.dumps(_optimum_table(found), indent=1, ensure_ascii=False) if as_json else repr(found))
    if not found.feasible:
        note("no sample meets all constraints: this one violates them least")
    raise typer.Exit(OK)


def tolerances(
    study: StudyFile,
    output: OutputFolder = None,
    workers: Threads = None,
    processes: Processes = 0,
    dask: Dask = "",
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Analyse the effect of tolerances: worst case, root sum square, Monte Carlo, contributors, yield."""
    from simulator.studies.reading import read_plan
    from simulator.studies.samples import FailureCauses
    from simulator.studies.tolerance_values import as_table
    from simulator.studies.tolerances import tolerance_analysis, tolerance_task
    from simulator.studies.workers import Workers

    task = tolerance_task(read_plan(study))
    who = Workers(workers or os.cpu_count() or 1, processes, dask)
    made = FailureCauses()
    begun = time.perf_counter()

    with _interruptible(output), ExitStack() as stack:
        found = tolerance_analysis(task, output, who, resume=resume, show=shown(stack), say=note, sees=made.add_rows)
    report_samples(made, output or study, time.perf_counter() - begun)
    _print(json.dumps(as_table(found), indent=1, ensure_ascii=False) if as_json else repr(found))
    raise typer.Exit(OK)


def _optimum_table(found: Optimum) -> dict[str, Any]:
    table: dict[str, Any] = {
        "parameters": found.parameters,
        "at_bounds": found.at_bounds,
        "measures": found.measures,
        "objective": {found.aim: found.objective},
        "constraints": found.constraints,
        "ended": found.ended,
        "samples": found.samples,
        "failed": found.failed,
        "command": found.command,
    }
    if found.fit is not None:
        table["fit"] = found.fit.as_table()
    return table


def _print(text: str) -> None:
    for line in text.splitlines():
        print(printable(line))


@contextmanager
def _interruptible(output: Path | None) -> Iterator[None]:
    with interruptible() as interruption:
        try:
            yield
        except KeyboardInterrupt:
            kept = f": {output} holds the results so far; --resume continues" if output is not None else ""
            note(f"{interruption.story}{kept}")
            raise typer.Exit(interruption.exit_code) from None
