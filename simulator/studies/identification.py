"""How well least squares know their parameters: errors, confidence, correlation, and what cannot be distinguished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import SimulatorError
from simulator.kinematics.named import NamedMatrix
from simulator.records import dataclass
from simulator.studies.results import finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.spatial.arrays import Array
    from simulator.studies.problem import Problem


CONFIDENCE = 0.95
RANK = 1e-6
"""Singular values of the Jacobian, columns scaled to length 1, below this count as 0: central differences made it."""
STRONG = 30.0
"""Condition index above which parameters trade off, and the share of their variances that shows which (Belsley, Kuh
and Welsch, Regression Diagnostics, 1980, sec. 3.2)."""
SHARE = 0.5
WIDE = 0.05
"""Half of a confidence interval that deserves a warning, as a part of the span between the bounds."""
NOISE = 2.0
"""Residuals that are this many times the stated deviations, or less than this part of them, deserve a warning."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Estimates of parameters by least squares: `values`, standard `errors`, and ends `low` and `high` of their 95 %
    confidence intervals by Student's t with `degrees` of freedom, shape (d,) each, for errors of the recording that are
    independent and normal; for a parameter on a logarithmic scale, the interval is of the logarithm.
    `correlation` of the estimates (d, d). `deviation`: root mean square of the residuals by degree of freedom; 1 if
    the stated standard deviations and the model are right. `condition`: of the Jacobian with columns of length 1.
    `warnings`: what to know before using a number."""

    parameters: tuple[str, ...]
    values: Array
    errors: Array
    low: Array
    high: Array
    correlation: NamedMatrix
    deviation: float
    degrees: int
    condition: float
    warnings: tuple[str, ...]

    @property
    def correlation_text(self) -> str:
        """The lower triangle, one row for each parameter."""
        width = max(len(name) for name in self.parameters)
        rows = zip(self.parameters, self.correlation.array.tolist(), strict=True)
        return "\n".join(
            f"{name:<{width}}  " + " ".join(f"{value:6.3f}" for value in row[: i + 1])
            for i, (name, row) in enumerate(rows)
        )

    def as_table(self) -> dict[str, Any]:
        """The fit as JSON; null for values that are not finite."""
        found: dict[str, Any] = finite(
            {
                "parameters": {
                    name: {"value": value, "error": error, "low": low, "high": high}
                    for name, value, error, low, high in zip(*self._columns(), strict=True)
                },
                "correlation": self.correlation.array.tolist(),
                "deviation": self.deviation,
                "degrees": self.degrees,
                "condition": self.condition,
                "warnings": self.warnings,
            }
        )
        return found

    def _columns(self) -> tuple[Sequence[Any], ...]:
        return (self.parameters, *(one.tolist() for one in (self.values, self.errors, self.low, self.high)))

    def __repr__(self) -> str:
        rows = [("parameter", "estimate", "standard error", "95 % confidence")]
        for name, value, error, low, high in zip(*self._columns(), strict=True):
            rows.append((name, f"{value:.6g}", f"{error:.2g}", f"{low:.6g} … {high:.6g}"))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join(
            f"{name:<{widths[0]}}  {value:>{widths[1]}}  {error:>{widths[2]}}  {ends}"
            for name, value, error, ends in rows
        )


def fit_at(problem: Problem, unit: Array, sim: Simulation) -> Fit | None:
    """The fit at the end of least squares; None if there are no more residuals than parameters. Raises
    ExhaustedError."""
    from scipy.stats import t as student

    space = problem.space
    row = problem.rows(unit[None])[0]
    residuals = problem.residuals(row)
    d = len(unit)
    degrees = len(residuals) - d
    if degrees < 1:
        return None
    seen = _Information(problem.jacobian(unit))
    deviation = float(np.sqrt(residuals @ residuals / degrees))
    relative = deviation * np.sqrt(np.diag(seen.covariance))
    relative[seen.is_unbounded] = np.inf
    errors = relative * space.spans
    reach = float(student.ppf(0.5 + 0.5 * CONFIDENCE, degrees))
    values = row.parameters[0, len(row.parameters[0]) - d :]
    with np.errstate(over="ignore"):
        low = np.where(space.is_log, values * np.exp(-reach * errors), values - reach * errors)
        high = np.where(space.is_log, values * np.exp(reach * errors), values + reach * errors)
    warnings = (
        *_unseen(space.names, seen.is_seen),
        *_untold(space.names, seen, sim),
        *_traded(space.names, seen, reach * relative),
        *_at_bounds(space.at_bounds(unit)),
        *_noise(problem, deviation),
    )
    return Fit(
        space.names, values, np.where(space.is_log, values * errors, errors), low, high,
        NamedMatrix(space.names, space.names, seen.correlation), deviation, degrees, seen.condition, warnings,
    )  # fmt: skip


class _Information:
    """What residuals with Jacobian J (n, d) determine: `covariance` (J^T J)^-1 (d, d) in identifiable directions;
    `sizes` and `directions`, singular values and vectors, the latter over parameters `places`, of J with columns of
    length 1."""

    def __init__(self, J: Array) -> None:
        lengths = np.linalg.norm(J, axis=0)
        self.is_seen = lengths > RANK * lengths.max(initial=0.0)
        self.places = np.flatnonzero(self.is_seen)
        _, self.sizes, self.directions = np.linalg.svd(J[:, self.places] / lengths[self.places], full_matrices=False)
        self.is_told = self.sizes > RANK * self.sizes.max(initial=0.0)
        inverse = np.where(self.is_told, 1.0 / np.where(self.is_told, self.sizes, 1.0) ** 2, 0.0)
        self.parts = self.directions.T**2 * inverse
        self.covariance = np.zeros((len(lengths), len(lengths)))
        scale = np.outer(lengths[self.places], lengths[self.places])
        self.covariance[np.ix_(self.places, self.places)] = (self.directions.T * inverse) @ self.directions / scale
        self.is_unbounded = ~self.is_seen
        self.is_unbounded[self.places] |= (self.directions[~self.is_told] ** 2).sum(axis=0) > RANK

    @property
    def correlation(self) -> Array:
        """Standard deviations of the estimates; nan for unbounded ones."""
        root = np.sqrt(np.diag(self.covariance))
        root[self.is_unbounded] = np.nan
        return np.asarray(self.covariance / np.outer(root, root))

    @property
    def condition(self) -> float:
        """Largest over smallest singular value."""
        return float(self.sizes.max() / self.sizes.min()) if len(self.sizes) and self.is_told.all() else np.inf


def _unseen(names: tuple[str, ...], is_seen: NDArray[np.bool_]) -> list[str]:
    found = [name for name, is_one in zip(names, is_seen, strict=True) if not is_one]
    return [f"nothing in the recording depends on {', '.join(found)}"] if found else []


def _untold(names: tuple[str, ...], seen: _Information, sim: Simulation) -> list[str]:
    """Parameters that matter in combination only, and whether another experiment would help."""
    found = []
    for direction in seen.directions[~seen.is_told]:
        together = [names[place] for place, part in zip(seen.places, direction, strict=True) if part**2 > RANK]
        told = f"the recording cannot distinguish {', '.join(together)}: only a combination of them matters"
        found.append(told + _of_any_experiment(together, sim))
    return found


def _of_any_experiment(names: list[str], sim: Simulation) -> str:
    try:
        base = sim.base_parameters(names)
    except SimulatorError:
        return ""
    if len(base) < len(names):
        return "; no experiment with this mechanism can (Simulation.base_parameters): fix one of them"
    return "; record efforts too, or excite more"


def _traded(names: tuple[str, ...], seen: _Information, reach: Array) -> list[str]:
    """Near dependencies that make confidence intervals wide: a condition index above `STRONG` with most of the variance
    of two parameters or more. `reach`: half of the confidence intervals, as parts of the spans."""
    found = []
    share = seen.parts / np.maximum(seen.parts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    for k in np.flatnonzero(seen.is_told):
        index = float(seen.sizes.max() / seen.sizes[k])
        places = [int(place) for place, part in zip(seen.places, share[:, k], strict=True) if part > SHARE]
        if index > STRONG and len(places) > 1 and reach[places].max() > WIDE:
            together = ", ".join(names[place] for place in places)
            found.append(
                f"{together} trade off (condition index {index:.0f}): knowing one of them determines the others better"
            )
    return found


def _at_bounds(names: tuple[str, ...]) -> list[str]:
    return [f"at a bound, where a confidence interval means little: {', '.join(names)}"] if names else []


def _noise(problem: Problem, deviation: float) -> list[str]:
    if problem.plan.observed is None or 1.0 / NOISE < deviation < NOISE:
        return []
    why = "the model is incomplete, the recording is worse than stated, or the search ended in another minimum"
    if deviation < 1.0:
        why = "the recording is better than stated, or its errors are not independent"
    return [f"residuals are {deviation:.3g} standard deviations: {why}"]
