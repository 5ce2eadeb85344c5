"""A study as frozen values that pickle and compare."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from simulator.records import dataclass
from simulator.studies.observations import Observations

if TYPE_CHECKING:
    from simulator.studies.formula import Formula
    from simulator.studies.measures import Constraint, Measure
    from simulator.studies.observations import Recording, Texts

SAMPLINGS = ("sobol", "latin", "random", "saltelli")
SPREADS = ("uniform", "normal", "log", "lognormal", "triangular")
METHODS = ("differential_evolution", "cobyla", "least_squares", "optuna")


@dataclass(frozen=True)
class Spread:
    """Distribution of a parameter: `uniform` from a to b; `normal` with mean a and standard deviation b; `log`, uniform
    in its logarithm from a to b; `lognormal`, with median a and standard deviation b of its natural logarithm;
    `triangular`, from a to b with its peak in the middle."""

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
class Objective:
    """The aim of an optimisation: the least value of `minimised`, a formula over measures (`text` as it was
    written, with `sign` -1 for a maximum), or the least sum of squares of `residuals`, or, without
    either, of the residuals of a recording. `method`: one of `METHODS`."""

    method: str
    text: str = ""
    minimised: Formula | None = None
    sign: float = 1.0
    residuals: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Tolerance:
    """A parameter that is manufactured to `nominal` - `minus` … `nominal` + `plus`, in the unit of the parameter;
    `nominal` is None for the document's value. `distribution`: normal, with `deviations` standard deviations from the
    middle to
    either limit; uniform or triangular from limit to limit."""

    parameter: str
    minus: float
    plus: float
    nominal: float | None = None
    distribution: str = "normal"
    deviations: float = 3.0

    @property
    def half(self) -> float:
        """Half of the width."""
        return 0.5 * (self.plus + self.minus)

    def spread(self) -> Spread:
        """Distribution of manufactured parts; `nominal` is known."""
        assert self.nominal is not None
        low = self.nominal - self.minus
        high = self.nominal + self.plus
        if self.distribution == "normal":
            return Spread("normal", 0.5 * (low + high), self.half / self.deviations)
        return Spread(self.distribution, low, high)


@dataclass(frozen=True)
class StudyPlan:
    """A study.

    `documents`: paths or names of example worlds, each with all samples. `duration`, `dt`, `every` [s]: of runs; of
    sweeps, `positions` instead. `samples`: of random parameters; a grid multiplies them, and so do the rows of a
    `listing` (names, rows of numbers). `correlations`: (parameter, parameter, coefficient of correlation of their
    normal scores).
    `drives`, `initial` and `initial_velocity`: texts as on the command line, by axis; `{name}` in them is a free
    parameter. `observed`: a recording, with which each run is compared.

    `objective`: of an optimisation, whose spreads are the bounds of parameters; `sampling` is its method then.
    `tolerances` are among the spreads, after the document is loaded; `limits`: (measure, least, greatest).
    `lines`: (key or name, file and line) of what may turn out not to exist when the document is loaded.
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
    initial_velocity: tuple[tuple[str, str], ...] = ()
    constraints: tuple[Constraint, ...] = ()
    hold_base: bool = False
    resource_paths: tuple[str, ...] = field(default=())
    observed: Observations | None = None
    objective: Objective | None = None
    tolerances: tuple[Tolerance, ...] = ()
    limits: tuple[tuple[str, float, float], ...] = ()
    lines: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    def place_of(self, name: str) -> str:
        """File and line of a key, a parameter, an axis or a measured channel, to write before a message; empty if the
        study is no file."""
        keys = (name, *(one.name for one in self.measures if name in (part.channel for part in one.reductions)))
        found = dict(self.lines)
        return next((f"{found[key]}: " for key in keys if key in found), "")

    @property
    def texts(self) -> str:
        """Drives and starts of all experiments, in which `{name}` is a free parameter."""
        own = "".join(text for _, text in (*self.drives, *self.initial, *self.initial_velocity))
        return own if self.observed is None else own + self.observed.texts

    @property
    def experiments(self) -> tuple[StudyPlan, ...]:
        """The runs of a sample: one, or one for each recording, of which the first has the measures."""
        if self.observed is None:
            return (self,)
        return tuple(self._experiment(one, is_first=i == 0) for i, one in enumerate(self.observed.recordings))

    def _experiment(self, recording: Recording, *, is_first: bool) -> StudyPlan:
        return replace(
            self,
            measures=self.measures if is_first else (),
            constraints=(),
            observed=Observations((recording,)),
            drives=_with(self.drives, recording.drives),
            initial=_with(self.initial, recording.initial),
            initial_velocity=_with(self.initial_velocity, recording.initial_velocity),
            duration=recording.duration or self.duration,
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters, in the order of the columns."""
        return (*self.listing[0], *(name for name, _ in self.grids), *(name for name, _ in self.spreads))

    @property
    def channels(self) -> set[str]:
        """Channels that runs record."""
        observed = [] if self.observed is None else [name for one in self.observed.recordings for name in one.channels]
        return {one.channel for measure in self.measures for one in measure.reductions} | set(observed)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the measures."""
        observed = () if self.observed is None else self.observed.columns
        return (*(measure.name for measure in self.measures), *observed)


def _with(texts: Texts, others: Texts) -> Texts:
    """Texts, with others for the same axes replaced."""
    return tuple({**dict(texts), **dict(others)}.items())
