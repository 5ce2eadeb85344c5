"""Handing in: a folder with a mechanism, what it does, and the words of the one who made it; it opens as a lesson.

`index.html` is the page of `share` with the words beside the mechanism, `report.html` that of a run, with curves and
tables; beside them are the document, the recording, a picture and the words. `NAME.lesson.toml` shows the document with
the words and, in a second step, the figures.
"""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.formats.files import read_regular
from simulator.formats.lesson import SUFFIX
from simulator.recording.channels import channels_of
from simulator.recording.csv_file import CsvWriter
from simulator.records import dataclass
from simulator.session.batch.batch import run_batch
from simulator.session.batch.conversion import write_whole
from simulator.session.batch.run_report import RunReport
from simulator.session.commands.factory import make_engine
from simulator.session.look.picture import picture_of
from simulator.session.save.saving_changes import with_paths
from simulator.session.share.page import PageStep
from simulator.session.share.sharing import LONGEST, write_page
from simulator.session.text.drive_text import format_drive
from simulator.session.text.toml import toml_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.recording.channels import Channel
    from simulator.session.batch.batch import RunSummary
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings
    from simulator.spatial.arrays import Array

PICTURE = (1200, 800)
FIGURES = "![The mechanism]({picture})\n\n{table}"
AWAY = "files"
"""The folder of what the document names elsewhere."""
LARGEST = 100_000_000
"""Bytes of a document."""
PICTURE_IN_WORDS = re.compile(r"!\[[^\]]*\]\(([^)\s:]+)\)")
ROWS = 12
"""Of the table of figures in the lesson: the report has all channels."""
WORDS, RECORDING, IMAGE, PAGE, REPORT = "words.md", "recording.csv", "picture.png", "index.html", "report.html"


@dataclass(frozen=True)
class HandIn:
    """What is handed in: a document with the `settings` that it runs with, for `duration` [s]; `words` with lists,
    tables and formulas between `$`, whose pictures are below `pictures`; `author`, or "". `rows` (n, n_channels): a
    recording to be handed in instead of that of the run."""

    opened: Opened
    settings: SessionSettings
    title: str
    words: str
    author: str = ""
    duration: float = 10.0
    rows: Iterable[Array] | None = None
    pictures: Path = field(default_factory=Path)


@dataclass(frozen=True)
class HandedIn:
    """The folder, its lesson, and files that are not in it, since included documents name them elsewhere."""

    folder: Path
    lesson: Path
    left_out: tuple[str, ...] = ()


def folder_for(document: Path) -> str:
    """How the folder of a document is called: four_bar_hand_in."""
    return f"{document.name.partition('.')[0]}_hand_in"


def hand_in(made: HandIn, folder: Path) -> HandedIn:
    """Write the folder; files of an earlier one are replaced. Raises UsageError for what cannot be written and for an
    impossible duration, and what `make_engine` and `picture_of` raise."""
    if not 0.0 < made.duration <= LONGEST:
        raise UsageError(f"a run of {made.duration:g} s cannot be handed in; give seconds, up to {LONGEST:g}")
    opened = made.opened
    opened.require_valid()
    if opened.path.resolve().parent == folder.resolve():
        raise UsageError(f"'{folder}' is the folder of the document itself; name another one")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"'{folder}' cannot be made: {error.strerror or error}") from error
    left_out = _copy(opened, folder)
    _copy_pictures(made, folder)
    write_whole(folder / WORDS, made.words.encode("utf-8"))
    table = _run(made, folder)
    lesson = folder / f"{opened.path.name.partition('.')[0]}{SUFFIX}"
    write_whole(lesson, _lesson_text(made, table).encode("utf-8"))
    step = PageStep(
        opened, made.settings, title=made.title, notes=_signed(made), camera="front", run=True, folder=folder
    )
    write_page(folder / PAGE, [step], made.title, duration=made.duration)
    return HandedIn(folder, lesson, left_out)


def _copy(opened: Opened, folder: Path) -> tuple[str, ...]:
    """The document with the files below its folder, and those that it names elsewhere, which get other names; names of
    files that included documents have elsewhere."""
    home = opened.path.resolve().parent
    away: dict[Path, str] = {}

    def named(path: Path) -> str:
        if not path.is_file() or path.is_relative_to(home):
            return ""
        return away.setdefault(path, f"{AWAY}/{len(away) + 1}_{path.name}")

    text = with_paths(read_regular(opened.path, LARGEST).decode("utf-8", "surrogateescape"), home, named)
    left_out = []
    for name in dict.fromkeys(opened.document.files):
        path = Path(name).resolve()
        if path.is_relative_to(home):
            _copy_file(path, folder / path.relative_to(home))
        elif path not in away:
            left_out.append(name)
    for path, other in away.items():
        _copy_file(path, folder / other)
    write_whole(folder / opened.path.name, text.encode("utf-8", "surrogateescape"))
    return tuple(left_out)


def _copy_pictures(made: HandIn, folder: Path) -> None:
    """Pictures that the words show, by names below their folder."""
    for name in PICTURE_IN_WORDS.findall(made.words):
        source, target = made.pictures / name, folder / name
        if (
            source.is_file()
            and target.resolve().is_relative_to(folder.resolve())
            and source.resolve() != target.resolve()
        ):
            _copy_file(source, target)


def _copy_file(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise UsageError(f"'{target}' cannot be written: {error.strerror or error}") from error


class _Extremes:
    """Least and greatest values of all channels."""

    def __init__(self, count: int) -> None:
        self.least, self.greatest = np.full((2, count), np.inf) * [[1.0], [-1.0]]

    def take(self, rows: Array) -> None:
        self.least = np.minimum(self.least, rows.min(axis=0))
        self.greatest = np.maximum(self.greatest, rows.max(axis=0))


def _run(made: HandIn, folder: Path) -> str:
    """Write recording, picture and report of a run; gives the table of figures."""
    opened = made.opened
    engine = make_engine(opened, made.settings)
    try:
        picture_of(opened, engine.snapshot(), folder / IMAGE, size=PICTURE)
        channels = channels_of(engine.mechanism, engine.actuation.actuators)
        extremes, report = _Extremes(len(channels)), RunReport(opened, made.settings, engine, made.duration)
        with CsvWriter(folder / RECORDING, channels) as file:

            def take(rows: Array) -> None:
                extremes.take(rows)
                report.take(rows)
                if made.rows is None:
                    file.write_rows(rows)

            summary = run_batch(engine, made.duration, sink=take)
            for rows in made.rows or ():
                file.write_rows(rows)
        report.write(folder / REPORT, summary)
        return _table(made, channels, extremes, summary)
    finally:
        engine.close()


def _table(made: HandIn, channels: Iterable[Channel], extremes: _Extremes, summary: RunSummary) -> str:
    """Figures as a table of notes."""
    mechanism = made.opened.mechanism
    facts = [
        ("freedoms", str(mechanism.mobility.count)),
        ("bodies that move", str(len(mechanism.bodies) - 1)),
        ("joints", str(len(mechanism.joints) + len(mechanism.loop_joints))),
        ("loops", str(len(mechanism.loop_joints))),
        ("simulated", f"{summary.simulated:g} s"),
        ("largest residual of loops", f"{summary.max_loop_residual_m:.2g} m"),
    ]
    rows = [f"| {name} | {value} | |" for name, value in facts]
    for place, channel in enumerate(channels):
        low, high = float(extremes.least[place]), float(extremes.greatest[place])
        if channel.group in ("position", "effort") and high - low > 0.0 and len(rows) < len(facts) + ROWS:
            name = channel.name.rpartition("::")[2]
            rows.append(f"| {name} [{channel.unit}] | {low:.4g} | {high:.4g} |")
    return "\n".join(["| figure | least | greatest |", "|---|---|---|", *rows])


def _signed(made: HandIn) -> str:
    return f"*{made.author}*\n\n{made.words}" if made.author else made.words


def _lesson_text(made: HandIn, table: str) -> str:
    """Of the lesson file: the words, then the figures."""
    drives = {name: text for name, drive in made.settings.drives if not (text := format_drive(drive)).startswith("<")}
    initial = {name: value for name, value in made.settings.initial if math.isfinite(value)}
    step = [
        *([f"drives = {toml_value(drives)}"] if drives else []),
        *([f"initial = {toml_value(initial)}"] if initial else []),
        f"solver = {toml_value(made.settings.solver)}",
        'camera = "front"',
        'panels = ["traces"]',
    ]
    lines = [
        f"title = {toml_value(made.title)}",
        f"world = {toml_value(made.opened.path.name)}",
        "",
        "[[step]]",
        f"title = {toml_value(made.title)}",
        f"notes = {toml_value(_signed(made))}",
        *step,
        "run = true",
        "",
        "[[step]]",
        'title = "Figures"',
        f"notes = {toml_value(FIGURES.format(picture=IMAGE, table=table))}",
        *step,
    ]
    return "\n".join(lines) + "\n"
