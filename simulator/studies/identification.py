"""How well least squares know their parameters: errors, confidence, correlation, and what cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.named import NamedMatrix
from simulator.errors import SimulatorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.studies.problem import Problem

    Array = NDArray[np.float64]

CONFIDENCE = 0.95
RANK = 1e-6
"""Singular values of the Jacobian, columns scaled to length 1, that are none: it is made of central differences."""
STRONG = 30.0
"""Condition index from which parameters trade off, and the share of their variances that tells which (Belsley, Kuh and
Welsch, Regression Diagnostics, 1980, sec. 3.2)."""
SHARE = 0.5
NOISE = 2.0
"""Residuals that are this many times the stated deviations, or less than this part of them, are worth a word."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Estimates of parameters by least squares: `values`, standard `errors`, and ends `low` and `high` of their 95 %
    confidence intervals by Student's t with `degrees` of freedom, shape (d,) each, for errors of the recording that are
    independent and normal; of a parameter that is sought in its logarithm, the interval is of the logarithm.
    `correlation` of the estimates (d, d). `deviation`: root mean square of the residuals by degree of freedom; 1 where
    the stated standard deviations are right and the model is. `condition`: of the Jacobian with columns of length 1.
    `warnings`: what should be known before a number is used."""

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

    def __repr__(self) -> str:
        rows = [("parameter", "estimate", "standard error", "95 % confidence")]
        for name, value, error, low, high in zip(
            self.parameters, self.values, self.errors, self.low, self.high, strict=True
        ):
            rows.append((name, f"{value:.6g}", f"{error:.2g}", f"{low:.6g} … {high:.6g}"))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join(
            f"{name:<{widths[0]}}  {value:>{widths[1]}}  {error:>{widths[2]}}  {ends}"
            for name, value, error, ends in rows
        )


def fit_at(problem: Problem, unit: Array, sim: Simulation) -> Fit | None:
    """The fit where least squares have ended; None where there are no more residuals than parameters. Raises
    ExhaustedError."""
    from scipy.stats import t as student

    space, row = problem.space, problem.rows(unit[None])[0]
    residuals, J = problem.residuals(row), problem.jacobian(unit)
    degrees, d = len(residuals) - len(unit), len(unit)
    if degrees < 1:
        return None
    deviation = float(np.sqrt(residuals @ residuals / degrees))
    lengths = np.linalg.norm(J, axis=0)
    is_seen = lengths > RANK * lengths.max(initial=0.0)
    scaled = J / np.where(is_seen, lengths, 1.0)
    _, sizes, directions = np.linalg.svd(scaled[:, is_seen], full_matrices=False)
    is_told = sizes > RANK * sizes.max(initial=0.0)
    # (J^T J)^-1 of what can be told; the variance along the rest has no bound.
    inverse = np.where(is_told, 1.0 / np.where(is_told, sizes, 1.0) ** 2, 0.0)
    parts = directions.T**2 * inverse
    unbounded = ~is_seen
    unbounded[is_seen] |= (directions[~is_told] ** 2).sum(axis=0) > RANK
    covariance = np.zeros((d, d))
    covariance[np.ix_(is_seen, is_seen)] = (directions.T * inverse) @ directions
    covariance /= np.outer(np.where(is_seen, lengths, 1.0), np.where(is_seen, lengths, 1.0))
    errors = deviation * np.sqrt(np.diag(covariance)) * space.spans
    errors[unbounded] = np.inf
    root = np.sqrt(np.diag(covariance))
    known = np.outer(root, root) > 0.0
    correlation = np.where(known, covariance / np.where(known, np.outer(root, root), 1.0), np.nan)
    values = row.parameters[0, len(row.parameters[0]) - d :]
    reach = float(student.ppf(0.5 + 0.5 * CONFIDENCE, degrees)) * errors
    with np.errstate(over="ignore"):
        low = np.where(space.is_log, values * np.exp(-reach), values - reach)
        high = np.where(space.is_log, values * np.exp(reach), values + reach)
    condition = float(sizes.max(initial=1.0) / sizes.min(initial=1.0)) if is_told.all() else np.inf
    warnings = (
        *_unseen(space.names, ~is_seen),
        *_untold(np.array(space.names)[is_seen], directions, is_told, sim),
        *_traded(np.array(space.names)[is_seen], sizes, parts, is_told),
        *_at_bounds(space.names, unit),
        *_noise(problem, deviation),
    )
    return Fit(
        space.names, values, np.where(space.is_log, values * errors, errors), low, high,
        NamedMatrix(space.names, space.names, correlation), deviation, degrees, condition, warnings,
    )  # fmt: skip


def _unseen(names: tuple[str, ...], unseen: NDArray[np.bool_]) -> list[str]:
    found = [name for name, is_unseen in zip(names, unseen, strict=True) if is_unseen]
    return [f"nothing that was recorded depends on {', '.join(found)}"] if found else []


def _untold(names: Array, directions: Array, is_told: NDArray[np.bool_], sim: Simulation) -> list[str]:
    """Which parameters only matter together, and whether another experiment would help."""
    found = []
    for direction in directions[~is_told]:
        together = [str(name) for name, part in zip(names, direction, strict=True) if abs(part) > 0.1]
        told = f"the recording cannot tell {', '.join(together)} apart: only a combination of them matters"
        found.append(told + _of_any_experiment(together, sim))
    return found


def _of_any_experiment(names: list[str], sim: Simulation) -> str:
    try:
        base = sim.base_parameters(names)
    except SimulatorError:
        return ""
    if len(base) < len(names):
        return "; no experiment with this mechanism can (Simulation.base_parameters): hold one of them"
    return "; one that also records efforts, or excites more, can"


def _traded(names: Array, sizes: Array, parts: Array, is_told: NDArray[np.bool_]) -> list[str]:
    """Near dependencies: a condition index above `STRONG` that makes most of the variance of two or more."""
    found = []
    share = parts / np.where(parts.sum(axis=1, keepdims=True) > 0.0, parts.sum(axis=1, keepdims=True), 1.0)
    for k in np.flatnonzero(is_told):
        index = float(sizes.max() / sizes[k])
        together = [str(name) for name, part in zip(names, share[:, k], strict=True) if part > SHARE]
        if index > STRONG and len(together) > 1:
            found.append(
                f"{', '.join(together)} trade off (condition index {index:.0f}): their errors are of each other"
            )
    return found


def _at_bounds(names: tuple[str, ...], unit: Array) -> list[str]:
    found = [name for name, value in zip(names, unit, strict=True) if min(value, 1.0 - value) < 1e-6]
    return [f"at a bound, where a confidence interval means little: {', '.join(found)}"] if found else []


def _noise(problem: Problem, deviation: float) -> list[str]:
    if problem.plan.recorded is None or 1.0 / NOISE < deviation < NOISE:
        return []
    why = "the model lacks something, or the recording is worse than stated"
    if deviation < 1.0:
        why = "the recording is better than stated, or its errors are not independent"
    return [f"residuals are {deviation:.3g} standard deviations: {why}"]
