"""One experiment of a study: variants of a mechanism under the same drives, simulated or swept, and the measures of
each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.run import SHORT
from simulator.api.variant_runs import VariantRuns, variant_runs
from simulator.errors import JammedError, SimulatorError, UsageError
from simulator.kinematics.named import column_of
from simulator.records import dataclass
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.api.moment import Moment
    from simulator.api.simulation import Simulation
    from simulator.engine.drives import Drive
    from simulator.spatial.arrays import Array
    from simulator.studies.plan import StudyPlan


HELD = 200_000
"""Number of runs that are held in memory at a time."""


@dataclass(frozen=True)
class Recorded:
    """`channels` of a run by their full names, beside the time, and the column of each name in a measure;
    `reactions`: whether reactions are among them."""

    channels: tuple[str, ...]
    columns: dict[str, int]
    reactions: bool


class Experiment:
    """Measures samples, one after the other."""

    def __init__(self, plan: StudyPlan, simulations: Sequence[Simulation], texts: str) -> None:
        """`plan`: of the experiment; `texts`: drives and starts of all, which contain the free parameters."""
        self.plan, self.simulations = plan, [one.copy() for one in simulations]
        free = [f"{{{name}}}" in texts for name in plan.parameters]
        self._free = [name for name, is_free in zip(plan.parameters, free, strict=True) if is_free]
        self._is_free = np.array(free, dtype=bool)
        self.recorded: list[Recorded | None] = [None for _ in simulations]
        starts = "".join(text for _, text in (*plan.initial, *plan.initial_velocity))
        self._starts_differ = any(f"{{{name}}}" in starts for name in self._free)
        self._begun = [self._begin(one) for one in self.simulations]
        self._movers = [one.copy() if self._moves_as_one(one) else None for one in self.simulations]
        self._runs: tuple[tuple[int, bytes], VariantRuns] | None = None
        self._alone = set[int]()
        self._unlike = set[int]()

    def measured(self, document: int, parameters: Array, array: Array | None = None) -> list[float]:
        """Measures of a sample, then traces. `array`: the recording of its run, if it is already made. Raises the
        errors of simulations."""
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
                raise JammedError(f"'{axis}' stops at {found.swept.stopped:.6g}, on its way to {end:g}")
            return self._numbers(found.__getitem__, np.linspace(0.0, 1.0, len(found)))

    def varied(self, document: int, parameters: Array) -> Simulation:
        """The variant, with its drives, at its start. Raises the errors of `Simulation.varied` and `set`."""
        base = self.simulations[document]
        own = self._own(parameters)
        moment = self._start(document, parameters)
        if moment is not None:
            sim = base._varied_at(own, moment)
            for name, drive in drives_of(self.plan, self._given(parameters)):
                sim.drive(name, drive)
            return sim
        sim = base.varied(own) if own else base.copy()
        if not self._begun[document]:
            put_free(sim, self.plan, self._given(parameters))
        return sim

    def _start(self, document: int, parameters: Array) -> Moment | None:
        """The start of a sample in the document, from which variants retain the independent coordinates; None if they
        begin at the start of the document, or each must be set separately."""
        mover = self._movers[document]
        if mover is None:
            return None
        start, moving = starts_of(self.plan, self._given(parameters))
        try:
            mover.set(start, velocity=moving)
        except SimulatorError:  # variants may be possible although the document is not
            return None
        return mover.moment

    def _given(self, parameters: Array) -> dict[str, float]:
        """Numbers of drives and starts."""
        return dict(zip(self._free, parameters[self._is_free].tolist(), strict=True))

    def _own(self, parameters: Array) -> dict[str, float]:
        """Numbers of the document."""
        names = zip(self.plan.parameters, self._is_free.tolist(), parameters.tolist(), strict=True)
        return {name: value for name, is_free, value in names if not is_free}

    def _begin(self, base: Simulation) -> bool:
        """Give drives and start to the common base of all variants, if they are the same for all of them. Returns
        whether that is all: a variant retains the positions and velocities of the independent axes only."""
        if self._is_free.any():
            return False
        try:
            put_free(base, self.plan, {})
        except SimulatorError:  # variants may be possible although the document is not
            return False
        return not (self.plan.initial or self.plan.initial_velocity) or self._says_all(base)

    def _moves_as_one(self, base: Simulation) -> bool:
        """Whether the start of each sample is also one of the document."""
        try:
            return self._starts_differ and self._says_all(base)
        except SimulatorError:  # which every sample raises again
            return False

    def _says_all(self, base: Simulation) -> bool:
        """Whether exactly the independent axes have a start."""
        said = {find_axis(base.mechanism, axis) for axis, _ in (*self.plan.initial, *self.plan.initial_velocity)}
        return said == {find_axis(base.mechanism, axis) for axis in base.independent.names}

    # -- many runs at once ---------------------------------------------------------------------------------------------

    def arrays(self, documents: NDArray[np.int64], parameters: Array) -> Iterator[Array | None]:
        """Recordings, sample by sample, made by one engine as far as possible; None for a sample that must be run
        separately."""
        place = 0
        count = len(parameters)
        while place < count:
            alike = (documents[place:] == documents[place]) & (
                parameters[place:, self._is_free] == parameters[place, self._is_free]
            ).all(axis=1)
            same = count - place if alike.all() else int(np.argmin(alike))
            runs = self._runs_like(int(documents[place]), parameters[place])
            if runs is None:
                yield None
                place += 1
                continue
            end = place + min(same, max(1, HELD // runs.size))
            yield from runs.run([self._own(one) for one in parameters[place:end]])
            self._note_structure(int(documents[place]), runs)
            place = end

    def _note_structure(self, document: int, runs: VariantRuns) -> None:
        """Let the next sample be the first of other runs if none of the last ones was like the first of these; if that
        was so before, samples are run separately."""
        if not runs.is_unlike:
            self._unlike.discard(document)
            return
        if document in self._unlike:
            self._alone.add(document)
        self._unlike.add(document)
        self._runs = None

    def _runs_like(self, document: int, parameters: Array) -> VariantRuns | None:
        """The source of runs like that of a sample."""
        key = document, parameters[self._is_free].tobytes()
        if self._runs is not None and self._runs[0] == key:
            return self._runs[1]
        last = self._runs
        self._runs = None
        if self.plan.positions is not None or document in self._alone:
            return None
        try:
            moment = self._start(document, parameters)
            if self._movers[document] is not None and moment is None:
                return None
            runs = last[1] if last is not None and last[0][0] == document else None
            if runs is not None:
                start = self.simulations[document].moment if moment is None else moment
                runs.begin(drives_of(self.plan, self._given(parameters)), start)
            else:
                runs = self._runs_of(document, parameters, moment)
        except SimulatorError:  # which the sample raises again
            return None
        if runs is None or not runs.are_possible:
            self._alone.add(document)
            return None
        self._runs = key, runs
        return runs

    def _runs_of(self, document: int, parameters: Array, moment: Moment | None) -> VariantRuns | None:
        recorded = self.recorded[document] or self._recorded(document, self.varied(document, parameters))
        starts = bool(self.plan.initial or self.plan.initial_velocity)
        if recorded.reactions or (starts and moment is None and not self._begun[document]):
            return None
        base = self.simulations[document]
        first = self.varied(document, parameters)
        names = self._own(parameters)
        return variant_runs(
            base,
            first,
            names,
            self.plan.duration,
            every=self.plan.every,
            channels=recorded.channels,
            moment=moment,
        )

    # -- what is measured ----------------------------------------------------------------------------------------------

    def _of_run(self, document: int, array: Array) -> list[float]:
        """Measures of a run whose samples are `array`, shape (n_samples, n_columns)."""
        recorded = self.recorded[document]
        observed = self.plan.observed
        time = array[:, 0]
        assert recorded is not None

        def column(name: str) -> Array:
            return np.asarray(array[:, recorded.columns[name]])

        traces = [] if observed is None else observed.recordings[0].held(column, time)
        return self._numbers(column, time) + traces

    def _numbers(self, channel: Callable[[str], Array], time: Array) -> list[float]:
        return [
            measure.formula.of([one.of(channel(one.channel), time) for one in measure.reductions])
            for measure in self.plan.measures
        ]

    def _recorded(self, document: int, sim: Simulation) -> Recorded:
        """Channels to record of a document's variants, of which one is given."""
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
    start, moving = starts_of(plan, given)
    if start or moving:
        sim.set(start, velocity=moving)
    for name, drive in drives_of(plan, given):
        sim.drive(name, drive)


def starts_of(plan: StudyPlan, given: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Initial positions and velocities of a plan, by axis, with numbers in place of `{name}`. Raises UsageError
    for text that is not a number."""
    positions, velocities = (
        {axis: _number(filled(text, given), axis) for axis, text in texts}
        for texts in (plan.initial, plan.initial_velocity)
    )
    return positions, velocities


def drives_of(plan: StudyPlan, given: Mapping[str, float]) -> Iterator[tuple[str, Drive]]:
    """Drives of a plan, with numbers in place of `{name}`. Raises UsageError."""
    for target, text in plan.drives:
        yield parse_drive(f"{target}={filled(text, given)}")


def filled(text: str, given: Mapping[str, float]) -> str:
    """Text with numbers in place of `{name}`."""
    for name, value in given.items():
        text = text.replace(f"{{{name}}}", repr(float(value)))
    return text


def _number(text: str, axis: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"'{text}', the start of '{axis}', is not a number") from None
