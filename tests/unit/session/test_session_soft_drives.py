"""Position drives of a window begin where the axis is; what was asked for is what is reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Constant, Sine
from simulator.session.commands.commands import Reset, SetDrive, SetPosition, StepOnce
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.run.runner import Listeners, Runner
from simulator.session.text.settings import SessionSettings
from tests.helpers import documents

SPEED = 2.0
LIMITS = f"<limit><effort>8</effort><velocity>{SPEED}</velocity></limit>"
"""1 kg m²: half of the effort accelerates with 4 rad/s²."""


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    path = tmp_path / "wheel.sdf"
    joint = documents.joint("j", "revolute", LIMITS, parent="world", child="a")
    path.write_text(documents.world(documents.model("m", documents.link("a"), joint)))
    rows: list[np.ndarray] = []
    engine = make_engine(open_document(path), SessionSettings())
    made = Runner(engine, paused=True, listeners=Listeners(rows.extend, rows.clear))
    made.rows = rows  # type: ignore[attr-defined]
    yield made
    engine.close()


def to(target: float) -> Drive:
    return Drive(DriveKind.POSITION, Constant(target))


def speeds(runner: Runner) -> np.ndarray:
    return np.array([row[2] for row in runner.rows])  # type: ignore[attr-defined]


def test_a_position_is_gone_to_and_not_jumped_to(runner: Runner) -> None:
    """15 rad at nine tenths of 2 rad/s with 4 rad/s²: 15 / 1.8 + 1.8 / 4 s; a hard drive goes as fast as it can."""
    runner.execute(SetDrive("j", to(15.0), softly=True))
    assert runner.drives == (("m::j", to(15.0)),)
    runner.execute(StepOnce(4000))
    path = 1.8 * (4.0 - 0.225)
    assert path - 0.25 < runner.snapshot.position[0] < path  # a motor with an effort limit stays behind
    runner.execute(StepOnce(5000))
    assert runner.snapshot.position[0] == pytest.approx(15.0, abs=1e-3)
    assert np.abs(speeds(runner)).max() <= SPEED * (1 + 1e-6)
    assert np.abs(np.diff(speeds(runner)[:400])).max() <= 4.0e-3 * (1 + 1e-6)
    assert np.abs(np.diff(speeds(runner))).max() <= 8.0e-3 * (1 + 1e-6)  # braking may take all of the effort


def test_after_a_reset_it_begins_softly_again(runner: Runner) -> None:
    """What threw a pinion by 15 rad within a tenth of a second."""
    runner.execute(SetDrive("j", to(1.0), softly=True))
    runner.execute(StepOnce(3000))
    runner.execute(Reset())
    runner.execute(StepOnce(100))
    assert 0.0 < runner.snapshot.position[0] < 0.03
    assert runner.drives == (("m::j", to(1.0)),)


def test_another_target_on_the_way_goes_on_without_a_jump(runner: Runner) -> None:
    runner.execute(SetDrive("j", to(5.0), softly=True))
    runner.execute(StepOnce(1000))
    for target in (5.5, 6.0, -1.0):
        runner.execute(SetDrive("j", to(target), softly=True))
        runner.execute(StepOnce(200))
    assert np.abs(np.diff(speeds(runner))).max() <= 4.5e-3
    runner.execute(StepOnce(8000))
    assert runner.snapshot.position[0] == pytest.approx(-1.0, abs=1e-3)


def test_a_sine_begins_where_the_axis_is_and_then_is_that_sine(runner: Runner) -> None:
    runner.execute(SetPosition(0, 1.0))
    wanted = Drive(DriveKind.POSITION, Sine(0.2, 0.5))
    runner.execute(SetDrive("j", wanted, softly=True))
    runner.execute(StepOnce(50))
    assert runner.snapshot.position[0] == pytest.approx(1.0, abs=0.03)
    runner.execute(StepOnce(4950))
    joined = runner.snapshot
    runner.execute(SetDrive("j", None))
    runner.execute(Reset())
    runner.execute(SetDrive("j", wanted))
    runner.execute(StepOnce(5000))
    assert joined.position[0] == pytest.approx(runner.snapshot.position[0], abs=1e-9)
    assert joined.velocity[0] == pytest.approx(runner.snapshot.velocity[0], abs=1e-9)


def test_other_drives_begin_as_they_did(runner: Runner) -> None:
    runner.execute(SetDrive("j", Drive(DriveKind.VELOCITY, Constant(1.0)), softly=True))
    runner.execute(StepOnce(2000))
    assert runner.snapshot.velocity[0] == pytest.approx(1.0, abs=1e-6)
