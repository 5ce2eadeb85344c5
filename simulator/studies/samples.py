"""One sample: a variant of a mechanism, simulated or swept, and what is measured of it."""

from __future__ import annotations

import hashlib
import math
import pickle
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.run import SHORT
from simulator.dynamics.named import column_of
from simulator.errors import (
    AssemblyError,
    DivergedError,
    JammedError,
    SimulationError,
    SimulatorError,
    UsageError,
)
from simulator.session.drive_text import parse_drive
from simulator.studies.design import Design

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.studies.plan import StudyPlan

    Array = NDArray[np.float64]

OK = "ok"
STATUS = (
    (AssemblyError, "not_assembled"),
    (JammedError, "jammed"),
    (DivergedError, "diverged"),
    (SimulationError, "failed"),
    (UsageError, "invalid"),
    (SimulatorError, "failed"),
)
"""What a sample ended with, by the first of these exceptions that it raised."""


@dataclass(frozen=True)
class StudyTask:
    """All that a worker needs: the plan, and the simulation of each of its documents."""

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
        """Parts that follow each other, at least one, as one."""
        return SampleRows(
            parts[0].begin,
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.parameters for part in parts]),
            np.concatenate([part.measures for part in parts]),
            np.concatenate([part.feasible for part in parts]),
            [status for part in parts for status in part.status],
            [reason for part in parts for reason in part.reason],
        )


@dataclass(frozen=True)
class Recorded:
    """`channels` of a run by their whole names, beside the time, and the column of each name in a measure;
    `reactions`: whether what joints carry is among them."""

    channels: tuple[str, ...]
    columns: dict[str, int]
    reactions: bool


class Laboratory:
    """Makes samples of a task, one after the other."""

    def __init__(self, task: StudyTask) -> None:
        self.plan, self.design = task.plan, Design(task.plan)
        self._simulations = [one.copy() for one in task.simulations]
        free = [f"{{{name}}}" in task.plan.texts for name in task.plan.parameters]
        self._free = [name for name, is_free in zip(task.plan.parameters, free, strict=True) if is_free]
        self._is_free = np.array(free, dtype=bool)
        self._records: list[Recorded | None] = [None for _ in task.simulations]

    def rows(self, begin: int, end: int) -> SampleRows:
        """Samples from `begin` to before `end`."""
        return self.at(begin, *self.design.rows(begin, end))

    def at(self, begin: int, documents: NDArray[np.int64], parameters: Array) -> SampleRows:
        """Samples of these documents, shape (n,), and parameters, shape (n, p), numbered from `begin` on."""
        count, names = len(parameters), self.plan.columns
        measures, feasible = np.full((count, len(names)), math.nan), np.zeros(count, dtype=bool)
        status, reason = [OK] * count, [""] * count
        for i in range(count):
            try:
                measures[i] = self.measured(int(documents[i]), parameters[i])
            except SimulatorError as error:
                status[i] = next(code for kind, code in STATUS if isinstance(error, kind))
                reason[i] = str(error)
                continue
            numbers = dict(zip(names, measures[i].tolist(), strict=True))
            feasible[i] = all(one.holds(numbers) for one in self.plan.constraints)
        return SampleRows(begin, documents, parameters, measures, feasible, status, reason)

    def measured(self, document: int, parameters: Array) -> list[float]:
        """What is measured of a sample, in the order of `columns`. Raises as simulations do."""
        with self.varied(document, parameters) as sim:
            if self.plan.positions is None:
                recorded = self._recorded(document, sim)
                run = sim.run(
                    self.plan.duration,
                    every=self.plan.every,
                    channels=recorded.channels,
                    reactions=recorded.reactions,
                    fixed_joints=recorded.reactions,
                )
                observed = self.plan.observed

                def column(name: str) -> Array:
                    return np.asarray(run.array[:, recorded.columns[name]])

                beside = [] if observed is None else observed.held(column, run.time)
                return self._numbers(column, run.time) + beside
            route = self.plan.positions
            moves = {axis: (begin, end) for axis, begin, end in route.moves}
            found = sim.analyse(moves, points=route.points, velocity=route.velocity, acceleration=route.acceleration)
            if math.isfinite(found.swept.stopped):
                axis, _, end = route.moves[0]
                raise JammedError(f"'{axis}' ends at {found.swept.stopped:.6g}, on its way to {end:g}")
            return self._numbers(found.__getitem__, np.linspace(0.0, 1.0, len(found)))

    def varied(self, document: int, parameters: Array) -> Simulation:
        """The variant, with its drives, at its start. Raises as `Simulation.varied` and `set` do."""
        base, names, free = self._simulations[document], self.plan.parameters, self._is_free
        numbers = dict(zip(names, parameters.tolist(), strict=True))
        given = {name: numbers[name] for name in self._free}
        own = {name: value for name, value in numbers.items() if name not in given}
        sim = base.varied(own) if own else base.copy()
        if free.any():
            put_free(sim, self.plan, given)
        return sim

    def _numbers(self, channel: Callable[[str], Array], time: Array) -> list[float]:
        values = []
        for measure in self.plan.measures:
            reductions = measure.reductions
            found = {f"r{i}_": one.of(channel(one.channel), time) for i, one in enumerate(reductions)}
            values.append(measure.of(found))
        return values

    def _recorded(self, document: int, sim: Simulation) -> Recorded:
        """What is recorded of a document's variants, of which one is given."""
        found = self._records[document]
        if found is None:
            known = [channel.name for channel in sim.channels]
            named = self.plan.channels
            places = {name: column_of(known, name, "channel", SHORT) for name in sorted(named)}
            order = [0, *sorted({place for place in places.values() if place})]
            columns = {name: order.index(place) for name, place in places.items()}
            reactions = max(order) >= sim.run(0.0).array.shape[1]
            found = Recorded(tuple(known[place] for place in order[1:]), columns, reactions)
            self._records[document] = found
        return found


def put_free(sim: Simulation, plan: StudyPlan, given: Mapping[str, float]) -> None:
    """Drives and start of a plan, with numbers in place of `{name}`. Raises UsageError, AssemblyError."""
    start, moving = (
        {axis: _number(filled(text, given), axis) for axis, text in texts}
        for texts in (plan.initial, plan.initial_velocity)
    )
    if start or moving:
        sim.set(start, velocity=moving)
    for target, text in plan.drives:
        name, drive = parse_drive(f"{target}={filled(text, given)}")
        sim.drive(name, drive)


def filled(text: str, given: Mapping[str, float]) -> str:
    """With numbers in place of `{name}`."""
    for name, value in given.items():
        text = text.replace(f"{{{name}}}", repr(float(value)))
    return text


def _number(text: str, axis: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"'{text}', where '{axis}' begins, is no number") from None


_kept = threading.local()


def rows_of(packed: bytes, begin: int, end: int, points: tuple[tuple[float, ...], ...] = ()) -> SampleRows:
    """Samples of a task that was packed by `pickle`, in any thread of any process; what is made for a task is kept for
    its next call in the thread. `points`: their parameters, of the first document, where these are no design's."""
    name = hashlib.sha256(packed).digest()
    if getattr(_kept, "name", None) != name:
        _kept.laboratory, _kept.name = Laboratory(pickle.loads(packed)), name
    laboratory: Laboratory = _kept.laboratory
    if points:
        return laboratory.at(begin, np.zeros(len(points), dtype=np.int64), np.array(points))
    return laboratory.rows(begin, end)
