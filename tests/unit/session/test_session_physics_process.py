"""The physics process that waits for its job before there is one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run import worker
from simulator.session.run.client import RunState
from simulator.session.run.physics_process import PhysicsProcess, Spare
from simulator.session.run.remote import RemoteClient
from simulator.session.text.settings import SessionSettings


@pytest.fixture
def spare() -> Iterator[Spare]:
    made = Spare()
    yield made
    made.close()


def waiting_of(spare: Spare) -> PhysicsProcess:
    assert spare._waiting is not None
    return spare._waiting


def pid_of(process: PhysicsProcess) -> int:
    assert process.process.pid is not None
    return process.process.pid


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_first_simulation_takes_it_and_later_ones_start_their_own(spare: Spare) -> None:
    waiting = waiting_of(spare)
    opened = open_document(find_file("four_bar"))
    client = RemoteClient(opened, SessionSettings(), spare=spare)
    other = RemoteClient(opened, SessionSettings(), spare=spare)
    try:
        assert client.pid == waiting.process.pid
        assert other.pid not in (None, client.pid)
        for one in (client, other):
            wait_until(lambda one=one: one.poll()[1].state is RunState.RUNNING)  # type: ignore[misc]
    finally:
        client.close()
        other.close()


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_died_or_is_held_is_not_given_away(spare: Spare, blow: signal.Signals) -> None:
    waiting = waiting_of(spare)
    os.kill(pid_of(waiting), blow)
    wait_until(lambda: not waiting.is_usable)
    taken = spare.take()
    try:
        assert taken is not waiting
        assert taken.is_usable
    finally:
        taken.end()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_what_a_terminal_sends_at_the_start_is_the_business_of_the_window(spare: Spare, number: signal.Signals) -> None:
    """Ctrl-C reaches every process of the terminal, also one that has only just begun."""
    waiting = waiting_of(spare)
    os.kill(pid_of(waiting), number)
    client = RemoteClient(open_document(find_file("four_bar")), SessionSettings(), spare=spare)
    try:
        assert client.pid == waiting.process.pid
        wait_until(lambda: client.poll()[1].state is RunState.RUNNING)
    finally:
        client.close()


def test_nobody_took_it_and_it_ends(spare: Spare) -> None:
    pid = pid_of(waiting_of(spare))
    spare.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    spare.close()  # once more does no harm


def test_a_signal_of_the_starter_is_held_back_only_while_it_starts(spare: Spare) -> None:
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ()) & {signal.SIGINT, signal.SIGHUP}


def test_kernels_that_are_missing_are_made_before_there_is_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is simulated as Python for that."""
    reached = []
    monkeypatch.setattr(worker, "make_engine", lambda *_: reached.append("engine"))
    monkeypatch.setattr(worker, "make_in_background", lambda: reached.append("making") or object())
    worker.load_kernels()
    assert reached == ["making"]
