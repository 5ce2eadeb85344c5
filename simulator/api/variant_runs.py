"""Runs of many variants of a simulation in one engine, which is reused in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.api.run import columns_of
from simulator.dynamics.compiled.block import Span
from simulator.errors import SimulatorError
from simulator.mechanism.varied import moves_positions
from simulator.session.batch import steps_of, stride_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.engine.repeating import InPlace

    Array = NDArray[np.float64]


class VariantRuns:
    """Runs of variants of `base` with the drives of one of them, `first`, which has no other user from then on: what
    `base.varied(values)`, given these drives, would record from its start."""

    def __init__(self, base: Simulation, in_place: InPlace) -> None:
        self._base, self._in_place = base, in_place

    @property
    def size(self) -> int:
        """Numbers that a run records."""
        return self._in_place.rows * len(self._in_place.columns)

    def run(self, variants: Sequence[Mapping[str, float]]) -> list[Array | None]:
        """What each records, shape (n_samples, n_columns); None for those that have to be made by themselves."""
        numbers = [self._numbers(values) for values in variants]
        found: list[Array | None] = [None] * len(variants)
        able = [i for i, one in enumerate(numbers) if one is not None]
        if able:
            rows, made = self._in_place.run([one for one in numbers if one is not None])
            for i, array, is_made in zip(able, rows, made.tolist(), strict=True):
                found[i] = array if is_made else None
        return found

    def _numbers(self, values: Mapping[str, float]) -> Array | None:
        try:
            return self._in_place.numbers_of(self._base._renumbered(values))
        except SimulatorError:  # which the variant will raise again
            return None


def variant_runs(
    base: Simulation,
    first: Simulation,
    names: Iterable[str],
    duration: float,
    *,
    every: float | None,
    channels: Iterable[str],
) -> VariantRuns | None:
    """Runs of `duration` [s] of variants of `base` in the parameters `names`, of which `first` is one, at its start and
    with its drives, as `Simulation.run` makes them; None where each has to be made by itself.

    Raises UsageError for what cannot be recorded, AssemblyError where `first` cannot be assembled.
    """
    engine, pattern = first._ready(), base._as_pattern()
    model = None if pattern.engine is None else pattern.engine.model
    if model is None or first.time > 0.0:
        return None
    span = Span(0, steps_of(engine.dt, duration), stride_of(engine.dt, every, "samples"))
    columns, moves = columns_of(base._columns, channels), moves_positions(names)
    in_place = engine.in_place(model, pattern.transfer, pattern.state, span, columns, moves=moves)
    return None if in_place is None else VariantRuns(base, in_place)
