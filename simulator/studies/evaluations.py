"""Samples at points that a method chooses, one batch after the other, logged like those of a study.

A method that receives the same numbers asks for the same points. So the log is read by running the method again: while
it asks for logged points, nothing is simulated.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.studies.results import read_results, results_of
from simulator.studies.samples import OK, SampleRows
from simulator.studies.workers import make

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.spatial.arrays import Array
    from simulator.studies.results import Results, ResultsFolder
    from simulator.studies.samples import StudyTask
    from simulator.studies.workers import Pool, Span


class ExhaustedError(Exception):
    """The largest number of samples is reached."""


class Evaluations:
    """Samples of a task, each point once. `folder`: their log, which is read first if it exists;
    `most`: their largest number; `show` is called with samples made, all of them, and those that failed."""

    def __init__(
        self,
        task: StudyTask,
        pool: Pool,
        folder: ResultsFolder | None = None,
        *,
        most: int,
        show: Callable[[int, int, int], None] = lambda *_: None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.task = task
        self._pool = pool
        self._folder = folder
        self.most = most
        self._packed = pickle.dumps(task)
        self._show = show
        self._say = say
        self.rows: list[SampleRows] = []
        self._places: dict[bytes, int] = {}
        self._logged: Results | None = None
        self._written = 0

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def results(self) -> Results:
        """All samples so far."""
        return results_of(self.task.plan, self.rows)

    def go_on_from_log(self) -> None:
        """Read the log."""
        assert self._folder is not None
        if self._folder.has_rows:
            self._logged = read_results(self._folder.path)

    def at(self, points: Array) -> list[SampleRows]:
        """One row for each point, shape (n, p), in their order. Raises ExhaustedError if that makes too many
        samples, after the first of them; UsageError if the log deviates."""
        wanted = [point.tobytes() for point in points]
        fresh = [i for i, key in enumerate(wanted) if key not in self._places and key not in wanted[:i]]
        allowed = fresh[: self.most - len(self.rows)]
        if allowed:
            self._add(points[allowed])
        if len(allowed) < len(fresh):
            raise ExhaustedError
        return [self.rows[self._places[key]] for key in wanted]

    def finish(self) -> None:
        """Write the samples that are not yet written."""
        self._write(whole=False)

    def _add(self, points: Array) -> None:
        done = self._replayed(points)
        begin = len(self.rows)
        left = points[len(done) :]
        size = max(1, -(-len(left) // self._pool.size))
        starts = range(0, len(left), size)
        spans: list[Span] = [
            (begin + len(done) + k, begin + len(done) + min(k + size, len(left)), _tuples(left[k : k + size]))
            for k in starts
        ]
        made = sorted(make(self._pool, self._packed, spans, self._say), key=lambda rows: rows.begin) if spans else []
        for row in (*done, *(one for rows in made for one in _single(rows))):
            self._places[row.parameters[0].tobytes()] = len(self.rows)
            self.rows.append(row)
        self._write(whole=True)
        failed = sum(row.status[0] != OK for row in self.rows)
        self._show(len(self.rows), self.most, failed)

    def _replayed(self, points: Array) -> list[SampleRows]:
        """The logged ones among the next points."""
        log = self._logged
        begin = len(self.rows)
        if log is None:
            return []
        found = []
        for place in range(begin, min(begin + len(points), len(log))):
            if log.sample[place] != place or log.parameters[place].tobytes() != points[place - begin].tobytes():
                told = f"'{self._folder and self._folder.path}' deviates at sample {place}"
                raise UsageError(f"{told}: other versions of scipy, numpy or optuna made it; write to another folder")
            found.append(_row(log, place))
        return found

    def _write(self, *, whole: bool) -> None:
        """Write parts; `whole`: complete ones only."""
        if self._folder is None:
            return
        for begin, end in self._folder.spans:
            last = min(end, len(self.rows))
            if begin >= self._written and last > begin and (last == end or not whole):
                if self._logged is None or len(self._logged) < last:
                    self._folder.write(SampleRows.joined(self.rows[begin:last]))
                self._written = last


def _tuples(points: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, points.tolist()))


def _single(rows: SampleRows) -> list[SampleRows]:
    return [
        SampleRows(
            rows.begin + i,
            rows.documents[i : i + 1],
            rows.parameters[i : i + 1],
            rows.measures[i : i + 1],
            rows.feasible[i : i + 1],
            rows.status[i : i + 1],
            rows.reason[i : i + 1],
        )
        for i in range(len(rows.status))
    ]


def _row(log: Results, place: int) -> SampleRows:
    one = slice(place, place + 1)
    return SampleRows(
        place,
        log.document[one],
        np.ascontiguousarray(log.parameters[one]),
        np.ascontiguousarray(log.measures[one]),
        log.feasible[one],
        [str(log.status[place])],
        [str(log.reason[place])],
    )
