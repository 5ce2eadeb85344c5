"""Which parameters of a document an FMU can change: those whose numbers stand in its memory as straight lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.repeating import tables_of
from simulator.errors import SimulatorError, place_of
from simulator.mechanism.varied import Renumbering, moves_positions, parameters_of, split_name
from simulator.physics.build.rebuild import numbers_like
from simulator.records import dataclass
from simulator.session.fmu.variables import PARAMETER, WORD, Target, Term, Variable, only_model, short, structured

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.engine.engine import Engine
    from simulator.engine.flattened import Flattened
    from simulator.mechanism.parameters import Parameter
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World
    from simulator.spatial.arrays import Array, Ints

MOST = 2000
"""Parameters that are looked at where none are named: each takes about a millisecond."""
STEPS = (1.0, 1e-2)
"""By which part of itself a number is varied: inertias stay possible with the second."""
STRAIGHT = 1e-9
"""Part of a change by which a number of the image may be off a straight line: differences of rounded numbers."""
NOISE = 1e-14
"""A change [SI] that is one of rounding: of sums that are zero."""


@dataclass(frozen=True)
class FmuParameters:
    """Parameters as `variables` and `targets` of an image, and names of those that are `left_out`: they move the start,
    or compiled buffers take them in other ways."""

    variables: tuple[Variable, ...] = ()
    targets: tuple[Target, ...] = ()
    left_out: tuple[str, ...] = ()


def numbers_of(engine: Engine, world: World, flat: Flattened, names: Iterable[str] | None = None) -> FmuParameters:
    """Those of all parameters of a mechanism of `world`, or of these. Raises UsageError for names of none."""
    rows = {row.name: row for row in parameters_of(engine.mechanism, world)}
    if names is None and len(rows) > MOST:
        return FmuParameters(left_out=tuple(rows))
    known = list(rows)
    chosen = [*rows.values()] if names is None else [rows[known[place_of(known, name, "parameter")]] for name in names]
    memory = _Memory(engine, world, flat)
    slopes = {row: found for row in chosen if (found := memory.slopes(row))}
    entangled = memory.entangled(slopes)
    slopes = {row: found for row, found in slopes.items() if not entangled.intersection(found)}
    model = only_model(engine.mechanism)
    given = {row.name: _variable(row, model) for row in slopes}
    terms: dict[int, list[Term]] = {}
    for row, found in slopes.items():
        for place, slope in found.items():
            terms.setdefault(place, []).append(Term(given[row.name].name, slope, row.value))
    targets = tuple(memory.target(place, tuple(sum_of)) for place, sum_of in sorted(terms.items()))
    return FmuParameters(tuple(given.values()), targets, tuple(row.name for row in chosen if row not in slopes))


def _variable(row: Parameter, model: str) -> Variable:
    owner, field = split_name(row.name)
    name = structured(*short(owner, model).split("::"), *filter(None, field.split(".")))
    return Variable(name, PARAMETER, row.unit, row.name, row.value, row.lower, row.upper)


class _Memory:
    """All numbers of a mechanism in an image, in the order of `engine.repeating`: F, RF, tables of `Watch`."""

    def __init__(self, engine: Engine, world: World, flat: Flattened) -> None:
        bounded = engine.core.bounded
        assert bounded is not None
        self._bounded = bounded
        self._rotors = engine.core.rotors
        self._renumber = Renumbering(engine.mechanism, world)
        base = self._numbers(engine.mechanism)
        assert base is not None
        self._base = base
        self._words = np.frombuffer(flat.image.data, dtype=np.float64)
        arguments = flat.image.tables["advance"].arguments
        watch = ("stiffness", "reference", "coupling_factor", "coupling_constant")
        tables = ("F", "lines.1", *(f"journal.watch.{name}" for name in watch))
        self._places = np.concatenate([_words(arguments[name].offset, arguments[name].shape) for name in tables])

    def slopes(self, row: Parameter) -> dict[int, float]:
        """By how much each place changes with the parameter; none where that is not all that there is to it."""
        if moves_positions([row.name]):
            return {}
        for part in STEPS:
            step = part * row.value if row.value else part
            step = -step if row.value + 2.0 * step > row.upper or row.value + 2.0 * step < row.lower else step
            one, two = self._with({row.name: row.value + step}), self._with({row.name: row.value + 2.0 * step})
            if one is not None and two is not None:
                return self._straight(one, two, step)
        return {}

    def entangled(self, slopes: Mapping[Parameter, Mapping[int, float]]) -> set[int]:
        """Places where the changes of several parameters are not the sum of those of each."""
        step = STEPS[-1]
        every = self._with({row.name: row.value + _small(row, step) for row in slopes}) if slopes else None
        if every is None:
            return {place for found in slopes.values() for place in found}
        foretold = self._base.copy()
        for row, found in slopes.items():
            for place, slope in found.items():
                foretold[place] += slope * _small(row, step)
        return {*np.flatnonzero(~np.isclose(every, foretold, rtol=STRAIGHT, atol=NOISE, equal_nan=True)).tolist()}

    def target(self, place: int, terms: tuple[Term, ...]) -> Target:
        """What an FMU writes there."""
        return Target(PARAMETER, WORD * int(self._places[place]), float(self._base[place]), terms)

    def _straight(self, one: Array, two: Array, step: float) -> dict[int, float]:
        base = self._base
        alike = np.isclose(two, base, rtol=0.0, atol=NOISE, equal_nan=True)
        changed = np.flatnonzero(~alike)
        if (changed >= len(self._places)).any() or (self._words[self._places[changed]] != base[changed]).any():
            return {}
        rise, double = one[changed] - base[changed], two[changed] - base[changed]
        if not (np.abs(double - 2.0 * rise) <= STRAIGHT * np.abs(double) + NOISE).all():
            return {}
        return dict(zip(changed.tolist(), (rise / step).tolist(), strict=True))

    def _with(self, values: Mapping[str, float]) -> Array | None:
        try:
            return self._numbers(self._renumber(values))
        except SimulatorError:  # a value that is not possible
            return None

    def _numbers(self, mechanism: Mechanism) -> Array | None:
        model = self._bounded.model
        floats = numbers_like(model.parts, model.mechanism, mechanism, self._rotors)
        lines = self._bounded.lines_like(mechanism)
        if floats is None or lines is None:
            return None
        return np.concatenate((floats, lines.ravel(), tables_of(mechanism)))


def _small(row: Parameter, part: float) -> float:
    step = part * row.value if row.value else part
    return -step if row.value + step > row.upper or row.value + step < row.lower else step


def _words(offset: int, shape: tuple[int, ...]) -> Ints:
    return offset // WORD + np.arange(int(np.prod(shape)), dtype=np.int64)
