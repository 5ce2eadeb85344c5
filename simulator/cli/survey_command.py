"""`simulator survey`: check, a short run and a picture of every document of folders."""

from __future__ import annotations

import math
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.cli.interruption import interruptible
from simulator.cli.output import OK, note, say

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there are as many processes as processors

from simulator.diagnostics import counted, printable
from simulator.errors import UnknownNameError, UsageError
from simulator.session.survey.folders import Folder, look_into
from simulator.session.survey.page import write_page, write_sheets
from simulator.session.survey.statistics import by_folder
from simulator.session.survey.survey import SurveySettings, prepare, read_records, survey
from simulator.session.survey.tables import folder_table, summary_lines, write_csv, write_markdown
from simulator.session.text.settings import SOLVERS, SessionSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from simulator.cli.options import ExaminationOptions
    from simulator.formats.options import ReadingOptions
    from simulator.session.survey.record import Record
    from simulator.session.survey.statistics import Statistics

    Hear = Callable[[Record], None]


GIGABYTE = 1 << 30


def survey_folders(
    roots: Sequence[Path], out: Path, settings: SurveySettings, *, xacro: bool = False, resume: bool = False
) -> int:
    """Examine everything, write the tables, the page and the sheets, and print the sums.

    The exit code is 0 whatever the documents are like, and that of an interruption after a signal; what there is until
    then is written. Raises UsageError if there is no document or nothing can be written.
    """
    folders = _looked_into(roots, xacro)
    known = prepare(out, resume=resume)
    folders = [_without(folder, known) for folder in folders]
    documents = sum(len(folder.documents) for folder in folders)
    interrupted = False
    started = time.monotonic()
    with interruptible() as interruption:
        try:
            with ExitStack() as stack:
                hear = _hearing(stack, documents)
                for record in survey(folders, out, settings):
                    hear(record)
        except KeyboardInterrupt:
            interrupted = True
    records = read_records(out)
    statistics = by_folder(records, _names(folders, records))
    remarks = _remarks(folders, statistics, settings, time.monotonic() - started)
    _write(out, records, statistics, remarks)
    _print(statistics, remarks)
    note(f"{interruption.story}; repeat the command with --resume to continue" if interrupted else "")
    return interruption.exit_code if interrupted else OK


def survey_settings(options: ReadingOptions, asked: ExaminationOptions) -> SurveySettings:
    """Settings from what the command line says. Raises UsageError for a strategy or a duration that cannot
    be."""
    if asked.solver not in SOLVERS:
        raise UnknownNameError("solver", asked.solver, SOLVERS)
    if not math.isfinite(asked.duration) or asked.duration < 0.0:
        raise UsageError(f"a duration of {asked.duration:g} s cannot be simulated; give seconds, 0 or more")
    return SurveySettings(
        session=SessionSettings(solver=asked.solver, dt=asked.dt),
        options=replace(
            options,
            resource_paths=tuple(path.absolute() for path in options.resource_paths),
            hold_base=options.hold_base or asked.exercise,
        ),
        duration=asked.duration,
        limit=asked.limit,
        memory=round(asked.memory * GIGABYTE),
        jobs=asked.jobs or len(os.sched_getaffinity(0)),
        own_paths=asked.own_paths,
        pictures=not asked.no_pictures,
        exercise=asked.exercise,
    )


def _looked_into(roots: Sequence[Path], xacro: bool) -> list[Folder]:
    """The folders, each document in the first of them that holds it."""
    seen: set[Path] = set()
    folders = []
    for root in roots:
        folder = look_into(root, xacro=xacro)
        own = tuple(path for path in folder.documents if path.absolute() not in seen)
        seen.update(path.absolute() for path in own)
        folders.append(replace(folder, documents=own))
    if not seen:
        raise UsageError(f"there is no .sdf, .world, .urdf or MJCF document below {', '.join(map(str, roots))}")
    return folders


def _without(folder: Folder, known: Collection[str]) -> Folder:
    return replace(folder, documents=tuple(path for path in folder.documents if str(path) not in known))


def _names(folders: Sequence[Folder], records: Sequence[Record]) -> list[str]:
    """Of the folders that were given, and of those that a resumed survey has from before."""
    return list(dict.fromkeys([str(folder.root) for folder in folders] + [record.folder for record in records]))


def _remarks(
    folders: Sequence[Folder], statistics: Sequence[Statistics], settings: SurveySettings, seconds: float
) -> list[str]:
    left_out = {
        "template": sum(folder.templates for folder in folders),
        "library of xacro macros": sum(folder.libraries for folder in folders),
    }
    options = settings.options
    ways = ["strict"] if options.strict else []
    ways += ["bases held"] if options.hold_base else []
    ways += ["axes exercised"] if settings.exercise else []
    said = f"; {', '.join(ways)}" if ways else ""
    return [
        *summary_lines(statistics[0]),
        *(f"left out: {_counted(number, what)}" for what, number in left_out.items() if number),
        f"each simulated for {settings.duration:g} s with {settings.session.solver}, {settings.limit:g} s at "
        f"most{said}; {seconds:.0f} s in all with {settings.jobs} at a time",
    ]


def _counted(number: int, what: str) -> str:
    noun, _, rest = what.partition(" ")
    plural = noun if number == 1 else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return " ".join(filter(None, (str(number), plural, rest)))


def _write(out: Path, records: Sequence[Record], statistics: Sequence[Statistics], remarks: Sequence[str]) -> None:
    try:
        write_csv(out / "survey.csv", records)
        write_markdown(out / "survey.md", records, statistics, remarks)
        write_page(out / "index.html", records, statistics, remarks)
        write_sheets(out, records, f"Survey of {counted(len(records), 'document')}")
    except OSError as error:
        raise UsageError(f"the survey cannot be written to {out}: {error.strerror}") from error
    note(f"{out / 'index.html'} shows all documents; survey.md, survey.csv and survey.json beside it have the numbers")


def _print(statistics: Sequence[Statistics], remarks: Sequence[str]) -> None:
    from simulator.cli.page import Table, page

    headings, rows = folder_table(statistics)
    table = Table(*headings, numbers=headings[1:])
    for row in rows:
        table.add_row(*row)
    page().print(table)
    print("\n".join(map(printable, remarks)))


def _hearing(stack: ExitStack, documents: int) -> Hear:
    """What hears of each record: a bar on a terminal, else a line each."""
    if not sys.stderr.isatty():
        number = iter(range(1, documents + 1))
        return lambda record: say(f"{next(number)}/{documents} {_line(record)}")
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("examining"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    # Drawn by this thread: where another might hold a lock, no process should be forked.
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False))
    task = bar.add_task("", total=documents)

    def show(record: Record) -> None:
        bar.update(
            task, advance=1, description=printable(f"{record.outcome} {os.path.basename(record.file)}"), refresh=True
        )

    return show


def _line(record: Record) -> str:
    return f"{record.outcome}: {record.file}" + (f" ({record.reason})" if record.reason else "")
