"""One contract, two clients: in this process, and in a process of its own. Then what only a process can do: die.

Waiting is polling with a deadline; nothing sleeps longer than it must.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.snapshot import Snapshot
from simulator.errors import DocumentError, UsageError
from simulator.session.commands.commands import (
    Pause,
    Reset,
    Run,
    SetCoupling,
    SetPosition,
    SetSpeed,
    StepOnce,
)
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import RunState, SimulationClient
from simulator.session.run.remote import RemoteClient
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers.clients import DEADLINE, PAUSED, Make, wait, wait_for_state
from tests.helpers.drives import set_drive
from tests.helpers.local_client import LocalClient


def ready(client: SimulationClient) -> Snapshot:
    return wait(client, lambda _, status: status.state is not RunState.STARTING)[0]


def test_a_client_shows_the_start_and_steps(make: Make) -> None:
    client = make()
    assert ready(client).step == 0
    client.send(StepOnce(5))
    snapshot, status = wait(client, lambda snapshot, _: snapshot.step == 5)
    assert snapshot.time == pytest.approx(0.005)
    assert (status.state, status.solver, status.dt, status.message) == (RunState.PAUSED, "rows", 0.001, "")


def test_time_passes_only_while_running(make: Make) -> None:
    client = make()
    ready(client)
    client.send(Run())
    wait(client, lambda snapshot, status: snapshot.step >= 20 and status.state is RunState.RUNNING)
    client.send(Pause())
    snapshot, _ = wait_for_state(client, RunState.PAUSED)
    time.sleep(0.05)
    assert client.poll()[0].step == snapshot.step  # type: ignore[union-attr]


def test_drives_act_and_stop_acting(make: Make) -> None:
    """1 N m on 1 + 4 kg m²: 0.2 rad/s² for 100 steps."""
    client = make()
    ready(client)
    client.send(set_drive("j=effort:1"))
    client.send(StepOnce(100))
    snapshot, _ = wait(client, lambda snapshot, _: snapshot.step == 100)
    assert snapshot.velocity[:2] == pytest.approx([0.02, 0.04], rel=1e-6)
    assert snapshot.effort[0] == 1.0
    client.send(set_drive("j="))
    client.send(StepOnce(100))
    snapshot, _ = wait(client, lambda snapshot, _: snapshot.step == 200)
    assert snapshot.velocity[0] == pytest.approx(0.02, rel=1e-6)


def test_a_trace_is_what_happened(make: Make) -> None:
    client = make()
    ready(client)
    assert [channel.name for channel in client.channels][:2] == ["time", "joint/m::j/position"]
    client.send(set_drive("p=effort:1"))
    client.send(StepOnce(50))
    wait(client, lambda snapshot, _: snapshot.step == 50)
    column = [channel.name for channel in client.channels].index("joint/m::p/velocity")
    times, values = client.trace((column,), -np.inf)
    np.testing.assert_allclose(times, np.arange(51) * 0.001, atol=1e-12)
    np.testing.assert_allclose(values[:, 0], np.arange(51) * 0.001, rtol=1e-6, atol=1e-12)
    assert len(client.trace((column,), 0.0405)[0]) == 10


def test_reset_begins_a_new_record(make: Make) -> None:
    client = make()
    ready(client)
    client.send(StepOnce(30))
    wait(client, lambda snapshot, _: snapshot.step == 30)
    client.send(Reset())
    wait(client, lambda snapshot, _: snapshot.step == 0)
    assert client.trace((0,), -np.inf)[0].tolist() == [0.0]


def test_a_position_is_set_with_all_that_follows(make: Make) -> None:
    client = make()
    ready(client)
    client.send(SetPosition(1, 0.8))
    snapshot, _ = wait(client, lambda snapshot, _: snapshot.position[0] != 0.0)
    assert snapshot.position == pytest.approx([0.4, 0.8, 0.0])


def test_settings_are_heard(make: Make) -> None:
    drives, initial = (parse_drive("p=effort:1"),), (("j", 0.25),)
    client = make(SessionSettings(paused=True, dt=0.002, speed=3.0, drives=drives, initial=initial))
    assert ready(client).position == pytest.approx([0.25, 0.5, 0.0])
    client.send(StepOnce(1))
    snapshot, status = wait(client, lambda snapshot, _: snapshot.step == 1)
    assert (status.dt, status.speed) == (0.002, 3.0)
    assert snapshot.velocity[2] == pytest.approx(0.002, rel=1e-6)


def test_laws_that_were_changed_are_told(make: Make) -> None:
    client = make()
    ready(client)
    law = SetCoupling(0, -1.0, 0.1, 0.2)
    client.send(law)
    client.send(StepOnce(5))
    wait(client, lambda snapshot, status: status.laws == (law,) and snapshot.step == 5)
    client.send(replace(law, multiplier=2.0))
    _, status = wait(client, lambda _, status: status.laws != (law,))
    assert (status.laws[0].multiplier, status.laws_since) == (2.0, pytest.approx(0.005))
    law = status.laws[0]
    client.send(SetCoupling(0, 1.0, 0.0, 0.0, (2.0,)))
    _, status = wait(client, lambda _, status: "one multiplier for each of its leaders: m::j" in status.message)
    assert status.laws == (law,)


def test_nonsense_is_told_and_harmless(make: Make) -> None:
    client = make()
    ready(client)
    client.send(set_drive("k=effort:1"))
    wait(client, lambda _, status: "'m::k' follows another axis" in status.message)
    client.send(SetSpeed(-2.0))
    wait(client, lambda _, status: "a speed of -2 is not possible" in status.message)
    client.send(set_drive("q=effort:1"))
    wait(client, lambda _, status: "no axis is named 'q'" in status.message)
    client.send(StepOnce(1))
    assert wait(client, lambda snapshot, _: snapshot.step == 1)[1].message == ""


def test_a_real_time_factor_is_measured(make: Make) -> None:
    client = make(SessionSettings(speed=0.5))
    _, status = wait(client, lambda snapshot, _: snapshot.time > 0.2)
    assert 0.1 < status.real_time_factor < 1.0
    assert status.steps_per_second == pytest.approx(1000.0 * status.real_time_factor, rel=1e-6)


def test_closing_twice_and_commands_afterwards_are_harmless(make: Make) -> None:
    client = make()
    ready(client)
    client.close()
    client.close()
    client.send(Run())
    time.sleep(0.005)
    client.poll()
    assert client.trace((0,), -np.inf)[0].shape[0] <= 1


def test_restart_after_close_is_harmless(remote: RemoteClient) -> None:
    remote.close()
    remote.restart()
    assert not multiprocessing.active_children()


def test_invalid_documents_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.sdf"
    path.write_text("<sdf", encoding="utf-8")
    bad = open_document(path)
    for client in (LocalClient, RemoteClient):
        with pytest.raises(DocumentError):
            client(bad, PAUSED)


def test_impossible_steps_are_refused_at_once(wheels: Opened) -> None:
    for client in (LocalClient, RemoteClient):
        with pytest.raises(UsageError):
            client(wheels, SessionSettings(dt=-1.0))


def pid_of(client: RemoteClient) -> int:
    (child,) = multiprocessing.active_children()
    assert child.pid is not None
    assert client is not None
    return child.pid


def test_a_start_that_fails_says_why(wheels: Opened) -> None:
    client = RemoteClient(wheels, SessionSettings(initial=(("j", 0.1), ("k", 0.1))))
    try:
        end = time.monotonic() + DEADLINE
        while client.poll()[1].state is RunState.STARTING and time.monotonic() < end:
            time.sleep(0.002)
        snapshot, status = client.poll()
        assert snapshot is None
        assert status.state is RunState.FAILED
        assert "cannot start at 0.1" in status.message
    finally:
        client.close()


def test_a_killed_process_leaves_its_record_and_can_be_started_again(remote: RemoteClient) -> None:
    ready(remote)
    remote.send(set_drive("p=effort:1"))
    remote.send(SetSpeed(0.5))
    remote.send(StepOnce(40))
    wait(remote, lambda snapshot, _: snapshot.step == 40)
    os.kill(pid_of(remote), signal.SIGKILL)
    snapshot, status = wait_for_state(remote, RunState.DIED)
    assert "by signal 9" in status.message
    assert snapshot.step == 40
    assert len(remote.trace((0,), -np.inf)[0]) == 41
    remote.send(StepOnce(1))
    assert remote.poll()[1].state is RunState.DIED
    remote.restart()
    snapshot, status = wait_for_state(remote, RunState.PAUSED)
    assert (snapshot.step, status.speed) == (40, 0.5)
    remote.send(StepOnce(10))
    snapshot, _ = wait(remote, lambda snapshot, _: snapshot.step == 50)
    assert snapshot.velocity[2] == pytest.approx(0.05, rel=1e-6), "the drive acts again"
    times = remote.trace((0,), -np.inf)[0]
    np.testing.assert_allclose(times, np.arange(51) * 0.001, atol=1e-12)


def test_killed_while_running_the_record_stays_in_order(remote: RemoteClient) -> None:
    """Rows are written more often than snapshots: the run continues from an older instant than the last row."""
    ready(remote)
    remote.send(Run())
    wait(remote, lambda snapshot, _: snapshot.step > 50)
    os.kill(pid_of(remote), signal.SIGKILL)
    wait_for_state(remote, RunState.DIED)
    remote.restart()
    wait_for_state(remote, RunState.PAUSED)
    remote.send(StepOnce(5))
    before = remote.poll()[0]
    assert before is not None
    wait(remote, lambda snapshot, status: snapshot.step >= before.step + 5 or status.state is RunState.DIED)
    times = remote.trace((0,), -np.inf)[0]
    assert np.all(np.diff(times) > 0.0)


def test_a_drive_that_was_let_go_does_not_come_back(wheels: Opened) -> None:
    client = RemoteClient(wheels, SessionSettings(paused=True, drives=(parse_drive("p=effort:1"),)))
    try:
        ready(client)
        client.send(set_drive("p="))
        client.send(StepOnce(1))
        wait(client, lambda snapshot, _: snapshot.step == 1)
        os.kill(pid_of(client), signal.SIGKILL)
        wait_for_state(client, RunState.DIED)
        client.restart()
        client.send(StepOnce(1))
        snapshot, _ = wait(client, lambda snapshot, _: snapshot.step == 2)
        assert snapshot.velocity[2] == 0.0
    finally:
        client.close()


def test_nothing_is_left_behind(wheels: Opened) -> None:
    client = RemoteClient(wheels, SessionSettings())
    ready(client)
    pid, number = pid_of(client), client._memory.shape.handle.number
    assert "memfd:simulator" in os.readlink(f"/proc/self/fd/{number}"), "memory without a name, which nobody can leave"
    client.close()
    assert not multiprocessing.active_children()
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_a_stopped_process_is_noticed_and_may_go_on(remote: RemoteClient) -> None:
    ready(remote)
    remote.send(Run())
    wait(remote, lambda snapshot, status: snapshot.step > 5 and status.state is RunState.RUNNING)
    os.kill(pid_of(remote), signal.SIGSTOP)
    held, status = wait_for_state(remote, RunState.STOPPED)
    assert f"kill -CONT {pid_of(remote)}" in status.message
    for i in range(20_000):  # without a reader: more than a pipe holds
        remote.send(SetSpeed(1.0 + 1e-6 * i))
    os.kill(pid_of(remote), signal.SIGCONT)
    _, status = wait(remote, lambda snapshot, status: status.state is RunState.RUNNING and snapshot.step > held.step)
    assert status.message == ""


def test_a_stopped_process_is_ended(wheels: Opened) -> None:
    client = RemoteClient(wheels, SessionSettings())
    ready(client)
    pid = pid_of(client)
    os.kill(pid, signal.SIGSTOP)
    client.close()
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_ends_although_nobody_reads_what_it_says(wheels: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statuses fill the pipe of a window that does not poll; the process must still end on request, and not
    because patience with it came to an end."""
    client = RemoteClient(wheels, SessionSettings())
    ready(client)
    time.sleep(0.3)
    killed: list[int] = []
    process = client._process.process
    kill, number = process.kill, process.pid
    assert number is not None
    monkeypatch.setattr("simulator.session.run.physics_process.END_PATIENCE", DEADLINE)
    monkeypatch.setattr(process, "kill", lambda: (killed.append(number), kill()))
    client.close()
    assert killed == []
    assert not multiprocessing.active_children()


def test_physics_goes_on_while_nobody_listens(remote: RemoteClient) -> None:
    """Every command is answered with a status; a thousand unheard ones would fill the pipe and hold the physics process
    up."""
    ready(remote)
    remote.send(Run())
    for i in range(1000):
        remote.send(SetSpeed(1.0 + 1e-6 * i))
    time.sleep(0.6)
    snapshot, status = wait(remote, lambda snapshot, _: snapshot.time > 0.3)
    assert snapshot.time > 0.3
    assert status.state is RunState.RUNNING
