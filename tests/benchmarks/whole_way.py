"""scripts/bench run: what a step costs all the way to the user: command, `Simulation` and kernel, beside MuJoCo's
Python loop.

python -m tests.benchmarks.whole_way [--rounds 5] [--seconds 0.1] [--json] [--page] [world…]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.contenders import in_short
from tests.benchmarks.errands import (
    COMMAND,
    CSV,
    KERNEL,
    MOST,
    ROWS,
    SMALL,
    START,
    WORLDS,
    Errand,
    everybody_on,
)
from tests.benchmarks.options import FEWEST, Options, offer_page
from tests.benchmarks.report import markdown_row, write_between_markers
from tests.benchmarks.speed import PAGE, surroundings

MARKERS = ("<!-- scripts/bench run --page writes from here -->", "<!-- the whole way ends here -->")
PART, OF_THE_KERNEL = 0.4, "`simulator run`, part of the kernel's speed"
A_ROW = 15.0
"""Most microseconds that a row of ten columns may cost."""
COLUMNS_OF_A_ROW = 10
Times = dict[str, list[float]]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    report: dict[str, Any] = {**surroundings(), "rounds": options.rounds, "worlds": {}}
    for name in options.names or WORLDS:
        print(f"{name} …", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            report["worlds"][name] = measure(everybody_on(name, Path(folder)), options.rounds, options.seconds)
    text = as_markdown(report)
    print(json.dumps(report, indent=1) if options.json else text)
    if options.page:
        write_between_markers(PAGE, text, MARKERS)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    asked = Options(
        "scripts/bench run", __doc__, "world of this table", tuple(WORLDS), 5, 0.1,
        "how long each computes in a round, about", fewest=FEWEST,
    )  # fmt: skip
    parser = asked.parser()
    offer_page(parser, PAGE.name)
    options = asked.checked(parser, arguments)
    if options.page and options.names:
        sys.exit("the page takes all worlds")
    return options


def measure(makers: dict[str, Callable[[], Errand]], rounds: int, seconds: float) -> dict[str, Any]:
    """All errands on one world in turns: microseconds per step in every round, and reasons of missing contenders."""
    errands: dict[str, Errand] = {}
    absent: dict[str, str] = {}
    for name, make in makers.items():
        try:
            errands[name] = make()
        except Exception as refused:  # whatever a foreign engine raises is its reason
            absent[name] = in_short(refused)
    steps = {name: errand.steps_in(seconds) for name, errand in errands.items()}
    times: Times = {name: [] for name in errands}
    for number in range(rounds):
        names = list(errands) if number % 2 == 0 else list(errands)[::-1]
        for name in names:
            for key, value in errands[name].turn(steps[name]).items():
                times.setdefault(key, []).append(value)
    return {
        "absent": absent,
        "columns": {name: errand.columns for name, errand in errands.items() if errand.columns},
        "times": {name: {"median": median(found), "every_round": found} for name, found in times.items()},
    }


def as_markdown(report: dict[str, Any]) -> str:
    """What was measured where, and the table with its targets."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    worlds = report["worlds"]
    heading = (
        f"{report['date']}; {report['machine']}; {versions}. Medians of {report['rounds']} interleaved rounds, "
        "processor time in microseconds per step of the world's own length, or per state; of a command, the difference "
        "of a long and a short run over the difference of their steps, and what the short one takes as its start."
    )
    lines = [markdown_row("", *worlds), markdown_row(*["---"] * (len(worlds) + 1))]
    for name in ROWS:
        lines.append(markdown_row(f"**{name}** [µs]", *(_cell(found, name) for found in worlds.values())))
    lines.append(markdown_row(f"**{START}** [s]", *(f"{_median(found, START):.2f}" for found in worlds.values())))
    lines.append(markdown_row(f"{COMMAND}, steps a second", *(_rate(found) for found in worlds.values())))
    lines.append(markdown_row(f"{OF_THE_KERNEL}: at least {PART:.0%}", *(_part(found) for found in worlds.values())))
    wanted = f"a row of {COLUMNS_OF_A_ROW} columns of `--csv`: at most {A_ROW:g} µs"
    lines.append(markdown_row(wanted, *(_row_of_ten(found) for found in worlds.values())))
    for name, most in MOST.items():
        cells = (_at_most(found, name, most) if world in SMALL else "" for world, found in worlds.items())
        lines.append(markdown_row(f"{name}: at most {most:g} µs", *cells))
    return "\n".join([heading, "", *lines])


def _median(found: dict[str, Any], name: str) -> float:
    return float(found["times"][name]["median"])


def _cell(found: dict[str, Any], name: str) -> str:
    return f"{_median(found, name):.3g}" if name in found["times"] else f"– ({found['absent'][name]})"


def _rate(found: dict[str, Any]) -> str:
    return f"{1e6 / _median(found, COMMAND):,.0f}".replace(",", " ")


def _part(found: dict[str, Any]) -> str:
    part = _median(found, KERNEL) / _median(found, COMMAND)
    return _marked(f"{part:.0%}", reached=part >= PART)


def _row_of_ten(found: dict[str, Any]) -> str:
    """What a row costs beyond the step, for ten of its columns."""
    beyond = (_median(found, CSV) - _median(found, COMMAND)) * COLUMNS_OF_A_ROW / found["columns"][CSV]
    return _marked(f"{beyond:.2g}", reached=beyond <= A_ROW)


def _at_most(found: dict[str, Any], name: str, most: float) -> str:
    return _marked(f"{_median(found, name):.3g}", reached=_median(found, name) <= most)


def _marked(text: str, *, reached: bool) -> str:
    return text if reached else f"**{text}**"


if __name__ == "__main__":
    main()
