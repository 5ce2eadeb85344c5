"""scripts/bench: what one step costs here and in MuJoCo, as a Markdown table or as JSON.

python -m tests.benchmarks.speed [--rounds 11] [--seconds 0.1] [--json] [task…]
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

import numpy as np

from tests.benchmarks.contenders import TASKS, TRAINS, Contender, Ours, contenders
from tests.benchmarks.rounds import take_turns, wall_clock

AGREEMENT_STEPS = 300
FOUR_BAR, TRAIN = 1.5, 18.0
"""What is asked: MuJoCo's RK4 over ours on the four-bar at least, 1024 gears over 64 at most."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.rounds < 7:
        sys.exit("at least 7 rounds: with fewer, a median says little")
    if not _version("mujoco").startswith("4"):
        sys.exit("MuJoCo 4 (Python 3.11) is needed: scripts/bench installs it")
    unknown = [name for name in options.tasks if name not in TASKS]
    if unknown:
        sys.exit(f"no task is named '{unknown[0]}'. Available: {', '.join(TASKS)}")
    report: dict[str, Any] = {**surroundings(), "rounds": options.rounds, "tasks": [], "trains": None}
    for name in options.tasks or TASKS:
        print(f"{name} …", file=sys.stderr)
        report["tasks"].append(measure(name, options.rounds, options.seconds))
    if not options.tasks:
        report["trains"] = measure_trains(options.rounds, options.seconds)
    print(json.dumps(report, indent=1) if options.json else as_markdown(report))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "tasks", nargs="*", metavar="task", help=f"some of: {', '.join(TASKS)} (default: all, and the growth of trains)"
    )
    parser.add_argument("--rounds", type=int, default=11, help="rounds in which all take turns, at least 7")
    parser.add_argument("--seconds", type=float, default=0.1, help="how long each steps per round")
    parser.add_argument("--json", action="store_true", help="JSON with every round instead of the table")
    return parser


def measure(name: str, rounds: int, seconds: float) -> dict[str, Any]:
    """All contenders on one task."""
    task = TASKS[name]()
    everybody = contenders(task)
    apart = disagreement(everybody)
    times = take_turns(everybody, rounds=rounds, seconds=seconds, clock=wall_clock)
    return {
        "task": task.name,
        "microseconds": {contender.name: times.median(contender.name) for contender in everybody},
        "mujoco_rk4_over_step": times.ratio("MuJoCo RK4", "step"),
        "mujoco_rk4_over_advance": times.ratio("MuJoCo RK4", "advance"),
        "span_of_rounds": [f(times.ratios("MuJoCo RK4", "step")) for f in (min, max)],
        "disagreement": apart,
        "every_round": times.rounds,
    }


def disagreement(everybody: Sequence[Contender]) -> float:
    """Largest difference of positions between ours and MuJoCo's RK4 after some steps, over the largest way gone: the same is simulated."""
    results, starts = {}, {}
    for contender in everybody:
        contender.reset()
        starts[contender.name] = contender.positions()
        contender.run(AGREEMENT_STEPS)
        results[contender.name] = contender.positions()
    way = float(np.abs(results["step"] - starts["step"]).max())
    return float(np.abs(results["step"] - results["MuJoCo RK4"]).max()) / max(way, 1e-12)


def measure_trains(rounds: int, seconds: float) -> dict[str, Any]:
    """Trains of 64, 256 and 1024 gears in turns: how the cost grows."""
    growth: dict[str, Any] = {}
    for raw in (False, True):
        runners = [Ours(TASKS[name](), raw=raw) for name in TRAINS]
        for runner, name in zip(runners, TRAINS, strict=True):
            runner.name = name
        times = take_turns(runners, rounds=rounds, seconds=seconds, clock=wall_clock)
        growth["advance" if raw else "step"] = {
            "256/64": times.ratio("train 256", "train 64"),
            "1024/64": times.ratio("train 1024", "train 64"),
            "microseconds": {name: times.median(name) for name in TRAINS},
        }
    return growth


def surroundings() -> dict[str, Any]:
    """When, where, and what was compared."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.system()}",
        "versions": {name: _version(name) for name in ("simulator", "mujoco", "numba", "numpy")}
        | {"python": platform.python_version()},
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


def as_markdown(report: dict[str, Any]) -> str:
    """The table, what it was measured with, and what is asked."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    lines = [
        f"{report['date']}; {report['machine']}; {versions}; medians of {report['rounds']} interleaved rounds, dt 1 ms, "
        "one call from Python per step.",
        "",
        "| mechanism | `step` RK4 µs | `advance` RK4 µs | MuJoCo RK4 tight µs | MuJoCo Euler default µs | MuJoCo RK4 / `step` (rounds) "
        "| MuJoCo RK4 / `advance` | difference after 0.3 s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in report["tasks"]:
        least, most = row["span_of_rounds"]
        costs = " | ".join(
            f"{row['microseconds'][name]:.2f}" for name in ("step", "advance", "MuJoCo RK4", "MuJoCo Euler")
        )
        lines.append(
            f"| {row['task']} | {costs} | {row['mujoco_rk4_over_step']:.2f} ({least:.2f}–{most:.2f}) "
            f"| {row['mujoco_rk4_over_advance']:.2f} | {row['disagreement']:.0e} |"
        )
    return "\n".join([*lines, *_asked(report)])


def _asked(report: dict[str, Any]) -> list[str]:
    lines = [""]
    for row in report["tasks"]:
        if row["task"] == "four-bar":
            reached = "reached" if row["mujoco_rk4_over_step"] >= FOUR_BAR else "missed"
            lines.append(
                f"Four-bar against MuJoCo's RK4: {row['mujoco_rk4_over_step']:.2f}×, asked {FOUR_BAR}×: {reached}."
            )
    if report["trains"]:
        growth = report["trains"]
        reached = "reached" if growth["step"]["1024/64"] <= TRAIN else "missed"
        lines.append(
            f"Gear trains 64 → 1024: {growth['step']['1024/64']:.1f}× by `step`, {growth['advance']['1024/64']:.1f}× by `advance` "
            f"(64 → 256: {growth['step']['256/64']:.1f}×), asked at most {TRAIN:g}×: {reached}."
        )
    return lines


if __name__ == "__main__":
    main()
