"""Drives as typed, given to a running simulation: to axes and actuators, here and in another process, also in one that is started again."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind, ProfileDrive
from simulator.engine.profiles import Constant, Sine
from simulator.errors import UnknownNameError
from simulator.recording.channels import channels_of, row_of
from simulator.recording.packing import SnapshotLayout
from simulator.session.client import RunState
from simulator.session.commands import ClearDrive, ClearDriveText, Command, SetDrive, SetDriveText, StepOnce
from simulator.session.drive_text import parse_drive_text
from simulator.session.driving import find_target
from simulator.session.factory import make_engine
from simulator.session.local import LocalClient
from simulator.session.opening import Opened, open_document
from simulator.session.remembered import RememberedDrives
from simulator.session.remote import RemoteClient
from simulator.session.runner import Runner
from simulator.session.settings import SessionSettings
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
    runner.execute(SetDriveText("actuator/left_motor", "effort:sine(0.01,1)"))
    runner.execute(SetDriveText("roll_joint", "velocity:2"))
    assert engine.drives == {roll: Drive(DriveKind.VELOCITY, 2.0)}
    left = wrist.actuators.index("left_motor")
    assert engine.actuation.actuator_drives == {left: ProfileDrive(DriveKind.EFFORT, Sine(0.01, 1.0))}
    runner.execute(SetDriveText("roll_joint", "velocity:sine(2,1)"))
    assert engine.actuation.axis_drives == {roll: ProfileDrive(DriveKind.VELOCITY, Sine(2.0, 1.0))}
    runner.execute(SetDrive(roll, DriveKind.VELOCITY, 1.0))
    assert engine.actuation.axis_drives == {}, "the newer drive replaces the older"
    runner.execute(ClearDriveText("roll_joint"))
    runner.execute(ClearDriveText("actuator/left_motor"))
    assert (engine.drives, engine.actuation.actuator_drives, runner.message) == ({}, {}, "")
    runner.execute(SetDriveText("roll_joint", "velocity:sine(2,1)"))
    runner.execute(ClearDrive(roll))
    assert (engine.drives, engine.actuation.axis_drives) == ({}, {})


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (SetDriveText("roll_joint", "velocity:quick"), "'quick' is no finite number"),
        (SetDriveText("roll_joint", "2"), "'roll_joint=2' is no drive: write AXIS=KIND:VALUE"),
        (SetDriveText("right_gear_joint", "velocity:1"), "wrist::right_gear_joint = wrist::roll_joint; drive"),
        (SetDriveText("right_gear_joint", "velocity:sine(1,1)"), "follows another axis"),
        (SetDriveText("actuator/up", "velocity:1"), "no actuator is named 'up'"),
        (ClearDriveText("up"), "no axis is named 'up'"),
    ],
)
def test_what_cannot_be_is_told_and_the_old_drive_stays(runner: Runner, command: Command, said: str) -> None:
    runner.execute(SetDriveText("roll_joint", "velocity:sine(2,1)"))
    before = runner.engine.actuation.axis_drives
    runner.execute(command)
    assert said in runner.message
    assert runner.engine.actuation.axis_drives == before


def test_settings_with_texts_travel() -> None:
    texts = ("a=position:sine(1,2),pid(3)", "actuator/b=velocity:chirp(1,1,2,3)", "c=effort:ramp(0,1,2)")
    settings = SessionSettings(drive_texts=tuple(parse_drive_text(text) for text in texts))
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_what_is_remembered_is_the_last_of_every_target(wrist: Opened) -> None:
    start = parse_drive_text("actuator/left_motor=velocity:2"), parse_drive_text("pitch_joint=position:sine(1,1)")
    roll, pitch = axis(wrist, "roll_joint"), axis(wrist, "pitch_joint")
    settings = SessionSettings(drives=(("roll_joint", Drive(DriveKind.VELOCITY, 1.0)),), drive_texts=start)
    drives = RememberedDrives(wrist, settings)
    assert (drives.texts, drives.commands) == (start, (SetDrive(roll, DriveKind.VELOCITY, 1.0),))
    drives.note(SetDriveText("wrist::roll_joint", "effort:1"))
    drives.note(ClearDrive(pitch))
    drives.note(SetDriveText("nobody", "effort:1"))
    assert (drives.texts, drives.commands) == (start[:1], (SetDriveText("wrist::roll_joint", "effort:1"),))
    drives.note(ClearDriveText("actuator/wrist::left_motor"))
    drives.note(ClearDriveText("roll_joint"))
    assert (drives.texts, drives.commands) == ((), ())


def test_actuators_have_channels_behind_all_others(wrist: Opened, runner: Runner) -> None:
    plain, channels = channels_of(wrist.mechanism), channels_of(wrist.mechanism, wrist.actuators)
    assert channels[: len(plain)] == plain
    assert [channel.name for channel in channels[len(plain) :]] == [
        f"actuator/{name}/{what}" for name in wrist.actuators.names for what in ("position", "velocity", "effort")
    ]
    runner.execute(SetDriveText("actuator/left_motor", "effort:0.01"))
    runner.execute(StepOnce(20))
    snapshot = runner.snapshot
    row = row_of(snapshot, wrist.actuators)
    assert row[: len(plain)].tolist() == row_of(snapshot).tolist()
    values = row[len(plain) :].reshape(-1, 3)
    assert values[:, 0] == pytest.approx(wrist.actuators.position(snapshot.position))
    assert values[:, 1] == pytest.approx(wrist.actuators.velocity(snapshot.velocity))
    assert values[wrist.actuators.index("left_motor"), 2] == 0.01
    layout = SnapshotLayout.of(wrist.mechanism, len(wrist.actuators))
    packed = layout.pack(snapshot)
    assert packed.shape == (layout.size,)
    assert layout.unpack(packed).actuator_effort.tolist() == snapshot.actuator_effort.tolist()


def test_a_local_client_traces_actuators(wrist: Opened) -> None:
    text = parse_drive_text("actuator/left_motor=effort:0.01")
    client = LocalClient(wrist, SessionSettings(solver="reduced", paused=True, drive_texts=(text,)))
    client.send(StepOnce(10))
    column = [channel.name for channel in client.channels].index("actuator/wrist::left_motor/effort")
    assert client.trace((column,), -np.inf)[1].ravel().tolist() == [0.0] + [0.01] * 10
    client.close()


def test_a_process_that_is_started_again_drives_as_before(wrist: Opened) -> None:
    """One drive of the start and one that came later act on; one that was let go stays so."""
    texts = "actuator/left_motor=effort:0.01", "actuator/right_motor=effort:0.02"
    settings = SessionSettings(
        solver="reduced", paused=True, drive_texts=tuple(parse_drive_text(text) for text in texts)
    )
    client = RemoteClient(wrist, settings)
    try:
        _wait(client, 0)
        client.send(ClearDriveText("actuator/right_motor"))
        client.send(SetDriveText("pitch_joint", "velocity:constant(0.1),pid(5)"))
        client.send(StepOnce(20))
        _wait(client, 20)
        assert client._process.pid is not None
        os.kill(client._process.pid, signal.SIGKILL)
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
    runner.execute(SetDriveText("roll_joint", "velocity:1,pid(2)"))
    (drive,) = runner.engine.actuation.axis_drives.values()
    assert drive.profile == Constant(1.0)
    assert drive.gains is not None
