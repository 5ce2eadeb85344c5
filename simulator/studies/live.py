"""A study that is viewed while its samples are made: coarse first, then finer; by processes that can be ended at
once."""

from __future__ import annotations

import math
import pickle
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.simulation import Simulation
from simulator.session.text.toml import toml_of
from simulator.studies.design import Design
from simulator.studies.experiment import put_free
from simulator.studies.reading import plan_of
from simulator.studies.results import ResultsFolder, spans_of
from simulator.studies.samples import SampleRows, StudyTask
from simulator.studies.workers import make

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from simulator.session.open.opening import Opened
    from simulator.studies.workers import Pool

    Span = tuple[int, int]

MOST_SPANS = 1000
"""Number of samples from which a study runs several at a time."""
PATIENCE = 5.0
"""Longest wait for the thread of a stopped study [s]."""


class LiveStudy:
    """Begins at once. `shape`: number of values of each parameter that varies, the first one slowest. `total`: number
    of all samples."""

    def __init__(self, table: Mapping[str, Any], opened: Opened, pool: Pool, *, thread: str = "study") -> None:
        """`table`: as that of a TOML file, of `opened`; `pool`: makes the samples, and ends with a stopped study;
        `thread`: name of the thread that waits for them. Raises UsageError for errors in the table.
        """
        self.table = dict(table)
        self._pool = pool
        plan = self.plan = plan_of(table)
        sim = Simulation(opened, solver=plan.solver, dt=plan.dt)
        texts = "".join(text for _, text in (*plan.drives, *plan.initial))
        if not any(f"{{{name}}}" in texts for name in plan.parameters):
            put_free(sim, plan, {})
        self.task = StudyTask(plan, (sim,))
        self.total = len(Design(plan))
        self.shape = tuple(len(values) for _, values in plan.grids if len(values) > 1)
        self.rows: dict[int, SampleRows] = {}
        self._news: SimpleQueue[SampleRows] = SimpleQueue()
        self._is_stopped = threading.Event()
        self.error = ""
        self._thread = threading.Thread(target=self._work, name=thread, daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether all samples are made and `poll` has returned them."""
        return not self._thread.is_alive() and self._news.empty()

    @property
    def made(self) -> int:
        """Number of samples that `poll` has returned."""
        return sum(len(rows.status) for rows in self.rows.values())

    def poll(self) -> list[SampleRows]:
        """Samples made since the last call; never waits."""
        found = []
        while not self._news.empty():
            found.append(self._news.get())
        self.rows.update((rows.begin, rows) for rows in found)
        return found

    def stop(self) -> None:
        """Stop; unfinished samples are abandoned, and the pool with them."""
        self._is_stopped.set()
        self._pool.kill()

    def wait(self, patience: float = PATIENCE) -> None:
        """Wait until no samples are in progress, at most so many seconds."""
        self._thread.join(patience)

    def save(self, path: Path, results: Path | None = None) -> int:
        """Write the study as a TOML file and, into the folder `results`, its complete parts, so that
        `simulator study … --resume` continues it; returns how many samples these are.

        Raises UsageError if a folder holds another study, OSError if a file cannot be written,
        MissingLibraryError without pyarrow.
        """
        path.write_text(toml_of(self.table), encoding="utf-8")
        if results is None:
            return 0
        folder = ResultsFolder(results, self.task, self.total)
        made = 0
        has = folder.begin(resume=True)
        for begin, end in spans_of(self.total):
            part = self._part(begin, end)
            if part is None:
                continue
            if (begin, end) not in has:
                folder.write(part)
            made += end - begin
        return made

    def _part(self, begin: int, end: int) -> SampleRows | None:
        """Samples of a part, if all of them are there."""
        inside = [rows for rows in self.rows.values() if rows.begin < end and rows.begin + len(rows.status) > begin]
        inside.sort(key=lambda rows: rows.begin)
        cut = [_cut(rows, begin, end) for rows in inside]
        if sum(len(rows.status) for rows in cut) < end - begin:
            return None
        return SampleRows.joined(cut)

    def _work(self) -> None:
        try:
            packed = pickle.dumps(self.task)
            for rows in make(self._pool, packed, coarse_first(self.total, self.shape), lambda _: self._go_on()):
                self._news.put(rows)
                self._go_on()
        except _Stopped:
            pass
        except Exception as error:
            if not self._is_stopped.is_set():
                self.error = str(error)
        if self._is_stopped.is_set():
            self._pool.close()

    def _go_on(self) -> None:
        """Raise _Stopped if the study was cancelled."""
        if self._is_stopped.is_set():
            raise _Stopped


class _Stopped(Exception):  # noqa: N818  # nothing went wrong
    """The study is cancelled."""


def coarse_first(total: int, shape: Sequence[int]) -> Iterable[Span]:
    """Spans of all samples of a grid: its ends first, then midpoints between two that are there."""
    if math.prod(shape) != total:
        shape = (total,)
    ranks = np.array(np.meshgrid(*map(_ranks, shape), indexing="ij")).reshape(len(shape), total)
    order = np.lexsort((ranks.sum(axis=0), ranks.max(axis=0)))
    size = -(-total // MOST_SPANS)
    seen: set[int] = set()
    for index in (order // size).tolist():
        if index not in seen:
            seen.add(index)
            yield index * size, min((index + 1) * size, total)


def _ranks(count: int) -> NDArray[np.int64]:
    """The turn of each of so many places in a row."""
    ranks = np.full(count, -1, dtype=np.int64)
    ranks[-1], ranks[0] = 1, 0
    turn = 2
    step = 1 << count.bit_length()
    while step >= 1:
        for place in range(0, count, step):
            if ranks[place] < 0:
                ranks[place] = turn
                turn = turn + 1
        step //= 2
    return ranks


def _cut(rows: SampleRows, begin: int, end: int) -> SampleRows:
    chosen = slice(max(begin - rows.begin, 0), end - rows.begin)
    return SampleRows(
        max(begin, rows.begin),
        rows.documents[chosen],
        rows.parameters[chosen],
        rows.measures[chosen],
        rows.feasible[chosen],
        rows.status[chosen],
        rows.reason[chosen],
    )
