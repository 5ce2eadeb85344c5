"""The report of scripts/bench as Markdown, and its place in the page of benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.contenders import MANY
from tests.benchmarks.peers.ours import REDUCED
from tests.benchmarks.roster import everybody
from tests.benchmarks.targets import GROWTH

START, END = "<!-- scripts/bench --page writes from here -->", "<!-- to here -->"


def as_markdown(report: dict[str, Any]) -> str:
    """What was measured where, the table, its notes, and the targets."""
    notes: list[str] = []
    parts = [_heading(report), "", *_table(report, notes), ""]
    parts += [f"[{number}] {note}  " for number, note in enumerate(notes, 1)]
    parts += ["", *_targets(report), *_growth(report)]
    return "\n".join(parts).replace("\n\n\n", "\n\n")


def _heading(report: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    return (
        f"{report['date']}; {report['machine']}; {versions}. Medians of {report['rounds']} interleaved rounds, "
        f"processor time in microseconds per step of 1 ms, one call from Python per step unless {MANY} are said. Below "
        "each, over two seconds from rest: the largest residual of couplings and loops (rad or m), and the largest "
        "energy error over the largest kinetic energy. Off: the largest difference of a position to that of "
        f"`{REDUCED}` after 0.3 s, over the way gone by then, and where."
    )


def _table(report: dict[str, Any], notes: list[str]) -> list[str]:
    tasks = report["tasks"]
    names = [way.name for way in everybody()]
    told = {name for task in tasks for name in (*task["contenders"], *task["absent"])}
    lines = [
        markdown_row("", "", *(task["column"] for task in tasks), "off"),
        markdown_row(*["---"] * (len(tasks) + 3)),
    ]
    for name in [*(name for name in names if name in told), *sorted(told - set(names))]:
        found = [task["contenders"].get(name) for task in tasks]
        cells = [
            _cost(entry["microseconds"]) if entry else _absent(task["absent"].get(name, "not measured"), notes)
            for task, entry in zip(tasks, found, strict=True)
        ]
        lines.append(markdown_row(f"**{name}**", "µs", *cells, _off(tasks, name)))
        if any(found) and not name.endswith("steps a call"):
            lines.append(markdown_row("", "residual", *(_residual(entry) for entry in found), ""))
            lines.append(
                markdown_row("", "energy", *(_small(entry["energy_error"]) if entry else "" for entry in found), "")
            )
    return lines


def _cost(microseconds: float) -> str:
    """Three figures, or whole microseconds."""
    return f"{microseconds:.3g}" if microseconds < 100.0 else f"{microseconds:.0f}"


def _residual(entry: dict[str, Any] | None) -> str:
    """With the simulated seconds where patience ended before two of them had gone."""
    if entry is None:
        return ""
    short = f" ({entry['seconds']:.2g} s)" if entry["seconds"] < 1.99 else ""
    return f"{_small(entry['residual'])}{short}"


def _small(value: float) -> str:
    return f"{value:.0e}" if value else "0"


def _absent(reason: str, notes: list[str]) -> str:
    if reason.startswith("not installed"):
        return "not installed"
    if reason not in notes:
        notes.append(reason)
    return f"– [{notes.index(reason) + 1}]"


def _off(tasks: list[dict[str, Any]], name: str) -> str:
    found = [(task["contenders"][name]["disagreement"], task["column"]) for task in tasks if name in task["contenders"]]
    if name == REDUCED or not found:
        return ""
    worst, column = max(found)
    if worst == 0.0:
        return "0"
    return f"{worst:.0e} {column}" if worst < 1.0 else f"{worst:.0f} {column}"


def _targets(report: dict[str, Any]) -> list[str]:
    """One line per target, with its ratios; those that miss it are bold."""
    columns = [task["column"] for task in report["tasks"]]
    lines = [markdown_row("target, as a ratio of medians", *columns, ""), markdown_row(*["---"] * (len(columns) + 2))]
    for entry in report["targets"]:
        ratios, missed = entry["ratios"], entry["missed"]
        cells = [f"{ratios[column]['ratio']:.2f}" if column in ratios else "" for column in columns]
        cells = [f"**{cell}**" if column in missed else cell for cell, column in zip(cells, columns, strict=True)]
        verdict = f"missed on {len(missed)} of {len(ratios)}" if missed else "reached" if ratios else "not measured"
        lines.append(markdown_row(entry["target"], *cells, verdict))
    return lines


def _growth(report: dict[str, Any]) -> list[str]:
    growth = report["trains"]
    if not growth:
        return []
    verdict = "reached" if growth["1024/64"] <= GROWTH else "missed"
    return [
        "",
        f"Gear trains from 64 to 1024 gears cost {growth['1024/64']:.1f} times as much per step (to 256: "
        f"{growth['256/64']:.1f}), target at most {GROWTH:g}: {verdict}.",
    ]


def markdown_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def write_between_markers(path: Path, text: str, markers: tuple[str, str] = (START, END)) -> None:
    """Put the text between the two markers; everything else stays. Ends the program where they are not there."""
    start, end = markers
    whole = path.read_text(encoding="utf-8")
    if whole.count(start) != 1 or whole.count(end) != 1 or whole.index(start) > whole.index(end):
        sys.exit(f"{path.name} must hold the lines\n{start}\n{end}")
    before, rest = whole.split(start)
    path.write_text(f"{before}{start}\n\n{text.strip()}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")
