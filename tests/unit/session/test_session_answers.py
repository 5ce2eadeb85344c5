"""Commands have numbers: what has become of each, and what is driven, is in the status, under both clients."""

from __future__ import annotations

import os
import signal
import time

from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Table
from simulator.session.commands.commands import (
    Pause,
    Reset,
    SetCoupling,
    SetDrive,
    SetPosition,
    SetSolver,
    SetSpeed,
    StepOnce,
)
from simulator.session.run.client import RunState, SimulationClient, Status
from simulator.session.run.remote import RemoteClient
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers.clients import Make, answered, wait_for_state
from tests.helpers.drives import drive, set_drive


def answer(client: SimulationClient, number: int) -> Status:
    """The status once that command has been answered."""
    return answered(client, number)[1]


def pid_of(client: RemoteClient) -> int:
    assert client.pid is not None
    return client.pid


def kill(client: RemoteClient) -> None:
    os.kill(pid_of(client), signal.SIGKILL)
    wait_for_state(client, RunState.DIED)


def test_commands_are_counted_and_answered(make: Make) -> None:
    client = make()
    assert [client.send(SetSpeed(2.0)), client.send(Pause()), client.send(StepOnce())] == [1, 2, 3]
    status = answer(client, 3)
    assert (status.answered, status.refused, status.speed) == (3, (), 2.0)


def test_every_refusal_of_a_batch_names_its_command(make: Make) -> None:
    """The message tells only what the last command met; a command that works wipes it."""
    client = make()
    commands = [
        set_drive("k=effort:1"), set_drive("p=effort:1"), SetSpeed(-1.0), set_drive("q="), SetPosition(9, 1.0), Pause(),
    ]  # fmt: skip
    numbers = [client.send(command) for command in commands]
    status = answer(client, numbers[-1])
    assert [number for number, _ in status.refused] == [numbers[0], *numbers[2:5]]
    assert "'m::k' follows another axis" in status.refusal(numbers[0])
    assert "a speed of -1 is not possible" in status.refusal(numbers[2])
    assert "no axis is named 'q'" in status.refusal(numbers[3])
    assert (status.refusal(numbers[1]), status.refusal(numbers[5]), status.message) == ("", "", "")


def test_the_last_refusals_are_told(make: Make) -> None:
    client = make()
    numbers = [client.send(SetSpeed(0.0)) for _ in range(100)]
    told = [number for number, _ in answer(client, numbers[-1]).refused]
    assert 10 <= len(told) < 100
    assert told == numbers[-len(told) :]


def test_a_status_tells_what_is_driven(make: Make) -> None:
    client = make(SessionSettings(paused=True, drives=(parse_drive("p=effort:1"),)))
    assert client.poll()[1].drives == client.asked_drives == (("m::p", drive("effort:1")),)  # before it has started
    assert answer(client, 0).drives == (("m::p", drive("effort:1")),)
    number = client.send(set_drive("j=velocity:sine(1,2)"))
    both = (("m::p", drive("effort:1")), ("m::j", drive("velocity:sine(1,2)")))
    assert answer(client, number).drives == both
    number = client.send(set_drive("k=velocity:1"))
    status = answer(client, number)
    assert (status.drives, bool(status.refusal(number))) == (both, True)
    number = client.send(set_drive("p=effort:2"))
    assert answer(client, number).drives == (both[1], ("m::p", drive("effort:2")))
    number = client.send(set_drive("m::j="))
    assert answer(client, number).drives == client.asked_drives == (("m::p", drive("effort:2")),)


def test_drives_outlast_a_reset_another_strategy_and_another_law(make: Make) -> None:
    client = make(SessionSettings(paused=True, drives=(parse_drive("p=velocity:1"),)))
    client.send(set_drive("j=effort:ramp(0,1,2)"))
    drives = (("m::p", drive("velocity:1")), ("m::j", drive("effort:ramp(0,1,2)")))
    for command in (StepOnce(3), Reset(), SetSolver("reduced"), SetCoupling(0, 3.0, 0.0, 0.0), SetSolver("gear")):
        status = answer(client, client.send(command))
        assert (status.drives, status.refused) == (drives, ()), command
    assert status.solver == "gear"


def test_drives_outlast_a_restart(make: Make) -> None:
    client = make(SessionSettings(paused=True, drives=(parse_drive("p=velocity:1"), parse_drive("j=effort:1"))))
    client.send(set_drive("p="))
    client.send(set_drive("j=velocity:sine(1,2)"))
    before = answer(client, client.send(StepOnce(2)))
    if isinstance(client, RemoteClient):
        kill(client)
    client.restart()
    drives = (("m::j", drive("velocity:sine(1,2)")),)
    assert client.poll()[1].drives == drives  # also before the new process is up
    status = answer(client, client.send(Pause()))
    assert (status.drives, status.refused) == (drives, ())
    assert status.answered > before.answered


def test_what_was_not_answered_is_not_lost_with_the_process(remote: RemoteClient) -> None:
    answer(remote, remote.send(set_drive("p=effort:1")))
    os.kill(pid_of(remote), signal.SIGSTOP)
    remote.send(set_drive("j=effort:2"))
    remote.send(set_drive("p="))
    remote.send(set_drive("nobody=effort:2"))
    assert remote.poll()[1].drives == (("m::p", drive("effort:1")),)
    assert remote.asked_drives == (("m::j", drive("effort:2")),)
    kill(remote)
    remote.restart()
    assert answer(remote, remote.send(Pause())).drives == (("m::j", drive("effort:2")),)


def test_what_nobody_hears_has_no_number(make: Make, remote: RemoteClient) -> None:
    client = make()
    answer(client, client.send(Pause()))
    client.close()
    assert client.send(Pause()) == 0
    answer(remote, remote.send(set_drive("p=effort:1")))
    os.kill(pid_of(remote), signal.SIGSTOP)
    wait_for_state(remote, RunState.STOPPED)
    assert remote.send(set_drive("p=")) == 0
    assert remote.asked_drives == (("m::p", drive("effort:1")),)


def test_a_long_motion_does_not_hold_the_process_up(remote: RemoteClient) -> None:
    """Ten thousand values are more than the pipe holds: statuses that carried them would block it without
    polling."""
    count = 10_000
    table = Table(tuple(0.001 * i for i in range(count)), tuple(1.0 for _ in range(count)))
    long = Drive(DriveKind.EFFORT, table)
    number = remote.send(SetDrive("p", long))
    for i in range(50):  # each is answered with a status
        number = remote.send(SetSpeed(1.0 + 0.01 * i))
    time.sleep(0.3)
    status = answer(remote, number)
    assert status.drives == (("m::p", long),)
    assert answer(remote, remote.send(StepOnce(5))).drives == (("m::p", long),)
