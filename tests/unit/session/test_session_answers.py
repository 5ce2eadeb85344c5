"""Commands have numbers: what has become of each, and what is driven, is in the status, under both clients.

Waiting is polling with a deadline (a spawned process imports PyBullet, on a busy machine in several seconds).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Table
from simulator.session.client import RunState, SimulationClient, Status
from simulator.session.commands import Pause, Reset, SetCoupling, SetDrive, SetPosition, SetSolver, SetSpeed, StepOnce
from simulator.session.drive_text import parse_drive
from simulator.session.local import LocalClient
from simulator.session.opening import Opened, open_document
from simulator.session.remote import RemoteClient
from simulator.session.settings import SessionSettings
from tests.helpers import documents
from tests.helpers.drives import drive, set_drive

DEADLINE = 60.0
PAUSED = SessionSettings(paused=True)
Make = Callable[..., SimulationClient]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Two coupled flywheels of 1 kg m² and a third one."""
    parts = [documents.link(name) for name in "abc"]
    parts += [
        documents.joint("j", "revolute", parent="world", child="a"),
        documents.joint("k", "revolute", documents.mimic("j", multiplier=2.0), parent="world", child="b"),
        documents.joint("p", "revolute", parent="world", child="c"),
    ]
    path = tmp_path_factory.mktemp("answers") / "wheels.sdf"
    path.write_text(documents.world(documents.model("m", *parts)), encoding="utf-8")
    return open_document(path)


@pytest.fixture(params=[LocalClient, RemoteClient], ids=["local", "remote"])
def make(request: pytest.FixtureRequest, opened: Opened) -> Iterator[Make]:
    made: list[SimulationClient] = []

    def start(settings: SessionSettings = PAUSED) -> SimulationClient:
        made.append(request.param(opened, settings))
        return made[-1]

    yield start
    for client in made:
        client.close()


@pytest.fixture
def remote(opened: Opened) -> Iterator[RemoteClient]:
    client = RemoteClient(opened, PAUSED)
    yield client
    client.close()


def wait(client: SimulationClient, until: Callable[[Status], bool]) -> Status:
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        status = client.poll()[1]
        if until(status):
            return status
        time.sleep(0.002)
    raise AssertionError(f"not within {DEADLINE} s: {client.poll()[1]}")


def answer(client: SimulationClient, number: int) -> Status:
    """The status once that command has been answered."""
    return wait(client, lambda status: status.answered >= number and status.state is not RunState.STARTING)


def pid_of(client: RemoteClient) -> int:
    assert client.pid is not None
    return client.pid


def kill(client: RemoteClient) -> None:
    os.kill(pid_of(client), signal.SIGKILL)
    wait(client, lambda status: status.state is RunState.DIED)


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
    wait(remote, lambda status: status.state is RunState.STOPPED)
    assert remote.send(set_drive("p=")) == 0
    assert remote.asked_drives == (("m::p", drive("effort:1")),)


def test_a_long_motion_does_not_hold_the_process_up(remote: RemoteClient) -> None:
    """Ten thousand values are more than the pipe holds: statuses that carried them would stop it, with nobody
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
