"""The table of scripts/bench, what it says about the targets, and its place in the page of benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks import speed
from tests.benchmarks.accuracy import Measure, measure_accuracy
from tests.benchmarks.contenders import Array, Contender, Way, assemble_field
from tests.benchmarks.peers import mujoco_peer
from tests.benchmarks.peers.ours import REDUCED, Ours
from tests.benchmarks.report import END, START, as_markdown, write_between_markers
from tests.benchmarks.targets import TARGETS, evaluate
from tests.benchmarks.tasks import TASKS, Task


def entry(microseconds: float, **changes: Any) -> dict[str, Any]:
    rounds = [microseconds * factor for factor in (1.0, 0.9, 1.2)]
    measured = {"residual": 4e-16, "energy_error": 0.0, "seconds": 2.0, "disagreement": 1e-3, "disagreement_at": 0.3}
    return {"microseconds": microseconds, "every_round": rounds, **measured, **changes}


@pytest.fixture
def report() -> dict[str, Any]:
    """MuJoCo's RK4 is twice as dear as ours on the rack, and cheaper on the four-bar; Drake is slow on one and refuses
    the other."""
    rack = {
        REDUCED: entry(2.0),
        mujoco_peer.RK4: entry(4.0),
        "Drake SAP": entry(100.0, seconds=0.42, disagreement=0.004),
    }
    bars = {REDUCED: entry(2.0), mujoco_peer.RK4: entry(1.0, disagreement=0.02)}
    away = "not installed (pinocchio)"
    made: dict[str, Any] = {
        "date": "2026-11-20 12:00 UTC",
        "machine": "a machine",
        "versions": {"mujoco": "4.0.0"},
        "rounds": 3,
        "trains": None,
        "tasks": [
            {"column": "rack", "contenders": rack, "absent": {"Pinocchio RK4": away}},
            {"column": "four-bar", "contenders": bars, "absent": {"Pinocchio RK4": away, "Drake SAP": "no loops here"}},
        ],
    }
    made["targets"] = evaluate(made)
    return made


def rows(text: str) -> dict[str, list[str]]:
    split = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return {cells[0].strip("*"): cells[1:] for cells in split if cells[0]}


def test_ratios_are_of_medians_and_misses_are_named(report: dict[str, Any]) -> None:
    first = report["targets"][0]
    assert first["target"] == TARGETS[0].text
    assert first["ratios"]["rack"] == {"ratio": 2.0, "rounds": [2.0, pytest.approx(2.0)]}
    assert first["ratios"]["four-bar"]["ratio"] == 0.5
    assert first["missed"] == ["four-bar"]
    assert [len(row["ratios"]) for row in report["targets"][1:]] == [0, 0, 0, 0]


def test_the_table_has_speed_with_accuracy_and_reasons(report: dict[str, Any]) -> None:
    text = as_markdown(report)
    assert "2026-11-20 12:00 UTC; a machine; mujoco 4.0.0" in text
    table = rows(text)
    assert table[REDUCED] == ["µs", "2", "2", ""]
    assert table[mujoco_peer.RK4] == ["µs", "4", "1", "2e-02 four-bar"]
    assert table["Drake SAP"] == ["µs", "100", "– [1]", "4e-03 rack"]
    assert table["Pinocchio RK4"] == ["µs", "not installed", "not installed", ""]
    assert "[1] no loops here" in text
    assert "|  | residual | 4e-16 (0.42 s) |  |  |" in text
    assert "|  | energy | 0 | 0 |  |" in text
    assert table[TARGETS[0].text] == ["2.00", "**0.50**", "missed on 1 of 2"]
    assert table[TARGETS[1].text][-1] == "not measured"


def test_growth_is_held_against_its_bound(report: dict[str, Any]) -> None:
    report["trains"] = {"1024/64": 17.0, "256/64": 4.0}
    assert "17.0 times" in as_markdown(report)
    assert as_markdown(report).endswith("reached.")
    report["trains"]["1024/64"] = 19.0
    assert as_markdown(report).endswith("missed.")


def test_only_what_is_between_the_markers_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n", encoding="utf-8")
    for _ in range(2):
        write_between_markers(page, "new")
        assert page.read_text(encoding="utf-8") == f"before\n{START}\n\nnew\n\n{END}\nafter\n"


def test_a_file_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{END} {START}", encoding="utf-8")
    with pytest.raises(SystemExit, match="must hold the lines"):
        write_between_markers(page, "new")
    assert page.read_text(encoding="utf-8") == f"{END} {START}"


def test_the_page_of_benchmarks_has_the_markers() -> None:
    text = speed.PAGE.read_text(encoding="utf-8")
    assert 0 < text.index(START) < text.index(END)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rounds", "2"], "at least 3 rounds"),
        (["elbow"], "no task is named 'elbow'"),
        (["--page", "rack"], "the page takes all tasks"),
        (["--page", "--rounds", "3"], "at least 7 rounds"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is(arguments: list[str], says: str) -> None:
    with pytest.raises(SystemExit, match=says):
        speed.main(arguments)


class Elsewhere(Ours):
    """Ours, with the wrong sign."""

    def state(self) -> tuple[Array, Array]:
        q, v = super().state()
        return -q, -v


class Broken(Ours):
    def state(self) -> tuple[Array, Array]:
        q, v = super().state()
        return q + (np.nan if q.any() else 0.0), v


class Dies(Ours):
    def reset(self) -> None:
        if hasattr(self, "family"):
            raise RuntimeError("the solver gave up")
        super().reset()


def test_nobody_is_timed_on_another_mechanism() -> None:
    """A family with one setting that agrees is right, and its soft settings are timed and their difference told."""
    task = TASKS["rack"]()
    ways = [
        Way(REDUCED, REDUCED, Ours),
        Way("soft", "right", Elsewhere),
        Way("tight", "right", Ours),
        Way("wrong", "wrong", Elsewhere),
        Way("broken", "broken", Broken),
        Way("dies", "dies", Dies),
    ]
    options = argparse.Namespace(rounds=3, seconds=0.001, patience=0.0)
    told = speed.measure(task, ways, options)
    assert set(told["contenders"]) == {REDUCED, "soft", "tight"}
    assert told["contenders"]["soft"]["disagreement"] == pytest.approx(2.0)
    assert told["contenders"]["tight"]["disagreement"] == 0.0
    assert told["absent"] == {
        "wrong": "another motion: off by 200 % of the way",
        "broken": "not a number after 0.02 s",
        "dies": "the solver gave up",
    }


def test_a_contender_is_measured_from_its_start() -> None:
    task: Task = TASKS["four-bar"]()
    field = assemble_field(task, [Way(REDUCED, REDUCED, Ours)])
    contender: Contender = field.present[0]
    contender.run(500)
    first = measure_accuracy(contender, Measure(task), patience=0.0)
    assert first.seconds == pytest.approx(0.3)
    again = measure_accuracy(contender, Measure(task), patience=0.0)
    assert again.early == pytest.approx(first.early, abs=0.0)
