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
from simulator.api.variant_runs import VariantRuns, variant_runs
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
from simulator.session.settings import find_axis
from simulator.studies.design import Design

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.studies.plan import StudyPlan

    Array = NDArray[np.float64]

HELD = 200_000
"""Numbers of runs that are held in memory at a time."""
WORTHWHILE = 4
"""So many samples with the same drives are run in one engine, where drives differ."""
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
        self.simulations = [one.copy() for one in task.simulations]
        free = [f"{{{name}}}" in task.plan.texts for name in task.plan.parameters]
        self._free = [name for name, is_free in zip(task.plan.parameters, free, strict=True) if is_free]
        self._is_free = np.array(free, dtype=bool)
        self.recorded: list[Recorded | None] = [None for _ in task.simulations]
        self._begun = [self._begin(one) for one in self.simulations]
        self._runs: dict[tuple[int, bytes], VariantRuns | None] = {}

    def rows(self, begin: int, end: int) -> SampleRows:
        """Samples from `begin` to before `end`."""
        return self.at(begin, *self.design.rows(begin, end))

    def at(self, begin: int, documents: NDArray[np.int64], parameters: Array) -> SampleRows:
        """Samples of these documents, shape (n,), and parameters, shape (n, p), numbered from `begin` on."""
        count = len(parameters)
        measures, feasible = np.full((count, len(self.plan.columns)), math.nan), np.zeros(count, dtype=bool)
        status, reason = [OK] * count, [""] * count
        for i, array in enumerate(self.arrays(documents, parameters)):
            try:
                measures[i] = self.measured(int(documents[i]), parameters[i], array)
            except SimulatorError as error:
                status[i] = next(code for kind, code in STATUS if isinstance(error, kind))
                reason[i] = str(error)
                continue
            values = measures[i].tolist()
            feasible[i] = all(one.holds(values) for one in self.plan.constraints)
        return SampleRows(begin, documents, parameters, measures, feasible, status, reason)

    def measured(self, document: int, parameters: Array, array: Array | None = None) -> list[float]:
        """What is measured of a sample, in the order of `columns`. `array`: what its run has recorded, where it is made
        already. Raises as simulations do."""
        if array is not None:
            return self._of_run(document, array)
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
                return self._of_run(document, run.array)
            route = self.plan.positions
            moves = {axis: (begin, end) for axis, begin, end in route.moves}
            found = sim.analyse(moves, points=route.points, velocity=route.velocity, acceleration=route.acceleration)
            if math.isfinite(found.swept.stopped):
                axis, _, end = route.moves[0]
                raise JammedError(f"'{axis}' ends at {found.swept.stopped:.6g}, on its way to {end:g}")
            return self._numbers(found.__getitem__, np.linspace(0.0, 1.0, len(found)))

    def varied(self, document: int, parameters: Array) -> Simulation:
        """The variant, with its drives, at its start. Raises as `Simulation.varied` and `set` do."""
        base, own = self.simulations[document], self._own(parameters)
        sim = base.varied(own) if own else base.copy()
        if not self._begun[document]:
            put_free(sim, self.plan, dict(zip(self._free, parameters[self._is_free].tolist(), strict=True)))
        return sim

    def _own(self, parameters: Array) -> dict[str, float]:
        """Numbers of the document."""
        names = zip(self.plan.parameters, self._is_free.tolist(), parameters.tolist(), strict=True)
        return {name: value for name, is_free, value in names if not is_free}

    def _begin(self, base: Simulation) -> bool:
        """Put drives and start to what all variants are made of, if they are the same for all of them: a variant keeps
        the positions and velocities of the independent axes. Whether that is done."""
        if self._is_free.any():
            return False
        said = {find_axis(base.mechanism, axis) for axis, _ in (*self.plan.initial, *self.plan.initial_velocity)}
        if said and said != {find_axis(base.mechanism, axis) for axis in base.independent.names}:
            return False
        try:
            put_free(base, self.plan, {})
        except SimulatorError:  # what the document itself cannot do, variants may
            return False
        return True

    # -- many runs at once ---------------------------------------------------------------------------------------------

    def arrays(self, documents: NDArray[np.int64], parameters: Array) -> Iterator[Array | None]:
        """What runs record, sample by sample, made by one engine as far as that can; None where a sample has to be made
        by itself."""
        place, count = 0, len(parameters)
        while place < count:
            alike = (documents[place:] == documents[place]) & (
                parameters[place:, self._is_free] == parameters[place, self._is_free]
            ).all(axis=1)
            same = count - place if alike.all() else int(np.argmin(alike))
            runs = self._runs_like(int(documents[place]), parameters[place], same)
            if runs is None:
                yield None
                place += 1
                continue
            end = place + min(same, max(1, HELD // runs.size))
            yield from runs.run([self._own(one) for one in parameters[place:end]])
            place = end

    def _runs_like(self, document: int, parameters: Array, count: int) -> VariantRuns | None:
        """What makes runs like that of a sample, of which `count` follow each other."""
        key = document, parameters[self._is_free].tobytes()
        if key not in self._runs:
            if self.plan.positions is not None or self._is_free.all() or (self._free and count < WORTHWHILE):
                return None
            try:
                self._runs = {key: self._runs_of(document, parameters)}
            except SimulatorError:  # which the sample will raise again
                return None
        return self._runs[key]

    def _runs_of(self, document: int, parameters: Array) -> VariantRuns | None:
        recorded = self._recorded(document, self.varied(document, parameters))
        if recorded.reactions or not (self._begun[document] or not (self.plan.initial or self.plan.initial_velocity)):
            return None
        base, first, names = self.simulations[document], self.varied(document, parameters), self._own(parameters)
        return variant_runs(base, first, names, self.plan.duration, every=self.plan.every, channels=recorded.channels)

    # -- what is measured ----------------------------------------------------------------------------------------------

    def _of_run(self, document: int, array: Array) -> list[float]:
        """Of the samples of a run, shape (n_samples, n_columns)."""
        recorded, observed, time = self.recorded[document], self.plan.observed, array[:, 0]
        assert recorded is not None

        def column(name: str) -> Array:
            return np.asarray(array[:, recorded.columns[name]])

        return self._numbers(column, time) + ([] if observed is None else observed.held(column, time))

    def _numbers(self, channel: Callable[[str], Array], time: Array) -> list[float]:
        return [
            measure.formula.of([one.of(channel(one.channel), time) for one in measure.reductions])
            for measure in self.plan.measures
        ]

    def _recorded(self, document: int, sim: Simulation) -> Recorded:
        """What is recorded of a document's variants, of which one is given."""
        found = self.recorded[document]
        if found is None:
            known = [channel.name for channel in sim.channels]
            named = self.plan.channels
            places = {name: column_of(known, name, "channel", SHORT) for name in sorted(named)}
            order = [0, *sorted({place for place in places.values() if place})]
            columns = {name: order.index(place) for name, place in places.items()}
            reactions = max(order) >= sim.run(0.0).array.shape[1]
            found = Recorded(tuple(known[place] for place in order[1:]), columns, reactions)
            self.recorded[document] = found
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
