"""scripts/bench study: what a sample of a study costs, beside the steps in it and MuJoCo's rollouts.

python -m tests.benchmarks.studies [--rounds 5] [--seconds 1.0] [--json] [--page] [row…]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import simulator
from simulator.studies.reading import plan_of
from simulator.studies.results import spans_of
from simulator.studies.study import parts_of, task_of
from simulator.studies.workers import Workers
from tests.benchmarks.contenders import in_short
from tests.benchmarks.options import FEWEST, Options, offer_page
from tests.benchmarks.report import markdown_row, write_between_markers
from tests.benchmarks.speed import PAGE, surroundings
from tests.benchmarks.tasks import TASKS
from tests.helpers.mjcf import FACTORY, TIGHT, Settings, as_mjcf

MARKERS = ("<!-- scripts/bench study --page writes from here -->", "<!-- studies end here -->")
STEPS, SPEED = 1000, 2.0
"""Of a sample: steps of 1 ms, and velocity of the crank [rad/s]."""
WARM = 20
"""Samples that are made beforehand."""
PLAN: dict[str, Any] = {
    "document": "four_bar",
    "duration": 1.0,
    "dt": 1e-3,
    "seed": 1,
    "samples": 20_000,
    "parameters": {
        "coupler.mass": {"uniform": [0.1, 0.3]},
        "rocker.mass": {"uniform": [0.1, 0.3]},
        "coupler.length": {"uniform": [0.34, 0.36]},
        "rocker.length": {"uniform": [0.34, 0.36]},
    },
    "drives": {"crank_joint": f"velocity:{SPEED}"},
    "measures": {
        "swing": "peak_to_peak(rocker_joint/position)",
        "end": "final(rocker_joint/position)",
        "torque": "max(crank_joint/effort)",
    },
}
ALONE, ONE, TWO, PROCESSES = "the steps alone", "study, 1 thread", "study, 2 threads", "study, 2 processes"
Sampled = Callable[[int], float]
"""Seconds a sample, of about so many."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    report: dict[str, Any] = {**surroundings(), "rounds": options.rounds, **measure(options)}
    text = as_markdown(report)
    print(json.dumps(report, indent=1) if options.json else text)
    if options.page:
        write_between_markers(PAGE, text, MARKERS)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    asked = Options(
        "scripts/bench study", __doc__, "row", tuple(ROWS), 5, 2.0, "how long each computes in a round, about",
        fewest=FEWEST,
    )  # fmt: skip
    parser = asked.parser()
    offer_page(parser, PAGE.name)
    return asked.checked(parser, arguments)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds of wall clock a sample, in turns, and why a row is absent."""
    rows: dict[str, tuple[Sampled, int]] = {}
    absent: dict[str, str] = {}
    for name in options.names or ROWS:
        try:
            run = ROWS[name]()
            rows[name] = run, max(WARM, round(options.seconds / run(WARM)))
        except Exception as refused:  # whatever a foreign engine raises is its reason
            absent[name] = in_short(refused)
    times: dict[str, list[float]] = {name: [] for name in rows}
    for number in range(options.rounds):
        for name in [*rows][:: 1 if number % 2 == 0 else -1]:
            run, count = rows[name]
            times[name].append(1e3 * run(count))
    return {"absent": absent, "milliseconds": {name: {"median": median(t), "every": t} for name, t in times.items()}}


def as_markdown(report: dict[str, Any]) -> str:
    """Milliseconds a sample, core-hours of a million, and both ratios that are wanted."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    heading = (
        f"{report['date']}; {report['machine']}; {versions}. A sample is a four-bar with two lengths and two masses of "
        f"its own, driven for {STEPS} steps of 1 ms, in a study of {PLAN['samples']:,} that writes files. Wall clock, "
        f"medians of {report['rounds']} interleaved rounds."
    )
    found = report["milliseconds"]
    lines = [markdown_row("", "ms a sample", "core-hours of 1e6"), markdown_row("---", "---", "---")]
    for name in ROWS:
        if name in found:
            each, cores = found[name]["median"], 2 if "2" in name else 1
            lines.append(markdown_row(f"**{name}**", f"{each:.2f}", f"{each * cores / 3.6:.2f}"))
        elif name in report["absent"]:
            lines.append(markdown_row(f"**{name}**", f"– ({report['absent'][name]})", ""))
    if ALONE in found and ONE in found:
        around = found[ONE]["median"] - found[ALONE]["median"]
        lines.append(markdown_row("around the steps: at most 0.3 ms", f"{around:.2f}", ""))
    for name in (TWO, PROCESSES):
        if name in found and ONE in found:
            gain = found[ONE]["median"] / found[name]["median"]
            lines.append(markdown_row(f"{name}, beside 1 thread: at least 1.8 ×", f"{gain:.2f}", ""))
    return "\n".join([heading, "", *lines])


def _steps_alone() -> Sampled:
    sim = simulator.load("four_bar", dt=1e-3)
    sim.drive("crank_joint", simulator.velocity(SPEED))

    def run(count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            sim.step(STEPS)
        return (time.perf_counter() - began) / count

    return run


def _study(workers: Workers) -> Sampled:
    """The first parts of the study, written to files. That of each worker is not timed, in which it starts."""
    task = task_of(plan_of(PLAN))
    each = max(workers.threads, workers.processes)
    ((_, size), *_) = spans_of(task.plan.samples)

    def run(count: int) -> float:
        parts = each * max(1, round(count / size / each))
        with TemporaryDirectory() as folder:
            made = parts_of(task, Path(folder, "results"), workers, limit=(each + parts) * size)
            ends = [time.perf_counter() for _ in made]
        return (ends[-1] - ends[each - 1]) / (parts * size)

    return run


def _rollout(settings: Settings, threads: int) -> Sampled:
    """MuJoCo's own rollouts of one model: what samples with numbers of their own take to set up is not in it."""
    import mujoco
    from mujoco import rollout

    mechanism = TASKS["four-bar"]().mechanism
    model = mujoco.MjModel.from_xml_string(as_mjcf(mechanism, settings, planar=True))
    data = [mujoco.MjData(model) for _ in range(threads)]
    start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data[0], start, mujoco.mjtState.mjSTATE_FULLPHYSICS)

    def run(count: int) -> float:
        began = time.perf_counter()
        rollout.rollout(model, data, np.tile(start, (count, 1)), nstep=STEPS)
        return (time.perf_counter() - began) / count

    return run


ROWS: dict[str, Callable[[], Sampled]] = {
    ALONE: _steps_alone,
    ONE: partial(_study, Workers()),
    TWO: partial(_study, Workers(threads=2)),
    PROCESSES: partial(_study, Workers(processes=2)),
    "mujoco.rollout, RK4 tight, 1 thread": partial(_rollout, TIGHT, 1),
    "mujoco.rollout, RK4 tight, 2 threads": partial(_rollout, TIGHT, 2),
    "mujoco.rollout, Euler default, 1 thread": partial(_rollout, FACTORY, 1),
}


if __name__ == "__main__":
    main()
