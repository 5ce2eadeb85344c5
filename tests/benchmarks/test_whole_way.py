"""The table of scripts/bench run: each errand is timed by what it does, and the targets are marked where they are
missed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simulator
from tests.benchmarks import whole_way
from tests.benchmarks.errands import (
    BATCH,
    BY_NAME,
    CALLED,
    COMMAND,
    CONTROL,
    CSV,
    DERIVED,
    GRIPPER,
    KERNEL,
    LOOP,
    MUJOCO,
    MUJOCO_CONTROL,
    ROWS,
    START,
    STEP,
    TRAIN,
    Command,
    everybody_on,
)
from tests.benchmarks.state_errands import INVERSE, MUJOCO_INVERSE, SET, STATE_ROWS
from tests.benchmarks.whole_way import as_markdown, measure


class Fixed:
    """An errand of a given duration."""

    def __init__(self, columns: int = 0, **times: float) -> None:
        self.columns, self.times, self.asked = columns, times, 0

    def steps_in(self, seconds: float) -> int:
        return int(1000 * seconds)

    def turn(self, steps: int) -> dict[str, float]:
        self.asked += steps
        return self.times


def refusing() -> Fixed:
    raise RuntimeError("no loops here")


@pytest.fixture
def makers() -> dict[str, Callable[[], Any]]:
    return {
        KERNEL: lambda: Fixed(**{KERNEL: 2.0}),
        COMMAND: lambda: Fixed(**{COMMAND: 4.0, START: 1.25}),
        CSV: lambda: Fixed(20, **{CSV: 40.0}),
        BATCH: lambda: Fixed(20, **{BATCH: 6.0}),
        STEP: lambda: Fixed(**{STEP: 8.5}),
        LOOP: lambda: Fixed(**{LOOP: 30.0}),
        CONTROL: lambda: Fixed(**{CONTROL: 12.0}),
        BY_NAME: lambda: Fixed(**{BY_NAME: 24.0}),
        MUJOCO[0]: lambda: Fixed(**{MUJOCO[0]: 10.0}),
        MUJOCO[1]: refusing,
        **dict.fromkeys((CALLED, DERIVED, *MUJOCO_CONTROL, *STATE_ROWS), refusing),
    }


def table_of(found: dict[str, Any]) -> dict[str, str]:
    report = {"date": "d", "machine": "m", "versions": {}, "rounds": 3, "worlds": {"four_bar": found}}
    lines = [line for line in as_markdown(report).splitlines() if line.startswith("|")]
    return {cells[0].strip("* "): cells[1].strip() for cells in (line.strip("|").split("|") for line in lines)}


def test_everybody_takes_a_turn_in_every_round_and_who_refuses_is_named(makers: dict[str, Callable[[], Any]]) -> None:
    found = measure(makers, rounds=3, seconds=0.5)
    assert {name: len(entry["every_round"]) for name, entry in found["times"].items()} == dict.fromkeys(
        [KERNEL, COMMAND, START, CSV, BATCH, STEP, LOOP, CONTROL, BY_NAME, MUJOCO[0]], 3
    )
    assert found["absent"] == dict.fromkeys([MUJOCO[1], CALLED, DERIVED, *MUJOCO_CONTROL, *STATE_ROWS], "no loops here")
    assert found["columns"] == {CSV: 20, BATCH: 20}


def test_parts_and_rows_follow_from_the_times(makers: dict[str, Callable[[], Any]]) -> None:
    table = table_of(measure(makers, rounds=3, seconds=0.5))
    assert table["`simulator run`, steps a second"] == "250 000"
    assert table[f"{whole_way.OF_THE_KERNEL}: at least 40%"] == "50%"
    assert table["a row of 10 columns of `--csv`: at most 15 µs"] == "**18**", "(40 - 4) µs for 20 columns is too much"
    assert table[f"{STEP}: at most 8 µs"] == "**8.5**"
    assert table[f"{CONTROL}: at most 15 µs"] == "12"
    assert table[f"{MUJOCO[1]}** [µs]"] == "– (no loops here)"


def test_a_command_is_timed_beyond_its_start(tmp_path: Path) -> None:
    dt = simulator.load("rack_and_pinion").dt
    errand = Command(CSV, "rack_and_pinion", ("pinion_joint=effort:0.01",), dt, tmp_path / "rows.csv")
    assert errand.seconds(50) > 0.0
    text = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert (len(text) - 1, errand.columns) == (51, len(text[0].split(",")))
    with pytest.raises(RuntimeError, match="no_such_joint"):
        Command(COMMAND, "rack_and_pinion", ("no_such_joint=effort:1",), dt)


def test_the_train_moves_alike_as_document_and_here(tmp_path: Path) -> None:
    errands = everybody_on(TRAIN, tmp_path)
    assert set(errands) == set(ROWS)
    turned = errands[BATCH]().turn(100)
    assert set(turned) == {BATCH}
    assert turned[BATCH] > 0.0
    sim = simulator.load(tmp_path / "train.sdf")
    run = sim.run(0.1, drives={"j0": simulator.effort(64 * 0.5 * 0.05**2 * 2.0)})
    name = next(name for name in run.channels if re.search(r"j0/velocity$", name))
    assert run[name][-1] == pytest.approx(0.2, rel=1e-12), "2 rad/s^2 for 0.1 s"


def test_nothing_touches_the_gripper_without_its_box(tmp_path: Path) -> None:
    errands = everybody_on(GRIPPER, tmp_path)
    for name in (CONTROL, *MUJOCO_CONTROL):
        assert errands[name]().turn(100)[name] > 0.0
    sim = simulator.load(tmp_path / "gripper.sdf")
    assert sim.links == tuple(name for name in simulator.load("gripper").links if name != "box::box")
    sim.step(100)
    assert not sim.contacts


def test_states_are_timed_beside_those_of_mujoco(tmp_path: Path) -> None:
    errands = everybody_on("rack_and_pinion", tmp_path)
    for name in (SET, INVERSE, MUJOCO_INVERSE):
        turned = errands[name]().turn(200)
        assert set(turned) == {name}
        assert turned[name] > 0.0


def test_unknown_worlds_are_refused() -> None:
    with pytest.raises(SystemExit, match="no world of this table is named 'rack'"):
        whole_way.main(["rack"])
