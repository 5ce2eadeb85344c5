"""scripts/bench gui: what the window is like, measured in real windows on a virtual screen, beside what is wanted.

python -m tests.benchmarks.gui [--rounds 3] [--seconds 5] [--json] [--page] [world…]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from simulator.session.open.examples import examples
from tests.benchmarks.options import Options, offer_page
from tests.benchmarks.report import markdown_row, write_between_markers
from tests.benchmarks.speed import PAGE, surroundings
from tests.helpers.own_display import start_own_display

MARKERS = ("<!-- scripts/bench gui --page writes from here -->", "<!-- the window ends here -->")
FOUR_BAR, RACK, TRAIN = "four_bar", "rack_and_pinion", "gear_train_1024"
LONGEST = 120.0
"""Seconds that one window may take in all."""


@dataclass(frozen=True)
class Wanted:
    """A figure: what it is called, how it is found in the report, what is wanted of it, and how it is written."""

    name: str
    find: Callable[[dict[str, Any]], float | None]
    least: float | None = None
    most: float | None = None
    unit: str = ""

    def reached(self, value: float) -> bool:
        """Whether it is as it should be."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def target(self) -> str:
        """What is wanted, in words; a dash where the figure is only stated."""
        if self.least is not None:
            return f"at least {self.least:g}{self.unit}"
        return f"at most {self.most:g}{self.unit}" if self.most is not None else "stated"


def _of(task: str, key: str) -> Callable[[dict[str, Any]], float | None]:
    return lambda found: found.get(task, {}).get(key)


def _slowest(found: dict[str, Any]) -> float | None:
    factors = [entry["factor"] for task, entry in found.items() if task.startswith("run ") and "factor" in entry]
    return min(factors, default=None)


TABLE = (
    Wanted("command → moving, warm", _of(f"start {FOUR_BAR}", "moving"), most=1.5, unit=" s"),
    Wanted("real-time factor, slowest of the worlds", _slowest, least=0.99),
    Wanted(f"real-time factor, {TRAIN}", _of(f"run {TRAIN}", "factor"), least=0.99),
    Wanted(f"real-time factor, {RACK} at 10 ×", _of(f"fast {RACK}", "factor"), least=9.5),
    Wanted(f"frames a second, {FOUR_BAR} at 1000×700", _of(f"run {FOUR_BAR}", "frames"), least=25.0),
    Wanted(f"slider → picture, {FOUR_BAR}, median", _of(f"slide {FOUR_BAR}", "slider"), most=100.0, unit=" ms"),
    Wanted("refreshes a second of 20 traces × 10 000 points", _of("traces", "traces"), least=30.0),
    Wanted(f"window's thread busy besides drawing, {FOUR_BAR}", _of(f"run {FOUR_BAR}", "busy"), most=0.5),
    Wanted(f"window's thread busy besides drawing, {TRAIN}", _of(f"run {TRAIN}", "busy"), most=0.5),
    Wanted(f"wait of an event, {FOUR_BAR}, median", _of(f"run {FOUR_BAR}", "wait_median"), unit=" ms"),
    Wanted(f"wait of an event, {FOUR_BAR}, 99th percentile", _of(f"run {FOUR_BAR}", "wait_p99"), unit=" ms"),
    Wanted(f"wait of an event, {TRAIN}, median", _of(f"run {TRAIN}", "wait_median"), unit=" ms"),
    Wanted(f"wait of an event, {TRAIN}, 99th percentile", _of(f"run {TRAIN}", "wait_p99"), unit=" ms"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    report: dict[str, Any] = {**surroundings(), "rounds": options.rounds}
    stop = start_own_display()
    try:
        report["found"] = measure(tasks_of(options.names or _worlds(), options.seconds), options.rounds, _watched)
    finally:
        stop()
    text = as_markdown(report)
    print(json.dumps(report, indent=1) if options.json else text)
    if options.page:
        write_between_markers(PAGE, text, MARKERS)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    watched = "how long each window is watched"
    asked = Options("scripts/bench gui", __doc__, "example world", _worlds(), 3, 5.0, watched)
    parser = asked.parser()
    offer_page(parser, PAGE.name)
    return asked.checked(parser, arguments)


def _worlds() -> list[str]:
    return [str(example.name) for example in examples()]


def tasks_of(worlds: Sequence[str], seconds: float) -> dict[str, list[str]]:
    """Arguments of `watched_window`, or of `watched_start` after "start", for everything that is measured, by name."""
    watched = ["--seconds", str(seconds)]
    tasks = {
        f"start {FOUR_BAR}": ["start", FOUR_BAR],
        f"slide {FOUR_BAR}": ["slide", FOUR_BAR],
        "traces": ["traces"],
        f"fast {RACK}": ["run", RACK, "--speed", "10", *watched],
    }
    return tasks | {f"run {world}": ["run", world, *watched] for world in worlds}


def measure(
    tasks: dict[str, list[str]], rounds: int, watch: Callable[[list[str]], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """All tasks in turns, every second round backwards: medians of every figure, and every round of it."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in tasks}
    refused: dict[str, str] = {}
    for number in range(rounds):
        for name in list(tasks) if number % 2 == 0 else list(tasks)[::-1]:
            print(f"round {number + 1} of {rounds}: {name} …", file=sys.stderr)
            told = watch(tasks[name])
            if "refused" in told:
                refused[name] = str(told["refused"])
            for key, value in told.items():
                if isinstance(value, int | float):
                    found[name].setdefault(key, []).append(float(value))
    return {
        name: {key: median(values) for key, values in figures.items()}
        | {"every_round": figures}
        | ({"refused": refused[name]} if name in refused else {})
        for name, figures in found.items()
    }


def _watched(arguments: list[str]) -> dict[str, Any]:
    """What a window says of itself; its start counts from when its process was asked for."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CONFIG_HOME": folder, "LIBGL_ALWAYS_SOFTWARE": "1"}
        began = time.time()
        module, rest = ("watched_start", arguments[1:]) if arguments[0] == "start" else ("watched_window", arguments)
        command = [sys.executable, "-m", f"tests.benchmarks.{module}", *rest]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            return {"refused": f"nothing after {LONGEST:g} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"refused": (done.stderr.strip().splitlines() or ["no answer"])[-1]}
    told: dict[str, Any] = json.loads(lines[-1])
    if "moving" in told:
        told["moving"] -= began
    return told


def as_markdown(report: dict[str, Any]) -> str:
    """What was measured where, each figure beside what is wanted, and the real-time factors of the worlds."""
    heading = (
        f"{report['date']}; {report['machine']}. Windows on a virtual screen, drawn by Mesa's llvmpipe; medians of "
        f"{report['rounds']} interleaved rounds. The factor is simulated over wall time with the window open; the wait "
        "is from posting an event to its handler. What misses its target is bold."
    )
    lines = [markdown_row("", "measured", "wanted"), markdown_row("---", "---", "---")]
    found = report["found"]
    for wanted in TABLE:
        value = wanted.find(found)
        if value is not None:
            text = f"{value:.3g}{wanted.unit}"
            lines.append(markdown_row(wanted.name, text if wanted.reached(value) else f"**{text}**", wanted.target()))
    worlds = sorted(
        (name[4:], entry["factor"]) for name, entry in found.items() if "run " in name and "factor" in entry
    )
    factors = ", ".join(f"{name} {factor:.3f}" for name, factor in worlds)
    refused = [f"{name}: {entry['refused']}" for name, entry in found.items() if "refused" in entry]
    return "\n".join([heading, "", *lines, "", f"Real-time factors at 1 ×: {factors}.", *refused])


if __name__ == "__main__":
    main()
