"""Studies from Python and for the command line."""

from __future__ import annotations

import math
import os
import pickle
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.api.loading import load
from simulator.errors import UnknownNameError, UsageError, closest
from simulator.studies.design import Design
from simulator.studies.experiment import put_free
from simulator.studies.observations import Observations
from simulator.studies.reading import plan_from
from simulator.studies.results import Results, ResultsFolder, read_results, results_of, spans_of
from simulator.studies.samples import OK, Laboratory, StudyTask
from simulator.studies.workers import Pool, Workers, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from simulator.api.simulation import Simulation
    from simulator.studies.plan import StudyPlan
    from simulator.studies.samples import SampleRows


def study(
    source: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    workers: int = 1,
    processes: int = 0,
    dask: str = "",
    resume: bool = False,
    limit: int | None = None,
) -> Results:
    """Simulate many variants of a mechanism: `simulator.study("tolerances.toml", workers=4)`.

    `source`: a TOML file, or a table of the same keys. `output`: a folder for Parquet files and a manifest; in memory
    only, without. `workers`: threads; `processes`: so many processes instead; `dask`: the address of a Dask scheduler,
    or "local" for a cluster of `processes` on this machine. `resume`: continue with the samples in `output`. `limit`:
    run the first so many samples only. Each sample depends on its index alone, so that workers change nothing.

    Raises UsageError for errors in the study, and the errors of `simulator.load`.
    """
    plan = plan_from(source)
    task = task_of(plan)
    folder = None if output is None else Path(output)
    parts: list[SampleRows] = []
    for rows in parts_of(task, folder, Workers(workers, processes, dask), resume=resume, limit=limit):
        if folder is None:
            parts.append(rows)
    return results_of(task.plan, parts) if folder is None else read_results(folder)


def task_of(plan: StudyPlan) -> StudyTask:
    """The plan with its documents loaded and its names checked. Raises UsageError,
    DocumentError."""
    simulations = []
    for document in plan.documents:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sim = load(
                document, solver=plan.solver, dt=plan.dt, hold_base=plan.hold_base, resource_paths=plan.resource_paths
            )
        texts = plan.texts
        known = sim.parameters()
        names = (*plan.parameters, *(one.parameter for one in plan.tolerances))
        for name in names:
            if name not in known and f"{{{name}}}" not in texts:
                raise UsageError(plan.place_of(name) + _no_parameter(name, document, tuple(known)))
        if not any(f"{{{name}}}" in texts for name in names):
            for experiment in plan.experiments:
                with _located(plan):
                    put_free(sim.copy(), experiment, {})
        simulations.append(sim)
    return StudyTask(_completed(plan, simulations[0]), tuple(simulations))


def _completed(plan: StudyPlan, sim: Simulation) -> StudyPlan:
    """The plan completed from the document: nominal values, and whole steps until the end of a recording."""
    if plan.observed is not None and plan.duration == 0.0:
        recordings = plan.observed.recordings
        steps = [math.ceil(float(one.times[-1]) / sim.dt * (1.0 - 1e-12)) for one in recordings]
        timed = tuple(replace(one, duration=n * sim.dt) for one, n in zip(recordings, steps, strict=True))
        plan = replace(plan, duration=max(steps) * sim.dt, observed=Observations(timed))
    if not plan.tolerances:
        return plan
    known = sim.parameters()
    found = []
    for one in plan.tolerances:
        if one.nominal is None and one.parameter not in known:
            raise UsageError(
                f"'{one.parameter}' is a number of a drive or a start: its tolerance needs nominal = NUMBER"
            )
        nominal = known[one.parameter].value if one.nominal is None else one.nominal
        if not math.isfinite(nominal):
            raise UsageError(f"'{one.parameter}' is {nominal:g} in the document: its tolerance needs nominal = NUMBER")
        found.append(replace(one, nominal=nominal))
    spreads = (*plan.spreads, *((one.parameter, one.spread()) for one in found))
    return replace(plan, tolerances=tuple(found), spreads=spreads)


def parts_of(
    task: StudyTask,
    folder: Path | None,
    workers: Workers,
    *,
    resume: bool = False,
    limit: int | None = None,
    show: Callable[[int, int, int, str], None] = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
) -> Any:
    """Make the parts of a study that `folder` lacks, write them there, and yield each. `show` is called with samples
    made, all of them, those that failed, and a link to a dashboard."""
    total = len(Design(task.plan))
    spans = spans_of(total)
    place = None if folder is None else ResultsFolder(folder, task, total)
    try_first(task)
    has = place.begin(resume=resume) if place is not None else set()
    wanted = total if limit is None else min(limit, total)
    left = [(begin, min(end, wanted)) for begin, end in spans if begin < wanted and (begin, end) not in has]
    made = wanted - sum(end - begin for begin, end in left)
    failed = 0
    pool = Pool(workers)
    try:
        show(made, wanted, failed, pool.link)
        for rows in make(pool, pickle.dumps(task), left, say):
            if place is not None:
                place.write(rows)
            made += len(rows.status)
            failed += sum(status != OK for status in rows.status)
            show(made, wanted, failed, pool.link)
            yield rows
    finally:
        pool.close()


def try_first(task: StudyTask) -> None:
    """Raise UnknownNameError for a channel that does not exist, before a cluster starts: on the first sample that
    can be made."""
    laboratory = Laboratory(task)
    total = len(laboratory.design)
    for document in range(len(task.simulations)):
        begin = document * (total // len(task.simulations))
        rows = laboratory.design.rows(begin, begin + 1)
        try:
            with _located(task.plan):
                laboratory.measured(int(rows[0][0]), rows[1][0])
        except UnknownNameError:
            raise
        except Exception:
            continue


@contextmanager
def _located(plan: StudyPlan) -> Iterator[None]:
    """Say in which line of the study a name is that does not exist, and where drives are that cannot be read."""
    try:
        yield
    except UnknownNameError as error:
        error.args = (plan.place_of(error.name) + str(error),)
        raise
    except UsageError as error:
        quoted = (target for target, _ in plan.drives if str(error).startswith(f"'{target}="))
        error.args = (plan.place_of(next(quoted, "drives")) + str(error),)
        raise


def _no_parameter(name: str, document: str, known: tuple[str, ...]) -> str:
    guess = closest(name, known)
    close = f"; did you mean '{guess}'?" if guess else ""
    listed = "simulator.load(…).parameters() lists all, and {name} in a drive or an initial position makes another"
    return f"'{document}' has no parameter '{name}'{close} ({listed})"
