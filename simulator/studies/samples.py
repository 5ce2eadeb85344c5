"""Samples of a study: measures of variants of a mechanism, in all experiments."""

from __future__ import annotations

import math
import pickle
import re
import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import (
    AssemblyError,
    DivergedError,
    JammedError,
    SimulationError,
    SimulatorError,
    UsageError,
)
from simulator.records import dataclass
from simulator.studies.design import Design
from simulator.studies.experiment import Experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.spatial.arrays import Array
    from simulator.studies.plan import StudyPlan


OK = "ok"
STATUS = (
    (AssemblyError, "not_assembled"),
    (JammedError, "jammed"),
    (DivergedError, "diverged"),
    (SimulationError, "failed"),
    (UsageError, "invalid"),
    (SimulatorError, "failed"),
)
"""Status of a sample by the first of these exceptions that it raised."""


@dataclass(frozen=True)
class StudyTask:
    """Input of a worker: the plan, and the simulation of each of its documents."""

    plan: StudyPlan
    simulations: tuple[Simulation, ...]


@dataclass(frozen=True)
class SampleRows:
    """Samples from `begin` on: `documents` (n,), `parameters` (n, p), `measures` (n, m), `feasible` (n,): whether all
    constraints hold; `status` and `reason` of each."""

    begin: int
    documents: NDArray[np.int64]
    parameters: Array
    measures: Array
    feasible: NDArray[np.bool_]
    status: list[str]
    reason: list[str]

    @staticmethod
    def joined(parts: Sequence[SampleRows]) -> SampleRows:
        """Join consecutive parts, at least one."""
        return SampleRows(
            parts[0].begin,
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.parameters for part in parts]),
            np.concatenate([part.measures for part in parts]),
            np.concatenate([part.feasible for part in parts]),
            [status for part in parts for status in part.status],
            [reason for part in parts for reason in part.reason],
        )


class FailureCauses:
    """Counts samples by why they failed. Reasons that differ in their numbers only are one cause, of which the first is
    the example: a number in each of a million reasons makes no million causes."""

    _NUMBER = re.compile(r"(?<![\w.:'-])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w:'])")

    def __init__(self) -> None:
        self.samples = 0
        self.failed = 0
        self._found: dict[tuple[str, str], FailureCause] = {}

    def add(self, status: str, reason: str, place: int) -> None:
        """Count a sample; `place`: where it is."""
        self.samples += 1
        if status == OK:
            return
        self.failed += 1
        key = status, self._NUMBER.sub("#", reason)
        cause = self._found.get(key, FailureCause(0, status, reason, place))
        self._found[key] = cause._replace(number=cause.number + 1)

    def add_rows(self, rows: SampleRows) -> None:
        """Count a part."""
        for place, (status, reason) in enumerate(zip(rows.status, rows.reason, strict=True), rows.begin):
            self.add(status, reason, place)

    def by_number(self) -> list[FailureCause]:
        """The most frequent one first."""
        return sorted(self._found.values(), key=lambda cause: -cause.number)


class FailureCause(NamedTuple):
    """How many samples failed so, and the first of them: its status, its reason, and where it is."""

    number: int
    status: str
    reason: str
    place: int

    @property
    def text(self) -> str:
        """Status and reason, which is an example if there are several."""
        return f"{self.status}{', e.g.' if self.number > 1 else ':'} {self.reason}"


class Laboratory:
    """Makes samples of a task, one after the other."""

    def __init__(self, task: StudyTask) -> None:
        self.plan, self.design = task.plan, Design(task.plan)
        self.experiments = [Experiment(one, task.simulations, task.plan.texts) for one in task.plan.experiments]

    def rows(self, begin: int, end: int) -> SampleRows:
        """Samples from `begin` to before `end`."""
        return self.at(begin, *self.design.rows(begin, end))

    def at(self, begin: int, documents: NDArray[np.int64], parameters: Array) -> SampleRows:
        """Samples of these documents, shape (n,), and parameters, shape (n, p), numbered from `begin` on."""
        count = len(parameters)
        measures = np.full((count, len(self.plan.columns)), math.nan)
        feasible = np.zeros(count, dtype=bool)
        status = [OK] * count
        reason = [""] * count
        made = zip(*(one.arrays(documents, parameters) for one in self.experiments), strict=True)
        for i, arrays in enumerate(made):
            try:
                measures[i] = self.measured(int(documents[i]), parameters[i], arrays)
            except SimulatorError as error:
                status[i] = next(code for kind, code in STATUS if isinstance(error, kind))
                reason[i] = str(error)
                continue
            values = measures[i].tolist()
            feasible[i] = all(one.holds(values) for one in self.plan.constraints)
        return SampleRows(begin, documents, parameters, measures, feasible, status, reason)

    def measured(self, document: int, parameters: Array, arrays: Sequence[Array | None] | None = None) -> list[float]:
        """Measures of a sample, in the order of `columns`. `arrays`: recordings of its runs in each experiment,
        if they are already made. Raises the errors of simulations."""
        made = zip(self.experiments, arrays or [None] * len(self.experiments), strict=True)
        found = [number for one, array in made for number in one.measured(document, parameters, array)]
        if self.plan.observed is None:
            return found
        count = len(self.plan.measures)
        return [*found[:count], self.plan.observed.misfit(np.array(found[count:])), *found[count:]]


_kept = threading.local()


def rows_of(packed: bytes, begin: int, end: int, points: tuple[tuple[float, ...], ...] = ()) -> SampleRows:
    """Samples of a task that was packed by `pickle`, in any thread of any process; data made for a task is cached for
    its next call in the thread. `points`: their parameters, of the first document, if these are not the design's."""
    if getattr(_kept, "packed", b"") != packed:
        _kept.laboratory = Laboratory(pickle.loads(packed))
        _kept.packed = packed
    laboratory: Laboratory = _kept.laboratory
    if points:
        return laboratory.at(begin, np.zeros(len(points), dtype=np.int64), np.array(points))
    return laboratory.rows(begin, end)
