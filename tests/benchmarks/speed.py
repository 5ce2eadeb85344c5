"""scripts/bench: what one step costs here and at the peers, and what it is worth, as a Markdown table or as JSON.

python -m tests.benchmarks.speed [--rounds 11] [--seconds 0.1] [--patience 60] [--json] [--page] [task…]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.benchmarks.accuracy import Accuracy, Measure, disagreement, measure_accuracy
from tests.benchmarks.contenders import Contender, Field, Way, assemble_field, in_short
from tests.benchmarks.options import FEWEST, Options, offer_page
from tests.benchmarks.peers.ours import REDUCED, Ours
from tests.benchmarks.report import as_markdown, write_between_markers
from tests.benchmarks.roster import everybody
from tests.benchmarks.rounds import cpu_clock, take_turns
from tests.benchmarks.targets import evaluate
from tests.benchmarks.tasks import TASKS, TRAINS, Task
from tests.helpers.repository import ROOT

PAGE = ROOT / "docs" / "explanation" / "benchmarks.md"
FEWEST_TO_PUBLISH = 7
WRONG = 0.05
"""Part of the way by which even the best setting of a peer may be elsewhere after 0.3 s; beyond it, it moves another
mechanism."""
PACKAGES = ("simulator", "mujoco", "drake", "pin", "pybullet", "numba", "numpy")


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    report: dict[str, Any] = {**surroundings(), "rounds": options.rounds, "tasks": [], "trains": None}
    for name in options.names or TASKS:
        print(f"{name} …", file=sys.stderr)
        report["tasks"].append({"column": name, **measure(TASKS[name](), everybody(), options)})
    if not options.names:
        print("how trains grow …", file=sys.stderr)
        report["trains"] = measure_trains(options.rounds, options.seconds)
    report["targets"] = evaluate(report)
    text = as_markdown(report)
    print(json.dumps(report, indent=1) if options.json else text)
    if options.page:
        write_between_markers(PAGE, text)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    asked = Options(
        "scripts/bench", __doc__, "task", tuple(TASKS), 11, 0.1, "how long each steps per round", fewest=FEWEST
    )
    parser = asked.parser()
    parser.add_argument("--patience", type=float, default=60.0, help="wall seconds for two simulated ones of each")
    offer_page(parser, PAGE.name)
    options = asked.checked(parser, arguments)
    if options.page and (options.names or options.rounds < FEWEST_TO_PUBLISH):
        sys.exit(f"the page takes all tasks, and at least {FEWEST_TO_PUBLISH} rounds")
    return options


def measure(task: Task, ways: list[Way], options: argparse.Namespace) -> dict[str, Any]:
    """Everybody on one task: first what their motion is worth, then, of those who move this mechanism, the times in
    turns."""
    field = assemble_field(task, ways)
    try:
        found, apart, absent = examine(task, field, options.patience)
        ready = [contender for contender in field.present if contender.name in found]
        times = take_turns(ready, rounds=options.rounds, seconds=options.seconds, clock=cpu_clock)
    finally:
        for contender in field.present:
            contender.close()
    return {
        "task": task.name,
        "contenders": {
            contender.name: {
                "microseconds": times.median(contender.name),
                "residual": found[contender.name].residual,
                "energy_error": found[contender.name].energy_error,
                "seconds": found[contender.name].seconds,
                "disagreement": apart[contender.name],
                "disagreement_at": found[contender.name].early_at,
                "every_round": times.rounds[contender.name],
            }
            for contender in ready
        },
        "absent": {**field.absent, **absent},
    }


def examine(task: Task, field: Field, patience: float) -> tuple[dict[str, Accuracy], dict[str, float], dict[str, str]]:
    """Accuracy and disagreement with ours of all who move this mechanism to the end, and why the others do not."""
    measure_of, ours = Measure(task), Ours(task)
    found: dict[str, Accuracy] = {}
    apart: dict[str, float] = {}
    absent: dict[str, str] = {}
    for contender in field.present:
        try:
            accuracy = measure_accuracy(contender, measure_of, patience=patience)
        except Exception as failed:
            absent[contender.name] = in_short(failed)
            continue
        if accuracy.broken is not None:
            absent[contender.name] = f"not a number after {accuracy.broken:g} s"
            continue
        found[contender.name], apart[contender.name] = accuracy, disagreement(accuracy, ours)
    for contender in elsewhere(field.present, apart):
        del found[contender.name]
        absent[contender.name] = f"another motion: off by {100.0 * apart[contender.name]:.0f} % of the way"
    return found, apart, absent


def elsewhere(contenders: Sequence[Contender], apart: dict[str, float]) -> list[Contender]:
    """Families that disagree with all others: their description of the mechanism is wrong, not their
    settings."""
    best: dict[str, float] = {}
    for contender in contenders:
        if contender.name in apart:
            best[contender.family] = min(apart[contender.name], best.get(contender.family, float("inf")))
    return [c for c in contenders if c.name in apart and not best[c.family] <= WRONG]


def measure_trains(rounds: int, seconds: float) -> dict[str, Any]:
    """Trains of 64, 256 and 1024 gears in turns: how the cost of our step grows."""
    runners = [Ours(TASKS[name]()) for name in TRAINS]
    for runner, name in zip(runners, TRAINS, strict=True):
        runner.name = name
    times = take_turns(runners, rounds=rounds, seconds=seconds, clock=cpu_clock)
    return {
        "contender": REDUCED,
        "256/64": times.ratio("train 256", "train 64"),
        "1024/64": times.ratio("train 1024", "train 64"),
        "microseconds": {name: times.median(name) for name in TRAINS},
    }


def surroundings() -> dict[str, Any]:
    """When, where, and what was compared."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.system()}",
        "versions": {name: _version(name) for name in PACKAGES} | {"python": platform.python_version()},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "–"


if __name__ == "__main__":
    main()
