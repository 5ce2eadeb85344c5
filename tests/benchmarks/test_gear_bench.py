"""The table of scripts/bench gear: every way makes the steps that it is asked for, and what misses its target is
marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import gear
from tests.benchmarks.gear import MANY, ONE, RAW, READ, ROWS, RUN, WAYS, WINDOW, as_text, everybody_on, measure


def test_every_way_can_be_timed(tmp_path: Path) -> None:
    for name, make in everybody_on("rack_and_pinion driven", tmp_path).items():
        turned = make().turn(30)
        assert set(turned) == {name}
        assert turned[name] > 0.0


def test_what_misses_its_target_is_bold_and_who_refuses_is_named() -> None:
    entry = {RAW: 10.0, RUN: 12.0, MANY: 19.0, ROWS: 20.0, WINDOW: 21.0, ONE: 40.0, READ: 50.0}
    times = {name: [value] * 3 for name, value in entry.items()}
    lines = as_text({"gripper": {"times": times}, "long": {"refused": "at most 120 links"}}).splitlines()
    assert [cell.strip() for cell in lines[2].strip("|").split("|")] == [
        "gripper", "10", "1.20", "1.90", "2.00", "**2.10**", "**4.00**", "**5.00**",
    ]  # fmt: skip
    assert "– (at most 120 links)" in lines[3]


def test_all_ways_make_the_same_steps_and_a_scene_can_be_refused(tmp_path: Path) -> None:
    found = measure(everybody_on("rack_and_pinion", tmp_path), rounds=3, seconds=0.01)
    assert found["steps"] > 0
    assert {name: len(rounds) for name, rounds in found["times"].items()} == dict.fromkeys((RAW, *WAYS), 3)
    assert "at most 120" in measure(everybody_on("gear_train_1024", tmp_path), rounds=3, seconds=0.01)["refused"]


def test_unknown_scenes_are_refused() -> None:
    with pytest.raises(SystemExit, match="no scene is named 'rack'"):
        gear.main(["rack"])
