"""Runs of many variants of a simulation in one engine, which is reused in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.api.run import columns_of
from simulator.engine.repeating import in_place
from simulator.errors import SimulatorError
from simulator.mechanism.varied import moves_positions
from simulator.physics.step.block import Span
from simulator.session.batch.batch import steps_of, stride_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from simulator.api.moment import Moment
    from simulator.api.simulation import Simulation
    from simulator.engine.drives import Drive
    from simulator.engine.repeating import InPlace
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array


class VariantRuns:
    """Runs of variants of `base` with the drives of one of them, `first`, which must have no other user from then on.
    Each equals a run of `base.varied(values)` with these drives, from the present or another moment of `base`.
    `is_unlike`: whether all variants of the last call have another structure than `first`, as friction where it has
    none."""

    def __init__(
        self, base: Simulation, first: Simulation, state: JointState, make: Callable[[JointState], InPlace | None]
    ) -> None:
        """`make`: see `repeating.in_place`; `state`: of the moment that they begin at."""
        self._base = base
        self._first = first
        self._make = make
        self._in_place = make(state)
        self._unlike = 0
        self.is_unlike = False

    @property
    def are_possible(self) -> bool:
        """Whether runs are possible here, with these drives."""
        return self._in_place is not None

    def begin(self, drives: Iterable[tuple[str, Drive]], moment: Moment) -> None:
        """Continue with other drives of the axes and actuators that are driven, and from another moment of `base`.
        Raises the errors of `Simulation.drive`; no run is possible after one."""
        assert self._in_place is not None
        self._in_place.restore()
        self._in_place = None
        for name, drive in drives:
            self._first.drive(name, drive)
        self._in_place = self._make(moment.state)

    @property
    def size(self) -> int:
        """Numbers that a run records."""
        assert self._in_place is not None
        return self._in_place.rows * len(self._in_place.columns)

    def run(self, variants: Sequence[Mapping[str, float]]) -> list[Array | None]:
        """The recording of each, shape (n_samples, n_columns); None for those that must be run separately."""
        assert self._in_place is not None
        self._unlike = 0
        numbers = [self._numbers(self._in_place, values) for values in variants]
        found: list[Array | None] = [None] * len(variants)
        able = [i for i, one in enumerate(numbers) if one is not None]
        self.is_unlike = self._unlike == len(variants)
        if able:
            rows, made = self._in_place.run([one for one in numbers if one is not None])
            for i, array, is_made in zip(able, rows, made.tolist(), strict=True):
                found[i] = array if is_made else None
        return found

    def _numbers(self, in_place: InPlace, values: Mapping[str, float]) -> Array | None:
        try:
            numbers = in_place.numbers_of(self._base._core.renumbered(values))
        except SimulatorError:  # which the variant raises again
            return None
        self._unlike += numbers is None
        return numbers


def variant_runs(
    base: Simulation,
    first: Simulation,
    names: Iterable[str],
    duration: float,
    *,
    every: float | None,
    channels: Iterable[str],
    moment: Moment | None = None,
) -> VariantRuns | None:
    """Runs of `duration` [s] of variants of `base` in the parameters `names`, of which `first` is one, at its start and
    with its drives, as `Simulation.run` makes them; None if each must be run separately. `moment` of `base`: their
    start, if it is not the present one.

    Raises UsageError for channels that cannot be recorded, AssemblyError if `first` cannot be assembled.
    """
    engine, pattern = first._core.ready(), base._core.as_pattern()
    model = None if pattern.engine is None else pattern.engine.model
    if model is None or first.time > 0.0:
        return None
    span = Span(0, steps_of(engine.dt, duration), stride_of(engine.dt, every, "samples"))
    columns = columns_of(base._core.columns, channels)
    moves = moves_positions(names)

    def make(state: JointState) -> InPlace | None:
        return in_place(engine, model, pattern.transfer, state, span, columns, moves=moves)

    runs = VariantRuns(base, first, pattern.state if moment is None else moment.state, make)
    return runs if runs.are_possible else None
