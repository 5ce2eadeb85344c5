"""What a study is, as frozen values that pickle and compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.studies.measures import Constraint, Measure

SAMPLINGS = ("sobol", "latin", "random", "saltelli")
SPREADS = ("uniform", "normal", "log", "lognormal")


@dataclass(frozen=True)
class Spread:
    """How a parameter is spread: `uniform` from a to b; `normal` with mean a and standard deviation b; `log`, uniform
    in its logarithm from a to b; `lognormal`, with median a and standard deviation b of its natural logarithm."""

    kind: str
    a: float
    b: float


@dataclass(frozen=True)
class Positions:
    """A sweep without time, as `Simulation.analyse` makes it: `moves` (axis, begin, end)."""

    moves: tuple[tuple[str, float, float], ...]
    points: int = 361
    velocity: float = 0.0
    acceleration: float = 0.0


@dataclass(frozen=True)
class StudyPlan:
    """A study.

    `documents`: paths or names of example worlds, each with all samples. `duration`, `dt`, `every` [s]: of runs; of
    sweeps, `positions` instead. `samples`: of what is spread; a grid multiplies them, and so do the rows of a `listing`
    (names, rows of numbers). `correlations`: (parameter, parameter, coefficient of correlation of their normal scores).
    `drives` and `initial`: texts as on the command line, by axis; `{name}` in them is a free parameter.
    """

    documents: tuple[str, ...]
    measures: tuple[Measure, ...]
    duration: float = 0.0
    dt: float | None = None
    every: float | None = None
    solver: str = "rows"
    positions: Positions | None = None
    seed: int = 0
    samples: int = 1
    sampling: str = "sobol"
    spreads: tuple[tuple[str, Spread], ...] = ()
    grids: tuple[tuple[str, tuple[float, ...]], ...] = ()
    listing: tuple[tuple[str, ...], tuple[tuple[float, ...], ...]] = ((), ())
    correlations: tuple[tuple[str, str, float], ...] = ()
    drives: tuple[tuple[str, str], ...] = ()
    initial: tuple[tuple[str, str], ...] = ()
    constraints: tuple[Constraint, ...] = ()
    hold_base: bool = False
    resource_paths: tuple[str, ...] = field(default=())

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters, in the order of the columns."""
        return (*self.listing[0], *(name for name, _ in self.grids), *(name for name, _ in self.spreads))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what is measured."""
        return tuple(measure.name for measure in self.measures)
