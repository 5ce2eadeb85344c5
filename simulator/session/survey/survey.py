"""Examines all documents of folders side by side and writes each result at once, so that an early end loses
nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.records import dataclass
from simulator.rendering.sheet import load_codecs
from simulator.session.batch.batch import run_batch
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import examples
from simulator.session.open.opening import open_document
from simulator.session.survey.examine import Task, examine
from simulator.session.survey.folders import Folder
from simulator.session.survey.isolation import Limits, each_in_a_process
from simulator.session.survey.record import Record, judged, record_of
from simulator.session.text.settings import SessionSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Work = Callable[[Task, Callable[[dict[str, object]], None]], None]

LINES, PICTURES, PACKAGES = "survey.json", "pictures", "packages"
"""In the folder of a survey: the results, one JSON object a line; the pictures; packages by their names."""
PATIENCE = 15.0
"""Extra seconds of a document to stop and be drawn, before its process is killed."""
WARMING = ("four_bar", "rack_and_pinion", "geneva", "screw_press")
"""Example worlds that are run briefly, so that their kernels are loaded in every process."""


@dataclass(frozen=True)
class SurveySettings:
    """How documents are examined: `jobs` at a time, each for `duration` simulated seconds, with at most `limit` seconds
    and `memory` bytes. `own_paths`: files are looked up in the packages and models of the document's folder, too.
    `exercise`: axes are driven, see `Task`."""

    session: SessionSettings = field(default_factory=SessionSettings)
    options: ReadingOptions = STANDARD
    duration: float = 2.0
    limit: float = 60.0
    memory: int = 4 << 30
    jobs: int = 1
    own_paths: bool = True
    pictures: bool = True
    exercise: bool = False


def survey(folders: Sequence[Folder], out: Path, settings: SurveySettings, *, work: Work = examine) -> Iterator[Record]:
    """The record of every document as soon as it is known, first appended to `out`, which was prepared."""
    tasks = plan(folders, out, settings)
    if tasks:
        load_what_documents_need()
    limits = Limits(settings.limit + PATIENCE, settings.memory)
    with (out / LINES).open("a", encoding="utf-8") as lines:
        for task, ended in each_in_a_process(tasks, work, jobs=settings.jobs, limits=limits):
            parts = {**ended.parts, "file": str(task.path), "folder": task.folder}
            record = judged(parts, ended.how, ended.because, is_included=task.is_included)
            lines.write(json.dumps(record.as_json()) + "\n")
            lines.flush()
            yield record


def plan(folders: Sequence[Folder], out: Path, settings: SurveySettings) -> list[Task]:
    """The task for each document of the folders."""
    return [task for folder in folders for task in _tasks(folder, out, settings)]


def prepare(out: Path, *, resume: bool) -> set[str]:
    """Prepare the folder of a survey; returns the files that already have results, empty without `resume`.

    Raises UsageError if nothing can be written there.
    """
    try:
        (out / PICTURES).mkdir(parents=True, exist_ok=True)
        if not resume:
            (out / LINES).write_text("", encoding="utf-8")
            for picture in (out / PICTURES).glob("*.jpg"):
                picture.unlink()
        records = read_records(out)
        text = "".join(json.dumps(record.as_json()) + "\n" for record in records)
        (out / LINES).write_text(text, encoding="utf-8")  # without the line that was cut off when the last survey ended
    except OSError as error:
        raise UsageError(f"the survey cannot be written to {out}: {error.strerror}") from error
    return {record.file for record in records}


def read_records(out: Path) -> list[Record]:
    """Results in the folder of a survey, in the order of folders and files; the last of several results for a
    file."""
    records: dict[str, Record] = {}
    with suppress(FileNotFoundError):
        for line in (out / LINES).read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError, AttributeError):
                record = record_of(json.loads(line))
                records[record.file] = record
    return sorted(records.values(), key=lambda record: (record.folder, record.file))


def load_what_documents_need() -> None:
    """Load common code before there are processes that would each do so."""
    load_codecs()
    for example in examples():
        if example.name in WARMING:
            engine = make_engine(open_document(example.path), SessionSettings())
            run_batch(engine, 0.01)
            engine.close()


def _tasks(folder: Folder, out: Path, settings: SurveySettings) -> Iterator[Task]:
    paths = settings.options.resource_paths
    if settings.own_paths:
        paths = (*paths, *folder.resource_paths, *_named_packages(folder, out))
    options = replace(settings.options, resource_paths=paths)
    for path in folder.documents:
        picture = out / PICTURES / picture_name(path) if settings.pictures else None
        limits = settings.duration, settings.limit
        included = path.name in folder.included
        yield Task(path, str(folder.root), settings.session, options, *limits, picture, settings.exercise, included)


def _named_packages(folder: Folder, out: Path) -> list[Path]:
    """A folder of links with the names of packages whose own folders have other names, as in a workspace of
    their owner."""
    if not folder.renamed:
        return []
    place = (out / PACKAGES / _stamp(folder.root)).absolute()
    place.mkdir(parents=True, exist_ok=True)
    for name, target in folder.renamed:
        with suppress(FileExistsError):
            os.symlink(target.absolute(), place / name, target_is_directory=True)
    return [place]


def picture_name(path: Path) -> str:
    """The name of a document's picture: derived from the document's, and unique."""
    stem = path.parent.name if path.stem.startswith("model") else path.stem
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '_', stem)[:60]}-{_stamp(path)}.jpg"


def _stamp(path: Path) -> str:
    return hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:8]
