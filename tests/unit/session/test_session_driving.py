"""Drives as typed, given to a running simulation: to axes and actuators, here and in another process, also in one that
is started again."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains
from simulator.errors import UnknownNameError
from simulator.model.profiles import Constant, Sine
from simulator.recording.channels import channels_of, row_of
from simulator.recording.packing import SnapshotLayout
from simulator.session.commands.commands import Command, StepOnce
from simulator.session.commands.driving import find_target
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import RunState
from simulator.session.run.remote import RemoteClient
from simulator.session.run.runner import Runner
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers.drives import drive, set_drive
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

PATIENCE = 60.0
"""Wall seconds that a process may take to start, kernels of another version included."""


@pytest.fixture(scope="module")
def wrist() -> Opened:
    return open_document(ROOT / "worlds" / "wrist.sdf")


@pytest.fixture
def runner(wrist: Opened) -> Iterator[Runner]:
    engine = make_engine(wrist, SessionSettings(solver="reduced"))
    yield Runner(engine, paused=True)
    engine.close()


def axis(opened: Opened, name: str) -> int:
    found = opened.mechanism.axis_index(name)
    assert found is not None
    return found


def test_targets_are_axes_and_actuators(wrist: Opened) -> None:
    assert find_target(wrist.mechanism, wrist.actuators, "roll_joint") == ("axis", axis(wrist, "roll_joint"))
    left = wrist.actuators.index("left_motor")
    assert find_target(wrist.mechanism, wrist.actuators, "actuator/left_motor") == ("actuator", left)
    assert find_target(wrist.mechanism, wrist.actuators, "actuator/wrist::left_motor") == ("actuator", left)
    with pytest.raises(UnknownNameError, match=r"no actuator is named 'up'\. Available: wrist::left_motor"):
        find_target(wrist.mechanism, wrist.actuators, "actuator/up")
    with pytest.raises(UnknownNameError, match="no axis is named 'left_motor'"):
        find_target(wrist.mechanism, wrist.actuators, "left_motor")


def test_texts_drive_and_let_go(runner: Runner, wrist: Opened) -> None:
    engine, roll = runner.engine, axis(wrist, "roll_joint")
    runner.execute(set_drive("actuator/left_motor=effort:sine(0.01,1)"))
    runner.execute(set_drive("roll_joint=velocity:2"))
    assert engine.drives == {roll: drive("velocity:2")}
    left = wrist.actuators.index("left_motor")
    assert engine.actuation.actuator_drives == {left: Drive(DriveKind.EFFORT, Sine(0.01, 1.0))}
    runner.execute(set_drive("roll_joint=velocity:sine(2,1)"))
    assert engine.drives == engine.actuation.over_time == {roll: Drive(DriveKind.VELOCITY, Sine(2.0, 1.0))}
    runner.execute(set_drive("roll_joint=velocity:1"))
    assert engine.actuation.over_time == {}, "the newer drive replaces the older"
    runner.execute(set_drive("roll_joint="))
    runner.execute(set_drive("actuator/left_motor="))
    assert (engine.drives, engine.actuation.actuator_drives, runner.message) == ({}, {}, "")
    runner.execute(set_drive("roll_joint=velocity:sine(2,1)"))
    runner.execute(set_drive("roll_joint="))
    assert (engine.drives, engine.actuation.over_time) == ({}, {})


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (set_drive("right_gear_joint=velocity:1"), "wrist::right_gear_joint = wrist::roll_joint; drive"),
        (set_drive("right_gear_joint=velocity:sine(1,1)"), "follows another axis"),
        (set_drive("actuator/up=velocity:1"), "no actuator is named 'up'"),
        (set_drive("up="), "no axis is named 'up'"),
    ],
)
def test_what_cannot_be_is_told_and_the_old_drive_stays(runner: Runner, command: Command, said: str) -> None:
    runner.execute(set_drive("roll_joint=velocity:sine(2,1)"))
    before = runner.drives
    runner.execute(command, 7)
    assert said in runner.message
    assert list(runner.refused) == [(7, runner.message)]
    assert runner.drives == before == (("wrist::roll_joint", drive("velocity:sine(2,1)")),)


def test_settings_with_texts_travel() -> None:
    texts = ("a=position:sine(1,2),pid(3)", "actuator/b=velocity:chirp(1,1,2,3)", "c=effort:ramp(0,1,2)")
    settings = SessionSettings(drives=tuple(parse_drive(text) for text in texts))
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_actuators_have_channels_behind_all_others(wrist: Opened, runner: Runner) -> None:
    plain, channels = channels_of(wrist.mechanism), channels_of(wrist.mechanism, wrist.actuators)
    assert channels[: len(plain)] == plain
    assert [channel.name for channel in channels[len(plain) :]] == [
        f"actuator/{name}/{what}" for name in wrist.actuators.names for what in ("position", "velocity", "effort")
    ]
    runner.execute(set_drive("actuator/left_motor=effort:0.01"))
    runner.execute(StepOnce(20))
    snapshot = runner.snapshot
    row = row_of(snapshot, wrist.mechanism, wrist.actuators)
    assert row[: len(plain)].tolist() == row_of(snapshot, wrist.mechanism).tolist()
    values = row[len(plain) :].reshape(-1, 3)
    assert values[:, 0] == pytest.approx(wrist.actuators.position(snapshot.position))
    assert values[:, 1] == pytest.approx(wrist.actuators.velocity(snapshot.velocity))
    assert values[wrist.actuators.index("left_motor"), 2] == 0.01
    layout = SnapshotLayout.of(wrist.mechanism, len(wrist.actuators))
    packed = layout.pack(snapshot)
    assert packed.shape == (layout.size,)
    assert layout.unpack(packed).actuator_effort.tolist() == snapshot.actuator_effort.tolist()


def test_a_local_client_traces_actuators(wrist: Opened) -> None:
    text = parse_drive("actuator/left_motor=effort:0.01")
    client = LocalClient(wrist, SessionSettings(solver="reduced", paused=True, drives=(text,)))
    client.send(StepOnce(10))
    column = [channel.name for channel in client.channels].index("actuator/wrist::left_motor/effort")
    assert client.trace((column,), -np.inf)[1].ravel().tolist() == [0.01] * 11
    client.close()


def test_a_process_that_is_started_again_drives_as_before(wrist: Opened) -> None:
    """One drive of the start and one that came later act on; one that was let go stays so."""
    texts = "actuator/left_motor=effort:0.01", "actuator/right_motor=effort:0.02"
    settings = SessionSettings(solver="reduced", paused=True, drives=tuple(parse_drive(text) for text in texts))
    client = RemoteClient(wrist, settings)
    try:
        _wait(client, 0)
        client.send(set_drive("actuator/right_motor="))
        client.send(set_drive("pitch_joint=velocity:constant(0.1),pid(5)"))
        client.send(StepOnce(20))
        _wait(client, 20)
        assert client.pid is not None
        os.kill(client.pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while client.poll()[1].state is not RunState.DIED and time.monotonic() < end:
            time.sleep(0.002)
        client.restart()
        client.send(StepOnce(5))
        _wait(client, 25)
        snapshot, status = client.poll()
        assert status.message == ""
        assert snapshot is not None
        efforts = dict(zip(wrist.actuators.names, snapshot.actuator_effort.tolist(), strict=True))
        assert efforts == {"wrist::left_motor": 0.01, "wrist::right_motor": 0.0}
        pitch = axis(wrist, "pitch_joint")
        held = 5.0 * (0.1 - snapshot.velocity[pitch]) + 24.0 * 0.01
        assert snapshot.effort[pitch] == pytest.approx(held, abs=0.1)
    finally:
        client.close()


def _wait(client: RemoteClient, step: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        snapshot, status = client.poll()
        if snapshot is not None and snapshot.step == step and status.state is RunState.PAUSED:
            return
        time.sleep(0.002)
    raise AssertionError(f"step {step} not within {PATIENCE} s: {client.poll()}")


def test_a_constant_with_a_loop_is_a_loop(runner: Runner, wrist: Opened) -> None:
    runner.execute(set_drive("roll_joint=velocity:1,pid(2)"))
    (held,) = runner.engine.drives.values()
    assert held == Drive(DriveKind.VELOCITY, Constant(1.0), Gains(2.0))
    assert list(runner.engine.actuation.over_time.values()) == [held]
