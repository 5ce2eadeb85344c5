"""Numbers that are drawn anew for each episode: initial positions and velocities, and parameters of the mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.records import dataclass
from simulator.studies.design import quantiles
from simulator.studies.plan import Spread
from simulator.studies.reading import spread_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Draw = "float | tuple[float, float] | Mapping[str, list[float]]"
"""A number, a range (lower, higher) of equal probability, or a table as in a study: {"normal": [0.0, 0.1]}."""


@dataclass(frozen=True)
class Draws:
    """Numbers by name, each with its distribution or its possible values."""

    spreads: tuple[tuple[str, Spread | tuple[float, ...]], ...] = ()

    def __len__(self) -> int:
        return len(self.spreads)

    def numbers(self, random: np.random.Generator) -> dict[str, float]:
        """One value of each; the generator gives one number for each that is not fixed."""
        found = {}
        for name, spread in self.spreads:
            if isinstance(spread, Spread):
                found[name] = float(quantiles(spread, np.array([random.random()]))[0])
            else:
                found[name] = spread[int(random.integers(len(spread)))] if len(spread) > 1 else spread[0]
        return found


def draws_of(what: str, given: Mapping[str, object] | None, check: Callable[[str], object]) -> Draws:
    """`check` raises for a name that does not exist. Raises UsageError."""
    if given is not None and not hasattr(given, "items"):
        raise UsageError(f'{what} takes names with numbers or ranges, {what}={{"NAME": (-0.1, 0.1)}}, not {given!r}')
    spreads = []
    for name, value in (given or {}).items():
        check(name)
        is_range = isinstance(value, tuple | list) and len(value) == 2
        spreads.append((name, spread_of(what, name, {"uniform": list(value)} if is_range else value)))  # type: ignore[call-overload]
    return Draws(tuple(spreads))
