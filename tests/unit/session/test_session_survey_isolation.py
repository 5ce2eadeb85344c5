"""One process a task: what it does to itself affects no other, and none is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from simulator.session.survey.isolation import MEGABYTE, Ended, Limits, crash_place, each_in_a_process

Send = Callable[[dict[str, Any]], None]
ENOUGH = Limits(seconds=60.0, memory=4096 * MEGABYTE)


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []


def ended(work: Callable[[str, Send], None], limits: Limits = ENOUGH) -> Ended:
    ((task, result),) = each_in_a_process(["task"], work, jobs=1, limits=limits)
    assert task == "task"
    return result


def test_every_task_is_done_whatever_the_number_of_processes() -> None:
    def work(task: int, send: Send) -> None:
        send({"half": task})
        send({"square": task**2, "process": os.getpid()})

    for jobs in (1, 3, 9):
        results = dict(each_in_a_process(range(5), work, jobs=jobs, limits=ENOUGH))
        assert [(results[i].parts["half"], results[i].parts["square"]) for i in range(5)] == [
            (i, i * i) for i in range(5)
        ]
        assert {result.how for result in results.values()} == {""}
        assert len({result.parts["process"] for result in results.values()} | {os.getpid()}) == 6


def test_the_most_memory_held_at_once_is_told() -> None:
    def work(_: str, send: Send) -> None:
        block = bytearray(300 * MEGABYTE)
        block[::4096] = b"x" * len(block[::4096])

    assert ended(work).parts["peak_memory_mb"] > 300.0


def test_a_crash_is_told_with_its_signal_and_what_was_sent_before_it_is_kept() -> None:
    def work(_: str, send: Send) -> None:
        send({"check": "clean"})
        os.kill(os.getpid(), signal.SIGSEGV)

    result = ended(work)
    assert (result.parts["check"], result.how) == ("clean", "crashed")
    assert "SIGSEGV" in result.because
    assert "test_session_survey_isolation.py" in result.because


@pytest.mark.parametrize("more", [
    "",
    "\n\nCurrent thread's C stack trace (most recent call first):\n  Binary file \"python\", at _Py_DumpStack+0x4a\n",
])  # fmt: skip
def test_the_place_of_a_crash_is_a_line_of_python(more: str) -> None:
    """As faulthandler writes it, which adds the interpreter's own frames from Python 3.14 on."""
    lines = 'File "a.py", line 3 in work\n  File "b.py", line 9 in main'
    said = (
        f"Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f [python] (most recent call first):\n  {lines}"
    )
    assert crash_place(said + more) == 'File "a.py", line 3 in work'
    assert crash_place("Killed") == ""


def test_an_exit_code_is_told() -> None:
    result = ended(lambda _, __: os._exit(7))
    assert (result.how, result.because) == ("crashed", "exit code 7")


def test_an_exception_is_told() -> None:
    def work(_: str, __: Send) -> None:
        raise LookupError("no such thing")

    result = ended(work)
    assert (result.how, result.because) == ("crashed", "LookupError: no such thing")


@pytest.mark.parametrize("deaf", [False, True])
def test_what_hangs_is_ended_with_its_own_children(deaf: bool) -> None:
    read, write = os.pipe()

    def work(_: str, send: Send) -> None:
        if deaf:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        send({"check": "warned"})
        os.fork()
        while True:
            time.sleep(1000)

    result = ended(work, Limits(seconds=0.5, memory=ENOUGH.memory))
    assert (result.parts["check"], result.how, result.because) == ("warned", "slow", "ended after 0.5 s")
    os.close(write)
    assert os.read(read, 1) == b"", "somebody still holds the other end"
    os.close(read)


def test_what_fills_the_memory_is_ended() -> None:
    def work(_: str, __: Send) -> None:
        bytearray(3000 * MEGABYTE)

    result = ended(work, Limits(seconds=60.0, memory=2000 * MEGABYTE))
    assert (result.how, result.because) == ("memory", "needs more than 2000 MB of memory")


def test_what_processes_print_is_not_seen(capfd: pytest.CaptureFixture[str]) -> None:
    def work(_: str, __: Send) -> None:
        print("data")
        print("trouble", file=sys.stderr)
        os.write(1, b"from C\n")

    assert ended(work).how == ""
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("leave", [KeyboardInterrupt, GeneratorExit])
def test_leaving_early_ends_all_processes(leave: type[BaseException]) -> None:
    def work(task: float, _: Send) -> None:
        time.sleep(task)

    results = each_in_a_process([0.0, 1000.0, 1000.0], work, jobs=3, limits=ENOUGH)
    assert next(results)[0] == 0.0
    assert len(multiprocessing.active_children()) == 2
    if leave is GeneratorExit:
        results.close()  # type: ignore[attr-defined]
    else:
        with pytest.raises(KeyboardInterrupt):
            results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []
