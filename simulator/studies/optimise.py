"""Optimisation and identification, from Python and for the command line."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import UsageError
from simulator.records import dataclass
from simulator.studies.evaluations import Evaluations, ExhaustedError
from simulator.studies.experiment import filled
from simulator.studies.identification import Fit, fit_at
from simulator.studies.methods import CONVERGED, search
from simulator.studies.problem import Problem, Space
from simulator.studies.reading import plan_from
from simulator.studies.results import ResultsFolder
from simulator.studies.samples import OK
from simulator.studies.study import task_of, try_first
from simulator.studies.workers import Pool, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.spatial.arrays import Array
    from simulator.studies.plan import StudyPlan
    from simulator.studies.results import Results
    from simulator.studies.samples import StudyTask


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """The best sample: `parameters` and `measures` by name, parameters `at_bounds` that a wider range would move
    further, the value of the `objective` as it was written (of residuals, their root mean square; `aim` is its text),
    and which `constraints` hold. `ended`: why the method ended, and
    `converged` whether it converged. `fit`: of least squares, errors and confidence. `samples`: their number,
    `results` has them in their order. `command` opens the best one in the window."""

    parameters: dict[str, float]
    at_bounds: tuple[str, ...]
    measures: dict[str, float]
    aim: str
    objective: float
    constraints: dict[str, bool]
    ended: str
    samples: int
    failed: int
    command: str
    fit: Fit | None
    results: Results

    @property
    def converged(self) -> bool:
        """Whether the method converged."""
        return self.ended == CONVERGED

    @property
    def feasible(self) -> bool:
        """Whether all constraints hold."""
        return all(self.constraints.values())

    def __repr__(self) -> str:
        bound = dict.fromkeys(self.at_bounds, "parameter, at a bound")
        rows = [(name, f"{value:.9g}", bound.get(name, "parameter")) for name, value in self.parameters.items()]
        rows += [(name, f"{value:.9g}", "measure") for name, value in self.measures.items()]
        rows += [
            (text, "holds" if holds else "does not hold", "constraint") for text, holds in self.constraints.items()
        ]
        rows.append((self.aim, f"{self.objective:.9g}", "objective"))
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        lines = [f"{name:<{widths[0]}}  {value:>{widths[1]}}  {kind}" for name, value, kind in rows]
        if self.fit is not None:
            lines += ["", repr(self.fit), "", "correlation", self.fit.correlation_text]
            lines += ["", *(f"warning: {text}" for text in self.fit.warnings)]
        return "\n".join([*lines, "", f"{self.ended}: {self.samples} samples, {self.failed} failed", self.command])


def optimise(
    source: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    workers: int = 1,
    processes: int = 0,
    dask: str = "",
    resume: bool = False,
) -> Optimum:
    """Find the parameters of the least or greatest measure, or those that fit a recording:
    `simulator.optimise("dimensions.toml", workers=2)`.

    `source`: a TOML file with `[objective]` or `[data]`, or a table of the same keys. `output`: a folder for the log,
    Parquet files and a manifest as those of a study, which `read_results` reads; in memory only, without. `workers`,
    `processes` and `dask` as in `study`; they change the speed, never the result. `resume`: continue with the samples
    in `output`, to the same result.

    Raises UsageError for errors in the study and if no sample can be simulated, and the errors of
    `simulator.load`.
    """
    plan = plan_from(source)
    folder = None if output is None else Path(output)
    return optimum_of(optimisation_task(plan), folder, Workers(workers, processes, dask), resume=resume)


def optimisation_task(plan: StudyPlan) -> StudyTask:
    """The plan with its document loaded. Raises UsageError for a plan without an objective, and the errors of
    `task_of`."""
    if plan.objective is None:
        raise UsageError('the study has no objective: write [objective] and minimise = "MEASURE" below it, or [data]')
    if plan.objective.method == "least_squares" and plan.constraints:
        told = "least squares cannot hold constraints and limits"
        raise UsageError(f"{told}: leave them out, or use method = 'cobyla' or 'differential_evolution'")
    return task_of(replace(plan, sampling=plan.objective.method))


def optimum_of(
    task: StudyTask,
    folder: Path | None,
    workers: Workers,
    *,
    resume: bool = False,
    show: Callable[[int, int, int], None] = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
) -> Optimum:
    """Search, and log to `folder`. `show` is called with samples made, their largest number, and those that failed."""
    plan = task.plan
    place = None if folder is None else ResultsFolder(folder, task, task.plan.samples)
    try_first(task)
    if place is not None:
        place.begin(resume=resume)
    pool = Pool(workers)
    evaluations = Evaluations(task, pool, place, most=plan.samples, show=show, say=say)
    try:
        if place is not None and resume:
            evaluations.go_on_from_log()
        problem = Problem(evaluations, Space(plan))
        ended, where = search(problem, problem.space.start(task.simulations[0]))
        fit = None
        if where is not None:
            try:
                fit = fit_at(problem, where, task.simulations[0])
            except ExhaustedError:
                ended = "converged, but no samples were left to estimate its accuracy: allow more with samples = NUMBER"
        return _optimum(problem, ended, where, fit)
    finally:
        evaluations.finish()
        pool.close()


def _optimum(problem: Problem, ended: str, where: Array | None, fit: Fit | None) -> Optimum:
    """The end of least squares, unless differences beside it found a value that is lower by round-off."""
    rows = problem.evaluations.rows
    plan = problem.plan
    row = rows[problem.best(rows)] if fit is None or where is None else problem.rows(where[None])[0]
    if row.status[0] != OK:
        raise UsageError(f"no sample could be simulated; the first: {rows[0].reason[0] or rows[0].status[0]}")
    measured = problem.measured(row)
    parameters = dict(zip(plan.parameters, row.parameters[0].tolist(), strict=True))
    assert plan.objective is not None
    aim = plan.objective.text or "misfit"
    constraints = {one.text: one.holds([*measured.values()]) for one in plan.constraints}
    failed = sum(one.status[0] != OK for one in rows)
    command = opening_command(problem.evaluations.task, parameters)
    at_bounds = problem.space.at_bounds(problem.space.unit(row.parameters[0]))
    return Optimum(
        parameters, at_bounds, measured, aim, problem.value(row), constraints, ended, len(rows), failed, command, fit,
        problem.evaluations.results,
    )  # fmt: skip


def opening_command(task: StudyTask, parameters: Mapping[str, float]) -> str:
    """The command that opens a sample in the window, with drives and start of the first experiment."""
    plan = task.plan.experiments[0]
    known = task.simulations[0].parameters()
    words = ["simulator", "view", plan.documents[0]]
    own = [f"{name}={value!r}" for name, value in parameters.items() if name in known]
    words += ["--set", ",".join(own)] if own else []
    for option, texts in (
        ("drive", plan.drives),
        ("initial", plan.initial),
        ("initial-velocity", plan.initial_velocity),
    ):
        for target, text in texts:
            words += [f"--{option}", f"{target}={filled(text, parameters)}"]
    return shlex.join(words)
