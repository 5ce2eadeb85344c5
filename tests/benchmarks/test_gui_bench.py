"""The table of scripts/bench gui: medians of turns, missed targets in bold, windows that do not answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks import gui
from tests.benchmarks.gui import FOUR_BAR, RACK, TRAIN, as_markdown, measure, tasks_of


def told(arguments: list[str]) -> dict[str, Any]:
    """What a window would say."""
    task, world = arguments[0], (arguments[1:] or [""])[0]
    if world == TRAIN:
        return {"refused": "killed"}
    if task == "run":
        return {"factor": 9.4 if "10" in arguments else 1.0, "frames": 30.0, "busy": 0.6, "wait_median": 2.0}
    return {"start": {"moving": 1.4}, "slide": {"slider": 120.0, "slider_every": [1]}, "traces": {"traces": 40.0}}[task]


def rows(text: str) -> dict[str, tuple[str, str]]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {name: (value, wanted) for name, value, wanted in cells}


def test_everything_takes_turns_and_targets_that_are_missed_are_bold() -> None:
    tasks = tasks_of([FOUR_BAR, RACK, TRAIN], 5.0)
    asked: list[list[str]] = []

    def measured(arguments: list[str]) -> dict[str, Any]:
        asked.append(arguments)
        return told(arguments)

    found = measure(tasks, 2, measured)
    assert asked == [*tasks.values(), *list(tasks.values())[::-1]]
    table = rows(as_markdown({"date": "d", "machine": "m", "rounds": 2, "found": found}))
    assert table["command → moving, warm"] == ("1.4 s", "at most 1.5 s")
    assert table[f"real-time factor, {RACK} at 10 ×"] == ("**9.4**", "at least 9.5")
    assert table["real-time factor, slowest of the worlds"] == ("1", "at least 0.99")
    assert table[f"slider → picture, {FOUR_BAR}, median"] == ("**120 ms**", "at most 100 ms")
    assert table[f"window's thread busy besides drawing, {FOUR_BAR}"] == ("**0.6**", "at most 0.5")
    assert table[f"wait of an event, {FOUR_BAR}, median"] == ("2 ms", "stated")
    assert f"real-time factor, {TRAIN}" not in table
    assert found[f"run {TRAIN}"]["refused"] == "killed"


def test_medians_are_of_every_round() -> None:
    answers = iter([{"traces": 10.0}, {"traces": 40.0}, {"traces": 30.0}])
    found = measure({"traces": ["traces"]}, 3, lambda _arguments: next(answers))
    assert found["traces"]["traces"] == 30.0
    assert found["traces"]["every_round"] == {"traces": [10.0, 40.0, 30.0]}


def test_unknown_worlds_are_refused() -> None:
    with pytest.raises(SystemExit, match="no example world is named 'rack'"):
        gui.main(["rack"])
