"""Methods of optimisation, over numbers from 0 to 1: scipy's, and optuna's if it is installed.

Each asks a `Problem` for samples, whose log is its only result; it returns a sentence about its end.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import MissingLibraryError
from simulator.studies.evaluations import ExhaustedError

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array
    from simulator.studies.problem import Problem
    from simulator.studies.samples import SampleRows


CONVERGED = "converged"
SHARE = 0.8
"""Share of the samples for a global method; the rest is for a local one that continues from its best."""
ALIKE = 1e-3
"""A population has converged if its objectives deviate by less than this part of their mean (Storn and Price 1997)."""
RADIUS, FINE, LAST = 0.1, 0.02, 1e-7
"""Sizes of COBYLA's simplex: at the beginning, after a global method, and at the end, as parts of spans."""
BATCH = 8
"""Points that optuna proposes at a time, for any number of workers: its proposals depend on it."""
LATE = 5
"""None of so many last steps of least squares may have failed: failures also end them."""
PARTS, MET = (1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0), 2.0
"""Standard deviations from which a misfit of the whole recording makes its first parts fitted in turn."""
PRECISION = 1e-10
"""Relative change of the sum of squares and of parameters at which least squares end."""


def search(problem: Problem, start: Array) -> tuple[str, Array | None]:
    """Make samples until the method of the plan's objective has converged or all are made; returns why it ended, and
    the minimum, for least squares that converged."""
    method = problem.plan.objective.method if problem.plan.objective is not None else ""
    try:
        if method == "least_squares":
            return _least_squares(problem, start)
        if method == "cobyla":
            return _cobyla(problem, start, RADIUS), None
        if method == "optuna":
            return _optuna(problem, start), None
        _differential_evolution(problem, start)
        best = _best(problem)
        if problem.has_residuals and not problem.plan.constraints:
            return _least_squares(problem, best)
        return _cobyla(problem, best, FINE), None
    except ExhaustedError:
        return "stopped before it converged (samples = NUMBER allows more)", None


def _differential_evolution(problem: Problem, start: Array) -> None:
    """Storn and Price 1997, a generation at a time; constraints as in Lampinen 2002: smaller violations win."""
    from scipy.optimize import NonlinearConstraint, differential_evolution

    def cost(unit: Array) -> Array:
        return np.array([problem.cost(row) for row in problem.rows(unit.T)])

    def excess(unit: Array) -> Array:
        return np.stack([problem.excess(row) for row in problem.rows(np.atleast_2d(unit.T))], axis=-1)

    whole = problem.evaluations.most
    problem.evaluations.most = math.ceil(SHARE * whole)
    constraints = (NonlinearConstraint(excess, -np.inf, 0.0),) if problem.plan.constraints else ()
    try:
        differential_evolution(
            cost, [(0.0, 1.0)] * len(start), x0=start, vectorized=True, updating="deferred", polish=False,
            maxiter=whole, tol=ALIKE, constraints=constraints, seed=np.random.default_rng(problem.plan.seed),
        )  # fmt: skip
    except ExhaustedError:
        pass
    finally:
        problem.evaluations.most = whole


def _cobyla(problem: Problem, start: Array, radius: float) -> str:
    """Powell 1994: linear models of objective and constraints, without derivatives."""
    from scipy.optimize import minimize

    worst = 0.0

    def finite(cost: float) -> float:
        """Infinite where simulations fail, worse than all others."""
        nonlocal worst
        if math.isfinite(cost):
            worst = max(worst, abs(cost))
        return cost if math.isfinite(cost) else 2.0 * worst + 1.0

    def row(unit: Array) -> Any:
        return problem.rows(unit[None])[0]

    held = {"type": "ineq", "fun": lambda unit: -np.minimum(problem.excess(row(unit)), 1e6)}
    found = minimize(
        lambda unit: finite(problem.cost(row(unit))), start, method="COBYLA", bounds=[(0.0, 1.0)] * len(start),
        constraints=[held] if problem.plan.constraints else [],
        options={"rhobeg": radius, "tol": LAST, "maxiter": problem.evaluations.most},
    )  # fmt: skip
    return CONVERGED if found.success else f"ended early: {found.message}"


def _least_squares(problem: Problem, start: Array) -> tuple[str, Array | None]:
    """Descend from the start; if that misses a recording, descend again by its first parts, each from the end of the
    one before: over a long time the motion depends on parameters in many waves, over a short one
    it does not."""
    first = problem.rows(start[None])[0]
    if not math.isfinite(problem.cost(first)):
        reason = first.reason[0] or "a measure has no value there"
        return (
            f"least squares cannot begin at the document's values: {reason}; use method = 'differential_evolution'",
            None,
        )
    ended, where = _descended(problem, start)
    if problem.plan.observed is None or (where is not None and _misfit(problem, where) < MET):
        return ended, where
    on_the_way = start
    for part in PARTS:
        if problem.plan.observed.within(part).sum() < len(start):
            continue
        _, there = _descended(problem, on_the_way, part)
        on_the_way = on_the_way if there is None else there
    again, other = _descended(problem, on_the_way)
    is_better = other is not None and (where is None or _misfit(problem, other) < _misfit(problem, where))
    return (again, other) if is_better else (ended, where)


def _misfit(problem: Problem, unit: Array) -> float:
    return problem.value(problem.rows(unit[None])[0])


def _descended(problem: Problem, start: Array, part: float = 1.0) -> tuple[str, Array | None]:
    """Trust regions with bounds (Branch, Coleman and Li 1999)."""
    from scipy.optimize import least_squares

    tried: list[SampleRows] = []

    def residuals(unit: Array) -> Array:
        tried.append(problem.rows(unit[None])[0])
        return problem.residuals(tried[-1], part)

    found = least_squares(
        residuals, start, lambda unit: problem.jacobian(unit, part), bounds=(0.0, 1.0), x_scale="jac",
        ftol=PRECISION, xtol=PRECISION, gtol=PRECISION, max_nfev=problem.evaluations.most,
    )  # fmt: skip
    if found.status <= 0:
        return f"ended early: {found.message}", found.x
    failed = [row for row in tried[-LATE:] if not math.isfinite(problem.cost(row))]
    if failed:
        return f"ended where samples fail: {failed[-1].reason[0] or 'a measure has no value there'}", None
    return CONVERGED, found.x


def _optuna(problem: Problem, start: Array) -> str:
    """Tree-structured Parzen estimators (Bergstra et al. 2011). Raises MissingLibraryError without optuna."""
    try:
        import optuna
    except ImportError as error:
        raise MissingLibraryError("method = 'optuna' needs optuna: pip install 'simulator[optuna]'") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{i}" for i in range(len(start))]

    study: Any = optuna.create_study(sampler=_parzen(optuna, problem))
    study.enqueue_trial(dict(zip(names, start.tolist(), strict=True)))
    while True:
        trials = [study.ask() for _ in range(BATCH)]
        unit = np.array([[trial.suggest_float(name, 0.0, 1.0) for name in names] for trial in trials])
        for trial, row in zip(trials, problem.rows(unit), strict=True):
            trial.set_user_attr("excess", np.minimum(problem.excess(row), 1e6).tolist())
            cost = problem.cost(row)
            if math.isfinite(cost):
                study.tell(trial, cost)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)


def _parzen(optuna: Any, problem: Problem) -> Any:
    """Its sampler; constraints are passed as all its versions since 3 accept them."""
    held: dict[str, Any] = {}
    if problem.plan.constraints:
        held["constraints_func"] = lambda trial: list(trial.user_attrs["excess"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optuna.samplers.TPESampler(seed=problem.plan.seed, **held)


def _best(problem: Problem) -> Array:
    rows = problem.evaluations.rows
    return problem.space.unit(rows[problem.best(rows)].parameters[0])
