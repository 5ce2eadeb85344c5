"""Effect of tolerances of parts on measures: worst case, root sum square, Monte Carlo, contributors, yield."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import UsageError
from simulator.studies.evaluations import Evaluations
from simulator.studies.plan import Spread, Tolerance
from simulator.studies.reading import plan_from
from simulator.studies.results import read_results, results_of, write_beside
from simulator.studies.samples import OK, Laboratory
from simulator.studies.slopes import exact_slopes
from simulator.studies.study import parts_of, task_of
from simulator.studies.tolerance_values import FILE, ToleranceAnalysis, ToleranceOfMeasure, WorstCase, as_table
from simulator.studies.workers import Pool, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.spatial.arrays import Array
    from simulator.studies.plan import StudyPlan
    from simulator.studies.results import Results
    from simulator.studies.samples import SampleRows, StudyTask


STEP = 0.1
"""Step of central differences, as a part of half of the tolerance."""
SIGMAS = 3.0
"""Half-width of the reported interval in standard deviations, for root sum square and Monte Carlo: 99.73 % of a normal
measure."""
TAIL = 0.1349898
"""Percent of a normal measure below the interval."""
FLIPS = 50
"""How often a corner may be left for a worse one."""
SLIGHT = 0.01
"""Least improvement of another corner that counts, as a part of the distance from the middle."""
NOTHING = 1e-12
"""Round-off, relative to the size of a measure."""


def tolerances(
    source: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    workers: int = 1,
    processes: int = 0,
    dask: str = "",
    resume: bool = False,
) -> ToleranceAnalysis:
    """Effect of tolerances on measures: `simulator.tolerances("crank.toml")["stroke"].greatest.value`.

    `source`: a TOML file with `[tolerances]`, or a table of the same keys. `output`: a folder for the samples of Monte
    Carlo, as of a study, and the analysis, which `simulator study report` turns into a page. `workers`, `processes`,
    `dask` and `resume` as in `study`.

    Raises UsageError for errors in the study and if nothing can be simulated in the middle of the
    tolerances, and the errors of `simulator.load`.
    """
    plan = plan_from(source)
    folder = None if output is None else Path(output)
    return tolerance_analysis(tolerance_task(plan), folder, Workers(workers, processes, dask), resume=resume)


def tolerance_task(plan: StudyPlan) -> StudyTask:
    """The plan with its document loaded. Raises UsageError for a plan without tolerances, or with more than one
    design, and the errors of `task_of`."""
    if not plan.tolerances:
        raise UsageError('the study has no tolerances: write [tolerances] and "PARAMETER" = NUMBER below it')
    if plan.listing[0] or any(len(values) > 1 for _, values in plan.grids):
        raise UsageError("tolerances need one design: give other parameters one value or a distribution, no list")
    if not plan.measures:
        raise UsageError("nothing is measured: write [measures]")
    for name, spread in plan.spreads:
        if spread.kind in ("log", "lognormal"):
            raise UsageError(f"'{name}' beside tolerances must be uniform, triangular or normal, not {spread.kind}")
    return task_of(plan)


def tolerance_analysis(
    task: StudyTask,
    folder: Path | None,
    workers: Workers,
    *,
    resume: bool = False,
    show: Callable[[int, int, int, str], None] = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
    sees: Callable[[SampleRows], None] = lambda _: None,
) -> ToleranceAnalysis:
    """Samples, slopes and corners. `sees` receives each part of the samples."""
    parts = []
    for rows in parts_of(task, folder, workers, resume=resume, show=show, say=say):
        sees(rows)
        parts.append(rows)
    results = results_of(task.plan, parts) if folder is None else read_results(folder)
    pool = Pool(workers)
    try:
        found = _Analyst(task, pool, results).analysis()
    finally:
        pool.close()
    if folder is not None:
        write_beside(folder / FILE, json.dumps(as_table(found), indent=1, ensure_ascii=False).encode())
    return found


class _Analyst:
    def __init__(self, task: StudyTask, pool: Pool, results: Results) -> None:
        self._task = task
        self._plan = task.plan
        self._results = results
        self._names = tuple(name for name, _ in task.plan.spreads)
        own = {one.parameter: one for one in task.plan.tolerances}
        self._zones = tuple(own.get(name) or _zone(name, spread) for name, spread in task.plan.spreads)
        self._fixed = np.array([values[0] for _, values in task.plan.grids])
        self._evaluations = Evaluations(task, pool, most=10**9)
        self._half = np.array([zone.half for zone in self._zones])
        nominal = np.array([zone.nominal for zone in self._zones], dtype=float)
        self._nominal = nominal
        self._middle = nominal + 0.5 * np.array([zone.plus - zone.minus for zone in self._zones])
        self._sigma = np.array([_deviation(spread) for _, spread in task.plan.spreads])

    def analysis(self) -> ToleranceAnalysis:
        rows = self._rows(np.stack((self._nominal, self._middle)))
        for row, where in zip(rows, ("nominal", "in the middle of their tolerances"), strict=True):
            if row.status[0] != OK:
                raise UsageError(f"nothing can be measured with all parameters {where}: {row.reason[0]}")
        nominal, middle = (row.measures[0] for row in rows)
        variant = Laboratory(self._task).experiments[0].varied(0, self._point(self._middle))
        exact = exact_slopes(variant, self._plan, self._names)
        slopes = np.where(np.isnan(exact), self._differences(), exact) if np.isnan(exact).any() else exact
        known = self._task.simulations[0].parameters()
        units = tuple(known[name].unit if name in known else "" for name in self._names)
        measures = tuple(
            self._of_measure(k, float(nominal[k]), float(middle[k]), slopes[k], exact[k])
            for k in range(len(self._plan.measures))
        )
        return ToleranceAnalysis(self._zones, units, measures, self._results)

    def _of_measure(self, k: int, nominal: float, middle: float, slopes: Array, exact: Array) -> ToleranceOfMeasure:
        name = self._plan.measures[k].name
        values = self._results[name]
        samples = self._results
        limits = next(((low, high) for one, low, high in self._plan.limits if one == name), (-np.inf, np.inf))
        kept = values[np.isfinite(values)]
        good = int(np.sum((limits[0] <= kept) & (kept <= limits[1])))
        spread = slopes * self._sigma
        covariance = spread * (_correlations(self._plan, self._names) @ spread)
        variance = float(covariance.sum())
        half = np.abs(slopes) * self._half
        fit = samples.regression(name)
        squares = fit.coefficients[len(self._fixed) :] ** 2
        return ToleranceOfMeasure(
            name, nominal, middle, _tuple(slopes),
            tuple("central difference" if np.isnan(one) else "exact" for one in exact),
            self._worst(k, slopes, -1.0), self._worst(k, slopes, 1.0), middle, float(np.sqrt(variance)), _summary(kept),
            limits, good, len(samples), _tuple(half / (half.sum() or 1.0)), _tuple(covariance / (variance or 1.0)),
            _tuple(squares), fit.explained,
        )  # fmt: skip

    def _differences(self) -> Array:
        """Slopes of all measures by central differences, shape (m, d), one-sided beside failing samples."""
        d = len(self._half)
        h = STEP * self._half
        ends = self._middle + np.concatenate((-np.diag(h), np.diag(h), np.zeros((1, d))))
        values = np.array([row.measures[0] for row in self._rows(ends)])
        columns = []
        for i in range(d):
            low = values[i]
            high = values[d + i]
            middle = values[-1]
            central = (high - low) / (2.0 * h[i])
            columns.append(
                np.where(np.isnan(central), np.where(np.isnan(low), high - middle, middle - low) / h[i], central)
            )
        return np.stack(columns, axis=1)

    def _worst(self, k: int, slopes: Array, sense: float) -> WorstCase:
        """The greatest (`sense` 1) or least value of measure `k`: at the corner that slopes give, then with one
        parameter after the other at its other limit or in its middle, while that is worse; worse samples within all
        tolerances also count."""
        levels = np.where(np.nan_to_num(slopes) * sense < 0.0, -1.0, 1.0)
        value = first = self._values(k, levels[None])[0]
        for _ in range(FLIPS):
            beside = np.concatenate([_with(levels, i) for i in range(len(levels))])
            values = self._values(k, beside) * sense
            best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
            if np.isnan(values).all() or not (np.isnan(value) or values[best] > value * sense + NOTHING * abs(value)):
                break
            levels = beside[best]
            value = values[best] * sense
        inside = self._sample_beyond(k, value, sense)
        if inside is not None:
            return WorstCase(float(self._results.measures[inside, k]), _tuple(self._spread_of(inside)), by_slopes=False)
        by_slopes = bool(abs(value - first) <= SLIGHT * abs(first - self._values(k, 0.0 * levels[None])[0]))
        return WorstCase(float(value), _tuple(self._at(levels)), by_slopes)

    def _sample_beyond(self, k: int, value: float, sense: float) -> int | None:
        """A sample within all tolerances that is worse than the worst corner."""
        values = np.where(np.isnan(self._results.measures[:, k]), -sense * np.inf, self._results.measures[:, k])
        spread = self._results.parameters[:, len(self._fixed) :]
        inside = (np.abs(spread - self._middle) <= self._half).all(axis=1)
        if not inside.any():
            return None
        place = int(np.argmax(np.where(inside, values * sense, -np.inf)))
        is_beyond = (values[place] - value) * sense > NOTHING * abs(value)
        return place if is_beyond or np.isnan(value) else None

    def _spread_of(self, place: int) -> Array:
        return np.asarray(self._results.parameters[place, len(self._fixed) :])

    def _values(self, k: int, levels: Array) -> Array:
        rows = self._rows(self._at(levels))
        return np.array([row.measures[0, k] for row in rows])

    def _at(self, levels: Array) -> Array:
        """Parameters at levels -1, 0 and 1 of their tolerances; limits are what the tolerances say to the last bit."""
        low = self._nominal - np.array([zone.minus for zone in self._zones])
        high = self._nominal + np.array([zone.plus for zone in self._zones])
        return np.where(levels < 0.0, low, np.where(levels > 0.0, high, self._middle))

    def _rows(self, values: Array) -> list[SampleRows]:
        return self._evaluations.at(np.array([self._point(one) for one in values]))

    def _point(self, values: Array) -> Array:
        return np.concatenate((self._fixed, values))


def _with(levels: Array, place: int) -> Array:
    """The two other levels of a parameter: at a limit, -1 or 1, or in the middle, 0."""
    found = np.tile(levels, (2, 1))
    found[:, place] = [level for level in (-1.0, 0.0, 1.0) if level != levels[place]]
    return found


def _zone(name: str, spread: Spread) -> Tolerance:
    """The tolerance of a random parameter beside tolerances: its bounds, or three standard deviations."""
    if spread.kind == "normal":
        return Tolerance(name, SIGMAS * spread.b, SIGMAS * spread.b, spread.a)
    half = 0.5 * (spread.b - spread.a)
    return Tolerance(name, half, half, 0.5 * (spread.a + spread.b), spread.kind)


def _deviation(spread: Spread) -> float:
    if spread.kind == "normal":
        return spread.b
    return (spread.b - spread.a) / math.sqrt(12.0 if spread.kind == "uniform" else 24.0)


def _correlations(plan: StudyPlan, names: Sequence[str]) -> Array:
    matrix = np.eye(len(names))
    for a, b, coefficient in plan.correlations:
        i, k = names.index(a), names.index(b)
        matrix[i, k] = matrix[k, i] = coefficient
    return matrix


def _summary(values: Array) -> tuple[float, ...]:
    if len(values) < 2:
        return (float("nan"),) * 6
    low, high = np.percentile(values, (TAIL, 100.0 - TAIL)).tolist()
    return float(values.mean()), float(values.std(ddof=1)), float(values.min()), low, high, float(values.max())


def _tuple(values: Array) -> tuple[float, ...]:
    return tuple(map(float, values))
