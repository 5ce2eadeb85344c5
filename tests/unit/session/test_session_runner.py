"""The runner with made-up time: no sleeping, every step is counted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.model.profiles import Constant
from simulator.session.commands.commands import Command, Pause, Reset, Run, SetDrive, SetPosition, SetSpeed, StepOnce
from simulator.session.run.client import RunState
from simulator.session.run.runner import BACKLOG, Listeners, Runner
from tests.helpers.drives import Runaway, set_drive
from tests.helpers.fake_dynamics import FakeDynamics
from tests.helpers.mechanisms import Mechanism, joint, link, mechanism, mimic

DT = 0.001


def wheels() -> Mechanism:
    return mechanism(
        link("a"),
        link("b"),
        joint("j", "revolute", "world", "a"),
        joint("k", "revolute", "world", "b", axis={"mimic": mimic("j")}),
    )


class Record:
    """What a runner says."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.cleared = 0

    def clear(self) -> None:
        self.cleared += 1
        self.steps.clear()

    def rewind(self, time: float) -> None:
        self.steps = [step for step in self.steps if step < round(time / DT)]

    def take(self, rows: NDArray[np.float64]) -> None:
        self.steps += np.rint(rows[:, 0] / DT).astype(int).tolist()


def runner_of(*, break_at: int = 10**9, **options: object) -> tuple[Runner, Record]:
    built, record = wheels(), Record()
    engine = Engine(built, FakeDynamics(built, DT, break_at=break_at), dt=DT)
    listeners = Listeners(record.take, record.clear, record.rewind)
    return Runner(engine, listeners=listeners, **options), record  # type: ignore[arg-type]


def test_wall_time_becomes_steps() -> None:
    runner, record = runner_of()
    assert runner.state is RunState.RUNNING
    assert runner.tick(0.05) == 50
    assert runner.snapshot.time == pytest.approx(0.05)
    assert record.steps == list(range(51))


def test_a_run_begins_with_a_clear_record_and_its_start() -> None:
    _, record = runner_of()
    assert record.cleared == 1
    assert record.steps == [0]
    _, record = runner_of(resumed=True)
    assert record.cleared == 0


def test_parts_of_steps_are_not_lost() -> None:
    runner, _ = runner_of()
    assert sum(runner.tick(0.0004) for _ in range(100)) == 40


@pytest.mark.parametrize(("speed", "steps"), [(0.1, 5), (2.0, 100), (10.0, 500)])
def test_speed(speed: float, steps: int) -> None:
    runner, _ = runner_of(speed=speed)
    assert runner.tick(0.05) == steps


def test_pause_and_run() -> None:
    runner, _ = runner_of(paused=True)
    assert runner.state is RunState.PAUSED
    assert runner.tick(1.0) == 0
    runner.execute(Run())
    assert runner.tick(0.01) == 10, "the pause is not caught up"
    runner.execute(Pause())
    assert runner.state is RunState.PAUSED
    assert runner.tick(1.0) == 0


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_a_hiccup_is_dropped_and_counted(speed: float) -> None:
    """After 10 s without a tick at most BACKLOG is caught up; together with what was dropped it is all that passed."""
    runner, _ = runner_of(speed=speed)
    steps = runner.tick(10.0)
    assert steps * DT <= BACKLOG * max(speed, 1.0) + DT
    assert steps * DT + runner.dropped == pytest.approx(10.0 * speed, abs=DT)


def test_running_out_of_time_drops_nothing() -> None:
    runner, _ = runner_of()
    assert runner.tick(0.05, lambda: True) == 1
    assert runner.dropped == 0.0
    assert runner.tick(0.0) == 49


def test_step_once_pauses() -> None:
    runner, record = runner_of()
    runner.execute(StepOnce(3))
    assert runner.state is RunState.PAUSED
    assert runner.snapshot.step == 3
    assert len(record.steps) == 4


def test_reset_keeps_running_and_drives_and_clears_the_record() -> None:
    runner, record = runner_of()
    runner.execute(set_drive("j=effort:0.1"))
    runner.tick(0.05)
    runner.execute(Reset())
    assert runner.state is RunState.RUNNING
    assert (runner.snapshot.step, record.cleared) == (0, 2)
    assert record.steps == [0]
    assert runner.engine.drives == {0: Drive(DriveKind.EFFORT, Constant(0.1))}


def test_reset_forgets_backlog_and_what_was_dropped() -> None:
    runner, _ = runner_of()
    runner.tick(10.0, lambda: True)
    assert runner.dropped > 0.0
    runner.execute(Reset())
    assert runner.dropped == 0.0
    assert runner.tick(0.0) == 0


def test_drives_come_and_go() -> None:
    runner, _ = runner_of()
    runner.execute(set_drive("j=velocity:2"))
    runner.tick(0.01)
    assert runner.snapshot.velocity[0] == pytest.approx(2.0)
    runner.execute(set_drive("j="))
    assert runner.engine.drives == {}


def test_set_position_shows_at_once_also_while_paused() -> None:
    runner, record = runner_of(paused=True)
    runner.execute(SetPosition(1, 0.7))
    assert runner.snapshot.position == pytest.approx([0.7, 0.7])
    assert len(record.steps) == 1, "no time passed"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (set_drive("k=effort:1"), "follows another axis"),
        (set_drive("q=effort:1"), "no axis is named 'q'"),
        (SetDrive("j", Drive(DriveKind.EFFORT, Runaway())), "cannot be driven"),
        (set_drive("q="), "no axis is named 'q'"),
        (SetPosition(17, 0.0), "there is no axis 17"),
        (SetPosition(0, float("inf")), "cannot be put"),
        (SetSpeed(0.0), "a speed of 0 is not possible"),
        (SetSpeed(-1.0), "a speed of -1 is not possible"),
        (SetSpeed(float("nan")), "a speed of nan is not possible"),
        (SetSpeed(float("inf")), "a speed of inf is not possible"),
    ],
)
def test_what_cannot_be_done_is_told_and_time_goes_on(command: Command, reason: str) -> None:
    runner, _ = runner_of()
    runner.execute(command)
    assert reason in runner.message
    assert runner.state is RunState.RUNNING
    assert runner.tick(0.01) == 10
    runner.execute(Pause())
    assert runner.message == "", "the next command that works says nothing"


def test_a_failure_keeps_the_last_snapshot_and_what_was_recorded() -> None:
    runner, record = runner_of(break_at=8)
    assert runner.tick(0.05) == 7
    assert runner.state is RunState.FAILED
    assert "diverged at 0.008 s" in runner.message
    assert runner.snapshot.step == 7
    assert len(record.steps) == 8


@pytest.mark.parametrize("command", [Run(), Pause(), StepOnce(), SetSpeed(2.0), set_drive("j=effort:1")])
def test_after_a_failure_only_reset_helps(command: Command) -> None:
    runner, _ = runner_of(break_at=3)
    runner.tick(0.05)
    runner.execute(command)
    assert runner.state is RunState.FAILED
    assert "diverged" in runner.message
    assert runner.tick(0.05) == 0
    runner.execute(Reset())
    assert runner.state is RunState.PAUSED
    assert (runner.message, runner.snapshot.step) == ("", 0)


def test_many_single_steps_end_at_a_failure() -> None:
    runner, _ = runner_of(break_at=3)
    runner.execute(StepOnce(10))
    assert runner.state is RunState.FAILED
    assert runner.snapshot.step == 2
    assert "diverged at 0.003 s" in runner.message


def test_what_is_said_about_the_strategy_lasts() -> None:
    """A window sends its speed and Run at once: the remark must not disappear before it is read."""
    runner, _ = runner_of(remark=lambda solver: f"{solver} has no friction")
    runner.execute(SetSpeed(0.5))
    runner.execute(Run())
    assert runner.message == "gear has no friction"
    runner.execute(SetSpeed(-1.0))
    assert "speed of -1" in runner.message
    runner.execute(Reset())
    assert runner.message == "gear has no friction"
